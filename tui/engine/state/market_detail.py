"""Order book, trades, index price and bars of the watched pair, and books of others, each published as one row."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal

from tui.engine.conflating_queue import TableSink
from tui.engine.rows import BarsRow, DepthRow, PrintsRow, Table
from tui.engine.state.tickers import Tickers
from tui.interface.decimals import optional
from tui.interface.families.market import BarPrice, BookPush, IndexPush, KlineRow, TradePush
from tui.interface.streams import Detail
from tui.interface.times import millis

MOST_TRADES = 200
MOST_BARS = 1500
SHOWN_LEVELS = 50
MOST_BOOKS = 3
"""Most pairs beside the watched one whose order book is followed."""
Levels = dict[Decimal, tuple[str, str]]
"""Price and quantity as sent, by price."""


class MarketDetail:
    """Book, trades and bars of the watched pair; an incomplete book is never shown as complete."""

    def __init__(self, updates: TableSink, tickers: Tickers) -> None:
        self._updates = updates
        self._tickers = tickers
        self._detail: Detail | None = None
        self._bids: Levels = {}
        self._asks: Levels = {}
        self._seq = 0
        """Number of the newest push of the book; 0: the whole book was not received yet."""
        self._trades: deque[TradePush] = deque(maxlen=MOST_TRADES)
        self._ids: dict[str, None] = {}
        """Ids of the trades held."""
        self._bars: dict[int, KlineRow] = {}
        self._beside: dict[BarPrice, KlineRow] = {}
        """Newest bar of each price that is not shown."""
        self._newest_bar = 0
        """Open time of the newest bar that was pushed."""
        self._has_past = False
        """Whether all old bars were read since the pair is watched."""
        self.on_begin: Callable[[Detail], None] = lambda _: None
        """Called with each new subscription; bars may be missing since the last."""
        self.on_closed: Callable[[Detail, KlineRow], None] = lambda _, __: None
        """Called with each bar that closed."""

    def forget(self) -> None:
        """Clear everything, because no pair is watched any more."""
        detail, self._detail = self._detail, None
        if detail is not None:
            if not detail.only_book:
                self._tickers.forget_index(detail.sym)
            for table in (Table.DEPTH, Table.PRINTS, Table.BARS):
                self._updates.put(table, detail.sym, None)

    def begin(self, detail: Detail) -> None:
        """Begin a new subscription: clear the book; keep trades of the same pair, and bars if nothing else changed."""
        before = self._detail
        if before is None or detail.sym != before.sym:
            self.forget()
            if not detail.only_book:
                self._tickers.follow_index(detail.sym)
            self._trades.clear()
            self._ids.clear()
        if detail != before:
            self._bars.clear()
            self._newest_bar = 0
            self._beside.clear()
        self._detail = detail
        self._bids, self._asks, self._seq = {}, {}, 0
        self._has_past = False
        self._publish_book(0)
        self.on_begin(detail)

    def book(self, push: BookPush, *, whole: bool) -> bool:
        """Apply an order book update; return False when updates are missing, so that a new snapshot is needed."""
        seq, before = millis(str(push.seq)), millis(str(push.pre_seq))
        if whole:
            if seq < self._seq:
                # A late snapshot must not rewind the book.
                return True
            self._bids, self._asks = {}, {}
        elif not self._seq:
            return True
        elif before != self._seq:
            if seq <= self._seq:
                return True
            self._bids, self._asks, self._seq = {}, {}, 0
            self._publish_book(0)
            return False
        self._seq = seq
        _change(self._bids, push.bids)
        _change(self._asks, push.asks)
        self._publish_book(millis(str(push.ts)))
        return True

    def trades(self, pushes: Sequence[TradePush]) -> None:
        """Add public trades, without repeated ones."""
        for push in pushes:
            if push.trade_id and push.trade_id in self._ids:
                continue
            if len(self._trades) == MOST_TRADES:
                self._ids.pop(self._trades[-1].trade_id, None)
                self._trades.pop()
            self._trades.appendleft(push)
            self._ids[push.trade_id] = None
        if self._detail is not None:
            self._updates.put(
                Table.PRINTS, self._detail.sym, PrintsRow(sym=self._detail.sym, trades=tuple(self._trades))
            )

    def index(self, sym: str, push: IndexPush) -> None:
        """Store the index price of the pair with its ticker."""
        self._tickers.index(sym, push)

    def bars(self, rows: Sequence[KlineRow]) -> None:
        """Add price bars, or update the open one."""
        detail = self._detail
        for row in rows:
            start, closed = millis(str(row.open_time)), self._bars.get(self._newest_bar)
            if start > self._newest_bar:
                self._newest_bar = start
                if closed is not None and detail is not None:
                    self.on_closed(detail, closed)
            self._bars[start] = row
        self._publish_bars()

    def follow_bars(self, price: BarPrice, rows: Sequence[KlineRow]) -> None:
        """Take bars of a kind of price that is not displayed, so that the closed ones are stored for later."""
        detail = self._detail
        for row in rows:
            before = self._beside.get(price)
            if before is None or millis(str(row.open_time)) >= millis(str(before.open_time)):
                self._beside[price] = row
                if before is not None and before.open_time != row.open_time and detail is not None:
                    self.on_closed(detail._replace(price=price), before)

    def add_past(self, detail: Detail, rows: Iterable[KlineRow]) -> None:
        """Add older bars of the watched pair; the open bar stays as it was pushed."""
        if detail != self._detail:
            return
        for row in rows:
            start = millis(str(row.open_time))
            if not self._newest_bar or start < self._newest_bar:
                self._bars[start] = row
        self._publish_bars()

    def end_past(self, detail: Detail) -> None:
        """Record that all old bars of the watched pair were read, and publish the bars."""
        if detail == self._detail:
            self._has_past = True
            self._publish_bars()

    def _publish_bars(self) -> None:
        for oldest in sorted(self._bars)[:-MOST_BARS]:
            del self._bars[oldest]
        if self._detail is not None:
            shown = tuple(self._bars[at] for at in sorted(self._bars))
            sym, interval, price, _ = self._detail
            row = BarsRow(sym=sym, interval=interval.value, bars=shown, price=price.value, has_past=self._has_past)
            self._updates.put(Table.BARS, sym, row)

    def _publish_book(self, ts: int) -> None:
        if self._detail is None:
            return
        sym = self._detail.sym
        row = DepthRow(
            sym=sym, whole=bool(self._seq), ts=ts,
            bids=tuple(self._bids[price] for price in sorted(self._bids, reverse=True)[:SHOWN_LEVELS]),
            asks=tuple(self._asks[price] for price in sorted(self._asks)[:SHOWN_LEVELS]),
        )  # fmt: skip
        self._updates.put(Table.DEPTH, sym, row)


class OtherBooks:
    """Order books of pairs beside the watched one, each published as one row."""

    def __init__(self, updates: TableSink, tickers: Tickers) -> None:
        self._updates = updates
        self._tickers = tickers
        self._books: dict[str, MarketDetail] = {}

    def keep(self, syms: Iterable[str]) -> None:
        """Follow these pairs; clear the books of all others."""
        kept = dict.fromkeys(syms)
        for sym in self._books.keys() - kept:
            self._books.pop(sym).forget()

    def book_of(self, sym: str) -> MarketDetail:
        """Return the book of a pair."""
        if sym not in self._books:
            self._books[sym] = MarketDetail(self._updates, self._tickers)
        return self._books[sym]


def _change(levels: Levels, changed: Iterable[tuple[str, str]]) -> None:
    """Set absolute quantities of price levels; 0 removes a level, unreadable quantities are skipped."""
    for price_text, qty_text in changed:
        price, qty = optional(price_text), optional(qty_text)
        if price is None or qty is None:
            continue
        if qty:
            levels[price] = (price_text, qty_text)
        else:
            levels.pop(price, None)
