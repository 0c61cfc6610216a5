"""Real implementations of `protocols`: clocks, random source, ids, sockets, the kernel lock; for `cli` and tests."""

from __future__ import annotations

import fcntl
import itertools
import os
import random
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast
from urllib.parse import urlsplit

from tui.crossdesk_error import CrossdeskError
from tui.private_files import open_private
from tui.protocols import Clock, RandomSource

if TYPE_CHECKING:
    import ssl

    import aiohttp
    from websockets.asyncio.client import ClientConnection

LOOPBACK = frozenset(["127.0.0.1", "::1", "localhost"])
HAPPY_EYEBALLS_S = 0.25
"""Seconds before the next address of a name is tried beside one that does not answer."""
NAMES_KEPT_S = 2
"""Seconds for which the addresses of a name are cached; a moved service is found with the next try."""
POOL_IDLE_S = 4.0
"""Longest idle time of a connection, s; servers close theirs after 5 s or more, and a command must not meet that."""

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class HostClock:
    """Clocks of the operating system, in seconds: monotonic, monotonic including sleep, and wall clock."""

    def mono(self) -> float:
        return time.monotonic()

    def boot(self) -> float:
        if hasattr(time, "CLOCK_BOOTTIME"):
            return time.clock_gettime(time.CLOCK_BOOTTIME)
        return time.time()

    def wall(self) -> float:
        return time.time()


class SeededRandomSource:
    """Random numbers reproducible by a seed; each named stream is independent of all others."""

    def __init__(self, seed: int | str) -> None:
        self._seed = seed
        self._random = random.Random(str(seed))

    def random(self) -> float:
        return self._random.random()

    def uniform(self, a: float, b: float) -> float:
        return self._random.uniform(a, b)

    def randrange(self, stop: int) -> int:
        return self._random.randrange(stop)

    def stream(self, name: str) -> RandomSource:
        return SeededRandomSource(f"{self._seed}/{name}")


def fresh_random_source() -> SeededRandomSource:
    """Create a random source with an unpredictable seed."""
    return SeededRandomSource(int.from_bytes(os.urandom(16), "big"))


def fresh_seed() -> int:
    """Draw a seed for a venue."""
    return int.from_bytes(os.urandom(6), "big")


def fresh_bytes(count: int) -> bytes:
    """Draw random bytes."""
    return os.urandom(count)


def fresh_secret() -> str:
    """Draw a random key or secret of 192 bits, 48 hexadecimal characters."""
    return os.urandom(24).hex()


def fresh_id() -> str:
    """Draw a random id of 128 bits, 32 hexadecimal characters."""
    return os.urandom(16).hex()


def fresh_account_id() -> str:
    """Draw a random id of 64 bits for the state of a venue, 16 hexadecimal characters."""
    return os.urandom(8).hex()


def to_base36(value: int, width: int) -> str:
    """Format the lowest `width` base-36 digits of a number, padded with zeros."""
    out = []
    for _ in range(width):
        value, digit = divmod(value, 36)
        out.append(_DIGITS[digit])
    return "".join(reversed(out))


TIME_DIGITS = 10


def order_id_time(clock: Clock) -> str:
    """Return the time part of an order id created now; ids of one installation sort by it."""
    return to_base36(int(clock.wall() * 1_000_000), TIME_DIGITS)


class OrderIds:
    """Generator of unique client order ids: prefix, installation, microseconds, counter; 22 characters.

    The time part never decreases: it is the larger of the wall clock and the last value plus one, and `reserve` has
    stored an upper bound of it before the first id that needs it is used.
    """

    PREFIX = "cd"
    AHEAD_US = 60_000_000
    """Distance of the stored bound from the present time, µs."""
    RENEW_S = 20.0
    """Interval at which `keep_reserved` stores a new bound, s."""

    def __init__(self, clock: Clock, install: str, last_us: int, reserve: Callable[[int], None]) -> None:
        self._clock = clock
        self._install = install
        self._reserve = reserve
        self._last = last_us
        self._bound = last_us
        self._storing = threading.Lock()
        self._counter = itertools.count()
        self._requests = itertools.count(1)

    def client_order_id(self) -> str:
        now = int(self._clock.wall() * 1_000_000)
        self._last = max(now, self._last + 1)
        if self._last >= self._bound:
            self._store(self._last + self.AHEAD_US)
        return f"{self.PREFIX}{self._install}{to_base36(self._last, TIME_DIGITS)}{to_base36(next(self._counter), 4)}"

    def reserve_ahead(self) -> None:
        """Store a time bound a minute ahead; callable from any thread, and ids below the bound need no disk write.

        Raises:
            OSError: It cannot be stored; the next id tries again.
        """
        self._store(int(self._clock.wall() * 1_000_000) + self.AHEAD_US)

    def keep_reserved(self) -> None:
        """Start a thread that keeps a bound stored ahead, so that the first order after a pause needs no disk write."""
        thread = threading.Thread(target=_reserve_while_used, args=(weakref.ref(self),), name="order ids", daemon=True)
        thread.start()

    def _store(self, bound: int) -> None:
        """Store a higher bound in the file, then raise the one in memory: after a failed write the next id tries again."""
        with self._storing:
            if bound > self._bound:
                self._reserve(bound)
                self._bound = bound

    def request_id(self) -> str:
        return f"{self._install}{next(self._requests)}"

    def is_ours(self, client_order_id: str) -> bool:
        return len(client_order_id) == 22 and client_order_id.startswith(self.ours)

    @property
    def ours(self) -> str:
        return self.PREFIX + self._install


