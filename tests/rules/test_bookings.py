"""One sign for every kind of figure: above 0 came in, below 0 went out, whatever the service prints."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tui.interface.families.history import StatementRecord
from tui.interface.families.positions import PositionHistoryRecord
from tui.rules.bookings import (
    compute_booking_amount,
    compute_charge,
    compute_closed_net,
    deduct_loans,
    select_newest_rows,
)


@pytest.mark.parametrize(
    ("fee", "rebate", "charge"),
    [("12.35", "0", "-12.35"), ("0", "0.8", "0.8"), ("0", "-0.8", "0.8"), ("1", "-0.25", "-0.75"), ("", "", "0")],
)
def test_a_fee_counts_as_cost_and_a_rebate_as_income(fee: str, rebate: str, charge: str) -> None:
    assert compute_charge(fee, rebate) == Decimal(charge)


def closed(name: str, at: int, qty: str, **figures: str) -> PositionHistoryRecord:
    return PositionHistoryRecord(position_id=name, sym="S", closed_qty=qty, update_at=str(at), **figures)


def test_net_of_a_closed_position_counts_every_cost_once() -> None:
    row = closed("1", 5, "1", closed_pnl="10", fee="-0.5", funding_fee="-1.25", liq_fee="2")
    assert compute_closed_net(row) == Decimal("7.25")


def test_of_rows_of_one_closed_position_only_the_newest_counts() -> None:
    part, whole, other = closed("1", 5, "1"), closed("1", 5, "2"), closed("2", 4, "1")
    for rows in ([whole, part, other], [part, whole, other]):
        assert select_newest_rows(rows) == [whole, other]


def test_interest_counts_what_it_took_and_the_debt_it_added() -> None:
    row = StatementRecord(
        portfolio_id="7", statement_id="1", statement_type="DEDUCT_INTEREST", coin="ETH", before_available="1",
        after_available="0.75",
        before_borrow="2", after_borrow="2.125", delta_amount="-0.25",
    )  # fmt: skip
    assert compute_booking_amount(row) == Decimal("-0.375")


def test_equity_net_of_loans_is_unknown_if_a_part_is_missing() -> None:
    assert deduct_loans(Decimal(1_500), [Decimal(1_000)]) == 500
    assert deduct_loans(Decimal(1_500), [None]) is None and deduct_loans(None, []) is None
