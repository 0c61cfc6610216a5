"""Protocols of what is passed into the rooms: clocks, random source, ids, connections, journal, lock.

The real implementations are in `host`, simulated ones in the tests; `cli` passes them in.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Protocol

from tui.crossdesk_error import CrossdeskError

if TYPE_CHECKING:
    import aiohttp
    from websockets.asyncio.client import ClientConnection


class Clock(Protocol):
    """Three clocks in seconds: monotonic, monotonic including sleep, and Unix time; passed in, never global."""

    def mono(self) -> float:
        """Return seconds that never go back; the only source of durations."""
        ...

    def boot(self) -> float:
        """Return seconds like `mono`, including the time the machine slept."""
        ...

    def wall(self) -> float:
        """Return Unix time in seconds; for display and signatures only."""
        ...


class RandomSource(Protocol):
    """Random numbers reproducible by a seed; `stream` splits off an independent source, unaffected by other draws."""

    def random(self) -> float: ...

    def uniform(self, a: float, b: float) -> float: ...

    def randrange(self, stop: int) -> int: ...

    def stream(self, name: str) -> RandomSource: ...


class IdGenerator(Protocol):
    """Generator of unique ids, also over restarts and clock jumps."""

    def client_order_id(self) -> str:
        """Return a new id for one order: `[a-z0-9]`, 22 characters."""
        ...

    def request_id(self) -> str:
        """Return a new id for one frame on one connection."""
        ...

    def is_ours(self, client_order_id: str) -> bool:
        """Return whether this installation created the id."""
        ...

    @property
    def ours(self) -> str:
        """Common prefix of this installation's client order ids."""
        ...


class Connector(Protocol):
    """Opener of connections: TCP and TLS in production, memory in the simulation."""

    def http_pool(self) -> aiohttp.BaseConnector:
        """Create a connection pool for one HTTP session (REST and the public stream)."""
        ...

    def private_stream(self, url: str) -> AbstractAsyncContextManager[ClientConnection]:
        """Open a WebSocket to the private stream, without compression, proxies or redirects."""
        ...


class JournalEntry(Protocol):
    """Entry of the journal, as read back."""

    @property
    def seq(self) -> int: ...
    @property
    def wall_ms(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def intent_id(self) -> str: ...
    @property
    def client_order_id(self) -> str: ...
    @property
    def order_id(self) -> str: ...
    @property
    def payload(self) -> str: ...


class Journal(Protocol):
    """Durable record of intents, requests and replies."""

    async def record(
        self,
        kind: str,
        payload: str,
        *,
        intent_id: str = "",
        client_order_id: str = "",
        order_id: str = "",
        epoch: int = 0,
    ) -> int:
        """Write one entry and return its number once it is durable.

        Raises:
            JournalUnwritable: The entry is not on disk and must not be acted on.
        """
        ...

    def enqueue(
        self,
        kind: str,
        payload: str,
        *,
        intent_id: str = "",
        client_order_id: str = "",
        order_id: str = "",
        epoch: int = 0,
        wall_ms: int | None = None,
    ) -> None:
        """Queue an entry that nobody waits for (replies, pushes); never blocks, never raises.

        `wall_ms` is the time of what it tells; None: now.
        """
        ...

    async def entries(self) -> Sequence[JournalEntry]:
        """Return all entries, oldest first."""
        ...

    async def notes(self, after: int, since_ms: int, most: int) -> Sequence[JournalEntry]:
        """Return the journal's event lines after an entry number and a time, oldest first.

        Args:
            after: Number of the entry before the first one.
            since_ms: Wall time of the first one, ms.
            most: Most of them.

        Raises:
            JournalUnwritable: They cannot be read.
        """
        ...

    @property
    def error(self) -> str:
        """Why the journal cannot be written now, or an empty text."""
        ...

    async def close(self) -> None: ...


class JournalUnwritable(CrossdeskError):
    """Error for a journal entry that cannot be written or read; an action that depends on it must not happen."""

    title = "Journal not writable"


class Lock(Protocol):
    """Lock held by the single trading instance of a profile and portfolio."""

    def acquire(self) -> bool:
        """Take the lock if it is free; returns whether it is held by this process."""
        ...

    def release(self) -> None: ...
