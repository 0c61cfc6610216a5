"""A line becomes the tickets it says, by the figures of the desk; what it cannot be is refused by its code."""

from __future__ import annotations

import random
import re
from decimal import ROUND_HALF_UP, Decimal

import msgspec
import pytest

from tests.workstation.scripted import ScriptedClock, ScriptedPort, fill_desk
from tui.engine.rows import Fact, Table
from tui.interface.decimals import plain
from tui.interface.families.orders import TimeInForce
from tui.rules import sizes
from tui.workstation.command_line.grammar.parser import parse
from tui.workstation.command_line.grammar.refusals import Code, LineRefused
from tui.workstation.command_line.grammar.scene import Scene
from tui.workstation.command_line.grammar.syntax import Change, Close, Nudge, Order, Scale
from tui.workstation.command_line.named_rows import Cursor
from tui.workstation.command_line.order_plan import (
    build_close,
    build_nudge,
    build_order,
    build_replace,
    build_reverse,
    describe_part_of_turn,
    refuse_problems,
)
from tui.workstation.command_line.outlook import look_ahead
from tui.workstation.command_line.scale_plan import build_scale
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.mirror import Mirror
from tui.workstation.model.position_metrics import list_closing
from tui.workstation.settings import WorkstationSettings
from tui.workstation.tickets.order import ticket_factory
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.price import immediate_outcome
from tui.workstation.tickets.preview.protection import stop_pieces
from tui.workstation.tickets.preview.size import list_rounding

BTC, ETH, OKX, EDX = (
    "BINANCE_PERP_BTC_USDT", "BINANCE_PERP_ETH_USDT", "OKX_PERP_BTC_USDT", "EDX_PERP_BTC_USDT",
)  # fmt: skip


def read_desk(*, hedge: bool = True, held: bool = True) -> DisplayContext:
    """The desk of the drawings: positions in BTC and ETH, in hedge or one-way mode."""
    clock = ScriptedClock()
    port = ScriptedPort(clock)
    fill_desk(port)
    mirror = Mirror(clock)
    mirror.apply(port.updates.take())
    for venue, fact in list(mirror.accounts.items()):
        account = msgspec.structs.replace(fact.record, position_mode="BOTH" if hedge else "NET")
        port.put(Table.ACCOUNTS, venue, Fact(account, fact.stamp))
    for key, leg in list(mirror.positions.items()):
        if held and hedge:
            continue
        port.put(Table.POSITIONS, key, None)
        if held:
            sign = "-" if leg.record.position_side == "SHORT" else ""
            size = sign + leg.record.position_qty.lstrip("-")
            record = msgspec.structs.replace(leg.record, position_side="NONE", position_qty=size)
            port.put(Table.POSITIONS, f"{record.sym}/NONE", Fact(record, leg.stamp))
    mirror.apply(port.updates.take())
    return DisplayContext(mirror, clock, WorkstationSettings())


def scene(view: DisplayContext, in_view: str = BTC) -> Scene:
    return Scene(view.mirror.symbols, in_view)


def ticket(line: str, view: DisplayContext) -> Ticket:
    """The ticket of a line with one order."""
    [step] = parse(line, scene(view)).steps
    assert isinstance(step.command, Order)
    return build_order(step.command, view)


def sent(line: str, view: DisplayContext) -> tuple[str, ...]:
    """Side, leg, quantity, price, time in force and flags of the order that a line sends."""
    built = ticket(line, view)
    refuse_problems(built, view)
    price = built.limit_text(view.mirror.quotes.get(built.sym))
    flags = ("ro",) if built.reduce_only else ()
    return built.side.value, built.position_side.value, built.qty, price or "market", built.tif.value, *flags


