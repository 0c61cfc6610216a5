"""Table of known fills; each is notified, journaled and counted in the day's result once, the newest are shown."""

from __future__ import annotations

import heapq
from collections import deque
from decimal import Decimal
from typing import NamedTuple

from tui.engine.conflating_queue import TableSink
from tui.engine.rows import DayRow, Fact, Source, Stamp, Table
from tui.engine.state.order_texts import round_amount
from tui.interface import decimals
from tui.interface.families.history import TradeRecord
from tui.interface.families.orders import Side
from tui.rules.day_result import DAY_MS, DayResult, fill_content, fill_name, is_repeated_id, parse_created_ms

OVERLAP_MS = 60_000
"""Overlap of reads before the newest known fill, ms, because a fill may be listed late."""
MOST_NEWEST = 500
"""Most of the fills that came last that are kept for the position limit."""
MOST_SUMS = 10_000
"""Most orders whose fills are summed; one that lost earlier fills lacks some, and no result of it is told."""
MAX_KNOWN_IDS = 50_000
"""Most fill ids remembered, so that none is reported twice; reads overlap by one minute."""


class SumOfFills(NamedTuple):
    """Sum of the fills of an order, or of an algo order."""

    sym: str
    quantity: Decimal = decimals.ZERO
    """In the units of the pair."""
    result: Decimal = decimals.ZERO
    """Realised result, before fees."""

    def add(self, record: TradeRecord) -> SumOfFills:
        """Return the sum with one fill more."""
        size, result = (decimals.optional(text) or decimals.ZERO for text in (record.quantity, record.rpnl))
        return self._replace(quantity=self.quantity + size, result=self.result + result)

    @property
    def text(self) -> str:
        """The realised result in words: `result +12.34 USDT before fees`."""
        return f"result {round_amount(self.result):+} {self.sym.rsplit('_', 1)[-1]} before fees"


def _add(sums: dict[str, SumOfFills], order: str, record: TradeRecord) -> None:
    """Add a fill to the sum of its order; beyond `MOST_SUMS` the oldest order is dropped."""
    sums[order] = sums.get(order, SumOfFills(record.sym)).add(record)
    if len(sums) > MOST_SUMS:
        del sums[next(iter(sums))]


