"""Catalogue of all REST endpoints, collected from the endpoint families; the only list of endpoints."""

from __future__ import annotations

from tui.interface.endpoint import Endpoint
from tui.interface.families import (
    account_assets,
    accounts,
    algo,
    assets,
    deposits,
    fees,
    history,
    liquidation,
    loans,
    market,
    orders,
    portfolio_loans,
    portfolios,
    positions,
    system,
    transfers,
)

ROWS: tuple[Endpoint, ...] = (
    *orders.ROWS,
    *algo.ROWS,
    *positions.ROWS,
    *liquidation.ROWS,
    *history.ROWS,
    *market.ROWS,
    *system.ROWS,
    *portfolios.ROWS,
    *assets.ROWS,
    *accounts.ROWS,
    *account_assets.ROWS,
    *transfers.ROWS,
    *deposits.ROWS,
    *fees.ROWS,
    *loans.ROWS,
    *portfolio_loans.ROWS,
)

BY_NAME: dict[str, Endpoint] = {row.name: row for row in ROWS}
BY_KEY: dict[str, Endpoint] = {row.key: row for row in ROWS}
PATHS: frozenset[str] = frozenset(row.path for row in ROWS)
