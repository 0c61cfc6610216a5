"""Every channel of the public stream, heard by a stranger: shapes, cadence, order books that add up."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from websockets.sync.client import connect

from tests.venue.shell.conftest import Venue
from tests.venue.shell.streams.listener import PERP, SPOT, Listener

QUIET = "BINANCE_PERP_ETH_USDT"
"""A pair that no test trades."""
KLINES = ["KLINE", "MARK_PRICE_KLINE", "INDEX_KLINE"]


@pytest.fixture
def lively(start: Callable[..., Venue]) -> Venue:
    """A market that moves."""
    return start("--seed", "7", "--set", "latency=test", "--set", "rate_profile=off", "--control")


@pytest.fixture
def ear(lively: Venue) -> Iterator[Listener]:
    with connect(lively.ready["public_ws_url"], compression=None) as socket:
        yield Listener(socket)


def until(listener: Listener, seconds: float) -> list[tuple[float, dict[str, Any]]]:
    """Every frame of a while, with the time of its coming."""
    end, frames = time.monotonic() + seconds, []
    while time.monotonic() < end:
        frame = listener.frame()
        frames.append((time.monotonic(), frame))
    return frames


def order(venue: Venue, side: str, qty: str, price: str) -> str:
    fields = {"sym": PERP, "side": side, "orderType": "LIMIT", "limitPrice": price, "orderQty": qty}
    return str(venue.data("POST", "/api/v1/trading/order", fields)["orderId"])


@pytest.mark.parametrize(
    ("channel", "fields"),
    [
        ("INDEX_PRICE", {"indexpx", "ts"}),
        ("OPEN_INTEREST", {"open_interest", "ts"}),
    ],
)
def test_a_subscription_sends_the_current_value_first(listener: Listener, channel: str, fields: set[str]) -> None:
    arg = {"channel": channel, "sym": PERP}
    assert listener.subscribe(arg)["arg"] == [arg]
    push = listener.frame()
    assert push["arg"] == arg
    assert set(push["data"]) == fields
    assert all(isinstance(value, str) for value in push["data"].values())


@pytest.mark.parametrize("channel", KLINES)
@pytest.mark.parametrize("interval", ["1m", "4h", "4H", "5D", "1w", "1M"])
def test_a_candle_subscription_sends_the_running_candle_first(listener: Listener, channel: str, interval: str) -> None:
    listener.subscribe({"channel": channel, "sym": QUIET, "interval": interval})
    push = listener.frame()
    assert push["arg"] == {"channel": channel, "sym": QUIET, "interval": interval}
    (row,) = push["data"]
    assert [type(value) for value in row] == [str] * 6
    assert int(row[0]) % 60_000 == 0
    assert int(row[0]) / 1000 <= time.time()
    assert float(row[3]) <= min(float(row[1]), float(row[4])) <= float(row[2])
    assert row[5] == "0"


@pytest.fixture
def short_edition(venue: Venue, listener: Listener) -> Iterator[Listener]:
    """The market as the short edition of the documents has it."""
    venue.set("ticker_shape", "object")
    venue.set("kline_rows", "typed")
    deadline = time.monotonic() + 10
    shape: type = list
    while shape is list and time.monotonic() < deadline:
        listener.subscribe({"channel": "TICKER", "sym": QUIET})
        shape = type(listener.frame()["data"])
    yield listener
    venue.set("ticker_shape", "array")
    venue.set("kline_rows", "strings")


def test_ticker_push_is_a_one_row_array_with_both_volumes(ear: Listener) -> None:
    ear.subscribe({"channel": "TICKER", "sym": PERP})
    (row,) = ear.frame()["data"]
    assert set(row) == {"last", "open24h", "high24h", "low24h", "vol24h", "vol24v", "chg", "ts"}
    assert all(isinstance(value, str) for value in row.values())
    assert abs(float(row["last"]) / float(row["open24h"]) - 1 - float(row["chg"])) < 1e-6


def test_short_edition_sends_ticker_objects_and_7_value_candles(short_edition: Listener) -> None:
    short_edition.subscribe({"channel": "TICKER", "sym": QUIET})
    assert set(short_edition.frame()["data"]) == {"last", "chg", "high24h", "low24h", "vol24h", "ts"}
    short_edition.subscribe({"channel": "KLINE", "sym": QUIET, "interval": "1h"})
    (row,) = short_edition.frame()["data"]
    assert [type(value) for value in row] == [int, str, str, str, str, str, bool]
    assert row[5:] == ["0", False]


def test_interval_case_variants_are_one_subscription(ear: Listener) -> None:
    for interval in ("1d", "1D"):
        ear.subscribe({"channel": "INDEX_KLINE", "sym": PERP, "interval": interval})
    assert {frame["arg"]["interval"] for _, frame in until(ear, 1.5)} == {"1D"}
    ear.subscribe({"channel": "INDEX_KLINE", "sym": PERP, "interval": "1d"}, event="unsubscribe")
    ear.subscribe({"channel": "MARK_PRICE", "sym": PERP})
    assert {frame["arg"]["channel"] for _, frame in until(ear, 1.5)} == {"MARK_PRICE"}


def test_subscribing_both_interval_cases_keeps_the_later_one(ear: Listener) -> None:
    ear.subscribe(*({"channel": "INDEX_KLINE", "sym": PERP, "interval": interval} for interval in ("1d", "1D")))
    assert {frame["arg"]["interval"] for _, frame in until(ear, 1.5)} == {"1D"}


@pytest.mark.parametrize(
    ("arg", "text"),
    [
        ({"channel": "KLINE", "sym": PERP}, "interval is missing; accepted are 1m, 3m, 5m, "),
        ({"channel": "KLINE", "sym": PERP, "interval": None}, "interval is missing; accepted are 1m, 3m, 5m, "),
        (
            {"channel": "KLINE", "sym": PERP, "interval": "2m"},
            "interval '2m' is not accepted; accepted are 1m, 3m, 5m, ",
        ),
        ({"channel": "KLINE", "sym": PERP, "interval": ["1m"]}, 'interval ["1m"] is not accepted; accepted are 1m, '),
        ({"channel": "ORDER_BOOK", "sym": PERP, "level": None}, "level is missing; accepted are 50, "),
        ({"channel": "ORDER_BOOK", "sym": PERP, "level": True}, "level true is not accepted; accepted are 50, "),
        ({"channel": ["BBO"], "sym": PERP}, 'channel ["BBO"] is not accepted; accepted are BBO, '),
        ({"sym": PERP}, "channel is missing; accepted are BBO, "),
        ({"channel": "BBO"}, "sym is missing; a pair reads EXCHANGE_TYPE_BASE_QUOTE"),
        ({"channel": "BBO", "sym": {"a": 1}}, 'sym {"a": 1} is not accepted; a pair reads EXCHANGE_TYPE_BASE_QUOTE'),
    ],
)
def test_a_rejected_subscription_names_field_and_values(listener: Listener, arg: dict[str, Any], text: str) -> None:
    assert listener.subscribe(arg)["msg"].startswith(text)


@pytest.mark.parametrize(
    ("arg", "code"),
    [
        ({"channel": "KLINE", "sym": PERP}, "601004"),
        ({"channel": "KLINE", "sym": PERP, "interval": "2m"}, "601004"),
        ({"channel": "KLINE", "sym": PERP, "interval": ["1m"]}, "601004"),
        ({"channel": "ORDER_BOOK", "sym": PERP, "level": 51}, "601004"),
        ({"channel": "ORDER_BOOK", "sym": PERP, "level": None}, "601004"),
        ({"channel": "ORDER_BOOK", "sym": PERP, "level": True}, "601004"),
        ({"channel": "ORDER_BOOK", "sym": PERP, "level": 50.0}, "601004"),
        ({"channel": ["BBO"], "sym": PERP}, "601004"),
        ({"channel": "BBO", "sym": {"a": 1}}, "11100"),
        ({"channel": "INDEX_PRICE", "sym": SPOT}, "11100"),
        ({"channel": "OPEN_INTEREST", "sym": SPOT}, "11100"),
        ({"channel": "MARK_PRICE_KLINE", "sym": SPOT, "interval": "1m"}, "11100"),
        ({"channel": "INDEX_KLINE", "sym": SPOT, "interval": "1m"}, "11100"),
    ],
)
def test_an_unsupported_channel_argument_is_rejected(listener: Listener, arg: dict[str, Any], code: str) -> None:
    reply = listener.subscribe(arg)
    assert (reply["event"], reply["code"], reply["arg"]) == ("error", code, [arg])


def test_spot_pairs_have_order_book_ticker_and_candles(listener: Listener) -> None:
    wanted = [{"channel": "ORDER_BOOK", "sym": SPOT}, {"channel": "TICKER", "sym": SPOT}]
    wanted.append({"channel": "KLINE", "sym": SPOT, "interval": "1h"})
    assert listener.subscribe(*wanted)["invalidArg"] == []
    assert [listener.frame()["arg"]["channel"] for _ in wanted] == ["ORDER_BOOK", "TICKER", "KLINE"]


def test_order_book_sends_a_snapshot_then_changes(venue: Venue, listener: Listener) -> None:
    listener.subscribe({"channel": "ORDER_BOOK", "sym": PERP, "level": 50})
    whole = listener.frame()
    assert whole["arg"] == {"channel": "ORDER_BOOK", "sym": PERP, "updatetype": "all"}
    data = whole["data"]
    assert set(data) == {"ts", "seq", "pre_seq", "num", "Bids", "Asks"}
    assert (data["pre_seq"], data["num"]) == ("0", 1)
    bids, asks = ([float(price) for price, _ in data[side]] for side in ("Bids", "Asks"))
    assert bids == sorted(bids, reverse=True)
    assert asks == sorted(asks)
    assert bids[0] < asks[0]
    assert 0 < len(bids) <= 50
    # A price of its own, between two levels or inside the spread.
    price = next(f"{p / 10:.1f}" for p in range(round(bids[0] * 10), 0, -1) if p / 10 not in bids)
    order_id = order(venue, "BUY", "0.123", price)
    added = listener.frame()
    assert added["arg"] == {"channel": "ORDER_BOOK", "sym": PERP, "updatetype": "update"}
    assert (added["data"]["pre_seq"], added["data"]["num"]) == (data["seq"], 2)
    assert int(added["data"]["seq"]) > int(data["seq"])
    levels = {float(level): qty for level, qty in added["data"]["Bids"]}
    assert levels[float(price)] == "0.123"
    venue.data("DELETE", "/api/v1/trading/order", {"orderId": order_id})
    gone = listener.frame()["data"]
    assert gone["pre_seq"] == added["data"]["seq"]
    assert {float(level): qty for level, qty in gone["Bids"]}[float(price)] == "0"


def test_resubscribing_an_order_book_sends_a_new_snapshot(listener: Listener) -> None:
    arg = {"channel": "ORDER_BOOK", "sym": PERP}
    listener.subscribe(arg)
    assert listener.frame()["data"]["num"] == 1
    listener.subscribe({**arg, "level": 50})
    again = listener.frame()
    assert (again["arg"]["updatetype"], again["data"]["num"]) == ("all", 2)
    listener.subscribe({**arg, "level": 200})
    deep = listener.frame()
    assert (deep["arg"]["updatetype"], deep["data"]["num"]) == ("all", 1)
    assert "level" not in deep["arg"]
    assert len(deep["data"]["Bids"]) >= len(again["data"]["Bids"])


def test_a_deeply_nested_level_is_rejected_without_disconnect(listener: Listener) -> None:
    request = json.dumps({"event": "subscribe", "arg": [{"channel": "ORDER_BOOK", "sym": PERP, "level": 0}]})
    reply = listener.reply(request.replace('"level": 0', '"level": ' + "[" * 800 + "]" * 800))
    assert reply["code"] == "601004"
    assert "pong" in listener.reply({"ping": 1})


def test_unsubscribing_one_candle_interval_keeps_the_other(ear: Listener) -> None:
    minute, day = ({"channel": "INDEX_KLINE", "sym": PERP, "interval": interval} for interval in ("1m", "1d"))
    ear.subscribe(minute, day)
    ear.subscribe(minute, event="unsubscribe")
    assert {frame["arg"]["interval"] for _, frame in until(ear, 1.5)} == {"1d"}


def test_order_book_changes_add_up_to_the_next_snapshot(lively: Venue, ear: Listener) -> None:
    ear.subscribe({"channel": "ORDER_BOOK", "sym": PERP, "level": 50})
    sides: dict[str, dict[str, str]] = {"Bids": {}, "Asks": {}}
    books: dict[str, dict[str, dict[str, str]]] = {}
    times: list[float] = []
    last = ""

    def follow(seconds: float) -> None:
        nonlocal last
        for at, frame in until(ear, seconds):
            data = frame["data"]
            assert data["num"] == len(times) + 1
            assert data["pre_seq"] == (last or "0")
            last = data["seq"]
            times.append(at)
            for name, side in sides.items():
                for price, qty in data[name]:
                    assert qty != "0" or price in side
                    side[price] = qty
                    if qty == "0":
                        del side[price]
                assert len(side) <= 50
            books[last] = {name: dict(side) for name, side in sides.items()}

    follow(2)
    with connect(lively.ready["public_ws_url"], compression=None) as socket:
        newcomer = Listener(socket)
        newcomer.subscribe({"channel": "ORDER_BOOK", "sym": PERP, "level": 50})
        whole = newcomer.frame()["data"]
    follow(0.6)
    assert {name: dict(whole[name]) for name in sides} == books[whole["seq"]]
    assert 0.2 <= (times[-1] - times[0]) / (len(times) - 1) <= 0.45, "four a second, however long the other one took"


def test_ticker_and_candle_pushes_have_the_documented_rate(ear: Listener) -> None:
    ear.subscribe(
        {"channel": "TICKER", "sym": PERP},
        {"channel": "KLINE", "sym": PERP, "interval": "1d"},
        {"channel": "INDEX_PRICE", "sym": PERP},
        {"channel": "MARK_PRICE_KLINE", "sym": PERP, "interval": "1d"},
    )
    frames = until(ear, 4.9)
    count = {
        channel: sum(frame["arg"]["channel"] == channel for _, frame in frames)
        for channel in ("TICKER", "KLINE", "INDEX_PRICE", "MARK_PRICE_KLINE")
    }
    assert 2 <= count["TICKER"] <= 3
    assert 3 <= count["KLINE"] <= 21
    assert 4 <= count["INDEX_PRICE"] <= 7
    assert 3 <= count["MARK_PRICE_KLINE"] <= 7
    ticker = next(frame["data"][0] for _, frame in reversed(frames) if frame["arg"]["channel"] == "TICKER")
    bar = next(frame["data"][0] for _, frame in reversed(frames) if frame["arg"]["channel"] == "KLINE")
    assert float(ticker["low24h"]) <= float(ticker["last"]) <= float(ticker["high24h"])
    assert float(ticker["vol24h"]) > 0
    assert float(bar[5]) > 0


def test_open_interest_is_pushed_when_it_changes(venue: Venue, listener: Listener) -> None:
    listener.subscribe({"channel": "OPEN_INTEREST", "sym": PERP})
    before = float(listener.frame()["data"]["open_interest"])
    # The house may stand on either side: one of the two orders opens what nobody held before.
    for side in ("BUY", "SELL", "SELL"):
        fields = {"sym": PERP, "side": side, "orderType": "MARKET", "orderQty": "0.05"}
        venue.data("POST", "/api/v1/trading/order", fields)
    push = listener.frame()
    assert push["arg"] == {"channel": "OPEN_INTEREST", "sym": PERP}
    assert float(push["data"]["open_interest"]) != before


def test_public_timestamps_can_be_numbers_by_config(venue: Venue, listener: Listener) -> None:
    venue.set("public_ts", "int")
    try:
        deadline = time.monotonic() + 5
        kind: type = str
        while kind is str and time.monotonic() < deadline:
            listener.subscribe({"channel": "ORDER_BOOK", "sym": PERP})
            kind = type(listener.frame()["data"]["ts"])
        assert kind is int
    finally:
        venue.set("public_ts", "string")


def test_all_subscribers_get_the_same_bytes(lively: Venue) -> None:
    with (
        connect(lively.ready["public_ws_url"], compression=None) as one,
        connect(lively.ready["public_ws_url"], compression=None) as other,
    ):
        request = json.dumps({"event": "subscribe", "arg": [{"channel": "ORDER_BOOK", "sym": PERP}]})
        for socket in (one, other):
            socket.send(request)
        first, second = ([socket.recv(timeout=10) for _ in range(6)] for socket in (one, other))
    assert len(set(first) & set(second)) >= 4
