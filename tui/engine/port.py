"""Interface between screen and engine, small enough to test the workstation with a scripted engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from concurrent.futures import Future

    from tui.engine.conflating_queue import ConflatingQueue
    from tui.engine.intents import Intent, Outcome
    from tui.engine.limits import Limits
    from tui.engine.modes import RiskMode, TradingState
    from tui.engine.service_query import ServiceRequest
    from tui.interface.streams import Detail


class EnginePort(Protocol):
    """Commands of the screen to the engine, callable from any thread; only `submit`, `foresee` and `join` wait."""

    @property
    def updates(self) -> ConflatingQueue: ...

    def submit(self, intent: Intent) -> Future[Outcome]:
        """Send an intent through the gate; the future holds the first reply, later changes arrive as order rows."""
        ...

    def foresee(self, intents: Sequence[Intent]) -> Future[tuple[Outcome, ...]]:
        """Return what the gate would answer to each intent now, ACCEPTED if it would pass; nothing is sent or counted.

        Waits as `submit` does; empty when no engine is running.
        """
        ...

    def set_trading_state(self, state: TradingState) -> None:
        """Arm or disarm trading; the new state appears in the status row."""
        ...

    def enter_hot(self, seconds: float) -> None:
        """Enter HOT for a time, from ARMED only; refused with an event line where it is not possible."""
        ...

    def end_hot(self, why: str) -> None:
        """Return from HOT to ARMED; no effect in other states."""
        ...

    def set_risk_mode(self, mode: RiskMode) -> None:
        """Enter a stricter risk mode, or return to NORMAL unless a limit is breached; shown in the status row."""
        ...

    def set_limits(self, limits: Limits, what: str) -> None:
        """Replace the limits, in VIEW only and until the program ends; `what` says what changed, for the journal."""
        ...

    def watch(self, syms: tuple[str, ...]) -> None:
        """Set the symbols whose quotes are streamed, in order of priority, because a service may limit their number."""
        ...

    def attend(self, syms: frozenset[str]) -> None:
        """Set the pairs that somebody looks at; while quotes come fast, those of others come a few times a second."""
        ...

    def look_at(self, detail: Detail | None, books: tuple[str, ...] = ()) -> None:
        """Subscribe to one pair's book, trades and bars, published in DEPTH, PRINTS and BARS; None unsubscribes.

        `books` are up to `MOST_BOOKS` other pairs whose order book alone is wanted.
        """
        ...

    def read(self, request: ServiceRequest) -> None:
        """Start, continue or stop reading a list or record of the service; the rows appear in the table ANSWERS."""
        ...

    def decline(self, key: str) -> None:
        """Decline the proposal or mandate request with this number."""
        ...

    def grant(self, key: str) -> None:
        """Grant the mandate request with this number and arm its program, which may then send limit orders within it."""
        ...

    def revoke(self, key: str = "") -> None:
        """End the mandate with this number, or all if empty; their orders are cancelled unless they only reduce."""
        ...

    def dismiss(self, key: str) -> None:
        """Dismiss an UNKNOWN order or command by key, or by its cause a warning, which keeps what it names; journaled."""
        ...

    def acknowledge_rules(self, changes: Mapping[str, str]) -> None:
        """Accept changed trading rules of pairs, given the change that was shown to the trader; this is journaled."""
        ...

    def close(self) -> None:
        """Start the shutdown: no new intents, flush the journal, disconnect; returns at once, `join` waits for the end."""
        ...

    def join(self, timeout: float) -> bool:
        """Wait for the shutdown; return whether it finished in time."""
        ...
