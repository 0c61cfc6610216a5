"""Cells of the page: every size has its unit, prices the decimals of the tick, positions their stops."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import msgspec
import pytest

from tests.desk_protocol.desks import STARTING
from tui.desk_protocol.messages import Role, Rows
from tui.desk_protocol.row_codec import encode_rows
from tui.engine.rows import AlgoRow, Fact, OrderRow, Row, Source, Stamp, Table
from tui.engine.state.closing_orders import list_triggers
from tui.host import HostClock, fresh_id
from tui.interface.families.algo import AlgoRecord
from tui.interface.families.assets import AssetRecord
from tui.interface.families.market import SymbolInfo
from tui.interface.families.positions import PositionRecord
from tui.page.snapshot import NO_STOP, take_snapshot, write_amount
from tui.programs.records import Asset, Order, Position, Quote, read_asset, read_status
from tui.programs.watched_desk import Stops, WatchedDesk

BTC = "BINANCE_PERP_BTC_USDT"
STAMP = Stamp("7001", 1, 0, Source.PUSH, 0.0)


def read_cells(
    sym: str, size: Decimal = Decimal(300), stops: Stops | None = None, assets: Sequence[Asset] = ()
) -> dict[str, tuple[str, ...]]:
    """Take a snapshot of a desk with one quote, order and position of a pair; the row of each table."""
    quote = Quote(sym=sym, bid=size, bid_size=size, ask=size, ask_size=size, mark=size, at=None)
    order = Order(
        key="1", order_id="1", sym=sym, side="BUY", position_side="", type="LIMIT", time_in_force="", price=size,
        size=size, filled=Decimal(20), average=None, state="OPEN", working=True, unsure=False, changing=False, sender="",
        reason="", created=None,
    )  # fmt: skip
    position = Position(sym=sym, side="SHORT", size=-size, entry=size, mark=size, unrealised=None, liquidation=None)
    desk = SimpleNamespace(
        status=read_status(STARTING), orders=[order], positions=[position], adl_ranks=[], assets=assets, links=[],
        quote=lambda sym: quote, quote_age=lambda sym: 0.1, pairs=[SymbolInfo(sym=sym, tick_size="0.10")],
        stops_of=lambda position: stops or Stops(),
    )  # fmt: skip
    tables = take_snapshot(cast("WatchedDesk", desk), [sym], 0.0).tables
    return {table.name: table.rows[0] for table in tables if table.rows}


@pytest.mark.parametrize(("sym", "unit"), [("OKX_PERP_BTC_USDT", "ct"), (BTC, "BTC")])
def test_every_size_on_the_web_page_has_its_unit(sym: str, unit: str) -> None:
    cells = read_cells(sym)
    assert cells["Positions"][2] == f"300 {unit}"
    assert (cells["Orders"][2], cells["Orders"][5]) == (f"300 {unit}", f"20 {unit}")
    assert cells["Quotes"][4:6] == (f"300 {unit}", f"300 {unit}")


def test_web_page_prices_have_at_least_the_decimals_of_the_tick() -> None:
    cells = read_cells(BTC, Decimal(61807))
    assert cells["Quotes"][1:3] == ("61,807.0", "61,807.0") and cells["Orders"][3] == "61,807.0"
    finer = read_cells(BTC, Decimal("61806.55"))
    assert finer["Positions"][4:6] == ("61,806.6", "61,806.6"), "averages and marks are rounded"
    assert finer["Orders"][3] == finer["Quotes"][1] == "61,806.55", "an order or a quote is not"


@pytest.mark.parametrize(
    ("stops", "shown"),
    [
        (Stops(), NO_STOP),
        (Stops((Decimal(61000),)), "61,000.0"),
        (Stops((Decimal(61000), Decimal(60000)), is_part=True), "61,000.0½ +1"),
    ],
)
def test_a_position_on_the_web_page_shows_its_stops(stops: Stops, shown: str) -> None:
    assert read_cells(BTC, stops=stops)["Positions"][6] == shown


def test_the_web_page_counts_the_loan_in_what_is_owed() -> None:
    record = AssetRecord(coin="USDT", exchange_type="BINANCE", balance="1000", debt="0.5", loan="5000")
    asset = read_asset(Fact(record, STAMP))
    assert (asset.debt, asset.loan, asset.owed) == (Decimal("0.5"), Decimal(5000), Decimal("5000.5"))
    bare = read_asset(Fact(AssetRecord(coin="USDT", exchange_type="BINANCE", balance="1", debt="2"), STAMP))
    assert (bare.loan, bare.owed) == (Decimal(0), Decimal(2))
    unreadable = read_asset(Fact(msgspec.structs.replace(record, loan=""), STAMP))
    assert unreadable.owed is None, "a loan that cannot be read is not 0"
    assert read_cells(BTC, assets=[asset])["Assets"][-1] == "5,000.5"


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        ("1234.56789", "1,234.5678"), ("1.50000000", "1.5"), ("0.123456789", "0.12345678"), ("-1.00001", "-1.0001"),
        ("2000", "2,000"), ("0.00", "0"),
    ],
)  # fmt: skip
def test_balances_on_the_web_page_are_rounded_down(amount: str, shown: str) -> None:
    assert write_amount(Decimal(amount)) == shown


def read_stops(position: PositionRecord, *algos: AlgoRecord) -> Stops:
    """Return the stops of the one position of a desk with these algo orders."""
    desk = WatchedDesk(Path("nowhere"), HostClock(), fresh_id, name="page", role=Role.WATCH)
    rows: dict[str, Row | None] = {
        algo.algo_order_id: AlgoRow(key=algo.algo_order_id, record=algo, stamp=STAMP) for algo in algos
    }
    desk.on_rows(Rows(Table.ALGOS, msgspec.Raw(encode_rows(rows))))
    desk.on_rows(Rows(Table.POSITIONS, msgspec.Raw(encode_rows({"p": Fact(position, STAMP)}))))
    return desk.stops_of(desk.positions[0])


def make_algo(
    number: str, price: str, side: str = "SELL", state: str = "NEW", qty: str = "", **more: str
) -> AlgoRecord:
    condition = "PARTIAL_CLOSE_POSITION" if qty else "ENTIRE_CLOSE_POSITION"
    return AlgoRecord(
        algo_order_id=number, sym=BTC, side=side, order_state=state, order_qty=qty, condition_type=condition,
        sl_trigger_price=price, sl_trigger_type="MARK_PRICE", **more,
    )  # fmt: skip


@pytest.mark.parametrize(("qty", "side", "first"), [("0.02", "SELL", 61600), ("-0.02", "BUY", 61254)])
def test_the_web_page_lists_the_stop_that_fires_first_first(qty: str, side: str, first: int) -> None:
    position = PositionRecord(sym=BTC, position_qty=qty, avg_price="61400")
    stops = [make_algo("1", "61254", side=side), make_algo("2", "61600", side=side)]
    for listed in (stops, stops[::-1]):
        found = read_stops(position, *listed, make_algo("3", "", side=side, tp_trigger_price="63000"))
        assert found.prices[0] == Decimal(first) and len(found.prices) == 2


def test_only_orders_that_close_a_position_count_as_its_stops() -> None:
    long = PositionRecord(sym=BTC, position_qty="0.02", avg_price="61000")
    assert read_stops(long) == Stops()
    assert read_stops(long, make_algo("1", "60000")) == Stops((Decimal(60000),))
    assert read_stops(long, make_algo("1", "60000", side="BUY"), make_algo("2", "60000", state="COMPLETED")) == Stops()
    part = make_algo("1", "60000", qty="0.01")
    assert read_stops(long, part) == Stops((Decimal(60000),), is_part=True)
    both = Stops((Decimal(60000), Decimal(59000)))
    assert read_stops(long, part, make_algo("2", "59000", qty="0.01")) == both
    waiting = make_algo("1", "60000", qty="0", attached_order_id="5")
    assert read_stops(long, waiting) == Stops(), "its order has no fill"
    target = make_algo("1", "", tp_trigger_price="62000")
    assert read_stops(long, target) == Stops()


@pytest.mark.parametrize(("price", "is_stop"), [("60000", True), ("62000", False)])
def test_a_conditional_close_is_a_stop_only_on_the_losing_side(price: str, is_stop: bool) -> None:
    long = PositionRecord(sym=BTC, position_qty="0.02", avg_price="61000")
    closing = AlgoRecord(
        algo_order_id="1", sym=BTC, side="SELL", order_state="NEW", order_qty="0.02", condition_type="CONDITIONAL",
        conditional_trigger_price=price, reduce_only="true",
    )  # fmt: skip
    assert read_stops(long, closing).prices == ((Decimal(price),) if is_stop else ())
    part = read_stops(long, msgspec.structs.replace(closing, order_qty="0.005"))
    assert part.is_part is is_stop, "what it closes counts like that of any stop"


@pytest.mark.parametrize(("side", "stops"), [("BUY", ("60000",)), ("SELL", ())])
def test_a_stop_of_a_reversing_order_is_not_of_the_old_position(side: str, stops: tuple[str, ...]) -> None:
    """In one-way mode an order of the other side turns the position: its stop is for what comes then."""
    long = PositionRecord(sym=BTC, position_qty="0.02", avg_price="61000", position_side="NONE")
    order = OrderRow(
        key="o", client_order_id="o", sym=BTC, side=side, qty="1", executed="0.5", state="PARTIALLY_FILLED",
        sl_trigger="60000", stamp=STAMP,
    )  # fmt: skip
    assert [stop for stop, _ in list_triggers(long, [], [order])] == list(stops)
