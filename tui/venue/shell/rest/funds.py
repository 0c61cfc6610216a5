"""Handlers of account, network, transfer and rapid-pool queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tui.interface.figures import encode_figures
from tui.venue.core.state.funds.transfers import Transfer
from tui.venue.shell.rest.pages import make_page, parse_window
from tui.venue.shell.rest.query import Query


def accounts(query: Query) -> Any:
    return query.runtime.exchange.funds.accounts(query.portfolio)


def account_balances(query: Query) -> Any:
    """List the balances of the given fund accounts (comma-separated), or of all that the API key can access."""
    named = [name.strip() for name in query.params.get("account_id", "").split(",") if name.strip()]
    return query.runtime.exchange.funds.balances(query.portfolio, named, query.params.get("currency", ""))


def currencies(query: Query) -> Any:
    return query.runtime.exchange.funds.currencies(query.params.get("currency", ""))


def transfer_detail(query: Query) -> Any:
    transfer = query.runtime.exchange.funds.transfer(
        query.portfolio,
        transfer_id=query.params.get("transfer_id", ""),
        client_order_id=query.params.get("client_order_id", ""),
    )
    return _show_transfer(transfer)


def transfers(query: Query) -> Any:
    """List the transfers from or to accounts the API key can access in the requested time range, newest first."""
    within = parse_window(times_of(query), query.runtime.now_ms())
    rows = [
        row
        for row in query.runtime.exchange.funds.transfers(query.portfolio)
        if query.accepts("currency", row.currency)
        and query.accepts("status", str(row.status.value))
        and within.contains(row.created)
    ]
    return format_list(query, rows, _show_transfer)


def rapid_pool(query: Query) -> Any:
    return query.runtime.exchange.funds.pool(query.params["pool"])


def times_of(query: Query) -> dict[str, str]:
    """Return begin and end of the requested time range."""
    names = {"start_time": "begin", "end_time": "end"}
    return {names[name]: query.params[name] for name in names if name in query.params}


def format_list(query: Query, rows: Sequence[Any], show: Callable[[Any], Any]) -> Any:
    """Return the requested page of a list, or all rows when a switch makes lists plain arrays."""
    if query.runtime.switches["list_shape"] == "array":
        return [show(row) for row in rows]
    return make_page(rows, query.params, show, empty_num=query.empty_num)


def _show_transfer(transfer: Transfer) -> dict[str, object]:
    return encode_figures(transfer.record())
