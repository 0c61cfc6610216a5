"""Creation and renaming of the user's portfolios."""

from __future__ import annotations

import msgspec

from tui.interface.families.portfolios import (
    MAX_SUB_PORTFOLIOS,
    NAME_FORM,
    CreatePortfolio,
    PortfolioName,
    RenamePortfolio,
    is_portfolio_name,
)
from tui.venue.core.accounts import account_figures
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.commands import Handlers
from tui.venue.core.market.symbols import VENUES
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.portfolios import Portfolio


def create_portfolio(state: State, command: CreatePortfolio) -> PortfolioName:
    """Create a sub portfolio with an empty account on each venue.

    Raises:
        CheckFailed: Not accepted; nothing changed.
    """
    _check_name(state, command.name, "")
    subs = sum(not other.is_main for other in state.portfolios.values())
    if subs >= MAX_SUB_PORTFOLIOS:
        raise CheckFailed(
            404901, f"there are {subs} portfolios besides the main one; at most {MAX_SUB_PORTFOLIOS} are accepted"
        )
    portfolio = Portfolio(
        id=str(max(int(known) for known in state.portfolios) + 1),
        name=command.name,
        level="sub",
        created=state.now,
        updated=state.now,
        venues=VENUES,
    )
    state.portfolios[portfolio.id] = portfolio
    state.changes.dirty("portfolio", portfolio.id)
    for venue in VENUES:
        account_figures.publish_rows(state, portfolio.id, venue, quiet=True)
    return _build_reply(portfolio)


def rename_portfolio(state: State, command: RenamePortfolio) -> PortfolioName:
    """Rename a sub portfolio; its open orders are pushed again, because their records contain the name.

    Raises:
        CheckFailed: Not accepted; nothing changed.
    """
    portfolio = find_portfolio(state, command.portfolio_id)
    if portfolio.is_main:
        raise CheckFailed(400000, f"portfolioId {portfolio.id} is the main portfolio, whose name cannot be changed")
    _check_name(state, command.name, portfolio.id)
    if command.name == portfolio.name:
        return _build_reply(portfolio)
    renamed = msgspec.structs.replace(portfolio, name=command.name, updated=max(state.now, portfolio.updated + 1))
    state.portfolios[portfolio.id] = renamed
    state.changes.dirty("portfolio", portfolio.id)
    for order in state.orders.values():
        if order.portfolio == portfolio.id:
            state.published.orders.pop(order.id, None)
    for order in list(state.open.get(portfolio.id, {}).values()):
        state.publish_order(order)
    return _build_reply(renamed)


def find_portfolio(state: State, portfolio_id: str) -> Portfolio:
    """Find a portfolio of the user by its id.

    Raises:
        CheckFailed: 100001.
    """
    portfolio = state.portfolios.get(portfolio_id)
    if portfolio is None:
        raise CheckFailed(100001, f"portfolioId {portfolio_id[:40]!r} does not exist")
    return portfolio


def _build_reply(portfolio: Portfolio) -> PortfolioName:
    return PortfolioName(portfolio_id=int(portfolio.id), name=portfolio.name)


def _check_name(state: State, name: str, own_id: str) -> None:
    """Check that a portfolio name is well formed and not used by another portfolio."""
    if not is_portfolio_name(name):
        raise CheckFailed(400000, f"name {name[:40]!r} is not accepted; it must have {NAME_FORM}")
    if any(portfolio.name == name and portfolio.id != own_id for portfolio in state.portfolios.values()):
        raise CheckFailed(404911, f"name {name!r} belongs to another portfolio")


HANDLERS: Handlers = {CreatePortfolio: create_portfolio, RenamePortfolio: rename_portfolio}
