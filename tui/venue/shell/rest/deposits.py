"""Handlers of deposit, withdrawal, bill and custody queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from tui.interface.families.accounts import CUSTODY_PAGE_SIZE
from tui.interface.families.deposits import BrokerDepositRecord, BrokerWithdrawalRecord
from tui.interface.figures import encode_figures
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.state.funds.deposits import Deposit, Withdrawal
from tui.venue.core.state.funds.transfers import custody_record
from tui.venue.shell.rest.funds import format_list, times_of
from tui.venue.shell.rest.pages import make_page, parse_window
from tui.venue.shell.rest.query import Query


def bills(query: Query) -> Any:
    """List the bills of the portfolio (completed movements in and out), newest first."""
    if query.runtime.switches["bills_scope"] == "sub" and query.queries.portfolios[query.portfolio].is_main:
        raise CheckFailed(100003, "invalid user type")
    rows = [bill.record() for bill in query.runtime.exchange.funds.bills(query.portfolio)]
    selected = _select_rows(query, rows, "created_at", ("currency", "type", "status"))
    return _answer_page(query, selected)


def withdrawals(query: Query) -> Any:
    """List the withdrawals from accounts the API key can access, newest first."""
    rows = [withdrawal.record() for withdrawal in query.runtime.exchange.funds.withdrawals(query.portfolio)]
    selected = _select_rows(query, rows, "apply_time", ("id", "status", "account_id", "from_account_type", "currency"))
    return format_list(query, selected, encode_figures)


def broker_withdrawals(query: Query) -> Any:
    """List the withdrawals of sub portfolios, newest first."""
    rows = [_withdrawal_record(withdrawal) for withdrawal in query.runtime.exchange.funds.withdrawals_of_subs()]
    names = ("portfolio_id", "id", "status", "account_id", "from_account_type", "currency")
    selected = _select_rows(query, rows, "apply_time", names)
    return _answer_page(query, selected)


def _withdrawal_record(withdrawal: Withdrawal) -> BrokerWithdrawalRecord:
    return BrokerWithdrawalRecord(
        portfolio_id=int(withdrawal.source.owner), **msgspec.structs.asdict(withdrawal.record())
    )


def withdraw_addresses(query: Query) -> Any:
    """List the address book of withdrawals."""
    wanted = [(name, query.params[name]) for name in ("currency", "network") if name in query.params]
    rows = [
        row
        for row in query.runtime.exchange.funds.addresses()
        if all(getattr(row, name) == value for name, value in wanted)
    ]
    return make_page(rows, query.params, lambda row: row, empty_num=query.empty_num)


def deposit_address(query: Query) -> Any:
    params = query.params
    return query.runtime.exchange.funds.deposit_address(
        query.portfolio, params["currency"], params["network"], params.get("account_type", "")
    )


def deposit_venue(query: Query) -> Any:
    params = query.params
    return query.runtime.exchange.funds.deposit_venue(query.portfolio, params["currency"], params["network"])


def deposits(query: Query) -> Any:
    """List the deposits to accounts the API key can access, newest first."""
    rows = [deposit.record() for deposit in query.runtime.exchange.funds.deposits(query.portfolio)]
    selected = _select_rows(query, rows, "apply_time", ("account_id", "account_type", "currency", "status"))
    return format_list(query, selected, encode_figures)


def broker_deposits(query: Query) -> Any:
    """List the deposits of sub portfolios, newest first."""
    rows = [_deposit_record(deposit) for deposit in query.runtime.exchange.funds.deposits_of_subs()]
    selected = _select_rows(
        query, rows, "apply_time", ("portfolio_id", "account_id", "account_type", "currency", "status")
    )
    return _answer_page(query, selected)


def _deposit_record(deposit: Deposit) -> BrokerDepositRecord:
    return BrokerDepositRecord(portfolio_id=int(deposit.target.owner), **msgspec.structs.asdict(deposit.record()))


def custody_list(query: Query) -> Any:
    """List locks and unlocks of the custody account, newest first."""
    rows = [custody_record(action) for action in query.runtime.exchange.funds.custody_actions()]
    selected = _select_rows(query, rows, "created_at", ("currency", "type", "status", "action_id"))
    size = query.usual_size(CUSTODY_PAGE_SIZE)
    return make_page(selected, query.params, lambda row: row, empty_num=query.empty_num, usual_size=size)


def _answer_page(query: Query, selected: list[Any]) -> Any:
    return make_page(selected, query.params, encode_figures, empty_num=query.empty_num)


def _select_rows(query: Query, rows: Sequence[Any], time: str, names: Sequence[str]) -> list[Any]:
    """Select the rows in the requested time range that match the named filters."""
    within = parse_window(times_of(query), query.runtime.now_ms())
    wanted = [(name, query.params[name]) for name in names if name in query.params]
    return [
        row
        for row in rows
        if within.contains(int(getattr(row, time))) and all(str(getattr(row, name)) == value for name, value in wanted)
    ]
