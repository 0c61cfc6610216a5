"""Cells of the assets pane, one row per coin and venue."""

from __future__ import annotations

from decimal import Decimal
from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias

from msgspec import UNSET

from tui.engine.rows import Fact
from tui.interface.decimals import ZERO, half_up
from tui.interface.times import millis
from tui.workstation.model import number_format
from tui.workstation.model.account_risk import sum_debts
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import MONEY
from tui.workstation.table.column_kinds import show_money
from tui.workstation.table.columns import Cell, Field, SortKey

if TYPE_CHECKING:
    from tui.interface.families.assets import AssetRecord

Row: TypeAlias = "Fact[AssetRecord]"

OWED = ("debt", "borrow", "overdraw", "virtual_borrow")


DUST = Decimal(1)
"""Value in risk currency below which a row is hidden, unless something is owed."""


def amount(record: AssetRecord, text: str, view: DisplayContext) -> str:
    return number_format.figure(text or None, 2 if record.coin in MONEY else 6, separators=view.settings.separators)


def record_of(row: Row) -> object:
    """Return the record in a tuple as data that a computed cell depends on; tuples compare members by identity first."""
    return (row.record,)


def coin(row: Row) -> Cell:
    return row.record.coin, "strong"


def venue(row: Row) -> Cell:
    return row.record.exchange_type, "text"


def portfolio(row: Row) -> Cell:
    return row.stamp.portfolio or number_format.MISSING, "dim"


def coins(name: str, role: str, width: int = 13, *, least: int = 0, hide: int = 0, title: str = "") -> Field[Row]:
    """Build a column with an amount in coins; zeros are dimmed."""

    def cell(row: Row, view: DisplayContext) -> Cell:
        text = getattr(row.record, name)
        if text is UNSET:
            return "0", "faint"
        number = number_format.value(text)
        if role == "warn" and number is not None and not number:
            return "0", "faint"
        return amount(row.record, text, view), "faint" if number is not None and not number else role

    def figure(row: Row, view: DisplayContext) -> SortKey:
        del view
        text = getattr(row.record, name)
        return None if text is UNSET else number_format.value(text)

    return Field(width, cell, figure, least=least, hide=hide, of=attrgetter(f"record.{name}"), title=title)


def owed_of(row: Row, view: DisplayContext) -> Decimal | None:
    """Return what is owed of a coin: margin debt plus portfolio loan."""
    del view
    return sum_debts(row.record)


def owed(row: Row, view: DisplayContext) -> Cell:
    value = owed_of(row, view)
    if value is not None and not value:
        return "0", "faint"
    return amount(row.record, "" if value is None else format(value, "f"), view), "warn"


def value_field(name: str, width: int, hide: int) -> Field[Row]:
    """Build a column with a value in the risk currency."""
    return show_money(attrgetter(f"record.{name}"), width, "dim", hide=hide, of=attrgetter(f"record.{name}"))


def compute_net_value(row: Row, view: DisplayContext) -> Decimal | None:
    """Return the value of a coin without its portfolio loan, which the service's value includes."""
    del view
    record = row.record
    if isinstance(record.net_equity_value, str):
        return number_format.value(record.net_equity_value)
    from tui.rules.bookings import deduct_loans

    loans = [number_format.value(record.loan_value)] if isinstance(record.loan_value, str) else []
    return deduct_loans(number_format.value(record.equity_value), loans)


def net_value(row: Row, view: DisplayContext) -> Cell:
    return view.amount(compute_net_value(row, view)), "strong"


def haircut_of(row: Row) -> Decimal | None:
    """Return the haircut: the percentage of a coin's value that does not count as margin."""
    margin, worth = number_format.value(row.record.margin_value), number_format.value(row.record.equity_value)
    return (1 - margin / worth) * 100 if margin is not None and worth is not None and worth > 0 else None


def haircut(row: Row) -> Cell:
    cut = haircut_of(row)
    if cut is None:
        return number_format.MISSING, "faint"
    return f"{cut:.1f}%" if cut else "0%", "dim"


def gap_reason(record: AssetRecord) -> str:
    """Return why less can be transferred than is available, such as margin or open orders."""
    available, movable = number_format.value(record.available), number_format.value(record.max_transferable)
    if available is None or movable is None or movable >= available:
        return ""
    for name, word in (("debt", "debt"), ("perp_margin", "margin"), ("debt_margin", "debt"), ("frozen", "orders")):
        held = number_format.value(getattr(record, name))
        if held:
            return word
    return "margin"


def gap(row: Row) -> Cell:
    reason = gap_reason(row.record)
    return " " + reason, "warn" if reason == "debt" else "dim"


def interest_of(row: Row, view: DisplayContext) -> Decimal | None:
    """Compute a coin's interest per day, in coins, from the service's rates, else from the last hour's booked interest."""
    from tui.interface.families.history import DEDUCT_INTEREST
    from tui.rules.bookings import compute_interest_taken
    from tui.workstation.model.borrow_rates import HOURS_OF_A_DAY, margin_rate
    from tui.workstation.model.borrow_rates import loan_rate as loan_rate_of

    record = row.record
    loan = number_format.value(record.loan) if isinstance(record.loan, str) else None
    if not loan and not any(number_format.value(getattr(record, name)) for name in OWED):
        return ZERO
    rate, loan_rate = (
        margin_rate(view.mirror, record.exchange_type, record.coin),
        loan_rate_of(view.mirror, record.coin),
    )
    if rate is not None and (loan_rate is not None or not loan):
        return (
            (number_format.value(record.borrow) or ZERO) * rate + (loan or ZERO) * (loan_rate or ZERO)
        ) * HOURS_OF_A_DAY
    booked = [
        fact.record
        for fact in view.mirror.statements.values()
        if fact.record.statement_type == DEDUCT_INTEREST
        and (fact.record.exchange_type, fact.record.coin) == (record.exchange_type, record.coin)
    ]
    newest = max(booked, key=lambda record: millis(str(record.create_at)), default=None)
    hour = compute_interest_taken(newest) if newest is not None else None
    return None if hour is None else hour * HOURS_OF_A_DAY


def interest(row: Row, view: DisplayContext) -> Cell:
    cost = interest_of(row, view)
    if cost is None:
        return number_format.MISSING, "faint"
    # Of a small cost three digits are told.
    places = 2 if row.record.coin in MONEY and cost.adjusted() >= -2 else max(6, 2 - cost.adjusted())
    return (f"~{number_format.decimal_figure(half_up(cost, places))}", "warn") if cost else ("0", "faint")
