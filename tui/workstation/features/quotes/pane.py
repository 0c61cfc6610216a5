"""Quotes pane: one row per symbol and venue, and above them the best bid and ask over several venues of a pair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar

import msgspec

from tui.engine.rows import QuoteRow, Table
from tui.interface.symbols import Symbol, coin_pair, try_parse
from tui.interface.text import clean
from tui.workstation.features.quotes import cells
from tui.workstation.features.quotes.cells import QuoteLine
from tui.workstation.features.quotes.consolidated_bbo import (
    ConsolidatedQuote,
    VenueQuote,
    VenueTouch,
    best_of,
    touch_of,
)
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import venue_of
from tui.workstation.render.pieces import Piece
from tui.workstation.table.columns import SPARE, Column, Field, Fields, of_row
from tui.workstation.table.pane import NO_ROWS, ChangedRows, Pane
from tui.workstation.table.raw_facts import raw_facts
from tui.workstation.table.row_filter import FilterFacts

if TYPE_CHECKING:
    from tui.engine.service_query import ServiceQuery
    from tui.workstation.features.quotes.minute_closes import MinuteCloses

__all__ = ["QuoteLine", "QuotesPane"]

MOST_UNASKED = 80
"""Most symbols shown while the trader has chosen no list."""

MINUTES_SHOWN = 60
"""Minutes of the sparkline."""

_MARK, _SYMBOLS = "card/mark/", "card/symbols/"
"""Query keys of the details of a pair: by pair, and by venue."""
_TYPES = {"PERP": 0, "SPOT": 1, "MARGIN": 2}
_BASES = {"BTC": 0, "ETH": 1}


def _no_source(line: QuoteLine) -> object:
    """Return None as the data that a cell depends on, because the cell depends only on other tables."""
    del line
    return None


def _touch(line: QuoteLine) -> object:
    return line.quote.bid, line.quote.ask


def _touch_and_mark(line: QuoteLine) -> object:
    return line.quote.bid, line.quote.ask, line.quote.mark


_FIELDS: Fields[QuoteLine] = {
    "sign": Field(2, cells.mark_sign, left=True, title=" ", prose=True, of=_no_source, hide=1),
    "symbol": Field(
        22,
        of_row(cells.symbol_label),
        left=True,
        short=of_row(cells.symbol_short),
        prose=True,
        of=attrgetter("label"),
        least=15,
    ),
    "bid qty": Field(11, cells.bid_qty, of_row(cells.by_bid_qty), least=10, hide=3, of=attrgetter("quote.bid_qty")),
    "bid": Field(12, cells.bid, cells.by_bid, flash=attrgetter("quote.bid"), of=attrgetter("quote.bid"), least=11),
    "ask": Field(12, cells.ask, cells.by_ask, flash=attrgetter("quote.ask"), of=attrgetter("quote.ask"), least=11),
    "ask qty": Field(11, cells.ask_qty, of_row(cells.by_ask_qty), least=10, hide=3, of=attrgetter("quote.ask_qty")),
    "sprd": Field(7, cells.spread, cells.by_spread, hide=2, instead=("spread",), of=_touch),
    "spread": Field(10, cells.spread_long, cells.by_spread, hide=SPARE, of=_touch),
    "own": Field(15, cells.own, cells.by_own, hide=14, title="own ~ahead"),
    "at": Field(
        13,
        of_row(cells.at_venues),
        left=True,
        hide=14,
        short=of_row(cells.at_venues_short),
        title=" bid/ask",
        prose=True,
        of=attrgetter("at"),
    ),
    "last": Field(11, cells.last, cells.by_last, hide=14, of=_no_source),
    "mark": Field(12, cells.mark_price, of_row(cells.by_mark), least=11, hide=5, of=attrgetter("quote.mark")),
    "mid": Field(13, cells.middle, of_row(cells.compute_middle), hide=15, of=_touch),
    "basis": Field(9, of_row(cells.basis), of_row(cells.compute_basis), hide=16, of=_touch_and_mark),
    "funding": Field(10, cells.funding, cells.by_funding, least=8, hide=4, of=_no_source),
    "fund/y": Field(9, cells.funding_yearly, cells.by_funding_yearly, hide=16, of=_no_source),
    "pays in": Field(9, cells.funding_countdown, cells.by_countdown, hide=16),
    "24h": Field(9, cells.day_change, cells.by_day_change, hide=6, of=_no_source),
    "60m": Field(cells.SPARK_CELLS + 1, cells.sparkline, cells.by_hour_change, hide=17, of=_no_source),
    "OI": Field(13, cells.open_interest, cells.by_open_interest, hide=18, of=_no_source),
    "age": Field(7, cells.age, cells.by_age, least=5, hide=1),
    "link": Field(9, cells.link_cell, left=True, hide=14, title=" link", prose=True, least=8),
}


class QuotesPane(Pane[QuoteLine]):
    """Pane with the best bid and ask of each symbol in the trader's list."""

    id: ClassVar[str] = "quotes"
    title: ClassVar[str] = "Quotes"
    number: ClassVar[int] = 1
    feeds: ClassVar[frozenset[Table]] = frozenset(
        [
            Table.QUOTES, Table.SYMBOLS, Table.LINKS, Table.ORDERS, Table.POSITIONS, Table.FUNDING, Table.TICKERS,
            Table.FEES, Table.BARS,
        ]
    )  # fmt: skip
    rows_of: ClassVar[Table | None] = Table.QUOTES
    views: ClassVar[tuple[str, ...]] = ("plain", "net of taker fee")
    names_views: ClassVar[bool] = True
    personal_columns: ClassVar[frozenset[str] | None] = frozenset(["own"])

    def __init__(self, view: DisplayContext) -> None:
        super().__init__(view)
        self._groups: dict[str, list[str]] = {}
        self._group_of: dict[str, str] = {}
        self._order: list[str] = []
        self._known: frozenset[str] = frozenset()
        self._quoted: set[str] = set()
        """Symbols that had a quote."""
        self._own: tuple[str, ...] = ()
        self._shown: frozenset[str] = frozenset()
        """Symbols of the list, computed of `_shown_of`."""
        self._shown_of: tuple[object, ...] = ()
        self.list_name = ""
        """Name of the watchlist; empty: the list of the settings."""
        self._venue_touches: dict[str, VenueTouch] = {}
        self.touch_count = 0
        """Number of touches computed since the start; for tests."""
        self._all = False
        self._was_proven = False
        """Whether the public link was proven at its last change."""

    fields = _FIELDS

    # Symbols and their order

    @property
    def listed(self) -> tuple[str, ...]:
        """Symbols chosen by the trader; if empty, all are shown, of too many only the first and those traded."""
        return self._own

    def list_only(self, syms: Iterable[str], name: str | None = None) -> None:
        """Show only these symbols.

        Args:
            syms: Symbols.
            name: Name of the list, shown in the title; empty: it has none; None: the name stays.
        """
        self._own = tuple(dict.fromkeys(syms))
        self.list_name = self.list_name if name is None else name
        self._known = frozenset()

    def show_all(self, *, on: bool) -> None:
        """Show all symbols of the service while the trader searches for one; afterwards only the usual ones."""
        if on is not self._all:
            self._all = on
            self._known = frozenset()

    def all_symbols(self) -> frozenset[str]:
        """Return all known symbols."""
        return self.view.mirror.known_syms

    def add(self, sym: str) -> bool:
        """Add a symbol to the list; return False if it was already there."""
        if sym in self.list_shown_syms():
            return False
        self.list_only([*sorted(self.list_shown_syms()), sym])
        return True

    def can_drop(self, sym: str) -> bool:
        """Return whether a symbol can be removed: it is in the list and not the last one."""
        return len(self.list_shown_syms()) > 1 and sym in self.list_shown_syms()

    def drop(self, sym: str) -> bool:
        """Remove a symbol from the list; return False if it is missing or the last one."""
        if not self.can_drop(sym):
            return False
        self.list_only(listed for listed in sorted(self.list_shown_syms()) if listed != sym)
        return True

    def list_shown_syms(self) -> frozenset[str]:
        """Return the symbols of the list, chosen or by default, without those that only a search shows."""
        known, own = self.all_symbols(), self.view.mirror.own_syms
        if (of := (known, own, self._own)) != self._shown_of:
            self._shown_of, self._shown = of, self._choose_shown(known, own)
        return self._shown

    def _choose_shown(self, known: frozenset[str], own: frozenset[str]) -> frozenset[str]:
        if self._own:
            return frozenset(self._own) & known
        if len(known) <= MOST_UNASKED:
            return known
        return frozenset(sorted(known)[:MOST_UNASKED]) | (own & known)

    def syms_of(self, keys: Iterable[str]) -> Iterator[str]:
        """Yield the symbols whose quotes these rows show; a consolidated row has several."""
        for key in keys:
            yield from self._groups.get(key, (key,))

    def keys(self) -> list[str]:
        known = self.all_symbols() if self._all else self.list_shown_syms()
        if known != self._known:
            self._known = known
            self._arrange(known)
        return self._order

    def _arrange(self, known: frozenset[str]) -> None:
        groups: dict[tuple[int, str, int, str], list[Symbol]] = {}
        others: list[str] = []
        for sym in known:
            parts = try_parse(sym)
            if parts is None:
                others.append(sym)
                continue
            kind = parts.business_type
            group = (_BASES.get(parts.base, 9), coin_pair(parts), _TYPES.get(kind, 9), kind)
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

    # Rows

    @cached_property
    def closes(self) -> MinuteCloses:
        """Prices at the end of each minute of the last hour, as far as this program has seen them."""
        from tui.workstation.features.quotes.minute_closes import MinuteCloses

        return MinuteCloses()

    def row(self, key: str) -> QuoteLine | None:
        members = self._groups.get(key)
        if members is not None:
            return self._best(key, members)
        mirror = self.view.mirror
        quote = mirror.quotes.get(key)
        if quote is None:
            if key not in mirror.symbols:
                return None
            quote = QuoteRow(sym=key)
        role = cells.role_at(quote.received, self.view.now, "text")
        return QuoteLine(key, self._label(key), quote, key, info=mirror.symbols.get(key), role=role, closes=self.closes)

    def _best(self, key: str, members: list[str]) -> QuoteLine:
        best = best_of(self._touches(members), key)
        _, kind, pair = key.split(" ", 2)
        at = "/".join("+".join(venue_of(sym)[:3] for sym in syms) or "–" for syms in (best.bid_syms, best.ask_syms))
        word = "best" if best.live == len(members) else f"{best.live}/{len(members)}"
        return QuoteLine(
            key=key,
            label=f"{pair} {kind.lower()} {word}",
            quote=best.quote,
            sym=members[0],
            venues=best.live,
            of=len(members),
            at=at,
            bid_sym=next(iter(best.bid_syms), ""),
            ask_sym=next(iter(best.ask_syms), ""),
            info=self.view.info(members[0]),
            role=self._best_role(best),
        )

    def _best_role(self, best: ConsolidatedQuote) -> str:
        received = best.quote.received
        return "stale" if received and not best.live else cells.role_at(received, self.view.now, "strong")

    def _touches(self, members: list[str]) -> list[VenueTouch]:
        """Return the best prices of a pair's venues; only changed ones are computed again."""
        view, quotes = self.view, self.view.mirror.quotes
        proven = view.mirror.proven("public")
        return [self._touch_at(quotes[sym], proven=proven) for sym in members if sym in quotes]

    def _touch_at(self, quote: QuoteRow, *, proven: bool) -> VenueTouch:
        """Return the best prices of one venue after fees; recomputed only if quote, fee, rules or link state changed."""
        view = self.view
        fee, info = view.quote_fee(quote.sym), view.info(quote.sym)
        live = proven and bool(quote.received) and quote.subscribed
        kept = self._venue_touches.get(quote.sym)
        if kept is not None:
            of = kept.of
            if of.quote is quote and of.info is info and of.live == live and of.fee == fee:
                return kept
        touch = self._venue_touches[quote.sym] = touch_of(VenueQuote(quote, fee, info, live))
        self.touch_count += 1
        return touch

    def looks(self, row: QuoteLine) -> object:
        return cells.look_key(row)

    def touch_sym(self, key: str, *, bid: bool) -> str | None:
        """Return the symbol with the best bid or ask of a consolidated row (empty: none); None for a single venue's row."""
        line = self.row(key)
        if line is None or not line.best:
            return None
        return line.bid_sym if bid else line.ask_sym

    def _label(self, key: str) -> str:
        parts = try_parse(key)
        if parts is None:
            return key
        below_its_best = self.sorting is None and not self.filter.terms and key in self._group_of
        if below_its_best:
            return "  " + parts.exchange
        return f"{coin_pair(parts)} {parts.business_type.lower()} {parts.exchange}"

    def find_changed_rows(self, table: Table, keys: Iterable[str]) -> ChangedRows:
        if table is Table.SYMBOLS:
            return ChangedRows(self._order, may_move=True)
        if table is Table.LINKS:
            # Proofs of the link arrive all the time; rows change only when the link becomes proven or stops being so.
            was_proven, self._was_proven = self._was_proven, self.view.mirror.proven("public")
            return NO_ROWS if was_proven is self._was_proven else ChangedRows(self._order, may_move=False)
        if table is Table.FEES:
            return ChangedRows(self._order, may_move=False)
        if table is Table.ORDERS:
            orders = self.view.mirror.orders
            return ChangedRows({orders[key].sym for key in keys if key in orders}, may_move=self._lacks_symbols)
        if table is Table.POSITIONS:
            return ChangedRows((), may_move=self._lacks_symbols)
        if table is Table.BARS:
            self._note_bars(keys)
            return ChangedRows(keys, may_move=False)
        if table is Table.TICKERS:
            self._note_prices(keys)
        touched = set()
        new = False
        for key in keys:
            touched.add(key)
            group = self._group_of.get(key)
            if group is not None:
                touched.add(group)
            if key not in self._quoted:
                # Only a symbol without a quote so far can change the list; one that is left out stays so.
                self._quoted.add(key)
                new = True
        return ChangedRows(touched, may_move=new)

    def _note_prices(self, syms: Iterable[str]) -> None:
        closes, minute, tickers = self.closes, self.view.minute, self.view.mirror.tickers
        for sym in syms:
            ticker = tickers.get(sym)
            price = number_format.value(ticker.last) if ticker is not None else None
            if price:
                closes.note_price(sym, minute, float(price))

    def _note_bars(self, syms: Iterable[str]) -> None:
        for sym in syms:
            row = self.view.mirror.bars.get(sym)
            if row is not None and (row.interval, row.price) == ("1m", "last"):
                self.closes.note_bars(sym, cells.minute_closes(row.bars[-MINUTES_SHOWN:]))

    @property
    def _lacks_symbols(self) -> bool:
        """Whether the rows must be rebuilt because the symbols to list have changed."""
        return not self._all and self.list_shown_syms() != self._known

    def cycle_view(self, steps: int) -> bool:
        moved = super().cycle_view(steps)
        self.view.net_of_fee = self.view_at == 1
        # The heads of the prices say which they are.
        self.choices += moved
        return moved

    def columns(self, inside: int) -> tuple[Column[QuoteLine], ...]:
        """Choose the columns that fit; if prices are net of fees, the headings of bid and ask say so."""
        chosen = super().columns(inside)
        if not self.view.net_of_fee:
            return chosen
        return tuple(
            msgspec.structs.replace(column, title=f"net {column.title}") if column.id in ("bid", "ask") else column
            for column in chosen
        )

    def describe_view(self) -> str:
        if self.view.net_of_fee:
            return "quotes: prices net of the taker fee; ⟦view.back⟧ shows those of the venue again"
        return "quotes: prices of the venue; ⟦view.next⟧ shows them net of the taker fee"

    # Texts

    def counts(self) -> list[Piece]:
        name: list[Piece] = [(clean(self.list_name), "accent"), (" · ", "frame")] if self.list_name else []
        pieces: list[Piece] = [*name, (str(len(self.list_shown_syms())), "dim")]
        if self.view.net_of_fee:
            pieces += [(" · ", "frame"), ("NET OF TAKER FEE", "warn")]
            if key := self.view.key_of("view.back"):
                pieces += [(f" {key}", "key"), (" ends it", "dim")]
        return pieces

    def short(self) -> str:
        """Return the number of symbols, and a mark if the prices shown are net of fees."""
        net = f" NET OF FEE {self.view.key_of('view.back')}".rstrip() if self.view.net_of_fee else ""
        return f"{len(self.list_shown_syms())}{net}"

    def empty(self) -> str:
        return "no symbols in this group" + self.view.name_keys(": ⟦filter.open⟧ to search")

    def sym(self, key: str) -> str:
        return "" if key in self._groups else key

    def facts(self, key: str) -> FilterFacts | None:
        line = self.row(key)
        if line is None:
            return None
        parts = try_parse(line.sym)
        kind = f"{line.label} {key} {parts.business_type if parts else ''}"
        size = cells.smaller_size(line)
        age = Decimal(str(self.view.now - line.quote.received)) if line.quote.received else None
        venue = parts.exchange if parts is not None and not line.best else ""
        return FilterFacts(
            text=kind, sym=line.sym, venue=venue, state=cells.link_state(line, self.view)[0], age=age, qty=size
        )

    def detail_queries(self, key: str) -> tuple[ServiceQuery, ...]:
        """Return the queries for a row's card: mark price of a perpetual, and the pair in its venue's symbol list."""
        parts = try_parse(key)
        if parts is None or key in self._groups:
            return ()
        from tui.engine.service_query import query_endpoint

        listed = query_endpoint(f"{_SYMBOLS}{parts.exchange}", "symbols", (("exchange", parts.exchange),))
        mark = query_endpoint(f"{_MARK}{key}", "mark_price", (("sym", key),))
        return (mark, listed) if parts.is_perp else (listed,)

    def _describe_answers(self, key: str) -> list[tuple[str, str]]:
        """Return names and texts from the answers to `detail_queries`, as far as received."""
        from tui.interface.families.market import MarkPriceRow, SymbolRow

        facts: list[tuple[str, str]] = []
        for query in self.detail_queries(key):
            answer = self.view.mirror.answers.get(query.key)
            for row in answer.rows if answer is not None else ():
                if isinstance(row, MarkPriceRow | SymbolRow) and row.sym == key:
                    facts += raw_facts(row)
        return facts

    def details(self, key: str) -> list[tuple[str, str]]:
        members = self._groups.get(key)
        if members is None:
            mirror = self.view.mirror
            rows = (self.view.info(key), mirror.quotes.get(key), mirror.tickers.get(key), mirror.funding.get(key))
            facts = [fact for row in rows for fact in raw_facts(row)]
            return facts + self._describe_answers(key)
        line = self._best(key, members)
        facts = [("best", line.label), ("venues", f"{line.venues} of {line.of} take part"), ("bid/ask of", line.at)]
        for sym in members:
            quote = self.view.mirror.quotes.get(sym)
            if quote is not None:
                facts.append((sym, f"{quote.bid_qty} @ {quote.bid or '–'} / {quote.ask or '–'} @ {quote.ask_qty}"))
        return facts
