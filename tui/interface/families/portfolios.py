"""Portfolios and their API keys: enums, records and endpoint rows."""

from __future__ import annotations

from tui.interface.endpoint import Family, Permission, RateLimit, Scope

_PORTFOLIOS = Family(
    "portfolios", permission=Permission.TRADE, scopes=(Scope.MAIN,), success=200, limit=RateLimit(3, 10)
)

# fmt: off
CREATE_PORTFOLIO = _PORTFOLIOS.row("create_portfolio", "POST /api/v1/trading/portfolio", "create trading portfolio")
PORTFOLIOS = _PORTFOLIOS.row("portfolios", "GET /api/v1/trading/portfolio", "list trading portfolios",
    permission=Permission.READ, paged=True)
RENAME_PORTFOLIO = _PORTFOLIOS.row("rename_portfolio", "PUT /api/v1/trading/portfolio", "rename trading portfolio")
API_KEYS = _PORTFOLIOS.row("api_keys", "GET /api/v1/apiKey/portfolio", "list portfolio API keys",
    permission=Permission.READ, paged=True)
CREATE_API_KEY = _PORTFOLIOS.row("create_api_key", "POST /api/v1/apiKey/portfolio",
    "create portfolio API key (secret shown once)")
CHANGE_API_KEY = _PORTFOLIOS.row("change_api_key", "PUT /api/v1/apiKey/portfolio", "change portfolio API key")
DELETE_API_KEY = _PORTFOLIOS.row("delete_api_key", "DELETE /api/v1/apiKey/portfolio", "delete portfolio API key")
# fmt: on

ROWS = (
    CREATE_PORTFOLIO,
    PORTFOLIOS,
    RENAME_PORTFOLIO,
    API_KEYS,
    CREATE_API_KEY,
    CHANGE_API_KEY,
    DELETE_API_KEY,
)
