"""Queries about borrowing: pools, tiers, interest, collateral discounts, margin leverage."""

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
from tui.venue.shell.keys import Denial
from tui.venue.shell.rest.pages import paged
from tui.venue.shell.rest.query import Call

_HOUR_MS = 3_600_000


def _asked(call: Call) -> list[CoinLoan]:
    venue, coin = call.params.get("exchange_type"), call.params.get("coin")
    return [
        loan
        for loan in call.runtime.exchange.queries.loans()
        if venue in (None, loan.exchange) and coin in (None, loan.coin)
    ]


def loan_pool(call: Call) -> Any:
    """What can still be lent."""
    if call.runtime.switches["pool_params"] == "required":
        for field, name in (("exchange_type", "exchange"), ("coin", "asset")):
            if field not in call.params:
                return Denial(400009, f"{name} is missing; it is required")
    left = call.runtime.exchange.queries.left_in_pool
    return [
        LoanPoolRow(exchange_type=loan.exchange, coin=loan.coin, max_avi_loan=plain(left(loan)))
        for loan in _asked(call)
    ]


def loan_info(call: Call) -> Any:
    """Tiers of debts, by pair."""
    return {loan.sym: _tiers(loan) for loan in _asked(call)}


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


def coin_discounts(call: Call) -> Any:
    """Collateral discounts, by coin."""
    coin = call.params.get("coin")
    return {
        name: CoinDiscountRow(coin=name, discount=f"{share:.4f}")
        for name, share in call.runtime.exchange.queries.discounts().items()
        if coin in (None, name)
    }


def interest_rates(call: Call) -> Any:
    """Hourly rates, by pair; they are set anew at each full hour."""
    hour = call.runtime.now_ms() // _HOUR_MS * _HOUR_MS
    return {
        loan.sym: InterestRates(
            exchange_type=loan.exchange,
            coin=loan.coin,
            update_time=hour,
            levels=[
                InterestLevelRow(
                    level=one.level, hour_interest_rate=format(one.hourly_rate, "f"), loan_limit=plain(one.limit)
                )
                for one in loan.levels
            ],
        )
        for loan in _asked(call)
    }


def loan_info_old(call: Call) -> Any:
    """Tiers of debts in one flat list, as the removed endpoint had them."""
    return [
        OldLoanTier(exchange_type=loan.exchange, coin=loan.coin, **msgspec.structs.asdict(tier))
        for loan in _asked(call)
        for tier in _tiers(loan).tiers
    ]


def coin_discounts_old(call: Call) -> Any:
    """Collateral discounts as a list, as the removed endpoint had them."""
    return list(coin_discounts(call).values())


def interest_rates_old(call: Call) -> Any:
    """Hourly rates by venue, times in seconds; the removed endpoint answered without an envelope."""
    found: dict[str, list[OldInterestLevel]] = {}
    for told in interest_rates(call).values():
        found.setdefault(told.exchange_type, []).extend(
            OldInterestLevel(
                exchange_type=told.exchange_type,
                coin=told.coin,
                update_time=told.update_time // 1000,
                **msgspec.structs.asdict(level),
            )
            for level in told.levels
        )
    return found


def margin_leverage(call: Call) -> Any:
    """Leverage of the debt in every coin that can be borrowed."""
    exchange = call.runtime.exchange
    rows = [
        MarginLeverageRow(
            coin=loan.coin,
            exchange_type=loan.exchange,
            leverage=str(exchange.queries.margin_leverage(call.portfolio, loan)),
        )
        for loan in _asked(call)
    ]
    return paged(rows, call.params, lambda row: row, empty_num=call.empty_num)
