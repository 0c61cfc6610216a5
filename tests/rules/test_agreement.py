"""Pre-trade checks, tickets, loss limit and venue compute the same figures of the same random orders.

What an order is worth, whether it lies on its steps and inside its sizes, what a fill costs and leaves, and what it
makes of a position: the left side of every comparison comes from the wire records as engine and tickets read them, the
right side from what the venue accepted, printed or booked.
"""

from __future__ import annotations

import random
from collections import Counter
from decimal import Decimal

import msgspec
import pytest

from tests.engine.conftest import DECISION
from tests.venue.core.drive import Desk, code
from tui.engine.intents import Place
from tui.engine.orders import pre_trade_checks
from tui.engine.orders.exposure import compute_signed_base
from tui.engine.orders.pre_trade_checks import PairTerms, Refusal, Touch
from tui.interface.decimals import ZERO, plain, positive, truncate
from tui.interface.envelope import PlaceReply
from tui.interface.families.history import TradeRecord
from tui.interface.families.market import SymbolInfo
from tui.interface.families.orders import OrderType, Side
from tui.interface.families.positions import PositionRecord
from tui.rules import fees, pnl, rounding, units
from tui.rules.day_result import DayResult
from tui.venue.core.accounts import lending
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.commands import Reply
from tui.venue.core.events import Event, OrderFilled
from tui.venue.core.market.symbols import SHIPPED, Pair
from tui.venue.core.trading import field_checks
from tui.workstation.tickets.order.terms import PositionEffect, PriceMode
from tui.workstation.tickets.order.ticket import Ticket

ORDERS = 60
NO_TOUCH = Touch(None, None, None)
REASONS = {
    401015: "must be a multiple of",
    401013: "must be a multiple of",
    401014: "below the minimum",
    401025: "above the maximum",
    401017: "below the minimum",
}
"""The figures the venue rejects by themselves, and the words of the engine for it."""
OF_TICKET = {
    401015: "must be a multiple of",
    401013: "must be a multiple of",
    401014: "must be at least",
    401025: "must be at most",
    401017: "must be worth at least",
}
"""The words of tickets, which stand beside the field and need not repeat its figure."""


class Market:
    """A venue whose orders fill whole at their limit, and what a workstation knows of it from the wire."""

    def __init__(self, seed: int) -> None:
        self.source = random.Random(seed)
        self.desk = Desk(seed=str(seed))
        self.queries = self.desk.exchange.queries
        self.infos = self.queries.symbol_infos()
        self.day = DayResult()
        self.legs: dict[str, tuple[Decimal, Decimal | None]] = {}
        """Signed quantity and entry by perpetual, from the fills alone."""
        self.seen: Counter[int | str] = Counter()

    def draw(self) -> tuple[Pair, Side, str, str]:
        """Pair, side, quantity and price; about every third order is off a step or outside the sizes."""
        pair = self.source.choice(list(SHIPPED.values()))
        side = self.source.choice((Side.BUY, Side.SELL))
        middle = self.queries.last_price(pair.sym)
        price = rounding.round_limit_price(
            middle * Decimal(self.source.randrange(9700, 10300)) / 10_000, pair.tick, side
        )
        worth = Decimal(self.source.choice((50, 400, 2500)))
        qty = max(rounding.quantity(worth / (price * pair.contract_size), pair.lot), pair.lot)
        match self.source.randrange(15):
            case 0:
                price += pair.tick / 2
            case 1:
                qty += pair.lot / 2
            case 2:
                qty = pair.qty(pair.max_limit_lots + 1)
            case 3:
                qty = pair.lot * self.source.randrange(1, 3)
            case 4:
                qty = pair.lot / 4
        return pair, side, plain(qty), plain(price)

    def place(self, pair: Pair, side: Side, qty: str, price: str) -> tuple[int, list[TradeRecord]]:
        """Place an order that is filled whole at its price, as taker or as maker; the venue's code and the fills."""
        makes = pair.is_perp and pair.exchange != "EDX" and self.source.random() < 0.4
        reply, events = self._make(pair, side, qty, price) if makes else self._take(pair, side, qty, price)
        fills = [event.record for event in events if isinstance(event, OrderFilled)]
        return code(reply), [fill for fill in fills if fill.portfolio_id == self.desk.main]

    def _take(self, pair: Pair, side: Side, qty: str, price: str) -> tuple[Reply | None, list[Event]]:
        """Against a synthetic level at the price."""
        book, ticks = self.desk.state.books[pair.sym], pair.ticks(Decimal(price))
        if ticks is not None:
            book.set_house(ticks, 10**9, is_buy=side is Side.SELL)
        reply = self.desk.try_place(side.value, qty, price, pair.sym, time_in_force="IOC")
        if ticks is not None:
            book.set_house(ticks, 0, is_buy=side is Side.SELL)
        return reply, self.desk.events

    def _make(self, pair: Pair, side: Side, qty: str, price: str) -> tuple[Reply | None, list[Event]]:
        """Resting, until the other portfolio takes it."""
        reply, desk = self.desk.try_place(side.value, qty, price, pair.sym, time_in_force="GTX"), self.desk
        if isinstance(reply, PlaceReply):
            desk.try_place(side.other.value, qty, price, pair.sym, time_in_force="IOC", portfolio=desk.sub)
        return reply, desk.events

    def money(self, pair: Pair, price: Decimal) -> Decimal:
        """What the portfolio owns of the coins that a fill moves, in quote at a price."""
        owner, venue = self.desk.main, pair.exchange
        quote, base = (
            self.queries.balance(owner, venue, coin) - lending.debt_of(self.desk.state, owner, venue, coin)
            for coin in (pair.quote, pair.base)
        )
        return quote if pair.is_perp else quote + price * base

    def position(self, sym: str) -> PositionRecord | None:
        return next((row for row in self.queries.positions(self.desk.main) if row.sym == sym), None)


