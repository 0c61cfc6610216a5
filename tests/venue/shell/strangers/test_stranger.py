"""A client written by somebody who only read the description of the private stream: websockets and hmac, nothing of ours."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import itertools
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
import websockets

SYM = "BINANCE_PERP_BTC_USDT"


class Stranger:
    """Login, actions and pushes of the private stream."""

    def __init__(self, url: str, key: str, secret: str) -> None:
        self._url, self._key, self._secret = url, key, secret
        self._ids = itertools.count(1)
        self.pushes: list[dict[str, Any]] = []
        self._replies: dict[str, dict[str, Any]] = {}
        self._news = asyncio.Condition()

    async def __aenter__(self) -> Stranger:
        self._socket = await websockets.connect(self._url)
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._reader.cancel()
        await self._socket.close()

    async def _read(self) -> None:
        async for text in self._socket:
            async with self._news:
                if text == "pong":
                    self.pushes.append({"channel": "pong"})
                else:
                    frame = json.loads(text)
                    if frame.get("channel"):
                        self.pushes.append(frame)
                    else:
                        self._replies[str(frame["id"])] = frame
                self._news.notify_all()

    async def pong(self) -> None:
        """Wait until everything that was sent before has arrived."""
        before = self.channel_count("pong")
        await self.send("ping")
        await self.until(lambda: self.channel_count("pong") > before)

    async def until(self, found: Any) -> Any:
        async with asyncio.timeout(60), self._news:
            while not (hit := found()):
                await self._news.wait()
            return hit

    async def ask(self, action: str, **args: str) -> dict[str, Any]:
        number = f"s{next(self._ids)}"
        await self._socket.send(json.dumps({"id": number, "action": action, "args": args}))
        reply: dict[str, Any] = await self.until(lambda: self._replies.get(number))
        return reply

    async def closed(self) -> int | None:
        """The code with which the other side closed the connection."""
        async with asyncio.timeout(60):
            await self._socket.wait_closed()
        return self._socket.close_code

    async def send(self, text: str) -> None:
        await self._socket.send(text)

    async def login(self) -> dict[str, Any]:
        stamp = str(int(time.time()))
        message = stamp + "GET" + "/users/self/verify"
        sign = hmac.new(self._secret.encode(), message.encode(), hashlib.sha256).hexdigest()
        return await self.ask("login", apiKey=self._key, timestamp=stamp, sign=sign)

    async def order(self, order_id: str, **wanted: str) -> dict[str, Any]:
        """The first push of the order that carries all the wanted values."""

        def found() -> Any:
            for push in self.pushes:
                if push["channel"].lower() != "orders" or push["data"]["orderId"] != order_id:
                    continue
                data = push["data"]
                if all(data[name] == value for name, value in wanted.items()):
                    return data
            return None

        data: dict[str, Any] = await self.until(found)
        return data

    async def algo(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first push of an algo order that is the wanted one."""
        rows = self.channel
        found: dict[str, Any] = await self.until(lambda: next(filter(wanted, rows("ALGO_ORDER")), None))
        return found

    def channel_count(self, name: str) -> int:
        return len(self.channel(name))

    def channel(self, name: str) -> list[Any]:
        """What was pushed on a channel; its name is compared case-blind."""
        return [push.get("data") for push in self.pushes if push["channel"].lower() == name.lower()]


@pytest.fixture
def stranger(venue: Any) -> Stranger:
    return Stranger(venue.ready["private_ws_url"], *venue.key())


def touch(venue: Any) -> tuple[float, float]:
    """Best bid and ask, read from the public stream."""
    from websockets.sync.client import connect

    with connect(venue.ready["public_ws_url"] + "?binary=false") as socket:
        socket.send(json.dumps({"event": "subscribe", "arg": [{"channel": "BBO", "sym": SYM}]}))
        while True:
            frame = json.loads(socket.recv(timeout=10))
            if "data" in frame:
                return float(frame["data"]["bid"]), float(frame["data"]["ask"])


