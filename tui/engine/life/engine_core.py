"""Engine as its thread runs it: one of this process, or the link to an engine of another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tui.engine.conflating_queue import TableSink
    from tui.engine.intents import Intent, Outcome
    from tui.engine.limits import Limits
    from tui.engine.modes import RiskMode, TradingState
    from tui.engine.orders.trading_control import TradingControl
    from tui.engine.peers.mandates import Mandates
    from tui.engine.peers.proposals import Proposals
    from tui.engine.service_query import ServiceRequest
    from tui.interface.streams import Detail
    from tui.protocols import JournalEntry


class EngineCore(Protocol):
    """Engine as called on its own event loop; methods named as in `EnginePort` do the same."""

    async def run(self) -> None:
        """Run until `stop`."""
        ...

    def stop(self) -> None:
        """Request that `run` ends soon."""
        ...

    def when_written(self, callback: Callable[[], None]) -> None:
        """Register a callback for whenever the bytes of an action were passed to the transport."""
        ...

    @property
    def control(self) -> TradingControl | None:
        """Switch of all senders' trading states and of the risk mode; None where another process keeps them."""
        ...

    @property
    def proposals(self) -> Proposals | None:
        """Proposals of programs; None where they are kept in another process."""
        ...

    @property
    def mandates(self) -> Mandates | None:
        """Mandates of programs; None where they are kept in another process."""
        ...

    async def submit(self, intent: Intent) -> Outcome: ...

    async def read_notes(self, after: int, since_ms: int, most: int) -> Sequence[JournalEntry]:
        """Return event lines from the journal, oldest first; arguments as of `Journal.notes`.

        Raises:
            JournalUnwritable: They cannot be read.
        """
        ...

    def recall(self, sender: str, command: str) -> Outcome | None:
        """Return the outcome of a command sent earlier in this or an earlier run; None if it was never sent.

        Raises:
            NotRecovered: What earlier runs did is not known yet.
        """
        ...

    async def foresee(self, intents: Sequence[Intent]) -> tuple[Outcome, ...]: ...

    def set_trading_state(self, state: TradingState) -> None: ...

    def enter_hot(self, seconds: float) -> None: ...

    def end_hot(self, why: str) -> None: ...

    def set_risk_mode(self, mode: RiskMode) -> None: ...

    def set_limits(self, limits: Limits, what: str) -> None: ...

    def watch(self, syms: tuple[str, ...]) -> None: ...

    def attend(self, syms: frozenset[str]) -> None: ...

    def look_at(self, detail: Detail | None, books: tuple[str, ...] = ()) -> None: ...

    def look_for(self, peer: str, sink: TableSink, detail: Detail | None, books: tuple[str, ...] = ()) -> None:
        """Subscribe to a pair's book, trades and bars for a peer; only the peer's own reader gets the rows."""
        ...

    def read(self, request: ServiceRequest) -> None: ...

    def decline(self, key: str) -> None: ...

    def grant(self, key: str) -> None: ...

    def revoke(self, key: str = "") -> None: ...

    def dismiss(self, key: str) -> None: ...

    def acknowledge_rules(self, changes: Mapping[str, str]) -> None: ...
