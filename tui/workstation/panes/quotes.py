"""Quotes: one row per symbol and venue, and above two or more venues of one pair their best bid and offer."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import ClassVar

import msgspec

from tui.engine.rows import QuoteRow, Table
from tui.interface.symbols import Symbol
from tui.workstation import numbers
from tui.workstation.palette import Piece
from tui.workstation.panes.pane import (
    Cell,
    Column,
    Layout,
    Pane,
    View,
    base_units,
    in_contracts,
    pair_name,
    symbol,
)

DIM_AFTER_S = 2.0
STALE_AFTER_S = 5.0

_TYPES = {"PERP": 0, "SPOT": 1, "MARGIN": 2}
_BASES = {"BTC": 0, "ETH": 1}


class QuoteLine(msgspec.Struct, frozen=True, gc=False):
    """One row of the pane: a venue's quote, or the best of several (`of` above 0)."""

    key: str
    label: str
    quote: QuoteRow
    sym: str = ""
    venues: int = 0
    """Venues that take part."""
    of: int = 0
    """Venues of the pair; 0: the quote of one venue."""

    @property
    def best(self) -> bool:
        """Whether it is the best of several venues."""
        return self.of > 0


def best_of(quotes: list[QuoteRow], view: View, key: str) -> tuple[QuoteRow, int]:
    """Best bid and ask over the venues that take part, with the size at that price in base units.

    A quote that is only quiet takes part: it is what the venue holds as long as the link is proven. The age is the
    oldest of those at the touch.
    """
    bids: list[tuple[Decimal, QuoteRow]] = []
    asks: list[tuple[Decimal, QuoteRow]] = []
    fresh = 0
    for quote in quotes:
        if not _takes_part(quote, view):
            continue
        bid, ask = numbers.value(quote.bid), numbers.value(quote.ask)
        fresh += 1
        if bid:
            bids.append((bid, quote))
        if ask:
            asks.append((ask, quote))

    def at(level: Decimal, side: list[tuple[Decimal, QuoteRow]], bid_side: bool) -> str:
        total = Decimal(0)
        for price, quote in side:
            if price == level:
                size = numbers.value(quote.bid_qty if bid_side else quote.ask_qty)
                base = None if size is None else base_units(quote.sym, size, view.info(quote.sym))
                if base is None:
                    return ""
                total += base
        return format(total, "f")

    top = max((price for price, _ in bids), default=None)
    low = min((price for price, _ in asks), default=None)
    touch = [quote for price, quote in bids if price == top] + [quote for price, quote in asks if price == low]
    row = QuoteRow(
        sym=key,
        bid="" if top is None else format(top, "f"),
        bid_qty="" if top is None else at(top, bids, True),
        ask="" if low is None else format(low, "f"),
        ask_qty="" if low is None else at(low, asks, False),
        received=min((quote.received for quote in touch or quotes), default=0.0),
    )
    return row, fresh


def _takes_part(quote: QuoteRow, view: View) -> bool:
    return bool(quote.received) and quote.subscribed and view.mirror.proven("public")


def _mark(line: QuoteLine, view: View) -> Cell:
    del view
    return ("", "text") if line.best or line.quote.subscribed else ("×", "alert")


def _symbol(line: QuoteLine, view: View) -> Cell:
    del view
    if line.best:
        note = "" if line.venues == line.of else f" {line.venues}/{line.of}"
        return line.label + note, "strong"
    return line.label, "text"


def _sample(line: QuoteLine) -> str:
    """A symbol whose decimals fit the row."""
    return line.sym or line.key


def _live(line: QuoteLine, view: View, role: str) -> str:
    quote = line.quote
    if not quote.received:
        return "faint"
    if line.best:
        return role if line.venues else "stale"
    return role if view.now - quote.received <= STALE_AFTER_S or view.mirror.proven("public") else "stale"


def _bid(line: QuoteLine, view: View) -> Cell:
    return view.price(line.sym, line.quote.bid or None, True), _live(line, view, "strong" if line.best else "text")


def _ask(line: QuoteLine, view: View) -> Cell:
    return view.price(line.sym, line.quote.ask or None, True), _live(line, view, "strong" if line.best else "text")


