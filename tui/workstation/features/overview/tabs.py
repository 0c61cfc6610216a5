"""The lists of the screen of everything as columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, TypeVar

from tui.engine.service_query import query_endpoint
from tui.interface.families.account_assets import (
    CurrencyAssets,
    DefiAsset,
    FundingAsset,
    PrimeType,
    TradingAccount,
    Wanted,
)
from tui.interface.families.assets import AssetRecord
from tui.workstation.features.overview.rows import (
    ACCOUNTS_LIST,
    PANE,
    Held,
    Placed,
    Valued,
    account_name,
    held_in_portfolios,
    list_account_coins,
    name_of,
    placed,
    sum_of,
    valued,
)
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.columns import Cell, Field, Fields, Layout, layout, of_row
from tui.workstation.widgets.lists.tab import QueryTab, Rows, in_coin, number

R = TypeVar("R")
Widths = tuple[tuple[str, int], ...]
"""Columns with their cells."""
PORTFOLIO_CHANGES = ("create_portfolio", "rename_portfolio")
MONEY_CHANGES = ("transfer",)
"""Commands after which what is held is read again."""
NAMES = (query_endpoint(f"{PANE}/{ACCOUNTS_LIST}", "assets_trading_accounts"),)
"""The accounts, by which all lists name their rows."""


def _usdt(value: Callable[[R], str], *, hide: int = 0) -> Field[R]:
    return Field(
        15, lambda row, view: (view.money(value(row)), "text"), of_row(lambda row: number(value(row))), hide=hide
    )


def _coins(amount: Callable[[R], str], *, hide: int = 0, warns: bool = False) -> Field[R]:
    """An amount of the coin of the row; `warns`: one that is owed."""

    def cell(row: R) -> Cell:
        text, role = in_coin(amount(row), "")
        return text, "warn" if warns and number(amount(row)) else role

    return Field(18, of_row(cell), of_row(lambda row: number(amount(row))), hide=hide)


def _share(share: Callable[[R], Decimal | None]) -> Field[R]:
    def cell(row: R) -> Cell:
        value = share(row)
        return (number_format.MISSING if value is None else f"{number_format.decimal_figure(value * 100, 1)}%"), "dim"

    return Field(9, of_row(cell), of_row(lambda row: share(row) or Decimal(0)), hide=1)


def _word(text: Callable[[R], str], width: int = 14, role: str = "text", *, hide: int = 0) -> Field[R]:
    return Field(width, of_row(lambda row: (text(row), role)), left=True, prose=True, hide=hide)


def _account(owner: Callable[[R], str]) -> Field[R]:
    return Field(22, lambda row, view: (account_name(view, owner(row)), "strong"), left=True, prose=True)


def _value_total(first: str, value: Callable[[Any], str]) -> Callable[[Rows, DisplayContext], Mapping[str, Cell]]:
    """The sum of the values of what is shown. `first`: the column that says so."""
    return lambda rows, view: {
        first: ("total", "dim"),
        "value USDT": (view.amount(sum_of([value(row) for row in rows])), "strong"),
    }


def _layouts(
    fields: Fields[R], wide: tuple[tuple[str, int], ...], narrow: tuple[tuple[str, int], ...]
) -> tuple[Layout[R], ...]:
    widths = [sum(cells for _, cells in columns) for columns in (wide, narrow)]
    return layout(fields, widths[0], *wide), layout(fields, min(37, widths[1]), *narrow)


# Overview

_VALUED: Fields[Valued] = {
    "part": _word(lambda row: row.part, 16, "strong"),
    "value USDT": Field(16, lambda row, view: (view.amount(row.value), "text"), of_row(lambda row: row.value)),
    "share": _share(lambda row: row.share),
}
OVERVIEW = QueryTab(
    name="overview", noun="values", fields=_VALUED, id=lambda row: row.part,
    layouts=_layouts(_VALUED, (("part", 16), ("value USDT", 16), ("share", 9)), (("part", 16), ("value USDT", 16))),
    endpoint="assets_overview", pick=valued, follows=MONEY_CHANGES, names=NAMES,
)  # fmt: skip

# Accounts

_ACCOUNTS: Fields[TradingAccount] = {
    "account": Field(22, of_row(lambda row: (name_of(row), "strong")), left=True, prose=True),
    "kind": _word(lambda row: row.label, 11),
    "venues": _word(lambda row: row.venues.replace(",", " "), 18, hide=1),
    "value USDT": _usdt(lambda row: row.total_usdt),
    "id": _word(lambda row: row.id, 18, "dim", hide=2),
    "note": _word(lambda row: row.account_note, 22, "dim", hide=3),
}
ACCOUNTS = QueryTab(
    name=ACCOUNTS_LIST, noun="trading accounts", fields=_ACCOUNTS, id=lambda row: row.id,
    layouts=_layouts(
        _ACCOUNTS, (("account", 22), ("kind", 11), ("venues", 18), ("value USDT", 15), ("id", 18)),
        (("account", 18), ("value USDT", 15)),
    ),
    totals=_value_total("account", lambda row: row.total_usdt),
    endpoint="assets_trading_accounts", follows=(*MONEY_CHANGES, *PORTFOLIO_CHANGES),
)  # fmt: skip

# One account

_HELD: Fields[Held] = {
    "where": _word(lambda row: row.slice, 10),
    "coin": _word(lambda row: row.currency, 8, "strong"),
    "total": _coins(lambda row: row.total),
    "available": _coins(lambda row: row.available, hide=1),
    "frozen": _coins(lambda row: row.frozen, hide=2),
    "debt": _coins(lambda row: row.debt, hide=1, warns=True),
    "value USDT": _usdt(lambda row: row.value),
}
ACCOUNT = QueryTab(
    name="account", noun="coins in this account", fields=_HELD, id=lambda row: row.key,
    layouts=_layouts(
        _HELD,
        (("where", 10), ("coin", 8), ("total", 16), ("available", 16), ("frozen", 14), ("debt", 14), ("value USDT", 15)),
        (("where", 9), ("coin", 7), ("total", 12), ("value USDT", 13)),
    ),
    totals=_value_total("where", lambda row: row.value),
    endpoint="assets_trading_account", pick=list_account_coins, follows=MONEY_CHANGES, names=NAMES,
)  # fmt: skip

# Portfolios x venues x coins

_ASSETS: Fields[AssetRecord] = {
    "portfolio": _account(lambda row: row.portfolio_id),
    "venue": _word(lambda row: row.exchange_type, 10),
    "coin": _word(lambda row: row.coin, 8, "strong"),
    "balance": _coins(lambda row: row.balance),
    "available": _coins(lambda row: row.available, hide=2),
    "frozen": _coins(lambda row: row.frozen, hide=3),
    "debt": _coins(lambda row: row.debt, hide=1, warns=True),
    "transferable": _coins(lambda row: row.max_transferable, hide=4),
    "uPnL": _usdt(lambda row: row.upnl, hide=5),
    "value USDT": _usdt(lambda row: row.equity_value),
}
ASSETS = QueryTab(
    name="coins of portfolios", noun="coins", fields=_ASSETS,
    id=lambda row: f"{row.portfolio_id}/{row.exchange_type}/{row.coin}",
    layouts=_layouts(
        _ASSETS,
        (("portfolio", 18), ("venue", 9), ("coin", 7), ("balance", 16), ("available", 16), ("frozen", 13), ("debt", 13),
         ("value USDT", 15)),
        (("portfolio", 14), ("venue", 9), ("coin", 6), ("value USDT", 13)),
    ),
    totals=_value_total("portfolio", lambda row: row.equity_value),
    endpoint="user_assets", pick=held_in_portfolios, follows=(*MONEY_CHANGES, *PORTFOLIO_CHANGES),
    names=NAMES,
)  # fmt: skip

# By coin

_COINS: Fields[CurrencyAssets] = {
    "coin": _word(lambda row: row.currency, 8, "strong"),
    "total": _coins(lambda row: row.total),
    "available": _coins(lambda row: row.available, hide=1),
    "frozen": _coins(lambda row: row.frozen, hide=2),
    "debt": _coins(lambda row: row.debt, hide=1, warns=True),
    "value USDT": _usdt(lambda row: row.value_usdt),
}
COINS = QueryTab(
    name="by coin", noun="coins", fields=_COINS, id=lambda row: row.currency,
    layouts=_layouts(
        _COINS, (("coin", 8), ("total", 18), ("available", 18), ("frozen", 15), ("debt", 15), ("value USDT", 15)),
        (("coin", 7), ("total", 15), ("value USDT", 15)),
    ),
    totals=_value_total("coin", lambda row: row.value_usdt),
    endpoint="assets_trading_summary", follows=MONEY_CHANGES, names=NAMES,
)  # fmt: skip

_PLACED: Fields[Placed] = {
    "coin": _word(lambda row: row.currency, 8, "strong"),
    "account": _account(lambda row: row.account),
    "where": _word(lambda row: row.slice, 10),
    "total": _coins(lambda row: row.total),
    "share": _share(lambda row: row.share),
    "value USDT": _usdt(lambda row: row.value),
}
_PLACED_LAYOUTS = _layouts(
    _PLACED, (("coin", 8), ("account", 22), ("where", 10), ("total", 18), ("share", 9), ("value USDT", 15)),
    (("coin", 7), ("account", 12), ("where", 9), ("value USDT", 13)),
)  # fmt: skip


def _distribution(name: str, kind: PrimeType) -> QueryTab:
    def asked(view: DisplayContext) -> Mapping[str, str]:
        del view
        return {Wanted.PRIME_TYPE: kind.value}

    return QueryTab(
        name=name, noun=f"coins in accounts of the kind {kind}", fields=_PLACED, layouts=_PLACED_LAYOUTS,
        id=lambda row: row.key, totals=_value_total("coin", lambda row: row.value), endpoint="assets_distribution",
        params=asked, pick=placed, follows=MONEY_CHANGES, names=NAMES,
    )  # fmt: skip


IN_PORTFOLIOS = _distribution("in portfolios", PrimeType.PORTFOLIO)
IN_SUB_ACCOUNTS = _distribution("in DMA", PrimeType.DMA)

# Funding and DeFi

_FUNDING: Fields[FundingAsset] = {
    "coin": _word(lambda row: row.currency, 8, "strong"),
    "total": _coins(lambda row: row.total),
    "available": _coins(lambda row: row.available, hide=1),
    "frozen": _coins(lambda row: row.frozen, hide=2),
    "value USDT": _usdt(lambda row: row.value_usdt),
    "networks": _word(lambda row: " ".join(one.network for one in row.networks), 20, "dim", hide=1),
}
FUNDING = QueryTab(
    name="Funding", noun="coins in the Funding Account", fields=_FUNDING, id=lambda row: row.currency,
    layouts=_layouts(
        _FUNDING, (("coin", 8), ("total", 18), ("available", 18), ("frozen", 15), ("value USDT", 15), ("networks", 14)),
        (("coin", 7), ("total", 15), ("value USDT", 15)),
    ),
    totals=_value_total("coin", lambda row: row.value_usdt), endpoint="assets_funding", follows=MONEY_CHANGES, names=NAMES,
)  # fmt: skip

_DEFI: Fields[DefiAsset] = {
    "protocol": _word(lambda row: row.protocol, 18, "strong"),
    "network": _word(lambda row: row.network, 14),
    "coin": _word(lambda row: row.currency, 8),
    "amount": _coins(lambda row: row.amount),
    "value USDT": _usdt(lambda row: row.value_usdt),
}
DEFI = QueryTab(
    name="DeFi", noun="DeFi positions", fields=_DEFI,
    id=lambda row: f"{row.protocol}/{row.network}/{row.currency}",
    layouts=_layouts(
        _DEFI, (("protocol", 18), ("network", 14), ("coin", 8), ("amount", 18), ("value USDT", 15)),
        (("protocol", 14), ("coin", 7), ("value USDT", 15)),
    ),
    totals=_value_total("protocol", lambda row: row.value_usdt), endpoint="assets_defi", names=NAMES,
)  # fmt: skip
