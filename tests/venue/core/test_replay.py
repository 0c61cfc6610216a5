"""A recorded market: shown exactly, taken from once, resting orders filled by what was recorded."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest

from tests.venue.core.drive import OKX, PERP, SPOT, Desk, code
from tui.venue.core.events import Printed, QuoteChanged
from tui.venue.core.replay import BadRecording, Market

RECORDING = Path(__file__).resolve().parents[4] / "shared" / "data" / "btc_20240808.csv.gz"
"""Lies beside a checkout of the repository where it is available; it is not part of it."""

NS = 1_000_000


def bbo(ms: int, bid: str, bid_qty: str, ask: str, ask_qty: str, sym: str = PERP) -> list[str]:
    return [str(1_700_000_000_000 * NS + ms * NS), sym, "BBO", bid, bid_qty, ask, ask_qty, ""]


def trade(ms: int, price: str, qty: str, side: str, sym: str = PERP) -> list[str]:
    return [str(1_700_000_000_000 * NS + ms * NS), sym, "TRADE", price, qty, side, "", "1"]


HEADER = ["received_ns", "sym", "kind", "bid_or_price", "bidqty_or_qty", "ask_or_side", "askqty", "venue_ms"]


def play(*rows: list[str]) -> Desk:
    return Desk(market=Market([HEADER, *rows]))


def test_quotes_are_those_of_the_recording() -> None:
    desk = play(
        bbo(0, "60000", "1", "60000.1", "2"), bbo(10, "60000", "1.5", "60000.1", "2"), bbo(5000, "1", "1", "2", "1")
    )
    shown = desk.exchange.quote(PERP)
    assert shown is not None
    assert (shown.bid, shown.bid_qty, shown.ask, shown.ask_qty) == ("60000", "1", "60000.1", "2")
    desk.wait(10)
    quotes = [event for event in desk.events if isinstance(event, QuoteChanged)]
    assert [(one.bid_qty, one.ask_qty) for one in quotes] == [("1.5", "2")]


def test_only_recorded_pairs_are_offered() -> None:
    desk = play(bbo(0, "60000", "1", "60000.1", "2"))
    assert set(desk.exchange.symbol_infos()) == {PERP}
    assert code(desk.try_place("BUY", "1", "60000", OKX)) == 401011
    assert desk.exchange.quote(SPOT) is None


def test_displayed_size_is_taken_only_once_until_the_level_changes() -> None:
    desk = play(
        bbo(0, "60000", "1", "60000.1", "0.02"),
        bbo(50, "60000", "2", "60000.1", "0.02"),
        bbo(100, "60000", "2", "60000.1", "0.03"),
        bbo(9000, "60000", "2", "60000.1", "0.03"),
    )
    first = desk.place("BUY", "0.05")
    assert (desk.order(first).executed_qty, desk.order(first).order_state) == ("0.02", "CANCELLED")
    assert desk.order(desk.place("BUY", "0.05")).executed_qty == "0"
    desk.wait(60)
    assert desk.order(desk.place("BUY", "0.05")).executed_qty == "0"
    desk.wait(50)
    assert desk.order(desk.place("BUY", "0.05")).executed_qty == "0.03"


def test_own_orders_do_not_show_in_recorded_quotes() -> None:
    desk = play(bbo(0, "60000", "1", "60000.5", "2"), bbo(9000, "60000", "1", "60000.5", "2"))
    desk.place("BUY", "0.01", "60000.2")
    shown = desk.exchange.quote(PERP)
    assert shown is not None
    assert shown.bid == "60000"


def test_recorded_trade_at_the_price_fills_up_to_its_size() -> None:
    desk = play(
        bbo(0, "60000", "1", "60000.1", "2"),
        trade(100, "60000", "0.03", "buy"),
        trade(200, "60000", "0.03", "sell"),
        trade(9000, "60000", "1", "sell"),
    )
    order = desk.place("BUY", "0.05", "60000")
    desk.wait(150)
    assert desk.order(order).executed_qty == "0"
    desk.wait(100)
    assert desk.fills(order) == [("0.03", "60000")]
    assert [event.qty for event in desk.events if isinstance(event, Printed)] == ["0.03"]


def test_recorded_size_is_shared_by_own_orders_in_their_order() -> None:
    desk = play(
        bbo(0, "60000", "1", "60000.1", "2"), trade(100, "60000", "0.03", "sell"), trade(9000, "60000", "1", "sell")
    )
    first, second = desk.place("BUY", "0.02", "60000"), desk.place("BUY", "0.02", "60000")
    desk.wait(150)
    assert (desk.order(first).executed_qty, desk.order(second).executed_qty) == ("0.02", "0.01")


def test_touch_that_passes_fills_the_rest() -> None:
    desk = play(
        bbo(0, "60000", "1", "60000.1", "2"),
        bbo(100, "59990", "1", "59990.1", "2"),
        bbo(9000, "59990", "1", "59990.1", "2"),
    )
    order = desk.place("BUY", "0.05", "60000")
    desk.wait(150)
    assert desk.fills(order) == [("0.05", "60000")]


def test_recording_starts_again_when_it_ends() -> None:
    desk = play(bbo(0, "60000", "1", "60000.1", "2"), bbo(100, "60010", "1", "60010.1", "2"))
    desk.wait(350)
    bids = [event.bid for event in desk.log if isinstance(event, QuoteChanged)]
    assert bids == ["60010", "60000", "60010", "60000", "60010", "60000"][: len(bids)]
    assert len(bids) >= 4
    assert [e.ts for e in desk.log if isinstance(e, QuoteChanged)] == sorted(
        e.ts for e in desk.log if isinstance(e, QuoteChanged)
    )


@pytest.mark.parametrize(
    "row",
    [
        ["x", PERP, "BBO", "1", "1", "2", "1"],
        bbo(0, "60000.05", "1", "60001", "1"),
        trade(0, "60000", "1", "up"),
        bbo(0, "1", "1", "2", "1", "NOWHERE_PERP_BTC_USDT"),
        ["1"],
    ],
)
def test_row_that_cannot_be_played_is_named(row: list[str]) -> None:
    with pytest.raises(BadRecording, match="row 2"):
        Market([HEADER, row])


def test_empty_recording_is_refused() -> None:
    with pytest.raises(BadRecording):
        Market([HEADER])


def test_real_recording_plays_and_trades() -> None:
    if not RECORDING.exists():
        pytest.skip(f"no recording at {RECORDING}")
    with gzip.open(RECORDING, "rt") as file:
        rows = [row for _, row in zip(range(20_000), csv.reader(file), strict=False)]
    desk = Desk(market=Market(rows))
    assert set(desk.exchange.symbol_infos()) == {PERP, SPOT}
    order = desk.place("BUY", "0.01")
    quote = next(row for row in rows[1:] if row[1] == PERP and row[2] == "BBO")
    assert desk.fills(order) == [("0.01", quote[5])]
    resting = desk.place("SELL", "0.01", quote[5])
    for _ in range(20):
        desk.wait(1000)
    recorded = {(row[3], row[5]) for row in rows[1:] if row[2] == "BBO" and row[1] == PERP}
    shown = {(event.bid, event.ask) for event in desk.log if isinstance(event, QuoteChanged) and event.sym == PERP}
    assert len(shown) > 50
    assert shown <= recorded
    assert desk.order(resting).order_state in ("FILLED", "OPEN", "PARTIALLY_FILLED")
