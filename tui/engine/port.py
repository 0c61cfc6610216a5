"""How the screen talks to the engine: one small protocol, so that the workstation can be tested on a scripted engine."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Protocol

from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.intents import Intent, Outcome, RiskMode, TradingState


class EnginePort(Protocol):
    """All the screen may ask. Safe from any thread; nothing here blocks."""

    @property
    def handover(self) -> ConflatingQueue: ...

    def submit(self, intent: Intent) -> Future[Outcome]:
        """Send an intent through the gate. The future ends with the first answer; the life of the order comes by rows."""
        ...

    def set_trading_state(self, state: TradingState) -> None:
        """Arm or disarm; the new state comes back in the desk row."""
        ...

    def set_risk_mode(self, mode: RiskMode) -> None:
        """A stricter risk mode at once; NORMAL where no limit stands against it. Comes back in the desk row."""
        ...

    def watch(self, syms: tuple[str, ...]) -> None:
        """Which symbols' quotes are wanted."""
        ...

    def dismiss(self, key: str) -> None:
        """The trader ends an UNKNOWN row; journaled."""
        ...

    def close(self) -> None:
        """Stop: no new intents, journal flushed, connections closed. Returns at once; `join` waits."""
        ...

    def join(self, timeout: float) -> bool:
        """Wait for the end; True when it ended in time."""
        ...
