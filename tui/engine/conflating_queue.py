"""Queue of table rows and event lines from the engine's thread to the screen's thread.

Rows are conflated by key: the screen gets the newest one, once. Events are not. The first change after `take` wakes the
screen; an urgent change (orders, fills, events) makes it paint at once instead of with the next quote frame. A quiet
change wakes nobody: it is taken with the next change that does, or with the screen's look once a second.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from tui.engine.event_line import EventLine
from tui.engine.rows import Row, Table


class Wake(Protocol):
    """Callback that wakes a reader, called from the engine's thread. Must not block."""

    def __call__(self, *, urgent: bool) -> None:
        """Wake the reader; an urgent change should be painted at once."""


MAX_EVENTS = 10_000
"""Most events kept for a screen that does not read; older ones are counted and dropped (the journal has them)."""

URGENT = frozenset(
    [
        Table.ORDERS,
        Table.FILLS,
        Table.POSITIONS,
        Table.SETTINGS,
        Table.COMMANDS,
        Table.LIQUIDATIONS,
        Table.ENGINE_STATUS,
        Table.LINKS,
        Table.PROPOSALS,
        Table.MANDATES,
    ]
)

OF_MARKET = frozenset(
    [
        Table.SYMBOLS,
        Table.QUOTES,
        Table.FUNDING,
        Table.TICKERS,
        Table.DEPTH,
        Table.PRINTS,
        Table.BARS,
        Table.BRACKETS,
        Table.DISCOUNTS,
        Table.LOANS,
        Table.INTEREST,
        Table.LOAN_CONFIG,
        Table.ENGINE_STATUS,
    ]
)
"""Tables that are equal for every account, and the status table of one row."""
OF_ACCOUNT = frozenset(Table) - OF_MARKET
"""Tables whose rows belong to one account or to one engine's connections."""


class TableSink(Protocol):
    """Receiver of the rows and event lines of an engine; the methods are those of `ConflatingQueue`."""

    def put(self, table: Table, key: str, row: Row | None, *, quiet: bool = False) -> None: ...

    def put_rows(self, table: Table, rows: Mapping[str, Row | None]) -> None: ...

    def put_event(self, line: EventLine) -> None: ...

    def begin_burst(self) -> None: ...

    def end_burst(self) -> None: ...


class Batch(msgspec.Struct):
    """Rows and event lines that were queued since the previous `ConflatingQueue.take`."""

    changed: dict[Table, dict[str, Row | None]]
    """Newest row by key; None when the row is gone."""
    events: list[EventLine]
    dropped_events: int


class ConflatingQueue:
    """Queue that keeps only the newest row per key and wakes the screen; safe between two threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._changed: dict[Table, dict[str, Row | None]] = {}
        self._events: list[EventLine] = []
        self._dropped = 0
        self._woken = False
        self._urgent = False
        self._wake: Wake | None = None
        self._bursts = 0
        """Number of market data bursts being received."""
        self._changed_in_burst = False
        """Whether to wake the screen at their end."""

    def attach(self, wake: Wake) -> None:
        """Set the callback that wakes the screen; it is called at once if changes are already waiting."""
        with self._lock:
            self._wake = wake
            waiting = bool(self._changed or self._events)
            self._woken = waiting
        if waiting:
            wake(urgent=True)

    def put(self, table: Table, key: str, row: Row | None, *, quiet: bool = False) -> None:
        """Queue the newest row of a key; None deletes the row.

        Args:
            table: Table of the row.
            key: Key of the row.
            row: The row.
            quiet: Whether it changes only an age on the screen and can wait for the screen's next look.
        """
        urgent = table in URGENT
        with self._lock:
            rows = self._changed.get(table)
            if rows is None:
                rows = self._changed[table] = {}
            rows[key] = row
            wake = None if quiet else self._due(urgent=urgent)
        if wake is not None:
            wake(urgent=urgent)

    def put_rows(self, table: Table, rows: Mapping[str, Row | None]) -> None:
        """Queue the newest rows of several keys at once, so that no reader sees a part of them."""
        if not rows:
            return
        urgent = table in URGENT
        with self._lock:
            self._changed.setdefault(table, {}).update(rows)
            wake = self._due(urgent=urgent)
        if wake is not None:
            wake(urgent=urgent)

    def begin_burst(self) -> None:
        """Delay wake-ups for non-urgent rows until `end_burst`, so that the screen is drawn once for all of them."""
        with self._lock:
            self._bursts += 1

    def end_burst(self) -> None:
        """Wake the screen for everything queued since the burst began."""
        with self._lock:
            self._bursts -= 1
            wake = self._due(urgent=False) if self._changed_in_burst and not self._bursts else None
        if wake is not None:
            wake(urgent=False)

    def put_event(self, line: EventLine) -> None:
        """Queue one event line; above `MAX_EVENTS` waiting lines the oldest is dropped and counted."""
        with self._lock:
            if len(self._events) >= MAX_EVENTS:
                del self._events[0]
                self._dropped += 1
            self._events.append(line)
            wake = self._due(urgent=True)
        if wake is not None:
            wake(urgent=True)

    def put_missed(self, lines: Sequence[EventLine], gone: int) -> None:
        """Queue event lines that a reader missed, before the queued ones; count `gone` further lines as dropped."""
        with self._lock:
            self._events[:0] = lines
            self._dropped += gone

    def take(self) -> Batch:
        """Take everything queued since the last call; called by the screen."""
        with self._lock:
            batch = Batch(self._changed, self._events, self._dropped)
            self._changed, self._events, self._dropped = {}, [], 0
            self._woken = self._urgent = False
        return batch

    def _due(self, *, urgent: bool) -> Wake | None:
        """Return the callback to call after a change; None if the screen is awake or a burst delays it. Needs the lock."""
        if self._wake is None or (self._woken and (self._urgent or not urgent)):
            return None
        self._changed_in_burst = self._bursts > 0 and not urgent
        if self._changed_in_burst:
            return None
        self._woken = True
        self._urgent = self._urgent or urgent
        return self._wake
