"""Auto-deleveraging (ADL) queue: portfolios and simulated position holders ranked together."""

from __future__ import annotations

from decimal import Decimal

from tui.interface.decimals import ZERO
from tui.interface.families.positions import AdlRank
from tui.protocols import RandomSource
from tui.rules import adl, liquidation
from tui.venue.core.accounts import account_figures
from tui.venue.core.market.symbols import Pair
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.positions import LEGS, Bot

HOLDERS = (20, 60)
"""Smallest and largest number of synthetic holders of a perpetual."""

_LEVERAGES = (2, 3, 5, 8, 10, 15, 20, 30, 50)
"""Leverages of the holders, as far as the first tier of a pair allows."""


def seed_bots(state: State, random_source: RandomSource) -> None:
    """Create simulated position holders of each perpetual that has none; the house account takes the opposite position."""
    for pair in state.pairs.values():
        if not pair.is_perp or pair.sym in state.bots:
            continue
        source = random_source.stream(f"bots:{pair.sym}")
        price = state.marks.index[pair.base]
        bots = [
            _bot(pair, number, price, source)
            for number in range(HOLDERS[0] + source.randrange(HOLDERS[1] - HOLDERS[0] + 1))
        ]
        state.bots[pair.sym] = bots
        state.house[pair.sym] = -sum(bot.lots for bot in bots)
        state.changes.dirty("bots", pair.sym)
        state.changes.dirty("house", pair.sym)


def _bot(pair: Pair, number: int, price: Decimal, source: RandomSource) -> Bot:
    worth = 2_000 * (1 + source.randrange(40)) * (1 + source.randrange(5))
    lots = max(1, int(worth / (price * pair.lot_base)))
    leverage = min(_LEVERAGES[source.randrange(len(_LEVERAGES))], pair.tiers[0].max_leverage)
    away = min(300, 6_000 // leverage)
    entry = pair.price(int(price * (10_000 - away + source.randrange(2 * away + 1)) / 10_000 // pair.tick))
    signed = lots if source.randrange(2) else -lots
    wallet = pair.base_qty(lots) * entry / leverage
    return Bot(f"bot{number:02}", pair.sym, signed, entry, wallet.quantize(Decimal("0.00000001")))


def queue_of_side(state: State, pair: Pair, sign: int) -> list[adl.AdlPlace]:
    """Rank the holders of one side of a perpetual for auto-deleveraging, quantities in lots, first to deleverage first."""
    return adl.rank([*_bot_candidates(state, pair, sign), *_portfolio_candidates(state, pair, sign)])


def ranks_of_portfolio(state: State, portfolio: str, sym: str) -> list[AdlRank]:
    """List the ADL rank of every position of a portfolio, or only of those on one pair."""
    ranks = []
    for (owner, name, _), position in state.positions.items():
        if owner != portfolio or sym not in ("", name) or not position.lots:
            continue
        queue = queue_of_side(state, state.pairs[name], position.sign)
        lights = next(place.lights for place in queue if place.id == position.id)
        side = LEGS[0] if position.lots > 0 else LEGS[1]
        ranks.append(AdlRank(sym=name, adl_rank=str(lights), position_id=position.id, position_side=side))
    return ranks


def _bot_candidates(state: State, pair: Pair, sign: int) -> list[adl.AdlCandidate]:
    mark = state.marks.mark[pair.sym]
    candidates = []
    for bot in state.bots.get(pair.sym, []):
        if bot.lots * sign <= 0:
            continue
        base = abs(pair.base_qty(bot.lots))
        equity = bot.wallet + sign * base * (mark - bot.entry)
        bankrupt = liquidation.bankruptcy_price(equity, [liquidation.LiquidationLeg(sign, base, mark)])
        score = adl.leverage_score(sign, bot.entry, mark, bankrupt).score
        candidates.append(adl.AdlCandidate(bot.id, Decimal(abs(bot.lots)), score))
    return candidates


def _portfolio_candidates(state: State, pair: Pair, sign: int) -> list[adl.AdlCandidate]:
    mark = state.marks.mark[pair.sym]
    candidates = []
    for (owner, sym, _), position in state.positions.items():
        if sym != pair.sym or position.lots * sign <= 0:
            continue
        score = _score(state, pair, owner, mark)
        candidates.append(adl.AdlCandidate(position.id, Decimal(abs(position.lots)), score))
    return candidates


def _score(state: State, pair: Pair, owner: str, mark: Decimal) -> Decimal:
    """Compute the ADL score of a portfolio on a pair; two legs share the score of the larger one."""
    positions = [held for (holder, sym, _), held in state.positions.items() if holder == owner and sym == pair.sym]
    row = account_figures.compute_figures(state, owner, pair.exchange)
    legs = [liquidation.LiquidationLeg(held.sign, abs(pair.base_qty(held.lots)), mark) for held in positions]
    bankrupt = liquidation.bankruptcy_price(row.equity, legs, row.equities.get(pair.base, ZERO), mark)
    larger = max(positions, key=lambda held: (abs(held.lots), held.id))
    return adl.leverage_score(larger.sign, larger.entry, mark, bankrupt).score
