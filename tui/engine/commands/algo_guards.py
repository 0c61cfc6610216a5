"""Pre-trade checks of algo order commands against open orders, positions and quotes."""

from __future__ import annotations

from collections.abc import Iterator, Set
from decimal import Decimal

from tui.engine.intents import AlgoIntent, CancelAlgo, Place, PlaceAlgo, ReplaceAlgo
from tui.engine.limits import Limits
from tui.engine.orders import algo_checks, pre_trade_checks
from tui.engine.orders.algo_checks import TriggerPrices
from tui.engine.orders.dismissal import dismissal_block_reason
from tui.engine.orders.gate import Gate
from tui.engine.orders.pre_trade_checks import PairTerms, Refusal
from tui.engine.rows import AlgoRow, CommandState, LocalOrderState, PendingAction
from tui.engine.state.algo_table import record_triggers, triggers_of
from tui.engine.state.closing_orders import order_only_closes, protects, sort_triggers
from tui.engine.state.engine_state import EngineState
from tui.interface import decimals
from tui.interface.families.algo import STOP_LOSS, TAKE_PROFIT, WHOLE_OR_PART, AlgoRecord, Condition, TriggerName
from tui.interface.families.orders import OrderType, PositionSide
from tui.interface.symbols import try_parse

_SECOND = ((STOP_LOSS, "SECOND_STOP", "stop"), (TAKE_PROFIT, "SECOND_TARGET", "target"))
"""Triggers a leg has once: trigger, guard, and display name."""


