"""Step 4 of a liquidation, once no positions are left: sell coins to repay debts, and buy the coins owed."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal

from tui.interface.decimals import ZERO
from tui.interface.families.liquidation import NodeType
from tui.interface.families.orders import Origin, TimeInForce
from tui.rules import bands
from tui.venue.core.accounts import lending
from tui.venue.core.accounts.account_figures import VenueRow
from tui.venue.core.liquidation import event_log
from tui.venue.core.market.symbols import SETTLEMENT, Pair
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.liquidations import LiquidationEvent
from tui.venue.core.state.orders import Order
from tui.venue.core.trading import matching, order_checks


def repay_once(state: State, event: LiquidationEvent, row: VenueRow) -> bool:
    """Repay from held coins, sell one coin, or buy one owed coin; return False when none of these is possible."""
    event_log.start_acting(state, event)
    if _repay_held(state, event, row):
        return True
    order = _sale(state, event, row) or _purchase(state, event, row)
    if order is None:
        return False
    event_log.end_reduction(state, event)
    event_log.reach(state, event, NodeType.LIQUIDATE_START)
    matching.start_order(state, order)
    return bool(order.executed)


def _repay_held(state: State, event: LiquidationEvent, row: VenueRow) -> bool:
    """Repay debts in coins that the account also holds."""
    portfolio, venue = event.key
    held = [coin for coin in row.account.coins if coin.debt and coin.balance > 0]
    for coin in held:
        lending.repay_from_incoming(state, portfolio, venue, coin.coin, coin.balance, event.id)
        state.changes.stale[event.key] = None
    return bool(held)


def owed_value(row: VenueRow) -> Decimal:
    """Compute the quote amount missing to repay all debts; negative when the settlement coin is more than enough."""
    missing = ZERO
    for coin in row.account.coins:
        if coin.coin == SETTLEMENT:
            missing += coin.debt - coin.balance
        else:
            missing += coin.debt * coin.index_price
    return missing


def _sale(state: State, event: LiquidationEvent, row: VenueRow) -> Order | None:
    """Build a market order that sells the most valuable coin, for the missing amount."""
    missing = owed_value(row)
    held = [coin for coin in row.account.coins if coin.coin != SETTLEMENT and coin.balance > 0]
    for coin in sorted(held, key=lambda entry: (-entry.balance * entry.index_price, entry.coin)):
        pair = find_tradable_pair(state, event.venue, coin.coin, is_buy=False)
        if pair is None or missing <= 0:
            continue
        per_lot = state.valuation(pair) * pair.lot_base * (1 - pair.taker)
        lots = min(int(coin.balance // pair.lot_base), round_up(missing / per_lot))
        if lots:
            return build_market_order(state, event.portfolio, pair, lots, is_buy=False)
    return None


def _purchase(state: State, event: LiquidationEvent, row: VenueRow) -> Order | None:
    """Build a market order that buys an owed coin, limited by the available settlement coin."""
    money = state.ledger.balance(*event.key, SETTLEMENT)
    for coin in sorted(
        (entry for entry in row.account.coins if entry.debt and entry.coin != SETTLEMENT), key=lambda entry: entry.coin
    ):
        pair = find_tradable_pair(state, event.venue, coin.coin, is_buy=True)
        if pair is None:
            continue
        wanted = round_up(coin.debt / (1 - pair.taker) / pair.lot_base)
        lots = min(wanted, round_up(money / (state.valuation(pair) * pair.lot_base)))
        if lots > 0:
            return build_market_order(state, event.portfolio, pair, lots, is_buy=True)
    return None


def round_up(lots: Decimal) -> int:
    """Round a number of lots up to whole ones."""
    return int(lots.to_integral_value(ROUND_CEILING))


def find_tradable_pair(state: State, venue: str, coin: str, *, is_buy: bool) -> Pair | None:
    """Find a spot pair of the coin whose book has an order that a market order can trade with."""
    sym = f"{venue}_SPOT_{coin}_{SETTLEMENT}"
    pair = state.pairs.get(sym)
    if pair is None or sym not in state.offered or sym in state.halted:
        return None
    band = bands.band_around(state.valuation(pair), bands.MARKET_SHARE)
    limit = int((band.high if is_buy else band.low) / pair.tick)
    return pair if state.books[sym].crosses(limit, is_buy=is_buy) else None


def build_market_order(state: State, portfolio: str, pair: Pair, lots: int, *, is_buy: bool) -> Order:
    """Build a market order that the venue places for a portfolio; it is not started yet."""
    return Order(
        id="",
        client_id="",
        portfolio=portfolio,
        sym=pair.sym,
        is_buy=is_buy,
        is_market=True,
        tif=TimeInForce.IOC,
        lots=lots,
        ticks=0,
        leverage=order_checks.leverage_of(state, pair, portfolio),
        hold_coin=pair.quote if is_buy else pair.base,
        origin=Origin.SYSTEM_LIQ,
    )
