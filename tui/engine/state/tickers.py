"""Public ticker data: last price, 24 h change, index price, open interest; for display only."""

from __future__ import annotations

from collections import Counter

import msgspec

from tui.engine.conflating_queue import TableSink
from tui.engine.rows import Table, TickerRow
from tui.interface.families.market import IndexPush, InterestPush, TickerPush


class Tickers:
    """Newest ticker data of each watched pair."""

    def __init__(self, updates: TableSink) -> None:
        self.rows: dict[str, TickerRow] = {}
        self._updates = updates
        self._index_followers: Counter[str] = Counter()
        """Number of views that follow the index price of a pair."""

    def ticker(self, sym: str, push: TickerPush) -> None:
        """Apply a ticker update."""
        row = self._row(sym)
        self._set(msgspec.structs.replace(row, last=push.last, change=push.percent, high=push.high, low=push.low))

    def interest(self, sym: str, push: InterestPush) -> None:
        """Apply an open interest update."""
        self._set(msgspec.structs.replace(self._row(sym), open_interest=push.open_interest))

    def index(self, sym: str, push: IndexPush) -> None:
        """Apply an index price update."""
        self._set(msgspec.structs.replace(self._row(sym), index=push.index))

    def follow_index(self, sym: str) -> None:
        """Count one more view that displays the pair's index price."""
        self._index_followers[sym] += 1

    def forget_index(self, sym: str) -> None:
        """Count one view less that displays the pair's index price; clear the price when none is left."""
        self._index_followers[sym] -= 1
        if self._index_followers[sym] > 0:
            return
        del self._index_followers[sym]
        if (row := self.rows.get(sym)) is not None:
            self._set(msgspec.structs.replace(row, index=""))

    def set_watched(self, syms: tuple[str, ...]) -> None:
        """Set the watched pairs and delete the others."""
        wanted = frozenset(syms)
        for sym in [sym for sym in self.rows if sym not in wanted]:
            del self.rows[sym]
            self._updates.put(Table.TICKERS, sym, None)

    def _row(self, sym: str) -> TickerRow:
        return self.rows.get(sym) or TickerRow(sym=sym)

    def _set(self, row: TickerRow) -> None:
        if self.rows.get(row.sym) != row:
            self.rows[row.sym] = row
            self._updates.put(Table.TICKERS, row.sym, row)