HEDGED = {
    "b 0.5 BTC at 63000 po": ("BUY", "LONG", "0.5", "63000", "GTX"),
    "long 0.5 BTC join": ("BUY", "LONG", "0.5", "64001.0", "GTX"),
    "short 0.5 BTC join": ("SELL", "SHORT", "0.5", "64001.2", "GTX"),
    "long $900 BTC take": ("BUY", "LONG", "0.014", "64001.2", "IOC"),
    "long 0.5 BTC take 2": ("BUY", "LONG", "0.5", "64001.4", "IOC"),
    "long 0.5 BTC take 2 gtc": ("BUY", "LONG", "0.5", "64001.4", "GTC"),
    "long 0.5 BTC improve 1": ("BUY", "LONG", "0.5", "64001.1", "GTX"),
    "long 0.5 BTC improve 9": ("BUY", "LONG", "0.5", "64001.1", "GTX"),
    "long 0.5 BTC mid": ("BUY", "LONG", "0.5", "64001.1", "GTX"),
    "long 0.5 BTC join-3t": ("BUY", "LONG", "0.5", "64000.7", "GTX"),
    "long 0.5 BTC at bid-1%": ("BUY", "LONG", "0.5", "63360.9", "GTC"),
    "short 0.5 BTC at ask+10bp": ("SELL", "SHORT", "0.5", "64065.3", "GTC"),
    "long 0.5 BTC at entry": ("BUY", "LONG", "0.5", "63870.0", "GTC"),
    "xlong all BTC mkt": ("SELL", "LONG", "2.5", "market", "GTX"),
    "xlong 50% pos BTC join": ("SELL", "LONG", "1.25", "64001.2", "GTX"),
    "xlong half BTC at 70000": ("SELL", "LONG", "1.25", "70000", "GTC"),
    "sell 1 BTC BINANCE_PERP_BTC at 70000 ro": ("SELL", "LONG", "1", "70000", "GTC"),
    "long 25ct OKX_PERP_BTC join": ("BUY", "LONG", "25", "64000.9", "GTX"),
    "long 0.25 BTC OKX_PERP_BTC join": ("BUY", "LONG", "25", "64000.9", "GTX"),
    "long v1 BTC join": ("BUY", "LONG", "0.001", "64001.0", "GTX"),
    "long $size BTC join": ("BUY", "LONG", "2.5", "64001.0", "GTX"),
}  # fmt: skip
"""Order in hedge mode by line."""

ONE_WAY = {
    "b 0.5 BTC at 63000": ("BUY", "NONE", "0.5", "63000", "GTC"),
    "sell 0.5 BTC join": ("SELL", "NONE", "0.5", "64001.2", "GTX"),
    "long 0.5 BTC join": ("BUY", "NONE", "0.5", "64001.0", "GTX"),
    "xlong all BTC mkt": ("SELL", "NONE", "2.5", "market", "GTX", "ro"),
    "sell half mkt ro": ("SELL", "NONE", "1.25", "market", "GTX", "ro"),
}
"""Order in one-way mode by line."""

REFUSED = {
    "sell 0.5 BTC join": Code.TWO_READINGS,
    "xshort all BTC mkt": Code.LEG_EMPTY,
    "buy 0.0001 BTC join": Code.ZERO_QTY,
    "buy 0.0005btc join": Code.ZERO_QTY,
    "long 0.5 BTC at 63000.05": Code.OFF_TICK,
    "long 0.5 BTC at 63000 sl 64000": Code.WRONG_SIDE_TRIGGER,
    "long 0.5 BTC at 63000 sl entry+1%": Code.WRONG_SIDE_TRIGGER,
    "long 0.5 BTC at 63000 tp entry-1%": Code.WRONG_SIDE_TRIGGER,
    "long 0.5 BTC at 63000 max 5k": Code.OVER_MAX,
    "long 0.5 BTC at index": Code.NOT_KNOWN,
    "long 1 SOL BINANCE_PERP_SOL at entry": Code.NOT_KNOWN,
    "long 0.5 BTC join id abc": Code.NOT_YET,
    "long v2 BTC join": Code.NOT_YET,
    "short $ssize BTC join": Code.LEG_EMPTY,
    "long 1ct BTC join": Code.WRONG_UNIT,
    "long risk $0.01 BTC at 63000 sl 60000": Code.ZERO_QTY,
    "xlong 0.01% pos BTC join": Code.ZERO_QTY,
}
"""Code in hedge mode by line."""


