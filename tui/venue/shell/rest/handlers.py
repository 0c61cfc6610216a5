"""Handlers of the endpoints; an endpoint without a handler is answered with `Not served yet`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import msgspec

from tui.interface import catalogue
from tui.interface.envelope import drop_fields
from tui.interface.families.algo import OPEN_ALGO_STATES, AlgoRecord, AlgoType
from tui.interface.families.history import TradeRecord, add_removed_fields
from tui.interface.families.market import MarkPriceRow, SymbolRow
from tui.interface.families.orders import OrderRecord
from tui.interface.families.positions import AdlRanks
from tui.interface.request import CommandRequest
from tui.interface.symbols import parse_symbol
from tui.venue.core.check_failed import CheckFailed
from tui.venue.shell import downtime, snapshots
from tui.venue.shell.rest import (
    asset_overview,
    borrowing,
    broker,
    deposits,
    funds,
    portfolio_loans,
    portfolios,
    trading_statistics,
)
from tui.venue.shell.rest.listing import ALGOS, CLOSED, FILLS, ORDERS, STATEMENTS, first_of, page_of
from tui.venue.shell.rest.pages import ARCHIVE_MS, RECENT_MS, make_page, parse_window
from tui.venue.shell.rest.query import Handler, Query

MAX_EXECUTIONS = 1000
END_OF_TIME_MS = 2**62
"""A time after all others, ms."""

R = TypeVar("R")


def _keep_record(record: R) -> R:
    return record


def _matches(query: Query, record: OrderRecord | TradeRecord | AlgoRecord) -> bool:
    return (
        query.accepts("sym", record.sym)
        and query.accepts("exchange", record.exchange_type)
        and query.accepts("business_type", record.business_type)
        and (not isinstance(record, TradeRecord) or query.accepts("order_id", record.order_id))
    )


def order_detail(query: Query) -> Any:
    return query.queries.order(
        query.portfolio,
        order_id=query.params.get("order_id", ""),
        client_order_id=query.params.get("client_order_id", ""),
    )


def open_orders(query: Query) -> Any:
    within = parse_window(query.params, query.runtime.now_ms())
    rows = query.queries.open_orders(query.portfolio)
    rows = [row for row in rows if _matches(query, row) and within.contains(int(row.create_at))]
    with_action = query.runtime.switches["action_in_open_orders"] == "true"
    show: Callable[[OrderRecord], Any] = (
        _keep_record if with_action else partial(_encode_without_action, query.runtime.encoded_orders)
    )
    return make_page(rows, query.params, show, empty_num=query.empty_num)


def _encode_without_action(cache: dict[str, tuple[OrderRecord, msgspec.Raw]], row: OrderRecord) -> msgspec.Raw:
    entry = cache.get(row.order_id)
    if entry is None or entry[0] is not row:
        # Lists are requested often, mostly with ended orders: encoded rows are cached.
        entry = cache[row.order_id] = (
            row,
            msgspec.Raw(msgspec.json.encode(drop_fields(row, "action", "action_msg"))),
        )
    return entry[1]


def order_history(query: Query) -> Any:
    return _past_orders(query, recent=True)


def order_archive(query: Query) -> Any:
    return _past_orders(query, recent=False)


def _past_orders(query: Query, *, recent: bool) -> Any:
    """List orders of the last 7 days, or of the 83 days before, without the action fields of live orders."""
    ages = _time_range(query, recent=recent)
    executed = query.params.get("filter_executed") == "true"
    rows = [
        row
        for row in query.queries.orders(query.portfolio)
        if ages[0] <= int(row.create_at) <= ages[1]
        and _matches(query, row)
        and (not executed or row.executed_qty != "0")
    ]
    where: dict[str, str | bool] = {**_filters(query), **({"executed": True} if executed else {})}
    return page_of(query, ORDERS, rows, ages, where, partial(_encode_without_action, query.runtime.encoded_orders))


def _time_range(query: Query, *, recent: bool) -> tuple[int, int]:
    """Return the requested time range, ms, limited to the last 7 days or to the 83 days before."""
    now = query.runtime.now_ms()
    within = parse_window(query.params, now)
    return (
        within.clip(now - RECENT_MS, END_OF_TIME_MS) if recent else within.clip(now - ARCHIVE_MS, now - RECENT_MS - 1)
    )


def _filters(query: Query) -> dict[str, str | bool]:
    """Return the request parameters that the archive can filter by."""
    names = {"sym": "sym", "exchange": "exchange", "business_type": "business", "order_id": "order_id"}
    return {column: query.params[name] for name, column in names.items() if name in query.params}


def _executions(query: Query, *, recent: bool = True) -> tuple[list[TradeRecord], tuple[int, int]]:
    """Return the fills in memory that match the request, and the requested time range."""
    ages = _time_range(query, recent=recent)
    rows = [
        row
        for row in query.queries.executions(query.portfolio)
        if ages[0] <= int(row.create_at) <= ages[1] and _matches(query, row)
    ]
    return rows, ages


def _fill_form(query: Query) -> Callable[[TradeRecord], Any]:
    if query.runtime.switches["serve_removed"] == "true":
        return partial(add_removed_fields, pushed=False)
    return _keep_record


def executions(query: Query) -> Any:
    limit = int(query.params.get("limit", str(MAX_EXECUTIONS)))
    if limit < 1 or limit > MAX_EXECUTIONS:
        raise CheckFailed(400007, f"limit {limit} is not accepted; it must be 1 to {MAX_EXECUTIONS}")
    selection = _executions(query)
    return [_fill_form(query)(row) for row in first_of(query, FILLS, *selection, _filters(query), limit)]


def executions_paged(query: Query) -> Any:
    return page_of(query, FILLS, *_executions(query), _filters(query), _fill_form(query))


def executions_archive(query: Query) -> Any:
    return page_of(query, FILLS, *_executions(query, recent=False), _filters(query), _fill_form(query))


def positions(query: Query) -> Any:
    return [
        drop_fields(row, "exchange_type")
        for row in query.queries.positions(query.portfolio)
        if query.accepts("sym", row.sym) and query.accepts("exchange", parse_symbol(row.sym).exchange)
    ]


def position_history(query: Query) -> Any:
    """List the closes of positions in the requested time range, at most 90 days back."""
    now = query.runtime.now_ms()
    within = parse_window(query.params, now)
    ages = within.clip(now - ARCHIVE_MS, END_OF_TIME_MS)
    rows = [
        row
        for row in query.queries.list_closed_positions(query.portfolio)
        if query.accepts("sym", row.sym)
        and query.accepts("exchange", parse_symbol(row.sym).exchange)
        and ages[0] <= int(row.update_at) <= ages[1]
    ]
    return page_of(query, CLOSED, rows, ages, _filters(query), _keep_record)


def account(query: Query) -> Any:
    rows = query.queries.accounts(query.portfolio)
    return [drop_fields(row, *snapshots.ACCOUNT_PUSH_FIELDS) for row in rows]


def portfolio_assets(query: Query) -> Any:
    rows = [row for row in query.queries.assets(query.portfolio) if query.accepts("exchange_type", row.exchange_type)]
    if query.runtime.switches["list_shape"] == "array":
        return [snapshots.print_asset(row) for row in rows]
    return make_page(rows, query.params, snapshots.print_asset, empty_num=query.empty_num)


def user_assets(query: Query) -> Any:
    """Return the assets by portfolio; an empty portfolio may be missing, so the keys are no complete list of portfolios."""
    queries, listed = query.queries, query.runtime.switches["empty_portfolios"] == "listed"
    portfolios = sorted(queries.portfolios)
    held = {owner: [snapshots.print_asset(row) for row in queries.assets(owner)] for owner in portfolios}
    return held if listed else {owner: rows for owner, rows in held.items() if rows}


def adl_rank(query: Query) -> Any:
    return AdlRanks(adl_ranks=query.queries.adl_ranks(query.portfolio, query.params.get("sym", "")))


def liquidation_event(query: Query) -> Any:
    """Return the liquidation event with an id, or an error; without an id the latest one, or an empty object."""
    event_id = query.params.get("liquidation_event_id", "")
    event = query.queries.liquidation_event(query.portfolio, event_id)
    if event is not None:
        return snapshots.print_event(event)
    if event_id:
        raise CheckFailed(401930, f"liquidation event {event_id} not found")
    return {}


def algo_detail(query: Query) -> Any:
    return query.queries.algo(
        query.portfolio,
        algo_order_id=query.params.get("algo_order_id", ""),
        client_order_id=query.params.get("client_order_id", ""),
    )


def open_algos(query: Query) -> Any:
    within = parse_window(query.params, query.runtime.now_ms())
    rows = [row for row in query.queries.algos(query.portfolio) if row.order_state in OPEN_ALGO_STATES]
    rows = [row for row in rows if _matches(query, row) and within.contains(int(row.create_at))]
    shown = make_page(rows, query.params, _keep_record, empty_num=query.empty_num)
    as_array = query.runtime.switches["algo_open_shape"] == "array"
    return shown.rows if as_array else shown


def algo_history(query: Query) -> Any:
    """List the ended algo orders created in the last 7 days."""
    ages = _time_range(query, recent=True)
    attached = query.params.get("attached_order_id")
    if query.params.get("algo_order_type") not in (None, *AlgoType):
        ages = END_OF_TIME_MS, 0
    rows = [
        row
        for row in query.queries.algos(query.portfolio)
        if row.order_state not in OPEN_ALGO_STATES
        and ages[0] <= int(row.create_at) <= ages[1]
        and _matches(query, row)
        and query.accepts("attached_order_id", row.attached_order_id)
    ]
    where: dict[str, str | bool] = {**_filters(query), **({} if attached is None else {"order_id": attached})}
    return page_of(query, ALGOS, rows, ages, where, _keep_record)


def symbol_info(query: Query) -> Any:
    infos = query.queries.symbol_infos()
    sym = query.params.get("sym")
    if sym is None:
        return dict(sorted(infos.items()))
    if sym not in infos:
        raise CheckFailed(401011, f"sym {sym[:64]!r} is not supported")
    return {sym: infos[sym]}


def symbols(query: Query) -> Any:
    rows = []
    for sym, info in sorted(query.queries.symbol_infos().items()):
        parts = parse_symbol(sym)
        if query.accepts("exchange", parts.exchange) and query.accepts("business_type", parts.business_type):
            row = SymbolRow(
                sym=sym,
                exchange_type=parts.exchange,
                business_type=parts.business_type,
                base=parts.base,
                quote=parts.quote,
                state=info.state,
            )
            rows.append(row)
    return rows


def _perps(query: Query) -> list[str]:
    """List the requested perpetual, or all perpetuals."""
    perps = [sym for sym in sorted(query.queries.symbol_infos()) if parse_symbol(sym).is_perp]
    sym = query.params.get("sym")
    if sym is None:
        return perps
    if sym not in perps:
        raise CheckFailed(401011, f"sym {sym[:64]!r} is not a perpetual of this venue")
    return [sym]


def mark_price(query: Query) -> Any:
    perps = _perps(query)
    marks = [query.queries.mark(sym) for sym in perps]
    return [MarkPriceRow(sym=mark.sym, mark_price=mark.mark, time=mark.ts) for mark in marks if mark is not None]


def position_brackets(query: Query) -> Any:
    return {sym: query.queries.brackets(sym) for sym in _perps(query)}


def perp_leverage(query: Query) -> Any:
    perps, rows = _perps(query), query.queries.leverages(query.portfolio)
    return [row for row in rows if row.sym in perps and query.accepts("exchange", parse_symbol(row.sym).exchange)]


def funding_rate(query: Query) -> Any:
    return [query.queries.funding_rate(sym) for sym in _perps(query)]


def statement(query: Query) -> Any:
    """List the account statement of the requested time range, default the last 7 days."""
    now = query.runtime.now_ms()
    end = int(query.params.get("end_time", str(now)))
    begin = int(query.params.get("start_time", str(min(now, end) - RECENT_MS)))
    within = parse_window({"begin": str(begin), "end": str(end)}, now)
    ages = within.clip(now - ARCHIVE_MS, END_OF_TIME_MS)
    wanted = [(name, query.params[name]) for name in ("coin", "sym", "statement_type") if name in query.params]
    rows = [
        row
        for row in query.queries.statements(query.portfolio)
        if ages[0] <= int(row.create_at) <= ages[1]
        and query.accepts("exchange", row.exchange_type)
        and all(getattr(row, name) == value for name, value in wanted)
    ]
    names = {"coin": "coin", "statement_type": "kind"}
    where = {**_filters(query), **{names[name]: value for name, value in wanted if name in names}}
    return page_of(query, STATEMENTS, rows, ages, where, _keep_record)


def system_status(query: Query) -> Any:
    return downtime.status_rows(query.runtime.switches["maintenance"], query.runtime.now_ms())


QUERIES: dict[str, Handler] = {
    "order_detail": order_detail,
    "open_orders": open_orders,
    "order_history": order_history,
    "order_archive": order_archive,
    "executions": executions,
    "executions_paged": executions_paged,
    "executions_archive": executions_archive,
    "positions": positions,
    "position_history": position_history,
    "account": account,
    "portfolio_assets": portfolio_assets,
    "user_assets": user_assets,
    "adl_rank": adl_rank,
    "liquidation_event": liquidation_event,
    "algo_detail": algo_detail,
    "open_algos": open_algos,
    "algo_history": algo_history,
    "symbol_info": symbol_info,
    "symbols": symbols,
    "mark_price": mark_price,
    "position_brackets": position_brackets,
    "broker_position_brackets": position_brackets,
    "perp_leverage": perp_leverage,
    "user_fee_rate": broker.user_fee_rate,
    "broker_fee_rate": broker.broker_fee_rate,
    "sub_fee_rate": broker.broker_fee_rate,
    "collection_records": broker.collection_records,
    "clearing_statement": broker.clearing_statement,
    "funding_rate": funding_rate,
    "statement": statement,
    "system_status": system_status,
    "user_trading_stats": trading_statistics.user_statistics,
    "user_trading_stats_old": trading_statistics.user_statistics,
    "portfolio_trading_stats": trading_statistics.portfolio_statistics,
    "margin_leverage": borrowing.margin_leverage,
    "loan_pool": borrowing.loan_pool,
    "loan_info": borrowing.loan_info,
    "coin_discounts": borrowing.coin_discounts,
    "interest_rates": borrowing.interest_rates,
    "loan_info_old": borrowing.loan_info_old,
    "coin_discounts_old": borrowing.coin_discounts_old,
    "interest_rates_old": borrowing.interest_rates_old,
    "portfolios": portfolios.portfolios,
    "api_keys": portfolios.api_keys,
    "accounts": funds.accounts,
    "account_balances": funds.account_balances,
    "currencies": funds.currencies,
    "transfer_detail": funds.transfer_detail,
    "transfer_info_old": funds.transfer_detail,
    "transfers": funds.transfers,
    "rapid_pool": funds.rapid_pool,
    "rapid_pool_post": funds.rapid_pool,
    "assets_overview": asset_overview.overview,
    "assets_funding": asset_overview.funding,
    "assets_trading_accounts": asset_overview.accounts,
    "assets_trading_account": asset_overview.account,
    "assets_trading_summary": asset_overview.summary,
    "assets_distribution": asset_overview.distribution,
    "assets_defi": asset_overview.defi,
    "bills": deposits.bills,
    "withdrawals": deposits.withdrawals,
    "withdraw_addresses": deposits.withdraw_addresses,
    "deposit_address": deposits.deposit_address,
    "deposits": deposits.deposits,
    "deposit_venue": deposits.deposit_venue,
    "broker_deposits": deposits.broker_deposits,
    "broker_withdrawals": deposits.broker_withdrawals,
    "custody_list": deposits.custody_list,
    "portfolio_loan_info": portfolio_loans.info,
    "portfolio_loan_config": portfolio_loans.config,
    "portfolio_loan_max": portfolio_loans.max_loan,
    "portfolio_loan_orders": portfolio_loans.orders,
    "portfolio_loan_statement": portfolio_loans.statement,
}

SERVED: frozenset[str] = frozenset(QUERIES) | {
    row.name for row in catalogue.ROWS if issubclass(row.request, CommandRequest)
}