class FillTable:
    """Table of fills from all sources, each counted once.

    Attributes:
        day: Running total of the present UTC day.
        begin_ms: Server time at which the journal began; earlier fills are history. 0: not known yet.
        complete_ms: Server time up to which every fill since `begin_ms` is known.
        counted_from_ms: Server time from which on every fill up to `complete_ms` is counted in `day`.
        journal_first_ms: Wall time of the first entry of earlier sessions, ms; 0: there is none.
        caught_up: Whether missed fills were read on the current connection.
        of_algos: Fills of this session by algo order, those of the newest.
        of_orders: Fills of this session by order id, those of the newest.
        filled: Sum of the fills of this session by pair, in the pair's own units, sales below 0.
        newest: Fills that came last; the position may not show them yet.
    """

    def __init__(self, updates: TableSink, max_rows: int) -> None:
        self.day = DayResult()
        self.begin_ms = self.complete_ms = self.counted_from_ms = 0
        self.journal_first_ms = 0
        self.caught_up = False
        self.of_algos: dict[str, SumOfFills] = {}
        self.of_orders: dict[str, SumOfFills] = {}
        self.filled: dict[str, Decimal] = {}
        self.newest: deque[TradeRecord] = deque(maxlen=MOST_NEWEST)
        self._updates = updates
        self._max_rows = max_rows
        self.repeated: list[TradeRecord] = []
        """New fills with a reused transaction id, until `take_repeated`."""
        self._known_ids: dict[str, int] = {}
        """createAt of known fills by name, ms."""
        self._contents: dict[str, str] = {}
        """Content of known fills, to recognise reused ids; missing for fills of older journals."""
        self._table: list[tuple[int, str]] = []
        """Heap of shown rows: time and transaction id."""
        self._on_table: dict[str, None] = {}

    @property
    def newest_ms(self) -> int:
        """Server time of the newest fill in the table; 0 while it is empty."""
        return max((at for at, _ in self._table), default=0)

    @property
    def day_is_whole(self) -> bool:
        """Whether all fills of the day are counted; never true if the service reused a transaction id."""
        return self.caught_up and 0 < self.counted_from_ms <= self.day.day * DAY_MS and not self.day.repeats

    def restore(
        self,
        known_ids: dict[str, int],
        day: DayResult,
        begin_ms: int,
        complete_ms: int,
        contents: dict[str, str] | None = None,
    ) -> None:
        """Restore the known fills, the day's result and the read times of earlier sessions."""
        self._known_ids, self._contents = dict(known_ids), dict(contents or {})
        self.day = day
        self.begin_ms, self.complete_ms = begin_ms, complete_ms
        self.counted_from_ms = begin_ms
        for sym in day.by_sym:
            self._publish_day(sym)

    def merge(
        self, known_ids: dict[str, int], begin_ms: int, complete_ms: int, contents: dict[str, str] | None = None
    ) -> None:
        """Merge the known fills of earlier sessions into a running session."""
        self._known_ids = dict(known_ids) | self._known_ids
        self._contents = (contents or {}) | self._contents
        if begin_ms:
            self.begin_ms, self.complete_ms = begin_ms, complete_ms

    def set_journal_begin(self, now_ms: int) -> None:
        """Set the server time at which the journal begins."""
        self.begin_ms = self.complete_ms = self.counted_from_ms = now_ms

    def roll_day(self, now_ms: int) -> None:
        """Start a new day's result if this server time is on a new UTC day."""
        if self.day.begin(now_ms // DAY_MS):
            for sym in self.day.by_sym:
                self._publish_day(sym)

    def fold(self, record: TradeRecord, stamp: Stamp) -> bool:
        """Apply a fill; return whether it is new: seen for the first time, and not read from before the journal's begin."""
        name = fill_name(record, self._known_ids, self._contents)
        if self.day.add(record, name) is not None:
            self._publish_day(record.sym)
        self._publish(name, record, stamp)
        history = stamp.source is not Source.PUSH and parse_created_ms(record) < self.begin_ms
        if name in self._known_ids or history:
            return False
        self._known_ids[name], self._contents[name] = parse_created_ms(record), fill_content(record)
        if is_repeated_id(name):
            self.repeated.append(record)
        self.newest.append(record)
        size = decimals.optional(record.quantity) or decimals.ZERO
        algo = record.algo_order_id or "0"
        if algo != "0":
            _add(self.of_algos, algo, record)
        _add(self.of_orders, record.order_id, record)
        self.filled[record.sym] = self.filled.get(record.sym, decimals.ZERO) + (
            size if record.side == Side.BUY else -size
        )
        if len(self._known_ids) > MAX_KNOWN_IDS:
            oldest = next(iter(self._known_ids))
            del self._known_ids[oldest]
            self._contents.pop(oldest, None)
        return True

    def take_repeated(self) -> list[TradeRecord]:
        """Return and clear the new fills that arrived with an already used transaction id."""
        repeated, self.repeated = self.repeated, []
        return repeated

    def _publish(self, name: str, record: TradeRecord, stamp: Stamp) -> None:
        if name in self._on_table:
            return
        self._on_table[name] = None
        heapq.heappush(self._table, (parse_created_ms(record), name))
        self._updates.put(Table.FILLS, name, Fact(record, stamp))
        while len(self._table) > self._max_rows:
            _, oldest = heapq.heappop(self._table)
            del self._on_table[oldest]
            self._updates.put(Table.FILLS, oldest, None)

    def _publish_day(self, sym: str) -> None:
        day = self.day.day
        self._updates.put(Table.DAYS, f"{day}/{sym}", DayRow(sym=sym, day_ms=day * DAY_MS, sums=self.day.by_sym[sym]))