def engine_reason(info: SymbolInfo, side: Side, qty: str, price: str) -> str | Decimal:
    """The engine's sentence about an order, or the notional it finds."""
    intent = Place(decision=DECISION, sym=info.sym, side=side, order_type=OrderType.LIMIT, qty=qty, price=price)
    found = pre_trade_checks.parse_figures(intent, info, PairTerms.of(info), NO_TOUCH)
    if isinstance(found, Refusal):
        return found.text
    assert found.value is not None
    return found.value


def ticket_of(info: SymbolInfo, side: Side, qty: str, price: str) -> Ticket:
    effect = PositionEffect.BUY if side is Side.BUY else PositionEffect.SELL
    return Ticket(sym=info.sym, info=info, hedge=False, effect=effect, price_mode=PriceMode.TYPED, price=price, qty=qty)


def compare_checks(info: SymbolInfo, ticket: Ticket, reason: str | Decimal, rejected: int) -> None:
    """Engine, ticket and venue find the same fault, or none of them finds any."""
    problems = "; ".join(problem.text for problem in ticket.problems(None))
    if rejected not in REASONS:
        assert isinstance(reason, Decimal), (rejected, reason)
        assert not problems
        return
    words = REASONS[rejected]
    assert isinstance(reason, str) and words in reason, (rejected, reason)
    said = OF_TICKET.get(rejected, words)
    assert (f"{said} {info.min_notional} " if rejected == 401017 else said) in problems


def compare_fill(market: Market, pair: Pair, fill: TradeRecord) -> None:
    """Charge and position after one fill, from the wire alone and as the venue booked them."""
    info, side = market.infos[pair.sym], Side(fill.side)
    qty, price, size = Decimal(fill.quantity), Decimal(fill.price), positive(info.contract_size)
    assert size is not None
    rates = next(
        row
        for row in market.queries.fee_schedules(market.desk.main)
        if row.exchange == pair.exchange and (row.inst_type == "PERP") == pair.is_perp
    )
    in_base = not pair.is_perp and side is Side.BUY
    group = next((one for one in rates.group_list if fill.sym in one.sym_list), None)
    maker, taker = (rates.maker, rates.taker) if group is None else (group.maker_fee, group.taker_fee)
    rate = Decimal(maker if fill.exec_type == "MAKER" else taker)
    charge = fees.split(units.base(qty, size) if in_base else units.notional(qty, size, price), rate)
    assert (charge.fee, charge.rebate) == (Decimal(fill.fee), Decimal(fill.rebate))
    if not pair.is_perp:
        return
    quantity, entry = market.legs.get(pair.sym, (ZERO, None))
    after = pnl.apply_one_way_fill(quantity, entry, side, qty, price, contract_size=size)
    market.legs[pair.sym] = (after.position, after.entry)
    assert pnl.truncate_booked(after.realised) == Decimal(fill.rpnl)
    record = market.position(pair.sym)
    if record is None:
        assert after.position == 0
        return
    assert record.position_qty == plain(after.position)
    assert after.entry is not None and record.avg_price == truncate(after.entry)
    base = compute_signed_base(record, size)
    assert base is not None and abs(base) * Decimal(record.mark_price) == Decimal(record.position_value)


