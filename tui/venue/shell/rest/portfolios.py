"""Handlers of the list of portfolios and of the list of API keys."""

from __future__ import annotations

from typing import Any

from tui.interface.families.portfolios import PORTFOLIO_PAGE_SIZE, ApiKeyRecord, PortfolioRecord
from tui.venue.shell.rest.pages import make_page
from tui.venue.shell.rest.query import Query


def portfolios(query: Query) -> Any:
    """List the portfolios of the user, newest first."""
    queries, params = query.queries, query.params
    rows = [portfolio.record(queries.opened_ms) for portfolio in queries.portfolios.values()]
    selected = [
        row
        for row in rows
        if query.accepts("portfolio_id", str(row.portfolio_id))
        and query.accepts("name", row.name)
        and query.accepts("belonging_to", str(int(row.belonging_to)))
    ]
    selected.sort(key=lambda row: (row.create_at, row.portfolio_id), reverse=True)
    size = query.usual_size(PORTFOLIO_PAGE_SIZE)
    return make_page(selected, params, _keep_record, empty_num=query.empty_num, usual_size=size)


def api_keys(query: Query) -> Any:
    """List the API keys created for portfolios, newest first, without the keys created at the venue's start."""
    params = query.params
    selected = [
        key.record()
        for key in sorted(query.queries.api_keys.values(), key=lambda key: -key.number)
        if query.accepts("portfolio_id", key.portfolio) and query.accepts("portfolio_api_key", key.access_key)
    ]
    return make_page(selected, params, _keep_record, empty_num=query.empty_num)


def _keep_record(row: PortfolioRecord | ApiKeyRecord) -> PortfolioRecord | ApiKeyRecord:
    return row