def _size(line: QuoteLine, text: str, view: View) -> Cell:
    if line.best:
        return numbers.figure(text or None, 3, view.settings.separators), "dim"
    info = view.info(line.sym)
    places = numbers.places(info.lot_size) if info else None
    figure = numbers.figure(text or None, places, view.settings.separators)
    if figure != numbers.MISSING and in_contracts(line.sym):
        figure += "ct"
    return figure, "dim"


def _bid_qty(line: QuoteLine, view: View) -> Cell:
    return _size(line, line.quote.bid_qty, view)


def _ask_qty(line: QuoteLine, view: View) -> Cell:
    return _size(line, line.quote.ask_qty, view)


def _spread_parts(line: QuoteLine, view: View) -> tuple[str, str, str]:
    bid, ask = numbers.value(line.quote.bid), numbers.value(line.quote.ask)
    if not bid or not ask:
        return numbers.MISSING, "", "faint"
    role, mark = "dim", ""
    if bid > ask:
        role, mark = "warn", "X"
    elif bid == ask:
        role, mark = "warn", "="
    points = numbers.basis_points(bid, ask)
    bp = f"{abs(points)}bp" if points is not None else ""
    info = view.info(line.sym)
    ticks = numbers.ticks_between(bid, ask, numbers.value(info.tick_size) if info else None)
    return mark + (f"{abs(ticks)}t" if ticks is not None and not line.best else bp), bp, role


def _spread(line: QuoteLine, view: View) -> Cell:
    short, _, role = _spread_parts(line, view)
    return short, role


def _spread_long(line: QuoteLine, view: View) -> Cell:
    short, bp, role = _spread_parts(line, view)
    return (short if line.best or not bp else f"{short} {bp}"), role


def _mark_price(line: QuoteLine, view: View) -> Cell:
    if line.best or not line.quote.mark:
        return "", "faint"
    return view.price(line.sym, line.quote.mark), "dim"


def _basis(line: QuoteLine, view: View) -> Cell:
    del view
    mark, bid, ask = (numbers.value(text) for text in (line.quote.mark, line.quote.bid, line.quote.ask))
    if line.best or not mark or not bid or not ask:
        return "", "faint"
    points = numbers.basis_points((bid + ask) / 2, mark)
    return ("" if points is None else f"{points:+}bp"), "dim"


def _age(line: QuoteLine, view: View) -> Cell:
    received = line.quote.received
    if not received:
        return (numbers.MISSING if line.quote.subscribed else "none"), "faint"
    seconds = view.now - received
    if seconds > STALE_AFTER_S and not view.mirror.proven("public"):
        return "~" + numbers.age(seconds), "stale"
    return numbers.age(seconds), "faint" if seconds > DIM_AFTER_S else "dim"


def _column(title: str, width: int) -> Column[QuoteLine]:
    cells = {
        "": (_mark, True),
        "symbol": (_symbol, True),
        "bid qty": (_bid_qty, False),
        "bid": (_bid, False),
        "ask": (_ask, False),
        "ask qty": (_ask_qty, False),
        "sprd": (_spread, False),
        "spread": (_spread_long, False),
        "mark": (_mark_price, False),
        "basis": (_basis, False),
        "age": (_age, False),
    }
    cell, left = cells[title]
    flash = {"bid": lambda line: line.quote.bid, "ask": lambda line: line.quote.ask}.get(title)
    return Column(title=title, width=width, cell=cell, left=left, flash=flash)


def _columns(*columns: tuple[str, int]) -> tuple[Column[QuoteLine], ...]:
    return tuple(_column(title, width) for title, width in columns)


