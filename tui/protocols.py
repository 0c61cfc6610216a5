"""What a room is handed from outside and never makes for itself: clocks, random source, ids, connections, journal, lock.

Protocols only. The real ones are in `host`, the simulated ones beside the tests; `cli` hands them in.
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
    """Three readings of time, none of them global."""

    def mono(self) -> float:
        """Seconds that never go back; the only source of durations."""
        ...

    def boot(self) -> float:
        """Like `mono`, but also counts the time the machine slept."""
        ...

    def wall(self) -> float:
        """Unix time in seconds; for display and signatures only."""
        ...


class RandomSource(Protocol):
    """Random numbers that a seed can repeat. `stream` splits off an independent source, so that a draw changes no other."""

    def random(self) -> float: ...

    def uniform(self, a: float, b: float) -> float: ...

    def randrange(self, stop: int) -> int: ...

    def stream(self, name: str) -> RandomSource: ...


class IdGenerator(Protocol):
    """Makes ids that are never made twice, also across restarts and clock jumps."""

    def client_order_id(self) -> str:
        """A fresh id for one place intent: `[a-z0-9]`, 22 characters."""
        ...

    def request_id(self) -> str:
        """A fresh id for one frame on one connection."""
        ...

    def is_ours(self, client_order_id: str) -> bool:
        """Whether this installation made the id."""
        ...

    @property
    def ours(self) -> str:
        """How every client order id of this installation begins."""
        ...


class Connector(Protocol):
    """How a connection is opened: TCP and TLS in production, memory in the simulation."""

    def http_pool(self) -> aiohttp.BaseConnector:
        """A connection pool for one HTTP session (REST and the public stream)."""
        ...

    def private_stream(self, url: str) -> AbstractAsyncContextManager[ClientConnection]:
        """A WebSocket to the private stream, without compression, proxies or redirects."""
        ...


class JournalEntry(Protocol):
    """One line of the journal, as read back."""

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
    """The durable record of what was meant, sent and answered."""

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
            JournalUnwritable: the entry is not on disk and must not be acted on.
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
    ) -> None:
        """Hand over an entry that nobody waits for (answers, pushes). Never blocks, never raises."""
        ...

    async def entries(self) -> Sequence[JournalEntry]:
        """Everything recorded so far, oldest first."""
        ...

    @property
    def error(self) -> str:
        """Why the journal cannot be written now, or an empty text."""
        ...

    async def close(self) -> None: ...


class JournalUnwritable(CrossdeskError):
    """The journal could not make an entry durable; what depended on it must not happen."""

    title = "Journal not writable"


class Lock(Protocol):
    """Held by the one trading instance of a profile and portfolio."""

    def acquire(self) -> bool:
        """Take the lock if nobody holds it; False when somebody does."""
        ...

    def release(self) -> None: ...
