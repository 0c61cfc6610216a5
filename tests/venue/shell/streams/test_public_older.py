"""The older generation of the public stream, heard by a stranger: flat records, `instId`, gzip whatever is asked for."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.venue.shell.conftest import Venue
from tests.venue.shell.streams.listener import PERP, SPOT, Listener

PATHS = ("/v2/public", "/v1/public")
OKX = "OKX_PERP_BTC_USDT"


def address(venue: Venue, path: str = PATHS[0]) -> str:
    return str(venue.ready["public_ws_url"]).removesuffix("/marketdata/v2/public") + path


@pytest.fixture(params=PATHS)
def listener(venue: Venue, request: pytest.FixtureRequest) -> Iterator[Listener]:
    with connect(address(venue, request.param), compression=None) as socket:
        yield Older(socket)


@pytest.fixture
def quick(venue: Venue) -> Iterator[Listener]:
    with connect(address(venue), compression=None) as socket:
        yield Older(socket)


class Older(Listener):
    """A connection of the older generation: its pushes are flat."""

    def reply(self, request: Any) -> dict[str, Any]:
        self.send(request)
        while not {"event", "pong", "bare"} & set(frame := self.frame()):
            pass
        return frame


class Patient:
    """Sends no more requests than the limit allows."""

    sent: list[float] = []

    @classmethod
    def wait(cls) -> None:
        """The limit is counted per address, over all connections of this module."""
        cls.sent = [at for at in cls.sent if at > time.monotonic() - 1.05]
        if len(cls.sent) >= 9:
            time.sleep(cls.sent[0] + 1.05 - time.monotonic())
        cls.sent.append(time.monotonic())


def ask(listener: Listener, *args: dict[str, Any], event: str = "SUBSCRIBE") -> dict[str, Any]:
    Patient.wait()
    return listener.reply({"event": event, "arg": list(args)})


def reply_of(verb: str, *args: tuple[str, str]) -> dict[str, Any]:
    arg = [{"channel": channel, "instId": sym} for channel, sym in args]
    return {"event": verb, "code": 0, "message": "success", "arg": arg}


def test_older_stream_has_flat_quote_and_mark_records(listener: Listener) -> None:
    reply = ask(listener, {"channel": "BBO", "instId": PERP}, {"channel": "MARK_PRICE", "instId": PERP})
    assert reply == reply_of("SUBSCRIBE", ("BBO", PERP), ("MARK_PRICE", PERP))
    touch, mark = listener.frame(), listener.frame()
    assert set(touch) == {"instId", "channel", "exchange", "localTs", "exchangeTs", "seqNum", "bid", "ask"}
    assert (touch["instId"], touch["channel"], touch["exchange"]) == (PERP, "BBO", "BINANCE")
    assert all(type(touch[name]) is int for name in ("localTs", "exchangeTs", "seqNum"))
    for side in (touch["bid"], touch["ask"]):
        assert {name: type(value) for name, value in side.items()} == {"price": str, "qty": str}
    assert float(touch["bid"]["price"]) < float(touch["ask"]["price"])
    assert set(mark) == {"channel", "localTs", "instId", "markPrice"}
    assert (mark["channel"], mark["instId"]) == ("MARK_PRICE", PERP)
    assert (type(mark["localTs"]), type(mark["markPrice"])) == (int, str)
    assert listener.binary == 3


def test_older_stream_numbers_quote_changes_in_rising_order(venue: Venue, quick: Listener) -> None:
    ask(quick, {"channel": "BBO", "instId": PERP})
    first = quick.frame()
    price = first["bid"]["price"]
    fields = {"sym": PERP, "side": "BUY", "orderType": "LIMIT", "limitPrice": price, "orderQty": "0.123"}
    order_id = venue.data("POST", "/api/v1/trading/order", fields)["orderId"]
    more = quick.frame()
    venue.data("DELETE", "/api/v1/trading/order", {"orderId": order_id})
    less = quick.frame()
    assert first["seqNum"] < more["seqNum"] < less["seqNum"]
    assert first["exchangeTs"] <= more["exchangeTs"] <= less["exchangeTs"]
    assert float(more["bid"]["qty"]) == pytest.approx(float(first["bid"]["qty"]) + 0.123)
    assert less["bid"] == first["bid"]


def test_older_stream_sends_book_snapshot_then_changes(venue: Venue, quick: Listener) -> None:
    ask(quick, {"channel": "ORDER_BOOK", "instId": PERP})
    whole = quick.frame()
    assert whole["arg"] == {"channel": "ORDER_BOOK", "instId": PERP}
    data = whole["data"]
    assert set(data) == {
        "localTs", "exchangeTs", "seqNum", "preseqNum", "type", "ltp", "ttv", "ttq", "state", "bids", "asks", "trades",
    }  # fmt: skip
    assert (data["type"], data["preseqNum"], data["state"], data["trades"]) == ("all", 0, "0", [])
    assert all(type(data[name]) is int for name in ("localTs", "exchangeTs", "seqNum", "preseqNum"))
    assert all(type(data[name]) is str for name in ("type", "ltp", "ttv", "ttq", "state"))
    bids, asks = ([float(price) for price, _ in data[side]] for side in ("bids", "asks"))
    assert bids == sorted(bids, reverse=True)
    assert asks == sorted(asks)
    assert bids[0] < asks[0]
    fields = {"sym": PERP, "side": "BUY", "orderType": "MARKET", "orderQty": "0.011"}
    venue.data("POST", "/api/v1/trading/order", fields)
    update = quick.frame()["data"]
    assert (update["type"], update["preseqNum"]) == ("update", data["seqNum"])
    assert update["seqNum"] > data["seqNum"]
    ((price, qty, side, ts),) = update["trades"]
    assert (price, qty, side, type(ts)) == (data["asks"][0][0], "0.011", "0", int)
    assert update["ltp"] == price
    assert float(update["ttq"]) == pytest.approx(float(data["ttq"]) + 0.011)
    assert float(update["ttv"]) == pytest.approx(float(data["ttv"]) + 0.011 * float(price))
    assert [level for level, _ in update["asks"]] == [price]
    venue.data("POST", "/api/v1/trading/order", {**fields, "side": "SELL"})
    assert quick.frame()["data"]["trades"][0][2] == "1"


@pytest.mark.parametrize("verb", ["subscribe", "SUBSCRIBE", "Subscribe"])
@pytest.mark.parametrize("name", ["sym", "instId"])
def test_old_and_new_request_names_work_on_both_streams(venue: Venue, verb: str, name: str) -> None:
    asked = {"channel": "BBO", name: SPOT}
    with connect(address(venue), compression=None) as socket:
        older = Older(socket)
        assert ask(older, asked, event=verb) == reply_of("SUBSCRIBE", ("BBO", SPOT))
        assert older.frame()["instId"] == SPOT
        assert ask(older, asked, event="un" + verb) == reply_of("UNSUBSCRIBE", ("BBO", SPOT))
    with connect(venue.ready["public_ws_url"], compression=None) as socket:
        newer = Listener(socket)
        reply = newer.subscribe(asked, event=verb)
        assert (reply["event"], reply["arg"], reply["msg"]) == ("subscribe", [asked], "success")
        assert newer.frame()["arg"] == {"channel": "BBO", "sym": SPOT}


@pytest.mark.parametrize(
    ("arg", "code"),
    [
        ({"channel": "TRADE", "instId": PERP}, "601004"),
        ({"channel": "TICKER", "instId": PERP}, "601004"),
        ({"channel": "KLINE", "instId": PERP, "interval": "1m"}, "601004"),
        ({"channel": "INDEX_PRICE", "instId": PERP}, "601004"),
        ({"channel": "OPEN_INTEREST", "instId": PERP}, "601004"),
        ({"channel": "ORDER_BOOK", "instId": PERP, "level": 7}, "601004"),
        ({"channel": "BBO", "instId": "BINANCE_PERP_NOPE_USDT"}, "11100"),
        ({"channel": "BBO"}, "11100"),
        ({"channel": "MARK_PRICE", "instId": SPOT}, "11100"),
    ],
)
def test_older_stream_rejects_unsupported_channels_by_code(quick: Listener, arg: dict[str, Any], code: str) -> None:
    reply = ask(quick, arg)
    assert (reply["event"], reply["code"], reply["arg"]) == ("error", code, [arg])
    assert type(reply["message"]) is str


def test_older_stream_answers_invalid_text_and_heartbeats(quick: Listener) -> None:
    assert quick.reply("nonsense")["code"] == "601004"
    assert quick.reply("ping") == {"bare": "pong"}
    assert type(quick.reply({"ping": 1})["pong"]) is int


def test_older_stream_always_compresses(venue: Venue) -> None:
    with connect(address(venue) + "?binary=false", compression=None) as socket:
        listener = Older(socket)
        ask(listener, {"channel": "BBO", "instId": PERP})
        listener.frame()
        assert listener.binary == 2


def test_older_stream_limits_pairs_and_keeps_failed_logins_open(venue: Venue, quick: Listener) -> None:
    args = [
        {"channel": channel, "instId": sym} for sym in venue.ready["symbols"][:7] for channel in ("BBO", "ORDER_BOOK")
    ]
    reply = ask(quick, *args)
    assert len({one["instId"] for one in reply["arg"]}) == 5
    assert ask(quick, args[-1])["code"] == "11210"
    login = {"action": "login", "args": {"apiKey": "x", "timestamp": str(int(time.time())), "sign": "y"}}
    assert quick.reply(login) == {"id": None, "event": "login", "code": "10001", "msg": "auth failed"}
    assert "pong" in quick.reply({"ping": 1})


def test_older_stream_paths_share_ten_requests_a_second(venue: Venue) -> None:
    with connect(address(venue), compression=None) as one, connect(address(venue, PATHS[1]), compression=None) as other:
        request = {"event": "SUBSCRIBE", "arg": [{"channel": "MARK_PRICE", "instId": OKX}]}
        codes = [Older(socket).reply(request)["code"] for _ in range(7) for socket in (one, other)]
        assert "11260" in codes
        assert 0 in codes
        Patient.sent = [time.monotonic()] * 10
        with connect(venue.ready["public_ws_url"], compression=None) as socket:
            assert Listener(socket).subscribe({"channel": "BBO", "sym": PERP})["code"] == 0


def test_old_and_new_public_connections_share_one_limit(venue: Venue) -> None:
    with ExitStack() as stack:
        urls = [venue.ready["public_ws_url"], *(address(venue, path) for path in PATHS)] * 2
        opened = [stack.enter_context(connect(url, compression=None)) for url in urls]
        with pytest.raises(ConnectionClosed) as closed:
            opened[-1].recv(timeout=5)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1008
        opened[0].send(json.dumps({"ping": 1}))
        assert opened[0].recv(timeout=5)
