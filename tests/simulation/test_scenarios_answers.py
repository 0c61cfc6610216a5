"""Answers that prove nothing, or refuse: what the trader sees of each, and what went over the wire."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.simulation.floor import SYM, Floor
from tests.simulation.harness.frames import FrameReader, text_frame
from tests.simulation.harness.network import Wire
from tests.simulation.harness.proxy import DOUBTS, PRIVATE
from tests.simulation.rates import Rates
from tests.simulation.steps import ANY_AGE, in_step, play, resting
from tui.engine.intents import Outcome, Verdict
from tui.engine.rows import LocalOrderState
from tui.engine.status_rows import LinkState
from tui.interface.families.orders import Side

pytestmark = pytest.mark.simulation


def payload(data: bytes) -> dict[str, Any]:
    """What one frame says; nothing for the answer of an upgrade."""
    reader = FrameReader()
    list(reader.feed(b"\r\n\r\n"))
    frame = next(iter(reader.feed(data)), None)
    return json.loads(frame.payload) if frame is not None and frame.payload.startswith(b"{") else {}


def instead(floor: Floor, reply: dict[str, Any], *, done: bool) -> None:
    """The next place is answered by this and nothing else; `done`: after the venue has carried it out."""
    direction = "in" if done else "out"

    def keep(wire: Wire, way: str, data: bytes) -> bool:
        if way != direction or PRIVATE not in wire.target:
            return False
        said = payload(data)
        if "place_order" not in (said.get("action"), said.get("event")):
            return False
        floor.network.filters.remove(keep)
        wire.client.receive(text_frame(json.dumps({"id": said["id"], "event": "place_order", **reply}).encode()))
        return True

    floor.network.filters.insert(0, keep)


async def bid(floor: Floor, qty: str = "0.010") -> Outcome:
    """An order that rests."""
    return await floor.place(SYM, Side.BUY, qty, "60000")


def asks(floor: Floor) -> int:
    """Questions about single orders that were written."""
    return sum(one.kind == "ask" for one in floor.history.lines)


@pytest.mark.parametrize("reply", [reply for _, reply, _ in DOUBTS], ids=[name for name, _, _ in DOUBTS])
def test_f38_f39_f64_f65_f69_f70_ambiguous_replies_are_queried(
    reply: dict[str, Any],
) -> None:
    async def day(floor: Floor) -> None:
        instead(floor, reply, done=True)
        floor.proxy.rates = Rates(drop_push=1)
        placed = await bid(floor)
        assert placed.verdict is Verdict.UNKNOWN
        floor.proxy.rates = Rates()
        row = await floor.shows(placed.key, "OPEN")
        assert row.order_id
        assert floor.proxy.commands == 1

    play(day)


@pytest.mark.parametrize("reply", [reply for _, reply, _ in DOUBTS], ids=[name for name, _, _ in DOUBTS])
def test_f38_f39_f64_f65_f69_f70_missing_orders_stay_unknown(reply: dict[str, Any]) -> None:
    async def day(floor: Floor) -> None:
        instead(floor, reply, done=False)
        placed = await bid(floor)
        assert placed.verdict is Verdict.UNKNOWN
        await asyncio.sleep(30)
        row = floor.mirror.orders[placed.key]
        assert (row.state, row.not_found > 2) == (LocalOrderState.UNKNOWN, True)
        if reply["code"] > 200000:
            assert str(reply["code"]) in row.reason
        assert (floor.proxy.commands, floor.exchange.queries.orders(floor.portfolio)) == (1, [])

    play(day)


def test_f61_a_rate_limit_error_in_a_reply_is_final() -> None:
    async def day(floor: Floor) -> None:
        instead(floor, {"code": 100429, "msg": "Too many requests", "data": None}, done=False)
        placed = await bid(floor)
        assert (placed.verdict, floor.mirror.orders[placed.key].state) == (Verdict.REJECTED, "REJECT")
        assert "100429" in placed.text
        await asyncio.sleep(10)
        assert floor.proxy.commands == 1

    play(day)


def test_f62_cancels_are_sent_while_queries_are_rate_limited() -> None:
    async def day(floor: Floor) -> None:
        other = await resting(floor, "200")
        floor.answers.storm = True
        floor.proxy.rates = Rates(lose_reply=1, drop_push=1)
        placed = await bid(floor)
        assert placed.verdict is Verdict.UNKNOWN
        floor.proxy.rates = Rates()
        before = asks(floor)
        await asyncio.sleep(20)
        assert floor.proxy.faults["F62"] > 3
        assert asks(floor) - before <= 6
        assert floor.mirror.orders[placed.key].state == LocalOrderState.UNKNOWN
        assert (await floor.cancel(other.key)).verdict is Verdict.ACCEPTED
        await floor.shows(other.key, "CANCELLED")
        floor.answers.storm = False
        await floor.shows(placed.key, "OPEN")

    play(day)


def test_f63_a_blocked_ip_address_pauses_queries_and_is_reported() -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        floor.answers.error = ("F63", 418, None)
        floor.proxy.rates = Rates(rest_error=1)
        floor.cut("reset")
        await floor.until(lambda: "no requests for 10 s" in floor.mirror.links["rest"].error)
        floor.proxy.rates = Rates()
        # Those that were under way together when the first refusal came.
        refused = floor.proxy.faults["F63"]
        read: list[bytes] = []
        await floor.until(lambda: floor.mirror.links["private"].state is LinkState.RESYNC)
        floor.network.writes.append(lambda wire, way, data: read.append(data) if data.startswith(b"GET /api") else None)
        assert (await floor.cancel(row.key)).verdict is Verdict.ACCEPTED
        await asyncio.sleep(5)
        assert (read, floor.proxy.faults["F63"]) == ([], refused)
        await in_step(floor)
        await floor.shows(row.key, "CANCELLED")

    play(day)


@pytest.mark.parametrize("kind", ["html", "502"])
def test_f58_f65_an_html_page_instead_of_a_list_is_an_error(kind: str) -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        floor.set_switch("rest_fault", f"{kind}:*")
        floor.cut("reset")
        await floor.until(lambda: "SNAPSHOT FAILED" in floor.mirror.links["private"].error)
        assert floor.mirror.links["private"].state is LinkState.RESYNC
        assert floor.mirror.orders[row.key].state == "OPEN"
        assert (await bid(floor)).guard == "LINK"
        floor.set_switch("rest_fault", "off")
        await in_step(floor)

    play(day)


def test_f58_an_http_redirect_is_not_followed() -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        floor.answers.error = ("F58", 302, None)
        floor.proxy.rates = Rates(rest_error=1)
        floor.cut("reset")
        await floor.until(lambda: "redirects are not followed" in floor.mirror.links["private"].error)
        assert floor.mirror.orders[row.key].state == "OPEN"
        floor.proxy.rates = Rates()
        await in_step(floor)

    play(day)


def test_f39_a_success_body_with_an_error_status_is_no_list() -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        floor.answers.error = ("F39", 500, {"code": 200000, "message": "", "data": {"list": [], "totalSize": "0"}})
        floor.proxy.rates = Rates(rest_error=1)
        floor.cut("reset")
        await floor.until(lambda: "contradictory answer" in floor.mirror.links["private"].error)
        assert floor.mirror.orders[row.key].state == "OPEN"
        floor.proxy.rates = Rates()
        await in_step(floor)
        assert floor.mirror.orders[row.key].state == "OPEN"

    play(day)


def test_f67_a_forbidden_list_is_reported_and_others_are_read() -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        floor.answers.error = ("F67", 200, {"code": 100003, "message": "invalid user type", "data": None})
        floor.answers.only = "/asset"
        floor.proxy.rates = Rates(rest_error=1)
        await floor.until(lambda: floor.said("Needs the main key"), within=90)
        assert (await floor.cancel(row.key)).verdict is Verdict.ACCEPTED
        await floor.shows(row.key, "CANCELLED")
        assert floor.mirror.engine_status is not None and floor.mirror.engine_status.synced

    play(day)


def test_f36_list_rows_that_move_between_pages_count_once() -> None:
    async def day(floor: Floor) -> None:
        keys = [(await resting(floor, below)).key for below in ("100", "200", "300")]
        floor.set_switch("page_fault", "twice:open_orders")
        floor.cut("reset")
        await floor.until(lambda: "PARTIAL" in floor.mirror.links["private"].error)
        await in_step(floor)
        assert sorted(floor.mirror.orders) == sorted(keys)
        assert {row.state for row in floor.mirror.orders.values()} == {"OPEN"}
        floor.set_switch("page_fault", "off")
        await floor.until(lambda: not floor.mirror.links["private"].error, within=60)

    play(day)


def test_f68_a_key_without_trade_permission_is_reported() -> None:
    async def day(floor: Floor) -> None:
        floor.set_switch("key_fault", "readonly:main")
        placed = await bid(floor)
        assert (placed.verdict, floor.mirror.orders[placed.key].state) == (Verdict.REJECTED, "REJECT")
        assert "Key lacks permission" in placed.text
        floor.set_switch("key_fault", "off")
        assert (await bid(floor, "0.020")).verdict is Verdict.ACCEPTED

    play(day)


def test_f71_in_maintenance_placing_is_unknown_and_cancels_work() -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        now = floor.runtime.now_ms()
        floor.set_switch("maintenance", f"TRADE {now} {now + 20_000} sudden")
        placed = await bid(floor, "0.020")
        # The service does not say that nothing was done.
        assert placed.verdict is Verdict.UNKNOWN
        assert "Trading paused" in placed.text
        assert floor.mirror.orders[row.key].state == "OPEN"
        await floor.until(
            lambda: floor.mirror.engine_status is not None and bool(floor.mirror.engine_status.downtime), 3
        )
        assert floor.mirror.engine_status is not None
        [window] = floor.mirror.engine_status.downtime
        assert (window.service_type, window.status, window.end_time) == ("TRADE", 1, now + 20_000)
        assert (await floor.cancel(row.key)).verdict is Verdict.ACCEPTED
        await floor.shows(row.key, "CANCELLED")
        await asyncio.sleep(21)
        floor.set_switch("maintenance", "none")
        await floor.until(
            lambda: floor.mirror.engine_status is not None and not floor.mirror.engine_status.downtime, 31
        )
        assert (await floor.place(SYM, Side.BUY, "0.030", "60001", confirmed=ANY_AGE)).verdict is Verdict.ACCEPTED
        assert floor.mirror.orders[placed.key].state == LocalOrderState.UNKNOWN

    play(day)
