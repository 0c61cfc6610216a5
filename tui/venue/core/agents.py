"""Synthetic participants: makers that keep levels, takers that trade, one fair price per coin that links all books.

Every pair draws from a stream of its own, so that an action of a trader changes only the book it touches. Times are µs.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple, Protocol

from tui.seams import Randoms
from tui.venue.core import chance, matching
from tui.venue.core.book import Book
from tui.venue.core.state import State
from tui.venue.core.symbols import Pair

MICRO = 1_000_000
"""Fair prices are integers of this part of a quote unit."""

_NEAR = 8
_FAR = 6
_MOVE_EVERY_US = 170_000
_JUMP_ONE_IN = 530
_REFILL_US = 40_000
_WIDE_PERCENT = 6


class Driver(Protocol):
    """What makes the market move: agents or a recording."""

    def next_due(self) -> int | None: ...

    def run_next(self) -> None: ...

    def skip_to(self, now_us: int) -> None: ...

    def refill_later(self, sym: str) -> None: ...

    def jump(self, coin: str, price: Decimal) -> None: ...


class Pace(NamedTuple):
    """How a pair is made: mean gaps in µs, sizes in lots, distance to the fair price in millionths."""

    sizes_us: int
    trades_us: int
    touch: int
    trade: int
    offset: int
    delay_us: int


PACES = {
    "BINANCE_PERP_BTC_USDT": Pace(55_000, 300_000, 2680, 16, -370, 1_000),
    "BINANCE_SPOT_BTC_USDT": Pace(200_000, 900_000, 108_000, 600, 0, 3_000),
    "BINANCE_PERP_ETH_USDT": Pace(150_000, 800_000, 13_500, 71, -360, 2_000),
    "BINANCE_SPOT_ETH_USDT": Pace(300_000, 1_500_000, 90_000, 600, 0, 4_000),
    "OKX_PERP_BTC_USDT": Pace(250_000, 1_200_000, 180, 2, -370, 9_000),
    "OKX_SPOT_BTC_USDT": Pace(350_000, 1_800_000, 70_000, 500, 0, 11_000),
    "OKX_PERP_ETH_USDT": Pace(300_000, 1_500_000, 110, 2, -360, 10_000),
    "OKX_SPOT_ETH_USDT": Pace(400_000, 2_000_000, 60_000, 500, 0, 12_000),
    "EDX_PERP_BTC_USDT": Pace(400_000, 2_500_000, 500, 10, -370, 28_000),
}


class _Desk:
    """The agents of one pair."""

    __slots__ = ("ask", "bid", "book", "far", "pace", "pair", "refilling", "source")

    def __init__(self, pair: Pair, book: Book, source: Randoms) -> None:
        self.pair = pair
        self.book = book
        self.source = source
        self.pace = PACES[pair.sym]
        self.bid = 0
        self.ask = 0
        self.far = (1, 1)
        self.refilling = False


class Agents:
    """The lively market; with `moving` off it lays the same books once and stays still."""

    def __init__(self, state: State, randoms: Randoms, *, moving: bool) -> None:
        self._state = state
        self._moving = moving
        self._fair: dict[str, int] = {}
        self._sources: dict[str, Randoms] = {}
        self._desks: dict[str, _Desk] = {}
        self._heap: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0
        self._now_us = state.now * 1000
        for pair in (state.pairs[sym] for sym in state.offered):
            self._desks[pair.sym] = _Desk(pair, state.books[pair.sym], randoms.stream(f"desk:{pair.sym}"))
            if pair.base not in self._fair:
                self._fair[pair.base] = int(state.marks.index[pair.base] * MICRO)
                self._sources[pair.base] = randoms.stream(f"fair:{pair.base}")
        for desk in self._desks.values():
            self._follow(desk, beside_own=True)
        if moving:
            for coin in self._fair:
                self._move_later(coin)
            for desk in self._desks.values():
                self._size_later(desk)
                self._trade_later(desk)

    # -- time ------------------------------------------------------------------------------------------------------

    def next_due(self) -> int | None:
        """Time of the next event, µs."""
        return self._heap[0][0] if self._heap else None

    def run_next(self) -> None:
        self._now_us, _, act = heapq.heappop(self._heap)
        act()

    def skip_to(self, now_us: int) -> None:
        """Nothing happened until now: what was due before comes now, spread as it was."""
        if self._heap:
            late = now_us - self._heap[0][0]
            self._heap = [(due + late, count, act) for due, count, act in self._heap]
        self._now_us = now_us

    def _later(self, gap_us: int, act: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._heap, (self._now_us + gap_us, self._count, act))

    def _paced(self, mean_us: int, source: Randoms) -> int:
        """A gap, shortened or stretched by the switch `speed`."""
        return max(1, int(chance.wait(source, mean_us) / Decimal(self._state.switches["speed"])))

    # -- fair price ------------------------------------------------------------------------------------------------

    def jump(self, coin: str, price: Decimal) -> None:
        """Put the fair price of a coin somewhere else, at once on every book."""
        self._fair[coin] = int(price * MICRO)
        for desk in self._desks.values():
            if desk.pair.base == coin:
                self._follow(desk)

    def _move_later(self, coin: str) -> None:
        self._later(self._paced(_MOVE_EVERY_US, self._sources[coin]), lambda: self._move(coin))

    def _move(self, coin: str) -> None:
        source, fair = self._sources[coin], self._fair[coin]
        fair += chance.move(source, fair)
        if not source.randrange(_JUMP_ONE_IN):
            fair += chance.jump(source, fair)
        self._fair[coin] = max(fair, MICRO)
        for desk in self._desks.values():
            if desk.pair.base == coin:
                self._later(desk.pace.delay_us, lambda desk=desk: self._follow(desk))  # type: ignore[misc]
        self._move_later(coin)

    # -- makers ----------------------------------------------------------------------------------------------------

    def _follow(self, desk: _Desk, *, beside_own: bool = False) -> None:
        """Bring the levels of a pair to its fair price; `beside_own` lays them around orders that rest already."""
        pair, source = desk.pair, desk.source
        fair = self._fair[pair.base] * (MICRO + desk.pace.offset) // MICRO
        tick = pair.tick_units * MICRO // 10**pair.price_digits
        bid = max(1, fair // tick)
        wider = 1 + source.randrange(4) if self._moving and source.randrange(100) < _WIDE_PERCENT else 0
        desk.bid, desk.ask = bid, bid + 1 + wider
        if beside_own:
            lowest, highest = desk.book.best_price(False), desk.book.best_price(True)
            desk.bid = desk.bid if lowest is None else max(1, min(desk.bid, lowest - 1))
            desk.ask = desk.ask if highest is None else max(desk.ask, highest + 1)
        desk.far = (max(5, bid // 12_000), max(50, bid // 600))
        self._lay(desk)

    def _lay(self, desk: _Desk) -> None:
        """Levels that are missing come, levels that are out of place go, resting orders that are passed fill."""
        book = desk.book
        matching.sweep(self._state, desk.pair, desk.bid, desk.ask)
        for is_buy, best in ((True, desk.bid), (False, desk.ask)):
            wanted = _ladder(best, is_buy, desk.far)
            for ticks in book.house_prices(is_buy):
                if ticks not in wanted:
                    book.set_house(is_buy, ticks, 0)
            for ticks, weight in wanted.items():
                if not book.house_lots(is_buy, ticks):
                    median = desk.pace.touch * weight
                    book.set_house(is_buy, ticks, chance.size(desk.source, median) if self._moving else median)
        self._state.moved[desk.pair.sym] = None

    def refill_later(self, sym: str) -> None:
        """Somebody took liquidity: makers come back a little later."""
        desk = self._desks[sym]
        if self._moving and not desk.refilling:
            desk.refilling = True
            self._later(_REFILL_US, lambda: self._refill(desk))

    def _refill(self, desk: _Desk) -> None:
        desk.refilling = False
        self._lay(desk)

    def _size_later(self, desk: _Desk) -> None:
        self._later(self._paced(desk.pace.sizes_us, desk.source), lambda: self._sizes(desk))

    def _sizes(self, desk: _Desk) -> None:
        """A burst of size changes, nearly all of them at the touch."""
        source, book = desk.source, desk.book
        for _ in range(chance.burst(source)):
            is_buy = bool(source.randrange(2))
            depth = 0 if source.randrange(100) < 92 else 1 + source.randrange(_NEAR - 1)
            ticks = (desk.bid - depth) if is_buy else (desk.ask + depth)
            have = book.house_lots(is_buy, ticks)
            fresh = not have or not source.randrange(12)
            lots = chance.size(source, desk.pace.touch) if fresh else chance.changed(source, have)
            if have:
                book.set_house(is_buy, ticks, min(lots, desk.pace.touch * 12))
                self._state.moved[desk.pair.sym] = None
                self._state.tell_touches()
        self._size_later(desk)

    # -- takers ----------------------------------------------------------------------------------------------------

    def _trade_later(self, desk: _Desk) -> None:
        self._later(self._paced(desk.pace.trades_us, desk.source), lambda: self._trades(desk))

    def _trades(self, desk: _Desk) -> None:
        """A cluster of small market orders in one direction, then makers fill the gaps."""
        source = desk.source
        is_buy = source.randrange(100) < 47
        limit = desk.ask + 3 if is_buy else desk.bid - 3
        count = 1
        while source.randrange(4) and count < 12:
            count += 1
        for _ in range(count):
            lots = chance.trade(source, desk.pace.trade)
            matching.house_take(self._state, desk.pair, is_buy, limit, lots)
        self.refill_later(desk.pair.sym)
        self._trade_later(desk)


def _ladder(best: int, is_buy: bool, far: tuple[int, int]) -> dict[int, int]:
    """Prices with their weight: levels tick by tick at the touch, round prices farther out, larger and seldom moved."""
    step = -1 if is_buy else 1
    levels = {best + step * n: 1 for n in range(_NEAR)}
    edge = best + step * _NEAR
    for grid, weight in zip(far, (4, 12), strict=True):
        first = edge // grid * grid if is_buy else -(-edge // grid) * grid
        for n in range(_FAR):
            levels.setdefault(first + step * n * grid, weight)
    return {ticks: weight for ticks, weight in levels.items() if ticks > 0}
