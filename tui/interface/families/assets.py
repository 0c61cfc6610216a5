"""Assets of portfolios and the second generation of account assets: records and endpoint rows."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from tui.interface.endpoint import MAIN_AND_SUB, Family, Kind, Param, Permission, RateLimit, Scope, Shape


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


_PORTFOLIO_ASSETS_PARAMS = (
    Param(name="exchangeType", kind=Kind.VENUE, wrong=401023, aliases=("exchange",)),
    Param(name="page", kind=Kind.WHOLE, aliases=("pageNum",)),
    Param(name="pageSize", kind=Kind.WHOLE, aliases=("limit",)),
)

_ASSETS = Family("assets", permission=Permission.READ, scopes=MAIN_AND_SUB, success=200, limit=RateLimit(20, 1))
_ASSETS_V2 = Family(
    "assets-v2", permission=Permission.READ, scopes=(Scope.MAIN, Scope.USER), success=200, limit=RateLimit(10, 60)
)

# fmt: off
PORTFOLIO_ASSETS = _ASSETS.row("portfolio_assets", "GET /api/v1/trading/portfolio/assets", "portfolio assets",
    success=200000, paged=True, params=_PORTFOLIO_ASSETS_PARAMS, record=AssetRecord, shape=Shape.PAGE)
USER_ASSETS = _ASSETS.row("user_assets", "GET /api/v1/user/asset",
    "all portfolio assets = user assets, object keyed by portfolioId", scopes=(Scope.MAIN,), success=200000,
    record=AssetRecord, shape=Shape.LISTS)
ASSETS_OVERVIEW = _ASSETS_V2.row("assets_overview", "GET /api/v2/account/assets/overview",
    "valuations across Funding, Trading and DeFi; leaf path our choice")
ASSETS_FUNDING = _ASSETS_V2.row("assets_funding", "GET /api/v2/account/assets/funding",
    "Funding balances by currency; leaf path our choice")
ASSETS_TRADING_ACCOUNTS = _ASSETS_V2.row("assets_trading_accounts", "GET /api/v2/account/assets/trading/accounts",
    "trading account list (DMA sub-accounts and portfolios); leaf path our choice")
ASSETS_TRADING_ACCOUNT = _ASSETS_V2.row("assets_trading_account", "GET /api/v2/account/assets/trading/account",
    "assets of one trading account (id); leaf path our choice")
ASSETS_TRADING_SUMMARY = _ASSETS_V2.row("assets_trading_summary", "GET /api/v2/account/assets/trading/summary",
    "trading asset summary by currency; leaf path our choice")
ASSETS_DISTRIBUTION = _ASSETS_V2.row("assets_distribution", "GET /api/v2/account/assets/trading/distribution",
    "distribution by currency across accounts and venues (primeType); leaf path our choice")
ASSETS_DEFI = _ASSETS_V2.row("assets_defi", "GET /api/v2/account/assets/defi", "DeFi holdings; leaf path our choice")
# fmt: on

ROWS = (
    PORTFOLIO_ASSETS,
    USER_ASSETS,
    ASSETS_OVERVIEW,
    ASSETS_FUNDING,
    ASSETS_TRADING_ACCOUNTS,
    ASSETS_TRADING_ACCOUNT,
    ASSETS_TRADING_SUMMARY,
    ASSETS_DISTRIBUTION,
    ASSETS_DEFI,
)
