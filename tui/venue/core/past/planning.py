"""Plan of the orders in the invented history; all positions and loans they open are closed again."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from tui.interface.families.orders import Origin
from tui.protocols import RandomSource
from tui.venue.core.accounts.loan_terms import LOANS
from tui.venue.core.market.symbols import SHIPPED, Pair
from tui.venue.core.past.prices import PastPrices

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS

_TRADES: tuple[tuple[str, str, int, int], ...] = (
    ("main", "BINANCE_PERP_BTC_USDT", 44, 9_000),
    ("main", "BINANCE_PERP_ETH_USDT", 60, 6_000),
    ("main", "BINANCE_PERP_SOL_USDT", 90, 2_000),
    ("main", "OKX_PERP_BTC_USDT", 72, 5_000),
    ("main", "OKX_PERP_DOGE_USDT", 160, 1_500),
    ("main", "EDX_PERP_BTC_USDT", 130, 3_000),
    ("sub", "BINANCE_PERP_ETH_USDT", 130, 2_500),
    ("sub", "OKX_PERP_ETH_USDT", 200, 1_200),
)
"""Portfolio, perpetual, usual hours between two positions, largest value of a position in quote units."""
_SPOT: tuple[tuple[str, int, int], ...] = (
    ("BINANCE_SPOT_BTC_USDT", 150, 3_000),
    ("BINANCE_SPOT_ETH_USDT", 210, 2_000),
    ("OKX_SPOT_BTC_USDT", 320, 1_500),
)
"""Pair, usual hours between two trades of the main portfolio, largest value."""
_SHORT_SALE = "OKX_MARGIN_ETH_USDT"
"""Margin pair whose coin the main portfolio does not hold: what it sells is borrowed."""
_LIQUIDATED = "BINANCE_PERP_DOGE_USDT"
"""Pair in which the sub portfolio was liquidated once."""


class PlannedFill(NamedTuple):
    at: int
    """Time, ms."""
    lots: int


class PlannedOrder(NamedTuple):
    """Planned order; `level` is main or sub portfolio, times are in ms."""

    level: str
    sym: str
    is_buy: bool
    is_market: bool
    lots: int
    away_ppm: int
    """Distance of its price from the index, millionths."""
    placed: int
    fills: tuple[PlannedFill, ...]
    cancelled: int = 0
    """When its trader cancelled it; 0 when it filled."""
    reduce_only: bool = False
    origin: str = Origin.DMA


class Planner:
    """Planner of all orders in a time span."""

    def __init__(self, random_source: RandomSource, prices: PastPrices, first_ms: int, end_ms: int) -> None:
        self._random = random_source
        self._prices = prices
        self._first, self._end = first_ms, end_ms

    def orders(self) -> list[PlannedOrder]:
        """Plan all orders, oldest first."""
        orders: list[PlannedOrder] = []
        for level, sym, gap, value in _TRADES:
            orders += self._positions(level, SHIPPED[sym], gap, value)
        for sym, gap, value in _SPOT:
            orders += self._spot_trades(SHIPPED[sym], gap, value)
        orders += self._short_sales(SHIPPED[_SHORT_SALE])
        orders += self._liquidation(SHIPPED[_LIQUIDATED])
        return sorted(orders, key=lambda order: order.placed)

    def _draw(self, least: int, most: int) -> int:
        return least + self._random.randrange(most - least + 1)

    def _positions(self, level: str, pair: Pair, gap: int, worth: int) -> Iterator[PlannedOrder]:
        """Plan positions one after the other, each opened and then closed."""
        at = self._first + self._draw(HOUR_MS, gap * HOUR_MS)
        while True:
            held = self._draw(2, 50) * HOUR_MS
            if at + held + 3 * HOUR_MS > self._end:
                return
            is_buy, lots = self._draw(0, 99) < 53, self._lots(pair, at, worth)
            if self._draw(0, 3) == 0:
                yield self._plan_cancelled(level, pair, lots, at - 40 * MINUTE_MS, is_buy=is_buy)
            yield from self._leg(level, pair, lots, at, is_buy=is_buy, closes=False)
            yield from self._leg(level, pair, lots, at + held, is_buy=not is_buy, closes=True)
            at += held + 3 * HOUR_MS + self._draw(0, 2 * gap * HOUR_MS)

    def _spot_trades(self, pair: Pair, gap: int, worth: int) -> Iterator[PlannedOrder]:
        at = self._first + self._draw(HOUR_MS, gap * HOUR_MS)
        while at + HOUR_MS < self._end:
            # In one fill: the rest of a spot order would be held, and the statement has no row for a hold.
            is_buy = self._draw(0, 1) == 0
            yield self._plan_taken("main", pair, self._lots(pair, at, worth), at, is_buy=is_buy, most_fills=1)
            at += self._draw(gap * HOUR_MS // 2, 2 * gap * HOUR_MS)

    def _short_sales(self, pair: Pair) -> Iterator[PlannedOrder]:
        """Plan sales of borrowed coins and their purchase back, sized so that exactly debt, interest and fee are covered."""
        begin = self._first + 3 * DAY_MS
        for hours, sold, bought in _short_sale_sizes(pair)[:3]:
            at = begin + self._draw(0, 20) * DAY_MS + self._draw(5 * MINUTE_MS, 55 * MINUTE_MS)
            begin += 27 * DAY_MS
            yield self._plan_taken("main", pair, sold, at, is_buy=False)
            yield self._plan_taken("main", pair, bought, at + hours * HOUR_MS, is_buy=True)

    def _liquidation(self, pair: Pair) -> Iterator[PlannedOrder]:
        """Plan the position that the venue liquidates."""
        at = self._first + self._draw(30, 60) * DAY_MS + self._draw(HOUR_MS, 16 * HOUR_MS)
        lots = self._lots(pair, at, 4_000)
        yield self._plan_taken("sub", pair, lots, at, is_buy=True)
        closed = self._plan_taken("sub", pair, lots, at + 7 * HOUR_MS, is_buy=False)
        yield closed._replace(origin=Origin.SYSTEM_LIQ, reduce_only=True)

    def _leg(self, level: str, pair: Pair, lots: int, at: int, *, is_buy: bool, closes: bool) -> Iterator[PlannedOrder]:
        """Plan the one or two orders that trade a position's lots."""
        first = self._draw(1, lots - 1) if lots > 3 and self._draw(0, 2) == 0 else lots
        for part, late in ((first, 0), (lots - first, 25 * MINUTE_MS)):
            if part:
                yield self._plan_filled(level, pair, part, at + late, is_buy=is_buy)._replace(reduce_only=closes)

    def _plan_filled(self, level: str, pair: Pair, lots: int, at: int, *, is_buy: bool) -> PlannedOrder:
        """Plan a fully filled order: a taker order, or a resting order with partial fills."""
        if self._draw(0, 1):
            return self._plan_taken(level, pair, lots, at, is_buy=is_buy)
        times = sorted(at + self._draw(5_000, 20 * MINUTE_MS) for _ in range(self._draw(1, 3)))
        away = self._draw(50, 400)
        fills = self._split(lots, times)
        return PlannedOrder(
            level=level,
            sym=pair.sym,
            is_buy=is_buy,
            is_market=False,
            lots=lots,
            away_ppm=-away if is_buy else away,
            placed=at,
            fills=fills,
        )

    def _plan_taken(
        self, level: str, pair: Pair, lots: int, at: int, *, is_buy: bool, most_fills: int = 3
    ) -> PlannedOrder:
        """Plan a market order whose fills follow at once."""
        away = self._draw(20, 150)
        fills = self._split(lots, [at + 3] * self._draw(1, most_fills))
        return PlannedOrder(
            level=level,
            sym=pair.sym,
            is_buy=is_buy,
            is_market=True,
            lots=lots,
            away_ppm=away if is_buy else -away,
            placed=at,
            fills=fills,
        )

    def _plan_cancelled(self, level: str, pair: Pair, lots: int, at: int, *, is_buy: bool) -> PlannedOrder:
        """Plan a limit order that is cancelled unfilled, too far from the price to trade."""
        away = self._draw(8_000, 30_000)
        ended = at + self._draw(2, 30) * MINUTE_MS
        return PlannedOrder(
            level=level,
            sym=pair.sym,
            is_buy=is_buy,
            is_market=False,
            lots=lots,
            away_ppm=-away if is_buy else away,
            placed=at,
            fills=(),
            cancelled=ended,
        )

    def _split(self, lots: int, times: list[int]) -> tuple[PlannedFill, ...]:
        """Split lots into fills at the given times, at most one per time; the last fill takes the rest."""
        fills, left = [], lots
        for at in times[:-1]:
            part = self._draw(1, max(1, left // 2))
            if part < left:
                fills.append(PlannedFill(at, part))
                left -= part
        return (*fills, PlannedFill(times[-1], left))

    def _lots(self, pair: Pair, at: int, worth: int) -> int:
        """Draw an order quantity in lots, worth at most `worth` (quote), but at least the minimum of the pair."""
        wanted = self._draw(worth // 5, worth)
        return max(pair.min_lots, int(wanted / (self._prices.index(pair.base, at) * pair.lot_base)))


def _short_sale_sizes(pair: Pair) -> list[tuple[int, int, int]]:
    """List (hours, lots sold, lots bought back) of short sales that leave no debt and no coins, the smallest sales first."""
    rate = Fraction(LOANS[(pair.exchange, pair.base)].levels[0].hourly_rate)
    sizes = []
    for hours in range(6, 60):
        ratio = (1 + hours * rate) / (1 - Fraction(pair.taker))
        sizes.append((hours, ratio.denominator, ratio.numerator))
    return sorted(sizes, key=lambda size: size[1])
