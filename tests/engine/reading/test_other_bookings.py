"""Transfers and loans between the rows of a statement: their balances are those of the portfolio, or they stay empty."""

from __future__ import annotations

from decimal import Decimal

from tui.engine.service_reading.other_bookings import has_changes_between, list_other_bookings
from tui.interface.families.accounts import BillRecord
from tui.interface.families.history import StatementRecord
from tui.interface.families.portfolio_loans import LoanStatementRecord

OWN, OTHER = "7001", "7002"


def booked(at: int, before: str, after: str, *, portfolio: str = OWN, venue: str = "BINANCE") -> StatementRecord:
    return StatementRecord(
        portfolio_id=int(portfolio), statement_id=f"{portfolio} {at}", coin="USDT", statement_type="TRADE",
        delta_amount=str(Decimal(after) - Decimal(before)), exchange_type=venue, before_available=before,
        after_available=after, create_at=at,
    )  # fmt: skip


def moved(number: int, at: int, amount: str, source: str = "", target: str = "BINANCE", **more: object) -> BillRecord:
    values = {
        "id": number, "currency": "USDT", "amount": Decimal(amount), "status": 1, "type": 1,
        "from_trade_account_id": OWN if source else 0, "to_trade_account_id": OWN if target else 0,
        "from_account_type": source, "to_account_type": target, "created_at": at, **more,
    }  # fmt: skip
    return BillRecord(**values)  # type: ignore[arg-type]


def balances(rows: list[StatementRecord], *bills: BillRecord) -> list[tuple[str, str, str]]:
    listed = list_other_bookings(sorted(rows, key=lambda row: -int(row.create_at)), bills, (), OWN)
    return [(row.exchange_type, row.before_available, row.after_available) for row in listed]


def test_balances_of_a_transfer_come_from_the_statement_rows() -> None:
    rows = [booked(1, "99", "100"), booked(9, "65", "66")]
    bills = (moved(1, 3, "15"), moved(2, 4, "50", "BINANCE", "OKX"))
    assert balances(rows, *bills) == [("BINANCE", "100", "115"), ("BINANCE", "115", "65"), ("OKX", "", "")]
    assert balances(rows[:1], *bills)[:2] == [("BINANCE", "100", "115"), ("BINANCE", "115", "65")]
    assert balances(rows[1:], *bills)[:2] == [("BINANCE", "100", "115"), ("BINANCE", "115", "65")]


def test_transfer_balances_are_empty_after_an_unknown_change() -> None:
    """A bill came late, or a spot order holds coins back: the next row begins with another balance."""
    rows = [booked(1, "99", "100"), booked(5, "95", "96"), booked(9, "106", "107")]
    assert balances(rows, moved(1, 3, "15"), moved(2, 7, "10")) == [("BINANCE", "", ""), ("BINANCE", "96", "106")]


def test_statement_rows_of_one_time_are_ordered_by_balance() -> None:
    """At a full hour the interest of a loan comes before the funding, and has the same time."""
    interest = LoanStatementRecord(
        statement_id="8", exchange="BINANCE", type="loan_interest", coin="USDT", delta="-1", balance="114", timestamp=9
    )
    rows = [booked(1, "99", "100"), booked(9, "114", "112"), booked(10, "112", "111")]
    listed = list_other_bookings(rows[::-1], [moved(1, 3, "15")], [interest], OWN)
    assert [(row.before_available, row.after_available) for row in listed] == [("100", "115"), ("115", "114")]
    assert not has_changes_between([*rows[::-1], *listed])


def test_transfer_balances_ignore_rows_of_other_portfolios() -> None:
    """A file of a key that reads several portfolios has them all."""
    rows = [booked(1, "99", "100"), booked(2, "7000", "7001", portfolio=OTHER)]
    between = {"from_trade_account_id": OTHER, "to_trade_account_id": OWN}
    bills = (moved(1, 3, "15"), moved(2, 4, "5", "BINANCE", "BINANCE", **between))
    assert balances(rows, *bills) == [("BINANCE", "100", "115"), ("BINANCE", "115", "120")]
