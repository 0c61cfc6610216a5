"""Simulated participants: market makers and takers, with one fair price per coin that links all its books.

Every participant draws from its own stream, so that an order of a trader changes only the book it trades on. Times are
µs; an agent that acts at once on several books, or several times in a row, does so within a few µs.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Protocol

from tui.protocols import RandomSource
from tui.venue.core.market import distributions
from tui.venue.core.market.book import Book
from tui.venue.core.market.market_profiles import PROFILES
from tui.venue.core.market.symbols import Pair
from tui.venue.core.state.exchange_state import State
from tui.venue.core.switches import SPEEDS
from tui.venue.core.trading import matching

UNIT = 10**9
"""Units of a fair price per quote unit."""

_NEAR = 8
_FAR = 6
_MOVES_US = 1_250_000
"""Mean time between two moves of a fair price, µs."""
_LEAP_ONE_IN = 72
_LEAP_STEPS = 6
_TURN_PERCENT = 62
_AT_ONCE_PERCENT = 30
_QUOTES_US = 30_000
_TRADES_US = 101_000
_ACTIVITY_US = 900_000
_BUY_PERCENT = 47
_SURPLUS = 1500
_LEAN = 25
_DEPTH_ONE_IN = 12
_LONG_US = 20
_CLEARING_ONE_IN = 40
_SWEEPS = 30
_SWEEP_TICKS = 6
_REPLENISHMENTS = 1
_REFILL_US = 40_000
_MOMENTUM_FIRST_S = (120, 181)
"""Shortest time between two momentum bursts, and the range added to it, s."""
_MOMENTUM_STEPS = 125
_MOMENTUM_QUOTES = 2
_MOMENTUM_GAP_US = 740
_MOMENTUM_OPENS_ONE_IN = 12
_MOMENTUM_TICKS = 50
_MOMENTUM_ACTIVITY = (400, 600)
_MOMENTUM_ACTIVITY_US = 1_100_000
_MOMENTUM_REFILL_US = 30_000


_PERCENT = {value: int(Decimal(value) * 100) for value in SPEEDS}


class Driver(Protocol):
    """Source of market activity: agents or a recording."""

    def next_due(self) -> int | None: ...

    def run_next(self) -> None: ...

    def skip_to(self, now_us: int) -> None: ...

    def refill_later(self, sym: str) -> None: ...

    def jump(self, coin: str, price: Decimal) -> None: ...


class _FairPrice:
    """Fair price of a coin; it moves in bursts of several steps and is constant in between."""

    __slots__ = ("leap", "pairs", "price", "rising", "source", "steps")

    def __init__(self, price: int, source: RandomSource) -> None:
        self.price = price
        self.source = source
        self.pairs: list[_MakerPair] = []
        self.rising = True
        self.steps = 0
        self.leap = 0
        """Change per step of a jump; 0 in an ordinary move."""


class _MakerPair:
    """Market makers and takers of one pair."""

    __slots__ = (
        "activity",
        "activity_held_until_us",
        "ask",
        "bid",
        "book",
        "fair",
        "far",
        "following",
        "maker_source",
        "momentum_buys",
        "momentum_left",
        "momentum_source",
        "momentum_trades",
        "pair",
        "profile",
        "refilling",
        "surplus",
        "taker_source",
        "tick",
    )

    def __init__(self, pair: Pair, book: Book, fair: _FairPrice, random_source: RandomSource) -> None:
        self.pair = pair
        self.book = book
        self.fair = fair
        self.maker_source = random_source.stream(f"makers:{pair.sym}")
        self.taker_source = random_source.stream(f"takers:{pair.sym}")
        self.momentum_source = random_source.stream(f"rush:{pair.sym}")
        self.profile = PROFILES[pair.sym]
        self.tick = pair.tick_units * UNIT // 10**pair.price_digits
        self.bid = 0
        self.ask = 0
        """Touch that makers want; wider while the spread is open."""
        self.far = (1, 1)
        self.activity = (100, 100)
        """Activity of takers and makers, per cent."""
        self.activity_held_until_us = 0
        """End of the activity of a momentum burst."""
        self.surplus = 0
        """Excess of buys over sells, in hundredths of trades; the following takers tend to the other side."""
        self.following = False
        self.refilling = False
        self.momentum_left = 0
        """Steps left of a momentum burst; makers close no gap until it has ended."""
        self.momentum_trades = 0
        self.momentum_buys = True


class Agents:
    """Simulated makers and takers of all pairs, from a seed; with `moving` off, books are filled once and nobody trades."""

    def __init__(self, state: State, random_source: RandomSource, *, moving: bool) -> None:
        self._state = state
        self._moving = moving
        self._fair: dict[str, _FairPrice] = {}
        self._maker_pairs: dict[str, _MakerPair] = {}
        self._heap: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0
        self._now_us = state.now * 1000
        for pair in (state.pairs[sym] for sym in state.offered):
            fair = self._fair.get(pair.base)
            if fair is None:
                price = int(state.marks.index[pair.base] * UNIT)
                fair = self._fair[pair.base] = _FairPrice(price, random_source.stream(f"fair:{pair.base}"))
            maker = self._maker_pairs[pair.sym] = _MakerPair(pair, state.books[pair.sym], fair, random_source)
            fair.pairs.append(maker)
        for maker in self._maker_pairs.values():
            self._set_target_touch(maker, beside_own=True)
            self._place_levels(maker)
        if moving:
            self._begin()

    def _begin(self) -> None:
        for fair in self._fair.values():
            self._schedule_moves(fair)
        for maker in self._maker_pairs.values():
            self._change_activity(maker)
            self._schedule_size_changes(maker)
            self._schedule_trades(maker)
            self._schedule_momentum(maker)

    # -- time ------------------------------------------------------------------------------------------------------

    def next_due(self) -> int | None:
        """Return the time of the next event, µs."""
        return self._heap[0][0] if self._heap else None

    def run_next(self) -> None:
        """Carry out the event that is due next, at its own time."""
        self._now_us, _, act = heapq.heappop(self._heap)
        self._state.at_us = self._now_us
        act()

    def skip_to(self, now_us: int) -> None:
        """Skip the time in which the venue was stopped: overdue events move to now and keep their spacing."""
        if self._heap:
            late = now_us - self._heap[0][0]
            self._heap = [(due + late, count, act) for due, count, act in self._heap]
        self._now_us = now_us

    def _schedule(self, gap_us: int, act: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._heap, (self._now_us + gap_us, self._count, act))

    def _scale_gap(self, gap_us: int) -> int:
        """Scale a time gap by the switch `speed`, which sets the pace of the market."""
        return max(1, gap_us * 100 // _PERCENT[self._state.switches["speed"]])

    # -- fair price ------------------------------------------------------------------------------------------------

    def jump(self, coin: str, price: Decimal) -> None:
        """Move the fair price of a coin to a price, and all its books at once."""
        fair = self._fair.get(coin)
        if fair is None:
            return
        fair.price = int(price * UNIT)
        for maker in fair.pairs:
            self._set_target_touch(maker)
            self._place_levels(maker)

    def _schedule_moves(self, fair: _FairPrice) -> None:
        self._schedule(
            self._scale_gap(distributions.draw_wait(fair.source, _MOVES_US)), partial(self._begin_moves, fair)
        )

    def _begin_moves(self, fair: _FairPrice) -> None:
        source = fair.source
        fair.rising = bool(source.randrange(2))
        fair.steps, fair.leap = distributions.draw_steps(source), 0
        if not source.randrange(_LEAP_ONE_IN):
            fair.steps, fair.leap = _LEAP_STEPS, distributions.draw_jump(source, fair.price) // _LEAP_STEPS
        self._move_step(fair)

    def _move_step(self, fair: _FairPrice) -> None:
        source = fair.source
        if not fair.leap and source.randrange(100) < _TURN_PERCENT:
            fair.rising = not fair.rising
        by = fair.leap or distributions.draw_move(source, fair.price)
        self._move_fair_price(fair, by if fair.rising else -by)
        fair.steps -= 1
        if fair.steps:
            self._schedule(distributions.draw_step_us(source), partial(self._move_step, fair))
        else:
            self._schedule_moves(fair)

    def _move_fair_price(self, fair: _FairPrice, by: int) -> None:
        fair.price = max(fair.price + by, UNIT // 1000)
        for maker in fair.pairs:
            if not maker.following:
                maker.following = True
                self._schedule(maker.profile.delay_us, partial(self._follow_fair_price, maker))

    # -- makers ----------------------------------------------------------------------------------------------------

    def _set_target_touch(self, maker: _MakerPair, *, beside_own: bool = False) -> tuple[int, int]:
        """Set the best bid and ask that makers want to show, around the fair price; return the former (bid, ask).

        With `beside_own` it does not cross resting orders of portfolios.
        """
        before = (maker.bid, maker.ask)
        fair = maker.fair.price * (1_000_000 + maker.profile.offset) // 1_000_000
        maker.bid = max(1, fair // maker.tick)
        maker.ask = maker.bid + 1
        if beside_own:
            lowest, highest = maker.book.best_price(is_buy=False), maker.book.best_price(is_buy=True)
            maker.bid = maker.bid if lowest is None else max(1, min(maker.bid, lowest - 1))
            maker.ask = maker.ask if highest is None else max(maker.ask, highest + 1)
        maker.far = (max(5, maker.bid // 12_000), max(50, maker.bid // 600))
        return before

    def _follow_fair_price(self, maker: _MakerPair) -> None:
        """Move best bid and ask to the fair price: together, or one side first and the other a little later."""
        maker.following = False
        if maker.momentum_left:
            return
        bid, ask = self._set_target_touch(maker)
        if (bid, ask) == (maker.bid, maker.ask):
            return
        source = maker.maker_source
        if maker.ask <= bid or maker.bid >= ask or source.randrange(100) >= _AT_ONCE_PERCENT:
            maker.bid, maker.ask = min(bid, maker.bid), max(ask, maker.ask)
            maker.following = True
            self._schedule(distributions.draw_wide_us(source), partial(self._close_spread, maker))
        self._place_levels(maker)
        if maker.following:
            self._change_sizes(maker, distributions.draw_wide(source))

    def _close_spread(self, maker: _MakerPair) -> None:
        """Move the side of the book that lags behind the fair price, so that the spread closes; not during momentum."""
        maker.following = False
        if not maker.momentum_left:
            self._set_target_touch(maker)
            self._place_levels(maker)

    def _place_levels(self, maker: _MakerPair) -> None:
        """Add missing price levels, remove unwanted ones, and fill resting orders that the new best bid or ask passes."""
        if maker.pair.sym in self._state.halted:
            return
        book, source, median = maker.book, maker.maker_source, maker.profile.touch
        matching.sweep(self._state, maker.pair, maker.bid, maker.ask)
        for is_buy, best in ((True, maker.bid), (False, maker.ask)):
            wanted = _price_levels(best, maker.far, is_buy=is_buy)
            for ticks in book.house_prices(is_buy=is_buy):
                if ticks not in wanted:
                    book.set_house(ticks, 0, is_buy=is_buy)
            for ticks, weight in wanted.items():
                if book.house_lots(ticks, is_buy=is_buy):
                    continue
                if not self._moving:
                    lots = median * weight
                elif ticks == best:
                    lots = distributions.draw_new_touch_size(source, median)
                else:
                    lots = distributions.draw_size(source, median * weight)
                book.set_house(ticks, lots, is_buy=is_buy)
        self._publish_touch(maker)

    def _publish_touch(self, maker: _MakerPair) -> None:
        self._state.changes.moved[maker.pair.sym] = None
        self._state.publish_touches()

    def reopen(self, sym: str) -> None:
        """Quote a pair around the current fair price when it trades again after a suspension."""
        self._set_target_touch(self._maker_pairs[sym])
        self._place_levels(self._maker_pairs[sym])

    def refill_later(self, sym: str) -> None:
        """Schedule the refill of liquidity that takers removed."""
        self._refill_after(self._maker_pairs[sym], _REFILL_US)

    def _refill_after(self, maker: _MakerPair, gap_us: int) -> None:
        if self._moving and not maker.refilling:
            maker.refilling = True
            self._schedule(gap_us, partial(self._refill, maker))

    def _refill(self, maker: _MakerPair) -> None:
        maker.refilling = False
        if not maker.momentum_left:
            self._place_levels(maker)

    def _schedule_size_changes(self, maker: _MakerPair) -> None:
        gap = distributions.draw_pause(
            maker.maker_source, _QUOTES_US * 10_000 // maker.profile.tempo // maker.activity[1]
        )
        self._schedule(self._scale_gap(gap), partial(self._begin_size_changes, maker))

    def _begin_size_changes(self, maker: _MakerPair) -> None:
        self._change_sizes(maker, distributions.draw_burst(maker.maker_source))
        self._schedule_size_changes(maker)

    def _replenish(self, maker: _MakerPair, *, is_buy: bool) -> None:
        """Refill the size a taker removed from a side, and change other sizes at the same time."""
        best = maker.bid if is_buy else maker.ask
        have = maker.book.house_lots(best, is_buy=is_buy)
        if have:
            maker.book.set_house(
                best, distributions.draw_refilled_size(maker.maker_source, have, maker.profile.touch), is_buy=is_buy
            )
            self._publish_touch(maker)
        self._change_sizes(maker, distributions.draw_burst(maker.maker_source))

    def _change_sizes(self, maker: _MakerPair, count: int) -> None:
        """Change displayed sizes within µs of each other, nearly all at the best bid and ask."""
        for left in range(count - 1, -1, -1):
            self._change_one_size(maker)
            gap = distributions.draw_micro_us(maker.maker_source)
            if left and gap > _LONG_US:
                self._schedule(gap, partial(self._change_sizes, maker, left))
                return
            self._state.at_us += gap

    def _change_one_size(self, maker: _MakerPair) -> None:
        source = maker.maker_source
        is_buy = bool(source.randrange(2))
        depth = 0 if source.randrange(_DEPTH_ONE_IN) else 1 + source.randrange(_NEAR - 1)
        ticks = (maker.bid - depth) if is_buy else (maker.ask + depth)
        self._resize(maker, ticks, is_buy=is_buy)

    def _resize(self, maker: _MakerPair, ticks: int, *, is_buy: bool) -> None:
        have = maker.book.house_lots(ticks, is_buy=is_buy)
        if have:
            maker.book.set_house(
                ticks, distributions.draw_updated_size(maker.maker_source, have, maker.profile.touch), is_buy=is_buy
            )
            self._publish_touch(maker)

    def _change_activity(self, maker: _MakerPair) -> None:
        """Change the activity level of a pair's agents, and schedule the next change."""
        if self._now_us >= maker.activity_held_until_us:
            maker.activity = distributions.draw_activity(maker.taker_source)
        self._schedule(
            self._scale_gap(distributions.draw_wait(maker.taker_source, _ACTIVITY_US)),
            partial(self._change_activity, maker),
        )

    # -- takers ----------------------------------------------------------------------------------------------------

    def _schedule_trades(self, maker: _MakerPair) -> None:
        gap = distributions.draw_wait(
            maker.taker_source, _TRADES_US * 10_000 // maker.profile.tempo // maker.activity[0]
        )
        self._schedule(self._scale_gap(gap), partial(self._trade_cluster, maker))

    def _trade_cluster(self, maker: _MakerPair) -> None:
        """Send a cluster of small market orders in one direction at the best price, then let makers react."""
        source = maker.taker_source
        is_buy = source.randrange(100) < _BUY_PERCENT - min(max(maker.surplus // _SURPLUS, -_LEAN), _LEAN)
        touch = maker.book.levels(1, is_buy=not is_buy)
        if touch:
            self._take_liquidity(maker, *touch[0], distributions.draw_cluster(source), is_buy=is_buy)
        for _ in range(_REPLENISHMENTS):
            self._schedule(distributions.draw_reaction_us(source), partial(self._replenish, maker, is_buy=not is_buy))
        self._schedule_trades(maker)

    def _take_liquidity(self, maker: _MakerPair, best: int, room: int, count: int, *, is_buy: bool) -> None:
        """Trade for one taker, nearly always less than the displayed size; a large cluster trades through the best price."""
        limit = best
        spares = (
            bool(maker.taker_source.randrange(_CLEARING_ONE_IN))
            and maker.book.house_lots(best, is_buy=not is_buy) == room
        )
        if count >= _SWEEPS:
            limit += _SWEEP_TICKS if is_buy else -_SWEEP_TICKS
        self._trade_at_touch(
            maker, maker.taker_source, limit, room * 3 // 4 if spares and limit == best else None, count, is_buy=is_buy
        )
        if best != maker.book.best_price(is_buy=not is_buy):
            self._refill_after(maker, distributions.draw_wide_us(maker.taker_source))

    def _trade_at_touch(
        self, maker: _MakerPair, source: RandomSource, limit: int, room: int | None, count: int, *, is_buy: bool
    ) -> None:
        """Trade up to `count` times at `limit` or better; with `room`, at most that many lots and never all of them."""
        if maker.pair.sym in self._state.halted:
            return
        for _ in range(count):
            lots = distributions.draw_trade(source, maker.profile.trade)
            if room is not None:
                lots = min(lots, -(-room * 2 // 3))
            taken = matching.take_for_house(self._state, maker.pair, limit, lots, is_buy=is_buy) if lots else 0
            if not taken:
                break
            if room is not None:
                room -= taken
            maker.surplus += 100 - _BUY_PERCENT if is_buy else -_BUY_PERCENT

    # -- momentum --------------------------------------------------------------------------------------------------

    def _schedule_momentum(self, maker: _MakerPair) -> None:
        gap = (_MOMENTUM_FIRST_S[0] + maker.momentum_source.randrange(_MOMENTUM_FIRST_S[1])) * 1_000_000
        self._schedule(self._scale_gap(gap), partial(self._begin_momentum, maker))

    def _begin_momentum(self, maker: _MakerPair) -> None:
        fewest, most = maker.profile.momentum
        maker.momentum_buys = bool(maker.momentum_source.randrange(2))
        maker.momentum_trades = fewest + maker.momentum_source.randrange(most - fewest + 1)
        maker.momentum_left = _MOMENTUM_STEPS
        self._step_momentum(maker)

    def _step_momentum(self, maker: _MakerPair) -> None:
        """Run one step of a momentum burst: trades at the best price, sometimes removing its whole level."""
        source, book, is_buy = maker.momentum_source, maker.book, maker.momentum_buys
        count = maker.momentum_trades // maker.momentum_left
        touch = book.levels(1, is_buy=not is_buy) if maker.pair.sym not in self._state.halted else []
        if touch:
            best, shown = touch[0]
            may_open = abs(best - (maker.ask if is_buy else maker.bid)) < _MOMENTUM_TICKS
            if not may_open and shown < maker.profile.touch:
                shown += distributions.draw_new_touch_size(source, maker.profile.touch)
                book.set_house(best, shown, is_buy=not is_buy)
            self._trade_at_touch(maker, source, best, None if may_open else shown * 3 // 4, count, is_buy=is_buy)
            if may_open and not source.randrange(_MOMENTUM_OPENS_ONE_IN):
                book.set_house(best, 0, is_buy=not is_buy)
        self._publish_touch(maker)
        for _ in range(_MOMENTUM_QUOTES):
            side = bool(source.randrange(2))
            self._state.at_us += 1
            self._resize(maker, book.best_price(is_buy=side) or 0, is_buy=side)
        maker.momentum_trades -= count
        maker.momentum_left -= 1
        if maker.momentum_left:
            self._schedule(_MOMENTUM_GAP_US + source.randrange(9), partial(self._step_momentum, maker))
        else:
            self._end_momentum(maker)

    def _end_momentum(self, maker: _MakerPair) -> None:
        """Finish a momentum burst: move the fair price its way, refill the books, keep activity high for a while."""
        maker.momentum_left = 0
        best = maker.book.best_price(is_buy=not maker.momentum_buys)
        if best is not None:
            target = best * maker.tick * 1_000_000 // (1_000_000 + maker.profile.offset)
            self._move_fair_price(maker.fair, (target - maker.fair.price) // 2)
        maker.activity, maker.activity_held_until_us = _MOMENTUM_ACTIVITY, self._now_us + _MOMENTUM_ACTIVITY_US
        self._schedule(maker.momentum_source.randrange(_MOMENTUM_REFILL_US), partial(self._close_spread, maker))
        self._schedule_momentum(maker)


def _price_levels(best: int, far: tuple[int, int], *, is_buy: bool) -> dict[int, int]:
    """Return price levels with size weights: every tick near the best price, farther out only round prices, larger."""
    step = -1 if is_buy else 1
    levels = {best + step * n: 1 for n in range(_NEAR)}
    edge = best + step * _NEAR
    for grid, weight in zip(far, (4, 12), strict=True):
        first = edge // grid * grid if is_buy else -(-edge // grid) * grid
        for n in range(_FAR):
            levels.setdefault(first + step * n * grid, weight)
    return {ticks: weight for ticks, weight in levels.items() if ticks > 0}
