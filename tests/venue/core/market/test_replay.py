"""A recorded market: shown exactly, taken from once, resting orders filled by what was recorded."""

from __future__ import annotations

import csv
import gzip
from decimal import Decimal
from pathlib import Path

import pytest

from tests.venue.core.drive import OKX, PERP, SPOT, Desk, code
from tui.venue.core.events import PublicTrade, QuoteChanged
from tui.venue.core.participants.replay import BadRecording, RecordedMarket, Replay

RECORDING = Path(__file__).resolve().parents[5] / "shared" / "data" / "btc_20240808.csv.gz"
"""Lies beside a checkout of the repository where it is available; it is not part of it."""

NS = 1_000_000


def bbo(ms: int, bid: str, bid_qty: str, ask: str, ask_qty: str, sym: str = PERP) -> list[str]:
    return [str(1_700_000_000_000 * NS + ms * NS), sym, "BBO", bid, bid_qty, ask, ask_qty, ""]


def trade(ms: int, price: str, qty: str, side: str, sym: str = PERP) -> list[str]:
    return [str(1_700_000_000_000 * NS + ms * NS), sym, "TRADE", price, qty, side, "", "1"]


HEADER = ["received_ns", "sym", "kind", "bid_or_price", "bidqty_or_qty", "ask_or_side", "askqty", "venue_ms"]


def play(*rows: list[str], **switches: str) -> Desk:
    return Desk(market=RecordedMarket([HEADER, *rows]), **switches)


def test_replayed_quotes_match_the_recording() -> None:
    desk = play(
        bbo(0, "60000", "1", "60000.1", "2"), bbo(10, "60000", "1.5", "60000.1", "2"), bbo(5000, "1", "1", "2", "1")
    )
    shown = desk.exchange.queries.quote(PERP)
    assert shown is not None
    assert (shown.bid, shown.bid_qty, shown.ask, shown.ask_qty) == ("60000", "1", "60000.1", "2")
    desk.wait(10)
    quotes = [event for event in desk.events if isinstance(event, QuoteChanged)]
    assert [(one.bid_qty, one.ask_qty) for one in quotes] == [("1.5", "2")]


def test_replay_offers_only_recorded_pairs() -> None:
    desk = play(bbo(0, "60000", "1", "60000.1", "2"))
    assert set(desk.exchange.queries.symbol_infos()) == {PERP}
    assert code(desk.try_place("BUY", "1", "60000", OKX)) == 401011
    assert desk.exchange.queries.quote(SPOT) is None


def test_replayed_size_is_filled_once_until_its_level_changes() -> None:
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
    shown = desk.exchange.queries.quote(PERP)
    assert shown is not None
    assert shown.bid == "60000"


END = trade(9000, "50000", "1", "buy")


def ahead(desk: Desk, order: str) -> Decimal | None:
    """Queue before a resting order, in base units."""
    state, driver = desk.state, desk.driver
    assert isinstance(driver, Replay)
    lots = driver.queue_positions[(PERP, state.orders[order].is_buy)].ahead(state.resting[order])
    return None if lots is None else lots / 1000


def executed(desk: Desk, *orders: str) -> list[str]:
    return [desk.order(order).executed_qty for order in orders]


def test_replayed_trades_use_up_the_queue_ahead_of_an_order() -> None:
    """TV-36."""
    trades = [trade(100 * n, "60000", qty, "sell") for n, qty in ((1, "0.08"), (2, "0.03"), (3, "0.05"))]
    desk = play(bbo(0, "60000", "0.1", "60000.1", "2"), trade(50, "60000", "5", "buy"), *trades, END)
    order = desk.place("BUY", "0.05", "60000")
    assert ahead(desk, order) == Decimal("0.1")
    desk.wait(150)
    assert (ahead(desk, order), executed(desk, order)) == (Decimal("0.02"), ["0"])
    desk.wait(200)
    assert desk.fills(order) == [("0.01", "60000"), ("0.04", "60000")]
    assert [event.qty for event in desk.log if isinstance(event, PublicTrade)] == ["5", "0.08", "0.03", "0.05"]


def test_a_size_drop_moves_the_queue_position_once() -> None:
    """TV-35b: 60 ahead, 40 behind, 10 less, weighed by the square."""
    desk = play(
        bbo(0, "60000", "0.06", "60000.1", "2"),
        bbo(100, "60000", "0.1", "60000.1", "2"),
        bbo(200, "60000", "0.09", "60000.1", "2"),
        trade(300, "60000", "0.02", "sell"),
        bbo(400, "60000", "0.07", "60000.1", "2"),
        bbo(500, "60000", "0.02", "60000.1", "2"),
        END,
    )
    order = desk.place("BUY", "0.05", "60000")
    desk.wait(150)
    assert ahead(desk, order) == Decimal("0.06")
    desk.wait(100)
    assert round((ahead(desk, order) or 0) * 1000, 4) == Decimal("53.0769")
    desk.wait(200)
    assert round((ahead(desk, order) or 0) * 1000, 4) == Decimal("33.0769")
    desk.wait(100)
    assert Decimal(0) <= (ahead(desk, order) or 0) <= Decimal("0.02")