@pytest.mark.parametrize("line", HEDGED)
def test_a_command_line_sends_its_order_in_hedge_mode(line: str) -> None:
    assert sent(line, read_desk()) == HEDGED[line]


@pytest.mark.parametrize("line", ONE_WAY)
def test_a_command_line_sends_its_order_in_one_way_mode(line: str) -> None:
    assert sent(line, read_desk(hedge=False)) == ONE_WAY[line]


@pytest.mark.parametrize("line", REFUSED)
def test_a_command_line_that_cannot_be_sent_gives_a_reason_code(line: str) -> None:
    with pytest.raises(LineRefused) as refused:
        sent(line, read_desk())
    assert refused.value.code is REFUSED[line], str(refused.value)


def test_stop_and_target_offsets_count_from_the_order_price() -> None:
    view = read_desk()
    built = ticket("long 0.5 BTC at 63000 tp entry+2r sl entry-1% by mark", view)
    stop, target = built.protections(view.mirror.quotes.get(BTC))
    assert stop is not None and target is not None
    assert (stop.trigger, target.trigger, stop.source) == (Decimal("62370"), Decimal("64260"), "MARK_PRICE")


def test_a_stop_of_a_taking_order_counts_from_where_it_fills() -> None:
    """The limit of a taking order lies beyond the price that it gets."""
    view = read_desk(held=False)
    stops = {}
    for price in ("at 64001.2", "take", "take 30", "at 70000", "at 63000"):
        stop, _ = ticket(f"long 0.5 BTC {price} sl entry-1%", view).protections(view.mirror.quotes[BTC])
        assert stop is not None
        stops[price] = stop.trigger
    assert set(stops.values()) == {Decimal("63361.2"), Decimal(62370)} and stops["at 63000"] == 62370, stops


def test_an_order_sized_by_risk_loses_at_most_that_at_its_stop() -> None:
    """500 random tickets, filled at their entry and closed at their stop; only a post-only entry has the maker fee."""
    view, rng = read_desk(held=False), random.Random(37)
    taker, maker, tried = Decimal("0.0005"), Decimal("-0.00005"), 0
    while tried < 500:
        sym, base = rng.choice([(BTC, 64000), (ETH, 3412), (OKX, 64000)])
        verb = rng.choice(["long", "short"])
        way = -1 if verb == "long" else 1
        entry = Decimal(base) + rng.randint(-200, 200)
        stop = entry + way * max(1, round(base * rng.uniform(0.001, 0.05)))
        by_percent = rng.random() < 0.5
        amount = Decimal(rng.randint(1, 30)) / 10 if by_percent else Decimal(rng.randint(20, 5000))
        risk = f"risk {amount}%" if by_percent else f"risk ${amount}"
        equity = Decimal(view.mirror.accounts[sym.split("_")[0]].record.equity)
        most = equity * amount / 100 if by_percent else amount
        post_only = rng.random() < 0.5
        try:
            built = ticket(f"{verb} {risk} {sym} at {entry} sl {stop}{' po' if post_only else ''}", view)
        except LineRefused as refused:
            fills_behind_the_stop = refused.code is Code.WRONG_SIDE_TRIGGER and (entry - stop) * (base - stop) <= 0
            assert fills_behind_the_stop or (refused.code is Code.ZERO_QTY and most < 100), str(refused)
            continue
        size, contract = built.size() or Decimal(0), built.contract
        per_unit = contract * (abs(entry - stop) + entry * (maker if post_only else taker) + stop * taker)
        assert size * per_unit <= most < (size + (built.lot or 0)) * per_unit
        tried += 1


