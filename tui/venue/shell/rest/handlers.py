"""The endpoints this venue answers. A row of the catalogue without a handler here answers `Not served yet`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import msgspec

from tui.interface.envelope import without
from tui.interface.families.algo import OPEN_ALGO_STATES, AlgoRecord, AlgoType
from tui.interface.families.history import TradeRecord, with_removed_fields
from tui.interface.families.market import MarkPriceRow, SymbolRow
from tui.interface.families.orders import OrderRecord
from tui.interface.families.positions import AdlRanks
from tui.interface.symbols import parse_symbol
from tui.venue.core.commands import Refused
from tui.venue.shell import maintenance
from tui.venue.shell.keys import Denial
from tui.venue.shell.rest import borrowing, trading_statistics
from tui.venue.shell.rest.listing import ALGOS, CLOSED, FILLS, ORDERS, STATEMENTS, first_of, page_of
from tui.venue.shell.rest.pages import ARCHIVE_MS, RECENT_MS, paged, window
from tui.venue.shell.rest.query import Call, Handler

MAX_EXECUTIONS = 1000
MAX_PORTFOLIOS = 20
FAR = 2**62
"""Later than any time, ms."""

R = TypeVar("R")


def _same(record: R) -> R:
    return record


def _denied(value: Refused) -> Denial:
    return Denial(value.code, value.message)


def _matches(record: OrderRecord | TradeRecord | AlgoRecord, params: Mapping[str, str]) -> bool:
    if params.get("sym") not in (None, record.sym):
        return False
    if params.get("exchange") not in (None, record.exchange_type):
        return False
    if params.get("business_type") not in (None, record.business_type):
        return False
    return not isinstance(record, TradeRecord) or params.get("order_id") in (None, record.order_id)


def order_detail(call: Call) -> Any:
    found = call.runtime.exchange.queries.order(
        call.portfolio,
        order_id=call.params.get("order_id", ""),
        client_order_id=call.params.get("client_order_id", ""),
    )
    return _denied(found) if isinstance(found, Refused) else found


def open_orders(call: Call) -> Any:
    within = window(call.params, call.runtime.now_ms())
    if isinstance(within, Denial):
        return within
    rows = call.runtime.exchange.queries.open_orders(call.portfolio)
    rows = [row for row in rows if _matches(row, call.params) and within.holds(int(row.create_at))]
    whole = call.runtime.switches["action_in_open_orders"] == "true"
    show: Callable[[OrderRecord], Any] = _same if whole else partial(_without_action, call.runtime.printed)
    return paged(rows, call.params, show, empty_num=call.empty_num)


def _without_action(printed: dict[str, tuple[OrderRecord, msgspec.Raw]], row: OrderRecord) -> msgspec.Raw:
    kept = printed.get(row.order_id)
    if kept is None or kept[0] is not row:
        # Lists are asked for again and again, and most of their orders ended long ago.
        kept = printed[row.order_id] = row, msgspec.Raw(msgspec.json.encode(without(row, "action", "action_msg")))
    return kept[1]


def order_history(call: Call) -> Any:
    return _past_orders(call, recent=True)


def order_archive(call: Call) -> Any:
    return _past_orders(call, recent=False)


def _past_orders(call: Call, *, recent: bool) -> Any:
    """Orders of the last 7 days, or of the 83 days before; the records lack the actions of live orders."""
    ages = _ages(call, recent=recent)
    if isinstance(ages, Denial):
        return ages
    executed = call.params.get("filter_executed") == "true"
    rows = [
        row
        for row in call.runtime.exchange.queries.orders(call.portfolio)
        if ages[0] <= int(row.create_at) <= ages[1]
        and _matches(row, call.params)
        and (not executed or row.executed_qty != "0")
    ]
    where: dict[str, str | bool] = {**_where(call), **({"executed": True} if executed else {})}
    return page_of(call, ORDERS, rows, ages, where, partial(_without_action, call.runtime.printed))


def _ages(call: Call, *, recent: bool) -> tuple[int, int] | Denial:
    """First and last time of a list, ms: of the last 7 days, or of the 83 days before, and inside what was asked."""
    now = call.runtime.now_ms()
    within = window(call.params, now)
    if isinstance(within, Denial):
        return within
    return within.within(now - RECENT_MS, FAR) if recent else within.within(now - ARCHIVE_MS, now - RECENT_MS - 1)


def _where(call: Call) -> dict[str, str | bool]:
    """What the archive selects by, of the parameters that name a row."""
    names = {"sym": "sym", "exchange": "exchange", "business_type": "business", "order_id": "order_id"}
    return {column: call.params[name] for name, column in names.items() if name in call.params}


def _executions(call: Call, *, recent: bool = True) -> tuple[list[TradeRecord], tuple[int, int]] | Denial:
    """Fills in memory, and the ages of those that are asked for."""
    ages = _ages(call, recent=recent)
    if isinstance(ages, Denial):
        return ages
    rows = [
        row
        for row in call.runtime.exchange.queries.executions(call.portfolio)
        if ages[0] <= int(row.create_at) <= ages[1] and _matches(row, call.params)
    ]
    return rows, ages


def _fill(call: Call) -> Callable[[TradeRecord], Any]:
    if call.runtime.switches["serve_removed"] == "true":
        return partial(with_removed_fields, pushed=False)
    return _same


def executions(call: Call) -> Any:
    limit = int(call.params.get("limit", str(MAX_EXECUTIONS)))
    if limit < 1 or limit > MAX_EXECUTIONS:
        return Denial(400007, f"limit {limit} is not accepted; it is 1 to {MAX_EXECUTIONS}")
    found = _executions(call)
    if isinstance(found, Denial):
        return found
    return [_fill(call)(row) for row in first_of(call, FILLS, *found, _where(call), limit)]


def executions_paged(call: Call) -> Any:
    found = _executions(call)
    return found if isinstance(found, Denial) else page_of(call, FILLS, *found, _where(call), _fill(call))


def executions_archive(call: Call) -> Any:
    found = _executions(call, recent=False)
    return found if isinstance(found, Denial) else page_of(call, FILLS, *found, _where(call), _fill(call))


def positions(call: Call) -> Any:
    return [
        without(row, "exchange_type")
        for row in call.runtime.exchange.queries.positions(call.portfolio)
        if call.params.get("sym") in (None, row.sym)
        and call.params.get("exchange") in (None, parse_symbol(row.sym).exchange)
    ]


def position_history(call: Call) -> Any:
    """Closed positions of the last 90 days; times are those of the close."""
    now = call.runtime.now_ms()
    within = window(call.params, now)
    if isinstance(within, Denial):
        return within
    ages = within.within(now - ARCHIVE_MS, FAR)
    rows = [
        row
        for row in call.runtime.exchange.queries.closed_positions(call.portfolio)
        if call.params.get("sym") in (None, row.sym)
        and call.params.get("exchange") in (None, parse_symbol(row.sym).exchange)
        and ages[0] <= int(row.update_at) <= ages[1]
    ]
    return page_of(call, CLOSED, rows, ages, _where(call), _same)


def account(call: Call) -> Any:
    rows = call.runtime.exchange.queries.accounts(call.portfolio)
    return [without(row, "perp_available_margin", "update_at") for row in rows]


def portfolio_assets(call: Call) -> Any:
    venue = call.params.get("exchange_type")
    rows = [row for row in call.runtime.exchange.queries.assets(call.portfolio) if venue in (None, row.exchange_type)]
    if call.runtime.switches["list_shape"] == "array":
        return rows
    return paged(rows, call.params, _same, empty_num=call.empty_num)


def user_assets(call: Call) -> Any:
    exchange = call.runtime.exchange
    return {portfolio: exchange.queries.assets(portfolio) for portfolio in sorted(exchange.queries.portfolios)}


def adl_rank(call: Call) -> Any:
    ranks = call.runtime.exchange.queries.adl_ranks(call.portfolio, call.params.get("sym", ""))
    return _denied(ranks) if isinstance(ranks, Refused) else AdlRanks(adl_ranks=list(ranks))


def algo_detail(call: Call) -> Any:
    found = call.runtime.exchange.queries.algo(
        call.portfolio,
        algo_order_id=call.params.get("algo_order_id", ""),
        client_order_id=call.params.get("client_order_id", ""),
    )
    return _denied(found) if isinstance(found, Refused) else found


def open_algos(call: Call) -> Any:
    within = window(call.params, call.runtime.now_ms())
    if isinstance(within, Denial):
        return within
    rows = [row for row in call.runtime.exchange.queries.algos(call.portfolio) if row.order_state in OPEN_ALGO_STATES]
    rows = [row for row in rows if _matches(row, call.params) and within.holds(int(row.create_at))]
    shown = paged(rows, call.params, _same, empty_num=call.empty_num)
    as_array = call.runtime.switches["algo_open_shape"] == "array"
    return shown.rows if as_array and not isinstance(shown, Denial) else shown


def algo_history(call: Call) -> Any:
    """Ended algo orders that were made in the last 7 days."""
    ages = _ages(call, recent=True)
    if isinstance(ages, Denial):
        return ages
    attached = call.params.get("attached_order_id")
    if call.params.get("algo_order_type") not in (None, *AlgoType):
        ages = FAR, 0
    rows = [
        row
        for row in call.runtime.exchange.queries.algos(call.portfolio)
        if row.order_state not in OPEN_ALGO_STATES
        and ages[0] <= int(row.create_at) <= ages[1]
        and _matches(row, call.params)
        and attached in (None, row.attached_order_id)
    ]
    where: dict[str, str | bool] = {**_where(call), **({} if attached is None else {"order_id": attached})}
    return page_of(call, ALGOS, rows, ages, where, _same)


def symbol_info(call: Call) -> Any:
    infos = call.runtime.exchange.queries.symbol_infos()
    sym = call.params.get("sym")
    if sym is None:
        return dict(sorted(infos.items()))
    if sym not in infos:
        return Denial(401011, f"sym {sym[:64]!r} is not supported")
    return {sym: infos[sym]}


def symbols(call: Call) -> Any:
    venue, kind = call.params.get("exchange"), call.params.get("business_type")
    rows = []
    for sym, info in sorted(call.runtime.exchange.queries.symbol_infos().items()):
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


def _perps(call: Call) -> list[str] | Denial:
    """The perpetual that is asked for, or all of them."""
    perps = [sym for sym in sorted(call.runtime.exchange.queries.symbol_infos()) if parse_symbol(sym).is_perp]
    sym = call.params.get("sym")
    if sym is None:
        return perps
    return [sym] if sym in perps else Denial(401011, f"sym {sym[:64]!r} is no perpetual of this venue")


def mark_price(call: Call) -> Any:
    perps = _perps(call)
    if isinstance(perps, Denial):
        return perps
    marks = [call.runtime.exchange.queries.mark(sym) for sym in perps]
    return [MarkPriceRow(sym=mark.sym, mark_price=mark.mark, time=mark.ts) for mark in marks if mark is not None]


def position_brackets(call: Call) -> Any:
    perps = _perps(call)
    return perps if isinstance(perps, Denial) else {sym: call.runtime.exchange.queries.brackets(sym) for sym in perps}


def perp_leverage(call: Call) -> Any:
    perps = _perps(call)
    if isinstance(perps, Denial):
        return perps
    venue = call.params.get("exchange")
    rows = call.runtime.exchange.queries.leverages(call.portfolio, call.params.get("sym", ""))
    return [row for row in rows if venue in (None, parse_symbol(row.sym).exchange)]


def funding_rate(call: Call) -> Any:
    perps = _perps(call)
    return perps if isinstance(perps, Denial) else [call.runtime.exchange.queries.funding_rate(sym) for sym in perps]


def statement(call: Call) -> Any:
    """Bookings of the asked time, of the last 7 days when none is asked."""
    now = call.runtime.now_ms()
    end = int(call.params.get("end_time", str(now)))
    begin = int(call.params.get("start_time", str(min(now, end) - RECENT_MS)))
    within = window({"begin": str(begin), "end": str(end)}, now)
    if isinstance(within, Denial):
        return within
    ages = within.within(now - ARCHIVE_MS, FAR)
    wanted = [(name, call.params[name]) for name in ("coin", "sym", "statement_type") if name in call.params]
    rows = [
        row
        for row in call.runtime.exchange.queries.statements(call.portfolio)
        if ages[0] <= int(row.create_at) <= ages[1]
        and call.params.get("exchange") in (None, row.exchange_type)
        and all(getattr(row, name) == value for name, value in wanted)
    ]
    names = {"coin": "coin", "statement_type": "kind"}
    where = {**_where(call), **{names[name]: value for name, value in wanted if name in names}}
    return page_of(call, STATEMENTS, rows, ages, where, _same)


def user_fee_rate(call: Call) -> Any:
    wanted = _portfolios(call)
    if isinstance(wanted, Denial):
        return wanted
    venue, kind = call.params.get("exchange"), call.params.get("inst_type")
    return [
        row
        for portfolio in wanted
        for row in call.runtime.exchange.queries.fee_schedules(portfolio)
        if venue in (None, row.exchange) and kind in (None, row.inst_type)
    ]


def _portfolios(call: Call) -> list[str] | Denial:
    """The portfolios that are named: exactly those of a list, a single one and the main one, or the main one."""
    known = call.runtime.exchange.queries.portfolios
    main = next(one.id for one in known.values() if one.level == "main")
    listed, single = call.params.get("portfolios"), call.params.get("portfolio")
    names = [name.strip() for name in (listed or single or main).split(",") if name.strip()]
    if len(names) > MAX_PORTFOLIOS:
        return Denial(400000, f"{len(names)} portfolios are named; at most {MAX_PORTFOLIOS} are accepted")
    for name in names:
        if name not in known:
            return Denial(100001, f"portfolio {name[:40]!r} does not exist")
        if known[call.portfolio].level != "main" and name not in (call.portfolio, main):
            return Denial(404902, f"portfolio {name[:40]!r} is not that of the key")
    return list(dict.fromkeys(names if listed else [*names, main]))


def system_status(call: Call) -> Any:
    return maintenance.status(call.runtime.switches["maintenance"], call.runtime.now_ms())


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
    "algo_detail": algo_detail,
    "open_algos": open_algos,
    "algo_history": algo_history,
    "symbol_info": symbol_info,
    "symbols": symbols,
    "mark_price": mark_price,
    "position_brackets": position_brackets,
    "broker_position_brackets": position_brackets,
    "perp_leverage": perp_leverage,
    "user_fee_rate": user_fee_rate,
    "funding_rate": funding_rate,
    "statement": statement,
    "system_status": system_status,
    "user_trading_stats": trading_statistics.of_user,
    "user_trading_stats_old": trading_statistics.of_user,
    "portfolio_trading_stats": trading_statistics.of_portfolio,
    "margin_leverage": borrowing.margin_leverage,
    "loan_pool": borrowing.loan_pool,
    "loan_info": borrowing.loan_info,
    "coin_discounts": borrowing.coin_discounts,
    "interest_rates": borrowing.interest_rates,
    "loan_info_old": borrowing.loan_info_old,
    "coin_discounts_old": borrowing.coin_discounts_old,
    "interest_rates_old": borrowing.interest_rates_old,
}

ACTIONS: dict[str, str] = {
    "place_order": "place_order",
    "replace_order": "replace_order",
    "cancel_order": "cancel_order",
    "cancel_all": "cancel_orders",
    "set_position_mode": "set_position_mode",
    "set_perp_leverage": "set_perp_leverage",
    "set_margin_leverage": "set_margin_leverage",
    "close_position": "close_position",
    "place_algo": "place_algo_order",
    "replace_algo": "replace_algo_order",
    "cancel_algo": "cancel_algo_order",
    "cancel_all_algos": "cancel_algo_orders",
    "close_positions": "close_positions",
}
"""Rows that change something, and the name of the action."""

SERVED: frozenset[str] = frozenset(QUERIES) | frozenset(ACTIONS)