@pytest.mark.parametrize("seed", range(8))
def test_engine_tickets_and_venue_agree_on_random_orders(seed: int) -> None:
    market = Market(seed)
    booked = ZERO
    for _ in range(ORDERS):
        pair, side, qty, price = market.draw()
        info, at = market.infos[pair.sym], Decimal(price)
        before = market.money(pair, at)
        rejected, fills = market.place(pair, side, qty, price)
        reason, ticket = engine_reason(info, side, qty, price), ticket_of(info, side, qty, price)
        market.seen[rejected] += 1
        compare_checks(info, ticket, reason, rejected)
        if not fills:
            continue
        market.seen.update((pair.sym, fills[0].exec_type))
        amount = Decimal(market.desk.order(fills[0].order_id).executed_amount)
        assert reason == amount == ticket.notional(None)
        for fill in fills:
            market.day.add(fill)
            compare_fill(market, pair, fill)
        left = market.money(pair, at) - before
        assert sum((pnl.fill_net(fill) for fill in fills), ZERO) == left
        booked += left
    assert market.day.net == booked
    assert {0, 401013, 401015, 401017, 401025, "MAKER", "TAKER"} <= market.seen.keys(), market.seen
    assert any(str(sym).startswith("OKX_PERP") for sym in market.seen), "no fill on a pair with a multiplier"


@pytest.mark.parametrize("market", [False, True], ids=["limit", "market"])
def test_engine_and_venue_agree_on_order_sizes_of_random_pairs(market: bool) -> None:
    """Grids and sizes drawn at random, because no shipped pair has a minimum above one lot."""
    source, seen = random.Random(5), Counter[int]()
    for _ in range(400):
        lot = Decimal(source.choice(("0.001", "0.003", "1", "25")))
        pair = msgspec.structs.replace(
            source.choice(list(SHIPPED.values())),
            lot=lot,
            lot_units=int(lot.scaleb(3)),
            qty_digits=3,
            min_lots=source.randrange(1, 20),
            max_limit_lots=source.randrange(20, 60),
            max_market_lots=source.randrange(20, 60),
        )
        qty = lot * source.randrange(1, 160) / 2
        try:
            field_checks.check_size(pair, field_checks.lots_of(pair, qty), market=market)
            rejected = 0
        except CheckFailed as error:
            rejected = error.code
        info, order_type = pair.info(), OrderType.MARKET if market else OrderType.LIMIT
        found = pre_trade_checks.check_size(qty, PairTerms.of(info), order_type)
        seen[rejected] += 1
        assert REASONS.get(rejected, "") in (found.text if found is not None else "")
        assert (found is None) == (rejected == 0)
    assert seen.keys() == {0, 401013, 401014, 401025}


def test_rounded_prices_and_sizes_lie_on_the_steps_of_the_pair() -> None:
    source = random.Random(6)
    for _ in range(400):
        pair = source.choice(list(SHIPPED.values()))
        price = pair.price(source.randrange(10, 10**6)) + pair.tick * source.randrange(1, 1000) / 1000
        size = pair.qty(source.randrange(1, 10**6)) + pair.lot * source.randrange(1, 1000) / 1000
        for side in Side:
            assert pair.ticks(rounding.round_limit_price(price, pair.tick, side)) is not None
            assert pair.ticks(rounding.round_stop_trigger(price, pair.tick, side)) is not None
        lots = pair.lots(rounding.quantity(size, pair.lot))
        assert lots is not None and pair.qty(lots) <= size < pair.qty(lots + 1)
