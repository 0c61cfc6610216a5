"""Interface of the screen to the engine, small enough to test the workstation with a scripted engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from concurrent.futures import Future

    from tui.engine.conflating_queue import ConflatingQueue
    from tui.engine.intents import Intent, Outcome
    from tui.engine.modes import RiskMode, TradingState
    from tui.engine.service_query import ServiceRequest
    from tui.interface.streams import Detail


class EnginePort(Protocol):
    """Commands of the screen; safe from any thread, only `join` blocks."""

    @property
    def updates(self) -> ConflatingQueue: ...

    def submit(self, intent: Intent) -> Future[Outcome]:
        """Send an intent through the gate; the future holds the first answer, later changes arrive as order rows."""
        ...

    def set_trading_state(self, state: TradingState) -> None:
        """Arm or disarm; the new state is published in the status row."""
        ...

    def set_risk_mode(self, mode: RiskMode) -> None:
        """Enter a stricter risk mode, or return to NORMAL unless a limit is still breached; published in the status
        row."""
        ...

    def watch(self, syms: tuple[str, ...]) -> None:
        """Set the symbols to stream quotes of, in order of priority: a service may limit their number."""
        ...

    def look_at(self, detail: Detail | None) -> None:
        """Follow order book, trades and bars of one pair, in the tables DEPTH, PRINTS and BARS; None: of no pair."""
        ...

    def read(self, request: ServiceRequest) -> None:
        """Start, continue or stop reading a list or record of the service; published in the table ANSWERS."""
        ...

    def dismiss(self, key: str) -> None:
        """Dismiss an UNKNOWN order or command; the journal records it."""
        ...

    def acknowledge_rules(self, changes: Mapping[str, str]) -> None:
        """Accept the new rules of pairs, by the change shown with the question; the journal records it."""
        ...

    def close(self) -> None:
        """Stop: no new intents, journal flushed, connections closed; returns at once, `join` waits."""
        ...

    def join(self, timeout: float) -> bool:
        """Wait for the end; returns whether it ended in time."""
        ...
