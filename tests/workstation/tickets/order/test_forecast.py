"""A ticket's forecast against the paper venue: what was previewed is what the venue reports, digit for digit.

Marks and clock stand still. Each case draws a venue with positions, open orders and debts of its own, then one ticket.
Maker rebates are not previewed: where one was booked, the row is higher by exactly that rebate.
"""

from __future__ import annotations

import bisect
import random
from decimal import Decimal

import msgspec
import pytest

from tests.venue.core.drive import PERP, SPOT, Desk, code
from tests.workstation.scripted import ScriptedClock
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.event_line import Level
from tui.engine.rows import BracketTable, Fact, LoanTerms, QuoteRow, Row, Source, Stamp, Table
from tui.engine.state.order_table import OrderTable
from tui.interface.decimals import ZERO, plain, truncate
from tui.interface.envelope import PlaceReply
from tui.interface.families.loans import CoinDiscountRow, LoanTierRow
from tui.interface.families.market import SymbolInfo
from tui.interface.families.orders import OrderRecord, OrderType, PlaceOrder, Side, TimeInForce
from tui.interface.families.positions import AccountRecord, LeverageRow, PositionRecord, SetLeverage, SetPositionMode
from tui.rules import pnl, rounding
from tui.venue.core.market.symbols import SHIPPED, Pair
from tui.venue.core.trading import matching
from tui.workstation.model import account_snapshot
from tui.workstation.model.account_snapshot import Missing
from tui.workstation.model.mirror import Mirror
from tui.workstation.tickets.order import ticket_factory
from tui.workstation.tickets.order.forecast import Forecast, forecast
from tui.workstation.tickets.order.margin import find_missing_margin
from tui.workstation.tickets.order.terms import PositionEffect, PriceMode
from tui.workstation.tickets.order.ticket import Ticket

pytestmark = pytest.mark.usefixtures("exact")

CASES = 300
BATCH = 20
BY_DAY = 8
"""Batches of the default run."""
VENUES = ("BINANCE", "OKX", "EDX")


