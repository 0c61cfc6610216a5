"""Pre-trade checks of algo orders: triggers against side and market price, limit prices, size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal

import msgspec

from tui.engine.intents import PlaceAlgo, Protection, ReplaceAlgo
from tui.engine.limits import Limits
from tui.engine.orders import pre_trade_checks
from tui.engine.orders.pre_trade_checks import OrderContext, PairTerms, Refusal
from tui.engine.rows import AlgoRow
from tui.engine.state.algo_table import record_triggers, triggers_of
from tui.interface import decimals
from tui.interface.decimals import plain
from tui.interface.families.algo import (
    CONDITIONAL,
    STOP_LOSS,
    TAKE_PROFIT,
    AlgoRecord,
    Condition,
    TriggerName,
    TriggerType,
)
from tui.interface.families.orders import PositionSide, Side
from tui.interface.symbols import pair_name, try_parse
from tui.rules import bands, triggers

NAMES: Mapping[TriggerName, str] = {CONDITIONAL: "trigger", TAKE_PROFIT: "target", STOP_LOSS: "stop"}
VENUES = ("BINANCE", "OKX")
"""Venues that accept algo orders."""
OTHERS = f"; {' and '.join(VENUES)} also for a position"
"""End of a refusal of a venue that accepts none."""
_TAKES: Mapping[Condition, tuple[frozenset[TriggerName], frozenset[TriggerName]]] = {
    Condition.CONDITIONAL: (frozenset([CONDITIONAL]), frozenset([CONDITIONAL])),
    Condition.OCO: (frozenset([TAKE_PROFIT, STOP_LOSS]), frozenset([TAKE_PROFIT, STOP_LOSS])),
    Condition.PARTIAL_CLOSE_POSITION: (frozenset(), frozenset([TAKE_PROFIT, STOP_LOSS])),
    Condition.ENTIRE_CLOSE_POSITION: (frozenset(), frozenset([TAKE_PROFIT, STOP_LOSS])),
}
"""Triggers that a condition needs, and those it accepts."""


def why_no_algos(exchange: str) -> str:
    """Return why a venue takes no algo orders, or an empty text if it does."""
    return "" if exchange in VENUES else f"{exchange} takes stops and targets only with an order"


class TriggerPrices(msgspec.Struct, frozen=True):
    """Current prices of a pair, to compare triggers with; None where unknown."""

    mark: Decimal | None
    last: Decimal | None

    def reference(self, source: str) -> Decimal | None:
        """Return the price of a trigger source: last or mark price."""
        return self.mark if source == TriggerType.MARK_PRICE else self.last


class ParsedTrigger(msgspec.Struct, frozen=True):
    """Parsed numbers of one trigger."""

    trigger: Decimal
    limit: Decimal
    """0: at market."""


def check_shape(intent: PlaceAlgo) -> Refusal | None:
    """Check that the triggers and the quantity fit the kind of algo order."""
    needs, takes = _TAKES[intent.condition]
    given = frozenset(triggers_of(intent))
    missing = [NAMES[name] for name in (CONDITIONAL, TAKE_PROFIT, STOP_LOSS) if name in needs - given]
    if missing or not given:
        return Refusal("TRIGGER", f"{missing[0] if missing else 'stop or target'} is missing; give it a price")
    if given - takes:
        extra = NAMES[next(name for name in (CONDITIONAL, TAKE_PROFIT, STOP_LOSS) if name in given - takes)]
        return Refusal("TRIGGER", f"{intent.condition.value} takes no {extra}")
    whole = intent.condition is Condition.ENTIRE_CLOSE_POSITION
    if whole and intent.qty:
        return Refusal("NUMBER", "an order for the whole position takes no quantity")
    exchange = parts.exchange if (parts := try_parse(intent.sym)) is not None else intent.sym[:40]
    if reason := why_no_algos(exchange):
        return Refusal("SYMBOL", reason + OTHERS)
    return None


def parse_size(qty_text: str, terms: PairTerms, order_type: str) -> Decimal | Refusal:
    """Parse a quantity and check it against lot size, minimum and maximum."""
    qty = pre_trade_checks.parse_number("size", qty_text)
    if isinstance(qty, Refusal):
        return qty
    return pre_trade_checks.check_size(qty, terms, order_type) or qty


def parse_trigger(name: TriggerName, protection: Protection, terms: PairTerms) -> ParsedTrigger | Refusal:
    """Parse a trigger price and its limit price; both must be multiples of the tick."""
    trigger = pre_trade_checks.parse_number(NAMES[name], protection.trigger)
    if isinstance(trigger, Refusal):
        return trigger
    refusal = pre_trade_checks.check_step(NAMES[name].capitalize(), trigger, terms.tick)
    if refusal is not None:
        return refusal
    if protection.source not in tuple(TriggerType):
        words = ", ".join(TriggerType)
        return Refusal("TRIGGER", f"{NAMES[name]} source {protection.source[:20]!r} is not accepted; it takes {words}")
    limit = decimals.optional(protection.price or "0")
    if limit is None or limit < 0:
        return Refusal(
            "NUMBER", f"limit price {protection.price[:40]!r} of the {NAMES[name]} is not a number; 0 means market"
        )
    if limit:
        refusal = pre_trade_checks.check_step(f"Limit price of the {NAMES[name]}", limit, terms.tick)
    return refusal or ParsedTrigger(trigger, limit)


def trigger_checks(
    wanted: Mapping[TriggerName, Protection],
    side: str,
    terms: PairTerms,
    prices: TriggerPrices,
    limits: Limits,
    *,
    rises: bool | None,
) -> Iterator[Refusal | None]:
    """Yield the checks of each trigger: side, distance, and limit price; `side` is that of the triggered order."""
    buys = side == Side.BUY
    for name, protection in wanted.items():
        trigger = parse_trigger(name, protection, terms)
        if isinstance(trigger, Refusal):
            yield trigger
            return
        if name == CONDITIONAL:
            yield check_trigger_side(protection, prices.reference(protection.source), rises=rises)
        yield _check_side(name, protection, trigger, prices, buys=buys)
        yield check_distance(name, trigger.trigger, prices.mark)
        yield _check_limit(name, trigger, limits, buys=buys)


def check_attached(order: OrderContext) -> Iterator[Refusal | None]:
    """Check take-profit and stop-loss of a new order: numbers, ticks, distance from mark, limits near their triggers."""
    closes_by_buying = order.intent.side is Side.SELL
    for name, protection in ((TAKE_PROFIT, order.intent.take_profit), (STOP_LOSS, order.intent.stop_loss)):
        if protection is None:
            continue
        trigger = parse_trigger(name, protection, order.terms)
        if isinstance(trigger, Refusal):
            yield trigger
            return
        yield check_distance(name, trigger.trigger, order.touch.mark)
        yield _check_limit(name, trigger, order.limits, buys=closes_by_buying)


def _check_side(
    name: TriggerName, protection: Protection, trigger: ParsedTrigger, prices: TriggerPrices, *, buys: bool
) -> Refusal | None:
    now = prices.reference(protection.source)
    word = "mark" if protection.source == TriggerType.MARK_PRICE else "last"
    if now is None:
        text = f"the {word} price is not known, so the {NAMES[name]} cannot be judged"
        return Refusal("TRIGGER", text) if prices.mark is None else Refusal("TRIGGER_PRICE", text, ask=True)
    if name == CONDITIONAL:
        text = f"trigger {plain(trigger.trigger)} is the {word} price of now; give one above or below it"
        return Refusal("TRIGGER", text) if trigger.trigger == now else None
    rises = triggers.fires_on_rise(stop=name == STOP_LOSS, buys=buys)
    if trigger.trigger != now and (trigger.trigger > now) == rises:
        return None
    where = "above" if rises else "below"
    shown, limit = decimals.format_grouped(trigger.trigger), decimals.format_grouped(now)
    text = f"{NAMES[name]} {shown} would trigger immediately; it must be {where} {word} {limit}"
    return Refusal("TRIGGER", text)


def check_trigger_side(protection: Protection, now: Decimal | None, *, rises: bool | None) -> Refusal | None:
    """Check that the price has not crossed a conditional trigger since it was typed, which would reverse its direction.

    Args:
        protection: The trigger.
        now: Price that it is compared with; None: not known.
        rises: Whether it was typed to wait for a rise; None: not known.
    """
    trigger = decimals.optional(protection.trigger)
    if rises is None or now is None or trigger is None or (trigger != now and (trigger > now) == rises):
        return None
    word = "mark" if protection.source == TriggerType.MARK_PRICE else "last"
    crossed = f"{word} {decimals.format_grouped(now)} has crossed the trigger {decimals.format_grouped(trigger)}"
    return Refusal("TRIGGER", f"{crossed}, typed for a {'rise' if rises else 'fall'}: type it again")


def check_distance(name: TriggerName, trigger: Decimal, mark: Decimal | None) -> Refusal | None:
    """Ask about a trigger more than `MAX_DISTANCE` from the mark price, which the service may refuse."""
    if mark is None or abs(trigger - mark) <= mark * triggers.MAX_DISTANCE:
        return None
    share = plain(decimals.half_up(abs(trigger - mark) / mark * 100, 1))
    most = plain(triggers.MAX_DISTANCE * 100)
    far = f"{NAMES[name]} {decimals.format_grouped(trigger)} is {share} % from mark {decimals.format_grouped(mark)}"
    text = f"{far}; beyond {most} % the service may refuse it"
    return Refusal("FAR_TRIGGER", text, ask=True)


def _check_limit(name: TriggerName, trigger: ParsedTrigger, limits: Limits, *, buys: bool) -> Refusal | None:
    """Refuse a limit price far beyond its trigger; ask about one on the better side, except of a take-profit."""
    if not trigger.limit:
        return None
    sign = 1 if buys else -1
    through = (trigger.limit - trigger.trigger) * sign
    if through > trigger.trigger * limits.near_bp / bands.BP:
        text = f"limit {plain(trigger.limit)} of the {NAMES[name]} is more than {limits.near_bp} bp beyond its trigger"
        return Refusal("BAND", text)
    if through < 0 and name != TAKE_PROFIT:
        text = f"limit {plain(trigger.limit)} is on the better side of the {NAMES[name]}: it may rest unfilled"
        return Refusal("LIMIT_RESTS", text, ask=True)
    return None


def build_changed_order(intent: ReplaceAlgo, record: AlgoRecord) -> PlaceAlgo | None:
    """Build the algo order as it would be after a change; None when a field has a value unknown to this program."""
    triggers = record_triggers(record) | triggers_of(intent)
    try:
        side, leg = Side(record.side), PositionSide(record.position_side)
        condition = Condition(record.condition_type)
    except ValueError:
        return None
    return PlaceAlgo(
        decision=intent.decision,
        sym=record.sym,
        side=side,
        condition=condition,
        qty=intent.qty or record.order_qty,
        position_side=leg,
        reduce_only=record.reduce_only == "true",
        conditional=triggers.get(CONDITIONAL),
        take_profit=triggers.get(TAKE_PROFIT),
        stop_loss=triggers.get(STOP_LOSS),
    )


def check_held(intent: PlaceAlgo, held: Decimal | None) -> Refusal | None:
    """Check that a closing algo order is opposite to an open position of size `held` (None: not read, refused).

    It is signed in one-way mode; some services sign the size of a SHORT leg too.
    """
    if not intent.closes:
        return None
    if not held:
        return Refusal("NO_POSITION", f"no position of {pair_name(intent.sym)} to close; choose a leg that has a size")
    is_long = held > 0 if intent.position_side is PositionSide.NONE else intent.position_side is PositionSide.LONG
    if is_long != (intent.side is Side.SELL):
        return Refusal("NO_POSITION", f"{intent.side.value} would not reduce the position of {plain(held)}")
    return None


def check_replace(intent: ReplaceAlgo, row: AlgoRow) -> Refusal | None:
    """Check that the algo order still waits, takes these triggers, and that the change alters size or triggers."""
    if not row.seen or row.state not in ("NEW", "PENDING_NEW"):
        return Refusal("ORDER", f"the algo order is {row.state}; only a waiting one can be changed")
    wanted = triggers_of(intent)
    if not wanted and not intent.qty:
        return Refusal("NUMBER", "nothing is changed; give another size or trigger")
    takes = {condition.value: taken for condition, (_, taken) in _TAKES.items()}
    for name in wanted:
        if name not in takes.get(row.record.condition_type, ()):
            return Refusal("TRIGGER", f"{row.record.condition_type} takes no {NAMES[name]}")
    follows = row.record.attached_order_id or row.record.condition_type == Condition.ENTIRE_CLOSE_POSITION
    if intent.qty and follows:
        return Refusal("NUMBER", "the size of this order follows what is held; only its triggers can be changed")
    now = record_triggers(row.record)
    same = all(now.get(name) == trigger for name, trigger in wanted.items())
    if same and (not intent.qty or decimals.optional(intent.qty) == decimals.optional(row.record.order_qty)):
        return Refusal("NUMBER", "size and triggers are as they were; change one of them")
    return None