def test_the_size_of_a_market_order_by_risk_counts_the_taker_fee() -> None:
    """Its size counted with the maker's rebate, and so lost more at the stop than the risk that was typed."""
    view = read_desk(held=False)
    built = ticket("buy risk $200 BTC mkt sl 63900", view)
    entry, stop, taker = Decimal("64001.2"), Decimal(63900), Decimal("0.0005")
    per_unit = entry - stop + (entry + stop) * taker
    assert built.size() is not None and (built.size() or 0) * per_unit <= 200
    shown = "".join(text for text, _ in stop_pieces(built, view.mirror.quotes[BTC], view))
    lost = (built.size() or Decimal(0)) * per_unit
    assert f"~{lost.quantize(Decimal('0.01'), ROUND_HALF_UP)} with fees" in shown, shown


def test_a_market_order_preview_ignores_a_leftover_fok_choice() -> None:
    """The form keeps the time in force that was chosen before the type, which a market order is not sent with."""
    view = read_desk(held=False)
    built = msgspec.structs.replace(ticket("buy 1.9 BTC mkt", view), tif=TimeInForce.FOK)
    quote = msgspec.structs.replace(view.mirror.quotes[BTC], ask_qty="0.5")
    said = immediate_outcome(built, quote, view)
    assert said is not None and said[0] == "would take the 0.500 at the ask, and the rest behind it"


OFF_LOT = {
    "long 2.7ct OKX_PERP_ETH join": "2.7ct must be a multiple of 1 ct (nearest 2ct or 3ct)",
    "long 0.13 ETH OKX_PERP_ETH join": "0.13 ETH must be a multiple of 0.1 ETH (nearest 0.1 ETH or 0.2 ETH)",
    "long 0.0125 BTC EDX_PERP_BTC join": "0.0125 BTC must be a multiple of 0.001 BTC (nearest 0.012 BTC or 0.013 BTC)",
}


@pytest.mark.parametrize("line", OFF_LOT)
def test_contracts_and_coins_off_the_lot_are_refused(line: str) -> None:
    with pytest.raises(LineRefused) as refused:
        ticket(line, read_desk(held=False))
    assert str(refused.value) == OFF_LOT[line] and refused.value.code is Code.TICKET


def test_a_replace_or_scale_off_the_lot_is_refused() -> None:
    view = read_desk()
    [step] = parse("re here tot 0.2005 BTC", scene(view)).steps
    assert isinstance(step.command, Change)
    with pytest.raises(LineRefused, match=r"nearest 0\.2 BTC or 0\.201 BTC"):
        build_replace(step.command, view.mirror.orders["o3"], view)
    with pytest.raises(LineRefused, match=r"nearest 0\.5 BTC or 0\.501 BTC"):
        scale("scale buy 0.5005 BTC 5 from 63000 to 62000", read_desk(held=False))


@pytest.mark.parametrize("size", ["$100", "0.1k$", "100q", "100 q"])
def test_a_money_size_preview_says_that_the_lot_rounded_it(size: str) -> None:
    view = read_desk(held=False)
    outlook = look_ahead(parse(f"long {size} BTC join", scene(view)), view, Cursor())
    assert outlook.text.endswith("; size rounded down to 0.001 BTC (lot 0.001)")
    assert "rounded" not in look_ahead(parse("long $641 BTC join", scene(view)), view, Cursor()).text


def test_the_preview_of_a_scale_says_its_rounding() -> None:
    view = read_desk(held=False)
    outlook = look_ahead(parse("scale buy $170 BTC 2 from 63000 to 62000", scene(view)), view, Cursor())
    assert outlook.text.endswith("; size rounded down to 0.002 BTC (lot 0.001)")


def test_a_partial_close_preview_says_that_the_lot_rounded_it() -> None:
    view = read_desk()
    fact = view.mirror.positions[f"{BTC}/LONG"]
    held = msgspec.structs.replace(fact.record, position_qty="0.003")
    view.mirror.positions[f"{BTC}/LONG"] = Fact(held, fact.stamp)
    closed = ticket_factory.close_part(held, view, 50)
    assert isinstance(closed, Ticket) and list_rounding(closed) == list_rounding(ticket("xlong half BTC mkt", view))
    assert list_rounding(closed) == ["size rounded down to 0.001 BTC (lot 0.001)"]


