"""Handlers of borrowing queries: pools, margin tiers, interest, collateral discounts, margin leverage."""

from __future__ import annotations

from typing import Any

import msgspec

from tui.interface.decimals import plain
from tui.interface.families.loans import (
    CoinDiscountRow,
    InterestLevelRow,
    InterestRates,
    LoanPoolRow,
    LoanTierRow,
    LoanTiers,
    OldInterestLevel,
    OldLoanTier,
)
from tui.interface.families.positions import MarginLeverageRow
from tui.venue.core.accounts.loan_terms import CoinLoan
from tui.venue.core.check_failed import CheckFailed
from tui.venue.shell.rest.pages import make_page
from tui.venue.shell.rest.query import Query

_HOUR_MS = 3_600_000


def _select_loans(query: Query) -> list[CoinLoan]:
    return [
        loan
        for loan in query.queries.loans()
        if query.accepts("exchange_type", loan.exchange) and query.accepts("coin", loan.coin)
    ]


def loan_pool(query: Query) -> Any:
    """List how much of each coin the venues can still lend."""
    if query.runtime.switches["pool_params"] == "required":
        for field, name in (("exchange_type", "exchange"), ("coin", "asset")):
            if field not in query.params:
                raise CheckFailed(400009, f"{name} is missing; it is required")
    left = query.queries.remaining_pool
    return [
        LoanPoolRow(exchange_type=loan.exchange, coin=loan.coin, max_avi_loan=plain(left(loan)))
        for loan in _select_loans(query)
    ]


def loan_info(query: Query) -> Any:
    """Return the margin tiers of debts in each coin, by margin pair."""
    return {loan.sym: _tiers(loan) for loan in _select_loans(query)}


def _tiers(loan: CoinLoan) -> LoanTiers:
    rows = [
        LoanTierRow(
            tier=str(number),
            min_size=plain(tier.least),
            max_size=plain(tier.most),
            mm_rate=f"{tier.mmr:.4f}",
            max_leverage=f"{tier.max_leverage:.2f}",
        )
        for number, tier in enumerate(loan.tiers, start=1)
    ]
    return LoanTiers(exchange_type=loan.exchange, coin=loan.coin, tiers=rows)


def coin_discounts(query: Query) -> Any:
    """Return the collateral discount of each coin."""
    return {
        name: CoinDiscountRow(coin=name, discount=f"{share:.4f}")
        for name, share in query.queries.discounts().items()
        if query.accepts("coin", name)
    }


def interest_rates(query: Query) -> Any:
    """Return the hourly interest rates of each coin, by margin pair; a changed rate applies from the next full hour."""
    hour = query.runtime.now_ms() // _HOUR_MS * _HOUR_MS
    return {
        loan.sym: InterestRates(
            exchange_type=loan.exchange,
            coin=loan.coin,
            update_time=hour,
            levels=[
                InterestLevelRow(
                    level=level.level, hour_interest_rate=format(level.hourly_rate, "f"), loan_limit=plain(level.limit)
                )
                for level in loan.levels
            ],
        )
        for loan in _select_loans(query)
    }


def loan_info_old(query: Query) -> Any:
    """List the margin tiers of debts in one flat list, the format of the removed endpoint."""
    return [
        OldLoanTier(exchange_type=loan.exchange, coin=loan.coin, **msgspec.structs.asdict(tier))
        for loan in _select_loans(query)
        for tier in _tiers(loan).tiers
    ]


def coin_discounts_old(query: Query) -> Any:
    """List the collateral discounts in the format of the removed endpoint."""
    return list(coin_discounts(query).values())


def interest_rates_old(query: Query) -> Any:
    """Return the hourly interest rates by venue, times in seconds and no envelope, the format of the removed endpoint."""
    levels: dict[str, list[OldInterestLevel]] = {}
    for rates in interest_rates(query).values():
        levels.setdefault(rates.exchange_type, []).extend(
            OldInterestLevel(
                exchange_type=rates.exchange_type,
                coin=rates.coin,
                update_time=rates.update_time // 1000,
                **msgspec.structs.asdict(level),
            )
            for level in rates.levels
        )
    return levels


def margin_leverage(query: Query) -> Any:
    """List the leverage of margin debt for every coin that can be borrowed."""
    exchange = query.runtime.exchange
    rows = [
        MarginLeverageRow(
            coin=loan.coin,
            exchange_type=loan.exchange,
            leverage=str(exchange.queries.margin_leverage(query.portfolio, loan)),
        )
        for loan in _select_loans(query)
    ]
    return make_page(rows, query.params, lambda row: row, empty_num=query.empty_num)