_LAYOUTS = (
    Layout(
        111,
        _columns(
            ("", 2), ("symbol", 22), ("bid qty", 11), ("bid", 12), ("ask", 12), ("ask qty", 11),
            ("spread", 12), ("mark", 12), ("basis", 9), ("age", 8),
        ),
    ),
    Layout(
        98,
        _columns(
            ("", 2), ("symbol", 19), ("bid qty", 10), ("bid", 12), ("ask", 12), ("ask qty", 10),
            ("sprd", 7), ("mark", 11), ("basis", 8), ("age", 7),
        ),
    ),
    Layout(
        78,
        _columns(
            ("", 2), ("symbol", 20), ("bid qty", 10), ("bid", 11), ("ask", 11), ("ask qty", 10), ("sprd", 7), ("age", 7)
        ),
    ),
    Layout(
        76,
        _columns(
            ("", 2), ("symbol", 19), ("bid qty", 10), ("bid", 11), ("ask", 11), ("ask qty", 10), ("sprd", 7), ("age", 6)
        ),
    ),
    Layout(56, _columns(("", 2), ("symbol", 19), ("bid", 11), ("ask", 11), ("sprd", 7), ("age", 6))),
    Layout(38, _columns(("symbol", 15), ("bid", 12), ("ask", 11))),
)  # fmt: skip


class QuotesPane(Pane[QuoteLine]):
    """Best bid and offer of every symbol watched."""

    id: ClassVar[str] = "quotes"
    title: ClassVar[str] = "Quotes"
    number: ClassVar[int] = 1
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.QUOTES, Table.SYMBOLS, Table.LINKS])

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._groups: dict[str, list[str]] = {}
        self._group_of: dict[str, str] = {}
        self._order: list[str] = []
        self._known: frozenset[str] = frozenset()

    @property
    def layouts(self) -> tuple[Layout[QuoteLine], ...]:
        return _LAYOUTS

    def keys(self) -> list[str]:
        mirror = self.view.mirror
        known = frozenset(mirror.symbols) | frozenset(mirror.quotes)
        if known != self._known:
            self._known = known
            self._arrange(known)
        return self._order

    def _arrange(self, known: frozenset[str]) -> None:
        groups: dict[tuple[int, str, int, str], list[Symbol]] = {}
        others: list[str] = []
        for sym in known:
            parts = symbol(sym)
            if parts is None:
                others.append(sym)
                continue
            group = (
                _BASES.get(parts.base, 9),
                pair_name(parts),
                _TYPES.get(parts.business_type, 9),
                parts.business_type,
            )
            groups.setdefault(group, []).append(parts)
        self._groups, self._group_of, self._order = {}, {}, []
        for group in sorted(groups):
            syms = [parts.sym for parts in sorted(groups[group], key=lambda parts: parts.exchange)]
            if len(syms) > 1:
                key = f"best {group[3]} {group[1]}"
                self._groups[key] = syms
                self._order.append(key)
                for sym in syms:
                    self._group_of[sym] = key
            self._order += syms
        self._order += sorted(others)

    def row(self, key: str) -> QuoteLine | None:
        mirror = self.view.mirror
        members = self._groups.get(key)
        if members is None:
            parts = symbol(key)
            quote = mirror.quotes.get(key)
            if quote is None:
                if key not in mirror.symbols:
                    return None
                quote = QuoteRow(sym=key)
            if parts is None:
                label = key
            elif key in self._group_of:
                label = "  " + parts.exchange
            else:
                label = f"{pair_name(parts)} {parts.business_type.lower()} {parts.exchange}"
            return QuoteLine(key, label, quote, key)
        quotes = [mirror.quotes[sym] for sym in members if sym in mirror.quotes]
        best, venues = best_of(quotes, self.view, key)
        _, kind, pair = key.split(" ", 2)
        return QuoteLine(key, f"{pair} {kind.lower()} best", best, members[0], venues, len(members))

    def changed(self, table: Table, keys: Iterable[str]) -> tuple[Iterable[str], bool]:
        if table is Table.SYMBOLS:
            return self._order, True
        if table is Table.LINKS:
            return self._order, False
        touched = set()
        new = False
        for key in keys:
            touched.add(key)
            group = self._group_of.get(key)
            if group is not None:
                touched.add(group)
            new = new or key not in self._known
        return touched, new

    def counts(self) -> list[Piece]:
        return [(str(len(self._known)), "dim")]

    def short(self) -> str:
        return str(len(self._known))

    def empty(self) -> str:
        return "no symbols yet"

    def sym(self, key: str) -> str:
        return "" if key in self._groups else key
