"""Exposure of a pair, for the limits that add up several orders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from tui.engine.intents import Place
from tui.engine.orders.pre_trade_checks import (
    OrderContext,
    PairTerms,
    Refusal,
    Touch,
    describe_changed_position,
    intent_closes,
    plain_grouped,
    touch_of,
)
from tui.engine.rows import Fact, OrderRow
from tui.engine.state.closing_orders import LATE_S
from tui.interface import decimals
from tui.interface.decimals import ZERO
from tui.interface.families.assets import AssetRecord
from tui.interface.families.orders import PositionSide, Side
from tui.interface.families.positions import PositionRecord
from tui.interface.figures import find_balance, net_size_of
from tui.interface.symbols import pair_name, try_parse
from tui.rules import units
from tui.rules.day_result import parse_created_ms

if TYPE_CHECKING:
    from tui.engine.state.engine_state import EngineState


def compute_signed_base(record: PositionRecord, contract: Decimal) -> Decimal | None:
    """Return a position's size in base units, negative when short; None when it cannot be read."""
    size = net_size_of(record)
    return None if size is None else units.base(size, contract)


class PairValue(NamedTuple):
    """Value of a pair's position, quote, negative when short, if orders of one side fill: without and with a new order."""

    before: Decimal
    """Without the order."""
    after: Decimal

    @property
    def is_lowered(self) -> bool:
        """Whether the order makes the value smaller without changing its sign."""
        return abs(self.after) < abs(self.before) and self.after * self.before >= 0

    def max_order_value(self, side: Side, most: Decimal) -> Decimal:
        """Return the largest value of an order of a side with which the pair's value stays within `most`."""
        return max(most - side.sign * self.before, ZERO)


_OTHER_LEG = {PositionSide.LONG: PositionSide.SHORT, PositionSide.SHORT: PositionSide.LONG}


def sum_held(
    sym: str,
    leg: PositionSide,
    *,
    assets: Mapping[str, Fact[AssetRecord]],
    positions: Mapping[str, Fact[PositionRecord]],
    contract: Decimal,
) -> Decimal | None:
    """Sum the position in a perpetual (or its leg), or the base coins of another pair, in base units; None if unreadable.

    Of a perpetual that is its position, in hedge mode the leg alone: the other one makes it smaller only until it is
    closed, which no limit keeps. Of another pair it is its base coin on the venue less what is owed of it, wherever it
    came from: the coins that the account began with can fall in price as those that were bought.
    """
    pair = try_parse(sym)
    if pair is not None and not pair.is_perp:
        coins = assets.get(f"{pair.exchange}/{pair.base}")
        if coins is None:
            return ZERO if assets else None
        return find_balance(coins.record)
    records = [fact.record for fact in positions.values() if fact.record.sym == sym]
    other = _OTHER_LEG.get(leg)
    sizes = [compute_signed_base(record, contract) for record in records if record.position_side != other]
    return None if None in sizes else sum((size for size in sizes if size is not None), ZERO)


def compute_pair_value(
    sym: str,
    side: Side,
    leg: PositionSide,
    added: Decimal,
    *,
    held: Decimal | None,
    orders: Iterable[OrderRow],
    contract: Decimal,
    touch: Touch,
    ahead: Decimal = ZERO,
) -> PairValue | None:
    """Compute a pair's value with all working orders of one side filled, without and with `added` units more.

    None when what is `held` (`sum_held`) cannot be read. `ahead` are fills that it does not show yet, sales below 0.
    """
    if held is None:
        return None
    price = touch.mark or touch.reference(side) or ZERO
    other = _OTHER_LEG.get(leg)
    waiting = ZERO
    for row in orders:
        if row.sym == sym and row.side == side and not row.reduce_only and row.position_side != other:
            # By its record: a fill that is ahead of it may be ahead of the position too, and must not be missing in both.
            waiting += max((decimals.optional(row.qty) or ZERO) - (decimals.optional(row.executed) or ZERO), ZERO)
    total = held + units.base(ahead + side.sign * waiting, contract)
    return PairValue(total * price, (total + units.base(side.sign * added, contract)) * price)


