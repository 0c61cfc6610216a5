"""Merging of portfolio loans into other records: loan fields of asset rows, loan costs as statement rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
from msgspec import UNSET

from tui.engine.rows import Fact
from tui.interface import decimals
from tui.interface.families.assets import LOAN_FIELDS, AssetRecord
from tui.interface.families.history import DEDUCT_INTEREST, LIQUIDATION_FEE, StatementRecord
from tui.interface.families.portfolio_loans import LoanBookingType, LoanCoin, LoanInfo, LoanStatementRecord


def add_loans(
    records: Iterable[AssetRecord], info: LoanInfo | None, known: Mapping[str, Fact[AssetRecord]], epoch: int
) -> list[AssetRecord]:
    """Add the portfolio loan fields to asset rows, from the loans read or, if unreadable, from known rows.

    Args:
        records: Rows of the list.
        info: Loans read with the list; None: not readable.
        known: Earlier rows by `exchange/coin`.
        epoch: Present connection; without `info`, loans are known only from its pushes.
    """
    loans = {} if info is None else {(row.exchange, coin.coin): coin for row in info.accounts for coin in row.coins}
    return [_add_loan(record, loans, known, epoch, was_read=info is not None) for record in records]


def _add_loan(
    record: AssetRecord,
    loans: Mapping[tuple[str, str], LoanCoin],
    known: Mapping[str, Fact[AssetRecord]],
    epoch: int,
    *,
    was_read: bool,
) -> AssetRecord:
    if record.loan is not UNSET:
        return record
    before, loan = known.get(f"{record.exchange_type}/{record.coin}"), loans.get((record.exchange_type, record.coin))
    if before is not None and before.record.loan is not UNSET:
        same = loan is not None and decimals.optional(loan.loan) == decimals.optional(before.record.loan)
        if same or (not was_read and before.stamp.epoch == epoch):
            # The pushed figures belong to the row; those of the query are of another moment.
            return _copy_loan_fields(record, before.record)
    return record if loan is None else _copy_loan_fields(record, loan)


def _copy_loan_fields(record: AssetRecord, source: AssetRecord | LoanCoin) -> AssetRecord:
    return msgspec.structs.replace(record, **{name: getattr(source, name) for name in LOAN_FIELDS})


_COSTS: dict[str, str] = {LoanBookingType.INTEREST: DEDUCT_INTEREST, LoanBookingType.LIQUIDATION_FEE: LIQUIDATION_FEE}


_OF_LOANS = "loan "
"""Id prefix of rows taken from the loan statement, because both statements number their rows independently."""


def loan_costs(records: Iterable[LoanStatementRecord], portfolio: str) -> list[StatementRecord]:
    """Convert interest and fees of portfolio loans to rows of the account statement, which does not contain them."""
    return convert_loan_rows((record for record in records if record.type in _COSTS), portfolio)


def convert_loan_rows(records: Iterable[LoanStatementRecord], portfolio: str) -> list[StatementRecord]:
    """Convert rows of the loan statement to rows of the account statement; unreadable ones are left out."""
    rows = []
    for record in records:
        delta, balance = decimals.optional(record.delta), decimals.optional(record.balance)
        if delta is not None and balance is not None:
            rows.append(
                StatementRecord(
                    portfolio_id=portfolio,
                    request_id=record.statement_id,
                    statement_id=f"{_OF_LOANS}{record.statement_id}",
                    coin=record.coin,
                    statement_type=_COSTS.get(record.type, record.type.upper()),
                    exchange_type=record.exchange,
                    before_available=decimals.plain(balance - delta),
                    after_available=record.balance,
                    before_borrow="",
                    after_borrow="",
                    delta_amount=record.delta,
                    create_at=record.timestamp,
                )
            )
    return rows


def is_of_loans(statement_id: str) -> bool:
    """Return whether a statement row with this id was converted from the loan statement."""
    return statement_id.startswith(_OF_LOANS)
