"""What a private connection may rely on: every change once, in order, its own only, and a bounded queue (V27-V30, V35)."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from typing import Any

import pytest

from tests.busy import limit
from tests.venue.core.seeded import Seeded
from tests.venue.shell.inside import Inside, inside
from tests.venue.shell.strangers.test_stranger import Stranger
from tui.interface import signing
from tui.interface.families.orders import CancelOrder, PlaceOrder
from tui.venue.shell.streams.outbox import MAX_WAITING
from tui.venue.shell.streams.private import PRIVATE

PERP, SPOT = "BINANCE_PERP_BTC_USDT", "BINANCE_SPOT_BTC_USDT"
REST = {
    "Orders": "/api/v1/trading/orders",
    "Positions": "/api/v1/trading/position",
    "Assets": "/api/v1/trading/portfolio/assets",
    "Accounts": "/api/v1/trading/account",
}
KEYS = {
    "Orders": ("orderId",),
    "Positions": ("sym", "positionSide"),
    "Assets": ("exchangeType", "coin"),
    "Accounts": ("exchangeType",),
}
ONLY_PUSHED = {
    "Orders": ("action", "actionMsg"),
    "Accounts": ("updateAt", "perpAvailableMargin"),
    "Positions": ("exchangeType",),
}
FINAL = ("FILLED", "CANCELLED", "REJECT")

Rows = dict[tuple[str, ...], dict[str, Any]]


def key_of(channel: str, row: dict[str, Any]) -> tuple[str, ...]:
    return (channel, *(str(row[name]) for name in KEYS[channel]))


async def snapshot(venue: Inside, key: str) -> Rows:
    """The portfolio by REST."""
    rows: Rows = {}
    for channel, path in REST.items():
        data = await venue.data("GET", path, key=key)
        for row in data["list"] if isinstance(data, dict) else data:
            kept = {name: value for name, value in row.items() if name not in ONLY_PUSHED.get(channel, ())}
            rows[key_of(channel, row)] = kept
    return rows


def replay(rows: Rows, pushes: list[dict[str, Any]]) -> Rows:
    """The snapshot carried on by what was pushed since."""
    after = dict(rows)
    for push in pushes:
        channel, data = push["channel"].capitalize(), push.get("data", [])
        if channel not in KEYS:
            continue
        for row in data if isinstance(data, list) else [data]:
            key = key_of(channel, row)
            after[key] = {name: value for name, value in row.items() if name not in ONLY_PUSHED.get(channel, ())}
            if row.get("orderState") in FINAL or row.get("positionQty") == "0":
                del after[key]
    return after


async def trade(client: Stranger, source: Seeded, count: int, price: float) -> None:
    """Orders of every kind around the market, and cancels of what rests."""
    resting: list[str] = []
    for _ in range(count):
        kind = source.randrange(5)
        if kind == 0 and resting:
            await client.ask("cancel_order", orderId=resting.pop(source.randrange(len(resting))))
            continue
        args = {"sym": (PERP, PERP, SPOT)[source.randrange(3)], "side": ("BUY", "SELL")[source.randrange(2)]}
        args |= {"orderType": "MARKET", "orderQty": "0.002"}
        if kind > 1:
            away = source.randrange(400) - 200
            args |= {"orderType": "LIMIT", "orderQty": "0.005", "limitPrice": f"{price + away:.1f}"}
        reply = await client.ask("place_order", **args)
        if reply["code"] == 200000:
            resting.append(reply["data"]["orderId"])


async def quiet(*clients: Stranger) -> None:
    """Everything that was sent before has been read."""
    for client in clients:
        before = client.channel_count("pong")
        await client.send("ping")
        await client.until(lambda client=client, before=before: client.channel_count("pong") > before)


@pytest.mark.parametrize("race", ["off", "random"])
@pytest.mark.edition("documents")
async def test_login_snapshot_plus_pushes_equals_the_venue_state(race: str) -> None:
    async with (
        inside(("agents", "on"), ("reply_race", race), seed=race) as venue,
        venue.stranger("main") as main,
        venue.stranger("sub") as sub,
    ):
        venue.runtime.stop()
        for client in (main, sub):
            assert (await client.login())["code"] == 0
        before = {name: await snapshot(venue, name) for name in ("main", "sub")}
        venue.told.clear()
        venue.runtime.start()
        quote = venue.exchange.queries.quote(PERP)
        assert quote is not None
        middle = float(quote.bid)
        await asyncio.gather(trade(main, Seeded("m"), 60, middle), trade(sub, Seeded("s"), 60, middle))
        venue.runtime.stop()
        await quiet(main, sub)
        for name, client in (("main", main), ("sub", sub)):
            after = replay(before[name], client.pushes)
            now = await snapshot(venue, name)
            assert len(now) > 6
            assert {key: json.dumps(row, sort_keys=True) for key, row in after.items()} == {
                key: json.dumps(row, sort_keys=True) for key, row in now.items()
            }
            _once_and_in_order(venue, name, client)


def _once_and_in_order(venue: Inside, name: str, client: Stranger) -> None:
    """V27, V28: the frames of a connection are the committed events of its portfolio, each once."""
    mine = [event for event in venue.told if getattr(event, "portfolio", "") == venue.keys[name].portfolio]
    frames = [PRIVATE.frame(event, with_removed=False) for event in mine]  # type: ignore[arg-type]
    expected = [json.loads(frame) for frame in frames if frame]
    told = [{**push, "channel": push["channel"].capitalize()} for push in client.pushes if push["channel"] != "pong"]
    assert told == [{**push, "channel": push["channel"].capitalize()} for push in expected]


async def test_no_connection_gets_pushes_of_another_portfolio() -> None:
    async with inside(("agents", "still")) as venue:
        names = ("main", "sub", "readonly")
        async with venue.stranger("main") as main, venue.stranger("sub") as sub, venue.stranger("readonly") as third:
            for client in (main, sub, third):
                assert (await client.login())["code"] == 0
            await asyncio.gather(trade(main, Seeded("1"), 20, 61_800), trade(sub, Seeded("2"), 20, 61_800))
            venue.runtime.stop()
            await quiet(main, sub, third)
            for name, client in zip(names, (main, sub, third), strict=True):
                told = [push["data"] for push in client.pushes if "data" in push]
                rows = [row for data in told for row in (data if isinstance(data, list) else [data])]
                assert {row["portfolioId"] for row in rows} == {venue.keys[name].portfolio}
            assert main.pushes[:-1] == third.pushes[:-1], "two connections of a portfolio were told different things"


async def test_order_pages_list_every_order_exactly_once() -> None:
    async with inside(("agents", "off")) as venue:
        made = set()
        for number in range(45):
            body = {"sym": PERP, "side": "BUY", "orderType": "LIMIT", "orderQty": "0.001",
                    "limitPrice": str(50_000 + number)}  # fmt: skip
            made.add((await venue.data("POST", "/api/v1/trading/order", body))["orderId"])
        for path in (REST["Orders"], "/api/v1/trading/history/orders"):
            seen: list[str] = []
            for page in range(1, 8):
                data = await venue.data("GET", path, {"page": str(page), "pageSize": "7"})
                assert (data["pageNum"], data["totalSize"], data["page"], data["pageSize"]) == (7, 45, page, 7)
                seen += [row["orderId"] for row in data["list"]]
            assert len(seen) == 45
            assert set(seen) == made
            past = await venue.data("GET", path, {"page": "8", "pageSize": "7"})
            assert past["list"] == []
            for sent, code in (({"pageSize": "0"}, 400002), ({"pageSize": "1001"}, 400002), ({"page": "0"}, 400003),
                               ({"page": "x"}, 400000)):  # fmt: skip
                assert (await venue.raw("GET", path, sent))[1]["code"] == code


def _silent_reader(venue: Inside, key: str) -> socket.socket:
    """A connection that logs in and then reads nothing any more."""
    plain = socket.socket()
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    plain.connect(("127.0.0.1", venue.port))
    upgrade = (
        "GET /v1/private HTTP/1.1\r\n"
        f"Host: 127.0.0.1:{venue.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    plain.sendall(upgrade.encode())
    assert b" 101 " in plain.recv(4096)
    stamp = str(int(time.time()))
    args = {"apiKey": venue.keys[key].api_key, "timestamp": stamp,
            "sign": signing.sign_login(venue.keys[key].api_secret, stamp)}  # fmt: skip
    text = json.dumps({"action": "login", "args": args}).encode()
    plain.sendall(bytes([0x81, 0x80 | 126]) + len(text).to_bytes(2, "big") + bytes(4) + text)
    assert b'"code":0' in plain.recv(4096)
    return plain


async def test_a_slow_reader_is_closed_without_affecting_others() -> None:
    async with inside(("agents", "off")) as venue, venue.stranger("sub") as other, venue.stranger("main") as reader:
        assert (await other.login())["code"] == 0
        slow = await asyncio.to_thread(_silent_reader, venue, "main")
        await asyncio.sleep(0)
        sessions = venue.server._private._sessions
        assert len(sessions) == 3
        stuck = next(one for one in sessions.values() if one.key is not None and one.key.name == "main")
        # Later than the other login of the same key, which may be made once in a second only.
        venue.server._private.windows = venue.server._algo.windows
        assert (await reader.login())["code"] == 0
        most = 0
        for number in range(20_000):
            place = PlaceOrder(
                portfolio=venue.keys["main"].portfolio, sym=PERP, side="BUY", order_type="LIMIT",
                order_qty="0.001", limit_price="50000", client_order_id=f"n{number}",
            )  # fmt: skip
            venue.runtime.execute(place, lambda _reply: None)
            order = CancelOrder(portfolio=place.portfolio, client_order_id=place.client_order_id)
            venue.runtime.execute(order, lambda _reply: None)
            most = max(most, len(stuck.outbox._frames))
            if stuck.outbox.closing:
                break
            await asyncio.sleep(0.002 if not number % 10 else 0)
        assert stuck.outbox.closing
        assert most <= MAX_WAITING
        async with asyncio.timeout(limit(10)):
            while stuck in sessions.values():
                await asyncio.sleep(0.02)
        slow.close()
        await quiet(other, reader)
        venue.runtime.stop()
        await quiet(reader)
        placed = sum(1 for row in reader.channel("Orders") if row["orderState"] == "NEW")
        assert placed == number + 1, "another connection lost pushes"
        assert other.pushes == [{"channel": "pong"}]
