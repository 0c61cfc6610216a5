"""Assets of portfolios: records, requests and endpoint definitions."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from tui.interface.endpoint import MAIN_AND_SUB, Family, Permission, RateLimit, Scope, Shape
from tui.interface.request import ExchangeTypeFilter, PageRequest


class AssetRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Asset record: balance and margin figures of a coin in a portfolio on one venue."""

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
    """With the four fields below: only in pushes, and only while a portfolio loan of the coin exists."""
    loan_value: str | UnsetType = UNSET
    net_equity: str | UnsetType = UNSET
    net_equity_value: str | UnsetType = UNSET
    net_margin_value: str | UnsetType = UNSET
    create_at: str = ""
    update_at: str = ""


LOAN_FIELDS = ("loan", "loan_value", "net_equity", "net_equity_value", "net_margin_value")
"""Fields that only a push has, while a portfolio loan of the coin exists."""


class PortfolioAssetsQuery(PageRequest, frozen=True, kw_only=True, rename="camel"):
    """Query for the asset records of a portfolio."""

    exchange_type: ExchangeTypeFilter = ""


_ASSETS = Family("assets", permission=Permission.READ, scopes=MAIN_AND_SUB, success=200, limit=RateLimit(20, 1))

# fmt: off
PORTFOLIO_ASSETS = _ASSETS.row("portfolio_assets", "GET /api/v1/trading/portfolio/assets", "portfolio assets",
    success=200000, paged=True, request=PortfolioAssetsQuery, record=AssetRecord, shape=Shape.PAGE)
USER_ASSETS = _ASSETS.row("user_assets", "GET /api/v1/user/asset",
    "all portfolio assets = user assets, object keyed by portfolioId", scopes=(Scope.MAIN,), success=200000,
    record=AssetRecord, shape=Shape.LISTS)
# fmt: on

ROWS = (
    PORTFOLIO_ASSETS,
    USER_ASSETS,
)
