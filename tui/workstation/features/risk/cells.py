"""Cells of the risk pane, one row per venue account."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

from tui.engine.rows import Fact
from tui.interface.decimals import ZERO, half_up
from tui.workstation.model import number_format
from tui.workstation.model.account_risk import equity_less_loans, mmr_of, mmr_warning, no_risk
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import venue_of
from tui.workstation.model.position_metrics import base_delta, mark_of
from tui.workstation.table.columns import Cell, SortKey

if TYPE_CHECKING:
    from tui.interface.families.positions import AccountRecord

Row: TypeAlias = "Fact[AccountRecord]"

LADDER = (
    ("MARGIN_CALL", Decimal("2.0")),
    ("CANCEL_OPEN", Decimal("1.5")),
    ("CANCEL_ALL", Decimal("1.2")),
    ("LIQUIDATING", Decimal("1.0")),
)
"""Account statuses and the uniMMR below which they apply, as at the paper venue; live venues publish no thresholds."""

SHOCKS = (Decimal("-0.10"), Decimal("-0.05"), Decimal("0.05"), Decimal("0.10"))

OFF = Decimal("0.02")
"""Relative deviation of valid margin over maintenance from uniMMR above which it is marked."""


def status(row: Row) -> Cell:
    word = row.record.account_status
    if not word:
        return number_format.MISSING, "faint"
    if word == "NORMAL":
        return word, "good"
    return f"!! {word}", "warn" if word == "MARGIN_CALL" else "alert"


def status_short(row: Row) -> str:
    return row.record.account_status


def venue(row: Row) -> Cell:
    return row.record.exchange_type, "strong"


def mmr(row: Row, view: DisplayContext) -> Cell:
    value = mmr_of(row.record)
    if no_risk(row.record):
        return number_format.NONE, "dim"
    if value is None:
        return number_format.MISSING, "faint"
    sign, role = mmr_warning(value)
    return sign + number_format.decimal_figure(value, 2, view.settings.separators), role


def by_mmr(row: Row) -> SortKey:
    return mmr_of(row.record)


def by_next(row: Row) -> SortKey:
    """Return how far uniMMR can fall before the account's status gets worse."""
    value = mmr_of(row.record)
    if value is None:
        return None
    return next((value - limit for _, limit in LADDER if value >= limit), ZERO)


def next_status(row: Row) -> Cell:
    value = mmr_of(row.record)
    if value is None:
        return "  " + (number_format.NONE if no_risk(row.record) else number_format.MISSING), "dim"
    threshold = next(((word, limit) for word, limit in LADDER if value >= limit), None)
    if threshold is None:
        return "  below the ladder", "alert"
    return f"  {half_up(value - threshold[1], 2)} to {threshold[0]}", mmr_warning(value)[1]


def by_risk(row: Row) -> SortKey:
    value = mmr_of(row.record)
    return 100 / value if value else None


def risk(row: Row) -> Cell:
    """Return the risk as 1 / uniMMR; at 100 % the account is liquidated."""
    value = mmr_of(row.record)
    if no_risk(row.record):
        return "0%", "dim"
    if not value:
        return number_format.MISSING, "faint"
    return f"{half_up(100 / value, 1)}%", mmr_warning(value)[1]


def by_net_equity(row: Row, view: DisplayContext) -> SortKey:
    return equity_less_loans(row.record, view.mirror)


def net_equity(row: Row, view: DisplayContext) -> Cell:
    value = by_net_equity(row, view)
    return view.amount(value if isinstance(value, Decimal) else None), "strong"


def upnl(row: Row, view: DisplayContext) -> Cell:
    gain = number_format.value(row.record.upnl)
    return view.format_signed(gain), number_format.change_role(gain)


def by_upnl(row: Row) -> SortKey:
    return number_format.value(row.record.upnl)


def adds_up(record: AccountRecord) -> bool:
    """Return whether valid margin over maintenance margin equals the received uniMMR; True if a value is missing."""
    valid, maintain, reported = (
        number_format.value(record.valid_margin),
        number_format.value(record.maintain_margin),
        mmr_of(record),
    )
    if valid is None or not maintain or reported is None:
        return True
    return abs(valid / maintain - reported) <= reported * OFF


def valid(row: Row, view: DisplayContext) -> Cell:
    text = view.money(row.record.valid_margin or None)
    return (text, "dim") if adds_up(row.record) else ("≠" + text, "warn")


def by_valid(row: Row) -> SortKey:
    return number_format.value(row.record.valid_margin)


def mode(row: Row) -> Cell:
    return " " + (row.record.position_mode or number_format.MISSING), "dim"


def compute_stress(record: AccountRecord, shock: Decimal, view: DisplayContext) -> Decimal | None:
    """Compute uniMMR after all mark prices move by a percentage, at current maintenance rates; None without positions."""
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
    from tui.rules.margin import uni_mmr

    return uni_mmr(valid + gain, maintain + more) if legs else None


def worst_mmr(record: AccountRecord, view: DisplayContext) -> Decimal | None:
    """Return the lowest uniMMR over all market shocks."""
    ratios = [value for value in (compute_stress(record, shock, view) for shock in SHOCKS) if value is not None]
    return min(ratios) if ratios else None


def stress(row: Row, view: DisplayContext) -> Cell:
    """Return the uniMMR under the worst market shock, and that shock."""
    results = [(value, shock) for shock in SHOCKS if (value := compute_stress(row.record, shock, view)) is not None]
    if not results:
        return number_format.NONE if no_risk(row.record) else number_format.MISSING, "dim"
    value, shock = min(results)
    return f"~{half_up(value, 2)} {half_up(shock * 100, 0):+}%", mmr_warning(value)[1]


def by_stress(row: Row, view: DisplayContext) -> SortKey:
    return worst_mmr(row.record, view)


def age(row: Row, view: DisplayContext) -> Cell:
    return number_format.whole_age(view.now - row.stamp.received), "dim"


def by_age(row: Row, view: DisplayContext) -> SortKey:
    return view.now - row.stamp.received
