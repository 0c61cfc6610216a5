"""Liquidity pools of rapid transfers: choice of the pool, and the largest amount of one transfer."""

from __future__ import annotations

from decimal import ROUND_DOWN, Decimal

from tui.interface.families.transfers import RAPID_CURRENCY, Pool
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.funds.fund_accounts import Side

SIZE = Decimal(1_000_000)
"""Size of each pool when nothing is drawn, in `RAPID_CURRENCY`."""

_SHARE = Decimal("0.8")
"""Share of a pool that one transfer may draw."""

_PORTFOLIO_POOLS = {"BINANCE": Pool.PORTFOLIO_BINANCE, "OKX": Pool.PORTFOLIO_OKX}


def quota(state: State, pool: Pool) -> Decimal:
    """Compute the largest amount that one transfer can take from a pool now."""
    size = SIZE - state.transfers.sum_drawn(pool, state.now)
    return (size * _SHARE).quantize(Decimal("1e-8"), rounding=ROUND_DOWN)


def choose_pool(state: State, source: Side, target: Side, currency: str, amount: Decimal) -> Pool | None:
    """Choose the pool that funds a rapid transfer between trading accounts; None when the transfer cannot be rapid."""
    if currency != RAPID_CURRENCY or not (_is_trading(state, source) and _is_trading(state, target)):
        return None
    pool = _PORTFOLIO_POOLS.get(target.venue) if target.owner in state.portfolios else Pool(target.venue)
    return pool if pool is not None and amount <= quota(state, pool) else None


def _is_trading(state: State, side: Side) -> bool:
    """Report whether a transfer's source or target is a trading account: a portfolio or a DMA sub-account."""
    account = state.fund_accounts.get(side.owner)
    return account is None or account.is_dma