@pytest.mark.parametrize(
    ("key", "share"),
    [(f"{OKX}/SHORT", "50 % of the 175 ct that working orders leave"), (f"{BTC}/LONG", "50 % of the position")],
)
def test_a_partial_close_says_what_its_percentage_is_of(key: str, share: str) -> None:
    view = read_desk()
    closed = ticket_factory.close_part(view.mirror.positions[key].record, view, 50)
    assert isinstance(closed, Ticket) and closed.share_text == share


def test_a_partial_close_is_refused_if_working_orders_close_all() -> None:
    view = read_desk()
    fact = view.mirror.positions[f"{OKX}/SHORT"]
    held = msgspec.structs.replace(fact.record, position_qty="20")  # an order closes 25
    view.mirror.positions[f"{OKX}/SHORT"] = Fact(held, fact.stamp)
    [order] = list_closing(held, view.mirror)
    held_by = f"BUY 25ct OKX BTC perp @ {view.price(OKX, order.price)}"
    text = f"working orders close all of it: cancel them first: {held_by}"
    with_keys = text.replace("first:", "first (⟦pane.2⟧, then ⟦order.cancel⟧):")
    assert ticket_factory.close_part(held, view, 50) == with_keys
    with pytest.raises(LineRefused, match=re.escape(text)):
        ticket("xshort half OKX_PERP_BTC mkt", view)


def test_a_partial_close_below_a_lot_names_orders_for_the_rest() -> None:
    view = read_desk()
    fact = view.mirror.positions[f"{OKX}/SHORT"]
    held = msgspec.structs.replace(fact.record, position_qty="26")
    view.mirror.positions[f"{OKX}/SHORT"] = Fact(held, fact.stamp)
    text = "25 % of 1 is less than a lot of 1; working orders hold the rest: BUY 25ct OKX BTC perp @ "
    assert str(ticket_factory.close_part(held, view, 25)).startswith(text)
    with pytest.raises(LineRefused, match=re.escape(text)):
        ticket("xshort 25% pos OKX_PERP_BTC mkt", view)


def scale(line: str, view: DisplayContext) -> list[tuple[str, str]]:
    [step] = parse(line, scene(view)).steps
    assert isinstance(step.command, Scale)
    return [(rung.price, rung.qty) for rung in build_scale(step.command, view).tickets]


def test_a_scale_order_spreads_prices_and_quantities() -> None:
    view = read_desk(held=False)
    assert scale("scale buy 0.5 BTC 5 from 63000 to 62000", view) == [
        ("63000.0", "0.1"), ("62750.0", "0.1"), ("62500.0", "0.1"), ("62250.0", "0.1"), ("62000.0", "0.1"),
    ]  # fmt: skip
    assert [qty for _, qty in scale("scale buy 0.1 BTC 3 from 63000 to 62000 geo", view)] == ["0.021", "0.031", "0.048"]
    with pytest.raises(LineRefused, match="different prices"):
        scale("scale buy 0.5 BTC 5 from 63000 to 63000.2", view)
    with pytest.raises(LineRefused, match="less than a lot"):
        scale("scale buy 0.002 BTC 5 from 63000 to 62000", view)


def test_a_scale_split_by_weight_adds_up_to_its_whole_size() -> None:
    ten = sizes.split_quantity(Decimal(10), sizes.list_weights(5, "lin"), Decimal("0.01"))
    assert [str(part) for part in ten] == ["0.66", "1.33", "2.00", "2.66", "3.35"]
    seven = sizes.split_quantity(Decimal(1), sizes.list_weights(7, "even"), Decimal("0.001"))
    assert [str(part) for part in seven] == [*["0.142"] * 6, "0.148"]


