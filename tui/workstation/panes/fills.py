"""Fills: the newest first."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import ClassVar

from tui.engine.rows import Fact, Table
from tui.interface.families.history import TradeRecord
from tui.workstation import numbers
from tui.workstation.panes.pane import Cell, Layout, Pane, View, columns_of, intent_word, short_name, side_role

Row = Fact[TradeRecord]


def _time(row: Row, view: View) -> Cell:
    return view.moment(numbers.millis(row.record.create_at), True), "dim"


def _sym(row: Row, view: View) -> Cell:
    del view
    return short_name(row.record.sym), "text"


def _intent(row: Row, view: View) -> Cell:
    order = view.mirror.orders.get(row.record.client_order_id)
    side = order.position_side if order is not None else "NONE"
    return intent_word(row.record.sym, row.record.side, side), side_role(row.record.side)


def _qty(row: Row, view: View) -> Cell:
    return view.quantity(row.record.sym, row.record.quantity), "strong"


def _price(row: Row, view: View) -> Cell:
    return view.price(row.record.sym, row.record.price, True), "text"


def _exec(row: Row, view: View) -> Cell:
    del view
    return row.record.exec_type or numbers.MISSING, "dim"


def _fee(row: Row, view: View) -> Cell:
    """What was paid; a rebate is a negative fee and says so by its sign."""
    fee, rebate = numbers.value(row.record.fee), numbers.value(row.record.rebate)
    if rebate:
        return numbers.decimal_figure(-abs(rebate), 4, view.settings.separators), "gain"
    return numbers.decimal_figure(fee, 4, view.settings.separators), "dim"


def _rpnl(row: Row, view: View) -> Cell:
    number = numbers.value(row.record.rpnl)
    if number is not None and not number:
        return "0", "faint"
    return numbers.signed(row.record.rpnl, 2, view.settings.separators), numbers.change_role(number)


_CELLS = {
    "time": (_time, True),
    "symbol": (_sym, True),
    "intent": (_intent, True),
    "qty": (_qty, False),
    "price": (_price, False),
    "exec": (_exec, False),
    "fee": (_fee, False),
    "rpnl": (_rpnl, False),
}


_columns = partial(columns_of, _CELLS)


_LAYOUTS = (
    Layout(
        94,
        _columns(
            ("time", 14), ("symbol", 16), ("intent", 12), ("qty", 10), ("price", 12), ("exec", 8), ("fee", 11), ("rpnl", 11)
        ),
    ),
    Layout(
        76,
        _columns(
            ("time", 13), ("symbol", 14), ("intent", 12), ("qty", 9), ("price", 11), ("exec", 7), ("fee", 10)
        ),
    ),
    Layout(57, _columns(("time", 13), ("symbol", 12), ("intent", 12), ("qty", 9), ("price", 11))),
    Layout(37, _columns(("symbol", 12), ("qty", 9), ("price", 11))),
)  # fmt: skip


class FillsPane(Pane[Row]):
    """What was executed."""

    id: ClassVar[str] = "fills"
    title: ClassVar[str] = "Fills"
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.FILLS])
    ages: ClassVar[bool] = False

    @property
    def layouts(self) -> tuple[Layout[Row], ...]:
        return _LAYOUTS

    def keys(self) -> list[str]:
        rows = [(numbers.millis(fact.record.create_at), key) for key, fact in self.view.mirror.fills.items()]
        return [key for _, key in sorted(rows, key=lambda pair: (-pair[0], pair[1]))]

    def row(self, key: str) -> Row | None:
        return self.view.mirror.fills.get(key)

    def changed(self, table: Table, keys: Iterable[str]) -> tuple[Iterable[str], bool]:
        del table
        return keys, True

    def short(self) -> str:
        return str(len(self.view.mirror.fills))

    def empty(self) -> str:
        return "no fills in this window"

    def sym(self, key: str) -> str:
        fact = self.row(key)
        return fact.record.sym if fact else ""
