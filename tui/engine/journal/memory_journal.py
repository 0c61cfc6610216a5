"""In-memory journal with the interface of the durable one, for simulations and tests; latency and failures can be set."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import islice

from tui.engine.event_line import NOTE
from tui.engine.journal.journal_rows import Entry, new_entry
from tui.protocols import Clock, JournalEntry, JournalUnwritable


class MemoryJournal:
    """Journal in memory; `durable` is the number of entries that would survive a crash."""

    def __init__(self, clock: Clock, *, kept: Sequence[Entry] = ()) -> None:
        self.lines: list[Entry] = list(kept)
        self.durable = len(self.lines)
        self.latency = 0.0
        """Seconds until an entry is durable."""
        self.failure = ""
        """When set, nothing can be written, for this reason."""
        self._clock = clock

    @property
    def error(self) -> str:
        return self.failure

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
        """Append one entry and return its number once it counts as durable.

        Raises:
            JournalUnwritable: `failure` is set.
        """
        if self.latency:
            await asyncio.sleep(self.latency)
        if self.failure:
            raise JournalUnwritable(self.failure)
        entry = new_entry(
            self._clock, kind, payload, seq=len(self.lines) + 1, intent_id=intent_id,
            client_order_id=client_order_id, order_id=order_id, epoch=epoch,
        )  # fmt: skip
        self.lines.append(entry)
        self.durable = len(self.lines)
        return self.durable

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
        """Append an entry without waiting; it becomes durable together with the next awaited one."""
        if not self.failure:
            entry = new_entry(
                self._clock, kind, payload, seq=len(self.lines) + 1, intent_id=intent_id,
                client_order_id=client_order_id, order_id=order_id, epoch=epoch, wall_ms=wall_ms,
            )  # fmt: skip
            self.lines.append(entry)

    async def entries(self) -> Sequence[JournalEntry]:
        return list(self.lines)

    async def notes(self, after: int, since_ms: int, most: int) -> Sequence[JournalEntry]:
        wanted = (line for line in self.lines if line.kind == NOTE and line.seq > after and line.wall_ms >= since_ms)
        return list(islice(wanted, most))

    async def close(self) -> None:
        self.durable = len(self.lines)

    def after_crash(self) -> MemoryJournal:
        """Return the journal as a restarted process would read it: durable entries only."""
        return MemoryJournal(self._clock, kept=self.lines[: self.durable])
