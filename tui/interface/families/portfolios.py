"""Portfolios and their API keys: enums, records and endpoint rows."""

from __future__ import annotations

from tui.interface.endpoint import Endpoint, Permission, RateLimit, Scope

CREATE_PORTFOLIO = Endpoint(
    name="create_portfolio",
    method="POST",
    path="/api/v1/trading/portfolio",
    family="portfolios",
    permission=Permission.TRADE,
    scopes=(Scope.MAIN,),
    success=200,
    limit=RateLimit(3, 10),
    purpose="create trading portfolio",
)

PORTFOLIOS = Endpoint(
    name="portfolios",
    method="GET",
    path="/api/v1/trading/portfolio",
    family="portfolios",
    permission=Permission.READ,
    scopes=(Scope.MAIN,),
    success=200,
    limit=RateLimit(3, 10),
    paged=True,
    purpose="list trading portfolios",
)

RENAME_PORTFOLIO = Endpoint(
    name="rename_portfolio",
    method="PUT",
    path="/api/v1/trading/portfolio",
    family="portfolios",
    permission=Permission.TRADE,
    scopes=(Scope.MAIN,),
    success=200,
    limit=RateLimit(3, 10),
    purpose="rename trading portfolio",
)

API_KEYS = Endpoint(
    name="api_keys",
    method="GET",
    path="/api/v1/apiKey/portfolio",
    family="portfolios",
    permission=Permission.READ,
    scopes=(Scope.MAIN,),
    success=200,
    limit=RateLimit(3, 10),
    paged=True,
    purpose="list portfolio API keys",
)

CREATE_API_KEY = Endpoint(
    name="create_api_key",
    method="POST",
    path="/api/v1/apiKey/portfolio",
    family="portfolios",
    permission=Permission.TRADE,
    scopes=(Scope.MAIN,),
    success=200,
    limit=RateLimit(3, 10),
    purpose="create portfolio API key (secret shown once)",
)

CHANGE_API_KEY = Endpoint(
    name="change_api_key",
    method="PUT",
    path="/api/v1/apiKey/portfolio",
    family="portfolios",
    permission=Permission.TRADE,
    scopes=(Scope.MAIN,),
    success=200,
    limit=RateLimit(3, 10),
    purpose="change portfolio API key",
)

DELETE_API_KEY = Endpoint(
    name="delete_api_key",
    method="DELETE",
    path="/api/v1/apiKey/portfolio",
    family="portfolios",
    permission=Permission.TRADE,
    scopes=(Scope.MAIN,),
    success=200,
    limit=RateLimit(3, 10),
    purpose="delete portfolio API key",
)

ROWS = (
    CREATE_PORTFOLIO,
    PORTFOLIOS,
    RENAME_PORTFOLIO,
    API_KEYS,
    CREATE_API_KEY,
    CHANGE_API_KEY,
    DELETE_API_KEY,
)
