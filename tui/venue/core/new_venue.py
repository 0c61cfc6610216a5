"""New venue: the rows it begins with, and what is invented of the time before."""

from __future__ import annotations

from decimal import Decimal

from tui.interface.families.portfolios import MAIN_NAME
from tui.protocols import RandomSource
from tui.venue.core.accounts import adl_ranks
from tui.venue.core.funds import accounts as fund_accounts
from tui.venue.core.liquidation import insurance
from tui.venue.core.past.booking import Past, begin_of
from tui.venue.core.state.exchange_state import FirstStart, State
from tui.venue.core.state.ledger import HOUSE_ACCOUNT, ISSUE_ACCOUNT, PostingLeg
from tui.venue.core.state.portfolios import Portfolio

START_MONEY: dict[str, dict[tuple[str, str], str]] = {
    "main": {
        ("BINANCE", "USDT"): "100000",
        ("BINANCE", "BTC"): "1",
        ("BINANCE", "ETH"): "10",
        ("OKX", "USDT"): "50000",
        ("OKX", "BTC"): "0.5",
        ("EDX", "USDT"): "20000",
    },
    "sub": {("BINANCE", "USDT"): "20000", ("OKX", "USDT"): "10000"},
}
NAMES = {"main": MAIN_NAME, "sub": "SubPortfolio"}


def create_rows(state: State, random_source: RandomSource) -> None:
    """Create the first rows: id counters, portfolios, balances, simulated position holders."""
    ids = random_source.stream("ids")
    state.counters.order = 2_000_000_000_000_000 + ids.randrange(10**14)
    state.counters.trade = 30_000_000_000_000_000 + ids.randrange(10**15)
    state.counters.position = 20_000_000_000_000_000 + ids.randrange(10**15)
    state.changes.dirty("counters", "")
    if state.switches["past"] == "on":
        counters = state.counters
        state.first_start = FirstStart(
            ms=state.now, order=counters.order, trade=counters.trade, position=counters.position
        )
        state.changes.dirty("first_start", "")
    opened = state.now if state.first_start is None else begin_of(state.now)
    first = 2_100_000_000_000_000 + ids.randrange(10**14)
    for level, portfolio in (("main", str(first)), ("sub", str(first + 1 + ids.randrange(10**12)))):
        state.portfolios[portfolio] = Portfolio(portfolio, NAMES[level], level, opened, opened)
        state.changes.dirty("portfolio", portfolio)
        for (venue, coin), amount in START_MONEY[level].items():
            _issue(state, portfolio, venue, coin, Decimal(amount))
    for venue, coin in {key: None for money in START_MONEY.values() for key in money}:
        _issue(state, HOUSE_ACCOUNT, venue, coin, Decimal(1_000_000_000 if coin == "USDT" else 100_000))
    insurance.open_funds(state)
    fund_accounts.open_accounts(state, random_source)
    adl_ranks.seed_bots(state, random_source)
    state.funded = state.now
    state.changes.dirty("funded", "")
    state.accrued = state.now
    state.changes.dirty("accrued", "")


def _issue(state: State, owner: str, venue: str, coin: str, amount: Decimal) -> None:
    legs = [PostingLeg(ISSUE_ACCOUNT, venue, coin, -amount), PostingLeg(owner, venue, coin, amount)]
    state.post("issue", "", legs)


def build_past(state: State, first_start: FirstStart, source: RandomSource) -> Past:
    """Build the invented activity of the shipped portfolios before the first start."""
    shipped = {portfolio.id: portfolio for portfolio in state.portfolios.values() if portfolio.created < first_start.ms}
    balances = {
        (portfolio.id, venue, coin): Decimal(amount)
        for portfolio in shipped.values()
        for (venue, coin), amount in START_MONEY[portfolio.level].items()
    }
    return Past(first_start, shipped, balances, source)
