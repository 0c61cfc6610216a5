"""Portfolios and their API keys: enums, records and endpoint rows."""

from __future__ import annotations

from enum import IntEnum

import msgspec

from tui.interface.endpoint import Family, Kind, Param, Permission, RateLimit, Scope, Shape

MAIN_NAME = "MainPortfolio"
"""Name of the main portfolio; it cannot be changed."""
MAX_SUB_PORTFOLIOS = 50
"""Portfolios of a user besides the main one."""
MAX_KEYS = 10
"""API keys of a portfolio."""
MAX_ADDRESSES = 20
"""Addresses that the list of a key names."""
MAX_KEY_NAME = 32
"""Characters of the name of a key."""
PORTFOLIO_PAGE_SIZE = 100
"""Rows of a page of portfolios where none is asked for."""

PERMISSIONS = (Permission.READ, Permission.TRANSFER, Permission.WITHDRAW, Permission.TRADE)
"""Rights of a key in the order in which they are listed; READ is always granted."""


class BelongingTo(IntEnum):
    """Which portfolio a row of the list is."""

    MAIN = 0
    OTHER = 2


class KeyStatus(IntEnum):
    """Whether a key is accepted."""

    NORMAL = 1
    FROZEN = 2


class PortfolioRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One portfolio of the list; times in ms."""

    portfolio_id: int
    name: str
    belonging_to: int
    create_at: int = 0
    update_at: int = 0


class PortfolioName(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Reply to a new portfolio and to a new name."""

    portfolio_id: int
    name: str


class ApiKeyRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One key of a portfolio; times in ms, `ip` and `permission` are comma lists, an empty `ip` accepts any address."""

    portfolio_id: int
    api_name: str
    access_key: str
    status: int
    ip: str = ""
    permission: str = ""
    created_at: int = 0
    updated_at: int = 0


class NewApiKey(ApiKeyRecord, frozen=True, kw_only=True, rename="camel"):
    """Reply to a new key: the only message with its secret."""

    secret_key: str

    def __repr__(self) -> str:
        return f"NewApiKey(access_key={self.access_key!r})"


_NAME = Param(name="name", required=True)
_PORTFOLIO_ID = Param(name="portfolioId", required=True, wrong=100001)
_ACCESS_KEY = Param(name="accessKey", required=True, wrong=100018)
_PAGE = (
    Param(name="page", kind=Kind.WHOLE, aliases=("pageNum",)),
    Param(name="pageSize", kind=Kind.WHOLE, aliases=("limit",)),
)

CREATE_PORTFOLIO_PARAMS = (_NAME,)
RENAME_PORTFOLIO_PARAMS = (_PORTFOLIO_ID, _NAME)
CREATE_API_KEY_PARAMS = (
    _PORTFOLIO_ID,
    Param(name="apiName", required=True),
    Param(name="ip"),
    Param(name="permission"),
)
CHANGE_API_KEY_PARAMS = (
    _PORTFOLIO_ID,
    _ACCESS_KEY,
    Param(name="apiName"),
    Param(name="ip"),
    Param(name="permission"),
    Param(name="status"),
)
"""What is left out stays as it is."""
DELETE_API_KEY_PARAMS = (_PORTFOLIO_ID, _ACCESS_KEY)
_PORTFOLIOS_PARAMS = (
    Param(name="portfolioId", kind=Kind.WHOLE),
    Param(name="name"),
    Param(name="belongingTo", kind=Kind.WORD, words=tuple(str(int(one)) for one in BelongingTo)),
    *_PAGE,
)
_API_KEYS_PARAMS = (Param(name="portfolioId", kind=Kind.WHOLE), Param(name="portfolioApiKey"), *_PAGE)

_PORTFOLIOS = Family(
    "portfolios", permission=Permission.TRADE, scopes=(Scope.MAIN,), success=200, limit=RateLimit(3, 10)
)

# fmt: off
CREATE_PORTFOLIO = _PORTFOLIOS.row("create_portfolio", "POST /api/v1/trading/portfolio", "create trading portfolio",
    params=CREATE_PORTFOLIO_PARAMS, record=PortfolioName, shape=Shape.OBJECT)
PORTFOLIOS = _PORTFOLIOS.row("portfolios", "GET /api/v1/trading/portfolio", "list trading portfolios",
    permission=Permission.READ, paged=True, params=_PORTFOLIOS_PARAMS, record=PortfolioRecord, shape=Shape.PAGE)
RENAME_PORTFOLIO = _PORTFOLIOS.row("rename_portfolio", "PUT /api/v1/trading/portfolio", "rename trading portfolio",
    params=RENAME_PORTFOLIO_PARAMS, record=PortfolioName, shape=Shape.OBJECT)
API_KEYS = _PORTFOLIOS.row("api_keys", "GET /api/v1/apiKey/portfolio", "list portfolio API keys",
    permission=Permission.READ, paged=True, params=_API_KEYS_PARAMS, record=ApiKeyRecord, shape=Shape.PAGE)
CREATE_API_KEY = _PORTFOLIOS.row("create_api_key", "POST /api/v1/apiKey/portfolio",
    "create portfolio API key (secret shown once)",
    params=CREATE_API_KEY_PARAMS, record=NewApiKey, shape=Shape.OBJECT)
CHANGE_API_KEY = _PORTFOLIOS.row("change_api_key", "PUT /api/v1/apiKey/portfolio", "change portfolio API key",
    params=CHANGE_API_KEY_PARAMS, record=ApiKeyRecord, shape=Shape.OBJECT)
DELETE_API_KEY = _PORTFOLIOS.row("delete_api_key", "DELETE /api/v1/apiKey/portfolio", "delete portfolio API key",
    params=DELETE_API_KEY_PARAMS, shape=Shape.EMPTY)
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
