"""Ladder pane: prices of the open pair from high to low; rows stand still, sizes and own orders move through them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import msgspec

from tui.engine.rows import Table
from tui.workstation.features.ladder import cells
from tui.workstation.features.ladder.venues import VENUE_LEAST, asks_column, bids_column, venue_fields
from tui.workstation.input.fresh_press import WrittenLine
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import base_units, full_name, venue_of
from tui.workstation.render.pieces import Piece, pieces_width
from tui.workstation.table.columns import Column, Field, Fields, choose_columns, of_row
from tui.workstation.table.pair_pane import PairPane
from tui.workstation.table.pane import ChangedRows

if TYPE_CHECKING:
    from tui.workstation.features.ladder.axis import Axis
    from tui.workstation.features.ladder.book import Book, LadderRow

_FIELDS: Fields[LadderRow] = {
    "own": Field(12, cells.both_sides, left=True, least=8, instead=("own_buy", "own_sell"),
                 short=of_row(cells.both_short)),
    "own_buy": Field(12, cells.buys, left=True, title="own", hide=3, least=8,
                     short=of_row(lambda row: cells.own_short(row.buys))),
    "bids": Field(10, cells.bid, of_row(lambda row: row.bid), least=8,
                  short=of_row(lambda row: cells.size_short(row.bid))),
    "price": Field(15, cells.price, of_row(lambda row: row.low), least=11, short=cells.price_short),
    "asks": Field(10, cells.ask, of_row(lambda row: row.ask), least=8,
                  short=of_row(lambda row: cells.size_short(row.ask))),
    "own_sell": Field(12, cells.sells, left=True, title=" own", hide=3, least=8,
                      short=of_row(lambda row: cells.own_short(row.sells))),
    "marks": Field(11, of_row(cells.marks), left=True, title="level", hide=2, prose=True, least=9,
                   short=of_row(cells.marks_short)),
    "traded": Field(12, cells.volume, left=True, hide=4),
    "result": Field(11, cells.result, of_row(lambda row: row.result), title="P&L", hide=5),
}  # fmt: skip
_ACCOUNT = frozenset([Table.ORDERS, Table.POSITIONS, Table.ALGOS, Table.SYMBOLS])
_MARKET = frozenset([Table.QUOTES, Table.DEPTH, Table.PRINTS, Table.TICKERS])
OLD_S = 1.0
"""Age of the book from which on it is marked, s; the service sends it four times a second."""

TITLE_ENDS = 2
"""Cells of the frame beside the text of the title, more than beside the rows."""
VENUE_CODE = 3
"""Letters of a venue's name where the whole name does not fit, as in the quotes."""
BETWEEN: Piece = (" · ", "faint")
"""Sign between the parts of the title."""


class DrawnRow(NamedTuple):
    """Cursor's row of the ladder as last drawn: prices and time."""

    number: int
    """Number of the drawing."""
    sym: str
    """Pair in whose column the cursor was drawn."""
    low: Decimal
    high: Decimal
    """Lowest and highest price of the pair in the row; equal where it holds one."""


