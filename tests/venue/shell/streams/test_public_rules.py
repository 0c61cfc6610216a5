"""Rules of the public stream that hold over all channels, heard by a stranger: units, order, logins, switches, limits."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from contextlib import ExitStack
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.venue.shell.conftest import Venue
from tests.venue.shell.streams.listener import PERP, SPOT, Listener

OKX = "OKX_PERP_BTC_USDT"
MARGIN = "BINANCE_MARGIN_BTC_USDT"
CURRENT = ("BBO", "TICKER", "MARK_PRICE", "INDEX_PRICE", "OPEN_INTEREST", "ORDER_BOOK")


def login(
    venue: Venue, key: str = "main", *, digits: int = 10, changed: dict[str, str] | None = None
) -> dict[str, Any]:
    api_key, secret = venue.key(key)
    stamp = str(int(time.time() * 10 ** (digits - 10)))
    sign = hmac.new(secret.encode(), (stamp + "GET/users/self/verify").encode(), hashlib.sha256).hexdigest()
    return {"action": "login", "args": {"apiKey": api_key, "timestamp": stamp, "sign": sign, **(changed or {})}}


def market(venue: Venue, sym: str, side: str, qty: str) -> None:
    fields = {"sym": sym, "side": side, "orderType": "MARKET", "orderQty": qty}
    venue.data("POST", "/api/v1/trading/order", fields)


def switched(venue: Venue, listener: Listener, name: str, value: str, arg: dict[str, Any], seen: Any) -> dict[str, Any]:
    """Set a switch and subscribe anew until the answer or first push shows it."""
    venue.set(name, value)
    deadline = time.monotonic() + 5
    while True:
        reply = listener.subscribe(arg)
        push = listener.frame()
        if seen(reply, push):
            return {"reply": reply, "push": push}
        assert time.monotonic() < deadline


def test_subscribed_channels_send_first_values_in_request_order(listener: Listener) -> None:
    args = [{"channel": channel, "sym": "EDX_PERP_SOL_USDT"} for channel in CURRENT]
    args.insert(2, {"channel": "TRADE", "sym": "EDX_PERP_SOL_USDT"})
    args.append({"channel": "KLINE", "sym": "EDX_PERP_SOL_USDT", "interval": "5m"})
    listener.subscribe(*args)
    seen = [listener.frame()["arg"]["channel"] for _ in range(len(args) - 1)]
    assert seen == [arg["channel"] for arg in args if arg["channel"] != "TRADE"]


def test_public_trades_are_pushed_singly_in_base_units(venue: Venue, listener: Listener) -> None:
    listener.subscribe({"channel": "TRADE", "sym": OKX})
    market(venue, OKX, "BUY", "3")
    market(venue, OKX, "SELL", "3")
    pushes = [listener.frame(), listener.frame()]
    assert [push["arg"] for push in pushes] == [{"channel": "TRADE", "sym": OKX}] * 2
    bought, sold = (push["data"] for push in pushes)
    assert set(bought) == {"price", "qty", "side", "tradeid", "ts"}
    assert all(type(value) is str for value in bought.values())
    assert [(one["qty"], one["side"]) for one in (bought, sold)] == [("0.03", "buy"), ("0.03", "sell")]
    assert int(sold["tradeid"]) > int(bought["tradeid"])
    assert float(bought["price"]) > float(sold["price"])


def test_size_unit_of_quotes_and_books_follows_the_switch(venue: Venue, listener: Listener) -> None:
    def first(channel: str) -> dict[str, Any]:
        listener.subscribe({"channel": channel, "sym": OKX})
        data: dict[str, Any] = listener.frame()["data"]
        listener.subscribe({"channel": channel, "sym": OKX}, event="unsubscribe")
        return data

    contracts = {channel: first(channel) for channel in ("BBO", "ORDER_BOOK", "OPEN_INTEREST")}
    arg = {"channel": "BBO", "sym": OKX}
    try:
        want = contracts["BBO"]["bidqty"]
        switched(venue, listener, "bbo_unit", "base", arg, lambda _, push: push["data"]["bidqty"] != want)
        listener.subscribe(arg, event="unsubscribe")
        base = {channel: first(channel) for channel in contracts}
    finally:
        venue.set("bbo_unit", "contracts")
    assert float(base["BBO"]["askqty"]) == pytest.approx(float(contracts["BBO"]["askqty"]) / 100)
    interest = [float(unit["OPEN_INTEREST"]["open_interest"]) for unit in (base, contracts)]
    assert interest[0] == pytest.approx(interest[1] / 100)
    sizes = [[float(qty) for _, qty in unit["ORDER_BOOK"]["Bids"]] for unit in (base, contracts)]
    assert sizes[0] == pytest.approx([size / 100 for size in sizes[1]])
    assert float(first("BBO")["bid"]) == float(base["BBO"]["bid"])


def test_margin_pairs_have_quotes_and_books_but_no_mark_price(listener: Listener) -> None:
    wanted = [{"channel": channel, "sym": MARGIN} for channel in ("BBO", "TICKER", "ORDER_BOOK", "TRADE")]
    perps = [{"channel": channel, "sym": MARGIN} for channel in ("MARK_PRICE", "INDEX_PRICE", "OPEN_INTEREST")]
    reply = listener.subscribe(*wanted, *perps)
    assert (reply["arg"], reply["invalidArg"]) == (wanted, perps)


def test_subscribe_reply_can_be_short_by_config(venue: Venue, listener: Listener) -> None:
    arg = {"channel": "BBO", "sym": SPOT}
    try:
        found = switched(venue, listener, "subscribe_reply", "short", arg, lambda reply, _: "msg" not in reply)
        assert found["reply"] == {"event": "subscribe", "arg": [arg], "code": 0}
        assert listener.subscribe(arg, event="unsubscribe") == {"event": "unsubscribe", "arg": [arg], "code": 0}
    finally:
        venue.set("subscribe_reply", "union")


@pytest.mark.parametrize(("value", "address", "binary"), [("always", "", False), ("never", "?binary=false", True)])
def test_uncompressed_public_stream_follows_the_switch(venue: Venue, value: str, address: str, binary: bool) -> None:
    venue.set("public_text", value)
    try:
        deadline = time.monotonic() + 5
        while True:
            with connect(venue.ready["public_ws_url"] + address, compression=None) as socket:
                listener = Listener(socket)
                listener.reply({"ping": 1})
                if bool(listener.binary) == binary:
                    break
                assert time.monotonic() < deadline
    finally:
        venue.set("public_text", "query")


@pytest.mark.parametrize(
    ("key", "digits"), [("main", 10), ("main", 13), ("sub", 10), ("subuser", 10), ("readonly", 13)]
)
def test_public_login_takes_seconds_or_milliseconds(venue: Venue, listener: Listener, key: str, digits: int) -> None:
    reply = listener.reply(login(venue, key, digits=digits))
    assert reply == {"event": "login", "code": "200000", "msg": "success"}


@pytest.mark.parametrize(
    "changed", [{"sign": "0" * 64}, {"apiKey": "nobody"}, {"timestamp": "1"}, {"timestamp": "1600000000"}]
)
def test_a_rejected_public_login_keeps_the_connection(
    venue: Venue, listener: Listener, changed: dict[str, str]
) -> None:
    refused = {"id": None, "event": "login", "code": "10001", "msg": "auth failed"}
    assert listener.reply(login(venue, changed=changed)) == refused
    assert listener.reply({"action": "login", "args": []}) == refused
    syms = venue.ready["symbols"][:6]
    assert len(listener.subscribe(*({"channel": "BBO", "sym": sym} for sym in syms))["arg"]) == 5


def test_public_limit_counts_pairs_and_frees_on_unsubscribe(venue: Venue, listener: Listener) -> None:
    syms = [sym for sym in venue.ready["symbols"] if "_PERP_" in sym][:6]
    args = [{"channel": channel, "sym": sym} for sym in syms for channel in ("TRADE", "BBO", "TICKER")]
    reply = listener.subscribe(*args)
    assert (reply["arg"], reply["invalidArg"]) == (args[:15], args[15:])
    error = listener.subscribe(args[-1])
    assert (error["event"], error["code"], error["arg"]) == ("error", "11210", [args[-1]])
    listener.subscribe(*args[1:3], event="unsubscribe")
    assert listener.subscribe(args[-1])["code"] == "11210"
    listener.subscribe(args[0], event="unsubscribe")
    assert listener.subscribe(args[-1])["code"] == 0


def test_public_request_limit_rejects_whole_requests(venue: Venue, listener: Listener) -> None:
    good, bad = {"channel": "TRADE", "sym": PERP}, {"channel": "TRADE", "sym": "X"}
    for _ in range(70):
        listener.send({"event": "unsubscribe", "arg": [good, bad]})
    replies = [listener.frame() for _ in range(70)]
    over = [reply for reply in replies if reply.get("code") == "11260"]
    assert over
    assert over[0]["arg"] == [good, bad]
    assert replies[0]["invalidArg"] == [bad]
    deadline = time.monotonic() + 5
    while listener.subscribe(good)["code"] != 0:
        assert time.monotonic() < deadline


def test_a_public_login_raises_the_connection_limit_to_forty(venue: Venue) -> None:
    with ExitStack() as stack:
        first = stack.enter_context(connect(venue.ready["public_ws_url"], compression=None))
        assert Listener(first).reply(login(venue))["code"] == "200000"
        opened = []
        for number in range(40):
            opened.append(stack.enter_context(connect(venue.ready["public_ws_url"], compression=None)))
            if number < 39:
                assert Listener(opened[-1]).reply(login(venue))["code"] == "200000"
        with pytest.raises(ConnectionClosed) as closed:
            opened[-1].recv(timeout=5)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1008
        opened[-2].send(json.dumps({"ping": 1}))
        assert opened[-2].recv(timeout=5)


def test_an_unreadable_public_request_gets_an_error(listener: Listener) -> None:
    for request in ('{"event":"subscribe","arg":{}}', '{"event":5,"arg":[1]}', '{"arg":[]}', "7", '"subscribe"'):
        reply = listener.reply(request)
        assert (reply["event"], reply["code"]) == ("error", "601004")
        assert ("arg" in reply) == ("[" in request and "{" in request)
        assert set(reply) <= {"event", "code", "msg", "arg"}
