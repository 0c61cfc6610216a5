"""The public stream, heard by a stranger: gzip by default, subscribe rules, limits, heartbeat."""

from __future__ import annotations

import hashlib
import hmac
import time
from contextlib import ExitStack
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.venue.shell.conftest import Venue
from tests.venue.shell.streams.listener import PERP, SPOT, Listener


def test_quote_and_mark_pushes_are_gzip_compressed(listener: Listener) -> None:
    wanted = [{"channel": "BBO", "sym": PERP}, {"channel": "MARK_PRICE", "sym": PERP}]
    reply = listener.subscribe(*wanted)
    assert reply == {"event": "subscribe", "code": 0, "msg": "success", "arg": wanted, "invalidArg": []}
    frames = [listener.frame(), listener.frame()]
    assert [frame["arg"] for frame in frames] == wanted
    touch, mark = frames[0]["data"], frames[1]["data"]
    assert set(touch) == {"bid", "bidqty", "ask", "askqty", "ts"}
    assert all(isinstance(value, str) for value in (*touch.values(), *mark.values()))
    assert float(touch["bid"]) < float(touch["ask"])
    assert listener.binary == 3


def test_public_stream_sends_plain_text_on_request(venue: Venue) -> None:
    with connect(venue.ready["public_ws_url"] + "?binary=false", compression=None) as socket:
        listener = Listener(socket)
        listener.subscribe({"channel": "BBO", "sym": PERP})
        listener.frame()
        assert listener.binary == 0


def test_public_stream_answers_both_heartbeat_forms(listener: Listener) -> None:
    pong = listener.reply({"ping": 1})["pong"]
    assert abs(pong / 1000 - time.time()) < 5
    assert listener.reply("ping") == {"bare": "pong"}


@pytest.mark.parametrize(
    ("arg", "code"),
    [
        ({"channel": "BBO", "sym": "BINANCE_PERP_NOPE_USDT"}, "11100"),
        ({"channel": "MARK_PRICE", "sym": SPOT}, "11100"),
        ({"channel": "BBO"}, "11100"),
        ({"channel": "WEATHER", "sym": PERP}, "601004"),
        ({}, "601004"),
    ],
)
def test_an_invalid_subscription_is_rejected_with_its_argument(
    listener: Listener, arg: dict[str, Any], code: str
) -> None:
    reply = listener.subscribe(arg)
    assert (reply["event"], reply["code"], reply["arg"]) == ("error", code, [arg])


def test_a_partly_invalid_subscribe_request_serves_the_rest(listener: Listener) -> None:
    good, bad = {"channel": "BBO", "sym": PERP}, {"channel": "BBO", "sym": "X"}
    reply = listener.subscribe(bad, good)
    assert (reply["code"], reply["arg"], reply["invalidArg"]) == (0, [good], [bad])


@pytest.mark.parametrize(
    "text", ["nonsense", "[]", "{}", '{"event":"subscribe"}', '{"event":"subscribe","arg":[]}', "[" * 50_000]
)
def test_invalid_text_on_the_public_stream_gets_an_error(listener: Listener, text: str) -> None:
    assert listener.reply(text)["code"] == "601004"


def test_public_stream_allows_five_pairs_without_login(venue: Venue, listener: Listener) -> None:
    syms = venue.ready["symbols"]
    assert len(syms) > 5
    reply = listener.subscribe(*({"channel": "BBO", "sym": sym} for sym in syms))
    assert len(reply["arg"]) == 5
    assert listener.subscribe({"channel": "BBO", "sym": reply["invalidArg"][0]["sym"]})["code"] == "11210"
    key, secret = venue.key()
    stamp = str(int(time.time()))
    sign = hmac.new(secret.encode(), (stamp + "GET/users/self/verify").encode(), hashlib.sha256).hexdigest()
    login = listener.reply({"action": "login", "args": {"apiKey": key, "timestamp": stamp, "sign": sign}})
    assert login == {"event": "login", "code": "200000", "msg": "success"}
    assert listener.subscribe(*reply["invalidArg"])["code"] == 0
    refused = listener.reply({"action": "login", "args": {"apiKey": key, "timestamp": stamp, "sign": "0" * 64}})
    assert refused == {"id": None, "event": "login", "code": "10001", "msg": "auth failed"}


def test_unsubscribing_an_unknown_subscription_succeeds(listener: Listener) -> None:
    assert listener.subscribe({"channel": "BBO", "sym": PERP}, event="unsubscribe")["code"] == 0


def test_public_stream_allows_fifty_requests_a_second(listener: Listener) -> None:
    for _ in range(60):
        listener.send({"event": "subscribe", "arg": [{"channel": "TRADE", "sym": PERP}]})
    codes = [listener.frame().get("code") for _ in range(60)]
    assert "11260" in codes


def test_a_sixth_public_connection_is_closed(venue: Venue) -> None:
    with ExitStack() as stack:
        opened = [stack.enter_context(connect(venue.ready["public_ws_url"], compression=None)) for _ in range(6)]
        with pytest.raises(ConnectionClosed) as closed:
            opened[-1].recv(timeout=5)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1008
