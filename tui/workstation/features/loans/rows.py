"""Rows of the loans screen, merged per venue and coin from several answers."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TypeVar

import msgspec

from tui.engine.rows import LoanTerms, Table
from tui.engine.service_query import ListRead
from tui.interface.decimals import ZERO, plain
from tui.interface.families.loans import LoanPoolRow
from tui.interface.families.portfolio_loans import (
    LoanAccount,
    LoanBookingType,
    LoanCoin,
    LoanConfig,
    LoanInfo,
    LoanStatementRecord,
    MaxLoan,
)
from tui.rules.borrowing import portfolio_loans as rules
from tui.workstation.model import number_format
from tui.workstation.model.borrow_rates import level_of, loan_rate, margin_rate
from tui.workstation.model.mirror import Mirror

T = TypeVar("T")


class LoanRow(msgspec.Struct, frozen=True, kw_only=True):
    """Coin that can be borrowed at a venue, with the portfolio loan in it; amounts in coins."""

    exchange: str
    coin: str
    loan: str
    interest: str
    """Interest paid in the last 90 days, as far as read."""
    hourly_rate: Decimal | None
    ltv: str
    """LTV of the venue account."""
    account_status: str
    most: str
    """Amount that can be borrowed now; empty: not read."""
    limited_by: str


class DebtRow(msgspec.Struct, frozen=True, kw_only=True):
    """Coin that margin orders can borrow at a venue, with the debt in it; amounts in coins."""

    exchange: str
    coin: str
    borrowed: str
    interest: str
    """Interest accrued and not repaid yet."""
    hourly_rate: Decimal | None
    level: str
    limit: str
    """Largest debt of the level."""
    pool: str
    leverage: str


def describe_next_threshold(ltv: str) -> str:
    """Describe the next higher LTV threshold and its effect; above the highest, that collateral is being sold."""
    value = number_format.value(ltv) or ZERO
    for threshold, effect in (
        (rules.WARNING_LTV, "warning"),
        (rules.NO_BORROWING_LTV, "nothing more is lent"),
        (rules.LIQUIDATION_LTV, "collateral is sold"),
    ):
        if value < threshold:
            return f"{threshold} {effect}"
    return "collateral is being sold"


def loan_rows(info: LoanInfo, most: ListRead | None, paid: ListRead | None, mirror: Mirror) -> list[LoanRow]:
    """Build one row per venue and coin that can be borrowed or is owed."""
    maxima = {(row.exchange, row.coin): row.portfolio_max_loan_coin for row in _of(most, MaxLoan)}
    interest = _interest(_of(paid, LoanStatementRecord))
    rows = []
    for account in info.accounts:
        owed = {loan.coin: loan for loan in account.coins}
        for coin in sorted({*owed, *(name for exchange, name in maxima if exchange == account.exchange)}):
            limit = maxima.get((account.exchange, coin), owed[coin].portfolio_max_loan_coin if coin in owed else "")
            rows.append(
                LoanRow(
                    exchange=account.exchange,
                    coin=coin,
                    loan=owed[coin].loan if coin in owed else "0",
                    interest=plain(interest.get((account.exchange, coin), ZERO)),
                    hourly_rate=loan_rate(mirror, coin),
                    ltv=account.ltv,
                    account_status=account.account_status,
                    most=limit,
                    limited_by=describe_limit(info, account, coin, limit, mirror),
                )
            )
    return rows


def _of(answer: ListRead | None, kind: type[T]) -> list[T]:
    return [row for row in answer.rows if isinstance(row, kind)] if answer is not None else []


def _interest(rows: Iterable[LoanStatementRecord]) -> dict[tuple[str, str], Decimal]:
    interest: dict[tuple[str, str], Decimal] = {}
    for row in rows:
        if row.type == LoanBookingType.INTEREST:
            key = (row.exchange, row.coin)
            interest[key] = interest.get(key, ZERO) - (number_format.value(row.delta) or ZERO)
    return interest


def describe_limit(info: LoanInfo, account: LoanAccount, coin: str, most: str, mirror: Mirror) -> str:
    """Describe why no more can be borrowed: LTV, margin, quota or pool."""
    if (number_format.value(account.ltv) or ZERO) >= rules.NO_BORROWING_LTV:
        return f"LTV {account.ltv}: borrowing is refused at {rules.NO_BORROWING_LTV} and above"
    terms, index, limit = (
        mirror.row(Table.LOAN_CONFIG, coin),
        index_of(mirror, account, coin),
        number_format.value(most),
    )
    if not isinstance(terms, LoanConfig) or not index or limit is None:
        return ""
    known = (
        ("free margin", account.net_available_margin, terms.loan_leverage),
        ("quota left", plain(_quota_left(info, terms)), "1"),
    )
    step = Decimal(1).scaleb(-rules.AMOUNT_PLACES)
    for name, worth, times in known:
        value, factor = number_format.value(worth), number_format.value(times)
        # One step of tolerance: the index price now differs from that of the answer.
        if value is not None and factor and value * factor / index <= limit * Decimal("1.001") + step:
            return f"{f'{times} × ' if times != '1' else ''}{name} {number_format.figure(worth, 2)} USDT"
    return "loan pool of the venue"


def _quota_left(info: LoanInfo, terms: LoanConfig) -> Decimal:
    """Return the unused borrowing quota; it subtracts only this portfolio's loans, though all portfolios share it."""
    used = (number_format.value(loan.loan_value) or ZERO for account in info.accounts for loan in account.coins)
    return max((number_format.value(terms.max_loan_value) or ZERO) - sum(used, ZERO), ZERO)


def index_of(mirror: Mirror, account: LoanAccount, coin: str) -> Decimal | None:
    """Return the index price of a coin, from an asset row or from the loan itself."""
    prices = (
        number_format.value(fact.record.index_price) for fact in mirror.assets.values() if fact.record.coin == coin
    )
    index = next((price for price in prices if price), None)
    return index or _index_of_loan(next((loan for loan in account.coins if loan.coin == coin), None))


def _index_of_loan(coin: LoanCoin | None) -> Decimal | None:
    if coin is None:
        return None
    value, loan = number_format.value(coin.loan_value), number_format.value(coin.loan)
    return value / loan if value and loan else None


def debt_rows(pools: Iterable[object], mirror: Mirror) -> list[DebtRow]:
    """Build one row per venue and coin that margin orders can borrow."""
    return [_debt_row(pool, mirror) for pool in pools if isinstance(pool, LoanPoolRow)]


def _debt_row(pool: LoanPoolRow, mirror: Mirror) -> DebtRow:
    key = f"{pool.exchange_type}/{pool.coin}"
    fact, terms, level = (
        mirror.assets.get(key),
        mirror.row(Table.LOANS, key),
        level_of(mirror, pool.exchange_type, pool.coin),
    )
    owed = number_format.value(fact.record.debt) if fact is not None else ZERO
    principal = number_format.value(fact.record.borrow) if fact is not None else ZERO
    return DebtRow(
        exchange=pool.exchange_type,
        coin=pool.coin,
        borrowed=plain(principal or ZERO),
        interest=plain((owed or ZERO) - (principal or ZERO)),
        hourly_rate=margin_rate(mirror, pool.exchange_type, pool.coin),
        level=level.level if level is not None else "",
        limit=level.loan_limit if level is not None else "",
        pool=pool.max_avi_loan,
        leverage=terms.leverage if isinstance(terms, LoanTerms) else "",
    )
