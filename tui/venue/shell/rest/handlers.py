"""Handlers of the endpoints; an endpoint without a handler is answered with `Not served yet`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from tui.venue.core.commands import Rejected
from tui.venue.shell import downtime, snapshots
from tui.venue.shell.keys import ErrorReply
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


def _error_reply(value: Rejected) -> ErrorReply:
    return ErrorReply(value.code, value.message)


def _matches(record: OrderRecord | TradeRecord | AlgoRecord, params: Mapping[str, str]) -> bool:
    if params.get("sym") not in (None, record.sym):
        return False
    if params.get("exchange") not in (None, record.exchange_type):
        return False
    if params.get("business_type") not in (None, record.business_type):
        return False
    return not isinstance(record, TradeRecord) or params.get("order_id") in (None, record.order_id)


def order_detail(query: Query) -> Any:
    order = query.runtime.exchange.queries.order(
        query.portfolio,
        order_id=query.params.get("order_id", ""),
        client_order_id=query.params.get("client_order_id", ""),
    )
    return _error_reply(order) if isinstance(order, Rejected) else order


def open_orders(query: Query) -> Any:
    within = parse_window(query.params, query.runtime.now_ms())
    if isinstance(within, ErrorReply):
        return within
    rows = query.runtime.exchange.queries.open_orders(query.portfolio)
    rows = [row for row in rows if _matches(row, query.params) and within.contains(int(row.create_at))]
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
    if isinstance(ages, ErrorReply):
        return ages
    executed = query.params.get("filter_executed") == "true"
    rows = [
        row
        for row in query.runtime.exchange.queries.orders(query.portfolio)
        if ages[0] <= int(row.create_at) <= ages[1]
        and _matches(row, query.params)
        and (not executed or row.executed_qty != "0")
    ]
    where: dict[str, str | bool] = {**_filters(query), **({"executed": True} if executed else {})}
    return page_of(query, ORDERS, rows, ages, where, partial(_encode_without_action, query.runtime.encoded_orders))


def _time_range(query: Query, *, recent: bool) -> tuple[int, int] | ErrorReply:
    """Return the requested time range, ms, limited to the last 7 days or to the 83 days before."""
    now = query.runtime.now_ms()
    within = parse_window(query.params, now)
    if isinstance(within, ErrorReply):
        return within
    return (
        within.clip(now - RECENT_MS, END_OF_TIME_MS) if recent else within.clip(now - ARCHIVE_MS, now - RECENT_MS - 1)
    )


def _filters(query: Query) -> dict[str, str | bool]:
    """Return the request parameters that the archive can filter by."""
    names = {"sym": "sym", "exchange": "exchange", "business_type": "business", "order_id": "order_id"}
    return {column: query.params[name] for name, column in names.items() if name in query.params}


def _executions(query: Query, *, recent: bool = True) -> tuple[list[TradeRecord], tuple[int, int]] | ErrorReply:
    """Return the fills in memory that match the request, and the requested time range."""
    ages = _time_range(query, recent=recent)
    if isinstance(ages, ErrorReply):
        return ages
    rows = [
        row
        for row in query.runtime.exchange.queries.executions(query.portfolio)
        if ages[0] <= int(row.create_at) <= ages[1] and _matches(row, query.params)
    ]
    return rows, ages


def _fill_form(query: Query) -> Callable[[TradeRecord], Any]:
    if query.runtime.switches["serve_removed"] == "true":
        return partial(add_removed_fields, pushed=False)
    return _keep_record


def executions(query: Query) -> Any:
    limit = int(query.params.get("limit", str(MAX_EXECUTIONS)))
    if limit < 1 or limit > MAX_EXECUTIONS:
        return ErrorReply(400007, f"limit {limit} is not accepted; it must be 1 to {MAX_EXECUTIONS}")
    selection = _executions(query)
    if isinstance(selection, ErrorReply):
        return selection
    return [_fill_form(query)(row) for row in first_of(query, FILLS, *selection, _filters(query), limit)]


def executions_paged(query: Query) -> Any:
    selection = _executions(query)
    return (
        selection
        if isinstance(selection, ErrorReply)
        else page_of(query, FILLS, *selection, _filters(query), _fill_form(query))
    )


def executions_archive(query: Query) -> Any:
    selection = _executions(query, recent=False)
    return (
        selection
        if isinstance(selection, ErrorReply)
        else page_of(query, FILLS, *selection, _filters(query), _fill_form(query))
    )


def positions(query: Query) -> Any:
    return [
        drop_fields(row, "exchange_type")
        for row in query.runtime.exchange.queries.positions(query.portfolio)
        if query.params.get("sym") in (None, row.sym)
        and query.params.get("exchange") in (None, parse_symbol(row.sym).exchange)
    ]


def position_history(query: Query) -> Any:
    """List the closes of positions in the requested time range, at most 90 days back."""
    now = query.runtime.now_ms()
    within = parse_window(query.params, now)
    if isinstance(within, ErrorReply):
        return within
    ages = within.clip(now - ARCHIVE_MS, END_OF_TIME_MS)
    rows = [
        row
        for row in query.runtime.exchange.queries.list_closed_positions(query.portfolio)
        if query.params.get("sym") in (None, row.sym)
        and query.params.get("exchange") in (None, parse_symbol(row.sym).exchange)
        and ages[0] <= int(row.update_at) <= ages[1]
    ]
    return page_of(query, CLOSED, rows, ages, _filters(query), _keep_record)


def account(query: Query) -> Any:
    rows = query.runtime.exchange.queries.accounts(query.portfolio)
    return [drop_fields(row, *snapshots.ACCOUNT_PUSH_FIELDS) for row in rows]


def portfolio_assets(query: Query) -> Any:
    venue = query.params.get("exchange_type")
    rows = [row for row in query.runtime.exchange.queries.assets(query.portfolio) if venue in (None, row.exchange_type)]
    if query.runtime.switches["list_shape"] == "array":
        return [snapshots.print_asset(row) for row in rows]
    return make_page(rows, query.params, snapshots.print_asset, empty_num=query.empty_num)


def user_assets(query: Query) -> Any:
    """Return the assets by portfolio; an empty portfolio may be missing, so the keys are no complete list of portfolios."""
    queries, listed = query.runtime.exchange.queries, query.runtime.switches["empty_portfolios"] == "listed"
    portfolios = sorted(queries.portfolios)
    held = {owner: [snapshots.print_asset(row) for row in queries.assets(owner)] for owner in portfolios}
    return held if listed else {owner: rows for owner, rows in held.items() if rows}


def adl_rank(query: Query) -> Any:
    ranks = query.runtime.exchange.queries.adl_ranks(query.portfolio, query.params.get("sym", ""))
    return _error_reply(ranks) if isinstance(ranks, Rejected) else AdlRanks(adl_ranks=list(ranks))


def liquidation_event(query: Query) -> Any:
    """Return the liquidation event with an id, or an error; without an id the latest one, or an empty object."""
    event_id = query.params.get("liquidation_event_id", "")
    event = query.runtime.exchange.queries.liquidation_event(query.portfolio, event_id)
    if event is not None:
        return snapshots.print_event(event)
    return ErrorReply(401930, f"liquidation event {event_id} not found") if event_id else {}


def algo_detail(query: Query) -> Any:
    algo = query.runtime.exchange.queries.algo(
        query.portfolio,
        algo_order_id=query.params.get("algo_order_id", ""),
        client_order_id=query.params.get("client_order_id", ""),
    )
    return _error_reply(algo) if isinstance(algo, Rejected) else algo


def open_algos(query: Query) -> Any:
    within = parse_window(query.params, query.runtime.now_ms())
    if isinstance(within, ErrorReply):
        return within
    rows = [row for row in query.runtime.exchange.queries.algos(query.portfolio) if row.order_state in OPEN_ALGO_STATES]
    rows = [row for row in rows if _matches(row, query.params) and within.contains(int(row.create_at))]
    shown = make_page(rows, query.params, _keep_record, empty_num=query.empty_num)
    as_array = query.runtime.switches["algo_open_shape"] == "array"
    return shown.rows if as_array and not isinstance(shown, ErrorReply) else shown


def algo_history(query: Query) -> Any:
    """List the ended algo orders created in the last 7 days."""
    ages = _time_range(query, recent=True)
    if isinstance(ages, ErrorReply):
        return ages
    attached = query.params.get("attached_order_id")
    if query.params.get("algo_order_type") not in (None, *AlgoType):
        ages = END_OF_TIME_MS, 0
    rows = [
        row
        for row in query.runtime.exchange.queries.algos(query.portfolio)
        if row.order_state not in OPEN_ALGO_STATES
        and ages[0] <= int(row.create_at) <= ages[1]
        and _matches(row, query.params)
        and attached in (None, row.attached_order_id)
    ]
    where: dict[str, str | bool] = {**_filters(query), **({} if attached is None else {"order_id": attached})}
    return page_of(query, ALGOS, rows, ages, where, _keep_record)


def symbol_info(query: Query) -> Any:
    infos = query.runtime.exchange.queries.symbol_infos()
    sym = query.params.get("sym")
    if sym is None:
        return dict(sorted(infos.items()))
    if sym not in infos:
        return ErrorReply(401011, f"sym {sym[:64]!r} is not supported")
    return {sym: infos[sym]}


def symbols(query: Query) -> Any:
    venue, kind = query.params.get("exchange"), query.params.get("business_type")
    rows = []
    for sym, info in sorted(query.runtime.exchange.queries.symbol_infos().items()):
        parts = parse_symbol(sym)
        if venue in (None, parts.exchange) and kind in (None, parts.business_type):
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


def _perps(query: Query) -> list[str] | ErrorReply:
    """List the requested perpetual, or all perpetuals."""
    perps = [sym for sym in sorted(query.runtime.exchange.queries.symbol_infos()) if parse_symbol(sym).is_perp]
    sym = query.params.get("sym")
    if sym is None:
        return perps
    return [sym] if sym in perps else ErrorReply(401011, f"sym {sym[:64]!r} is not a perpetual of this venue")


def mark_price(query: Query) -> Any:
    perps = _perps(query)
    if isinstance(perps, ErrorReply):
        return perps
    marks = [query.runtime.exchange.queries.mark(sym) for sym in perps]
    return [MarkPriceRow(sym=mark.sym, mark_price=mark.mark, time=mark.ts) for mark in marks if mark is not None]


def position_brackets(query: Query) -> Any:
    perps = _perps(query)
    return (
        perps if isinstance(perps, ErrorReply) else {sym: query.runtime.exchange.queries.brackets(sym) for sym in perps}
    )


def perp_leverage(query: Query) -> Any:
    perps = _perps(query)
    if isinstance(perps, ErrorReply):
        return perps
    venue = query.params.get("exchange")
    rows = query.runtime.exchange.queries.leverages(query.portfolio, query.params.get("sym", ""))
    return [row for row in rows if venue in (None, parse_symbol(row.sym).exchange)]


def funding_rate(query: Query) -> Any:
    perps = _perps(query)
    return (
        perps if isinstance(perps, ErrorReply) else [query.runtime.exchange.queries.funding_rate(sym) for sym in perps]
    )


def statement(query: Query) -> Any:
    """List the account statement of the requested time range, default the last 7 days."""
    now = query.runtime.now_ms()
    end = int(query.params.get("end_time", str(now)))
    begin = int(query.params.get("start_time", str(min(now, end) - RECENT_MS)))
    within = parse_window({"begin": str(begin), "end": str(end)}, now)
    if isinstance(within, ErrorReply):
        return within
    ages = within.clip(now - ARCHIVE_MS, END_OF_TIME_MS)
    wanted = [(name, query.params[name]) for name in ("coin", "sym", "statement_type") if name in query.params]
    rows = [
        row
        for row in query.runtime.exchange.queries.statements(query.portfolio)
        if ages[0] <= int(row.create_at) <= ages[1]
        and query.params.get("exchange") in (None, row.exchange_type)
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
