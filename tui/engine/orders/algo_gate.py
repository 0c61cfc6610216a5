"""Judges algo commands: what every command must pass, then the checks of algo orders."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Set
from decimal import Decimal

from tui.engine.intents import AlgoIntent, CancelAlgo, CancelAllAlgos, Place, PlaceAlgo, ReplaceAlgo
from tui.engine.orders import algo_checks, pre_trade_checks
from tui.engine.orders.algo_checks import TriggerPrices
from tui.engine.orders.dismissal import dismissal_block_reason
from tui.engine.orders.gate import Gate, combine_refusals
from tui.engine.orders.pre_trade_checks import PairTerms, Refusal
from tui.engine.rows import AlgoRow, LocalOrderState, PendingAction
from tui.engine.state.algo_table import record_triggers, triggers_of
from tui.engine.state.closing_orders import only_closes, protects
from tui.engine.state.engine_state import EngineState
from tui.interface import decimals
from tui.interface.families.algo import STOP_LOSS, TAKE_PROFIT, WHOLE_OR_PART, AlgoRecord, Condition, TriggerName
from tui.interface.families.orders import OrderType, PositionSide
from tui.interface.symbols import try_parse

AlgoIdentity = tuple[object, ...]
_SECOND = ((STOP_LOSS, "SECOND_STOP", "stop"), (TAKE_PROFIT, "SECOND_TARGET", "target"))
"""What a leg has once: trigger, question, and its name."""


class AlgoGate:
    """Checks algo intents against the current state."""

    def __init__(self, state: EngineState, gate: Gate) -> None:
        self._state = state
        self._gate = gate
        self._limits = state.settings.limits
        self._recent: deque[tuple[float, AlgoIdentity]] = deque(maxlen=64)

    def check(self, intent: AlgoIntent) -> Refusal | None:
        """Check a command; None: it may be sent."""
        refusal = self._gate.check_algo(intent, opens=self._opens(intent))
        if refusal is not None:
            return refusal
        if isinstance(intent, PlaceAlgo):
            return self._check_place(intent)
        row = self._state.algos.rows.get(intent.key)
        if row is None:
            return Refusal("ORDER", "the algo order has ended or is not known; choose one of the list")
        refusal = self._check_in_flight(intent, row)
        if refusal is not None or isinstance(intent, CancelAlgo):
            return refusal
        return self._check_replace(intent, row)

    def check_cancel_all(self, intent: CancelAllAlgos) -> Refusal | None:
        """Check a cancel of several; None: it may be sent."""
        return self._gate.check_cancel_all_algos(intent)

    def recheck(self, intent: AlgoIntent, epoch: int) -> Refusal | None:
        """Check again after the journal write."""
        refusal = self._gate.recheck_algo(intent, epoch, opens=self._opens(intent))
        if refusal is None and not isinstance(intent, PlaceAlgo) and intent.key not in self._state.algos.rows:
            refusal = Refusal("ORDER", "the algo order ended meanwhile")
        if refusal is None and isinstance(intent, PlaceAlgo):
            refusal = self._gate.check_algo_leg(_as_order(intent)) or self._check_held(intent)
        return refusal

    def record(self, intent: AlgoIntent) -> None:
        """Count a command that passed, for the runaway and duplicate checks."""
        if not isinstance(intent, CancelAlgo):
            self._gate.record_command()
        if isinstance(intent, PlaceAlgo):
            self._recent.append((self._state.clock.mono(), _identity(intent)))

    def _opens(self, intent: AlgoIntent) -> bool:
        """Whether what it asks for may open a position or make one larger than before."""
        if isinstance(intent, PlaceAlgo):
            return not intent.closes and not only_closes(
                intent.side.value, intent.position_side.value, intent.reduce_only
            )
        row = self._state.algos.rows.get(intent.key)
        if isinstance(intent, CancelAlgo) or row is None:
            return False
        record = row.record
        closes = record.condition_type in WHOLE_OR_PART or only_closes(
            record.side, record.position_side, record.reduce_only == "true"
        )
        before, after = decimals.optional(record.order_qty), decimals.optional(intent.qty)
        cuts = not triggers_of(intent) and before is not None and after is not None and after < before
        return not closes and not cuts

    # -- a new one ----------------------------------------------------------------------------------------------

    def _check_place(self, intent: PlaceAlgo) -> Refusal | None:
        info = self._state.symbols.get(intent.sym)
        refusal = (
            algo_checks.check_shape(intent)
            or pre_trade_checks.check_listed(intent.sym, self._limits)
            or pre_trade_checks.check_symbol(intent.sym, info)
        )
        if refusal is not None or info is None:
            return refusal
        return combine_refusals(self._place_checks(intent, PairTerms.of(info)), intent.confirmed)

    def _place_checks(self, intent: PlaceAlgo, terms: PairTerms) -> Iterator[Refusal | None]:
        wanted = triggers_of(intent)
        if intent.qty:
            at_market = all(not decimals.optional(one.price) for one in wanted.values())
            kind = OrderType.MARKET if at_market else OrderType.LIMIT
            found = algo_checks.parse_size(intent.qty, terms, kind)
            if isinstance(found, Refusal):
                yield found
                return
        prices = self.prices(intent.sym)
        limits = self._limits.of(intent.sym)
        yield from algo_checks.trigger_checks(wanted, intent.side.value, terms, prices, limits)
        yield self._check_held(intent)
        yield from self._gate.algo_checks(_as_order(intent), opens=self._opens(intent))
        yield self._check_duplicate(intent)
        yield from self._second_ones(intent, triggers_of(intent).keys())

    def prices(self, sym: str) -> TriggerPrices:
        """What triggers of a pair are compared with now; outside perpetuals always the last price."""
        touch = pre_trade_checks.touch_of(self._state.quotes.rows.get(sym))
        ticker = self._state.tickers.rows.get(sym)
        last = decimals.optional(ticker.last) if ticker is not None else None
        if last is None and touch.bid is not None and touch.ask is not None:
            last = (touch.bid + touch.ask) / 2
        pair = try_parse(sym)
        return TriggerPrices(touch.mark if pair is not None and pair.is_perp else last, last)

    def _check_held(self, intent: PlaceAlgo) -> Refusal | None:
        fact = self._state.facts.positions.rows.get(f"{intent.sym}/{intent.position_side}")
        held = decimals.optional(fact.record.position_qty) if fact is not None else None
        return algo_checks.check_held(intent, held)

    def _second_ones(
        self, intent: PlaceAlgo, added: Set[TriggerName], changed: AlgoRow | None = None
    ) -> Iterator[Refusal]:
        """Ask once for a stop and once for a target that would, with those beside it, close more than the leg.

        Args:
            intent: The order, as it is after a change.
            added: Its triggers that are new.
            changed: The order before a change.
        """
        fact = self._state.facts.positions.rows.get(f"{intent.sym}/{intent.position_side}")
        held = abs(decimals.optional(fact.record.position_qty) or decimals.ZERO) if fact is not None else decimals.ZERO
        if not intent.closes or fact is None or not held:
            return
        # A part that the service has not shown yet is asked about as a duplicate.
        rows = [
            row.record
            for row in self._state.algos.rows.values()
            if row is not changed
            and (row.seen or row.record.condition_type == Condition.ENTIRE_CLOSE_POSITION)
            and protects(row.record, fact.record)
        ]
        own = held if intent.condition == Condition.ENTIRE_CLOSE_POSITION else decimals.optional(intent.qty)
        for name, guard, word in _SECOND:
            beside = [record for record in rows if name in record_triggers(record)]
            covered = sum((_covered(record, held) for record in beside), own or decimals.ZERO)
            # One attached to an order without a fill closes nothing yet.
            first = next((record for record in beside if _covered(record, held)), None)
            if name in added and first is not None and covered > held:
                at = record_triggers(first)[name].trigger
                text = f"the position has a {word} at {at} already; this adds a second one beside it"
                yield Refusal(guard, text, ask=True)

    def _check_duplicate(self, intent: PlaceAlgo) -> Refusal | None:
        same, now = _identity(intent), self._state.clock.mono()
        for change in self._state.algos.changes.values():
            row = self._state.algos.rows.get(change.key)
            if row is None or not isinstance(change.intent, PlaceAlgo) or _identity(change.intent) != same:
                continue
            if row.state != LocalOrderState.UNKNOWN:
                return Refusal(
                    "DUPLICATE", "the same algo order is on its way; the service has not shown it yet", ask=True
                )
            text = f"the same algo order is UNKNOWN for {now - change.since:.0f} s"
            early = dismissal_block_reason(row, self._limits, now)
            if early:
                return Refusal("UNKNOWN_PENDING", f"{text}; a new attempt is {early}")
            return Refusal("UNKNOWN_PENDING", f"{text} and may still arrive: both would trigger", ask=True)
        if any(at > now - self._limits.duplicate and other == same for at, other in self._recent):
            text = f"the same algo order left less than {self._limits.duplicate:g} s ago"
            return Refusal("DUPLICATE", text, ask=True)
        return None

    # -- a change -----------------------------------------------------------------------------------------------

    def _check_in_flight(self, intent: ReplaceAlgo | CancelAlgo, row: AlgoRow) -> Refusal | None:
        if not row.seen:
            return self._check_unseen(intent, row)
        change = self._state.algos.changes.get(row.key)
        if change is None:
            return None
        pending = isinstance(change.intent, CancelAlgo)
        if isinstance(intent, CancelAlgo) and not pending and change.state is not LocalOrderState.SENDING:
            return None
        word = "cancel" if pending else "change"
        return Refusal("IN_FLIGHT", f"a {word} of this algo order is not settled; it is being read back")

    def _check_unseen(self, intent: ReplaceAlgo | CancelAlgo, row: AlgoRow) -> Refusal | None:
        """An order that the service has not shown yet: a cancel names it by its client order id."""
        text = self._state.algos.text_of(row.record)
        if not isinstance(intent, CancelAlgo):
            return Refusal("ORDER", f"{text} is {row.state}; it is being asked about")
        if row.state == LocalOrderState.SENDING:
            return Refusal("IN_FLIGHT", "the algo order has no answer yet; try again in a moment")
        if row.overlay is PendingAction.CANCEL:
            return Refusal("IN_FLIGHT", "a cancel of this algo order is already on its way")
        return None

    def _check_replace(self, intent: ReplaceAlgo, row: AlgoRow) -> Refusal | None:
        info = self._state.symbols.get(row.record.sym)
        refusal = algo_checks.check_replace(intent, row) or pre_trade_checks.check_symbol(row.record.sym, info)
        if refusal is not None or info is None:
            return refusal
        return combine_refusals(self._replace_checks(intent, row, PairTerms.of(info)), intent.confirmed)

    def _replace_checks(self, intent: ReplaceAlgo, row: AlgoRow, terms: PairTerms) -> Iterator[Refusal | None]:
        record = row.record
        if intent.qty:
            found = algo_checks.parse_size(intent.qty, terms, OrderType.LIMIT)
            if isinstance(found, Refusal):
                yield found
                return
        prices, limits = self.prices(record.sym), self._limits.of(record.sym)
        yield from algo_checks.trigger_checks(triggers_of(intent), record.side, terms, prices, limits)
        as_place = algo_checks.as_place(intent, record)
        if as_place is None:
            yield Refusal(
                "ORDER", f"side {record.side[:20]!r} of the algo order is not known here; it can be cancelled"
            )
            return
        order = _as_order(as_place)
        yield from self._gate.algo_checks(order, opens=self._opens(intent))
        yield from self._second_ones(as_place, triggers_of(intent).keys() - record_triggers(record).keys(), row)


def _covered(record: AlgoRecord, held: Decimal) -> Decimal:
    """How much of a leg a closing algo order is about: all of it, or its own quantity."""
    if record.condition_type == Condition.ENTIRE_CLOSE_POSITION:
        return held
    return (decimals.optional(record.order_qty) or decimals.ZERO) - (
        decimals.optional(record.executed_qty) or decimals.ZERO
    )


def _as_order(intent: PlaceAlgo) -> Place:
    """The order that it may send, at the highest price it names."""
    texts = [text for one in triggers_of(intent).values() for text in (one.trigger, one.price)]
    price = max((price for text in texts if (price := decimals.optional(text)) is not None), default=decimals.ZERO)
    return Place(
        decision=intent.decision,
        sym=intent.sym,
        side=intent.side,
        order_type=OrderType.LIMIT,
        qty=intent.qty,
        price=decimals.plain(price),
        position_side=intent.position_side,
        reduce_only=intent.closes and intent.position_side is PositionSide.NONE,
    )


def _identity(intent: PlaceAlgo) -> AlgoIdentity:
    """Identity for duplicate detection; figures by value."""
    figures = tuple(
        (name.price, decimals.optional(one.trigger), one.source, decimals.optional(one.price) or decimals.ZERO)
        for name, one in triggers_of(intent).items()
    )
    size = decimals.optional(intent.qty)
    return (intent.sym, intent.side, intent.position_side, intent.condition, intent.reduce_only, size, figures)
