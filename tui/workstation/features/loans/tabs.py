"""The lists of the loans screen as columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

from tui.engine.service_query import ListRead, ServiceQuery, query_endpoint
from tui.interface.decimals import half_up
from tui.interface.families.portfolio_loans import LoanInfo, LoanOrderRecord, LoanStatementRecord
from tui.interface.times import millis
from tui.rules.borrowing import portfolio_loans as rules
from tui.workstation.features.loans.rows import DebtRow, LoanRow, debt_rows, loan_rows, next_rung
from tui.workstation.model import number_format
from tui.workstation.model.borrow_rates import a_day, a_year, an_hour
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import MONEY
from tui.workstation.table.columns import Cell, Field, Fields, layout, of_row
from tui.workstation.widgets.lists.command_tab import command_tab
from tui.workstation.widgets.lists.tab import (
    PLACES,
    QueryTab,
    Rows,
    by_coin,
    in_coin,
    number,
    sums_text,
    time_cell,
)

PANE = "loans"
MOST, PAID = f"{PANE}/most", f"{PANE}/paid"
"""Keys of the answers that the first list needs beside its own: the maxima, and the interest that was paid."""
COMMANDS = ("portfolio_loan_borrow", "portfolio_loan_repay")
WINDOW_MS = int(timedelta(days=89).total_seconds() * 1000)
"""What the service keeps, less a day, so that the question stays the same for all of a day."""
_DAY_MS = 86_400_000
MONEY_PLACES = 4
"""Decimals of interest in a coin of money."""


def of_90_days(view: DisplayContext) -> Mapping[str, str]:
    """All that the service keeps."""
    now = int(view.clock.wall() * 1000)
    return {"startTime": str((now - WINDOW_MS) // _DAY_MS * _DAY_MS)}


def _place(fields: dict[str, Field[Any]]) -> dict[str, Field[Any]]:
    """The columns with which most of the lists begin, and then the others."""
    return {
        "venue": Field(9, of_row(lambda row: (row.exchange, "text")), left=True, prose=True),
        "coin": Field(6, of_row(lambda row: (row.coin, "strong")), left=True, prose=True),
        **fields,
    }


def _amount(name: str, role: str = "text", width: int = 14, hide: int = 0) -> Field[Any]:
    """An amount of the row's coin; what is zero fades."""

    def cell(row: Any, view: DisplayContext) -> Cell:
        value = number_format.value(getattr(row, name))
        if value is None:
            return number_format.MISSING, "faint"
        return number_format.decimal_figure(value, 2, view.settings.separators, exact=True), role if value else "faint"

    return Field(width, cell, of_row(lambda row: number(getattr(row, name))), hide=hide)


def _interest(role: str, width: int, hide: int) -> Field[Any]:
    """Interest of the row's coin, rounded; all of its decimals stand on the card."""

    def cell(row: Any, view: DisplayContext) -> Cell:
        places = MONEY_PLACES if row.coin in MONEY else PLACES
        value = half_up(number(row.interest), places)
        return (
            (number_format.decimal_figure(value, places, view.settings.separators), role) if value else ("0", "faint")
        )

    return Field(width, cell, of_row(lambda row: number(row.interest)), hide=hide)


def _rate(write: Callable[[Decimal | None], str], width: int, hide: int, title: str) -> Field[Any]:
    return Field(
        width, of_row(lambda row: (write(row.hourly_rate), "dim")), of_row(lambda row: row.hourly_rate), hide=hide,
        title=title,
    )  # fmt: skip


_RATES: dict[str, Field[Any]] = {
    "hour": _rate(an_hour, 11, 5, "per hour"),
    "day": _rate(a_day, 9, 4, "per day"),
    "year": _rate(a_year, 9, 2, "per year"),
}

# Loans


def _ltv(row: LoanRow) -> Cell:
    value = number(row.ltv)
    return row.ltv, "alert" if row.account_status == "LIQUIDATING" else "warn" if value >= Decimal("0.7") else "text"


