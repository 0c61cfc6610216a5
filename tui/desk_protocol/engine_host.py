"""Thread that runs the engine, as the server of its peers sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tui.engine.conflating_queue import TableSink
    from tui.engine.life.engine_core import EngineCore
    from tui.engine.life.table_hub import TableHub
    from tui.interface.streams import Detail


class EngineHost(Protocol):
    """Thread that runs the engine; the methods must be called on its event loop."""

    @property
    def hub(self) -> TableHub: ...

    @property
    def core(self) -> EngineCore | None:
        """Engine that runs now; None while it is being restarted."""
        ...

    def attach_peer(self, name: str, role: str) -> None:
        """Register a peer with a trading state of its own; an engine restarted later knows the peer, too."""
        ...

    def detach_peer(self, name: str) -> None:
        """Forget a peer and the pairs it watches."""
        ...

    def watch_for(self, peer: str, syms: tuple[str, ...]) -> None:
        """Set the pairs whose quotes a peer needs."""
        ...

    def attend_for(self, peer: str, syms: frozenset[str]) -> None:
        """Set the pairs that a person looks at through a peer."""
        ...

    def look_for(self, peer: str, sink: TableSink, detail: Detail | None, books: tuple[str, ...]) -> None:
        """Set the pair whose order book, trades and bars a peer wants; these rows go to that peer's `sink` only."""
        ...

    def when_written(self, callback: Callable[[], None]) -> None:
        """Register a function that is called whenever a command was passed to the service."""
        ...
