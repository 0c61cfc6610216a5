"""Handlers of Account Assets V2: queries of all holdings of a user."""

from __future__ import annotations

from typing import Any

from tui.venue.core.funds.asset_overview import AssetOverview
from tui.venue.shell.rest.query import Query


def _assets(query: Query) -> AssetOverview:
    return query.runtime.exchange.asset_overview


def overview(query: Query) -> Any:
    return _assets(query).overview(query.portfolio)


def funding(query: Query) -> Any:
    return _assets(query).funding(query.portfolio)


def accounts(query: Query) -> Any:
    return _assets(query).accounts(query.portfolio)


def account(query: Query) -> Any:
    return _assets(query).account(query.portfolio, query.params.get("id", ""))


def summary(query: Query) -> Any:
    return _assets(query).summary(query.portfolio)


def distribution(query: Query) -> Any:
    return _assets(query).distribution(query.portfolio, query.params["prime_type"])


def defi(query: Query) -> Any:
    return _assets(query).defi(query.portfolio)
