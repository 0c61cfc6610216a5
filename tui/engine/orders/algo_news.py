"""News of algo orders: what became of them, told behind the orders and fills that they caused.

Orders and fills come over one connection, algo orders over another: without a wait the order of the lines, the result
and the severity would be those of the faster one.
"""

from __future__ import annotations

import msgspec

from tui.engine.event_line import Level
from tui.engine.state.algo_table import describe_reached, tell_fired
from tui.engine.state.closing_orders import faces_position
from tui.engine.state.engine_state import EngineState
from tui.interface import decimals
from tui.interface.families.algo import AlgoRecord, AlgoState

WAIT_S = 2.0
"""Longest wait for what an end is told with, s: its order, its fills, the positions."""
RESULT_S = 60.0
"""Longest wait for fills that were missing when it was told, s."""
REPORTED: dict[str, tuple[Level, str]] = {
    AlgoState.PROCESSING: (Level.WARN, "TRIGGERED, its order works"),
    AlgoState.COMPLETED: (Level.INFO, "FIRED"),
    AlgoState.CANCELLED: (Level.INFO, "CANCELLED"),
    AlgoState.REJECTED: (Level.ALERT, "REJECTED"),
    AlgoState.FAILED: (Level.ALERT, "FAILED, its order was not carried out"),
    AlgoState.EXPIRED: (Level.WARN, "EXPIRED"),
}
"""States that are reported to the trader."""


class _Held(msgspec.Struct, frozen=True):
    """State of an algo order that waits to be reported to the trader, at the latest at `until`."""

    record: AlgoRecord
    key: str
    until: float
    """Monotonic time at which it is told with what is known, s."""


class AlgoNews:
    """Reporter of algo orders that triggered or ended; it waits a little for their orders and fills."""

    def __init__(self, state: EngineState) -> None:
        self._state = state
        self._held: list[_Held] = []
        """States to be told, in their order."""
        self._owed: list[_Held] = []
        """Those that were told without their result."""

    def report(self, record: AlgoRecord, key: str) -> None:
        """Report a new state of an algo order (a key of `REPORTED`) when its order and fills are known, or after `WAIT_S`.

        Args:
            record: The algo order.
            key: Its row key.
        """
        # That it was triggered is in every later state.
        self._held = [held for held in self._held if held.key != key]
        self._held.append(_Held(record, key, self._state.clock.mono() + WAIT_S))
        self.tell()

    def tell(self) -> None:
        """Report the waiting states whose order and fills are known by now, or that have waited long enough."""
        now, waiting = self._state.clock.mono(), list[_Held]()
        for held in self._held:
            if self._is_told_by_order(held.record):
                continue
            if now < held.until and self._must_wait(held.record, waiting):
                waiting.append(held)
                continue
            self._tell(held.record, held.key)
            if held.record.order_state == AlgoState.COMPLETED and self._lacks_fills(held.record):
                self._owed.append(msgspec.structs.replace(held, until=now + RESULT_S))
        self._held = waiting
        for held in list(self._owed):
            is_known = not self._lacks_fills(held.record)
            if is_known:
                text = self._describe_result(held.record).removeprefix(", ")
                self._notify(Level.INFO, text, held.record, held.key)
            if is_known or now >= held.until:
                self._owed.remove(held)

    def _is_told_by_order(self, record: AlgoRecord) -> bool:
        """Return whether the order of a triggered algo order is known; its own event line then reports the trigger."""
        is_triggered = record.order_state == AlgoState.PROCESSING
        return is_triggered and any(row.algo_id == record.algo_order_id for row in self._state.orders.rows.values())

    def _must_wait(self, record: AlgoRecord, before: list[_Held]) -> bool:
        """Return whether a report still lacks its order, fills or position change, or follows another waiting report.

        Args:
            record: The algo order.
            before: What waits before it.
        """
        match record.order_state:
            case AlgoState.PROCESSING:
                return True
            case AlgoState.COMPLETED:
                return self._lacks_fills(record) or self._order_works(record)
            case AlgoState.EXPIRED:
                fires = any(held.record.sym == record.sym for held in before)
                return fires or faces_position(record, self._state.facts.positions.rows)
        return False

    def _lacks_fills(self, record: AlgoRecord) -> bool:
        """Return whether the known fills are less than the algo order's executed quantity."""
        executed, fills = decimals.positive(record.executed_qty), self._state.fills.of_algos.get(record.algo_order_id)
        return executed is not None and (fills is None or fills.quantity < executed)

    def _order_works(self, record: AlgoRecord) -> bool:
        rows = self._state.orders.rows.values()
        return any(row.algo_id == record.algo_order_id and not row.final for row in rows)

    def _tell(self, record: AlgoRecord, key: str) -> None:
        level, word = REPORTED[record.order_state]
        # It ended with its position: how that ended is what is read first.
        is_expired = record.order_state == AlgoState.EXPIRED
        follows = is_expired and not faces_position(record, self._state.facts.positions.rows)
        if follows:
            level, key = Level.INFO, ""
        self._notify(level, f"{word}{self._describe_end(record)}", record, key, follows=follows)

    def _notify(self, level: Level, what: str, record: AlgoRecord, key: str, *, follows: bool = False) -> None:
        """Notify what became of an algo order, which is named after that, as its text can be wider than a small screen."""
        parts = (what, self._state.algos.text_of(record), record.reason)
        self._state.notify(level, ": ".join(part for part in parts if part), key, away=False, passes=follows)

    def _describe_end(self, record: AlgoRecord) -> str:
        """Describe how a completed algo order fired: average price, price reached, result; empty for other states."""
        if record.order_state != AlgoState.COMPLETED:
            return ""
        price, tick = decimals.positive(record.executed_avg_price), self._state.tick_of(record.sym)
        fired, trigger = tell_fired(record)
        reached = "" if trigger is None else f" ({describe_reached(trigger, tick)})"
        if price is None:
            return f"{fired}{reached}"
        shown = price if tick is None else decimals.round_to_tenth(price, tick)
        earned = ", its fills are not known yet" if self._lacks_fills(record) else self._describe_result(record)
        return f"{fired} at {decimals.format_grouped(shown.normalize(), tick)}{reached}{earned}"

    def _describe_result(self, record: AlgoRecord) -> str:
        """Describe the realised result of an algo order's known fills; empty if there are none."""
        fills = self._state.fills.of_algos.get(record.algo_order_id)
        return "" if fills is None else f", {fills.text}"
