"""Best bid and ask by symbol; each decoded frame makes one row and one update of the screen."""

from __future__ import annotations

from collections.abc import Callable

from tui.client.flood.newest_quotes import supersedes
from tui.engine.conflating_queue import TableSink
from tui.engine.rows import QuoteRow, Table
from tui.interface.families.market import Bbo, MarkPush
from tui.interface.times import millis


class Quotes:
    """Newest quote of each watched pair; a quote older than the shown one is dropped."""

    def __init__(self, updates: TableSink) -> None:
        self.rows: dict[str, QuoteRow] = {}
        self.newest = 0.0
        """Monotonic receive time of the newest quote of all pairs, s; 0 before the first."""
        self.dropped = 0
        """Quotes dropped because they were older than the shown one."""
        self.bring_up: Callable[[str], None] = lambda _sym: None
        """Has a quote of a pair delivered that was received and not decoded."""
        self._unwatched: dict[str, None] = {}
        self._put = updates.put
        self.begin_burst = updates.begin_burst
        self.end_burst = updates.end_burst

    def bbo(self, sym: str, quote: Bbo, received: float) -> None:
        """Apply a best bid and ask update."""
        ts = quote.ts if type(quote.ts) is int else millis(str(quote.ts))
        row = self.rows.get(sym)
        mark = ""
        if row is not None:
            if not supersedes(ts, row.ts):
                self.dropped += 1
                return
            mark = row.mark
        row = QuoteRow(
            sym=sym,
            bid=quote.bid,
            bid_qty=quote.bid_qty,
            ask=quote.ask,
            ask_qty=quote.ask_qty,
            mark=mark,
            ts=ts,
            received=received,
        )
        self.rows[sym] = row
        self.newest = max(self.newest, received)
        self._put(Table.QUOTES, sym, row)

    def current(self, sym: str) -> QuoteRow | None:
        """Return the newest quote received of a pair, delivering it first if it is still held back."""
        self.bring_up(sym)
        return self.rows.get(sym)

    def last_ts(self, sym: str) -> int:
        """Return the time of a pair's newest quote, in ms; 0 if there is none."""
        row = self.rows.get(sym)
        return 0 if row is None else row.ts

    def mark(self, sym: str, mark: MarkPush) -> None:
        """Apply a mark price update."""
        row = self.rows.get(sym) or QuoteRow(sym=sym)
        if row.mark != mark.mark:
            self._replace(row, mark=mark.mark)

    def record_subscription(self, sym: str, *, ok: bool) -> None:
        """Record whether the service accepted a pair's subscription; the next quote counts as newest, whatever its time."""
        row = self.rows.get(sym) or QuoteRow(sym=sym)
        if row.subscribed != ok or row.ts or sym not in self.rows:
            self._replace(row, subscribed=ok, ts=0)

    def set_watched(self, syms: tuple[str, ...], unwatched: tuple[str, ...] = ()) -> None:
        """Set the watched pairs: delete others, and publish an empty row for new ones.

        Args:
            syms: Watched pairs.
            unwatched: Wanted pairs for which there is no room.
        """
        wanted, shown = dict.fromkeys(syms), dict.fromkeys(unwatched)
        for sym in [sym for sym in (*self.rows, *self._unwatched) if sym not in wanted and sym not in shown]:
            self._put(Table.QUOTES, sym, None)
        for sym in [sym for sym in self.rows if sym not in wanted]:
            del self.rows[sym]
        for sym in [sym for sym in shown if sym not in self._unwatched]:
            self._put(Table.QUOTES, sym, QuoteRow(sym=sym, watched=False))
        self._unwatched = shown
        for sym in wanted:
            if sym not in self.rows:
                self._replace(QuoteRow(sym=sym))

    def _replace(
        self, row: QuoteRow, *, mark: str | None = None, subscribed: bool | None = None, ts: int | None = None
    ) -> None:
        row = QuoteRow(
            sym=row.sym,
            bid=row.bid,
            bid_qty=row.bid_qty,
            ask=row.ask,
            ask_qty=row.ask_qty,
            mark=row.mark if mark is None else mark,
            ts=row.ts if ts is None else ts,
            received=row.received,
            subscribed=row.subscribed if subscribed is None else subscribed,
        )
        self.rows[row.sym] = row
        self._put(Table.QUOTES, row.sym, row)
