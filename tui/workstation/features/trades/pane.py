"""Trades pane: the public trades of one pair, a row per burst, own fills marked."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar

from tui.engine.rows import Table
from tui.interface.decimals import plain
from tui.workstation.features.trades.tape import Burst, group_bursts, measure_pace
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name
from tui.workstation.render.pieces import Piece
from tui.workstation.table.columns import Cell, Field, Fields, of_row
from tui.workstation.table.pair_pane import PairPane
from tui.workstation.table.pane import NO_ROWS, ChangedRows
from tui.workstation.table.row_filter import FilterFacts

if TYPE_CHECKING:
    from tui.workstation.features.trades.large_prints import LargePrints


def _time(row: Burst, view: DisplayContext) -> Cell:
    return view.moment(row.at), "dim"


def _price(row: Burst, view: DisplayContext) -> Cell:
    return view.price(row.sym, row.price), "buy" if row.side == "BUY" else "sell"


def _qty(row: Burst) -> Cell:
    return plain(row.qty), "text"


def _side(row: Burst) -> Cell:
    return row.side.lower(), "buy" if row.side == "BUY" else "sell"


def _count(row: Burst) -> Cell:
    return (f"×{row.count}" if row.count > 1 else ""), "dim"


def _own(row: Burst) -> Cell:
    return ("own" if row.own else ""), "accent"


_FIELDS: Fields[Burst] = {
    "time": Field(9, _time, of_row(lambda row: Decimal(row.at)), left=True),
    "side": Field(5, of_row(_side), left=True),
    "price": Field(12, _price, of_row(lambda row: Decimal(row.price)), least=10),
    "size": Field(11, of_row(_qty), of_row(lambda row: row.qty), least=8),
    "count": Field(5, of_row(_count), of_row(lambda row: Decimal(row.count)), hide=2, title="n"),
    "own": Field(5, of_row(_own), left=True, title=" own", hide=1),
}


class TradesPane(PairPane[Burst]):
    """Pane with the public trades of the open pair, newest first."""

    id: ClassVar[str] = "trades"
    title: ClassVar[str] = "Trades"
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.PRINTS, Table.FILLS])
    needs_snapshot: ClassVar[bool] = False
    ages: ClassVar[bool] = False
    personal_columns: ClassVar[frozenset[str] | None] = frozenset(["own"])

    fields = _FIELDS

    def __init__(self, view: DisplayContext) -> None:
        super().__init__(view)
        self._bursts: dict[str, Burst] = {}
        self._large: LargePrints | None = None
        """Built when a chart first asks."""

    def keys(self) -> list[str]:
        mirror = self.view.mirror
        prints = mirror.prints.get(self.shown_sym)
        fills = (fact.record for fact in mirror.fills.values() if fact.record.sym == self.shown_sym)
        bursts = group_bursts(self.shown_sym, prints.trades, fills) if prints is not None else []
        self._bursts = {burst.key: burst for burst in bursts}
        return list(self._bursts)

    def follow_row(self, index: int | None, count: int) -> int | None:
        del count
        # The newest trade is first: a cursor that stayed with its trade would pull the window away from it.
        return None if index else 0

    def row(self, key: str) -> Burst | None:
        return self._bursts.get(key)

    def looks(self, row: Burst) -> object:
        return row

    def find_changed_rows(self, table: Table, keys: Iterable[str]) -> ChangedRows:
        if table is Table.PRINTS and self.shown_sym not in keys:
            return NO_ROWS
        # Only the newest burst can have grown.
        return ChangedRows(list(self._bursts)[:1], may_move=True)

    def counts(self) -> list[Piece]:
        pace = self.short()
        return [*self.title_pair, (f" · {pace}" if self.title_pair and pace else pace, "dim")]

    def short(self) -> str:
        pace = measure_pace(list(self._bursts.values()))
        if pace is None:
            return ""
        share = number_format.decimal_figure(pace.buy_share * 100, 0)
        return f"{number_format.decimal_figure(pace.per_second, 1)}/s · {share} % bought"

    def empty(self) -> str:
        return f"no trades of {full_name(self.shown_sym)} yet" if self.shown_sym else self.describe_no_pair()

    def facts(self, key: str) -> FilterFacts | None:
        row = self.row(key)
        return self._facts(row) if row is not None else None

    def large(self, sym: str) -> list[tuple[int, str, str]]:
        """List time (ms), price and side of the pair's public trades that pass the size in the filter, oldest first."""
        if self._large is None:
            from tui.workstation.features.trades.large_prints import LargePrints

            self._large = LargePrints()
        prints = self.view.mirror.prints.get(sym)
        bursts = self._large.follow(sym, prints.trades if prints is not None else (), self.filter, self._facts)
        return [(burst.at, burst.price, burst.side) for burst in bursts]

    def _facts(self, row: Burst) -> FilterFacts:
        return FilterFacts(text=" ".join(self.texts(row)), sym=row.sym, side=row.side, qty=row.qty)

    def copy_text(self, key: str) -> str:
        row = self.row(key)
        return key if row is None else f"{row.side} {plain(row.qty)} {row.price}"
