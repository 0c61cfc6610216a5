"""Synthetic participants: makers that keep levels, takers that trade, one fair price per coin that links all books.

Every participant draws from a stream of its own, so that an action of a trader changes only the book it touches.
Times are µs; one that acts at once on several books, or several times in a row, does so within a few µs.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Protocol

from tui.protocols import RandomSource
from tui.venue.core.market import distributions
from tui.venue.core.market.market_profiles import PACES
from tui.venue.core.market.symbols import Pair
from tui.venue.core.state import State
from tui.venue.core.switches import SPEEDS
from tui.venue.core.trading import matching
from tui.venue.core.trading.book import Book

UNIT = 10**9
"""Fair prices are integers of this part of a quote unit."""

_NEAR = 8
_FAR = 6
_GO_US = 1_250_000
"""Mean time from one go of a fair price to the next."""
_LEAP_ONE_IN = 72
_LEAP_STEPS = 6
_TURN_PERCENT = 62
_AT_ONCE_PERCENT = 30
_QUOTES_US = 30_000
_TRADES_US = 101_000
_MOOD_US = 900_000
_BUY_PERCENT = 47
_SURPLUS = 1500
_LEAN = 25
_DEPTH_ONE_IN = 12
_LONG_US = 20
_CLEARING_ONE_IN = 40
_SWEEPS = 30
_SWEEP_TICKS = 6
_ANSWERS = 1
_REFILL_US = 40_000
_RUSH_FIRST_S = (120, 181)
"""Shortest time between two momentum bursts, and how many seconds more it may be."""
_RUSH_STEPS = 125
_RUSH_QUOTES = 2
_RUSH_GAP_US = 740
_RUSH_OPENS_ONE_IN = 12
_RUSH_TICKS = 50
_RUSH_MOOD = (400, 600)
_RUSH_MOOD_US = 1_100_000
_RUSH_REFILL_US = 30_000


_PERCENT = {value: int(Decimal(value) * 100) for value in SPEEDS}


class Driver(Protocol):
    """What makes the market move: agents or a recording."""

    def next_due(self) -> int | None: ...

    def run_next(self) -> None: ...

    def skip_to(self, now_us: int) -> None: ...

    def refill_later(self, sym: str) -> None: ...

    def jump(self, coin: str, price: Decimal) -> None: ...


class _Fair:
    """The fair price of a coin: it stands, then goes some steps in a row."""

    __slots__ = ("desks", "leap", "price", "rising", "source", "steps")

    def __init__(self, price: int, source: RandomSource) -> None:
        self.price = price
        self.source = source
        self.desks: list[_Desk] = []
        self.rising = True
        self.steps = 0
        self.leap = 0
        """What each step of a jump adds; 0 in an ordinary go."""


class _Desk:
    """The agents of one pair."""

    __slots__ = (
        "ask", "bid", "book", "fair", "far", "following", "makers", "mood", "pace", "pair", "refilling", "rush",
        "rush_buys", "rush_left", "rush_trades", "settles_us", "surplus", "takers", "tick",
    )  # fmt: skip

    def __init__(self, pair: Pair, book: Book, fair: _Fair, random_source: RandomSource) -> None:
        self.pair = pair
        self.book = book
        self.fair = fair
        self.makers = random_source.stream(f"makers:{pair.sym}")
        self.takers = random_source.stream(f"takers:{pair.sym}")
        self.rush = random_source.stream(f"rush:{pair.sym}")
        self.pace = PACES[pair.sym]
        self.tick = pair.tick_units * UNIT // 10**pair.price_digits
        self.bid = 0
        self.ask = 0
        """Where makers want the touch; further apart while the spread is open."""
        self.far = (1, 1)
        self.mood = (100, 100)
        """How busy takers and makers are, per cent."""
        self.settles_us = 0
        """Until then the mood of a momentum burst stays."""
        self.surplus = 0
        """How far buyers are ahead, in hundredths of trades; the next takers lean against it."""
        self.following = False
        self.refilling = False
        self.rush_left = 0
        """Steps left of a momentum burst; makers close no gap before it has ended."""
        self.rush_trades = 0
        self.rush_buys = True


class Agents:
    """The lively market; with `moving` off it lays the same books once and stays still."""

    def __init__(self, state: State, random_source: RandomSource, *, moving: bool) -> None:
        self._state = state
        self._moving = moving
        self._fair: dict[str, _Fair] = {}
        self._desks: dict[str, _Desk] = {}
        self._heap: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0
        self._now_us = state.now * 1000
        for pair in (state.pairs[sym] for sym in state.offered):
            fair = self._fair.get(pair.base)
            if fair is None:
                price = int(state.marks.index[pair.base] * UNIT)
                fair = self._fair[pair.base] = _Fair(price, random_source.stream(f"fair:{pair.base}"))
            desk = self._desks[pair.sym] = _Desk(pair, state.books[pair.sym], fair, random_source)
            fair.desks.append(desk)
        for desk in self._desks.values():
            self._aim(desk, beside_own=True)
            self._lay(desk)
        if moving:
            self._begin()

    def _begin(self) -> None:
        for fair in self._fair.values():
            self._go_later(fair)
        for desk in self._desks.values():
            self._mood(desk)
            self._quotes_later(desk)
            self._trades_later(desk)
            self._rush_later(desk)

    # -- time ------------------------------------------------------------------------------------------------------

    def next_due(self) -> int | None:
        """Time of the next event, µs."""
        return self._heap[0][0] if self._heap else None

    def run_next(self) -> None:
        self._now_us, _, act = heapq.heappop(self._heap)
        self._state.at_us = self._now_us
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

    def _hurried(self, gap_us: int) -> int:
        """A gap, shortened or stretched by the switch `speed`."""
        return max(1, gap_us * 100 // _PERCENT[self._state.switches["speed"]])

    # -- fair price ------------------------------------------------------------------------------------------------

    def jump(self, coin: str, price: Decimal) -> None:
        """Put the fair price of a coin somewhere else, at once on every book."""
        fair = self._fair.get(coin)
        if fair is None:
            return
        fair.price = int(price * UNIT)
        for desk in fair.desks:
            self._aim(desk)
            self._lay(desk)

    def _go_later(self, fair: _Fair) -> None:
        self._later(self._hurried(distributions.wait(fair.source, _GO_US)), partial(self._go, fair))

    def _go(self, fair: _Fair) -> None:
        source = fair.source
        fair.rising = bool(source.randrange(2))
        fair.steps, fair.leap = distributions.steps(source), 0
        if not source.randrange(_LEAP_ONE_IN):
            fair.steps, fair.leap = _LEAP_STEPS, distributions.leap(source, fair.price) // _LEAP_STEPS
        self._step(fair)

    def _step(self, fair: _Fair) -> None:
        source = fair.source
        if not fair.leap and source.randrange(100) < _TURN_PERCENT:
            fair.rising = not fair.rising
        by = fair.leap or distributions.move(source, fair.price)
        self._shift(fair, by if fair.rising else -by)
        fair.steps -= 1
        if fair.steps:
            self._later(distributions.step_us(source), partial(self._step, fair))
        else:
            self._go_later(fair)

    def _shift(self, fair: _Fair, by: int) -> None:
        fair.price = max(fair.price + by, UNIT // 1000)
        for desk in fair.desks:
            if not desk.following:
                desk.following = True
                self._later(desk.pace.delay_us, partial(self._follow, desk))

    # -- makers ----------------------------------------------------------------------------------------------------

    def _aim(self, desk: _Desk, *, beside_own: bool = False) -> tuple[int, int]:
        """Set the touch that makers want, and return the one before; `beside_own` stays clear of resting orders."""
        before = (desk.bid, desk.ask)
        fair = desk.fair.price * (1_000_000 + desk.pace.offset) // 1_000_000
        desk.bid = max(1, fair // desk.tick)
        desk.ask = desk.bid + 1
        if beside_own:
            lowest, highest = desk.book.best_price(False), desk.book.best_price(True)
            desk.bid = desk.bid if lowest is None else max(1, min(desk.bid, lowest - 1))
            desk.ask = desk.ask if highest is None else max(desk.ask, highest + 1)
        desk.far = (max(5, desk.bid // 12_000), max(50, desk.bid // 600))
        return before

    def _follow(self, desk: _Desk) -> None:
        """Bring the touch to the fair price: at once, or one side first and the other a little later."""
        desk.following = False
        if desk.rush_left:
            return
        bid, ask = self._aim(desk)
        if (bid, ask) == (desk.bid, desk.ask):
            return
        source = desk.makers
        if desk.ask <= bid or desk.bid >= ask or source.randrange(100) >= _AT_ONCE_PERCENT:
            desk.bid, desk.ask = min(bid, desk.bid), max(ask, desk.ask)
            desk.following = True
            self._later(distributions.wide_us(source), partial(self._close, desk))
        self._lay(desk)
        if desk.following:
            self._burst(desk, distributions.wide(source))

    def _close(self, desk: _Desk) -> None:
        """The slower side comes after."""
        desk.following = False
        if not desk.rush_left:
            self._aim(desk)
            self._lay(desk)

    def _lay(self, desk: _Desk) -> None:
        """Levels that are missing come, levels that are out of place go, resting orders that are passed fill."""
        if desk.pair.sym in self._state.halted:
            return
        book, source, median = desk.book, desk.makers, desk.pace.touch
        matching.sweep(self._state, desk.pair, desk.bid, desk.ask)
        for is_buy, best in ((True, desk.bid), (False, desk.ask)):
            wanted = _ladder(best, is_buy, desk.far)
            for ticks in book.house_prices(is_buy):
                if ticks not in wanted:
                    book.set_house(is_buy, ticks, 0)
            for ticks, weight in wanted.items():
                if book.house_lots(is_buy, ticks):
                    continue
                if not self._moving:
                    lots = median * weight
                elif ticks == best:
                    lots = distributions.fresh(source, median)
                else:
                    lots = distributions.size(source, median * weight)
                book.set_house(is_buy, ticks, lots)
        self._tell(desk)

    def _tell(self, desk: _Desk) -> None:
        self._state.changes.moved[desk.pair.sym] = None
        self._state.tell_touches()

    def reopen(self, sym: str) -> None:
        """A pair trades again: its makers come back around the fair price of now."""
        self._aim(self._desks[sym])
        self._lay(self._desks[sym])

    def refill_later(self, sym: str) -> None:
        """Somebody took liquidity: makers come back a little later."""
        self._refill_after(self._desks[sym], _REFILL_US)

    def _refill_after(self, desk: _Desk, gap_us: int) -> None:
        if self._moving and not desk.refilling:
            desk.refilling = True
            self._later(gap_us, partial(self._refill, desk))

    def _refill(self, desk: _Desk) -> None:
        desk.refilling = False
        if not desk.rush_left:
            self._lay(desk)

    def _quotes_later(self, desk: _Desk) -> None:
        gap = distributions.pause(desk.makers, _QUOTES_US * 10_000 // desk.pace.tempo // desk.mood[1])
        self._later(self._hurried(gap), partial(self._quotes, desk))

    def _quotes(self, desk: _Desk) -> None:
        self._burst(desk, distributions.burst(desk.makers))
        self._quotes_later(desk)

    def _answer(self, desk: _Desk, is_buy: bool) -> None:
        """Makers put back what a taker took from their side, and change other sizes with it."""
        best = desk.bid if is_buy else desk.ask
        have = desk.book.house_lots(is_buy, best)
        if have:
            desk.book.set_house(is_buy, best, distributions.grown(desk.makers, have, desk.pace.touch))
            self._tell(desk)
        self._burst(desk, distributions.burst(desk.makers))

    def _burst(self, desk: _Desk, count: int) -> None:
        """Size changes that follow each other within µs, nearly all of them at the touch."""
        for left in range(count - 1, -1, -1):
            self._change(desk)
            gap = distributions.micro_us(desk.makers)
            if left and gap > _LONG_US:
                self._later(gap, partial(self._burst, desk, left))
                return
            self._state.at_us += gap

    def _change(self, desk: _Desk) -> None:
        source = desk.makers
        is_buy = bool(source.randrange(2))
        depth = 0 if source.randrange(_DEPTH_ONE_IN) else 1 + source.randrange(_NEAR - 1)
        ticks = (desk.bid - depth) if is_buy else (desk.ask + depth)
        self._resize(desk, is_buy, ticks)

    def _resize(self, desk: _Desk, is_buy: bool, ticks: int) -> None:
        have = desk.book.house_lots(is_buy, ticks)
        if have:
            desk.book.set_house(is_buy, ticks, distributions.changed(desk.makers, have, desk.pace.touch))
            self._tell(desk)

    def _mood(self, desk: _Desk) -> None:
        """How busy the agents of a pair are changes every now and then."""
        if self._now_us >= desk.settles_us:
            desk.mood = distributions.mood(desk.takers)
        self._later(self._hurried(distributions.wait(desk.takers, _MOOD_US)), partial(self._mood, desk))

    # -- takers ----------------------------------------------------------------------------------------------------

    def _trades_later(self, desk: _Desk) -> None:
        gap = distributions.wait(desk.takers, _TRADES_US * 10_000 // desk.pace.tempo // desk.mood[0])
        self._later(self._hurried(gap), partial(self._trades, desk))

    def _trades(self, desk: _Desk) -> None:
        """A cluster of small market orders in one direction at the touch, then makers answer."""
        source = desk.takers
        is_buy = source.randrange(100) < _BUY_PERCENT - min(max(desk.surplus // _SURPLUS, -_LEAN), _LEAN)
        touch = desk.book.levels(not is_buy, 1)
        if touch:
            self._take(desk, is_buy, *touch[0], distributions.cluster(source))
        for _ in range(_ANSWERS):
            self._later(distributions.reaction_us(source), partial(self._answer, desk, not is_buy))
        self._trades_later(desk)

    def _take(self, desk: _Desk, is_buy: bool, best: int, room: int, count: int) -> None:
        """Trades of one taker: nearly always less than makers show; a long row of them goes on behind the touch."""
        limit = best
        spares = bool(desk.takers.randrange(_CLEARING_ONE_IN)) and desk.book.house_lots(not is_buy, best) == room
        if count >= _SWEEPS:
            limit += _SWEEP_TICKS if is_buy else -_SWEEP_TICKS
        self._hit(desk, desk.takers, is_buy, limit, room * 3 // 4 if spares and limit == best else None, count)
        if best != desk.book.best_price(not is_buy):
            self._refill_after(desk, distributions.wide_us(desk.takers))

    def _hit(self, desk: _Desk, source: RandomSource, is_buy: bool, limit: int, room: int | None, count: int) -> None:
        """Up to `count` trades at `limit` or better that leave something of `room` lots where that is given."""
        if desk.pair.sym in self._state.halted:
            return
        for _ in range(count):
            lots = distributions.trade(source, desk.pace.trade)
            if room is not None:
                lots = min(lots, -(-room * 2 // 3))
            taken = matching.house_take(self._state, desk.pair, is_buy, limit, lots) if lots else 0
            if not taken:
                break
            if room is not None:
                room -= taken
            desk.surplus += 100 - _BUY_PERCENT if is_buy else -_BUY_PERCENT

    # -- momentum --------------------------------------------------------------------------------------------------

    def _rush_later(self, desk: _Desk) -> None:
        gap = (_RUSH_FIRST_S[0] + desk.rush.randrange(_RUSH_FIRST_S[1])) * 1_000_000
        self._later(self._hurried(gap), partial(self._begin_rush, desk))

    def _begin_rush(self, desk: _Desk) -> None:
        fewest, most = desk.pace.rush
        desk.rush_buys = bool(desk.rush.randrange(2))
        desk.rush_trades = fewest + desk.rush.randrange(most - fewest + 1)
        desk.rush_left = _RUSH_STEPS
        self._rush(desk)

    def _rush(self, desk: _Desk) -> None:
        """One step of a momentum burst: trades at the touch, and now and then the level behind it is gone too."""
        source, book, is_buy = desk.rush, desk.book, desk.rush_buys
        count = desk.rush_trades // desk.rush_left
        touch = book.levels(not is_buy, 1) if desk.pair.sym not in self._state.halted else []
        if touch:
            best, shown = touch[0]
            may_open = abs(best - (desk.ask if is_buy else desk.bid)) < _RUSH_TICKS
            if not may_open and shown < desk.pace.touch:
                shown += distributions.fresh(source, desk.pace.touch)
                book.set_house(not is_buy, best, shown)
            self._hit(desk, source, is_buy, best, None if may_open else shown * 3 // 4, count)
            if may_open and not source.randrange(_RUSH_OPENS_ONE_IN):
                book.set_house(not is_buy, best, 0)
        self._tell(desk)
        for _ in range(_RUSH_QUOTES):
            side = bool(source.randrange(2))
            self._state.at_us += 1
            self._resize(desk, side, book.best_price(side) or 0)
        desk.rush_trades -= count
        desk.rush_left -= 1
        if desk.rush_left:
            self._later(_RUSH_GAP_US + source.randrange(9), partial(self._rush, desk))
        else:
            self._end_rush(desk)

    def _end_rush(self, desk: _Desk) -> None:
        """The fair price of the coin goes where the burst went, makers come back, and everybody stays busy a while."""
        desk.rush_left = 0
        best = desk.book.best_price(not desk.rush_buys)
        if best is not None:
            there = best * desk.tick * 1_000_000 // (1_000_000 + desk.pace.offset)
            self._shift(desk.fair, (there - desk.fair.price) // 2)
        desk.mood, desk.settles_us = _RUSH_MOOD, self._now_us + _RUSH_MOOD_US
        self._later(desk.rush.randrange(_RUSH_REFILL_US), partial(self._close, desk))
        self._rush_later(desk)


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
