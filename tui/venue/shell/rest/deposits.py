"""Queries about deposits, withdrawals, bills and custody."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from tui.interface.families.accounts import CUSTODY_PAGE_SIZE
from tui.interface.families.deposits import BrokerDepositRecord, BrokerWithdrawalRecord
from tui.interface.figures import encode_figures
from tui.venue.core.state.funds.deposits import Deposit, Withdrawal
from tui.venue.core.state.funds.transfers import custody_record
from tui.venue.shell.keys import ErrorReply
from tui.venue.shell.rest.funds import listed, refusing, times_of
from tui.venue.shell.rest.pages import make_page, window
from tui.venue.shell.rest.query import Query


def bills(query: Query) -> Any:
    """What came into the portfolio and left it, newest first."""
    level = query.runtime.exchange.queries.portfolios[query.portfolio].level
    if query.runtime.switches["bills_scope"] == "sub" and level == "main":
        return ErrorReply(100003, "invalid user type")
    rows = [one.record() for one in query.runtime.exchange.funds.bills(query.portfolio)]
    found = _within(query, rows, "created_at", ("currency", "type", "status"))
    return (
        found
        if isinstance(found, ErrorReply)
        else make_page(found, query.params, encode_figures, empty_num=query.empty_num)
    )


def withdrawals(query: Query) -> Any:
    """Withdrawals out of what the key reaches, newest first."""
    rows = [one.record() for one in query.runtime.exchange.funds.withdrawals(query.portfolio)]
    found = _within(query, rows, "apply_time", ("id", "status", "account_id", "from_account_type", "currency"))
    return found if isinstance(found, ErrorReply) else listed(query, found, encode_figures)


def broker_withdrawals(query: Query) -> Any:
    """Withdrawals out of sub portfolios, newest first."""
    rows = [_of_sub(one) for one in query.runtime.exchange.funds.withdrawals_of_subs()]
    names = ("portfolio_id", "id", "status", "account_id", "from_account_type", "currency")
    found = _within(query, rows, "apply_time", names)
    return (
        found
        if isinstance(found, ErrorReply)
        else make_page(found, query.params, encode_figures, empty_num=query.empty_num)
    )


def _of_sub(one: Withdrawal) -> BrokerWithdrawalRecord:
    return BrokerWithdrawalRecord(portfolio_id=int(one.source.owner), **msgspec.structs.asdict(one.record()))


def withdraw_addresses(query: Query) -> Any:
    """The address book."""
    wanted = [(name, query.params[name]) for name in ("currency", "network") if name in query.params]
    rows = [
        row
        for row in query.runtime.exchange.funds.addresses()
        if all(getattr(row, name) == value for name, value in wanted)
    ]
    return make_page(rows, query.params, lambda row: row, empty_num=query.empty_num)


@refusing
def deposit_address(query: Query) -> Any:
    params = query.params
    return query.runtime.exchange.funds.deposit_address(
        query.portfolio, params["currency"], params["network"], params.get("account_type", "")
    )


@refusing
def deposit_venue(query: Query) -> Any:
    params = query.params
    return query.runtime.exchange.funds.deposit_venue(query.portfolio, params["currency"], params["network"])


def deposits(query: Query) -> Any:
    """Deposits of what the key reaches, newest first."""
    rows = [one.record() for one in query.runtime.exchange.funds.deposits(query.portfolio)]
    found = _within(query, rows, "apply_time", ("account_id", "account_type", "currency", "status"))
    return found if isinstance(found, ErrorReply) else listed(query, found, encode_figures)


def broker_deposits(query: Query) -> Any:
    """Deposits of sub portfolios, newest first."""
    rows = [_to_sub(one) for one in query.runtime.exchange.funds.deposits_of_subs()]
    found = _within(query, rows, "apply_time", ("portfolio_id", "account_id", "account_type", "currency", "status"))
    return (
        found
        if isinstance(found, ErrorReply)
        else make_page(found, query.params, encode_figures, empty_num=query.empty_num)
    )


def _to_sub(one: Deposit) -> BrokerDepositRecord:
    return BrokerDepositRecord(portfolio_id=int(one.target.owner), **msgspec.structs.asdict(one.record()))


def custody_list(query: Query) -> Any:
    """Locks and unlocks, newest first."""
    rows = [custody_record(one) for one in query.runtime.exchange.funds.custody_actions()]
    found = _within(query, rows, "created_at", ("currency", "type", "status", "action_id"))
    if isinstance(found, ErrorReply):
        return found
    size = query.usual_size(CUSTODY_PAGE_SIZE)
    return make_page(found, query.params, lambda row: row, empty_num=query.empty_num, usual_size=size)


def _within(query: Query, rows: Sequence[Any], time: str, names: Sequence[str]) -> list[Any] | ErrorReply:
    """The rows of the asked time that match the filters of these names."""
    within = window(times_of(query), query.runtime.now_ms())
    if isinstance(within, ErrorReply):
        return within
    wanted = [(name, query.params[name]) for name in names if name in query.params]
    return [
        row
        for row in rows
        if within.contains(int(getattr(row, time))) and all(str(getattr(row, name)) == value for name, value in wanted)
    ]