async def test_independent_client_order_changes_are_replied_and_pushed(venue: Any, stranger: Stranger) -> None:
    bid, _ = await asyncio.to_thread(touch, venue)
    price = f"{bid - 500:.1f}"
    async with stranger as client:
        login = await client.login()
        assert (login["event"], login["code"]) == ("login", 0)

        placed = await client.ask(
            "place_order", sym=SYM, side="BUY", orderType="LIMIT", timeInForce="GTC", orderQty="0.010",
            limitPrice=price, clientOrderId="stranger1", reduceOnly="false", positionSide="NONE",
        )  # fmt: skip
        assert (placed["event"], placed["code"], placed["msg"]) == ("place_order", 200000, "Success")
        order_id = placed["data"]["orderId"]
        assert len(order_id) == 16
        assert order_id.isdigit()
        new = await client.order(order_id, orderState="NEW")
        resting = await client.order(order_id, orderState="OPEN")
        assert new["clientOrderId"] == resting["clientOrderId"] == "stranger1"
        assert int(new["updateAt"]) <= int(resting["updateAt"])

        replaced = await client.ask(
            "replace_order", orderId=order_id, replacePrice=f"{bid - 400:.1f}", replaceQty="0.020"
        )
        assert (replaced["code"], replaced["data"]["action"]) == (200000, "AMEND_PENDING")
        amended = await client.order(order_id, action="AMEND_COMPLETED")
        assert float(amended["limitPrice"]) == round(bid - 400, 1)
        assert float(amended["orderQty"]) == 0.02
        assert amended["amendType"] == "USER"

        cancelled = await client.ask("cancel_order", clientOrderId="stranger1")
        assert (cancelled["code"], cancelled["data"]["action"]) == (200000, "CANCEL_PENDING")
        final = await client.order(order_id, orderState="CANCELLED")
        assert (final["action"], final["cancelType"], final["executedQty"]) == ("CANCEL_COMPLETED", "USER", "0")
        await client.order(order_id, action="CANCEL_PENDING")


async def test_a_taker_fill_pushes_order_trade_position_and_account(venue: Any, stranger: Stranger) -> None:
    _, ask = await asyncio.to_thread(touch, venue)
    async with stranger as client:
        assert (await client.login())["code"] == 0
        placed = await client.ask(
            "place_order", sym=SYM, side="BUY", orderType="LIMIT", timeInForce="IOC", orderQty="0.002",
            limitPrice=f"{ask + 5:.1f}", clientOrderId="stranger2",
        )  # fmt: skip
        assert placed["code"] == 200000
        filled = await client.order(placed["data"]["orderId"], orderState="FILLED")
        assert filled["executedQty"] == "0.002"
        await client.until(
            lambda: client.channel("Trades") and client.channel("Positions") and client.channel("Accounts")
        )
        trade = client.channel("Trades")[0]
        assert (trade["quantity"], trade["execType"], trade["side"]) == ("0.002", "TAKER", "BUY")
        assert float(trade["fee"]) > 0
        position = client.channel("Positions")[0][0]
        assert (position["sym"], position["positionSide"], position["positionQty"]) == (SYM, "NONE", "0.002")
        account = client.channel("Accounts")[0][0]
        assert account["exchangeType"] == "BINANCE"
        closed = await client.ask(
            "place_order", sym=SYM, side="SELL", orderType="MARKET", orderQty="0.002", reduceOnly="true"
        )
        await client.order(closed["data"]["orderId"], orderState="FILLED")
        await client.until(lambda: any(rows[0]["positionQty"] == "0" for rows in client.channel("Positions")))


async def test_an_invalid_frame_gets_an_error_and_no_disconnect(venue: Any, stranger: Stranger) -> None:
    async with stranger as client:
        early = await client.ask("place_order", sym=SYM, side="BUY", orderType="MARKET", orderQty="1")
        assert early["code"] == 601901
        await client.send("ping")
        await client.until(lambda: [push for push in client.pushes if push["channel"] == "pong"])
        await client.send("not json")
        wrong = await client.until(lambda: client._replies.get("None"))
        assert (wrong["event"], wrong["code"]) == ("error", 601004)
        await client.send(json.dumps({"id": "x", "action": "dance", "args": {}}))
        unknown = await client.until(lambda: client._replies.get("x"))
        assert unknown["code"] == 601902


async def test_login_with_bad_signature_unknown_key_or_old_time_fails(venue: Any, edition: str) -> None:
    key, secret = venue.key()
    async with Stranger(venue.ready["private_ws_url"], key, secret + "x") as client:
        assert (await client.login())["code"] == 60009
    async with Stranger(venue.ready["private_ws_url"], "nobody", secret) as client:
        refused = await client.login()
        assert refused["code"] == (60009 if edition == "lenient" else 405001)
        assert "Not Found" in refused["msg"]
    async with Stranger(venue.ready["private_ws_url"], key, secret) as client:
        stamp = str(int(time.time()) - 120)
        sign = hmac.new(secret.encode(), (stamp + "GET/users/self/verify").encode(), hashlib.sha256).hexdigest()
        old = await client.ask("login", apiKey=key, timestamp=stamp, sign=sign)
        assert old["code"] == 60009
        assert "off" in old["msg"]


async def test_a_read_only_login_succeeds_but_cannot_trade(venue: Any) -> None:
    async with Stranger(venue.ready["private_ws_url"], *venue.key("readonly")) as client:
        assert (await client.login())["code"] == 0
        refused = await client.ask("cancel_orders", sym=SYM)
        assert refused["code"] == 2002