class AlgoGuards:
    """Guards that check algo order intents against the current state."""

    def __init__(self, state: EngineState, gate: Gate) -> None:
        self._state = state
        self._gate = gate

    @property
    def _limits(self) -> Limits:
        return self._state.settings.limits

    def opens(self, intent: AlgoIntent) -> bool:
        """Return whether an intent may open or enlarge a position."""
        if isinstance(intent, PlaceAlgo):
            return not intent.closes and not order_only_closes(
                intent.sym, intent.side.value, intent.position_side.value, reduce_only=intent.reduce_only
            )
        row = self._state.algos.rows.get(intent.key)
        if isinstance(intent, CancelAlgo) or row is None:
            return False
        record = row.record
        closes = record.condition_type in WHOLE_OR_PART or order_only_closes(
            record.sym, record.side, record.position_side, reduce_only=record.reduce_only == "true"
        )
        before, after = decimals.optional(record.order_qty), decimals.optional(intent.qty)
        cuts = not triggers_of(intent) and before is not None and after is not None and after < before
        return not closes and not cuts

    # New orders

    def place_checks(self, intent: PlaceAlgo) -> Iterator[Refusal | None]:
        """Check a new algo order: its numbers, the position, and the limits of the order its trigger may send."""
        info = self._state.symbols.get(intent.sym)
        yield algo_checks.check_shape(intent)
        yield pre_trade_checks.check_listed(intent.sym, self._limits)
        yield pre_trade_checks.check_symbol(intent.sym, info)
        if info is None:
            return
        terms = PairTerms.of(info)
        wanted = triggers_of(intent)
        if intent.qty:
            at_market = all(not decimals.optional(trigger.price) for trigger in wanted.values())
            kind = OrderType.MARKET if at_market else OrderType.LIMIT
            size = algo_checks.parse_size(intent.qty, terms, kind)
            if isinstance(size, Refusal):
                yield size
                return
        prices = self.prices(intent.sym)
        limits = self._limits.of(intent.sym)
        yield from algo_checks.trigger_checks(wanted, intent.side.value, terms, prices, limits, rises=intent.rises)
        yield self._check_held(intent)
        yield from self._gate.algo_checks(_build_order(intent), opens=self.opens(intent))

    def recheck_place(self, intent: PlaceAlgo) -> Refusal | None:
        """Check again, after the journal write: position side, position to close, side of a conditional trigger."""
        return self._gate.check_algo_leg(_build_order(intent)) or self._check_held(intent) or self._check_way(intent)

    def _check_way(self, intent: PlaceAlgo) -> Refusal | None:
        """Check that the price has not crossed the trigger of a new conditional order since it was typed."""
        trigger = intent.conditional
        now = self.prices(intent.sym).reference(trigger.source) if trigger is not None else None
        return None if trigger is None else algo_checks.check_trigger_side(trigger, now, rises=intent.rises)

    def prices(self, sym: str) -> TriggerPrices:
        """Return the current prices to compare triggers with; outside perpetuals always the last price."""
        touch = pre_trade_checks.touch_of(self._state.quotes.current(sym))
        ticker = self._state.tickers.rows.get(sym)
        last = decimals.positive(ticker.last) if ticker is not None else None
        if last is None and touch.bid is not None and touch.ask is not None:
            last = (touch.bid + touch.ask) / 2
        pair = try_parse(sym)
        return TriggerPrices(touch.mark if pair is not None and pair.is_perp else last, last)

    def _check_held(self, intent: PlaceAlgo) -> Refusal | None:
        fact = self._state.facts.positions.rows.get(f"{intent.sym}/{intent.position_side}")
        held = decimals.optional(fact.record.position_qty) if fact is not None else None
        return algo_checks.check_held(intent, held)

    def second_trigger_checks(
        self, intent: PlaceAlgo, added: Set[TriggerName], changed: AlgoRow | None = None
    ) -> Iterator[Refusal]:
        """Ask for confirmation if a new stop or target, together with existing ones, would close more than the position.

        Args:
            intent: The order, after a change.
            added: Its new triggers.
            changed: The order before a change.
        """
        fact = self._state.facts.positions.rows.get(f"{intent.sym}/{intent.position_side}")
        held = abs(decimals.optional(fact.record.position_qty) or decimals.ZERO) if fact is not None else decimals.ZERO
        if not intent.closes or fact is None or not held:
            return
        # A part order that the service has not shown yet is asked about as a duplicate.
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
            covered = sum((_closing_size(record, held) for record in beside), own or decimals.ZERO)
            # An algo order attached to an order without a fill closes nothing yet.
            present = [record_triggers(record)[name].trigger for record in beside if _closing_size(record, held)]
            if name in added and present and covered > held:
                pairs = [(price, "") if name == STOP_LOSS else ("", price) for price in present]
                in_order = sort_triggers(fact.record, pairs)
                first = decimals.plain((in_order.stops or in_order.targets)[0])
                text = f"the position has a {word} at {first} already; this adds a second one beside it"
                if len(present) > 1:
                    text = (
                        f"the position has {len(present)} {word}s already, the first at {first}; this adds another one"
                    )
                yield Refusal(guard, text, ask=True)

    def check_unsettled(self, intent: PlaceAlgo) -> Refusal | None:
        """Refuse or question a new algo order while an identical one is unanswered or UNKNOWN."""
        same, now = place_identity(intent), self._state.clock.mono()
        for command in self._state.commands.open.values():
            row = self._state.algos.rows.get(command.key)
            if row is None or not isinstance(command.intent, PlaceAlgo) or place_identity(command.intent) != same:
                continue
            if row.state != LocalOrderState.UNKNOWN:
                return Refusal(
                    "DUPLICATE", "the same algo order is on its way; the service has not shown it yet", ask=True
                )
            text = f"the same algo order is UNKNOWN for {now - command.since:.0f} s"
            early = dismissal_block_reason(row, self._limits, now)
            if early:
                return Refusal("UNKNOWN_PENDING", f"{text}; a new attempt is {early}; or write another trigger or size")
            return Refusal("UNKNOWN_PENDING", f"{text} and may still arrive: both would trigger", ask=True)
        return None

    # Changes

    def check_row(self, intent: ReplaceAlgo | CancelAlgo) -> Refusal | None:
        """Check that the algo order is known and that no other command for it is open."""
        row = self._state.algos.rows.get(intent.key)
        if row is None:
            return Refusal("ORDER", "the algo order has ended or is not known; choose one of the list")
        if not row.seen:
            return self._check_unseen(intent, row)
        command = self._state.commands.open.get(row.key)
        if command is None:
            return None
        pending = isinstance(command.intent, CancelAlgo)
        if isinstance(intent, CancelAlgo) and not pending and command.state is not CommandState.SENDING:
            return None
        word = "cancel" if pending else "change"
        return Refusal("IN_FLIGHT", f"a {word} of this algo order is not settled; it is being read back")

    def _check_unseen(self, intent: ReplaceAlgo | CancelAlgo, row: AlgoRow) -> Refusal | None:
        """Check a command for an algo order that the service has not reported yet; only a cancel is possible."""
        text = self._state.algos.text_of(row.record)
        if not isinstance(intent, CancelAlgo):
            return Refusal("ORDER", f"{text} is {row.state}; it is being asked about")
        if row.state == LocalOrderState.SENDING:
            wait = f"and is UNKNOWN after {self._state.settings.timings.reply_timeout:g} s: cancel it then"
            return Refusal("IN_FLIGHT", f"the algo order has no answer yet {wait}")
        if row.overlay is PendingAction.CANCEL:
            return Refusal("IN_FLIGHT", "a cancel of this algo order is already on its way")
        return None

    def replace_checks(self, intent: ReplaceAlgo) -> Iterator[Refusal | None]:
        """Check a change of an algo order: its numbers, and the limits of the order its trigger may send."""
        row = self._state.algos.rows[intent.key]
        info = self._state.symbols.get(row.record.sym)
        yield algo_checks.check_replace(intent, row)
        yield pre_trade_checks.check_symbol(row.record.sym, info)
        if info is None:
            return
        terms = PairTerms.of(info)
        record = row.record
        if intent.qty:
            size = algo_checks.parse_size(intent.qty, terms, OrderType.LIMIT)
            if isinstance(size, Refusal):
                yield size
                return
        prices, limits = self.prices(record.sym), self._limits.of(record.sym)
        yield from algo_checks.trigger_checks(
            triggers_of(intent), record.side, terms, prices, limits, rises=intent.rises
        )
        changed = algo_checks.build_changed_order(intent, record)
        if changed is None:
            yield Refusal(
                "ORDER",
                f"side {record.side[:20]!r} of the algo order is unknown to this program; it can only be cancelled",
            )
            return
        order = _build_order(changed)
        yield from self._gate.algo_checks(order, opens=self.opens(intent))
        yield from self.second_trigger_checks(changed, triggers_of(intent).keys() - record_triggers(record).keys(), row)


def _closing_size(record: AlgoRecord, held: Decimal) -> Decimal:
    """Return the size that a closing algo order would close: the whole position, or the order's unfilled quantity."""
    if record.condition_type == Condition.ENTIRE_CLOSE_POSITION:
        return held
    return (decimals.optional(record.order_qty) or decimals.ZERO) - (
        decimals.optional(record.executed_qty) or decimals.ZERO
    )


def _build_order(intent: PlaceAlgo) -> Place:
    """Build the order of a triggered algo order, as a limit order at the highest of its trigger and limit prices."""
    texts = [text for trigger in triggers_of(intent).values() for text in (trigger.trigger, trigger.price)]
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


def place_identity(intent: PlaceAlgo) -> tuple[object, ...]:
    """Return the values by which two new algo orders count as duplicates; numbers are compared by value."""
    figures = tuple(
        (
            name.price,
            decimals.optional(trigger.trigger),
            trigger.source,
            decimals.optional(trigger.price) or decimals.ZERO,
        )
        for name, trigger in triggers_of(intent).items()
    )
    size = decimals.optional(intent.qty)
    return (intent.sym, intent.side, intent.position_side, intent.condition, intent.reduce_only, size, figures)
