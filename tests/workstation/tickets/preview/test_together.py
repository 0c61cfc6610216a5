"""Orders that are sent together: their sum is that of one order after the other, and it stands in their question."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import msgspec
import pytest

from tests.workstation.command_line.test_asked_market import shown
from tests.workstation.driver import Desk, desk
from tests.workstation.keys.test_command_line import BTC, enter, placed
from tests.workstation.keys.test_position_verbs import on_leg
from tui.engine.rows import DepthRow, Fact, Table
from tui.interface.families.assets import AssetRecord
from tui.interface.families.orders import OrderType, TimeInForce
from tui.workstation.command_line.grammar.parser import parse
from tui.workstation.command_line.grammar.scene import Scene
from tui.workstation.command_line.named_rows import Cursor
from tui.workstation.command_line.outlook import look_ahead
from tui.workstation.command_line.requests import foresee_requests, list_requests
from tui.workstation.model.account_snapshot import Missing
from tui.workstation.plain.preview_lines import describe_order
from tui.workstation.tickets.order.forecast import Forecast, JointForecast, forecast, forecast_together
from tui.workstation.tickets.order.terms import PositionEffect, PriceMode
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.foreseen_orders import foresee_orders, read_books
from tui.workstation.tickets.preview.together import describe_together

SPOT, MARGIN = "BINANCE_SPOT_BTC_USDT", "BINANCE_MARGIN_BTC_USDT"
SCALE = "scale long 0.3 BTC 3 from 63900 to 63000"


def build(at: Desk, qty: str, price: str = "", sym: str = BTC, effect: PositionEffect = PositionEffect.BUY) -> Ticket:
    """A resting order at a price, or one at market."""
    return Ticket(
        sym=sym, info=at.app.mirror.symbols[sym], hedge=False, effect=effect, qty=qty, price=price,
        order_type=OrderType.LIMIT if price else OrderType.MARKET, tif=TimeInForce.GTC, price_mode=PriceMode.TYPED,
    )  # fmt: skip


def alone(at: Desk, ticket: Ticket) -> Forecast:
    result = forecast(ticket, at.app.mirror.quotes[ticket.sym], at.app.mirror)
    assert not isinstance(result, Missing), result
    return result


def joint(at: Desk, *tickets: Ticket) -> JointForecast:
    books, view = read_books(tickets, at.app.main_screen.view), at.app.main_screen.view
    foreseen = [order.ticket for order in foresee_orders(tickets, view, books)]
    result = forecast_together(foreseen, at.app.mirror, "BINANCE", books)
    assert not isinstance(result, Missing), result
    return result


def describe(at: Desk, tickets: Sequence[Ticket]) -> list[str]:
    view = at.app.main_screen.view
    books = read_books(tickets, view)
    return describe_together(foresee_orders(tickets, view, books), view, books)


async def test_the_summed_forecast_of_a_single_order_equals_its_own() -> None:
    async with desk(160, 45) as at:
        for ticket in (build(at, "0.3", "63900"), build(at, "0.1"), build(at, "1", effect=PositionEffect.SELL)):
            one, sums = alone(at, ticket), joint(at, ticket)
            assert (sums.free, sums.before) == (one.free, one.before.available)
            assert sums.fees == {one.fee_coin: one.fee} and sums.rebates == {one.fee_coin: one.rebate}


async def test_two_resting_orders_of_a_line_reserve_margin_together() -> None:
    """As if the first rested already when the second is previewed."""
    async with desk(160, 45) as at:
        first, second = build(at, "3", "63900"), build(at, "2", "63000")
        sums, fees = joint(at, first, second), alone(at, first).fee + alone(at, second).fee
        assert sums.fees == {"USDT": fees}
        assert sums.free < min(alone(at, first).free, alone(at, second).free)
        at.port.order("x1", BTC, "BUY", "63900", "3", time_in_force="GTC")
        await at.settle()
        assert alone(at, second).free == sums.free


async def test_the_forecast_of_closes_frees_the_margin_they_release() -> None:
    """Beside `LONG 2.5 → 0` stood the free margin of orders that rest, which is that of now."""
    async with desk(160, 45) as at:
        close = msgspec.structs.replace(build(at, "1", "64500", effect=PositionEffect.CLOSE_LONG), hedge=True)
        at_market = msgspec.structs.replace(close, order_type=OrderType.MARKET, price="")
        resting, filled = joint(at, close, close), joint(at, at_market, at_market)
        assert resting.free > filled.free > resting.before, "at the higher price it earns more"


async def test_two_market_orders_of_a_line_cost_as_much_as_their_sum() -> None:
    async with desk(160, 45) as at:
        at.port.quote(BTC, "64001.0", "64001.2", "9", "9")
        await at.settle()
        halves, whole = joint(at, build(at, "1"), build(at, "1")), alone(at, build(at, "2"))
        assert halves.free == whole.free and halves.fees == {"USDT": whole.fee}


async def test_a_spot_buy_of_a_line_reduces_the_balance_for_the_next() -> None:
    async with desk(160, 45) as at:
        one, two = (joint(at, *[build(at, "0.01", "63000", SPOT)] * count) for count in (1, 2))
        assert (one.before - one.free) * 2 == two.before - two.free


async def test_a_line_on_spot_and_margin_shows_the_coin_balance_once() -> None:
    """A spot and a margin order each began at the same balance, and ended at two."""
    async with desk(160, 45) as at:
        record = AssetRecord(coin="BTC", exchange_type="BINANCE", balance="1", available="1")
        at.port.put(Table.ASSETS, "BINANCE/BTC", Fact(record, at.port.stamp()))
        await at.settle()
        orders = [build(at, "0.01", "63000", SPOT), build(at, "0.02", "63000", MARGIN)]
        [_, both], [_, spot] = (describe(at, some) for some in (orders, orders[:1]))
        assert both.startswith("BINANCE BTC 1 → 1.03 · ") and " → 1.02" not in both, both
        assert spot.startswith("BINANCE BTC spot 1 → 1.01 · "), spot


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_the_question_of_a_scale_shows_the_sums_of_its_orders(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await enter(at, SCALE, "enter")
        text = shown(at)
        orders = [build(at, "0.1", price) for price in ("63900.0", "63450.0", "63000.0")]
        sums = joint(at, *orders)
        free = at.app.main_screen.view.amount
        assert "together 0.300 BTC = 19,035.00 USDT" in text, text
        assert f"free on BINANCE {free(sums.before)} → {free(sums.free)}" in text, text
        assert "BINANCE BTC perp LONG 2.5 → 2.8" in text, text
        assert placed(at) == []


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_the_question_of_a_reverse_shows_value_and_fee(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await on_leg(at)
        await at.press("r")
        text = shown(at)
        held = Decimal("2.5")
        assert f"{held * 2:f}" in text and " USDT · fee ~" in text and "free on BINANCE " in text, text
        assert placed(at) == []


UNKNOWN_DEPTH = "depth unknown: margin assumes the worst price"


def known_book(at: Desk, *bids: tuple[str, str], whole: bool = True) -> None:
    at.port.put(Table.DEPTH, BTC, DepthRow(sym=BTC, whole=whole, ts=1, bids=bids, asks=()))


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_a_reverse_question_keeps_the_free_margin_it_showed(size: tuple[int, int]) -> None:
    """It jumped by a hundredth of the order's worth when less than the order stood at the best price."""
    async with desk(*size) as at:
        at.port.quote(BTC, "64001.0", "64001.2", "9", "9", "64001.0")
        await at.settle()
        await on_leg(at)
        await at.press("r")
        before = shown(at)
        figures = before[before.index("together 5.000 BTC") : before.index("[ Back")]
        assert "free on BINANCE" in figures and UNKNOWN_DEPTH not in figures
        at.port.quote(BTC, "64000.0", "64001.2", "0.1", "9", "64001.0")
        await at.pause(0.5)
        await at.settle()
        assert "now 64,000.0 (-1)" in shown(at) and figures in shown(at), shown(at)


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_beyond_known_depth_a_question_says_worst_case_margin(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        at.port.quote(BTC, "64001.0", "64001.2", "0.1", "9", "64001.0")
        await at.settle()
        await on_leg(at)
        await at.press("r")
        assert UNKNOWN_DEPTH in shown(at), shown(at)


@pytest.mark.parametrize(("whole", "known"), [(True, True), (False, False)])
async def test_a_forecast_uses_book_levels_behind_the_best_price(whole: bool, known: bool) -> None:
    async with desk(160, 45) as at:
        at.port.quote(BTC, "64001.0", "64001.2", "0.1", "9", "64001.0")
        # The first two are older than the quote: they do not stand behind its best price.
        known_book(at, ("64001.4", "5"), ("64001.0", "7"), ("64000.0", "0.4"), ("63999.0", "1"), whole=whole)
        await at.settle()
        result = alone(at, build(at, "1", effect=PositionEffect.SELL))
        assert result.depth_known is known
        if known:
            assert result.average == Decimal("0.1") * 64001 + Decimal("0.4") * 64000 + Decimal("0.5") * 63999
        sums = joint(at, build(at, "1", effect=PositionEffect.SELL))
        assert (sums.depth_known, sums.free) == (known, result.free)


async def test_a_forecast_beyond_the_known_book_assumes_a_worse_price() -> None:
    async with desk(160, 45) as at:
        at.port.quote(BTC, "64001.0", "64001.2", "0.1", "9", "64001.0")
        await at.settle()
        order = build(at, "1", effect=PositionEffect.SELL)
        worst = alone(at, order)
        known_book(at, ("64000.0", "0.4"))
        await at.settle()
        better = alone(at, order)
        assert not worst.depth_known and not better.depth_known
        assert worst.average < better.average < 64001 and worst.fee == better.fee


async def test_a_limit_order_forecast_takes_no_level_beyond_its_price() -> None:
    async with desk(160, 45) as at:
        at.port.quote(BTC, "64001.0", "64001.2", "0.1", "9", "64001.0")
        known_book(at, ("64000.0", "0.4"), ("63999.0", "9"))
        await at.settle()
        result = alone(at, build(at, "1", "64000", effect=PositionEffect.SELL))
        assert result.average == Decimal("0.1") * 64001 + Decimal("0.9") * 64000


def put_depth(at: Desk) -> None:
    """A book of 0.5 at each of three prices."""
    at.port.quote(BTC, "64001.0", "64001.2", "0.5", "0.5")
    asks = tuple((price, "0.5") for price in ("64001.2", "64010.0", "64050.0"))
    bids = tuple((price, "0.5") for price in ("64001.0", "63990.0", "63950.0"))
    at.port.put(Table.DEPTH, BTC, DepthRow(sym=BTC, bids=bids, asks=asks, whole=True, ts=1))


@pytest.mark.parametrize("sizes", [("0.5", "0.5", "0.5"), ("0.3", "0.7"), ("0.2", "0.6", "0.4", "0.3")])
@pytest.mark.parametrize("effect", [PositionEffect.BUY, PositionEffect.SELL])
async def test_orders_of_a_line_take_each_book_level_only_once(sizes: tuple[str, ...], effect: PositionEffect) -> None:
    """Each was valued at the best price, as if the ones before it took nothing."""
    async with desk(160, 45) as at:
        put_depth(at)
        await at.settle()
        total = str(sum(map(Decimal, sizes)))
        whole, sums = build(at, total, effect=effect), joint(at, *(build(at, qty, effect=effect) for qty in sizes))
        assert sums.fees == {"USDT": alone(at, whole).fee} and round(sums.free - alone(at, whole).free, 9) == 0
        assert sums.worth == joint(at, whole).worth
        assert round(sums.worth["USDT"] / Decimal(total) - alone(at, whole).average, 9) == 0
        assert sums.depth_known


async def test_buys_and_sells_of_a_line_take_from_their_own_book_sides() -> None:
    async with desk(160, 45) as at:
        put_depth(at)
        await at.settle()
        sums = joint(at, build(at, "0.5"), build(at, "0.5", effect=PositionEffect.SELL))
        assert sums.worth == {"USDT": Decimal("64001.2") / 2 + Decimal("64001.0") / 2}


async def test_a_limit_behind_a_market_order_that_takes_all_rests() -> None:
    async with desk(160, 45) as at:
        put_depth(at)
        await at.settle()
        sums = joint(at, build(at, "0.5"), build(at, "0.4", "64001.2"))
        assert sums.rebates["USDT"] > 0, "the second waits at its price"
        alone_first = alone(at, build(at, "0.5"))
        assert sums.worth == {"USDT": alone_first.average / 2 + Decimal("64001.2") * Decimal("0.4")}


@pytest.mark.parametrize(
    ("second", "does"),
    [
        ("long 0.2 BTC at 64001.2", "earlier orders of the line take all at the ask: would rest"),
        ("long 0.2 BTC at 64001.2 ioc", "earlier orders of the line take all at the ask: would end unfilled"),
        ("long 0.2 BTC at 64020", "earlier orders of the line take all at the ask: would take behind it"),
    ],
)
async def test_a_line_question_says_if_earlier_orders_empty_the_ask(second: str, does: str) -> None:
    async with desk(160, 45) as at:
        put_depth(at)
        await at.settle()
        await enter(at, f"long 0.5 BTC mkt & {second}", "enter")
        first, _, rest = shown(at).partition("2. ")
        assert does in rest and "would take" in first and "before it" not in first, shown(at)


async def be_one_way(at: Desk) -> None:
    """Give the desk one position of 2.5 BTC in one-way mode."""
    account, held = at.app.mirror.accounts["BINANCE"], at.app.mirror.positions[f"{BTC}/LONG"]
    in_one_way = msgspec.structs.replace(account.record, position_mode="NET")
    at.port.put(Table.ACCOUNTS, "BINANCE", msgspec.structs.replace(account, record=in_one_way))
    at.port.put(Table.POSITIONS, f"{BTC}/LONG", None)
    net = msgspec.structs.replace(held.record, position_side="NONE")
    at.port.put(Table.POSITIONS, f"{BTC}/NONE", msgspec.structs.replace(held, record=net))
    await at.settle()


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_a_line_question_shows_to_what_size_reduce_only_reduces(size: tuple[int, int]) -> None:
    """`SELL 0.1` stood beside the worth and rebate of 0.028, and nothing said that it only reduces."""
    async with desk(*size) as at:
        await be_one_way(at)
        await enter(at, "sell 4 BTC at 65000 ro & buy 0.01 BTC at 63000", "enter")
        text = shown(at)
        assert "1. SELL 4 BTC BINANCE BTC perp @ 65,000.0 · ro ≤2.500 · would rest" in text, text
        assert "together 2.510 of 4.010 BTC = 163,130.00 USDT" in text, text
        assert "BINANCE BTC perp 2.5 → 0.01" in text, text


async def test_a_reduce_only_that_fits_shows_no_smaller_size() -> None:
    async with desk(160, 45) as at:
        await be_one_way(at)
        await enter(at, "sell 1 BTC at 65000 ro & buy 0.01 BTC at 63000", "enter")
        assert "@ 65,000.0 · ro · would rest" in shown(at) and " of 1.010 BTC" not in shown(at), shown(at)


@pytest.mark.parametrize(
    ("line", "sums"),
    [
        ("long 0.3 BTC at 64001.2 ioc & long 0.7 BTC at 64001.2 ioc", "together 0.500 of 1.000 BTC = 32,000.60 USDT"),
        ("long 0.3 BTC at 63000 & long 0.7 BTC at 64001.2 fok", "together 0.300 of 1.000 BTC = 18,900.00 USDT"),
        ("long 0.3 BTC at 63000 & long 0.7 BTC at 63000 ioc", "together 0.300 of 1.000 BTC = 18,900.00 USDT"),
        ("long 0.3 BTC at 63000 & long 0.7 BTC at 64100 po", "together 0.300 of 1.000 BTC = 18,900.00 USDT"),
        ("long 0.3 BTC at 63000 ioc & long 0.7 BTC at 63000 ioc", "together 0.000 of 1.000 BTC = 0.00 USDT"),
    ],
)
async def test_line_sums_leave_out_orders_foreseen_to_end_unfilled(line: str, sums: str) -> None:
    """The question said of an order that it would end unfilled, and counted its worth, fee and size."""
    async with desk(160, 45) as at:
        put_depth(at)
        await at.settle()
        await enter(at, line, "enter")
        text = shown(at)
        after = format((Decimal("2.5") + Decimal(sums.split()[1])).normalize(), "f")
        assert sums in text and f"BINANCE BTC perp LONG 2.5 → {after} · " in text, text
        assert ("fee ~" in text) is ("64001.2 ioc" in line), text


async def test_a_reduce_only_order_takes_only_its_reduced_size() -> None:
    async with desk(160, 45) as at:
        await be_one_way(at)
        at.port.quote(BTC, "64001.0", "64001.2", "3", "3")
        await at.settle()
        await enter(at, "sell 4 BTC at 64001 ro & buy 0.01 BTC at 63000", "enter")
        assert "1. SELL 4 BTC BINANCE BTC perp @ 64,001.0 · ro ≤2.500 · would take 2. BUY" in shown(at), shown(at)


async def test_an_unfillable_fok_leaves_the_book_to_the_next_order() -> None:
    async with desk(160, 45) as at:
        put_depth(at)
        await at.settle()
        await enter(at, "long 0.7 BTC at 64001.2 fok & long 0.5 BTC at 64001.2 ioc", "enter")
        _, _, second = shown(at).partition("2. ")
        assert "@ 64,001.2 · would take together 0.500 of 1.200 BTC" in second, shown(at)


async def test_an_order_foreseen_to_end_unfilled_reserves_no_margin() -> None:
    async with desk(160, 45) as at:
        put_depth(at)
        await at.settle()
        ends = msgspec.structs.replace(build(at, "0.7", "63000"), tif=TimeInForce.IOC)
        sums, none = joint(at, build(at, "0.3", "63000"), ends), joint(at, ends)
        assert sums.free == joint(at, build(at, "0.3", "63000")).free
        assert none.free == none.before and not none.fees and none.worth == {"USDT": 0}


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_a_line_question_keeps_the_book_it_was_opened_with(size: tuple[int, int]) -> None:
    """A step said `would take 67,293, the rest ends` over `together 697,446`: it followed the market, the sum did not."""
    async with desk(*size) as at:
        put_depth(at)
        await at.settle()
        await enter(at, "long 0.3 BTC mkt & long 0.7 BTC at 64001.2 ioc", "enter")
        before = shown(at)
        assert "would take 0.200, the rest ends" in before and "together 0.500 of 1.000 BTC" in before, before
        at.port.quote(BTC, "64001.0", "64001.2", "0.5", "0.02")
        await at.pause(0.5)
        await at.settle()
        assert shown(at) == before


async def test_an_ioc_in_a_line_takes_the_levels_left_up_to_its_limit() -> None:
    async with desk(160, 45) as at:
        put_depth(at)
        await at.settle()
        await enter(at, "long 0.3 BTC mkt & long 2 BTC at 64020 ioc", "enter")
        assert "would take 0.700, the rest ends" in shown(at) and "together 1.000 of 2.300 BTC" in shown(at), shown(at)


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_a_line_question_says_that_a_partial_fill_ends_the_line(size: tuple[int, int]) -> None:
    """The sums counted the second order, which was not sent: `filled 0.02 of 0.03, then CANCELLED`."""
    async with desk(*size) as at:
        await be_one_way(at)
        await enter(at, "sell 4 BTC mkt ro ; buy 0.01 BTC at 63000", "enter")
        first, _, second = shown(at).partition("2. ")
        assert "ro ≤2.500 · would take" in first and "ends the line: what follows is not sent" in first, first
        assert "would not be sent" in second and "together 2.500 of 4.010 BTC = 160," in second, second
        assert "BINANCE BTC perp 2.5 → 0 · free" in second, second


async def test_an_order_that_ends_the_line_says_after_which_step() -> None:
    """It said that what follows is not sent, over a step that `&` joins to it, and that was sent."""
    async with desk(160, 45) as at:
        await be_one_way(at)
        await enter(at, "sell 4 BTC mkt ro & buy 0.01 BTC at 63000 ; buy 0.01 BTC at 63001", "enter")
        first, _, second = shown(at).partition("2. ")
        assert "ends the line behind step 2: what follows is not sent" in first, first
        assert second.count("would not be sent") == 1 and "63,000.0 · would rest" in second, second


@pytest.mark.parametrize(
    ("line", "sums"),
    [
        ("long 0.7 BTC at 64001.2 ioc ; long 0.1 BTC at 63000", "together 0.500 of 0.800 BTC"),
        ("long 0.7 BTC at 64001.2 fok ; long 0.1 BTC at 63000", "together 0.000 of 0.800 BTC"),
        ("long 0.1 BTC at 64100 po ; long 0.1 BTC at 63000", "together 0.000 of 0.200 BTC"),
        ("long 0.7 BTC at 64001.2 ioc & long 0.1 BTC at 63000 ; long 0.1 BTC mkt", "together 0.600 of 0.900 BTC"),
        ("long 0.7 BTC at 64001.2 ; long 0.1 BTC at 63000", "together 0.800 BTC"),
    ],
)
async def test_line_sums_count_only_steps_foreseen_to_be_sent(line: str, sums: str) -> None:
    async with desk(160, 45) as at:
        put_depth(at)
        await at.settle()
        await enter(at, line, "enter")
        assert sums in shown(at) and ("ends the line" in shown(at)) is (" of " in sums), shown(at)


async def test_a_second_close_of_a_line_finds_nothing_left_to_close() -> None:
    """Two closes of more than the position were added up whole, over `fee and margin need a position to reduce`."""
    async with desk(160, 45) as at:
        await be_one_way(at)
        await enter(at, "sell 4 BTC mkt ro & sell 4 BTC mkt ro", "enter")
        _, _, second = shown(at).partition("2. ")
        assert "ro · would find no position to close together 2.500 of 8.000 BTC = " in second, second
        assert "BINANCE BTC perp 2.5 → 0 · free on BINANCE" in second, second


async def test_line_sums_of_exits_never_exceed_the_position() -> None:
    async with desk(160, 45) as at:
        await be_one_way(at)
        await enter(at, "sell 2 BTC at 65000 ro & sell 4 BTC at 66000 ro & sell 1 BTC mkt ro", "enter")
        assert "at market · ro · would take together 2.500 of 7.000 BTC = " in shown(at), shown(at)
        assert "BINANCE BTC perp 2.5 → 0" in shown(at), shown(at)


async def test_of_several_exits_the_nearest_is_foreseen_to_close_first() -> None:
    """The farther one of 4 had no bound by the nearer, and took all in the sum: steps and sum did not agree."""
    async with desk(160, 45) as at:
        await be_one_way(at)
        line = "buy 0.5 BTC mkt & sell 4 BTC at 66000 ro & sell 1 BTC at 65000 ro & sell 1 BTC at 67000 ro"
        await enter(at, line, "enter")
        assert "2. SELL 4 BTC BINANCE BTC perp @ 66,000.0 · ro ≤2.000 · would rest" in shown(at), shown(at)
        assert "3. SELL 1 BTC BINANCE BTC perp @ 65,000.0 · ro · would rest" in shown(at), shown(at)
        assert "67,000.0 · ro · would rest: orders nearer the market close the whole position first" in shown(at), (
            shown(at)
        )
        assert "together 3.500 of 6.500 BTC" in shown(at), shown(at)


async def test_a_reduced_close_leaves_book_size_to_the_order_after_it() -> None:
    """The line behind it counted its whole size as taken ahead."""
    async with desk(160, 45) as at:
        await be_one_way(at)
        at.port.quote(BTC, "64001.0", "64001.2", "3", "3")
        await at.settle()
        await enter(at, "sell 4 BTC mkt ro & sell 1 BTC at 64001 ioc", "enter")
        assert "would take 0.500, the rest ends" in shown(at), shown(at)


async def test_the_opening_of_a_reverse_is_previewed_after_its_close() -> None:
    """In hedge mode it said `short 0 → 2.5 · long stays 2.5`, with the liquidation price of both."""
    async with desk(160, 45) as at:
        view = at.app.main_screen.view
        line = parse(f"rev {BTC}", Scene(at.app.mirror.symbols))
        close, opening = foresee_requests(dict(enumerate(list_requests(look_ahead(line, view, Cursor())))), view)
        alone_lines, behind = (describe_order(opening.asked, view, some) for some in ([], [close.ticket]))
        assert "effect: short 0 → 2.5 BTC · long stays 2.5" in alone_lines and "effect: short 0 → 2.5 BTC" in behind
        [risk], [other] = ([text for text in lines if text.startswith("risk: ")] for lines in (alone_lines, behind))
        assert "liq – → " in other.replace("none", "–") and risk != other, (risk, other)


async def test_the_second_order_of_a_line_shows_no_break_even() -> None:
    """The fee of the orders before it is in no record of the position yet."""
    async with desk(160, 45) as at:
        order, view = build(at, "0.1"), at.app.main_screen.view
        first, second = (" ".join(describe_order(order, view, some)) for some in ([], [order]))
        assert "break-even" in first and "break-even" not in second and "fee ~" in second, second
        assert "position 0 → 0.1 BTC" in first and "position 0.1 → 0.2 BTC" in second, second
