"""The screen's interface to the engine: a small protocol, so that the workstation can be tested with a scripted engine."""

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
    """All commands of the screen. Safe from any thread; only `join` blocks."""

    @property
    def updates(self) -> ConflatingQueue: ...

    def submit(self, intent: Intent) -> Future[Outcome]:
        """Send an intent through the gate. The future ends with the first answer; later changes arrive as order rows."""
        ...

    def set_trading_state(self, state: TradingState) -> None:
        """Arm or disarm; the new state is published in the status row."""
        ...

    def set_risk_mode(self, mode: RiskMode) -> None:
        """Enter a stricter risk mode, or return to NORMAL unless a limit is still breached. Published in the status row."""
        ...

    def watch(self, syms: tuple[str, ...]) -> None:
        """Set the symbols whose quotes are streamed, those that are looked at first: a service may not take them all."""
        ...

    def look_at(self, detail: Detail | None) -> None:
        """Follow order book, trades and bars of one pair, in the tables DEPTH, PRINTS and BARS; None: of no pair."""
        ...

    def read(self, request: ServiceRequest) -> None:
        """Read a list or a record of the service, go on with it or stop; it is published in the table ANSWERS."""
        ...

    def dismiss(self, key: str) -> None:
        """Dismiss an UNKNOWN order or command; journaled."""
        ...

    def acknowledge_rules(self, changes: Mapping[str, str]) -> None:
        """Trade by the new rules of pairs; with each what had changed when the trader was asked. Journaled."""
        ...

    def close(self) -> None:
        """Stop: no new intents, journal flushed, connections closed. Returns at once; `join` waits."""
        ...

    def join(self, timeout: float) -> bool:
        """Wait for the end; True when it ended in time."""
        ...
