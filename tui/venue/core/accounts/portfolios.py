"""Creates and renames the portfolios of the user."""

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
    """A new sub portfolio with an account on each venue and no money.

    Raises:
        CheckFailed: not accepted; nothing changed.
    """
    _check_name(state, command.name, "")
    subs = sum(1 for one in state.portfolios.values() if one.level == "sub")
    if subs >= MAX_SUB_PORTFOLIOS:
        raise CheckFailed(
            404901, f"there are {subs} portfolios besides the main one; {MAX_SUB_PORTFOLIOS} are the most"
        )
    made = Portfolio(
        id=str(max(int(known) for known in state.portfolios) + 1),
        name=command.name,
        level="sub",
        created=state.now,
        updated=state.now,
        venues=VENUES,
    )
    state.portfolios[made.id] = made
    state.changes.dirty("portfolio", made.id)
    for venue in VENUES:
        account_figures.publish_rows(state, made.id, venue, quiet=True)
    return _build_reply(made)


def rename_portfolio(state: State, command: RenamePortfolio) -> PortfolioName:
    """Give a sub portfolio another name; its open orders are pushed again, because they carry it.

    Raises:
        CheckFailed: not accepted; nothing changed.
    """
    known = find_portfolio(state, command.portfolio_id)
    if known.level == "main":
        raise CheckFailed(400000, f"portfolioId {known.id} is the main portfolio, whose name cannot be changed")
    _check_name(state, command.name, known.id)
    if command.name == known.name:
        return _build_reply(known)
    renamed = msgspec.structs.replace(known, name=command.name, updated=max(state.now, known.updated + 1))
    state.portfolios[known.id] = renamed
    state.changes.dirty("portfolio", known.id)
    for order in state.orders.values():
        if order.portfolio == known.id:
            state.published.orders.pop(order.id, None)
    for order in list(state.open.get(known.id, {}).values()):
        state.publish_order(order)
    return _build_reply(renamed)


def find_portfolio(state: State, portfolio_id: str) -> Portfolio:
    """The portfolio of an id.

    Raises:
        CheckFailed: 100001.
    """
    known = state.portfolios.get(portfolio_id)
    if known is None:
        raise CheckFailed(100001, f"portfolioId {portfolio_id[:40]!r} does not exist")
    return known


def _build_reply(portfolio: Portfolio) -> PortfolioName:
    return PortfolioName(portfolio_id=int(portfolio.id), name=portfolio.name)


def _check_name(state: State, name: str, own_id: str) -> None:
    """The form of a name, and that no other portfolio has it."""
    if not is_portfolio_name(name):
        raise CheckFailed(400000, f"name {name[:40]!r} is not accepted; it has {NAME_FORM}")
    if any(one.name == name and one.id != own_id for one in state.portfolios.values()):
        raise CheckFailed(404911, f"name {name!r} is that of another portfolio")


HANDLERS: Handlers = {CreatePortfolio: create_portfolio, RenamePortfolio: rename_portfolio}
