"""What the engine of the pictures answers to a reading of the service.

To add one: a line in `ANSWERS`, which gives the rows of a list, or the one record of any other answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tui.cli.demo import fees, funds, loans, overview, portfolios
from tui.cli.demo.history import TOTAL, HistoryTables, volume, volume_of_all
from tui.engine.service_query import ListRead, ReadState, ServiceQuery
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


def _history(endpoint: str) -> Give:
    return lambda _params, now_ms: HistoryTables(str(portfolios.MAIN), now_ms).list(endpoint)


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
    **{name: _history(name) for name in ("order_history", "executions_paged", "position_history", "statement")},
    "algo_history": lambda _params, _now: (),
    "portfolio_trading_stats": volume,
    "user_trading_stats": volume_of_all,
}
"""By the name of the row of the catalogue."""


TOTALS = {"order_history": TOTAL}
"""Rows that the service says there are, where it has more than one page."""


def demo_answer(query: ServiceQuery, now_ms: int) -> ListRead:
    """The answer to a query, read whole or, of a longer list, its first page."""
    source = query.sources[0]
    give = ANSWERS.get(source.endpoint)
    if give is None:
        return ListRead(query=query, state=ReadState.FAILED, text="not in the pictures", read_ms=now_ms)
    answer = give(dict(source.params), now_ms)
    if not isinstance(answer, tuple):
        return ListRead(query=query, state=ReadState.WHOLE, data=answer, total=1, read_ms=now_ms)
    total = TOTALS.get(source.endpoint, len(answer))
    state = ReadState.PART if total > len(answer) else ReadState.WHOLE
    return ListRead(query=query, state=state, rows=answer, total=total, read_ms=now_ms)