_LOAN_FIELDS: Fields[LoanRow] = _place(
    {
        "borrowed": _amount("loan", "warn"),
        "interest": _interest("dim", 12, 3),
        **_RATES,
        "LTV": Field(7, of_row(_ltv), of_row(lambda row: number(row.ltv)), hide=1),
        "rung": Field(28, of_row(lambda row: (f" {next_rung(row.ltv)}", "dim")), left=True, prose=True, hide=6,
                      title=" next threshold"),
        "can borrow": _amount("most", "strong"),
        "because": Field(30, of_row(lambda row: (f" {row.limited_by}", "dim")), left=True, prose=True, hide=3,
                         title=" limited by"),
    }
)  # fmt: skip
_LOAN_LAYOUTS = (
    layout(
        _LOAN_FIELDS, 138,
        ("venue", 8), ("coin", 5), ("borrowed", 12), ("interest", 10), ("hour", 11), ("day", 9), ("year", 9),
        ("LTV", 6), ("rung", 27), ("can borrow", 12), ("because", 29),
    ),
    layout(
        _LOAN_FIELDS, 116,
        ("venue", 8), ("coin", 5), ("borrowed", 12), ("interest", 10), ("hour", 11), ("day", 9), ("year", 9),
        ("LTV", 6), ("can borrow", 13), ("because", 33),
    ),
    layout(
        _LOAN_FIELDS, 78,
        ("venue", 8), ("coin", 5), ("borrowed", 12), ("year", 9), ("LTV", 6), ("can borrow", 13), ("because", 25),
    ),
    layout(_LOAN_FIELDS, 37, ("venue", 8), ("coin", 5), ("borrowed", 12), ("can borrow", 12)),
)  # fmt: skip


def _pick_loans(answer: ListRead, view: DisplayContext) -> Rows:
    answers = view.mirror.answers
    if not isinstance(answer.data, LoanInfo):
        return []
    return loan_rows(answer.data, answers.get(MOST), answers.get(PAID), view.mirror)


def _beside_loans(view: DisplayContext) -> tuple[ServiceQuery, ...]:
    paid = {**of_90_days(view), "type": "interest"}
    return (
        query_endpoint(MOST, "portfolio_loan_max"),
        query_endpoint(PAID, "portfolio_loan_statement", tuple(paid.items()), to_end=True),
    )


def _describe_rungs(view: DisplayContext) -> tuple[str, ...]:
    del view
    warning, full, sold = rules.WARNING_LTV, rules.NO_BORROWING_LTV, rules.LIQUIDATION_LTV
    return (
        f"LTV {warning} warning · {full} nothing more is lent · {sold} collateral is sold",
        f"LTV {warning} / {full} / {sold}",
    )


LOANS = QueryTab(
    name="loans", noun="coins that can be borrowed", fields=_LOAN_FIELDS, layouts=_LOAN_LAYOUTS,
    id=lambda row: f"{row.exchange}/{row.coin}", endpoint="portfolio_loan_info", pick=_pick_loans, follows=COMMANDS,
    also=_beside_loans, words=_describe_rungs,
)  # fmt: skip

# Margin debts

_DEBT_FIELDS: Fields[DebtRow] = _place(
    {
        "borrowed": _amount("borrowed", "warn"),
        "interest": _interest("warn", 14, 1),
        **_RATES,
        "level": Field(6, of_row(lambda row: (row.level or number_format.MISSING, "dim")), left=True, hide=5),
        "limit": _amount("limit", "dim", 14, 4),
        "pool": _amount("pool", "dim", 16, 3),
        "leverage": Field(9, of_row(lambda row: (row.leverage or number_format.MISSING, "dim")), hide=6),
    }
)
_DEBT_LAYOUTS = (
    layout(
        _DEBT_FIELDS, 112,
        ("venue", 8), ("coin", 5), ("borrowed", 13), ("interest", 13), ("hour", 11), ("day", 9), ("year", 9),
        ("level", 6), ("limit", 14), ("pool", 15), ("leverage", 9),
    ),
    layout(_DEBT_FIELDS, 76, ("venue", 8), ("coin", 5), ("borrowed", 13), ("interest", 13), ("year", 9), ("pool", 16)),
    layout(_DEBT_FIELDS, 37, ("venue", 8), ("coin", 5), ("borrowed", 12), ("year", 9)),
)  # fmt: skip

DEBTS = QueryTab(
    name="margin debts", noun="coins that margin orders borrow", fields=_DEBT_FIELDS, layouts=_DEBT_LAYOUTS,
    id=lambda row: f"{row.exchange}/{row.coin}", endpoint="loan_pool",
    pick=lambda answer, view: debt_rows(answer.rows, view.mirror), follows=COMMANDS,
)  # fmt: skip

