"""Assets: one row per coin and venue, the most valuable first."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from functools import partial
from typing import ClassVar

from tui.engine.rows import Fact, Table
from tui.interface.families.assets import AssetRecord
from tui.workstation import numbers
from tui.workstation.palette import Piece
from tui.workstation.panes.pane import Cell, Layout, Pane, View, columns_of, sort_number

Row = Fact[AssetRecord]

_MONEY = frozenset(["USDT", "USDC", "USD"])


def _amount(record: AssetRecord, text: str, view: View) -> str:
    return numbers.figure(text or None, 2 if record.coin in _MONEY else 6, view.settings.separators)


def _coin(row: Row, view: View) -> Cell:
    del view
    return row.record.coin, "strong"


def _venue(row: Row, view: View) -> Cell:
    del view
    return row.record.exchange_type, "text"


def _balance(row: Row, view: View) -> Cell:
    return _amount(row.record, row.record.balance, view), "text"


def _available(row: Row, view: View) -> Cell:
    return _amount(row.record, row.record.available, view), "text"


def _transferable(row: Row, view: View) -> Cell:
    return _amount(row.record, row.record.max_transferable, view), "dim"


def _equity(row: Row, view: View) -> Cell:
    return _amount(row.record, row.record.equity, view), "dim"


def _value(row: Row, view: View) -> Cell:
    return view.money(row.record.equity_value or None), "strong"


def _owed(row: Row, view: View, text: str) -> Cell:
    number = numbers.value(text)
    if number is not None and not number:
        return "0", "faint"
    return _amount(row.record, text, view), "warn"


def _debt(row: Row, view: View) -> Cell:
    return _owed(row, view, row.record.debt)


def _borrow(row: Row, view: View) -> Cell:
    return _owed(row, view, row.record.borrow)


def _frozen(row: Row, view: View) -> Cell:
    number = numbers.value(row.record.frozen)
    return _amount(row.record, row.record.frozen, view), "faint" if number is not None and not number else "dim"


def _haircut(row: Row, view: View) -> Cell:
    del view
    margin, value = numbers.value(row.record.margin_value), numbers.value(row.record.equity_value)
    if margin is None or value is None or value <= 0:
        return numbers.MISSING, "faint"
    cut = (1 - margin / value) * 100
    return f"{cut:.1f}%" if cut else "0%", "dim"


_CELLS = {
    "coin": (_coin, True),
    "venue": (_venue, True),
    "balance": (_balance, False),
    "available": (_available, False),
    "transferable": (_transferable, False),
    "frozen": (_frozen, False),
    "equity": (_equity, False),
    "value": (_value, False),
    "debt": (_debt, False),
    "borrow": (_borrow, False),
    "haircut": (_haircut, False),
}


_columns = partial(columns_of, _CELLS)


_LAYOUTS = (
    Layout(
        116,
        _columns(
            ("coin", 6), ("venue", 9), ("balance", 14), ("available", 14), ("frozen", 12), ("transferable", 14),
            ("equity", 14), ("value", 13), ("debt", 10), ("haircut", 8),
        ),
    ),
    Layout(
        76,
        _columns(
            ("coin", 6), ("venue", 9), ("balance", 13), ("available", 13), ("transferable", 13), ("value", 13), ("debt", 9)
        ),
    ),
    Layout(55, _columns(("coin", 6), ("venue", 9), ("available", 13), ("transferable", 14), ("value", 13))),
    Layout(37, _columns(("coin", 6), ("venue", 9), ("available", 13), ("value", 9))),
)  # fmt: skip


class AssetsPane(Pane[Row]):
    """What the portfolio owns and owes."""

    id: ClassVar[str] = "assets"
    title: ClassVar[str] = "Assets"
    number: ClassVar[int] = 4
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.ASSETS])
    ages: ClassVar[bool] = False

    @property
    def layouts(self) -> tuple[Layout[Row], ...]:
        return _LAYOUTS

    def keys(self) -> list[str]:
        rows = [(sort_number(fact.record.equity_value), key) for key, fact in self.view.mirror.assets.items()]
        return [key for _, key in sorted(rows, key=lambda pair: (-pair[0], pair[1]))]

    def row(self, key: str) -> Row | None:
        return self.view.mirror.assets.get(key)

    def changed(self, table: Table, keys: Iterable[str]) -> tuple[Iterable[str], bool]:
        del table
        return keys, True

    def counts(self) -> list[Piece]:
        rows = self.view.mirror.assets.values()
        values = [numbers.value(fact.record.equity_value) for fact in rows]
        known = [value for value in values if value is not None]
        pieces: list[Piece] = [(str(len(values)), "dim")]
        if known:
            total = numbers.decimal_figure(sum(known, Decimal(0)), 2, self.view.settings.separators)
            missing = len(values) - len(known)
            pieces += [(" · ", "frame"), (f"{total} all venues" + (f", {missing} unvalued" if missing else ""), "dim")]
        return pieces

    def empty(self) -> str:
        return "no asset records on any venue"
