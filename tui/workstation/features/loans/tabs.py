"""Lists of the loans screen and their columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from tui.engine.service_query import ListRead, ServiceQuery, query_endpoint
from tui.interface.decimals import half_up
from tui.interface.families.portfolio_loans import LoanInfo, LoanOrderRecord, LoanStatementRecord
from tui.interface.times import millis
from tui.rules.borrowing import portfolio_loans as rules
from tui.workstation.features.loans.rows import DebtRow, LoanRow, debt_rows, describe_next_threshold, loan_rows
from tui.workstation.model import number_format
from tui.workstation.model.borrow_rates import a_day, a_year, an_hour
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import MONEY
from tui.workstation.table.column_kinds import PLACES, number, show_amount, show_text, show_time
from tui.workstation.table.columns import SPARE, Cell, Field, Fields, of_row
from tui.workstation.widgets.lists.command_tab import command_tab
from tui.workstation.widgets.lists.tab import QueryTab, Rows, sum_by_coin, sums_text

PANE = "loans"
MOST, PAID = f"{PANE}/most", f"{PANE}/paid"
"""Keys of further answers of the first list: largest loans, and interest paid."""
COMMANDS = ("portfolio_loan_borrow", "portfolio_loan_repay")
WINDOW_MS = int(timedelta(days=89).total_seconds() * 1000)
"""History kept by the service less a day, so that the query stays the same for a whole day, ms."""
_DAY_MS = 86_400_000
MONEY_PLACES = 4
"""Decimals of interest in a stablecoin."""


def of_90_days(view: DisplayContext) -> Mapping[str, str]:
    """Return the query parameters for the last 90 days."""
    now = int(view.clock.wall() * 1000)
    return {"startTime": str((now - WINDOW_MS) // _DAY_MS * _DAY_MS)}


def _venue(width: int = 9, hide: int = 0) -> Field[Any]:
    return show_text(lambda row: row.exchange, width, hide=hide)


def _coin(width: int = 6, hide: int = 0) -> Field[Any]:
    return show_text(lambda row: row.coin, width, "strong", hide=hide)


def _interest(role: str, width: int, hide: int, title: str = "") -> Field[Any]:
    """Build the interest column with rounded amounts."""

    def cell(row: Any, view: DisplayContext) -> Cell:
        places = MONEY_PLACES if row.coin in MONEY else PLACES
        value = half_up(number(row.interest), places)
        return (view.amount(value, places), role) if value else ("0", "faint")

    return Field(width, cell, of_row(lambda row: number(row.interest)), hide=hide, title=title)


def _rate(write: Callable[[Decimal | None], str], width: int, title: str, hide: int) -> Field[Any]:
    return Field(
        width, of_row(lambda row: (write(row.hourly_rate), "dim")), of_row(lambda row: row.hourly_rate), hide=hide,
        title=title,
    )  # fmt: skip


# Loans


def _ltv(row: LoanRow) -> Cell:
    value = number(row.ltv)
    return row.ltv, "alert" if row.account_status == "LIQUIDATING" else "warn" if value >= Decimal("0.7") else "text"


_LOAN_FIELDS: Fields[LoanRow] = {
    "venue": _venue(8),
    "coin": _coin(5),
    "borrowed": show_amount(lambda row: row.loan, 12, role="warn"),
    "interest": _interest("dim", 10, 2, "paid 90 d"),
    "hour": _rate(an_hour, 11, "per hour", 3),
    "day": _rate(a_day, 9, "per day", 2),
    "year": _rate(a_year, 9, "per year", 1),
    "LTV": Field(6, of_row(_ltv), of_row(lambda row: number(row.ltv)), hide=1),
    "rung": show_text(lambda row: f" {describe_next_threshold(row.ltv)}", 27, "dim", hide=4, title=" next threshold"),
    "can borrow": show_amount(lambda row: row.most, 13, role="strong", least=12),
    "because": show_text(lambda row: f" {row.limited_by}", 33, "dim", hide=1, title=" limited by", least=25),
}


def _pick_loans(answer: ListRead, view: DisplayContext) -> Rows:
    answers = view.mirror.answers
    if not isinstance(answer.data, LoanInfo):
        return []
    return loan_rows(answer.data, answers.get(MOST), answers.get(PAID), view.mirror)


def _loan_queries(view: DisplayContext) -> tuple[ServiceQuery, ...]:
    paid = {**of_90_days(view), "type": "interest"}
    return (
        query_endpoint(MOST, "portfolio_loan_max"),
        query_endpoint(PAID, "portfolio_loan_statement", tuple(paid.items()), to_end=True),
    )


def _describe_thresholds(view: DisplayContext) -> tuple[str, ...]:
    del view
    warning, no_borrowing, liquidation = rules.WARNING_LTV, rules.NO_BORROWING_LTV, rules.LIQUIDATION_LTV
    return (
        f"LTV {warning} warning · {no_borrowing} nothing more is lent · {liquidation} collateral is sold",
        f"LTV {warning} / {no_borrowing} / {liquidation}",
    )


LOANS = QueryTab(
    name="loans", empty="no coins that can be borrowed", fields=_LOAN_FIELDS,
    id=lambda row: f"{row.exchange}/{row.coin}", endpoint="portfolio_loan_info", pick=_pick_loans, follows=COMMANDS,
    also=_loan_queries, notes=_describe_thresholds,
)  # fmt: skip

# Margin debts

_DEBT_FIELDS: Fields[DebtRow] = {
    "venue": _venue(8),
    "coin": _coin(5),
    "borrowed": show_amount(lambda row: row.borrowed, 13, role="warn", least=12),
    "interest": _interest("warn", 13, 1, "accrued"),
    "hour": _rate(an_hour, 11, "per hour", 3),
    "day": _rate(a_day, 9, "per day", 2),
    "year": _rate(a_year, 9, "per year", 0),
    "level": show_text(lambda row: row.level or number_format.MISSING, 6, "dim", prose=False, hide=3),
    "limit": show_amount(lambda row: row.limit, 14, role="dim", hide=2),
    "pool": show_amount(lambda row: row.pool, 16, role="dim", least=15, hide=1),
    "leverage": Field(
        9,
        of_row(lambda row: (row.leverage or number_format.MISSING, "dim")),
        of_row(lambda row: number_format.value(row.leverage)),
        hide=3,
    ),
}

DEBTS = QueryTab(
    name="margin debts", empty="no coins borrowed by margin orders", fields=_DEBT_FIELDS,
    id=lambda row: f"{row.exchange}/{row.coin}", endpoint="loan_pool",
    pick=lambda answer, view: debt_rows(answer.rows, view.mirror), follows=COMMANDS,
)  # fmt: skip

# Orders and statement

_ORDER_FIELDS: Fields[LoanOrderRecord] = {
    "time": show_time(lambda row: millis(str(row.create_time)), least=13),
    "venue": _venue(hide=1),
    "coin": _coin(hide=SPARE),
    "what": Field(8, of_row(lambda row: (row.type, "warn" if row.type == "borrow" else "good")), left=True, least=7),
    "amount": show_amount(lambda row: row.amount, 20, lambda row: row.coin, least=17),
    "status": show_text(lambda row: f" {row.status}", 10, "dim", prose=False, hide=1, title=" status"),
    "client id": show_text(lambda row: row.client_order_id or number_format.MISSING, 34, "dim", hide=2),
    "id": show_text(lambda row: row.order_id, 20, "dim", prose=False, hide=2),
}

ORDERS = QueryTab(
    name="orders", empty="no loans", fields=_ORDER_FIELDS,
    at=lambda row: millis(str(row.create_time)), id=lambda row: row.order_id, endpoint="portfolio_loan_orders",
    params=of_90_days, query_text="90 days", follows=COMMANDS,
)  # fmt: skip


def _delta(row: LoanStatementRecord) -> Cell:
    value = number_format.value(row.delta)
    text = number_format.format_signed_decimal(value, 8 if value is not None and abs(value) < 1 else 2)
    return f"{text} {row.coin}", number_format.change_role(value)


_STATEMENT_FIELDS: Fields[LoanStatementRecord] = {
    "time": show_time(lambda row: millis(str(row.timestamp)), least=13),
    "venue": _venue(hide=1),
    "coin": _coin(hide=SPARE),
    "what": show_text(lambda row: row.type.removeprefix("loan_").replace("_", " "), 17, least=16, hide=1),
    "change": Field(22, of_row(_delta), of_row(lambda row: number(row.delta)), least=20),
    "balance": show_amount(lambda row: row.balance, 20, lambda row: row.coin, hide=2),
    "id": show_text(lambda row: f" {row.statement_id}", 19, "dim", prose=False, hide=2, title=" id"),
}


def _sums(rows: Rows, view: DisplayContext) -> Sequence[Sequence[str]]:
    """Sum the statement rows by kind."""
    del view
    kinds = dict.fromkeys(row.type for row in rows)
    parts = [
        f"{kind.removeprefix('loan_').replace('_', ' ')} "
        f"{sums_text(sum_by_coin([(row.coin, number(row.delta)) for row in rows if row.type == kind]), signed=True)}"
        for kind in kinds
    ]
    return [parts]


STATEMENT = QueryTab(
    name="statement", empty="no loan bookings", fields=_STATEMENT_FIELDS,
    at=lambda row: millis(str(row.timestamp)), id=lambda row: row.statement_id, endpoint="portfolio_loan_statement",
    params=of_90_days, query_text="90 days", follows=COMMANDS, sums=_sums,
)  # fmt: skip

SENT = command_tab(*COMMANDS)
