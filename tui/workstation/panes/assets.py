"""Assets: one row per coin and venue, the most valuable first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import ClassVar

from tui.engine.rows import Fact, Table
from tui.interface.decimals import ZERO, half_up
from tui.interface.families.assets import AssetRecord
from tui.interface.families.history import DEDUCT_INTEREST
from tui.interface.times import millis
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import MONEY
from tui.workstation.model.realised_pnl import owed_more
from tui.workstation.render.palette import Piece
from tui.workstation.table.columns import Cell, Field, Fields, Layout, SortKey, layout, of_row
from tui.workstation.table.pane import Pane, sort_number
from tui.workstation.table.row_filter import Facts

Row = Fact[AssetRecord]

_OWED = ("debt", "borrow", "overdraw", "virtual_borrow")

HOURS = 24

DUST = Decimal(1)
"""Rows worth less than this in the risk currency are folded, unless something is owed."""


def _amount(record: AssetRecord, text: str, view: DisplayContext) -> str:
    return number_format.figure(text or None, 2 if record.coin in MONEY else 6, view.settings.separators)


def _coin(row: Row) -> Cell:
    return row.record.coin, "strong"


def _venue(row: Row) -> Cell:
    return row.record.exchange_type, "text"


def _portfolio(row: Row) -> Cell:
    return row.stamp.portfolio or number_format.MISSING, "dim"


def _coins(name: str, role: str, hide: int = 0, width: int = 13) -> Field[Row]:
    """A field in coins; what is zero fades."""

    def cell(row: Row, view: DisplayContext) -> Cell:
        text: str = getattr(row.record, name)
        number = number_format.value(text)
        if role == "warn" and number is not None and not number:
            return "0", "faint"
        return _amount(row.record, text, view), "faint" if number is not None and not number else role

    def figure(row: Row, view: DisplayContext) -> SortKey:
        del view
        return number_format.value(getattr(row.record, name))

    return Field(width, cell, figure, hide=hide)


def _worth(name: str, role: str, hide: int = 0, width: int = 13) -> Field[Row]:
    """A field in the risk currency."""

    def cell(row: Row, view: DisplayContext) -> Cell:
        return view.money(getattr(row.record, name) or None), role

    def figure(row: Row, view: DisplayContext) -> SortKey:
        del view
        return number_format.value(getattr(row.record, name))

    return Field(width, cell, figure, hide=hide)


def _haircut_of(row: Row) -> Decimal | None:
    """What of a hundred does not count as margin."""
    margin, worth = number_format.value(row.record.margin_value), number_format.value(row.record.equity_value)
    return (1 - margin / worth) * 100 if margin is not None and worth is not None and worth > 0 else None


def _haircut(row: Row) -> Cell:
    cut = _haircut_of(row)
    if cut is None:
        return number_format.MISSING, "faint"
    return f"{cut:.1f}%" if cut else "0%", "dim"


def gap_reason(record: AssetRecord) -> str:
    """Why less can be moved away than is available."""
    available, movable = number_format.value(record.available), number_format.value(record.max_transferable)
    if available is None or movable is None or movable >= available:
        return ""
    for name, word in (("debt", "debt"), ("perp_margin", "margin"), ("debt_margin", "debt"), ("frozen", "orders")):
        held = number_format.value(getattr(record, name))
        if held:
            return word
    return "margin"


def _gap(row: Row) -> Cell:
    reason = gap_reason(row.record)
    return " " + reason, "warn" if reason == "debt" else "dim"


def _age_of(row: Row, view: DisplayContext) -> SortKey:
    return view.now - row.stamp.received


def _age(row: Row, view: DisplayContext) -> Cell:
    return number_format.whole_age(view.now - row.stamp.received), "dim"


def _interest_of(row: Row, view: DisplayContext) -> Decimal | None:
    """Interest of a day in coins, reckoned from the newest hour that was booked; None before the first one."""
    record = row.record
    if not any(number_format.value(getattr(record, name)) for name in _OWED):
        return ZERO
    booked = [
        fact.record
        for fact in view.mirror.statements.values()
        if fact.record.statement_type == DEDUCT_INTEREST
        and (fact.record.exchange_type, fact.record.coin) == (record.exchange_type, record.coin)
    ]
    newest = max(booked, key=lambda one: millis(str(one.create_at)), default=None)
    hour = owed_more(newest) if newest is not None else None
    return None if hour is None else hour * HOURS


def _interest(row: Row, view: DisplayContext) -> Cell:
    cost = _interest_of(row, view)
    if cost is None:
        return number_format.MISSING, "faint"
    places = 2 if row.record.coin in MONEY else 6
    return (f"~{number_format.decimal_figure(half_up(cost, places))}", "warn") if cost else ("0", "faint")


_FIELDS: Fields[Row] = {
    "coin": Field(6, of_row(_coin), left=True, prose=True),
    "venue": Field(9, of_row(_venue), left=True, prose=True),
    "portfolio": Field(12, of_row(_portfolio), left=True, hide=6, prose=True),
    "balance": _coins("balance", "text"),
    "available": _coins("available", "text"),
    "frozen": _coins("frozen", "dim", hide=4, width=12),
    "transferable": _coins("max_transferable", "dim", width=14),
    "gap": Field(8, of_row(_gap), left=True, hide=3, title=" gap"),
    "equity": _coins("equity", "dim", hide=3),
    "value": _worth("equity_value", "strong"),
    "debt": _coins("debt", "warn", width=10),
    "borrow": _coins("borrow", "warn", hide=4, width=10),
    "overdraw": _coins("overdraw", "warn", hide=5, width=10),
    "haircut": Field(8, of_row(_haircut), of_row(_haircut_of), hide=3),
    "interest": Field(9, _interest, _interest_of, hide=5, title="int/day"),
    "margin": _worth("margin_value", "dim", hide=4),
    "index": _worth("index_price", "dim", hide=5, width=12),
    "uPnL": _worth("upnl", "dim", hide=6, width=11),
    "perp mgn": _worth("perp_margin", "dim", hide=5, width=11),
    "debt mgn": _worth("debt_margin", "dim", hide=7, width=11),
    "virtual": _coins("virtual_borrow", "warn", hide=7, width=10),
    "age": Field(6, _age, _age_of, hide=3),
}

_LAYOUTS = (
    layout(
        _FIELDS, 118,
        ("coin", 6), ("venue", 9), ("balance", 13), ("available", 13), ("transferable", 14), ("equity", 13),
        ("value", 13), ("debt", 10), ("borrow", 10), ("haircut", 8), ("interest", 9),
    ),
    layout(
        _FIELDS, 98,
        ("coin", 6), ("venue", 9), ("balance", 13), ("available", 13), ("transferable", 14), ("value", 13),
        ("debt", 10), ("borrow", 10), ("haircut", 8),
    ),
    layout(
        _FIELDS, 78,
        ("coin", 6), ("venue", 9), ("balance", 13), ("available", 13), ("transferable", 14), ("value", 13), ("debt", 10),
    ),
    layout(
        _FIELDS, 76,
        ("coin", 6), ("venue", 9), ("balance", 13), ("available", 13), ("transferable", 13), ("value", 13), ("debt", 9),
    ),
    layout(_FIELDS, 55, ("coin", 6), ("venue", 9), ("available", 13), ("transferable", 14), ("value", 13)),
    layout(_FIELDS, 37, ("coin", 6), ("venue", 9), ("available", 13), ("value", 9)),
)  # fmt: skip


class AssetsPane(Pane[Row]):
    """What the portfolio owns and owes."""

    id: ClassVar[str] = "assets"
    title: ClassVar[str] = "Assets"
    number: ClassVar[int] = 4
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.ASSETS, Table.STATEMENTS])

    @property
    def layouts(self) -> tuple[Layout[Row], ...]:
        return _LAYOUTS

    @property
    def fields(self) -> Fields[Row]:
        return _FIELDS

    def keys(self) -> list[str]:
        rows = [
            (sort_number(fact.record.equity_value), key)
            for key, fact in self.view.mirror.assets.items()
            if not is_dust(fact.record)
        ]
        return [key for _, key in sorted(rows, key=lambda pair: (-pair[0], pair[1]))]

    def row(self, key: str) -> Row | None:
        return self.view.mirror.assets.get(key)

    def changed(self, table: Table, keys: Iterable[str]) -> tuple[Iterable[str], bool]:
        return (keys, True) if table is Table.ASSETS else (list(self.view.mirror.assets), False)

    def counts(self) -> list[Piece]:
        rows = [fact.record for fact in self.view.mirror.assets.values()]
        values = [number_format.value(record.equity_value) for record in rows]
        known = [value for value in values if value is not None]
        pieces: list[Piece] = [(self.short(), "dim")]
        if known:
            missing = len(values) - len(known)
            text = f"{self.view.amount(sum(known, Decimal(0)))} all venues"
            pieces += [(" · ", "frame"), (text + (f", {missing} unvalued" if missing else ""), "dim")]
        usable = _summed(rows, lambda record: number_format.value(record.margin_value))
        if usable is not None:
            pieces += [(" · ", "frame"), (f"{self.view.amount(usable)} usable", "dim")]
        dust = sum(1 for record in rows if is_dust(record))
        if dust:
            pieces += [(" · ", "frame"), (f"{dust} dust", "faint")]
        return pieces

    def empty(self) -> str:
        return "no asset records on this venue"

    def facts(self, key: str) -> Facts | None:
        fact = self.row(key)
        if fact is None:
            return None
        age = Decimal(str(self.view.now - fact.stamp.received))
        balance = number_format.value(fact.record.balance)
        text = " ".join(self.texts(fact))
        return Facts(text=text, sym=fact.record.coin, venue=fact.record.exchange_type, age=age, qty=balance)


def is_dust(record: AssetRecord) -> bool:
    """Whether a row is worth too little to take a line, and owes nothing."""
    worth = number_format.value(record.equity_value)
    if worth is None or abs(worth) >= DUST:
        return False
    return not any(number_format.value(getattr(record, name)) for name in _OWED)


def _summed(records: list[AssetRecord], figure: Callable[[AssetRecord], Decimal | None]) -> Decimal | None:
    found = [figure(record) for record in records]
    known = [value for value in found if value is not None]
    return sum(known, Decimal(0)) if known and len(known) == len(found) else None
