"""Newest rows and events of an engine's tables, handed to any number of readers."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

import msgspec

from tui.engine.conflating_queue import MAX_EVENTS, OF_ACCOUNT, ConflatingQueue
from tui.engine.event_line import EventLine
from tui.engine.rows import EQUITY, Row, Table

PEER_MARK = "@"
"""First character of the keys of lists that peers asked for; the screen of this process does not get them."""


class TableHub:
    """Fan-out from the engine to its readers; every reader gets the newest row of each key, at its own pace.

    All methods are called on the engine's thread. A reader that is slow is conflated and holds up nobody.
    """

    def __init__(self, screen: ConflatingQueue) -> None:
        """Initialize the hub with the queue of the screen of this process."""
        self._screen = screen
        self._readers: tuple[ConflatingQueue, ...] = ()
        self._rows: dict[Table, dict[str, Row]] = {table: {} for table in Table}
        self._events: deque[EventLine] = deque(maxlen=MAX_EVENTS)
        self._warnings: dict[str, EventLine] = {}
        """Warnings of what a trader may keep, by cause, until a later line of the cause."""
        self._seq = 0
        self._bursts = 0

    def row(self, table: Table, key: str) -> Row | None:
        """Return the newest row of a key."""
        return self._rows[table].get(key)

    def open_queue(self) -> ConflatingQueue:
        """Open a queue for a further reader and fill it with all known rows but those of the pair on the screen."""
        queue = ConflatingQueue()
        for _ in range(self._bursts):
            queue.begin_burst()
        for table, rows in self._rows.items():
            for key, row in rows.items():
                if not _is_of_view(table, key):
                    queue.put(table, key, row)
        self._readers = (*self._readers, queue)
        return queue

    def close_queue(self, queue: ConflatingQueue) -> None:
        """Close the queue of a reader that is gone."""
        self._readers = tuple(other for other in self._readers if other is not queue)

    def put(self, table: Table, key: str, row: Row | None, *, quiet: bool = False) -> None:
        """Store the newest row of a key and queue it for the readers; None deletes the row, `quiet` wakes no reader."""
        if row is None:
            self._rows[table].pop(key, None)
        else:
            self._rows[table][key] = row
        if not (table is Table.ANSWERS and key.startswith(PEER_MARK)):
            self._screen.put(table, key, row, quiet=quiet)
        if not _is_of_view(table, key):
            for queue in self._readers:
                queue.put(table, key, row, quiet=quiet)

    def put_rows(self, table: Table, rows: Mapping[str, Row | None]) -> None:
        """Store the newest rows of several keys and queue them together, in a table that every reader gets."""
        known = self._rows[table]
        for key, row in rows.items():
            if row is None:
                known.pop(key, None)
            else:
                known[key] = row
        for queue in (self._screen, *self._readers):
            queue.put_rows(table, rows)

    def put_event(self, line: EventLine) -> None:
        """Give an event line its number, keep it for later readers, and queue it for all readers."""
        self._seq += 1
        line = msgspec.structs.replace(line, seq=self._seq)
        self._events.append(line)
        self._warnings.pop(line.cause, None)
        if line.keepable:
            self._warnings[line.cause] = line
        for queue in (self._screen, *self._readers):
            queue.put_event(line)

    def events_after(self, seq: int) -> tuple[list[EventLine], int]:
        """Return the event lines numbered above `seq`, oldest first, and how many of them are no longer kept."""
        kept = [line for line in self._events if line.seq > seq]
        return kept, max(0, self._seq - max(seq, 0) - len(kept))

    def warnings_after(self, seq: int) -> list[EventLine]:
        """Return the warnings in force of what a kill, cancel or flatten missed, if numbered above `seq`, oldest first."""
        return [line for line in self._warnings.values() if line.seq > seq]

    def begin_burst(self) -> None:
        """Delay the wake-ups of all readers until `end_burst`."""
        self._bursts += 1
        for queue in (self._screen, *self._readers):
            queue.begin_burst()

    def end_burst(self) -> None:
        """Wake all readers for what was queued since the burst began."""
        self._bursts -= 1
        for queue in (self._screen, *self._readers):
            queue.end_burst()

    def forget_account(self) -> None:
        """Delete all rows and warnings of the account, which the next engine publishes again. Market data rows stay."""
        for table in OF_ACCOUNT:
            for key in list(self._rows[table]):
                self.put(table, key, None)
        self._warnings.clear()


def _is_of_view(table: Table, key: str) -> bool:
    """Return whether a row is book, trades or bars of the pair that the screen of this process displays."""
    return table in (Table.DEPTH, Table.PRINTS) or (table is Table.BARS and key != EQUITY)