class LadderPane(PairPane["LadderRow"]):
    """Ladder: pane whose rows are prices; its cursor is a price, and with several venues also one of the venues."""

    id: ClassVar[str] = "ladder"
    title: ClassVar[str] = "Ladder"
    feeds: ClassVar[frozenset[Table]] = _MARKET | _ACCOUNT
    needs_snapshot: ClassVar[bool] = False
    personal_columns: ClassVar[frozenset[str] | None] = frozenset(["own", "own_buy", "own_sell", "marks", "result"])
    sorts: ClassVar[bool] = False

    def __init__(self, view: DisplayContext) -> None:
        super().__init__(view)
        self.axis: Axis | None = None
        """None until the tick of the pair is known."""
        self.venues: tuple[str, ...] = ()
        """Symbols of the venues on the axis; empty while one venue is shown."""
        self.at = 0
        """Number of the venue in whose columns the cursor stands."""
        self._inside = 0
        """Width inside the frame, cells."""
        self._first = 0
        """Number of the first venue whose columns are shown."""
        self._shown = 0
        """How many venues have columns."""
        self._books: tuple[Book, ...] = ()
        """Contents of each venue."""
        self._built: dict[str, str] = {}
        """By row, the pair in whose column the cursor stood when the row was last built."""
        self.alerts: Callable[[str], Iterable[Decimal]] = lambda _: ()
        """Prices of a pair at which an alert tells."""
        self.idle_s: Callable[[], float] = lambda: 0.0
        """Seconds without a key; 0 while the ladder must stay where it is."""
        self.on_let_go: Callable[[], None] = lambda: None
        """Called when a picked-up order is picked up no longer because it ended or moved."""
        self._placed: int | None = None
        """Price in ticks on which the cursor was put without a key."""
        self._recentres = False
        """Whether the window goes back to the best prices with the next second."""
        self._by_key: dict[str, int] = {}
        self.written = WrittenLine(lambda: self.cursor_sym, self._describe_cursor)
        """Line of the cursor, and since when its price has stood there on the screen."""
        self._line = -1
        """Line of the cursor as last drawn."""
        self.drawn: DrawnRow | None = None
        """Row of the cursor as last drawn; None: not since it came on the screen."""
        self._drawings = 0
        self.groups: dict[str, int] = {}
        """Ticks per row that the trader has chosen, by `group_key`."""

    def _describe_cursor(self) -> tuple[object, ...]:
        axis = self.axis
        return (axis.cursor, axis.top, axis.group, self._line, self.view.hot_until) if axis is not None else ()

    def show(self, sym: str) -> None:
        super().show(sym)
        if sym in self.venues:
            # The same prices: only the column of the cursor is another.
            self.go_to_venue(self.venues.index(sym))
            return
        self.venues, self.at, self._first = (), 0, 0
        self.choices += 1
        self._restart()

    def _restart(self) -> None:
        """Discard axis and contents, so that they are built anew for the pair or venues now shown."""
        self.axis, self._books = None, ()
        self._by_key, self._built = {}, {}
        self.note_cursor_hidden()

    # Venues

    @property
    def books(self) -> tuple[str, ...]:
        return tuple(sym for sym in self.venues if sym != self.shown_sym)

    @property
    def can_be_pinned(self) -> bool:
        return True

    @property
    def syms(self) -> tuple[str, ...]:
        """Symbols on the axis: the pair shown, or the same pair at several venues."""
        return self.venues or ((self.shown_sym,) if self.shown_sym else ())

    @property
    def group_key(self) -> str:
        """Symbols shown, joined as a key under which their number of ticks per row is stored."""
        return " ".join(self.syms)

    @property
    def cursor_sym(self) -> str:
        """Symbol of the columns under the cursor; order keys act on it."""
        return self.venues[self.at] if self.venues else self.shown_sym

    @property
    def book(self) -> Book | None:
        """Contents of the cursor's venue; None until the tick of the pair is known."""
        return self._books[self.at] if self._books else None

    @property
    def picked_sym(self) -> str:
        """Symbol of the picked-up order, at any of the venues; empty if none is picked up."""
        return next((book.sym for book in self._books if book.picked), "")

    @property
    def sends_to(self) -> str:
        return venue_of(self.cursor_sym) if self.venues else ""

    def sym(self, key: str) -> str:
        del key
        return self.cursor_sym

    def show_venues(self, syms: tuple[str, ...]) -> None:
        """Show the given venues on one axis, or only the pair if empty; the cursor keeps its price and, if shown, venue."""
        here = self.cursor_sym
        self.at = syms.index(here) if here in syms else 0
        self.venues, self._first = syms, 0
        self.choices += 1
        self.begin_again()
        self.on_books(self.books)

    def go_to_venue(self, at: int) -> bool:
        """Put the cursor into the columns of another venue; return False if there is none."""
        if not 0 <= at < len(self.venues) or at == self.at:
            return False
        self.at = at
        self.choices += 1
        return True

    def note_column(self, column: str) -> bool:
        at = next((n for n, sym in enumerate(self.venues) if column.split(" ")[0] == venue_of(sym)), self.at)
        return self.go_to_venue(at)

    def begin_again(self) -> None:
        """Rebuild axis and contents; the cursor stays at the same price."""
        before = self.axis
        price = before.price_of(before.cursor) if before is not None and before.cursor is not None else None
        self._restart()
        if price is not None:
            self.go_to_price(price)

    def go_to_price(self, price: Decimal) -> None:
        """Put the cursor on a price and centre the window there."""
        if (begun := self._begin()) is not None:
            begun.resize(self.lines)
            begun.place(begun.ticks_of(price))

    @property
    def fields(self) -> Fields[LadderRow]:
        return venue_fields(self.venues, 0, len(self.venues), _FIELDS) if self.venues else _FIELDS

    @property
    def columns_id(self) -> str:
        return "" if self.venues else super().columns_id

    def columns(self, inside: int) -> tuple[Column[LadderRow], ...]:
        """Choose the columns for a width; with several venues those that fit, always including the cursor's venue."""
        self._inside = inside
        if not self.venues:
            return _name_levels(super().columns(inside))
        price = msgspec.structs.replace(_FIELDS["price"], least=self._price_width)
        fields = {**_FIELDS, "price": price}
        count = max(1, min(len(self.venues), (inside - price.least) // VENUE_LEAST))
        self._first = max(0, min(self._first, self.at, len(self.venues) - count), self.at - count + 1)
        self._shown = count
        return _name_levels(choose_columns(venue_fields(self.venues, self._first, count, fields), inside, self.choice))

    @property
    def _price_width(self) -> int:
        """Width of the price column, in cells; the venues' columns use the rest of the pane."""
        axis = self.axis
        if axis is None or axis.top is None:
            return _FIELDS["price"].least
        decimals = max(0, -int(axis.tick.as_tuple().exponent))
        highest = axis.price_of(axis.range_of(axis.top)[0])
        return len(self.view.amount(highest, decimals)) + 2

    def heading(self, column: Column[LadderRow]) -> str:
        sym = next((sym for sym in self.venues if column.id == bids_column(sym)), "")
        if sym:
            names = column.id, venue_of(sym)
            return next((name for name in names if len(name) < column.width), venue_of(sym)[:VENUE_CODE])
        book = self._book_below(column)
        return super().heading(column) if book is None else self._asks_heading(book, column.width)

    def heading_role(self, column: Column[LadderRow]) -> str:
        book = self._book_below(column)
        old = book is not None and (book.depth_at is None or self.view.now - book.depth_at >= OLD_S)
        return "warn" if old else super().heading_role(column)

    def _book_below(self, column: Column[LadderRow]) -> Book | None:
        """Return the contents of the venue whose asks are in a column; None for other columns."""
        return next((book for book in self._books if column.id in ("asks", asks_column(book.sym))), None)

    def _asks_heading(self, book: Book, cells: int) -> str:
        """Return the heading of the asks column: `asks`, the age of an old order book, or `no book`."""
        if book.depth_at is None:
            return next((name for name in ("no book", "touch") if len(name) < cells), "")
        age = self.view.now - book.depth_at
        return "asks" if age < OLD_S else f"{number_format.whole_age(age)} old"

    # Rows

    def _begin(self) -> Axis | None:
        """Return the axis, built once the ticks of all shown symbols are known; None before."""
        ticks = self._ticks()
        if self.axis is None and ticks:
            # Imported late: no ladder is open before the first frame.
            from tui.rules.rounding import coarser_tick
            from tui.workstation.features.ladder.axis import Axis

            self.axis = Axis(coarser_tick(ticks))
            self.axis.chosen = self.groups.get(self.group_key, 0)
            self._books = tuple(map(self._open_book, self.syms, ticks))
        return self.axis

    def _ticks(self) -> tuple[Decimal, ...]:
        """Return the tick of each shown symbol; empty while any tick is unknown."""
        ticks = tuple(tick for sym in self.syms if (tick := self.view.mirror.tick_of(sym)) is not None)
        return ticks if len(ticks) == len(self.syms) else ()

    def _open_book(self, sym: str, tick: Decimal) -> Book:
        """Create a symbol's contents from the present data; with several venues in base units and on its own ticks."""
        from tui.workstation.features.ladder.axis import VenueAxis
        from tui.workstation.features.ladder.book import Book

        assert self.axis is not None
        if self.venues:
            contract = base_units(sym, Decimal(1), self.view.mirror.symbols.get(sym))
            book = Book(sym, self.view, VenueAxis(tick, self.axis), contract)
        else:
            book = Book(sym, self.view, self.axis)
        book.follow_quote()
        book.follow_depth()
        book.follow_trades()
        book.follow_ticker()
        book.follow_account()
        return book

    def best_ticks(self, *, bid: bool) -> int | None:
        """Return the best bid or ask of the cursor's venue in ticks of the axis."""
        axis, book = self.axis, self.book
        price = book.best(bid=bid) if book is not None else None
        return None if axis is None or price is None else axis.ticks_of(price)

    def touch_keys(self) -> tuple[str, ...]:
        best = (self.best_ticks(bid=True), self.best_ticks(bid=False))
        axis = self.axis
        if axis is None:
            return ()
        return tuple(self._key(axis.row_of(ticks)) for ticks in best if ticks is not None)

    def keys(self) -> list[str]:
        axis = self._begin()
        if axis is None:
            return []
        if axis.lines != self.lines:
            axis.resize(self.lines)
        start = self.best_ticks(bid=True)
        if start is None:
            start = self.best_ticks(bid=False)
        if axis.cursor is None and start is not None and axis.lines:
            axis.place(start)
            self._placed = axis.cursor
        elif start is not None:
            self._recentre(axis, start)
        for book in self._books:
            book.follow_alerts(self.alerts(book.sym))
        self._by_key = {self._key(row): row for row in axis.rows if row >= 0}
        self._built = {key: sym for key, sym in self._built.items() if key in self._by_key}
        return list(self._by_key)

    def _recentre(self, axis: Axis, start: int) -> None:
        """Go back to the best bid after the idle time in the settings, unless the trader has moved the cursor."""
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
        """Put the cursor on the best bid and centre the window there, if it is outside the window."""
        axis, best = self.axis, self.best_ticks(bid=True)
        if axis is not None and best is not None and self._touch_outside():
            axis.cursor = self._placed = best
            axis.centre(best)

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
        sym = self._built.get(key, "")
        tick = self.view.mirror.tick_of(sym)
        # A line built before the cursor went to another venue is no drawing of that venue.
        if key == self.cursor_key and self.axis is not None and tick is not None and sym == self.cursor_sym:
            self._line = line
            self._drawings += 1
            from tui.rules.rounding import ticks_in_row

            low, high = ticks_in_row(Decimal(key), self.axis.tick * self.axis.group, tick)
            self.drawn = DrawnRow(self._drawings, sym, tick * low, tick * high)
            self.written.note_drawing(at)

    def note_cursor_hidden(self) -> None:
        self.drawn = None
        self.written.forget()

    def row(self, key: str) -> LadderRow | None:
        book, axis = self.book, self.axis
        if book is None or axis is None or key not in self._by_key:
            return None
        row = self._by_key[key]
        self._built[key] = book.sym
        if not self.venues:
            return book.row(row)
        from tui.workstation.features.ladder.book import LadderRow

        venues, (low, high) = tuple(other.row(row) for other in self._books), axis.range_of(row)
        at = venues[self.at]
        return LadderRow(
            ticks=low, low=axis.price_of(low), high=axis.price_of(high), best=at.best, marks=at.marks, result=at.result,
            venues=venues, at=self.at,
        )  # fmt: skip

    def looks(self, row: LadderRow) -> object:
        return row

    @property
    def rearranges(self) -> bool:
        """Whether rows are read again every second: always, as alerts and the book's age change without engine events."""
        return True

    def find_changed_rows(self, table: Table, keys: Iterable[str]) -> ChangedRows:
        book, axis = self.book, self.axis
        if book is None or axis is None:
            return ChangedRows((), may_move=True)
        # The contents follow also while no price has placed the cursor: the first quote does.
        unplaced = axis.cursor is None
        if table is Table.SYMBOLS and self._ticks() != tuple(each.axis.tick for each in self._books):
            self.begin_again()
            return ChangedRows((), may_move=True)
        if table in _ACCOUNT:
            picked = self.picked_sym
            for each in self._books:
                each.follow_account()
            if picked != self.picked_sym:
                self.on_let_go()
            return ChangedRows(list(self._by_key), may_move=unplaced)
        changed_syms = set(keys)
        touched = [each for each in self._books if each.sym in changed_syms]
        if not touched:
            return ChangedRows((), may_move=unplaced)
        title = self._title_state(book)
        rows = {row for each in touched for row in _follow(each, table) if axis.holds(row) and row >= 0}
        moved = unplaced or self._title_state(book) != title
        return ChangedRows([self._key(row) for row in rows], may_move=moved)

    def _title_state(self, book: Book) -> tuple[int, bool]:
        """Return what the title depends on: ticks of the best prices outside the window, and whether the book is missing."""
        return self._touch_outside(), book.depth_at is None

    def _touch_outside(self) -> int:
        """Return the ticks by which the best bid lies above (positive) or below the window; 0: inside, or unknown."""
        axis, best = self.axis, self.best_ticks(bid=True)
        return 0 if axis is None or best is None else axis.ticks_outside(best)

    # Title

    def counts(self) -> list[Piece]:
        """Return pair and group, how far outside the window the best prices are, and the age of the book.

        Where the title is too narrow the last of them leave first: the group says which prices a row holds.
        """
        return self._title_pieces(0.0, f"{self.title} ─ ")

    def short(self) -> str:
        """Return the text of the pane's tab: like `counts`, but with the book's age only if it is old."""
        return "".join(text for text, _ in self._title_pieces(OLD_S, f"{self.title} "))

    def long(self) -> str:
        return "".join(text for text, _ in self.counts())

    def _title_pieces(self, least_age: float, name: str) -> list[Piece]:
        axis, book = self.axis, self.book
        pieces: list[Piece] = [(full_name(self.cursor_sym), "text")]
        if self.venues:
            pieces = [(f"→ {full_name(self.cursor_sym)}", "accent")]
        if self.pinned:
            pieces.insert(0, ("@ ", "accent"))
        if axis is None or book is None:
            return pieces
        if axis.group > 1:
            pieces.append((f" ×{axis.group}", "accent"))
        forms = self._venue_forms() if self.venues else [self._distance(), self._distance(short=True)]
        tail = self._book_age(book, least_age)
        # Where the age does not fit, a sign for it takes a cell.
        room = self._inside - TITLE_ENDS - pieces_width([(name, ""), *pieces]) - (1 if tail else 0)
        pieces += next((form for form in forms if pieces_width(form) <= room), [])
        return [*pieces, *tail]

    def _book_age(self, book: Book, least_age: float) -> list[Piece]:
        """Return the age of the order book if it is at least `least_age` s, or that there is no book."""
        age = self.view.now - book.depth_at if book.depth_at is not None else None
        if age is None:
            return [BETWEEN, ("no book", "warn")]
        if age < least_age:
            return []
        return [BETWEEN, (f"book {number_format.age(age)}", "dim" if age < OLD_S else "warn")]

    def _distance(self, *, short: bool = False) -> list[Piece]:
        """Return how many ticks outside the window the best bid is, and in which direction; empty if inside."""
        far = self._touch_outside()
        if not far:
            return []
        arrow = "↑" if far > 0 else "↓"
        if short:
            return [(f" to {arrow}{abs(far)}t", "alert") if self._recentres else (f" {arrow}{abs(far)}t", "warn")]
        going: Piece = (f"to best {abs(far)}t", "alert")
        return [BETWEEN, going if self._recentres else (f"best {abs(far)}t {arrow}", "warn")]

    def _venue_forms(self) -> list[list[Piece]]:
        """Return the title's venues, distance to the best prices and prices of the row, in several forms, longest first."""
        count, hidden = f"{self._shown} of {len(self.venues)} venues", self._shown < len(self.venues)
        short: list[Piece] = [(f" {self._shown}/{len(self.venues)}", "warn")] if hidden else []
        distance, near, (prices, rest) = self._distance(), self._distance(short=True), self._own_prices()
        return [
            [
                *([BETWEEN, (count, "warn")] if hidden else []),
                *distance,
                *([BETWEEN, (prices, "text")] if prices else []),
            ],
            *([*short, *near, (f" {text}", "text")] for text in (prices, rest) if text),
            [*short, *near],
        ]

    def _own_prices(self) -> tuple[str, str]:
        """Return the cursor's venue's prices if its row has several (`b` takes the lowest, `s` the highest), long and short.

        Also without the lowest, if the row itself begins with it.
        """
        low, high = self.price(), self.price(low=False)
        if low is None or high is None or low == high:
            return "", ""
        decimals = max(0, -int(low.as_tuple().exponent))
        prices = cells.price_range(low, high, decimals, self.view)
        return prices, prices[prices.index("–") :] if low == Decimal(self.cursor_key) else ""

    def empty(self) -> str:
        return f"no prices of {full_name(self.cursor_sym)} yet" if self.shown_sym else self.describe_no_pair()

    def copy_text(self, key: str) -> str:
        return key

    # Keys

    def price(self, *, low: bool = True) -> Decimal | None:
        """Return the lowest price of the cursor's row at the cursor's venue, or the highest if not `low`."""
        axis, book = self.axis, self.book
        if axis is None or book is None or axis.cursor is None:
            return None
        return book.axis.price_of(book.axis.edge(axis.row_of(axis.cursor), buys=low))


def _name_levels(columns: tuple[Column[LadderRow], ...]) -> tuple[Column[LadderRow], ...]:
    """Give the price column letters for levels if the column that names the levels does not fit."""
    if any(column.id == "marks" for column in columns):
        return columns
    return tuple(
        msgspec.structs.replace(
            column,
            field=msgspec.structs.replace(column.field, cell=cells.price_and_level, short=cells.price_and_level_short),
        )
        if column.id == "price"
        else column
        for column in columns
    )


def _follow(book: Book, table: Table) -> set[int]:
    """Update a venue's contents after a change in a market data table; return the rows that may have changed."""
    follow = {
        Table.QUOTES: book.follow_quote,
        Table.DEPTH: book.follow_depth,
        Table.PRINTS: book.follow_trades,
        Table.TICKERS: book.follow_ticker,
    }
    return follow[table]()
