"""Queries about borrowing: pools, tiers, interest, collateral discounts, margin leverage."""

from __future__ import annotations

from typing import Any

from tui.interface.decimals import plain
from tui.interface.families.loans import (
    CoinDiscountRow,
    InterestLevelRow,
    InterestRates,
    LoanPoolRow,
    LoanTierRow,
    LoanTiers,
)
from tui.interface.families.positions import MarginLeverageRow
from tui.venue.core.loans import CoinLoan
from tui.venue.shell.call import Call
from tui.venue.shell.pages import paged

_HOUR_MS = 3_600_000


def _asked(call: Call) -> list[CoinLoan]:
    venue, coin = call.params.get("exchange_type"), call.params.get("coin")
    return [
        loan for loan in call.runtime.exchange.loans() if venue in (None, loan.exchange) and coin in (None, loan.coin)
    ]


def loan_pool(call: Call) -> Any:
    """What can still be lent."""
    left = call.runtime.exchange.left_in_pool
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
        for name, share in call.runtime.exchange.discounts().items()
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


def margin_leverage(call: Call) -> Any:
    """Leverage of the debt in every coin that can be borrowed."""
    exchange = call.runtime.exchange
    rows = [
        MarginLeverageRow(
            coin=loan.coin, exchange_type=loan.exchange, leverage=str(exchange.margin_leverage(call.portfolio, loan))
        )
        for loan in _asked(call)
    ]
    return paged(rows, call.params, lambda row: row, empty_num=call.empty_num)