def sum_fills_ahead(sym: str, leg: PositionSide, state: EngineState) -> Decimal:
    """Sum the newest fills of a pair or leg that its position or balance does not include yet, in the pair's units.

    Sales are below 0. A fill that the record of its order lacks too is left out: the order still waits for it.
    """
    pair, now_ms = try_parse(sym), state.server_ms()
    if pair is not None and not pair.is_perp:
        fact: Fact[Any] | None = state.facts.assets.newest(f"{pair.exchange}/{pair.base}")
    else:
        fact = state.facts.positions.newest(f"{sym}/{leg}")
    shown_ms, total = 0 if fact is None else fact.stamp.update_at, ZERO
    for fill in state.fills.newest:
        at_ms = parse_created_ms(fill)
        if fill.sym != sym or at_ms <= shown_ms or now_ms - at_ms >= LATE_S * 1000:
            continue
        row = state.orders.rows.get(state.orders.find(fill.order_id, fill.client_order_id))
        if row is not None and (row.is_behind_fills or leg not in (PositionSide.NONE, row.position_side)):
            continue
        size = decimals.optional(fill.quantity) or ZERO
        total += size if fill.side == Side.BUY else -size
    return total


def check_held(intent: Place, state: EngineState) -> Refusal | None:
    """Check that the position which an order reverses still has the size stated in the order, with the newest fills."""
    if not intent.held:
        return None
    name, before = pair_name(intent.sym), decimals.optional(intent.held)
    fact = state.facts.positions.rows.get(f"{intent.sym}/{intent.position_side}")
    told = ZERO if fact is None else net_size_of(fact.record)
    if before is None or told is None:
        return Refusal("POSITION", f"the size of the position {name} cannot be read")
    late = told + sum_fills_ahead(intent.sym, intent.position_side, state)
    changed = next((now for now in (told, late) if now != before), None)
    if changed is None:
        return None
    return Refusal("POSITION", describe_changed_position(name, before, changed))


def list_pair_values(
    order: OrderContext, added: Decimal, working: list[OrderRow], state: EngineState
) -> list[PairValue | None]:
    """List a pair's value with `added` units: by the reported position, and with fills that it does not include yet."""
    intent = order.intent
    held = sum_held(
        intent.sym,
        intent.position_side,
        assets=state.facts.assets.rows,
        positions=state.facts.positions.rows,
        contract=order.figures.contract,
    )
    return [
        compute_pair_value(
            intent.sym,
            intent.side,
            intent.position_side,
            added,
            held=held,
            orders=[*working, *state.orders.list_dismissed(state.clock.mono())],
            contract=order.figures.contract,
            touch=order.touch,
            ahead=ahead,
        )
        for ahead in (ZERO, sum_fills_ahead(intent.sym, intent.position_side, state))
    ]


class ExcessPosition(NamedTuple):
    """Pair (in hedge mode a leg) whose position with the working orders of one side exceeds its position limit."""

    name: str
    """Pair and leg."""
    value: Decimal
    """In quote, without sign."""
    limit: Decimal


_OPENING_SIDES = {PositionSide.LONG: (Side.BUY,), PositionSide.SHORT: (Side.SELL,)}


