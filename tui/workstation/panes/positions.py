"""Positions: one row per leg, largest first, with the liquidation price and how far away it is."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from functools import partial
from typing import ClassVar

from tui.engine.intents import Environment
from tui.engine.rows import Fact, Table
from tui.interface.decimals import half_up
from tui.interface.families.positions import PositionRecord
from tui.workstation import numbers
from tui.workstation.palette import Piece
from tui.workstation.panes import lights
from tui.workstation.panes.legs import base_delta, leg_of, mark_of, size_of
from tui.workstation.panes.pane import (
    Cell,
    Layout,
    Pane,
    View,
    columns_of,
    short_name,
    sort_number,
    symbol,
)
from tui.workstation.panes.ranks import rank_of

Row = Fact[PositionRecord]


def _sym(row: Row, view: View) -> Cell:
    del view
    return short_name(row.record.sym), "text"


def _leg(row: Row, view: View) -> Cell:
    del view
    leg = leg_of(row.record)
    return leg, {"LONG": "buy", "SHORT": "sell"}.get(leg, "warn")


def _size(row: Row, view: View) -> Cell:
    return view.quantity(row.record.sym, row.record.position_qty.lstrip("-")), "strong"


def _entry(row: Row, view: View) -> Cell:
    return view.price(row.record.sym, row.record.avg_price or None), "text"


def _mark(row: Row, view: View) -> Cell:
    return view.price(row.record.sym, mark_of(row.record, view) or None), "dim"


def _upnl(row: Row, view: View) -> Cell:
    number = numbers.value(row.record.unrealized_pnl)
    return numbers.signed(row.record.unrealized_pnl, 2, view.settings.separators), numbers.change_role(number)


def _rate(row: Row, view: View) -> Cell:
    del view
    rate = numbers.value(row.record.unrealized_pnl_rate)
    if rate is None:
        return numbers.MISSING, "faint"
    return numbers.signed_decimal(half_up(rate * 100, 1), 1), numbers.change_role(rate)


def _liq(row: Row, view: View) -> Cell:
    if row.record.liq_price is None:
        return numbers.NONE, "dim"
    return view.price(row.record.sym, row.record.liq_price or None), "text"


def _dist(row: Row, view: View) -> Cell:
    liq, mark = numbers.value(row.record.liq_price), numbers.value(mark_of(row.record, view))
    if row.record.liq_price is None:
        return "", "faint"
    if liq is None or not mark:
        return numbers.MISSING, "faint"
    far = half_up(abs(mark - liq) * 100 / mark, 1)
    sign, role = ("!!!", "alert") if far < 3 else ("!!", "warn") if far < 6 else ("", "dim")
    return f"{sign}{far}%", role


def _rank(row: Row, view: View) -> tuple[str, tuple[int, bool] | None]:
    fact = rank_of(row.record, view.mirror)
    if fact is None:
        return numbers.MISSING, None
    parts, desk = symbol(row.record.sym), view.mirror.desk
    environment = desk.environment if desk is not None else Environment.PAPER
    raw = fact.record.adl_rank
    return raw, lights.lights(raw, parts.exchange if parts else "", environment)


def _adl(row: Row, view: View) -> Cell:
    raw, found = _rank(row, view)
    if found is None:
        return raw, "faint"
    return " " + lights.drawn(found[0]), lights.role(found[0])


def _adl_digit(row: Row, view: View) -> Cell:
    raw, found = _rank(row, view)
    return (raw, "faint") if found is None else (str(found[0]), lights.role(found[0]))


def _leverage(row: Row, view: View) -> Cell:
    del view
    return (f"{row.record.leverage}x" if row.record.leverage else numbers.MISSING), "dim"


def _margin(row: Row, view: View) -> Cell:
    return view.money(row.record.position_margin or None), "dim"


_CELLS = {
    "symbol": (_sym, True),
    "leg": (_leg, True),
    "size": (_size, False),
    "entry": (_entry, False),
    "mark": (_mark, False),
    "uPnL mark": (_upnl, False),
    "uPnL": (_upnl, False),
    "%": (_rate, False),
    "liq": (_liq, False),
    "dist": (_dist, False),
    " ADL": (_adl, True),
    "A": (_adl_digit, False),
    "lev": (_leverage, False),
    "margin": (_margin, False),
}


_columns = partial(columns_of, _CELLS)


_LAYOUTS = (
    Layout(
        116,
        _columns(
            ("symbol", 17), ("leg", 7), ("size", 10), ("entry", 12), ("mark", 11), ("uPnL mark", 13), ("%", 8),
            ("liq", 11), ("dist", 9), (" ADL", 7), ("lev", 6),
        ),
    ),
    Layout(
        76,
        _columns(
            ("symbol", 13), ("leg", 6), ("size", 9), ("entry", 10), ("uPnL mark", 11), ("liq", 10), ("dist", 9),
            (" ADL", 8),
        ),
    ),
    Layout(
        58,
        _columns(("symbol", 12), ("leg", 6), ("size", 9), ("uPnL", 11), ("liq", 9), ("dist", 8), ("A", 3)),
    ),
    Layout(37, _columns(("symbol", 12), ("leg", 6), ("size", 9), ("uPnL", 10))),
)  # fmt: skip


class PositionsPane(Pane[Row]):
    """Every leg that has a size."""

    id: ClassVar[str] = "positions"
    title: ClassVar[str] = "Positions"
    number: ClassVar[int] = 3
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.POSITIONS, Table.ADL, Table.SYMBOLS, Table.QUOTES])

    @property
    def layouts(self) -> tuple[Layout[Row], ...]:
        return _LAYOUTS

    def keys(self) -> list[str]:
        shown = [
            (abs(sort_number(fact.record.position_value, Decimal(0))), key)
            for key, fact in self.view.mirror.positions.items()
            if size_of(fact.record) != 0
        ]
        return [key for _, key in sorted(shown, key=lambda pair: (-pair[0], pair[1]))]

    def row(self, key: str) -> Row | None:
        return self.view.mirror.positions.get(key)

    def changed(self, table: Table, keys: Iterable[str]) -> tuple[Iterable[str], bool]:
        if table is Table.QUOTES:
            marks = frozenset(keys)
            return [key for key, fact in self.view.mirror.positions.items() if fact.record.sym in marks], False
        if table is Table.POSITIONS:
            return keys, True
        return list(self.view.mirror.positions), False

    def counts(self) -> list[Piece]:
        total, known = Decimal(0), True
        nets: dict[str, Decimal] = {}
        rows = self.keys()
        for key in rows:
            record = self.view.mirror.positions[key].record
            gain = numbers.value(record.unrealized_pnl)
            known = known and gain is not None
            total += gain or Decimal(0)
            delta, parts = base_delta(record, self.view), symbol(record.sym)
            if delta is not None and parts is not None:
                nets[parts.base] = nets.get(parts.base, Decimal(0)) + delta
        pieces: list[Piece] = [(str(len(rows)), "dim")]
        if rows:
            text = numbers.signed_decimal(total, 2, self.view.settings.separators) if known else numbers.MISSING
            pieces += [(" · ", "frame"), (text, numbers.change_role(total if known else None))]
        for base, net in list(nets.items())[:3]:
            pieces += [(" · ", "frame"), (f"net {base} {numbers.signed_decimal(net)}", "dim")]
        return pieces

    def empty(self) -> str:
        return f"flat (checked {self.view.moment(self.view.mirror.positions_checked_ms)})"

    def sym(self, key: str) -> str:
        fact = self.row(key)
        return fact.record.sym if fact else ""
