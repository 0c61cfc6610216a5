"""Assets, accounts, custody and the second generation of account assets: records and endpoint rows."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from tui.interface.endpoint import (
    Endpoint,
    Kind,
    Param,
    Permission,
    RateLimit,
    Scope,
    Shape,
)


class AssetRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One coin of a portfolio on one venue."""

    portfolio_id: str = ""
    coin: str
    exchange_type: str
    balance: str
    available: str = ""
    frozen: str = ""
    debt: str = "0"
    borrow: str = "0"
    overdraw: str = "0"
    equity: str = ""
    equity_value: str = ""
    index_price: str = ""
    margin_value: str = ""
    virtual_borrow: str = "0"
    upnl: str = "0"
    debt_margin: str = "0"
    perp_margin: str = "0"
    max_transferable: str = ""
    loan: str | UnsetType = UNSET
    """With the four below: only in pushes, and only while a portfolio loan of the coin exists."""
    loan_value: str | UnsetType = UNSET
    net_equity: str | UnsetType = UNSET
    net_equity_value: str | UnsetType = UNSET
    net_margin_value: str | UnsetType = UNSET
    create_at: str = ""
    update_at: str = ""


PORTFOLIO_ASSETS = Endpoint(
    name="portfolio_assets",
    method="GET",
    path="/api/v1/trading/portfolio/assets",
    family="assets",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(20, 1),
    paged=True,
    purpose="portfolio assets",
    params=(
        Param(name="exchangeType", kind=Kind.VENUE, wrong=401023, aliases=("exchange",)),
        Param(name="page", kind=Kind.WHOLE, aliases=("pageNum",)),
        Param(name="pageSize", kind=Kind.WHOLE, aliases=("limit",)),
    ),
    record=AssetRecord,
    shape=Shape.PAGE,
)

USER_ASSETS = Endpoint(
    name="user_assets",
    method="GET",
    path="/api/v1/user/asset",
    family="assets",
    permission=Permission.READ,
    scopes=(Scope.MAIN,),
    success=200000,
    limit=RateLimit(20, 1),
    purpose="all portfolio assets = user assets, object keyed by portfolioId",
)

ACCOUNT_BALANCES = Endpoint(
    name="account_balances",
    method="GET",
    path="/api/v1/asset/getAccountCurrencyInfo",
    family="assets",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(20, 1),
    purpose="account balances",
)

CURRENCIES = Endpoint(
    name="currencies",
    method="GET",
    path="/api/v1/asset/currencies",
    family="assets",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(3, 10),
    purpose="deposit, withdraw, transfer information per currency and network",
)

BILLS = Endpoint(
    name="bills",
    method="GET",
    path="/api/v1/asset/bills",
    family="assets",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200,
    limit=RateLimit(20, 1),
    paged=True,
    purpose="account bills (portfolio funds in and out)",
)

ACCOUNTS = Endpoint(
    name="accounts",
    method="GET",
    path="/api/v1/tradeAccount/list",
    family="assets",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(20, 1),
    purpose="account list",
)

CUSTODY_LOCK = Endpoint(
    name="custody_lock",
    method="POST",
    path="/api/v1/custodytradingaccount/lock",
    family="custody",
    permission=Permission.TRANSFER,
    scopes=(Scope.MAIN,),
    success=200,
    limit=RateLimit(10, 10),
    asynchronous=True,
    purpose="lock assets from custody to an exchange sub-account",
)

CUSTODY_UNLOCK = Endpoint(
    name="custody_unlock",
    method="POST",
    path="/api/v1/custodytradingaccount/unlock",
    family="custody",
    permission=Permission.TRANSFER,
    scopes=(Scope.MAIN,),
    success=200,
    limit=RateLimit(10, 10),
    asynchronous=True,
    purpose="unlock assets back to custody",
)

CUSTODY_LIST = Endpoint(
    name="custody_list",
    method="GET",
    path="/api/v1/custodytradingaccount/list",
    family="custody",
    permission=Permission.READ,
    scopes=(Scope.MAIN,),
    success=200,
    limit=RateLimit(20, 10),
    paged=True,
    purpose="lock and unlock history",
)

ASSETS_OVERVIEW = Endpoint(
    name="assets_overview",
    method="GET",
    path="/api/v2/account/assets/overview",
    family="assets-v2",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(10, 60),
    purpose="valuations across Funding, Trading and DeFi; leaf path our choice",
)

ASSETS_FUNDING = Endpoint(
    name="assets_funding",
    method="GET",
    path="/api/v2/account/assets/funding",
    family="assets-v2",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(10, 60),
    purpose="Funding balances by currency; leaf path our choice",
)

ASSETS_TRADING_ACCOUNTS = Endpoint(
    name="assets_trading_accounts",
    method="GET",
    path="/api/v2/account/assets/trading/accounts",
    family="assets-v2",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(10, 60),
    purpose="trading account list (DMA sub-accounts and portfolios); leaf path our choice",
)

ASSETS_TRADING_ACCOUNT = Endpoint(
    name="assets_trading_account",
    method="GET",
    path="/api/v2/account/assets/trading/account",
    family="assets-v2",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(10, 60),
    purpose="assets of one trading account (id); leaf path our choice",
)

ASSETS_TRADING_SUMMARY = Endpoint(
    name="assets_trading_summary",
    method="GET",
    path="/api/v2/account/assets/trading/summary",
    family="assets-v2",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(10, 60),
    purpose="trading asset summary by currency; leaf path our choice",
)

ASSETS_DISTRIBUTION = Endpoint(
    name="assets_distribution",
    method="GET",
    path="/api/v2/account/assets/trading/distribution",
    family="assets-v2",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(10, 60),
    purpose="distribution by currency across accounts and venues (primeType); leaf path our choice",
)

ASSETS_DEFI = Endpoint(
    name="assets_defi",
    method="GET",
    path="/api/v2/account/assets/defi",
    family="assets-v2",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.USER,
    ),
    success=200,
    limit=RateLimit(10, 60),
    purpose="DeFi holdings; leaf path our choice",
)

ROWS = (
    PORTFOLIO_ASSETS,
    USER_ASSETS,
    ACCOUNT_BALANCES,
    CURRENCIES,
    BILLS,
    ACCOUNTS,
    CUSTODY_LOCK,
    CUSTODY_UNLOCK,
    CUSTODY_LIST,
    ASSETS_OVERVIEW,
    ASSETS_FUNDING,
    ASSETS_TRADING_ACCOUNTS,
    ASSETS_TRADING_ACCOUNT,
    ASSETS_TRADING_SUMMARY,
    ASSETS_DISTRIBUTION,
    ASSETS_DEFI,
)
