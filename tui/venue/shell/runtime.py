"""Runtime of the exchange: applies commands in real time, stores changed rows, and passes events to the streams."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Protocol

import msgspec

from tui.interface.families.orders import OrderRecord
from tui.protocols import Clock, RandomSource
from tui.venue.core.commands import Advance, Command, Rejected, Reply
from tui.venue.core.events import Durable, Event, MarketEvent, PrivateEvent
from tui.venue.core.exchange import Exchange
from tui.venue.core.switches import Switches
from tui.venue.shell.faults import Faults
from tui.venue.shell.storage.commit_failed import CommitFailed

if TYPE_CHECKING:
    from tui.venue.shell.storage.archive import Archive

log = logging.getLogger("tui.venue")
Answer = Callable[[Reply], None]
"""Receiver of the reply to a command."""
_DELAYS_MS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    # Eleven quantiles of the delay, from its smallest to its 99th percentile: in, out.
    "normal": ((2, 3, 4, 5, 6, 8, 10, 13, 18, 28, 60), (4, 6, 8, 9, 10, 12, 14, 17, 22, 32, 60)),
    "bad": ((45, 65, 85, 105, 125, 150, 180, 220, 290, 430, 900), (45, 65, 85, 105, 125, 150, 180, 220, 290, 430, 900)),
    "test": ((0,), (0,)),
}


AGE_S = 5
"""Time between two searches for rows to archive, s."""
AGE_BATCH = 2000
"""Rows archived in one batch."""
AGE_PAUSE_S = 0.05
RETRY_S = 1.0
"""Time between two attempts after a failed write, s."""


class RowStore(Protocol):
    """Storage of the exchange's rows."""

    account_id: str
    """Id of the state that the rows belong to."""
    is_slow: bool
    """Whether a commit waits for a disk, so that several commands better share one."""

    def commit(self, rows: Sequence[Durable]) -> None:
        """Write all rows, or none of them.

        Raises:
            CommitFailed: No row was written.
        """
        ...

    def close(self) -> None: ...