def test_an_order_that_improves_the_best_price_has_no_queue() -> None:
    desk = play(bbo(0, "60000", "1", "60000.5", "2"), trade(100, "60000.3", "0.03", "sell"), END)
    order = desk.place("BUY", "0.05", "60000.3")
    assert ahead(desk, order) == 0
    desk.wait(150)
    assert executed(desk, order) == ["0.03"]


def test_an_order_below_best_bid_queues_when_price_reaches_it() -> None:
    desk = play(
        bbo(0, "60000", "1", "60000.1", "2"),
        bbo(100, "59999", "0.4", "60000.1", "2"),
        bbo(200, "60000", "0.3", "60000.1", "2"),
        bbo(300, "59998", "0.3", "60000.1", "2"),
        END,
    )
    order = desk.place("BUY", "0.05", "59999")
    assert ahead(desk, order) is None
    for after, expected in ((150, "0.4"), (100, "0.4"), (100, "0")):
        desk.wait(after)
        assert ahead(desk, order) == Decimal(expected)


def test_a_replayed_trade_at_a_worse_price_fills_the_order() -> None:
    desk = play(bbo(0, "60000", "7", "60000.1", "2"), trade(100, "59999.9", "0.001", "sell"), END)
    order = desk.place("BUY", "0.05", "60000")
    desk.wait(150)
    assert desk.fills(order) == [("0.05", "60000")]


def test_a_replayed_trade_fills_own_orders_in_sequence_once() -> None:
    desk = play(bbo(0, "60000", "0.01", "60000.1", "2"), trade(100, "60000", "0.04", "sell"), END)
    first, second = desk.place("BUY", "0.02", "60000"), desk.place("BUY", "0.02", "60000")
    desk.wait(150)
    assert executed(desk, first, second) == ["0.02", "0.01"]


def test_a_reduced_order_keeps_its_queue_place() -> None:
    desk = play(
        bbo(0, "60000", "0.1", "60000.1", "2"), trade(100, "60000", "0.08", "sell"),
        bbo(150, "60000", "0.5", "60000.1", "2"), END,
    )  # fmt: skip
    order = desk.place("BUY", "0.05", "60000")
    desk.wait(200)
    desk.replace(order, qty="0.04")
    desk.wait(200)
    assert ahead(desk, order) == Decimal("0.02")
    desk.replace(order, qty="0.06")
    desk.wait(200)
    assert ahead(desk, order) == Decimal("0.5")


def test_an_order_is_filled_when_best_ask_falls_through_it() -> None:
    desk = play(
        bbo(0, "60000", "1", "60000.1", "2"),
        bbo(100, "59990", "1", "59990.1", "2"),
        bbo(9000, "59990", "1", "59990.1", "2"),
    )
    order = desk.place("BUY", "0.05", "60000")
    desk.wait(150)
    assert desk.fills(order) == [("0.05", "60000")]


def test_replay_in_loop_mode_restarts_at_its_end() -> None:
    desk = play(bbo(0, "60000", "1", "60000.1", "2"), bbo(100, "60010", "1", "60010.1", "2"), replay_end="loop")
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
def test_an_invalid_recording_row_is_reported_by_number(row: list[str]) -> None:
    with pytest.raises(BadRecording, match="row 2"):
        RecordedMarket([HEADER, row])


def test_an_empty_recording_is_rejected() -> None:
    with pytest.raises(BadRecording):
        RecordedMarket([HEADER])


def test_a_real_market_recording_replays_and_fills_orders() -> None:
    if not RECORDING.exists():
        pytest.skip(f"no recording at {RECORDING}")
    with gzip.open(RECORDING, "rt") as file:
        rows = [row for _, row in zip(range(20_000), csv.reader(file), strict=False)]
    desk = Desk(market=RecordedMarket(rows))
    assert set(desk.exchange.queries.symbol_infos()) == {PERP, SPOT}
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


def test_replay_keeps_the_last_quote_at_its_end() -> None:
    desk = play(bbo(0, "60000", "1", "60000.1", "1"), bbo(100, "60010", "1", "60010.1", "1"))
    desk.wait(5000)
    shown = desk.exchange.queries.quote(PERP)
    assert shown is not None
    assert shown.bid == "60010"
    desk.wait(5000)
    assert [event for event in desk.events if isinstance(event, QuoteChanged)] == []
    desk.place("BUY", "0.5")
    desk.switch("replay_end", "loop")
    desk.wait(1000)
    desk.wait(1000)
    assert {event.bid for event in desk.log if isinstance(event, QuoteChanged)} == {"60000", "60010"}
    assert [event for event in desk.events if isinstance(event, QuoteChanged)]
