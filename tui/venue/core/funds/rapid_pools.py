"""Pools of rapid transfers: which one a transfer draws on, and how much one may draw."""

from __future__ import annotations

from decimal import ROUND_DOWN, Decimal

from tui.interface.families.transfers import RAPID_CURRENCY, Pool
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.funds.fund_accounts import Side

SIZE = Decimal(1_000_000)
"""What each pool holds when nothing is drawn, in `RAPID_CURRENCY`."""

_SHARE = Decimal("0.8")
"""Share of a pool that one transfer may draw."""

_OF_PORTFOLIOS = {"BINANCE": Pool.PORTFOLIO_BINANCE, "OKX": Pool.PORTFOLIO_OKX}


def quota(state: State, pool: Pool) -> Decimal:
    """What one transfer may draw on a pool now."""
    size = SIZE - state.transfers.drawn(pool, state.now)
    return (size * _SHARE).quantize(Decimal("1e-8"), rounding=ROUND_DOWN)


def choose_pool(state: State, source: Side, target: Side, currency: str, amount: Decimal) -> Pool | None:
    """The pool that pays a rapid transfer; None where it takes the standard way."""
    if currency != RAPID_CURRENCY or not (_is_trading(state, source) and _is_trading(state, target)):
        return None
    pool = _OF_PORTFOLIOS.get(target.venue) if target.owner in state.portfolios else Pool(target.venue)
    return pool if pool is not None and amount <= quota(state, pool) else None


def _is_trading(state: State, side: Side) -> bool:
    """Whether a side trades: one of a portfolio, or a DMA sub-account."""
    account = state.fund_accounts.get(side.owner)
    return account is None or account.is_dma
