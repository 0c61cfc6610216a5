"""Account risk: one row per venue, the one nearest to liquidation first, and what a move of the market would make of it."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import ClassVar

from tui.engine.rows import Fact, Table
from tui.interface.decimals import ZERO, half_up
from tui.interface.families.positions import AccountRecord
from tui.rules.margin import uni_mmr
from tui.workstation.model import number_format
from tui.workstation.model.account_risk import mmr_of, mmr_warning, no_risk
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import venue_of
from tui.workstation.model.position_metrics import base_delta, mark_of
from tui.workstation.render.palette import Piece
from tui.workstation.table.columns import Cell, Field, Fields, Layout, SortKey, layout, of_row
from tui.workstation.table.pane import Pane
from tui.workstation.table.row_filter import Facts

Row = Fact[AccountRecord]

LADDER = (
    ("MARGIN_CALL", Decimal("2.0")),
    ("CANCEL_OPEN", Decimal("1.5")),
    ("CANCEL_ALL", Decimal("1.2")),
    ("LIQUIDATING", Decimal("1.0")),
)
"""Status words and the uniMMR below which they hold, as the paper venue has them; a live venue publishes none."""

SHOCKS = (Decimal("-0.10"), Decimal("-0.05"), Decimal("0.05"), Decimal("0.10"))

OFF = Decimal("0.02")
"""Share by which the parts of a row may miss their sum before it is marked."""


def _status(row: Row) -> Cell:
    word = row.record.account_status
    if not word:
        return number_format.MISSING, "faint"
    if word == "NORMAL":
        return word, "good"
    return f"!! {word}", "warn" if word == "MARGIN_CALL" else "alert"


def _status_short(row: Row) -> str:
    return row.record.account_status


def _venue(row: Row) -> Cell:
    return row.record.exchange_type, "strong"


def _mmr(row: Row, view: DisplayContext) -> Cell:
    value = mmr_of(row.record)
    if no_risk(row.record):
        return number_format.NONE, "dim"
    if value is None:
        return number_format.MISSING, "faint"
    sign, role = mmr_warning(value)
    return sign + number_format.decimal_figure(value, 2, view.settings.separators), role


def _by_mmr(row: Row) -> SortKey:
    return mmr_of(row.record)


def _by_next(row: Row) -> SortKey:
    """How far uniMMR may fall before the next status word."""
    value = mmr_of(row.record)
    if value is None:
        return None
    return next((value - limit for _, limit in LADDER if value >= limit), ZERO)


def _next(row: Row) -> Cell:
    value = mmr_of(row.record)
    if value is None:
        return "  " + (number_format.NONE if no_risk(row.record) else number_format.MISSING), "dim"
    found = next(((word, limit) for word, limit in LADDER if value >= limit), None)
    if found is None:
        return "  below the ladder", "alert"
    return f"  {half_up(value - found[1], 2)} to {found[0]}", mmr_warning(value)[1]


def _by_risk(row: Row) -> SortKey:
    value = mmr_of(row.record)
    return 100 / value if value else None


def _risk(row: Row) -> Cell:
    """1 / uniMMR: at 100 % the account is liquidated."""
    value = mmr_of(row.record)
    if no_risk(row.record):
        return "0%", "dim"
    if not value:
        return number_format.MISSING, "faint"
    return f"{half_up(100 / value, 1)}%", mmr_warning(value)[1]


def _money(name: str, role: str = "text", hide: int = 0, width: int = 13) -> Field[Row]:
    def cell(row: Row, view: DisplayContext) -> Cell:
        return view.money(getattr(row.record, name) or None), role

    def figure(row: Row, view: DisplayContext) -> SortKey:
        del view
        return number_format.value(getattr(row.record, name))

    return Field(width, cell, figure, hide=hide)


def _upnl(row: Row, view: DisplayContext) -> Cell:
    gain = number_format.value(row.record.upnl)
    return view.signed(gain), number_format.change_role(gain)


def _by_upnl(row: Row) -> SortKey:
    return number_format.value(row.record.upnl)


def adds_up(record: AccountRecord) -> bool:
    """Whether valid margin over maintenance is the uniMMR that was sent; True while a part is missing."""
    valid, maintain, told = (
        number_format.value(record.valid_margin),
        number_format.value(record.maintain_margin),
        mmr_of(record),
    )
    if valid is None or not maintain or told is None:
        return True
    return abs(valid / maintain - told) <= told * OFF


def _valid(row: Row, view: DisplayContext) -> Cell:
    text = view.money(row.record.valid_margin or None)
    return (text, "dim") if adds_up(row.record) else ("≠" + text, "warn")


def _by_valid(row: Row) -> SortKey:
    return number_format.value(row.record.valid_margin)


def _mode(row: Row) -> Cell:
    return " " + (row.record.position_mode or number_format.MISSING), "dim"


def stressed(record: AccountRecord, shock: Decimal, view: DisplayContext) -> Decimal | None:
    """uniMMR after all marks moved together by a share, at the maintenance rates of now; None without legs to move."""
    valid, maintain = number_format.value(record.valid_margin), number_format.value(record.maintain_margin)
    if valid is None or maintain is None:
        return None
    gain = more = ZERO
    legs = 0
    for fact in view.mirror.positions.values():
        if venue_of(fact.record.sym) != record.exchange_type:
            continue
        delta, mark = base_delta(fact.record, view), number_format.value(mark_of(fact.record, view))
        maintenance = number_format.value(fact.record.position_mm)
        if delta is None or not mark or maintenance is None:
            return None
        legs += 1
        gain += delta * mark * shock
        more += maintenance * shock
    return uni_mmr(valid + gain, maintain + more) if legs else None


def worst(record: AccountRecord, view: DisplayContext) -> Decimal | None:
    """The lowest uniMMR of the shocks."""
    found = [value for value in (stressed(record, shock, view) for shock in SHOCKS) if value is not None]
    return min(found) if found else None


def _stress(row: Row, view: DisplayContext) -> Cell:
    """uniMMR at the shock that hurts most, and which one it is."""
    found = [(value, shock) for shock in SHOCKS if (value := stressed(row.record, shock, view)) is not None]
    if not found:
        return number_format.NONE if no_risk(row.record) else number_format.MISSING, "dim"
    value, shock = min(found)
    return f"~{half_up(value, 2)} {half_up(shock * 100, 0):+}%", mmr_warning(value)[1]


def _by_stress(row: Row, view: DisplayContext) -> SortKey:
    return worst(row.record, view)


def _age(row: Row, view: DisplayContext) -> Cell:
    return number_format.whole_age(view.now - row.stamp.received), "dim"


def _by_age(row: Row, view: DisplayContext) -> SortKey:
    return view.now - row.stamp.received


_FIELDS: Fields[Row] = {
    "status": Field(13, of_row(_status), left=True, short=of_row(_status_short), prose=True),
    "venue": Field(9, of_row(_venue), left=True, prose=True),
    "uniMMR": Field(8, _mmr, of_row(_by_mmr)),
    "risk": Field(7, of_row(_risk), of_row(_by_risk)),
    "equity": _money("equity", "strong"),
    "margin": _money("margin_value", "dim", hide=4),
    "available": _money("available_margin"),
    "maint.": _money("maintain_margin", "dim", width=11),
    "valid": Field(13, _valid, of_row(_by_valid), hide=3),
    "frozen": _money("frozen_margin", "dim", hide=4, width=12),
    "uPnL": Field(12, _upnl, of_row(_by_upnl), hide=3),
    "position": _money("position_value", "dim", hide=5),
    "open loss": _money("open_loss_margin", "dim", hide=5, width=11),
    "stress": Field(15, _stress, _by_stress, hide=3, title="stress ±5 ±10"),
    "mode": Field(6, of_row(_mode), left=True, hide=5, title=" mode", prose=True),
    "next": Field(26, of_row(_next), of_row(_by_next), left=True, hide=2, title="  to the next word"),
    "age": Field(5, _age, _by_age),
}

_LAYOUTS = (
    layout(
        _FIELDS, 118,
        ("status", 13), ("venue", 9), ("uniMMR", 8), ("risk", 7), ("equity", 13), ("available", 13), ("maint.", 11),
        ("valid", 13), ("uPnL", 12), ("stress", 15), ("age", 4),
    ),
    layout(
        _FIELDS, 76,
        ("status", 13), ("venue", 9), ("uniMMR", 8), ("risk", 7), ("equity", 12), ("available", 12), ("maint.", 11),
        ("age", 4),
    ),
    layout(_FIELDS, 47, ("status", 13), ("venue", 9), ("uniMMR", 8), ("available", 13), ("age", 4)),
    layout(_FIELDS, 34, ("status", 13), ("venue", 9), ("uniMMR", 8), ("age", 4)),
)  # fmt: skip


class RiskPane(Pane[Row]):
    """How far each account is from liquidation."""

    id: ClassVar[str] = "risk"
    title: ClassVar[str] = "Risk"
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.ACCOUNTS, Table.POSITIONS])

    @property
    def layouts(self) -> tuple[Layout[Row], ...]:
        return _LAYOUTS

    @property
    def fields(self) -> Fields[Row]:
        return _FIELDS

    def keys(self) -> list[str]:
        rows = [
            (mmr_of(fact.record) or (number_format.NO_RISK if no_risk(fact.record) else number_format.NO_RISK + 1), key)
            for key, fact in self.view.mirror.accounts.items()
        ]
        return [key for _, key in sorted(rows)]

    def row(self, key: str) -> Row | None:
        return self.view.mirror.accounts.get(key)

    def changed(self, table: Table, keys: Iterable[str]) -> tuple[Iterable[str], bool]:
        if table is Table.ACCOUNTS:
            return keys, True
        return list(self.view.mirror.accounts), False

    def counts(self) -> list[Piece]:
        return [(self.short(), "dim"), (" · ", "frame"), ("uniMMR: higher is safer", "dim")]

    def short(self) -> str:
        return str(len(self.view.mirror.accounts))

    def empty(self) -> str:
        return "no account row"

    def facts(self, key: str) -> Facts | None:
        fact = self.row(key)
        if fact is None:
            return None
        age = Decimal(str(self.view.now - fact.stamp.received))
        record = fact.record
        text = " ".join(self.texts(fact))
        return Facts(text=text, state=record.account_status, venue=record.exchange_type, age=age)

    def matters(self, key: str) -> bool:
        fact = self.row(key)
        return fact is not None and not no_risk(fact.record)

    def details(self, key: str) -> list[tuple[str, str]]:
        fact = self.row(key)
        facts = super().details(key)
        if fact is not None:
            for shock in SHOCKS:
                value = stressed(fact.record, shock, self.view)
                text = number_format.MISSING if value is None else f"~{half_up(value, 2)}"
                facts.append((f"uniMMR at {half_up(shock * 100, 0):+}%", text))
        return facts
