"""Every fault that can be switched on, seen from outside over real sockets (W1 to W18)."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest
import websockets

from tests.busy import limit
from tests.venue.shell.conftest import Venue
from tests.venue.shell.inside import Inside, inside
from tests.venue.shell.strangers.test_stranger import Stranger
from tui.interface import signing
from tui.venue.shell.faults import FORMS, OFF, parse_faults
from tui.venue.shell.switches import ALL_SPECS, BadSwitch, split_settings

PERP = "BINANCE_PERP_BTC_USDT"
ORDER, ORDERS = "/api/v1/trading/order", "/api/v1/trading/orders"
LIMIT = {"sym": PERP, "side": "BUY", "orderType": "LIMIT", "orderQty": "0.01", "limitPrice": "50000"}
MARKET = {"sym": PERP, "side": "BUY", "orderType": "MARKET", "orderQty": "0.002"}


def switch(venue: Inside, name: str, value: str) -> None:
    venue.runtime.switches.set(name, value)
    venue.runtime.faults.restart(name)


async def logged_in(client: Stranger) -> Stranger:
    assert (await client.login())["code"] == 0
    return client


async def place(client: Stranger, **more: str) -> str:
    reply = await client.ask("place_order", **{**LIMIT, **more})
    assert reply["code"] == 200000, reply
    return str(reply["data"]["orderId"])


async def found(venue: Inside, client_id: str) -> int:
    """The code of a query by client order id."""
    return int((await venue.raw("GET", ORDER, {"clientOrderId": client_id}))[1]["code"])


async def eventually(check: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(limit(5)):
        while not await check():
            await asyncio.sleep(0.01)


# -- how they are written ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(FORMS))
def test_every_documented_fault_value_is_accepted(name: str) -> None:
    found_spec = next(one for one in ALL_SPECS if one.name == name)
    assert found_spec.values[0] == OFF
    for value in found_spec.values:
        shell, _ = split_settings([(name, value)])
        assert shell[name] == value
        assert len(parse_faults(name, value)) == (value != OFF)
    for value in ("", "nonsense", f"{found_spec.values[1]}:x:y:z", "drop:Orders:1.5", "drop:Orders:-1x", "drop:a b"):
        with pytest.raises(BadSwitch, match=name):
            split_settings([(name, value)])


async def test_fault_counts_and_probabilities_are_applied_and_logged() -> None:
    async with inside(("agents", "off")) as venue:
        faults = venue.runtime.faults
        switch(venue, "rest_fault", "502:open_orders:2x,418:positions:0.5")
        assert [bool(faults.strikes("rest_fault", "open_orders")) for _ in range(4)] == [True, True, False, False]
        share = sum(bool(faults.strikes("rest_fault", "positions")) for _ in range(400))
        assert 140 < share < 260
        assert faults.strikes("rest_fault", "leverage") is None
        assert faults.counts == {"rest_fault 502": 2, "rest_fault 418": share}
        assert [(use.kind, use.target) for use in list(faults.uses)[:2]] == [("502", "open_orders")] * 2
        switch(venue, "rest_fault", "502:open_orders:2x,418:positions:0.5")
        assert faults.strikes("rest_fault", "open_orders")


# -- the private stream ------------------------------------------------------------------------------------------------


async def test_a_used_client_order_id_is_rejected_unless_switched_on() -> None:
    async with inside(("agents", "off")) as venue:
        body = {**LIMIT, "clientOrderId": "one"}
        codes = [(await venue.raw("POST", ORDER, body))[1]["code"] for _ in range(2)]
        venue.exchange.queries.switches.set("duplicate_client_id", "accept")
        codes.append((await venue.raw("POST", ORDER, body))[1]["code"])
        assert codes == [200000, 401009, 200000]


async def test_push_fault_drops_delays_duplicates_and_reorders() -> None:
    async with inside(("agents", "off")) as venue, venue.stranger() as client:
        await logged_in(client)
        switch(venue, "push_fault", "drop:Orders:1x")
        await place(client)
        await client.until(lambda: client.channel("Orders"))
        assert [row["orderState"] for row in client.channel("Orders")] == ["OPEN"]
        client.pushes.clear()
        switch(venue, "push_fault", "duplicate:Orders:1x:2")
        await place(client)
        await client.until(lambda: client.channel_count("Orders") == 4)
        assert [row["orderState"] for row in client.channel("Orders")] == ["NEW"] * 3 + ["OPEN"]
        client.pushes.clear()
        switch(venue, "push_fault", "reorder:Orders:1x")
        await place(client)
        await client.until(lambda: client.channel_count("Orders") == 2)
        assert [row["orderState"] for row in client.channel("Orders")] == ["OPEN", "NEW"]
        client.pushes.clear()
        switch(venue, "push_fault", "delay:Orders:1x:50")
        await place(client)
        await client.until(lambda: client.channel_count("Orders") == 2)
        assert [row["orderState"] for row in client.channel("Orders")] == ["OPEN", "NEW"]
        assert venue.runtime.faults.counts["push_fault reorder"] == 1


@pytest.mark.edition("documents")
async def test_reply_race_fault_sends_pushes_before_the_reply() -> None:
    async with (
        inside(("agents", "off"), ("reply_race", "push_first")) as venue,
        websockets.connect(venue.private_url) as socket,
    ):
        key, stamp = venue.keys["main"], str(int(time.time()))
        login = {"apiKey": key.api_key, "timestamp": stamp, "sign": signing.sign_login(key.api_secret, stamp)}
        await socket.send(json.dumps({"action": "login", "args": login}))
        assert json.loads(await socket.recv())["code"] == 0
        await socket.send(json.dumps({"id": "p", "action": "place_order", "args": LIMIT}))
        frames = [json.loads(await socket.recv()) for _ in range(3)]
        assert [frame.get("channel", frame.get("id")) for frame in frames[:2]] == ["orders", "orders"]


async def test_lose_reply_fault_drops_the_reply_of_a_placed_order() -> None:
    async with inside(("agents", "off")) as venue, venue.stranger() as client:
        await logged_in(client)
        switch(venue, "lose_reply", "place_order:1x")
        await client.send(json.dumps({"id": "lost", "action": "place_order", "args": {**LIMIT, "clientOrderId": "a"}}))
        await client.until(lambda: client.channel("Orders"))
        await place(client, clientOrderId="b")
        assert "lost" not in client._replies
        assert await found(venue, "a") == 200000


async def test_commit_late_fault_places_an_order_after_disconnect() -> None:
    async with inside(("agents", "off"), ("commit_late", "place_order:1x:150")) as venue:
        async with venue.stranger() as client:
            await logged_in(client)
            await client.send(json.dumps({"id": "1", "action": "place_order", "args": {**LIMIT, "clientOrderId": "a"}}))
            await client.pong()
        assert await found(venue, "a") == 401018

        async def there() -> bool:
            return await found(venue, "a") == 200000

        await eventually(there)


async def test_reply_delay_fault_slows_replies_and_not_pushes() -> None:
    async with inside(("agents", "off"), ("reply_delay", "place_order:1x:100,open_orders:1x:100")) as venue:
        async with venue.stranger() as client:
            await logged_in(client)
            await client.send(json.dumps({"id": "slow", "action": "place_order", "args": LIMIT}))
            await client.until(lambda: client.channel("Orders"))
            assert "slow" not in client._replies
            await client.until(lambda: client._replies.get("slow"))
        loop = asyncio.get_running_loop()
        before = loop.time()
        await venue.data("GET", ORDERS)
        assert loop.time() - before >= 0.1


async def test_login_snapshot_switch_pushes_all_rows_after_login() -> None:
    async with inside(("agents", "still"), ("login_snapshot", "full")) as venue:
        order = (await venue.data("POST", ORDER, LIMIT))["orderId"]
        await venue.data("POST", ORDER, MARKET)
        async with venue.stranger() as client:
            await logged_in(client)
            await client.pong()
            assert [row["orderId"] for row in client.channel("Orders")] == [order]
            assert [row["sym"] for row in client.channel("Positions")[0]] == [PERP]
            assert len(client.channel("Assets")[0]) == 6
            assert len(client.channel("Accounts")[0]) == 3


async def test_wrong_portfolio_fault_pushes_an_order_of_main_to_sub() -> None:
    async with inside(("agents", "off"), ("wrong_portfolio", "Orders:1x")) as venue, venue.stranger("sub") as other:
        await logged_in(other)
        await venue.data("POST", ORDER, LIMIT)
        await other.pong()
        assert [row["portfolioId"] for row in other.channel("Orders")] == [venue.keys["main"].portfolio]


@pytest.mark.parametrize("kind", ["enum", "extra", "rename", "number", "shape", "text"])
async def test_odd_data_fault_sends_malformed_pushes(kind: str) -> None:
    async with (
        inside(("agents", "still"), ("odd_data", f"{kind}:Assets:1x,{kind}:BBO:1x")) as venue,
        venue.stranger() as client,
    ):
        await logged_in(client)
        await venue.data("POST", ORDER, MARKET)
        await client.until(lambda: client.channel_count("Assets") > 1 or client.channel_count("Accounts"))
        first = client.channel("Assets")[0]
        row = first[0][0][0] if kind == "shape" else first[0]
        wrong = {
            "enum": "SOMETHING_NEW" in row.values(),
            "extra": "unheardOf" in row,
            "rename": "portfolioIdV2" in row and "portfolioId" not in row,
            "number": any(isinstance(value, float) for value in row.values()),
            "shape": isinstance(first[0], list),
            "text": any("\x1b" in str(value) for value in row.values()),
        }
        assert wrong[kind], first
        assert venue.runtime.faults.counts[f"odd_data {kind}"] >= 1


async def test_replace_fault_cancels_the_order() -> None:
    async with inside(("agents", "off"), ("replace_fault", "cancelled:*:1x")) as venue, venue.stranger() as client:
        await logged_in(client)
        order = await place(client)
        reply = await client.ask("replace_order", orderId=order, replaceQty="0.02")
        assert (reply["data"]["orderState"], reply["data"]["action"]) == ("CANCELLED", "AMEND_FAILED")
        assert (await client.order(order, orderState="CANCELLED"))["orderQty"] == "0.01"
        again = await place(client)
        assert (await client.ask("replace_order", orderId=again, replaceQty="0.02"))["data"][
            "action"
        ] == "AMEND_PENDING"


async def test_cancel_race_fault_fills_the_order_before_its_cancel() -> None:
    async with inside(("agents", "off"), ("cancel_race", "fill_first")) as venue, venue.stranger() as client:
        await logged_in(client)
        order = await place(client)
        assert (await client.ask("cancel_order", orderId=order))["data"]["action"] == "CANCEL_PENDING"
        assert (await client.order(order, action="CANCEL_FAILED"))["orderState"] == "FILLED"


@pytest.mark.parametrize(("point", "code"), [("login", 4000), ("place_order", 1012), ("push", 1008), ("frame", 1013)])
async def test_close_fault_closes_a_connection_with_a_code(point: str, code: int) -> None:
    async with inside(("agents", "off"), ("close_fault", f"{code}:{point}:1x")) as venue, venue.stranger() as client:
        await client.login() if point == "login" else None
        if point == "frame":
            await client.send("{}")
        elif point != "login":
            await logged_in(client)
            await client.send(json.dumps({"id": "1", "action": "place_order", "args": {**LIMIT, "clientOrderId": "a"}}))
        await asyncio.wait_for(client._socket.wait_closed(), 5)
        assert client._socket.close_code == code
        if point in ("place_order", "push"):
            assert await found(venue, "a") == 200000


async def test_a_fault_resets_a_stream_and_a_switch_stops_the_network() -> None:
    async with inside(("agents", "off"), ("close_fault", "rst:place_order:1x")) as venue:
        async with venue.stranger() as client:
            await logged_in(client)
            await client.send(json.dumps({"id": "1", "action": "place_order", "args": LIMIT}))
            await asyncio.wait_for(client._socket.wait_closed(), 5)
            assert client._socket.close_code == 1006
        async with venue.stranger("sub") as other:
            await logged_in(other)
            switch(venue, "network", "black_hole")
            await other.send("ping")
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(venue.raw("GET", ORDERS), 0.2)
            assert other.pushes == []
            switch(venue, "network", "up")
            await other.pong()
            assert other.channel_count("pong") == 1
            assert await venue.data("GET", ORDERS)


# -- REST --------------------------------------------------------------------------------------------------------------


async def answer(venue: Inside, body: dict[str, str]) -> tuple[int, bytes]:
    """The bare answer to a placement."""
    try:
        status, data = await venue.raw("POST", ORDER, body)
    except aiohttp.ContentTypeError as error:
        return error.status, b"no JSON"
    return status, json.dumps(data).encode()


@pytest.mark.parametrize(
    ("kind", "status", "text"),
    [
        ("429", 429, b"100429"),
        ("429bare", 429, b"no JSON"),
        ("418", 418, b"no JSON"),
        ("500", 500, b"no JSON"),
        ("502", 502, b"no JSON"),
        ("503", 503, b"no JSON"),
        ("400013", 200, b"400013"),
        ("empty", 200, b"no JSON"),
        ("html", 200, b"no JSON"),
        ("contradiction", 500, b"200000"),
    ],
)
async def test_rest_fault_fails_calls_before_or_after_their_effect(kind: str, status: int, text: bytes) -> None:
    wish = f"{kind}:place_order:1x,{kind}:place_order:1x:after"
    async with inside(("agents", "off"), ("rest_fault", wish)) as venue:
        for client_id, effect in (("before", 401018), ("after", 200000)):
            given, body = await answer(venue, {**LIMIT, "clientOrderId": client_id})
            assert given == status
            assert text in body
            assert await found(venue, client_id) == effect
        assert (await answer(venue, {**LIMIT, "clientOrderId": "well"}))[0] == 200


@pytest.mark.parametrize(
    ("kind", "rest", "action"),
    [("frozen", 100041, 100041), ("revoked", 405001, 405001), ("readonly", 2002, 2002), ("scope", 100003, 200000)],
)
async def test_key_fault_revokes_a_key_in_use(kind: str, rest: int, action: int) -> None:
    async with inside(("agents", "off")) as venue, venue.stranger() as client:
        await logged_in(client)
        switch(venue, "key_fault", f"{kind}:main")
        assert (await venue.raw("POST", ORDER, LIMIT))[1]["code"] == rest
        assert (await client.ask("place_order", **LIMIT))["code"] == action
        assert (await venue.raw("GET", ORDERS, key="sub"))[1]["code"] == 200000
        switch(venue, "key_fault", "off")
        assert (await venue.raw("POST", ORDER, LIMIT))[1]["code"] == 200000


async def test_page_fault_moves_rows_between_pages() -> None:
    async with inside(("agents", "off")) as venue:
        for _ in range(6):
            await venue.data("POST", ORDER, LIMIT)

        async def pages() -> list[int]:
            parse_faults = [await venue.data("GET", ORDERS, {"page": str(page), "pageSize": "3"}) for page in (1, 2)]
            return [len(page["list"]) for page in parse_faults]

        assert await pages() == [3, 3]
        for kind, sizes in (("moves", [3, 2]), ("twice", [4, 4]), ("vanishes", [2, 2])):
            switch(venue, "page_fault", f"{kind}:open_orders")
            assert await pages() == sizes, kind


async def test_maintenance_fault_starts_and_stops_without_notice() -> None:
    async with inside(("agents", "off")) as venue:
        switch(venue, "maintenance", "TRADE 1600000000000 4000000000000 now")
        assert (await venue.raw("POST", ORDER, LIMIT))[1]["code"] == 400011
        switch(venue, "maintenance", "none")
        assert (await venue.raw("POST", ORDER, LIMIT))[1]["code"] == 200000


# -- market data -------------------------------------------------------------------------------------------------------


async def quotes(venue: Inside, wish: str) -> list[dict[str, Any]]:
    """The quotes that a reader gets when the touch changes twice."""
    async with websockets.connect(venue.public_url) as socket:
        ask = {"event": "subscribe", "arg": [{"channel": "BBO", "sym": PERP}]}
        await socket.send(json.dumps(ask))
        frames = [json.loads(await socket.recv()) for _ in range(2)]
        assert frames[0]["event"] == "subscribe"
        switch(venue, "market_fault", wish)
        for price in ("60000", "60001"):
            await venue.data("POST", ORDER, {**LIMIT, "limitPrice": price})
        await socket.send(json.dumps({"ping": 1}))
        rows = []
        while "pong" not in (frame := json.loads(await socket.recv())):
            rows.append(frame["data"])
        return rows


async def test_market_fault_silences_quotes() -> None:
    async with inside(("agents", "off")) as venue:
        await venue.data("POST", ORDER, {**LIMIT, "side": "SELL", "limitPrice": "62000"}, key="sub")
        await venue.data("POST", ORDER, {**LIMIT, "limitPrice": "59999"})
        assert [row["bid"] for row in await quotes(venue, "off")] == ["60000", "60001"]
        await venue.data("DELETE", "/api/v1/trading/cancelAll", {"sym": PERP})
        await asyncio.sleep(0.01)
        assert await quotes(venue, f"silence:{PERP}") == []


@pytest.mark.parametrize("kind", ["crossed", "old", "future", "burst"])
async def test_market_fault_sends_crossed_old_future_or_many_quotes(kind: str) -> None:
    async with inside(("agents", "off")) as venue:
        await venue.data("POST", ORDER, {**LIMIT, "side": "SELL", "limitPrice": "62000"}, key="sub")
        figure = {"crossed": "", "old": ":60000", "future": ":60000", "burst": ":20"}[kind]
        rows = await quotes(venue, f"{kind}:*:1{figure}")
        now = venue.runtime.now_ms()
        assert len(rows) == (40 if kind == "burst" else 2)
        ahead = int(rows[0]["ts"]) - now
        assert (ahead < -50_000, ahead > 50_000) == (kind == "old", kind == "future")
        assert (float(rows[0]["bid"]) > float(rows[0]["ask"])) == (kind == "crossed")


async def test_market_fault_rejects_a_subscription() -> None:
    async with (
        inside(("agents", "off"), ("market_fault", f"refuse:{PERP}:1x")) as venue,
        websockets.connect(venue.public_url) as socket,
    ):
        ask = json.dumps({"event": "subscribe", "arg": [{"channel": "BBO", "sym": PERP}]})
        await socket.send(ask)
        assert json.loads(await socket.recv())["code"] == "11250"
        await socket.send(ask)
        assert json.loads(await socket.recv())["event"] == "subscribe"


def test_control_input_sets_faults_and_moves_the_market(start: Callable[..., Venue]) -> None:
    venue = start(
        "--seed", "7", "--set", "latency=test", "--set", "agents=off", "--set", "rate_profile=off", "--control"
    )
    assert venue.process.stdin is not None
    venue.process.stdin.write(
        b'{"move": {"BTC": "61000"}}\n{"set": {"rest_fault": "502:open_orders:1x"}}\n{"set": {"rest_fault": "x"}}\n'
    )
    venue.process.stdin.flush()
    assert venue.process.stderr is not None
    assert b"rest_fault" in venue.process.stderr.readline()
    assert venue.raw("GET", ORDERS)[0] == 200
    rows = venue.data("GET", "/api/v1/market/markPrice", {"sym": PERP})
    assert float(rows[0]["markPrice"]) == 61_000