class Runtime:
    """Runtime of one exchange on the current event loop."""

    def __init__(
        self,
        exchange: Exchange,
        *,
        store: RowStore,
        clock: Clock,
        random_source: RandomSource,
        switches: Switches,
        archive: Archive | None = None,
    ) -> None:
        self.exchange = exchange
        self.switches = switches
        self.clock = clock
        self._store = store
        self.account_id = store.account_id
        self.archive = archive
        """Store of ended orders and old bookings; without it they stay in memory."""
        self._archiving: asyncio.TimerHandle | None = None
        self._entry = random_source.stream("latency in")
        self._exit = random_source.stream("latency out")
        self._race = random_source.stream("reply race")
        self._order = random_source.stream("push order")
        self._started_ms = int(clock.wall() * 1000)
        self._started_mono = clock.mono()
        self.faults = Faults(switches, random_source.stream("faults"), self.now_ms)
        self._listeners: list[Callable[[Sequence[Event]], None]] = []
        self._timer: asyncio.TimerHandle | None = None
        self.failed: asyncio.Future[None] | None = None
        self.error = ""
        """Why the state cannot be written now, or empty. Meanwhile reads are served and commands are rejected."""
        self._submitted: list[tuple[Command, Answer]] = []
        self._uncommitted: dict[tuple[str, str], Durable] = {}
        self._unpublished: list[Event] = []
        """Events other than market events that wait until their rows are durable."""
        self._retry_at = 0.0
        self.encoded_orders: dict[str, tuple[OrderRecord, msgspec.Raw]] = {}
        """Encoded order rows of lists by id, each with the record it was encoded from."""

    def listen(self, listener: Callable[[Sequence[Event]], None]) -> None:
        """Register a listener that receives every batch of events, in commit order."""
        self._listeners.append(listener)

    def now_ms(self) -> int:
        """Return the venue time in ms: the wall clock at the start, advanced by the monotonic clock."""
        return self._started_ms + int((self.clock.mono() - self._started_mono) * 1000)

    def entry_delay(self) -> float:
        """Draw the delay of a request on its way to the exchange, seconds."""
        return self._draw(0, self._entry)

    def exit_delay(self) -> float:
        """Draw the delay of a response or push on its way to the client, seconds."""
        return self._draw(1, self._exit)

    def _draw(self, way: int, random_source: RandomSource) -> float:
        steps = _DELAYS_MS[self.switches["latency"]][way]
        return steps[random_source.randrange(len(steps)) if len(steps) > 1 else 0] / 1000

    def submit(self, command: Command, answer: Answer) -> None:
        """Execute a command of a stream; commands that arrive together share one write where writing is slow."""
        if not self._store.is_slow:
            self.execute(command, answer)
            return
        if not self._submitted:
            asyncio.get_running_loop().call_soon(self._execute_submitted)
        self._submitted.append((command, answer))

    def _execute_submitted(self) -> None:
        submitted, self._submitted = self._submitted, []
        with self._ends_on_error():
            self._execute(submitted)

    def execute(self, command: Command, answer: Answer) -> None:
        """Apply a command: store its changes, then call `answer` with the reply and publish its events."""
        self._execute([(command, answer)])

    def _execute(self, commands: Sequence[tuple[Command, Answer]]) -> None:
        """Apply commands one after the other and store their changes at once; nobody sees them before."""
        if self.error and not self._commit():
            for _, answer in commands:
                answer(Rejected(code=401921, message=f"nothing was done: {self.error}"))
            return
        applied = [(answer, *self.exchange.apply(command, self.now_ms())) for command, answer in commands]
        kept = self._commit()
        for answer, reply, events in applied:
            if kept:
                self._answer(answer, reply, self._release(events))
            else:
                self._withhold(events)
                answer(Rejected(code=500, message=f"the outcome is unknown: {self.error}"))
        self._schedule()

    def _answer(self, answer: Answer, reply: Reply | None, events: Sequence[Event]) -> None:
        """Send the reply and the pushes of a stored command, in the order that the switch says."""
        race = self.switches["reply_race"]
        first = race == "push_first" or (race == "random" and self._race.randrange(2) == 1)
        if first:
            self._publish(events)
        if reply is not None:
            answer(reply)
        if not first:
            self._publish(events)

    def order_pushes(self, events: Sequence[PrivateEvent]) -> Sequence[PrivateEvent]:
        """Return pushes in sending order; a switch can shuffle the channels, but never the order within a channel."""
        if self.switches["push_order"] == "fixed":
            return events
        kinds = {type(event): self._order.randrange(1_000_000) for event in events}
        return sorted(events, key=lambda event: kinds[type(event)])

    def start(self) -> None:
        """Start the timers that advance the exchange and archive old rows."""
        self.failed = asyncio.get_running_loop().create_future()
        self._commit()
        self._schedule()
        self._archive_regularly()

    def stop(self) -> None:
        """Stop the timers and store the state; queries that are being answered can still read the archive."""
        if self._archiving is not None:
            self._archiving.cancel()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.exchange.store_market()
        self._commit()
        self._store.close()

    def close_archive(self) -> None:
        """Close the archive, once no query is left."""
        if self.archive is not None:
            self.archive.close()

    def _archive_regularly(self) -> None:
        """Move a batch of old rows to the archive and schedule the next batch."""
        if self.archive is None:
            return
        wait = AGE_PAUSE_S if self.archive_ended() else AGE_S
        self._archiving = asyncio.get_running_loop().call_later(wait, self._archive_regularly)

    def archive_ended(self) -> bool:
        """Move a batch of rows of ended orders and old bookings to the archive; return True when there may be more."""
        if self.archive is None or self.error:
            return False
        before = self.now_ms() - int(self.switches["keep_ended"]) * 1000
        rows = list(islice(self.exchange.archivable_rows(before), AGE_BATCH))
        if not rows:
            return False
        try:
            self.archive.add(rows)
        except CommitFailed as error:
            log.warning("nothing is archived: %s", error)
            return False
        self.exchange.forget(rows)
        self.encoded_orders.clear()
        self._commit()
        return len(rows) == AGE_BATCH

    def _commit(self) -> bool:
        """Write the changed rows to disk; after a failure return False; the next commit retries them."""
        for row in self.exchange.drain_durable():
            self._uncommitted.pop((row.table, row.key), None)
            self._uncommitted[(row.table, row.key)] = row
        if self._uncommitted:
            try:
                self._store.commit(list(self._uncommitted.values()))
            except CommitFailed as error:
                self.error = f"the state cannot be written ({error})"
                self._retry_at = self.clock.mono() + RETRY_S
                return False
            self._uncommitted.clear()
        self.error = ""
        return True

    def _withhold(self, events: Sequence[Event]) -> None:
        """Publish market events at once and hold back all others until their rows are on disk."""
        self._unpublished += [event for event in events if not isinstance(event, MarketEvent)]
        self._publish([event for event in events if isinstance(event, MarketEvent)])

    def _release(self, events: Sequence[Event]) -> list[Event]:
        """Return the held-back events followed by the new ones, for publishing now."""
        held_back, self._unpublished = self._unpublished, []
        return [*held_back, *events]

    def _publish(self, events: Sequence[Event]) -> None:
        if events:
            for listener in self._listeners:
                listener(events)

    def _schedule(self) -> None:
        due = self.exchange.next_due()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(max(0.0, (due - self.now_ms()) / 1000), self._advance)

    def _advance(self) -> None:
        self._timer = None
        with self._ends_on_error():
            _, events = self.exchange.apply(Advance(), self.now_ms())
            may_try = not self.error or self.clock.mono() >= self._retry_at
            if may_try and self._commit():
                self._publish(self._release(events))
            else:
                self._withhold(events)
            self._schedule()

    @contextmanager
    def _ends_on_error(self) -> Iterator[None]:
        """End the process with the reason after a broken invariant: the venue must not continue."""
        try:
            yield
        except Exception as error:
            if self.failed is not None and not self.failed.done():
                self.failed.set_exception(error)
            raise
