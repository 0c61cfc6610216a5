"""Lists of the overview screen and their columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, TypeVar

from tui.engine.service_query import query_endpoint
from tui.interface.decimals import plain
from tui.interface.families.account_assets import (
    CurrencyAssets,
    DefiAsset,
    DistributionQuery,
    FundingAsset,
    PrimeType,
    TradingAccount,
)
from tui.interface.families.assets import AssetRecord
from tui.interface.request import arguments_of
from tui.workstation.features.overview.rows import (
    ACCOUNTS_LIST,
    PANE,
    AccountCoin,
    AssetShare,
    CoinShare,
    describe_loans,
    find_loan,
    list_account_coins,
    list_asset_shares,
    list_coin_shares,
    list_portfolio_coins,
    name_of,
    sum_of,
    trading_account_name,
)
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.column_kinds import in_coin, show_amount, show_money, show_name, show_text
from tui.workstation.table.columns import Cell, Field, Fields, of_row
from tui.workstation.widgets.lists.tab import QueryTab, Rows, no_notes

R = TypeVar("R")
PORTFOLIO_CHANGES = ("create_portfolio", "rename_portfolio")
MONEY_CHANGES = ("transfer",)
"""Commands after which the assets are read again."""
NAMES = (query_endpoint(f"{PANE}/{ACCOUNTS_LIST}", "assets_trading_accounts"),)
"""Query of the accounts, which name the rows of all lists."""


def _usdt(value: Callable[[R], str], hide: int = 0, title: str = "") -> Field[R]:
    return show_money(value, 15, hide=hide, title=title)


def _gross(value: Callable[[R], str]) -> Field[R]:
    """Build a column of gross values, in which the service includes coins borrowed as portfolio loans."""
    return _usdt(value, title="gross eq. USDT")


def _margin_debt(debt: Callable[[R], str], width: int) -> Field[R]:
    return show_amount(debt, width, role="warn", hide=1, title="margin debt")


def _loan(place: Callable[[R], tuple[str, str, str]], width: int) -> Field[R]:
    """Build a column of portfolio loans; `place` returns portfolio, venue and coin of a row."""

    def cell(row: R, view: DisplayContext) -> Cell:
        loan = find_loan(view, *place(row))
        if not loan:
            return (number_format.MISSING if loan is None else "0"), "faint"
        return in_coin(plain(loan), "", separators=view.settings.separators)[0], "warn"

    return Field(width, cell, lambda row, view: find_loan(view, *place(row)), hide=1)


def _share(share: Callable[[R], Decimal | None]) -> Field[R]:
    def cell(row: R) -> Cell:
        value = share(row)
        return (number_format.MISSING if value is None else f"{number_format.decimal_figure(value * 100, 1)}%"), "dim"

    return Field(9, of_row(cell), of_row(lambda row: share(row) or Decimal(0)), hide=1)


def _account(owner: Callable[[R], str], width: int, least: int) -> Field[R]:
    return show_name(lambda row, view: trading_account_name(view, owner(row)), width, "strong", least=least)


def _value_total(first: str, value: Callable[[Any], str]) -> Callable[[Rows, DisplayContext], Mapping[str, Cell]]:
    """Build a function that totals the shown values; `first` is the column of the label."""
    return lambda rows, view: {
        first: ("total", "dim"),
        "value USDT": (view.amount(sum_of([value(row) for row in rows])), "strong"),
    }


# Overview

_SHARES: Fields[AssetShare] = {
    "part": show_text(lambda row: row.part, 16, "strong"),
    "value USDT": show_money(lambda row: row.value, 16, title="gross eq. USDT"),
    "share": _share(lambda row: row.share),
}
OVERVIEW = QueryTab(
    name="overview", empty="no values", fields=_SHARES, id=lambda row: row.part,
    endpoint="assets_overview", pick=list_asset_shares, follows=MONEY_CHANGES, names=NAMES, notes=describe_loans,
)  # fmt: skip

# Accounts

_ACCOUNTS: Fields[TradingAccount] = {
    "account": show_text(name_of, 22, "strong", least=18),
    "kind": show_text(lambda row: row.label, 11, hide=1),
    "venues": show_text(lambda row: row.venues.replace(",", " "), 18, hide=1),
    "value USDT": _gross(lambda row: row.total_usdt),
    "id": show_text(lambda row: row.id, 18, "dim", hide=2),
    "note": show_text(lambda row: row.account_note, 22, "dim", hide=13),
}
ACCOUNTS = QueryTab(
    name=ACCOUNTS_LIST, empty="no trading accounts", fields=_ACCOUNTS, id=lambda row: row.id,
    totals=_value_total("account", lambda row: row.total_usdt),
    endpoint="assets_trading_accounts", follows=(*MONEY_CHANGES, *PORTFOLIO_CHANGES), notes=describe_loans,
)  # fmt: skip

# One account

_ACCOUNT_COINS: Fields[AccountCoin] = {
    "where": show_text(lambda row: row.slice, 10, least=9),
    "coin": show_text(lambda row: row.currency, 8, "strong", least=7),
    "total": show_amount(lambda row: row.total, 16, least=12),
    "available": show_amount(lambda row: row.available, 16, least=12, hide=1),
    "frozen": show_amount(lambda row: row.frozen, 14, hide=2),
    "debt": _margin_debt(lambda row: row.debt, 14),
    "loan": _loan(lambda row: (row.account, row.slice, row.currency), 14),
    "value USDT": _gross(lambda row: row.value),
}
ACCOUNT = QueryTab(
    name="account", empty="no coins in this account", fields=_ACCOUNT_COINS, id=lambda row: row.key,
    totals=_value_total("where", lambda row: row.value),
    endpoint="assets_trading_account", pick=list_account_coins, follows=MONEY_CHANGES, names=NAMES,
)  # fmt: skip

# Portfolios x venues x coins

_ASSETS: Fields[AssetRecord] = {
    "portfolio": _account(lambda row: row.portfolio_id, 18, 14),
    "venue": show_text(lambda row: row.exchange_type, 9),
    "coin": show_text(lambda row: row.coin, 7, "strong", least=6),
    "balance": show_amount(lambda row: row.balance, 16, hide=1),
    "available": show_amount(lambda row: row.available, 16, hide=2),
    "frozen": show_amount(lambda row: row.frozen, 13, hide=3),
    "debt": _margin_debt(lambda row: row.debt, 13),
    "loan": _loan(lambda row: (row.portfolio_id, row.exchange_type, row.coin), 13),
    "transferable": show_amount(lambda row: row.max_transferable, 18, hide=14),
    "uPnL": _usdt(lambda row: row.upnl, hide=15),
    "value USDT": _gross(lambda row: row.equity_value),
}
ASSETS = QueryTab(
    name="coins of portfolios", empty="no coins", fields=_ASSETS,
    id=lambda row: f"{row.portfolio_id}/{row.exchange_type}/{row.coin}",
    totals=_value_total("portfolio", lambda row: row.equity_value),
    endpoint="user_assets", pick=list_portfolio_coins, follows=(*MONEY_CHANGES, *PORTFOLIO_CHANGES),
    names=NAMES, notes=describe_loans,
)  # fmt: skip

# By coin

_COINS: Fields[CurrencyAssets] = {
    "coin": show_text(lambda row: row.currency, 8, "strong", least=7),
    "total": show_amount(lambda row: row.total, 18, least=15),
    "available": show_amount(lambda row: row.available, 18, hide=1),
    "frozen": show_amount(lambda row: row.frozen, 15, hide=2),
    "debt": _margin_debt(lambda row: row.debt, 15),
    "value USDT": _gross(lambda row: row.value_usdt),
}
COINS = QueryTab(
    name="by coin", empty="no coins", fields=_COINS, id=lambda row: row.currency,
    totals=_value_total("coin", lambda row: row.value_usdt),
    endpoint="assets_trading_summary", follows=MONEY_CHANGES, names=NAMES, notes=describe_loans,
)  # fmt: skip

_COIN_SHARES: Fields[CoinShare] = {
    "coin": show_text(lambda row: row.currency, 8, "strong", least=7),
    "account": _account(lambda row: row.account, 22, 12),
    "where": show_text(lambda row: row.slice, 10, least=9),
    "total": show_amount(lambda row: row.total, 18, hide=1),
    "share": _share(lambda row: row.share),
    "value USDT": _gross(lambda row: row.value),
}


def _distribution(name: str, kind: PrimeType) -> QueryTab:
    def params(view: DisplayContext) -> Mapping[str, str]:
        del view
        return arguments_of(DistributionQuery(prime_type=kind.value))

    return QueryTab(
        name=name, empty=f"no coins in {kind} accounts", fields=_COIN_SHARES,
        id=lambda row: row.key, totals=_value_total("coin", lambda row: row.value), endpoint="assets_distribution",
        params=params, pick=list_coin_shares, follows=MONEY_CHANGES, names=NAMES,
        notes=describe_loans if kind is PrimeType.PORTFOLIO else no_notes,
    )  # fmt: skip


IN_PORTFOLIOS = _distribution("in portfolios", PrimeType.PORTFOLIO)
IN_SUB_ACCOUNTS = _distribution("in DMA", PrimeType.DMA)

# Funding and DeFi

_FUNDING: Fields[FundingAsset] = {
    "coin": show_text(lambda row: row.currency, 8, "strong", least=7),
    "total": show_amount(lambda row: row.total, 18, least=15),
    "available": show_amount(lambda row: row.available, 18, hide=1),
    "frozen": show_amount(lambda row: row.frozen, 15, hide=2),
    "value USDT": _usdt(lambda row: row.value_usdt),
    "networks": show_text(lambda row: " ".join(entry.network for entry in row.networks), 14, "dim", hide=1),
}
FUNDING = QueryTab(
    name="Funding", empty="no coins in the Funding Account", fields=_FUNDING, id=lambda row: row.currency,
    totals=_value_total("coin", lambda row: row.value_usdt), endpoint="assets_funding", follows=MONEY_CHANGES, names=NAMES,
)  # fmt: skip

_DEFI: Fields[DefiAsset] = {
    "protocol": show_text(lambda row: row.protocol, 18, "strong", least=14),
    "network": show_text(lambda row: row.network, 14, hide=1),
    "coin": show_text(lambda row: row.currency, 8, least=7),
    "amount": show_amount(lambda row: row.amount, 18, hide=1),
    "value USDT": _usdt(lambda row: row.value_usdt),
}
DEFI = QueryTab(
    name="DeFi", empty="no DeFi positions", fields=_DEFI,
    id=lambda row: f"{row.protocol}/{row.network}/{row.currency}",
    totals=_value_total("protocol", lambda row: row.value_usdt), endpoint="assets_defi", names=NAMES,
)  # fmt: skip
