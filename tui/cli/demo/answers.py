"""What the engine of the pictures answers to a reading of the service.

To add one: a line in `ANSWERS`, which gives the rows of a list, or the one record of any other answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tui.cli.demo import fees, funds, loans, overview, portfolios
from tui.engine.history import ReadState
from tui.engine.service_query import ServiceAnswer, ServiceQuery
from tui.interface.families.loans import InterestLevelRow, InterestRates

Give = Callable[[Mapping[str, str], int], object]
"""Rows (a tuple) or one record, by the parameters and the time, ms."""

_RATES = (("BTC", "0.00000042", "30"), ("ETH", "0.00000061", "400"), ("SOL", "0.00000219", "9000"))


def _interest_rates(params: Mapping[str, str], now_ms: int) -> object:
    """Hourly rates and limits of the first level."""
    venue = next(iter(params.values()), "")
    return {
        coin: InterestRates(
            exchange_type=venue, coin=coin, update_time=now_ms - 3_600_000,
            levels=[InterestLevelRow(level="1", hour_interest_rate=rate, loan_limit=limit)],
        )
        for coin, rate, limit in _RATES
    }  # fmt: skip


ANSWERS: Mapping[str, Give] = {
    "interest_rates": _interest_rates,
    "portfolios": portfolios.portfolios,
    "api_keys": portfolios.api_keys,
    "assets_overview": overview.overview,
    "assets_trading_accounts": overview.accounts,
    "assets_trading_account": overview.account,
    "assets_trading_summary": overview.summary,
    "assets_distribution": overview.distribution,
    "assets_funding": overview.funding,
    "assets_defi": lambda _params, _now: (),
    "accounts": funds.accounts,
    "account_balances": funds.balances,
    "transfers": funds.transfers,
    "deposits": funds.deposits,
    "withdrawals": funds.withdrawals,
    "bills": funds.bills,
    "custody_list": funds.custody,
    "currencies": funds.currencies,
    "withdraw_addresses": funds.address_book,
    "rapid_pool": funds.pool,
    "deposit_address": funds.deposit_address,
    "deposit_venue": funds.deposit_venue,
    "user_assets": overview.held_in_portfolios,
    "portfolio_loan_info": loans.info,
    "portfolio_loan_max": loans.maxima,
    "portfolio_loan_orders": loans.orders,
    "portfolio_loan_statement": loans.statement,
    "loan_pool": loans.pools,
    "user_fee_rate": fees.own,
    "broker_fee_rate": fees.of_portfolios,
    "collection_records": fees.collections_of,
    "clearing_statement": fees.cleared,
    "broker_position_brackets": fees.tiers,
    "broker_deposits": fees.deposits,
    "broker_withdrawals": fees.withdrawals,
}
"""By the name of the row of the catalogue."""


def demo_answer(query: ServiceQuery, now_ms: int) -> ServiceAnswer:
    """The answer to a query, read whole."""
    give = ANSWERS.get(query.endpoint)
    if give is None:
        return ServiceAnswer(query=query, state=ReadState.FAILED, text="not in the pictures", read_ms=now_ms)
    found = give(dict(query.params), now_ms)
    if isinstance(found, tuple):
        return ServiceAnswer(query=query, state=ReadState.WHOLE, rows=found, total=len(found), read_ms=now_ms)
    return ServiceAnswer(query=query, state=ReadState.WHOLE, data=found, total=1, read_ms=now_ms)