# Orders and statement

_ORDER_FIELDS: Fields[LoanOrderRecord] = {
    "time": Field(15, lambda row, view: time_cell(millis(str(row.create_time)), view),
                  of_row(lambda row: Decimal(millis(str(row.create_time)))), left=True),
    **_place({
        "what": Field(8, of_row(lambda row: (row.type, "warn" if row.type == "borrow" else "good")), left=True),
        "amount": Field(18, of_row(lambda row: in_coin(row.amount, row.coin)), of_row(lambda row: number(row.amount))),
        "status": Field(10, of_row(lambda row: (f" {row.status}", "dim")), left=True, hide=1, title=" status"),
        "client id": Field(34, of_row(lambda row: (row.client_order_id or number_format.MISSING, "dim")), left=True,
                           prose=True, hide=3),
        "id": Field(20, of_row(lambda row: (row.order_id, "dim")), left=True, hide=2),
    }),
}  # fmt: skip
_ORDER_LAYOUTS = (
    layout(
        _ORDER_FIELDS, 116,
        ("time", 15), ("venue", 9), ("what", 8), ("amount", 20), ("status", 10), ("id", 20), ("client id", 34),
    ),
    layout(_ORDER_FIELDS, 62, ("time", 15), ("venue", 9), ("what", 8), ("amount", 18), ("status", 10)),
    layout(_ORDER_FIELDS, 37, ("time", 13), ("what", 7), ("amount", 17)),
)  # fmt: skip

ORDERS = QueryTab(
    name="orders", noun="loans of 90 days", fields=_ORDER_FIELDS, layouts=_ORDER_LAYOUTS,
    at=lambda row: millis(str(row.create_time)), id=lambda row: row.order_id, endpoint="portfolio_loan_orders",
    params=of_90_days, question="90 days", follows=COMMANDS,
)  # fmt: skip


def _delta(row: LoanStatementRecord) -> Cell:
    value = number_format.value(row.delta)
    text = number_format.signed_decimal(value, 8 if value is not None and abs(value) < 1 else 2)
    return f"{text} {row.coin}", number_format.change_role(value)


_STATEMENT_FIELDS: Fields[LoanStatementRecord] = {
    "time": Field(15, lambda row, view: time_cell(millis(str(row.timestamp)), view),
                  of_row(lambda row: Decimal(millis(str(row.timestamp)))), left=True),
    **_place({
        "what": Field(17, of_row(lambda row: (row.type.removeprefix("loan_").replace("_", " "), "text")), left=True,
                      prose=True),
        "change": Field(22, of_row(_delta), of_row(lambda row: number(row.delta))),
        "balance": Field(20, of_row(lambda row: in_coin(row.balance, row.coin)), of_row(lambda row: number(row.balance)),
                         hide=1),
        "id": Field(19, of_row(lambda row: (f" {row.statement_id}", "dim")), left=True, hide=3, title=" id"),
    }),
}  # fmt: skip
_STATEMENT_LAYOUTS = (
    layout(
        _STATEMENT_FIELDS, 100,
        ("time", 15), ("venue", 9), ("what", 17), ("change", 20), ("balance", 20), ("id", 19),
    ),
    layout(_STATEMENT_FIELDS, 62, ("time", 15), ("venue", 9), ("what", 16), ("change", 22)),
    layout(_STATEMENT_FIELDS, 37, ("time", 13), ("change", 22)),
)  # fmt: skip


def _sums(rows: Rows, view: DisplayContext) -> list[str]:
    """What was paid, by kind."""
    del view
    kinds = dict.fromkeys(row.type for row in rows)
    return [
        f"{kind.removeprefix('loan_').replace('_', ' ')} "
        f"{sums_text(by_coin([(row.coin, number(row.delta)) for row in rows if row.type == kind]), signed=True)}"
        for kind in kinds
    ]


STATEMENT = QueryTab(
    name="statement", noun="bookings of loans of 90 days", fields=_STATEMENT_FIELDS, layouts=_STATEMENT_LAYOUTS,
    at=lambda row: millis(str(row.timestamp)), id=lambda row: row.statement_id, endpoint="portfolio_loan_statement",
    params=of_90_days, question="90 days", follows=COMMANDS, sums=_sums,
)  # fmt: skip

SENT = command_tab(*COMMANDS)