def find_excess_position(state: EngineState) -> ExcessPosition | None:
    """Find a perpetual whose position with working orders exceeds its limit; None if none does or figures are missing."""
    limits = state.settings.limits
    if not limits.max_position and not any(own.max_position for own in limits.sym.values()):
        return None
    orders, positions = defaultdict[str, list[OrderRow]](list), defaultdict[str, dict[str, Fact[PositionRecord]]](dict)
    for row in (*state.orders.working(), *state.orders.list_dismissed(state.clock.mono())):
        orders[row.sym].append(row)
    for key, fact in state.facts.positions.rows.items():
        positions[fact.record.sym][key] = fact
    for sym, leg in _list_legs(positions, orders):
        most, info = decimals.optional(limits.of(sym).max_position), state.symbols.get(sym)
        contract = None if info is None else PairTerms.of(info).contract
        if most is None or contract is None:
            continue
        held = sum_held(sym, leg, assets=state.facts.assets.rows, positions=positions[sym], contract=contract)
        touch = touch_of(state.quotes.current(sym))
        for side in _OPENING_SIDES.get(leg, tuple(Side)):
            value = compute_pair_value(
                sym, side, leg, ZERO, held=held, orders=orders[sym], contract=contract, touch=touch
            )
            if value is not None and abs(value.before) > most:
                return ExcessPosition(name_leg(sym, leg), abs(value.before), most)
    return None


def _list_legs(
    positions: Mapping[str, Mapping[str, Fact[PositionRecord]]], orders: Mapping[str, Iterable[OrderRow]]
) -> Iterator[tuple[str, PositionSide]]:
    """List the perpetuals, with their legs, that have a position or an order; the arguments are by pair."""
    known = [(sym, fact.record.position_side) for sym, rows in positions.items() for fact in rows.values()]
    known += [(sym, row.position_side) for sym, rows in orders.items() for row in rows]
    for sym, leg in dict.fromkeys(known):
        if has_positions(sym) and leg in tuple(PositionSide):
            yield sym, PositionSide(leg)


def name_leg(sym: str, leg: PositionSide) -> str:
    """Name a pair, in hedge mode with its leg."""
    return pair_name(sym) if leg is PositionSide.NONE else f"{pair_name(sym)} {leg.value}"


def has_positions(sym: str) -> bool:
    """Return whether a pair is a perpetual (or unreadable), which has positions; other pairs have coin balances."""
    pair = try_parse(sym)
    return pair is None or pair.is_perp


def describe_beyond(intent: Place, told: Decimal | None, late: Decimal | None) -> str:
    """Describe to what value the pair of an order could come, and whether only with fills not shown yet.

    Args:
        intent: The order.
        told: Value beyond the limit by what is told; None while within it.
        late: Value beyond the limit with the newest fills; None while within it.
    """
    reached = (late if told is None else told) or ZERO
    name = name_leg(intent.sym, intent.position_side)
    text = f"{name} could come to {plain_grouped(decimals.half_up(reached, 2))}"
    if told is not None and late is not None:
        return text
    shown = "positions" if has_positions(intent.sym) else "balances"
    if told is None:
        return f"{text} with fills that the {shown} do not show yet"
    return f"{text} until the {shown} show the newest fills"


def expect_position_denial(
    order: OrderContext,
    working: Iterable[OrderRow],
    assets: Mapping[str, Fact[AssetRecord]],
    positions: Mapping[str, Fact[PositionRecord]],
) -> Refusal | None:
    """Predict for an order's preview whether the position limit will deny it; return that denial, or None."""
    intent, contract, most = order.intent, order.figures.contract, decimals.optional(order.limits.max_position)
    if most is None or intent_closes(intent):
        return None
    held = sum_held(intent.sym, intent.position_side, assets=assets, positions=positions, contract=contract)
    value = compute_pair_value(
        intent.sym, intent.side, intent.position_side, order.figures.qty, held=held, orders=working, contract=contract,
        touch=order.touch,
    )  # fmt: skip
    if value is None or abs(value.after) <= most or (value.is_lowered and intent.position_side is PositionSide.NONE):
        return None
    text = describe_beyond(intent, abs(value.after), abs(value.after))
    valued = " (at the mark price)" if order.touch.mark else ""
    return Refusal("LIMIT", f"{text}; the position limit is {plain_grouped(most)}{valued}")
