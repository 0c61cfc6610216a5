"""The fills that are known: each told and journaled once, counted once in the day's result, the newest on the table."""

from __future__ import annotations

import heapq

from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.rows import DayRow, Fact, Source, Stamp, Table
from tui.interface.families.history import TradeRecord
from tui.rules.day_result import DAY_MS, DayResult, created_ms

OVERLAP_MS = 60_000
"""How far behind the last word fills are read again: one may be listed later than its time."""
REMEMBERED = 50_000
"""Ids of fills that are kept so that none is told twice; what is read again reaches one minute back."""


class FillTable:
    """Folds fills of every road.

    Attributes:
        day: Running total of the newest UTC day.
        begin_ms: Server time at which the journal began; a fill of before is history. 0: not known yet.
        complete_ms: Server time up to which every fill since `begin_ms` is known.
        counted_from_ms: Server time from which on every fill up to `complete_ms` is counted in `day`.
        caught_up: Whether the fills since the last word were read on the present connection.
    """

    def __init__(self, handover: ConflatingQueue, kept: int) -> None:
        self.day = DayResult()
        self.begin_ms = self.complete_ms = self.counted_from_ms = 0
        self.caught_up = False
        self._handover = handover
        self._kept = kept
        self._told: dict[str, None] = {}
        self._table: list[tuple[int, str]] = []
        """A heap of what is on the table: time and transaction id."""
        self._on_table: dict[str, None] = {}

    @property
    def newest_ms(self) -> int:
        """Server time of the newest fill on the table; 0 before the first."""
        return max((at for at, _ in self._table), default=0)

    @property
    def day_is_whole(self) -> bool:
        """Whether every fill of the day is in its result, as far as the service was heard."""
        return self.caught_up and 0 < self.counted_from_ms <= self.day.day * DAY_MS

    def restore(self, told: dict[str, int], day: DayResult, begin_ms: int, complete_ms: int) -> None:
        """What an earlier session has told, counted and read."""
        self._told = dict.fromkeys(told)
        self.day = day
        self.begin_ms, self.complete_ms = begin_ms, complete_ms
        self.counted_from_ms = begin_ms
        for sym in day.by_sym:
            self._show_day(sym)

    def join(self, told: dict[str, int], begin_ms: int, complete_ms: int) -> None:
        """What an earlier session has told, when this one already runs: on from its last word."""
        self._told = dict.fromkeys(told) | self._told
        if begin_ms:
            self.begin_ms, self.complete_ms = begin_ms, complete_ms

    def journal_begins(self, now_ms: int) -> None:
        """Nothing was journaled before this server time."""
        self.begin_ms = self.complete_ms = self.counted_from_ms = now_ms

    def turn(self, now_ms: int) -> None:
        """Go on to the UTC day of a server time."""
        self.day.begin(now_ms // DAY_MS)

    def take(self, record: TradeRecord, stamp: Stamp) -> bool:
        """Fold one fill; returns whether it is news: never told, and not of before the journal began."""
        if self.day.add(record) is not None:
            self._show_day(record.sym)
        self._show(record, stamp)
        history = stamp.source is not Source.PUSH and created_ms(record) < self.begin_ms
        if record.transaction_id in self._told or history:
            return False
        self._told[record.transaction_id] = None
        if len(self._told) > REMEMBERED:
            del self._told[next(iter(self._told))]
        return True

    def _show(self, record: TradeRecord, stamp: Stamp) -> None:
        name = record.transaction_id
        if name in self._on_table:
            return
        self._on_table[name] = None
        heapq.heappush(self._table, (created_ms(record), name))
        self._handover.put(Table.FILLS, name, Fact(record, stamp))
        while len(self._table) > self._kept:
            _, oldest = heapq.heappop(self._table)
            del self._on_table[oldest]
            self._handover.put(Table.FILLS, oldest, None)

    def _show_day(self, sym: str) -> None:
        day = self.day.day
        self._handover.put(Table.DAYS, f"{day}/{sym}", DayRow(sym=sym, day_ms=day * DAY_MS, sums=self.day.by_sym[sym]))