class Scene:
    """One venue in a state drawn at random, and the rows a workstation would have of it."""

    def __init__(self, source: random.Random) -> None:
        self.source = source
        self.desk = Desk(seed=str(source.random()), tier_margin="flat")
        self.state = self.desk.state
        self.hedged = {venue: source.random() < 0.5 for venue in VENUES}
        for venue, both in self.hedged.items():
            if both:
                self.desk.do(SetPositionMode(portfolio=self.desk.main, exchange_type=venue, position_mode="BOTH"))
        for _ in range(source.randrange(4)):
            pair = source.choice([pair for pair in SHIPPED.values() if pair.is_perp])
            wanted = str(source.choice((3, 10, 25)))
            self.desk.do(SetLeverage(portfolio=self.desk.main, sym=pair.sym, leverage=wanted))
        for _ in range(source.randrange(8)):
            self._trade(self.pair())
        for _ in range(source.randrange(4)):
            self._rest(self.pair())

    def pair(self) -> Pair:
        """Any pair; more often than not one with a position, or one that borrows."""
        held = [SHIPPED[sym] for _, sym, _ in self.state.positions]
        draw = self.source.random()
        if draw < 0.5 and held:
            return self.source.choice(held)
        if draw < 0.65:
            return self.source.choice([pair for pair in SHIPPED.values() if pair.borrows])
        return self.source.choice(list(SHIPPED.values()))

    def _near(self, pair: Pair, spread: int = 40) -> int:
        """A price in ticks within so many ticks of a thousandth around the valuation."""
        middle = int(self.state.valuation(pair) / pair.tick)
        return middle + self.source.randrange(-spread, spread + 1) * max(1, middle // 10_000)

    def _size(self, pair: Pair) -> int:
        """Lots worth between the minimum and some thousand quote units."""
        worth = Decimal(self.source.choice((80_000, 120_000) if pair.borrows else (50, 400, 3000, 12_000)))
        lot = self.state.valuation(pair) * pair.lot_base
        return max(pair.min_lots, int(worth / lot), int(6 / lot) + 1)

    def _side(self, pair: Pair) -> tuple[str, str]:
        side = self.source.choice(("BUY", "SELL"))
        hedged = pair.is_perp and self.hedged[pair.exchange]
        return side, ("LONG" if side == "BUY" else "SHORT") if hedged else "NONE"

    def _trade(self, pair: Pair) -> None:
        side, leg = self._side(pair)
        self.level(pair, side == "SELL", ticks := self._near(pair), lots := self._size(pair))
        self.desk.try_place(
            side, pair.qty_text(lots), pair.price_text(ticks), pair.sym, position_side=leg, time_in_force="IOC"
        )
        self.level(pair, side == "SELL", ticks, 0)

    def _rest(self, pair: Pair) -> None:
        side, leg = self._side(pair)
        self.desk.try_place(
            side, pair.qty_text(self._size(pair)), pair.price_text(self._near(pair)), pair.sym, position_side=leg
        )

    def level(self, pair: Pair, is_buy: bool, ticks: int, lots: int) -> None:
        """A synthetic level of the book."""
        self.state.books[pair.sym].set_house(ticks, lots, is_buy=is_buy)
        self.state.changes.moved[pair.sym] = None
        self.desk.wait(0)

    def account(self, venue: str) -> AccountRecord:
        return next(row for row in self.desk.exchange.queries.accounts(self.desk.main) if row.exchange_type == venue)

    def mirror(self) -> Mirror:
        """The rows as the engine would have handed them over."""
        exchange, main, updates = self.desk.exchange, self.desk.main, ConflatingQueue()
        stamp = Stamp(main, 1, 0, Source.SNAPSHOT, 0.0)

        def put(table: Table, key: str, row: Row) -> None:
            updates.put(table, key, row)

        for sym, info in exchange.queries.symbol_infos().items():
            put(Table.SYMBOLS, sym, info)
            mark, quote = exchange.queries.mark(sym), exchange.queries.quote(sym)
            row = QuoteRow(sym=sym, mark=mark.mark if mark is not None else "")
            if quote is not None:
                row = QuoteRow(
                    sym=sym, bid=quote.bid, bid_qty=quote.bid_qty, ask=quote.ask, ask_qty=quote.ask_qty, mark=row.mark
                )
            put(Table.QUOTES, sym, row)
            if SHIPPED[sym].is_perp:
                put(Table.BRACKETS, sym, BracketTable(tuple(exchange.queries.brackets(sym))))
        for leverage in exchange.queries.leverages(main, ""):
            put(Table.LEVERAGES, leverage.sym, LeverageRow(sym=leverage.sym, leverage=leverage.leverage))
        for schedule in exchange.queries.fee_schedules(main):
            put(Table.FEES, f"{schedule.exchange_type}/{schedule.business_type}", Fact(schedule, stamp))
        for coin, share in exchange.queries.discounts().items():
            put(Table.DISCOUNTS, coin, CoinDiscountRow(coin=coin, discount=plain(share)))
        for loan in exchange.queries.loans():
            tiers = tuple(
                LoanTierRow(
                    tier=str(n),
                    min_size=plain(one.least),
                    max_size=plain(one.most),
                    mm_rate=plain(one.mmr),
                    max_leverage=plain(one.max_leverage),
                )
                for n, one in enumerate(loan.tiers, start=1)
            )
            terms = LoanTerms(str(exchange.queries.margin_leverage(main, loan)), tiers)
            put(Table.LOANS, f"{loan.exchange}/{loan.coin}", terms)
        for position in exchange.queries.positions(main):
            put(Table.POSITIONS, f"{position.sym}/{position.position_side}", Fact(position, stamp))
        for asset in exchange.queries.assets(main):
            put(Table.ASSETS, f"{asset.exchange_type}/{asset.coin}", Fact(asset, stamp))
        for account in exchange.queries.accounts(main):
            put(Table.ACCOUNTS, account.exchange_type, Fact(account, stamp))
        orders = OrderTable(
            updates, lambda _: True, tick_of=lambda _: None, notify=lambda *_, **__: None, query=lambda _: None,
            tell_fired=lambda _: (Level.WARN, "TP/SL fired:", ""), find_result=lambda _: None,
        )  # fmt: skip
        for record in exchange.queries.open_orders(main):
            orders.fold(record, stamp)
        mirror = Mirror(ScriptedClock())
        mirror.apply(updates.take())
        return mirror


def _ticket(scene: Scene, pair: Pair) -> tuple[Ticket, int, int, bool]:
    """A ticket, its price and lots, and whether it takes."""
    source = scene.source
    takes, market = source.random() < 0.6, source.random() < 0.2
    hedged = pair.is_perp and scene.hedged[pair.exchange]
    effect = source.choice(
        (PositionEffect.OPEN_LONG, PositionEffect.OPEN_SHORT, PositionEffect.CLOSE_LONG, PositionEffect.CLOSE_SHORT)
    )
    if not hedged:
        effect = source.choice((PositionEffect.BUY, PositionEffect.SELL))
    lots, ticks = scene._size(pair), scene._near(pair, 10)
    ticket = Ticket(
        sym=pair.sym,
        info=pair.info(),
        hedge=hedged,
        effect=effect,
        order_type=OrderType.MARKET if takes and market else OrderType.LIMIT,
        tif=TimeInForce.GTC,
        price_mode=PriceMode.TYPED,
        price=pair.price_text(ticks),
        qty=pair.qty_text(lots),
    )
    return ticket, ticks, lots, takes


def _same_free_margin(scene: Scene, pair: Pair, found: Forecast, order: OrderRecord) -> None:
    """When the order stands or has filled, whichever comes first."""
    account = scene.account(pair.exchange)
    rebate = Decimal(order.rebate)
    if order.order_state not in ("OPEN", "FILLED"):
        return
    if not rebate or not found.after.debt_margin:
        assert account.available_margin == truncate(found.free + rebate), str(order)


def _send(
    scene: Scene, pair: Pair, ticket: Ticket, ticks: int, takes: bool, found: Forecast | None = None
) -> OrderRecord | None:
    """The ticket's order, filled as a whole at its price; None when the venue does not take it."""
    desk = scene.desk
    market = ticket.order_type is OrderType.MARKET
    reply = desk.do(
        PlaceOrder(
            portfolio=desk.main,
            sym=pair.sym,
            side=ticket.side.value,
            order_type=ticket.order_type.value,
            time_in_force="" if market else "GTC",
            order_qty=ticket.qty,
            limit_price="" if market else ticket.price,
            position_side=ticket.position_side.value,
        )
    )
    if not isinstance(reply, PlaceReply):
        assert code(reply) in (401901, 401902, 401903, 401906, 401910), reply
        return None
    order = desk.order(reply.order_id)
    if found is not None:
        _same_free_margin(scene, pair, found, order)
    if not takes and order.order_state == "OPEN":
        left = scene.state.orders[order.order_id].left
        matching.take_for_house(scene.state, pair, ticks, left, is_buy=ticket.side.value == "SELL")
        desk.wait(0)
    return desk.order(order.order_id)


def _draw(source: random.Random) -> bool:
    """One case; False when the draw was no order that fills as a whole."""
    scene = Scene(source)
    pair = scene.pair()
    ticket, ticks, lots, takes = _ticket(scene, pair)
    is_buy = ticket.side.value == "BUY"
    book = scene.state.books[pair.sym]
    mine, other = book.best_price(is_buy=is_buy), book.best_price(is_buy=not is_buy)
    if (other is not None and (other <= ticks if is_buy else other >= ticks)) or (
        mine is not None and (mine >= ticks if is_buy else mine <= ticks)
    ):
        return False
    if takes:
        scene.level(pair, not is_buy, ticks, lots)
    mirror = scene.mirror()
    found = forecast(ticket, mirror.quotes[pair.sym], mirror)
    if isinstance(found, Missing):
        assert found.text in ("a size", "a position to reduce") and ticket.effect in (
            PositionEffect.CLOSE_LONG,
            PositionEffect.CLOSE_SHORT,
        ), found
        return False
    before = scene.account(pair.exchange)
    _same_row(before, found, after=False)
    order = _send(scene, pair, ticket, ticks, takes, found)
    if order is None or not Decimal(order.executed_qty):
        return False
    _compare(scene, pair, ticket, found, order)
    return True


def _compare(scene: Scene, pair: Pair, ticket: Ticket, found: Forecast, order: OrderRecord) -> None:
    where = f"{ticket.effect} {ticket.qty} {pair.sym} @ {ticket.price}"
    assert Decimal(order.fee) == found.fee, where
    assert Decimal(order.rebate) == found.rebate, where
    assert Decimal(order.borrow_amount) == found.borrowed, where
    assert order.borrow_asset == found.borrowed_coin, where
    account = scene.account(pair.exchange)
    _same_row(account, found, after=True, rebate=found.rebate, where=where)
    if not pair.is_perp:
        return
    key = ticket.position_side.value
    row = next(
        (
            row
            for row in scene.desk.exchange.queries.positions(scene.desk.main)
            if row.sym == pair.sym and row.position_side == key
        ),
        None,
    )
    if found.leg_after is None:
        assert row is None, where
        return
    assert row is not None, where
    assert Decimal(row.position_qty) == (
        found.leg_after.quantity if key == "NONE" else abs(found.leg_after.quantity)
    ), where
    assert row.avg_price == truncate(found.leg_after.entry), where
    if found.break_even is not None:
        assert found.break_even == _break_even(scene, row), where
    if not found.rebate:
        assert row.liq_price == (None if found.liq_after is None else truncate(found.liq_after)), where


def _break_even(scene: Scene, row: PositionRecord) -> Decimal:
    """The figure of a held position, as the chart draws it, from the fee that the venue reports."""
    pair, mirror = SHIPPED[row.sym], scene.mirror()
    rates = account_snapshot.rates_of(mirror, row.sym)
    assert not isinstance(rates, Missing)
    sign = -1 if row.position_side == "SHORT" or Decimal(row.position_qty) < 0 else 1
    base, funding = abs(Decimal(row.position_qty)) * pair.contract_size, Decimal(row.funding_fee)
    # Fees above a taker's belong to parts that are closed.
    paid = min(Decimal(row.fee), Decimal(row.avg_price) * base * rates.taker)
    exact = pnl.break_even(
        sign, Decimal(row.avg_price), base,
        fees=max(paid, ZERO), rebates=max(-paid, ZERO), funding_received=funding, taker=rates.taker,
    )  # fmt: skip
    return rounding.round_break_even(exact, mirror.tick_of(row.sym), sign)


def _same_row(
    row: AccountRecord, found: Forecast, *, after: bool, rebate: Decimal = ZERO, where: str = "before"
) -> None:
    figures = found.after if after else found.before
    pays_debt = bool(rebate and figures.debt_margin)
    """A rebate that came in paid back a part of a debt."""
    shown = (row.perp_margin, row.position_value, row.upnl, row.open_loss_margin)
    mine = (figures.perp_margin, figures.position_value, figures.upnl, figures.open_loss)
    assert shown == tuple(truncate(figure) for figure in mine), where
    if not pays_debt:
        assert (row.debt_margin, row.maintain_margin) == (
            truncate(figures.debt_margin),
            truncate(figures.maintenance),
        ), where
    assert (row.equity, row.valid_margin) == tuple(
        truncate(figure + rebate) for figure in (figures.equity, figures.valid)
    ), where
    if not pays_debt:
        assert row.available_margin == truncate(figures.available + rebate), where
    if not rebate:
        uni = figures.uni_mmr
        assert row.uni_mmr == ("999999" if uni is None else truncate(uni, 10)), where


@pytest.mark.parametrize(
    "batch", [pytest.param(at, marks=() if at < BY_DAY else pytest.mark.nightly) for at in range(CASES // BATCH)]
)
def test_ticket_forecast_matches_what_the_venue_reports(batch: int) -> None:
    source = random.Random(f"forecast {batch}")
    done = draws = 0
    while done < BATCH:
        draws += 1
        done += _draw(source)
        assert draws < BATCH * 20, "hardly any draw is an order that fills"


class _Rules:
    """What the ticket of a close asks of the desk: the rules of its pair."""

    @staticmethod
    def info(sym: str) -> SymbolInfo:
        return SHIPPED[sym].info()


def test_forecast_fee_of_a_market_close_matches_the_venue() -> None:
    """At the touch, which takes all of it, not at the far end of what the venue might accept."""
    closed = 0
    for number in range(20):
        scene = Scene(random.Random(f"close {number}"))
        for owner, sym, leg in list(scene.state.positions):
            if owner != scene.desk.main:
                continue
            pair = SHIPPED[sym]
            records = scene.desk.exchange.queries.positions(owner)
            record = next(row for row in records if (row.sym, row.position_side) == (sym, leg or "NONE"))
            ticket = ticket_factory.flatten(record, _Rules())  # type: ignore[arg-type]
            assert isinstance(ticket, Ticket)
            is_buy = ticket.side.value == "BUY"
            other, ticks = scene.state.books[sym].best_price(is_buy=not is_buy), scene._near(pair, 0)
            mine = scene.state.books[sym].best_price(is_buy=is_buy)
            if other is not None or (mine is not None and (mine >= ticks if is_buy else mine <= ticks)):
                continue
            scene.level(pair, not is_buy, ticks, 10**6)
            mirror = scene.mirror()
            # The quote shows less than is closed: what lies behind it is not known.
            small = msgspec.structs.replace(mirror.quotes[sym], bid_qty="0.0001", ask_qty="0.0001")
            found = forecast(ticket, small, mirror)
            assert not isinstance(found, Missing)
            order = _send(scene, pair, ticket, ticks, True)
            scene.level(pair, not is_buy, ticks, 0)
            assert order is not None and order.order_state == "FILLED"
            assert (Decimal(order.fee), Decimal(order.rebate)) == (found.fee, found.rebate), (sym, ticket.effect)
            closed += 1
    assert closed >= 10


@pytest.mark.parametrize("side", ["BUY", "SELL"])
def test_forecast_fee_of_a_spot_market_order_matches_the_venue(side: str) -> None:
    """Larger than what is at the touch, whose price the rest gets as well."""
    scene = Scene(random.Random(1))
    scene.desk = desk = Desk()
    scene.state, pair = desk.state, SHIPPED[SPOT]
    if side == "SELL":
        scene.level(pair, False, 6_200_000, 10**6)
        desk.place("BUY", "0.01", sym=SPOT)
        scene.level(pair, False, 6_200_000, 0)
    scene.level(pair, side == "SELL", 6_190_000, 10**6)
    mirror = scene.mirror()
    effect = PositionEffect.BUY if side == "BUY" else PositionEffect.SELL
    ticket = Ticket(sym=SPOT, info=pair.info(), hedge=False, effect=effect, order_type=OrderType.MARKET, qty="0.005")
    small = msgspec.structs.replace(mirror.quotes[SPOT], bid_qty="0.001", ask_qty="0.001")
    found = forecast(ticket, small, mirror)
    assert not isinstance(found, Missing) and not found.depth_known
    order = desk.order(desk.place(side, "0.005", sym=SPOT))
    assert (Decimal(order.fee), order.fee_coin) == (found.fee, found.fee_coin) and found.fee


def _stand(leg: str) -> tuple[Scene, Desk, Pair]:
    """Hold a position beside orders of both sides."""
    scene = Scene(random.Random(1))
    desk, pair = Desk(), SHIPPED[PERP]
    scene.desk, scene.state, scene.hedged = desk, desk.state, dict.fromkeys(VENUES, False)
    scene.level(pair, True, 619_000, 10_000)
    scene.level(pair, False, 620_000, 10_000)
    if leg != "none":
        desk.place("BUY" if leg == "long" else "SELL", "0.3", order_type="MARKET", limit_price="")
    return scene, desk, pair


@pytest.mark.parametrize("at_market", [False, True])
@pytest.mark.parametrize("leg", ["none", "long", "short"])
@pytest.mark.parametrize("side", list(Side))
def test_missing_margin_is_foreseen_to_the_lot_as_the_venue_does(side: Side, leg: str, at_market: bool) -> None:
    """To the lot, beside an older order of its side and behind the position that it closes."""
    scene, desk, pair = _stand(leg)
    far = "31000" if side is Side.BUY else "92000"
    desk.place(side.value, "0.1", far)
    desk.wait(1000)
    mirror = scene.mirror()
    effect = PositionEffect.BUY if side is Side.BUY else PositionEffect.SELL
    kind = OrderType.MARKET if at_market else OrderType.LIMIT
    ticket = Ticket(
        sym=pair.sym, info=mirror.symbols[pair.sym], hedge=False, effect=effect, order_type=kind,
        price_mode=PriceMode.TYPED, price="" if at_market else far, qty="1",
    )  # fmt: skip

    def is_missing(lots: int) -> bool:
        tried = msgspec.structs.replace(ticket, qty=str(Decimal(lots) / 1000))
        return find_missing_margin(tried, mirror.quotes[pair.sym], mirror) is not None

    first = bisect.bisect_left(range(1_000_000), True, key=is_missing)
    assert 1 < first < 999_999
    price, more = ("", {"order_type": "MARKET"}) if at_market else (far, {})
    refused = desk.try_place(side.value, str(Decimal(first) / 1000), price, **more)
    assert code(refused) == 401902
    assert code(desk.try_place(side.value, str(Decimal(first - 1) / 1000), price, **more)) == 0


@pytest.mark.parametrize("leg", ["none", "long", "short"])
@pytest.mark.parametrize("side", ["BUY", "SELL"])
def test_forecast_free_margin_of_a_far_order_matches_the_venue(side: str, leg: str) -> None:
    """Replaced by one like it, by a larger and by a smaller one, beside older and newer orders of its side."""
    scene, desk, pair = _stand(leg)
    far = ("31000", "30990") if side == "BUY" else ("92000", "92010")
    desk.place(side, "0.1", far[0])
    order_id = desk.place(side, "0.5", far[0])
    desk.place(side, "0.2", far[0])
    desk.wait(1000)
    for qty, price in (("0.5", far[1]), ("0.7", far[1]), ("0.4", far[0])):
        mirror = scene.mirror()
        row = next(one for one in mirror.working() if one.order_id == order_id)
        whole = ticket_factory.replacement(row, _Rules())  # type: ignore[arg-type]
        ticket = msgspec.structs.replace(whole, price_mode=PriceMode.TYPED, price=price, qty=qty)
        found = forecast(ticket, mirror.quotes[pair.sym], mirror)
        assert not isinstance(found, Missing)
        assert code(desk.replace(order_id, qty, price)) == 0
        desk.wait(20)
        assert scene.account(pair.exchange).available_margin == truncate(found.free), (qty, price)
