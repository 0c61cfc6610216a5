"""Common beat of all public connections: fast frames are read together, and quotes nobody looks at are decoded late.

Each connection has its own `BurstReader`. A connection that is held after it was read is read again at the next beat,
together with all others that are held. There are two regimes:

- Nobody attends most of the watched pairs, and frames come fast on all connections together: a connection of which no
  pair is attended is held. A quote of a pair that is not attended stays in its reader until it is due, or until somebody
  asks for the pair (`BurstReader.bring_up`).
- Otherwise there is little to save, and each connection goes by its own pace alone.

In both, a connection with attended pairs is held only while its own frames are fast. What that costs: a quote that comes
while its connection is held waits for the beat, half of `GATHER_S` (8 ms) on average and all of it at most; one that
comes while it is not held does not wait. A pair attended from now on may wait so once, on a connection held before.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Container, Iterable
from typing import Protocol

from tui.client.aiohttp_adapter import Socket, go_on_reading, hold_reading
from tui.client.flood.pace import GATHER_S, Pace
from tui.protocols import Clock

LATE_S = 0.25
"""Time for which the quote of a pair that is not attended waits for newer ones."""
LATE_QUOTES = 32
"""Such quotes decoded at one beat; with more pairs than that allows in `LATE_S`, each waits longer."""
_LOOP_TURNS = 3
"""Turns of the loop until what waited in the system has been handled: resumed, received, read."""


class BeatSink(Protocol):
    """Receiver of quotes, told when a burst of them begins and ends."""

    def begin_burst(self) -> None:
        """Begin a burst; its quotes are displayed together at `end_burst`."""
        ...

    def end_burst(self) -> None: ...


class HeldReader(Protocol):
    """Reader of one connection that may hold back quotes of pairs that nobody looks at."""

    def deliver_due(self, held_until: float, most: int) -> int:
        """Deliver up to `most` held quotes: of pairs looked at or held since `held_until` (monotonic s); return how many."""
        ...

    def holds_quotes(self) -> bool: ...


class _Everything(Container[str]):
    """Set that contains every pair, until pairs are attended."""

    def __contains__(self, _sym: object) -> bool:
        return True


class Beat:
    """Timer that, while frames come fast, lets all connections of a public stream read together at short intervals."""

    def __init__(self, sink: BeatSink, clock: Clock) -> None:
        """Start as if somebody looked at every pair."""
        self.attended: Container[str] = _Everything()
        """Pairs whose quotes are delivered as they come."""
        self._watched: tuple[str, ...] = ()
        self._pace = Pace()
        """Pace of the frames of all connections together."""
        self._is_worth_it = False
        """Whether most of the watched pairs are not attended: only their quotes can be decoded less often, so with fewer
        of them most of the work would stay."""
        self._sink = sink
        self._clock = clock
        self._due = 0.0
        """Monotonic time of the next beat, s."""
        self._timer: asyncio.TimerHandle | None = None
        self._held: dict[Socket, None] = {}
        """Connections held until the next beat."""
        self._readers: dict[HeldReader, None] = {}
        """Readers that may hold quotes, the one whose turn it is first."""

    @property
    def gathers(self) -> bool:
        """Whether quotes of pairs that nobody looks at are held back: frames come fast, and most pairs are unattended."""
        return self._is_worth_it and self._pace.is_fast

    def has_attended(self, syms: Iterable[str]) -> bool:
        """Report whether somebody looks at one of these pairs."""
        return any(sym in self.attended for sym in syms)

    def watch(self, syms: tuple[str, ...]) -> None:
        """Set the pairs that all connections together are subscribed to."""
        self._watched = syms
        self._weigh()

    def attend(self, syms: Iterable[str]) -> None:
        """Set the pairs that somebody looks at: their quotes are delivered as they come, and all held quotes at once."""
        self.attended = frozenset(syms)
        self._weigh()
        if self._readers:
            self._sink.begin_burst()
            for reader in list(self._readers):
                reader.deliver_due(float("-inf"), sys.maxsize)
            self._sink.end_burst()

    def count(self, now: float, frames: int) -> None:
        """Count frames of a connection, read at `now` (monotonic, s)."""
        self._pace.count(now, frames)

    def hold(self, socket: Socket, began: float) -> None:
        """Hold a connection that was read at `began` until the next beat, so that frames collect."""
        hold_reading(socket)
        self._held[socket] = None
        self._start(began)

    def release(self, socket: Socket) -> None:
        """Forget a connection that has ended."""
        self._held.pop(socket, None)

    def expect(self, reader: HeldReader) -> None:
        """Register a reader whose due quotes are delivered at the next beats, until it holds none."""
        if reader not in self._readers:
            self._readers[reader] = None
        self._start(self._clock.mono())

    def stop(self) -> None:
        """Stop the beat."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._held.clear()
        self._readers.clear()

    def _weigh(self) -> None:
        attended = sum(sym in self.attended for sym in self._watched)
        self._is_worth_it = len(self._watched) > 2 * attended

    def _start(self, began: float) -> None:
        if self._timer is None:
            self._due = began + GATHER_S
            self._set_timer()

    def _set_timer(self) -> None:
        left = max(0.0, self._due - self._clock.mono())
        self._timer = asyncio.get_running_loop().call_later(left, self._strike)

    def _strike(self) -> None:
        """Let all held connections be read, deliver quotes that are due, and wake the screen once for all of it."""
        self._timer = None
        self._sink.begin_burst()
        try:
            held, self._held = self._held, {}
            for socket in held:
                go_on_reading(socket)
            self._deliver_due()
        finally:
            self._end_burst(_LOOP_TURNS)
        if self._readers:
            # From now, not from when it was due: a screen that fell behind catches up by the lateness of each beat.
            self._start(self._clock.mono())

    def _deliver_due(self) -> None:
        left, held_until = LATE_QUOTES, self._clock.mono() - LATE_S
        for reader in list(self._readers):
            if left <= 0:
                return
            left -= reader.deliver_due(held_until, left)
            # The others come first at the next beat.
            del self._readers[reader]
            if reader.holds_quotes():
                self._readers[reader] = None

    def _end_burst(self, turns: int) -> None:
        """End the burst after `turns` turns of the event loop."""
        if turns:
            asyncio.get_running_loop().call_soon(self._end_burst, turns - 1)
        else:
            self._sink.end_burst()