def test_replace_and_nudge_lines_compute_price_and_total_size() -> None:
    view = read_desk()
    order = view.mirror.orders["o3"]

    def replace(line: str) -> tuple[str, str]:
        [step] = parse(line, scene(view)).steps
        assert isinstance(step.command, Change)
        built = build_replace(step.command, order, view)
        return built.price, built.qty

    assert replace("re here px 63990") == ("63990", "0.250")
    assert replace("re here tot 0.3 BTC") == ("63998.0", "0.3")
    assert replace("re here rest 0.3 BTC") == ("63998.0", "0.4")
    order = msgspec.structs.replace(order, known_fills="0.15")
    assert replace("re here rest 0.3 BTC") == ("63998.0", "0.45"), "fills ahead of its record"
    [step] = parse("nudge here -3t", scene(view)).steps
    assert isinstance(step.command, Nudge)
    assert build_nudge(step.command, order, view).price == "63997.7"


@pytest.mark.parametrize("hedge", [True, False])
def test_a_reverse_ends_with_the_same_size_on_the_other_side(hedge: bool) -> None:
    view = read_desk(hedge=hedge)
    [record] = [fact.record for fact in view.mirror.positions.values() if fact.record.sym == BTC]
    orders = build_reverse(record, view)
    changes = {"LONG": Decimal("2.5"), "SHORT": Decimal(0), "NONE": Decimal("2.5")}
    for order in orders:
        changes[order.position_side.value] += order.side.sign * (order.size() or 0)
    assert changes == (
        {"LONG": 0, "SHORT": Decimal("-2.5"), "NONE": Decimal("2.5")}
        if hedge
        else {"LONG": Decimal("2.5"), "SHORT": 0, "NONE": Decimal("-2.5")}
    )


@pytest.mark.parametrize(
    ("size", "orders"),
    [
        ("0.5", [("1", False)]),
        ("1.2", [("1.2", True), ("1.2", False)]),
        ("2.5", [("5", False)]),
    ],
)
def test_a_reverse_is_split_if_only_its_halves_fit_the_limit(size: str, orders: list[tuple[str, bool]]) -> None:
    view = read_desk(hedge=False)
    [record] = [fact.record for fact in view.mirror.positions.values() if fact.record.sym == BTC]
    built = build_reverse(msgspec.structs.replace(record, position_qty=size), view)
    assert [(order.qty, order.closes) for order in built] == orders
    if len(built) == 2:
        assert [describe_part_of_turn(order) for order in built] == [f"closes LONG {size}", f"opens SHORT {size}"]


def test_a_close_line_closes_all_or_a_share_at_market_or_a_price() -> None:
    view = read_desk()
    record = view.mirror.positions[f"{BTC}/LONG"].record

    def close(line: str) -> tuple[str, str, str]:
        [step] = parse(line, scene(view)).steps
        assert isinstance(step.command, Close)
        built = build_close(step.command, record, view)
        return built.qty, built.order_type.value, built.limit_text(view.mirror.quotes.get(BTC))

    assert close("flat") == ("2.5", "MARKET", "")
    assert close("close 33.3%") == ("0.832", "MARKET", "")
    assert close("close 20% here join") == ("0.5", "LIMIT", "64001.2")
    assert close("close 100% here at 70000") == ("2.5", "LIMIT", "70000")


@pytest.mark.parametrize(
    "line", ["scale sell $9000 BTC 7 from 70000 to 90000", "scale buy $9000 BTC 12 from 63000 to 62000"]
)
def test_a_scale_in_money_is_sized_at_the_middle_of_its_prices(line: str) -> None:
    rungs = scale(line, read_desk(held=False))
    mean = sum((Decimal(price) for price, _ in rungs), Decimal(0)) / len(rungs)
    total = sum((Decimal(qty) for _, qty in rungs), Decimal(0))
    assert Decimal(0) <= Decimal(9000) - total * mean < Decimal("0.001") * mean + 1


