"""Portfolios and their API keys: enums, records, requests and endpoint definitions."""

from __future__ import annotations

import ipaddress
import re
from enum import IntEnum
from typing import Annotated

import msgspec

from tui.crossdesk_error import CrossdeskError
from tui.interface.endpoint import Family, Permission, RateLimit, Scope, Shape
from tui.interface.request import CommandRequest, Kind, PageRequest, Rule, Whole

MAIN_NAME = "MainPortfolio"
"""Name of the main portfolio; it cannot be changed."""
MAX_SUB_PORTFOLIOS = 50
"""Portfolios of a user besides the main one."""
MAX_KEYS = 10
"""API keys of a portfolio."""
MAX_ADDRESSES = 20
"""Largest number of addresses in the list of a key."""
MAX_KEY_NAME = 32
"""Characters of the name of a key."""
PORTFOLIO_PAGE_SIZE = 100
"""Default number of rows of a page of portfolios."""

PERMISSIONS = (Permission.READ, Permission.TRANSFER, Permission.WITHDRAW, Permission.TRADE)
"""Rights of a key in the order in which they are listed; READ is always granted."""


NAME_FORM = "6 to 20 letters or digits, not digits alone"
_NAME_FORM = re.compile(r"(?![0-9]+\Z)[0-9A-Za-z]{6,20}")


class BadAddress(CrossdeskError, ValueError):
    """Error for a text that is not a list of IP addresses; its message contains the wrong part."""

    title = "Not an address"


def is_portfolio_name(text: str) -> bool:
    """Report whether a text is allowed as a portfolio name."""
    return _NAME_FORM.fullmatch(text) is not None


def parse_addresses(text: str) -> tuple[str, ...]:
    """Parse a comma-separated list of IP addresses, without duplicates and in normal form; empty text gives an empty list.

    Raises:
        BadAddress: A part is no address, or there are too many.
    """
    addresses: dict[str, None] = {}
    for part in text.split(",") if text else []:
        try:
            addresses[str(ipaddress.ip_address(part.strip()))] = None
        except ValueError:
            raise BadAddress(
                f"{part.strip()[:40]!r} is not accepted; it must be an address such as 203.0.113.7 or 2001:db8::7"
            ) from None
    if len(addresses) > MAX_ADDRESSES:
        raise BadAddress(f"{len(addresses)} addresses are named; at most {MAX_ADDRESSES} are accepted")
    return tuple(addresses)


class BelongingTo(IntEnum):
    """Kind of a portfolio in the list of portfolios: main or other."""

    MAIN = 0
    OTHER = 2


class KeyStatus(IntEnum):
    """Status of an API key; a frozen key cannot be used."""

    NORMAL = 1
    FROZEN = 2


class PortfolioRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Row of the list of portfolios; times in ms."""

    portfolio_id: int
    name: str
    belonging_to: int
    create_at: int = 0
    update_at: int = 0


class PortfolioName(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Reply to creating or renaming a portfolio."""

    portfolio_id: int
    name: str


class ApiKeyRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """API key of a portfolio; times in ms, `ip` and `permission` are comma-separated, an empty `ip` allows any address."""

    portfolio_id: int
    api_name: str
    access_key: str
    status: int
    ip: str = ""
    permission: str = ""
    created_at: int = 0
    updated_at: int = 0


class NewApiKey(ApiKeyRecord, frozen=True, kw_only=True, rename="camel"):
    """Reply to creating an API key, the only message with its secret."""

    secret_key: str

    def __repr__(self) -> str:
        return f"NewApiKey(access_key={self.access_key!r})"


class CreatePortfolio(CommandRequest, frozen=True, kw_only=True, rename="camel", tag="create_portfolio"):
    """Request to create a sub portfolio."""

    name: str


class RenamePortfolio(CommandRequest, frozen=True, kw_only=True, rename="camel", tag="rename_portfolio"):
    """Request to rename a sub portfolio."""

    portfolio_id: Annotated[str, Rule(error_code=100001)]
    name: str


class CreateApiKey(CommandRequest, frozen=True, kw_only=True, rename="camel", tag="create_api_key"):
    """Request to create an API key of a portfolio; lists are comma-separated."""

    portfolio_id: Annotated[str, Rule(error_code=100001)]
    api_name: str
    ip: str = ""
    permission: str = ""


class ChangeApiKey(CommandRequest, frozen=True, kw_only=True, rename="camel", tag="change_api_key"):
    """Request to change an API key; omitted fields stay unchanged."""

    portfolio_id: Annotated[str, Rule(error_code=100001)]
    access_key: Annotated[str, Rule(error_code=100018)]
    api_name: str = ""
    ip: str = ""
    permission: str = ""
    status: str = ""


class DeleteApiKey(CommandRequest, frozen=True, kw_only=True, rename="camel", tag="delete_api_key"):
    """Request to delete an API key."""

    portfolio_id: Annotated[str, Rule(error_code=100001)]
    access_key: Annotated[str, Rule(error_code=100018)]


class PortfoliosQuery(PageRequest, frozen=True, kw_only=True, rename="camel"):
    """Query for the portfolios of a user."""

    portfolio_id: Whole = ""
    name: str = ""
    belonging_to: Annotated[str, Rule(Kind.WORD, tuple(str(int(kind)) for kind in BelongingTo))] = ""


class ApiKeysQuery(PageRequest, frozen=True, kw_only=True, rename="camel"):
    """Query for the API keys of portfolios."""

    portfolio_id: Whole = ""
    portfolio_api_key: str = ""


_PORTFOLIOS = Family(
    "portfolios", permission=Permission.TRADE, scopes=(Scope.MAIN,), success=200, limit=RateLimit(3, 10)
)

# fmt: off
CREATE_PORTFOLIO = _PORTFOLIOS.row("create_portfolio", "POST /api/v1/trading/portfolio", "create trading portfolio",
    request=CreatePortfolio, record=PortfolioName, shape=Shape.OBJECT)
PORTFOLIOS = _PORTFOLIOS.row("portfolios", "GET /api/v1/trading/portfolio", "list trading portfolios",
    permission=Permission.READ, paged=True, request=PortfoliosQuery, record=PortfolioRecord, shape=Shape.PAGE)
RENAME_PORTFOLIO = _PORTFOLIOS.row("rename_portfolio", "PUT /api/v1/trading/portfolio", "rename trading portfolio",
    request=RenamePortfolio, record=PortfolioName, shape=Shape.OBJECT)
API_KEYS = _PORTFOLIOS.row("api_keys", "GET /api/v1/apiKey/portfolio", "list portfolio API keys",
    permission=Permission.READ, paged=True, request=ApiKeysQuery, record=ApiKeyRecord, shape=Shape.PAGE)
CREATE_API_KEY = _PORTFOLIOS.row("create_api_key", "POST /api/v1/apiKey/portfolio",
    "create portfolio API key (secret shown once)",
    request=CreateApiKey, record=NewApiKey, shape=Shape.OBJECT)
CHANGE_API_KEY = _PORTFOLIOS.row("change_api_key", "PUT /api/v1/apiKey/portfolio", "change portfolio API key",
    request=ChangeApiKey, record=ApiKeyRecord, shape=Shape.OBJECT)
DELETE_API_KEY = _PORTFOLIOS.row("delete_api_key", "DELETE /api/v1/apiKey/portfolio", "delete portfolio API key",
    request=DeleteApiKey, shape=Shape.EMPTY)
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
