"""Ladder pane: prices of the open pair from high to low; rows stand still, sizes and own orders move through them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from tui.engine.rows import Table
from tui.workstation.features.ladder import cells
from tui.workstation.features.ladder.axis import Axis
from tui.workstation.input.fresh_press import WrittenLine
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name
from tui.workstation.render.palette import Piece
from tui.workstation.table.columns import Field, Fields, of_row
from tui.workstation.table.pair_pane import PairPane

if TYPE_CHECKING:
    from tui.workstation.features.ladder.book import Book, LadderRow

_FIELDS: Fields[LadderRow] = {
    "own": Field(12, of_row(cells.both_sides), left=True, least=8, instead=("own_buy", "own_sell"),
                 short=of_row(cells.both_short)),
    "own_buy": Field(12, of_row(cells.buys), left=True, title="own", hide=3, least=8,
                     short=of_row(lambda row: cells.own_short(row.buys))),
    "bids": Field(10, of_row(cells.bid), of_row(lambda row: row.bid), least=8,
                  short=of_row(lambda row: cells.size_short(row.bid))),
    "price": Field(15, cells.price, of_row(lambda row: row.low), least=11, short=cells.price_short),
    "asks": Field(10, of_row(cells.ask), of_row(lambda row: row.ask), least=8,
                  short=of_row(lambda row: cells.size_short(row.ask))),
    "own_sell": Field(12, of_row(cells.sells), left=True, title=" own", hide=3, least=8,
                      short=of_row(lambda row: cells.own_short(row.sells))),
    "marks": Field(11, of_row(cells.marks), left=True, title="level", hide=2, prose=True, least=7),
    "traded": Field(12, of_row(cells.volume), left=True, hide=4),
    "result": Field(11, cells.result, of_row(lambda row: row.result), title="P&L", hide=5),
}  # fmt: skip
_ACCOUNT = frozenset([Table.ORDERS, Table.POSITIONS, Table.ALGOS, Table.SYMBOLS])
_MARKET = frozenset([Table.QUOTES, Table.DEPTH, Table.PRINTS, Table.TICKERS])
OLD_S = 1.0
"""Age of the book from which on it is marked, s; the service sends it four times a second."""

BETWEEN: Piece = (" · ", "faint")
"""Sign between the parts of the title."""


class DrawnRow(NamedTuple):
    """Row of the cursor as it was last drawn."""

    number: int
    """Number of the drawing."""
    low: Decimal
    high: Decimal
    """Lowest and highest price of the row; equal without grouping."""


class LadderPane(PairPane["LadderRow"]):
    """Pane whose rows are prices; its cursor is a price that only the trader moves."""

    id: ClassVar[str] = "ladder"
    title: ClassVar[str] = "Ladder"
    feeds: ClassVar[frozenset[Table]] = _MARKET | _ACCOUNT
    needs_snapshot: ClassVar[bool] = False

    fields = _FIELDS

    def __init__(self, view: DisplayContext) -> None:
        super().__init__(view)
        self.axis: Axis | None = None
        """None until the tick of the pair is known."""
        self.book: Book | None = None
        self.alerts: Callable[[str], Iterable[Decimal]] = lambda _: ()
        """Prices of a pair at which an alert tells."""
        self.idle_s: Callable[[], float] = lambda: 0.0
        """Seconds without a key; 0 while the ladder must stay where it is."""
        self._placed: int | None = None
        """Price in ticks on which the cursor was put without a key."""
        self._recentres = False
        """Whether the window goes back to the best prices with the next second."""
        self._by_key: dict[str, int] = {}
        self.written = WrittenLine(lambda: self.shown_sym, self._describe_cursor)
        """Line of the cursor, and since when its price has stood there on the screen."""
        self._line = -1
        """Line of the cursor as last drawn."""
        self.drawn: DrawnRow | None = None
        """Row of the cursor as last drawn; None: not since it came on the screen."""
        self._drawings = 0

    def _describe_cursor(self) -> tuple[object, ...]:
        axis = self.axis
        return (axis.cursor, axis.top, axis.group, self._line, self.view.hot_until) if axis is not None else ()

    def show(self, sym: str) -> None:
        super().show(sym)
        self._restart()

    def _restart(self) -> None:
        """Begin with an axis of its own for the pair, whose tick may be another one."""
        self.axis = self.book = None
        self._by_key = {}
        self.note_cursor_hidden()

    # Rows

    def _begin(self) -> Axis | None:
        """Return the axis, once tick and a best price are known."""
        if self.axis is None and self.shown_sym:
            from tui.workstation.features.ladder.book import Book

            tick = self.view.mirror.tick_of(self.shown_sym)
            if tick is None:
                return None
            self.axis = Axis(tick)
            self.book = Book(self.shown_sym, self.view, self.axis)
            self.book.follow_quote()
            self.book.follow_depth()
            self.book.follow_trades()
            self.book.follow_ticker()
            self.book.follow_account()
        return self.axis

    def keys(self) -> list[str]:
        axis = self._begin()
        if axis is None or self.book is None:
            return []
        if axis.lines != self.lines:
            axis.resize(self.lines)
        start = self.book.best_bid if self.book.best_bid is not None else self.book.best_ask
        if axis.cursor is None and start is not None and axis.lines:
            axis.place(start)
            self._placed = axis.cursor
        elif start is not None:
            self._recentre(axis, start)
        self.book.follow_alerts(self.alerts(self.shown_sym))
        self._by_key = {self._key(row): row for row in axis.rows if row >= 0}
        return list(self._by_key)

    def _recentre(self, axis: Axis, start: int) -> None:
        """Go back to the best prices if the setting says so and nobody has moved the cursor; the title says it before."""
        after = self.view.settings.ladder_recentre_s
        left = after - self.idle_s()
        if not after or left > 1 or axis.cursor != self._placed or not self._touch_outside():
            self._recentres = False
        elif not self._recentres:
            self._recentres = True
        elif left <= 0:
            self._recentres = False
            axis.cursor = self._placed = start
            axis.centre(start)

    def go_to_market(self) -> None:
        """Put window and cursor on the best prices if they are outside the window."""
        axis, book = self.axis, self.book
        if axis is not None and book is not None and book.best_bid is not None and self._touch_outside():
            axis.cursor = self._placed = book.best_bid
            axis.centre(book.best_bid)

    def _key(self, row: int) -> str:
        axis = self.axis
        assert axis is not None
        return number_format.field_text(axis.price_of(axis.range_of(row)[0]), axis.tick)

    @property
    def cursor_key(self) -> str:
        """Key of the row under the cursor; empty before there is one."""
        axis = self.axis
        return "" if axis is None or axis.cursor is None else self._key(axis.row_of(axis.cursor))

    def own_cursor(self) -> str:
        return self.cursor_key

    def note_selection(self, key: str) -> None:
        axis = self.axis
        if axis is not None and key in self._by_key and (axis.cursor is None or self.cursor_key != key):
            axis.cursor = axis.range_of(self._by_key[key])[0]

    def note_cursor_drawn(self, key: str, line: int, at: float) -> None:
        if key == self.cursor_key and self.axis is not None:
            self._line = line
            self._drawings += 1
            low = Decimal(key)
            self.drawn = DrawnRow(self._drawings, low, low + self.axis.tick * (self.axis.group - 1))
            self.written.note_drawing(at)

    def note_cursor_hidden(self) -> None:
        self.drawn = None
        self.written.forget()

    def row(self, key: str) -> LadderRow | None:
        if self.book is None or key not in self._by_key:
            return None
        return self.book.row(self._by_key[key])

    def looks(self, row: LadderRow) -> object:
        return row

    @property
    def rearranges(self) -> bool:
        """Whether rows are read again every second: the age of the book and the alerts are no rows of the engine."""
        return True

    def find_changed_rows(self, table: Table, keys: Iterable[str]) -> tuple[Iterable[str], bool]:
        book, axis = self.book, self.axis
        if book is None or axis is None or axis.cursor is None:
            return (), True
        if table is Table.SYMBOLS and self.view.mirror.tick_of(self.shown_sym) != axis.tick:
            price = axis.price_of(axis.cursor)
            self._restart()
            if (begun := self._begin()) is not None:
                begun.resize(self.lines)
                begun.place(begun.ticks_of(price))
            return (), True
        if table in _ACCOUNT:
            book.follow_account()
            return list(self._by_key), False
        if self.shown_sym not in keys:
            return (), False
        title = self._title_state(book)
        follow = {
            Table.QUOTES: book.follow_quote,
            Table.DEPTH: book.follow_depth,
            Table.PRINTS: book.follow_trades,
            Table.TICKERS: book.follow_ticker,
        }
        changed = [self._key(row) for row in follow[table]() if axis.holds(row) and row >= 0]
        return changed, self._title_state(book) != title

    def _title_state(self, book: Book) -> tuple[int, bool]:
        """Return what the title says: how far outside the window the best prices are, and whether there is a book."""
        return self._touch_outside(), book.depth_at is None

    def _touch_outside(self) -> int:
        """Return the ticks by which the best price lies above (positive) or below the window; 0: inside, or unknown."""
        axis, book = self.axis, self.book
        if axis is None or book is None or book.best_bid is None:
            return 0
        return axis.ticks_outside(book.best_bid)

    # Title

    def counts(self) -> list[Piece]:
        """Return pair and group, how far outside the window the best prices are, and the age of the book.

        Where the title is too narrow the last of them leave first: the group says which prices a row holds.
        """
        return self._title_pieces(0.0)

    def short(self) -> str:
        """Return the same beside other tabs: the age of the book only once it is old."""
        return "".join(text for text, _ in self._title_pieces(OLD_S))

    def _title_pieces(self, least_age: float) -> list[Piece]:
        axis, book = self.axis, self.book
        pieces: list[Piece] = [(full_name(self.shown_sym), "text")]
        if axis is None or book is None:
            return pieces
        if axis.group > 1:
            pieces.append((f" ×{axis.group}", "accent"))
        if far := self._touch_outside():
            arrow = "↑" if far > 0 else "↓"
            going: Piece = (f"to best {abs(far)}t", "alert")
            pieces += [BETWEEN, going if self._recentres else (f"best {abs(far)}t {arrow}", "warn")]
        age = self.view.now - book.depth_at if book.depth_at is not None else None
        if age is None:
            pieces += [BETWEEN, ("no book", "warn")]
        elif age >= least_age:
            pieces += [BETWEEN, (f"book {number_format.age(age)}", "dim" if age < OLD_S else "warn")]
        return pieces

    def empty(self) -> str:
        return f"no prices of {full_name(self.shown_sym)} yet" if self.shown_sym else "no pair is open"

    def copy_text(self, key: str) -> str:
        return key

    # Keys

    def price(self, *, low: bool = True) -> Decimal | None:
        """Return the price under the cursor: of a row of several prices the lowest or the highest."""
        axis = self.axis
        if axis is None or axis.cursor is None:
            return None
        return axis.price_of(axis.edge(axis.row_of(axis.cursor), buys=low))