def test_a_scale_by_risk_is_sized_to_its_stop() -> None:
    """The lots that rounding leaves stand at the last price: far from the stop they cost one of them."""
    view = read_desk(held=False)
    whole = Decimal(ticket("buy risk $200 at 62500 sl 60000", view).qty)
    for way, cost in (("from 63000 to 62000", "0"), ("from 62000 to 63000", "0.001")):
        rungs = scale(f"scale buy risk $200 BTC 5 {way} sl 60000", view)
        assert sum((Decimal(qty) for _, qty in rungs), Decimal(0)) == whole - Decimal(cost)


@pytest.mark.parametrize("weights", ["even", "lin", "geo", "geo 3"])
@pytest.mark.parametrize("way", ["buy from 62000 to 63000", "buy from 63000 to 62000", "sell from 66000 to 64500"])
def test_a_weighted_scale_sized_by_risk_loses_at_most_that_risk(weights: str, way: str) -> None:
    """It was sized at the plain middle of its prices, and most of it then stood far beyond that."""
    verb, prices = way.split(maxsplit=1)
    stop, sign, fee = (60000, 1, Decimal("0.0005")) if verb == "buy" else (68000, -1, Decimal("0.0005"))
    rungs = scale(f"scale {verb} risk $500 BTC 5 {prices} {weights} sl {stop}", read_desk(held=False))
    lost = sum(Decimal(qty) * ((Decimal(price) - stop) * sign + (Decimal(price) + stop) * fee) for price, qty in rungs)
    assert 490 < lost <= 500, lost


@pytest.mark.parametrize(
    ("line", "stop", "target"),
    [
        ("long 0.5 BTC at 63999 sl bid-2% tp ask+2.01%", "62721", "65287.6"),
        ("short 0.5 BTC at 64003 sl ask+2.01% tp bid-2%", "65287.6", "62721"),
    ],
)
def test_a_computed_order_trigger_is_rounded_to_fire_earlier(line: str, stop: str, target: str) -> None:
    """It was rounded like the limit price of its order, so that a stop lay up to a tick behind what was typed."""
    view = read_desk(hedge=False, held=False)
    built = ticket(line.replace("long", "buy").replace("short", "sell"), view)
    triggers = built.protections(view.mirror.quotes[BTC])
    assert [plain(trigger.trigger) for trigger in triggers if trigger is not None] == [stop, target]


@pytest.mark.parametrize("offset", ["500", "0.8%", "20t"])
def test_sl_entry_in_an_order_line_counts_from_the_order_price(offset: str) -> None:
    """`sl entry-500` was measured from the entry of the position, `entry-1%` from the price of the order."""
    view = read_desk()
    stop, _ = ticket(f"long 0.1 BTC at 62000 sl entry-{offset}", view).protections(view.mirror.quotes[BTC])
    expected = {"500": "61500", "0.8%": "61504", "20t": "61998"}[offset]
    assert stop is not None and Decimal(stop.trigger) == Decimal(expected)


@pytest.mark.parametrize(
    ("line", "effects"),
    [
        (f"scale sell 6 BTC {BTC} 3 from 65000 to 66000", ["", "closes LONG 0.5, opens SHORT 1.5", ""]),
        (f"sell 2 BTC {BTC} mkt ; sell 2 BTC {BTC} mkt", ["", "closes LONG 0.5, opens SHORT 1.5"]),
        (f"sell 4 BTC {BTC} mkt & buy 4 BTC {BTC} at 60000",
         ["closes LONG 2.5, opens SHORT 1.5", "closes SHORT 1.5, opens LONG 2.5"]),
        (f"close 50% {BTC} ; sell 3 BTC {BTC} mkt", ["", "closes LONG 1.25, opens SHORT 1.75"]),
    ],
)  # fmt: skip
def test_an_order_of_a_line_shows_its_effect_after_earlier_ones(line: str, effects: list[str]) -> None:
    view = read_desk(hedge=False)
    steps = look_ahead(parse(line, scene(view)), view, Cursor()).steps
    assert [effect for step in steps for effect in step.effects] == effects