def _reserve_while_used(reference: weakref.ref[OrderIds]) -> None:
    never = threading.Event()
    while (ids := reference()) is not None:
        with suppress(OSError):
            ids.reserve_ahead()
        del ids
        never.wait(OrderIds.RENEW_S)


def load_order_ids(path: Path, clock: Clock) -> OrderIds:
    """Load the id generator of this installation; its name and time bound are in a small file written before use."""

    def read_stored() -> tuple[str, int]:
        with suppress(OSError):
            head, _, tail = path.read_text().partition(" ")
            if len(head) == 6 and tail.strip().isdigit():
                return head, int(tail)
        return "", 0

    install, last = read_stored()
    if not install:
        install = to_base36(int.from_bytes(os.urandom(5), "big"), 6)

    def reserve(bound: int) -> None:
        # Another window of this installation may have stored a later one.
        bound = max(bound, read_stored()[1])
        fresh = path.with_suffix(".new")
        descriptor = open_private(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        with os.fdopen(descriptor, "w") as file:
            file.write(f"{install} {bound}\n")
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)

    return OrderIds(clock, install, last, reserve)


class FileLock:
    """Kernel lock on a small file; the kernel releases it when the process ends in any way."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[str] | None = None

    def acquire(self) -> bool:
        if self._file is not None:
            return True
        descriptor = open_private(self._path, os.O_RDWR | os.O_CREAT)
        file = os.fdopen(descriptor, "r+")
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            return False
        self._file = file
        return True

    def release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


class HeldLock:
    """Stand-in for a lock that another object already holds: acquiring always succeeds, releasing does nothing."""

    def acquire(self) -> bool:
        return True

    def release(self) -> None: ...


class HostNotAllowed(CrossdeskError, OSError):
    """Address that this environment may not connect to."""

    title = "Address not allowed"


def tls_context() -> ssl.SSLContext:
    """Build a context for verified TLS 1.2 or newer with the system's certificates, without a key log."""
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_default_certs()
    return context


class HostConnector:
    """Connector to the addresses of one environment: TLS outside this machine, private streams only to its hosts."""

    def __init__(self, urls: tuple[str, ...], *, loopback_only: bool) -> None:
        self._hosts = frozenset(urlsplit(url).hostname or "" for url in urls)
        for url in urls:
            self._check(url, loopback_only=loopback_only)

    @staticmethod
    def _check(url: str, *, loopback_only: bool) -> None:
        parts = urlsplit(url)
        if parts.hostname in LOOPBACK:
            return
        if loopback_only:
            raise HostNotAllowed(f"{url}: paper mode talks to this machine only (127.0.0.1, localhost, ::1)")
        if parts.scheme not in ("https", "wss"):
            raise HostNotAllowed(f"{url}: only https and wss are accepted outside this machine")

    def http_pool(self) -> aiohttp.BaseConnector:
        import aiohttp

        return aiohttp.TCPConnector(
            ssl=tls_context(),
            limit=64,
            keepalive_timeout=POOL_IDLE_S,
            ttl_dns_cache=NAMES_KEPT_S,
            happy_eyeballs_delay=HAPPY_EYEBALLS_S,
        )

    def private_stream(self, url: str) -> AbstractAsyncContextManager[ClientConnection]:
        from websockets.asyncio.client import connect

        parts = urlsplit(url)
        if parts.hostname not in self._hosts:
            raise HostNotAllowed(f"{parts.hostname}: not an address of this profile")

        class NoRedirect(connect):
            def process_redirect(self, exc: Exception) -> Exception | str:
                return exc

        stream = NoRedirect(
            url,
            ssl=tls_context() if parts.scheme == "wss" else None,
            compression=None,
            proxy=None,
            max_size=8 * 1024 * 1024,
            open_timeout=3,
            happy_eyeballs_delay=HAPPY_EYEBALLS_S,
            close_timeout=0.5,
            ping_interval=None,
        )
        return cast("AbstractAsyncContextManager[ClientConnection]", stream)
