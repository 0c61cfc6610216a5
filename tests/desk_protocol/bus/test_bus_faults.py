"""Faults of the links of traders on a NATS server: what a window says of its order is true, and it is sent once."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.client.fakes import until
from tests.desk_protocol.bus.bus_desks import BadBus, BusRules, Send, TraderDesk, find_server
from tests.desk_protocol.bus.floor import Floor, names
from tests.desk_protocol.desks import BTC, DeskOf, Program, new_id, new_price, orders_of, sent_at
from tui.desk_protocol.bus import connection, window
from tui.desk_protocol.bus.connection import Bus, BusPlace
from tui.desk_protocol.carrier import LinkClosed
from tui.engine.intents import Cancel, CancelAll, Verdict
from tui.engine.life.engine_core import EngineCore
from tui.engine.modes import RiskMode, TradingState
from tui.engine.rows import ReadFailure, Table

pytestmark = pytest.mark.skipif(not find_server(), reason="no nats-server: pip install -r requirements-desk.lock")

MANDATE = {
    "pairs": [BTC], "order_value": "1000", "position_value": "3000", "traded_value": "3000", "loss": "500",
    "orders_per_minute": 60, "seconds": 600, "reason": "quotes around the mid",
}  # fmt: skip


def cut(desk: TraderDesk) -> None:
    """End the connection of a window; nobody tells the gateway."""
    desk.buses[-1].ended.set()


def on(rules: BusRules, fits: Callable[[bytes], bool], act: Callable[[Send], Any]) -> None:
    """Do something with the next message that fits in place of sending it."""

    async def rule(send: Send, data: bytes) -> None:
        if not fits(data):
            await send()
            return
        rules.rule = None
        await act(send)

    rules.rule = rule


def is_submit(data: bytes) -> bool:
    return b'"submit"' in data


def is_verdict(data: bytes) -> bool:
    return b'"verdict"' in data


async def test_b04_an_order_cut_before_the_gateway_read_it_is_denied(floor: Floor) -> None:
    await floor.anna.arm()

    async def lose(send: Send) -> None:
        cut(floor.anna)

    on(floor.anna.rules, is_submit, lose)
    price = new_price()
    outcome = await floor.anna.submit(floor.anna.buy(price))
    assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "LINK"), outcome
    assert sent_at(floor.venue, price) == []
    await until(floor.anna.is_back, 10)


async def test_b05_b15_an_order_with_lost_answer_gets_its_outcome(floor: Floor) -> None:
    """The answer to an order alone is lost; the numbers of the messages tell it, or the window is cut, too."""
    for is_cut in (False, True):
        await floor.anna.arm()

        async def lose(send: Send, is_cut: bool = is_cut) -> None:
            if is_cut:
                cut(floor.anna)

        on(floor.gateway_bus, is_verdict, lose)
        price = new_price()
        outcome = await floor.anna.submit(floor.anna.buy(price))
        assert outcome.verdict is Verdict.ACCEPTED, outcome
        assert len(sent_at(floor.venue, price)) == 1
        await until(floor.anna.is_back, 10)


async def test_b06_an_accepted_order_stays_accepted_after_a_cut(floor: Floor) -> None:
    await floor.anna.arm()
    price = new_price()
    outcome = await floor.anna.submit(floor.anna.buy(price))
    cut(floor.anna)
    await until(lambda: floor.anna.status().read_only, 10)
    await until(floor.anna.is_back, 10)
    assert outcome.verdict is Verdict.ACCEPTED, outcome
    assert len(sent_at(floor.venue, price)) == 1
    await until(lambda: outcome.key in floor.anna.orders(), 10)
    assert names(floor.gateway) == {"anna", "bert"}


async def test_b11_an_order_that_arrives_on_an_ended_link_is_not_sent(floor: Floor) -> None:
    """The window is back on a new link when an order on the old one, which the gateway thinks alive, arrives."""
    await floor.anna.arm()
    old = floor.anna.buses[-1]

    async def hold(send: Send) -> None:
        cut(floor.anna)

    on(floor.anna.rules, is_submit, hold)
    price = new_price()
    sending = asyncio.ensure_future(floor.anna.submit(floor.anna.buy(price)))
    await until(lambda: floor.anna.buses[-1] is not old and floor.anna.is_back(), 10)
    late = await connection.open_bus(floor.server.place("anna"))
    await late.publish(*old.held)
    await late.close()
    outcome = await sending
    assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "LINK"), outcome
    assert sent_at(floor.venue, price) == [] and names(floor.gateway) == {"anna", "bert"}


class SlowLine:
    """Delay of every message by the same time, in their order."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._waiting: asyncio.Queue[tuple[float, Send]] = asyncio.Queue()
        self._passing = asyncio.ensure_future(self._pass_on())

    async def rule(self, send: Send, data: bytes) -> None:
        self._waiting.put_nowait((time.monotonic() + self._seconds, send))

    async def _pass_on(self) -> None:
        while True:
            due, send = await self._waiting.get()
            await asyncio.sleep(due - time.monotonic())
            try:
                await send()
            except LinkClosed:
                continue  # of a window that is gone

    def end(self) -> None:
        self._passing.cancel()


async def test_b12_no_order_is_sent_while_the_clock_offset_is_unsure(floor: Floor) -> None:
    gateway = floor.gateway.thread
    lines: list[SlowLine] = []

    def slow(core: EngineCore) -> None:
        lines.append(SlowLine(1.2))
        floor.gateway_bus.rule = lines[0].rule

    gateway._call(slow)
    await until(lambda: lines, 5)
    cut(floor.anna)
    await until(lambda: floor.anna.status().read_only, 10)
    await until(floor.anna.is_back, 20)
    price = new_price()
    outcome = await floor.anna.submit(floor.anna.buy(price))
    assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "CLOCK"), outcome
    assert sent_at(floor.venue, price) == []

    def heal(core: EngineCore) -> None:
        floor.gateway_bus.rule = None
        lines[0].end()

    gateway._call(heal)
    await until(lambda: floor.gateway_bus.rule is None, 5)
    cut(floor.anna)
    await until(lambda: floor.anna.status().read_only, 10)
    await until(floor.anna.is_back, 20)
    await floor.anna.arm()
    assert (await floor.anna.submit(floor.anna.buy(price))).verdict is Verdict.ACCEPTED


@pytest.mark.parametrize("line", [b"no JSON\n", b'{"id": 2, "method": "time", "par'], ids=["no JSON", "half"])
async def test_b13_an_unreadable_line_disconnects_only_its_own_window(floor: Floor, line: bytes) -> None:
    carrier = await window.connect(floor.server.place("bert"), new_id)
    program = Program(carrier)
    await program.call("hello", {"versions": [1], "name": "odd", "role": "desk"})
    await until(lambda: "bert 2" in names(floor.gateway), 5)
    await carrier.send(line)
    if line.endswith(b"\n"):
        await program.wait_for(lambda message: message["type"] == "refused")
    program.close()
    await carrier.wait_closed()
    await until(lambda: names(floor.gateway) == {"anna", "bert"}, 5)
    assert floor.anna.is_back() and floor.bert.is_back()
    assert not [text for text in floor.gateway.texts() if "internal error" in text]


async def test_b16_event_lines_missed_on_the_bus_come_in_order_once(floor: Floor) -> None:
    async def arrived() -> None:
        await until(lambda: floor.anna.made_up() == wanted, 10)

    wanted = floor.gateway.make_up(0, 50)
    for at in (50, 100):
        await arrived()
        floor.anna.rules.mute()
        await until(lambda: floor.anna.status().read_only, 10)
        wanted += floor.gateway.make_up(at, at + 50)
        floor.anna.rules.unmute()
        await until(floor.anna.is_back, 10)
    await arrived()


async def test_b19_rows_removed_during_a_lost_link_leave_the_window(floor: Floor) -> None:
    def put(key: str, row: ReadFailure | None) -> None:
        floor.gateway.thread._call(lambda _: floor.gateway.thread.hub.put(Table.UNREAD, key, row))

    def unread(desk: DeskOf) -> set[str]:
        return {key for key in desk.screen.look().tables.get(Table.UNREAD, {}) if key.startswith("test")}

    for number in range(300):
        put(f"test {number}", ReadFailure("made up"))
    await until(lambda: len(unread(floor.anna)) == 300, 10)
    await floor.gateway.arm()
    placed = await floor.gateway.submit(floor.gateway.buy(new_price()))
    await until(lambda: placed.key in floor.anna.orders(), 10)
    floor.anna.rules.mute()
    await until(lambda: floor.anna.status().read_only, 10)
    for number in range(299):
        put(f"test {number}", None)
    put("test new", ReadFailure("made up"))
    await floor.gateway.submit(Cancel(decision=floor.gateway.buy("1").decision, key=placed.key))
    await until(lambda: floor.gateway.orders()[placed.key].final, 10)
    floor.anna.rules.unmute()
    await until(floor.anna.is_back, 10)
    await until(lambda: unread(floor.anna) == {"test 299", "test new"}, 10)
    await until(lambda: floor.anna.orders()[placed.key].final, 10)


async def test_b20_a_kill_denies_an_order_that_is_on_its_way(floor: Floor) -> None:
    await floor.anna.arm()
    await floor.bert.arm()
    is_held = asyncio.Event()

    async def hold(send: Send) -> None:
        is_held.set()
        await until(lambda: floor.gateway.status().risk_mode is RiskMode.HALT, 10)
        await send()

    on(floor.anna.rules, is_submit, hold)
    price = new_price()
    sending = asyncio.ensure_future(floor.anna.submit(floor.anna.buy(price)))
    await until(is_held.is_set, 5)
    killed = await floor.bert.submit(CancelAll(decision=floor.bert.buy("1").decision, kill=True))
    assert killed.verdict is Verdict.ACCEPTED, killed
    outcome = await sending
    assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "STATE"), outcome
    assert sent_at(floor.venue, price) == []
    assert floor.anna.status().trading_state is TradingState.VIEW
    floor.bert.thread.set_risk_mode(RiskMode.NORMAL)
    await until(lambda: floor.gateway.status().risk_mode is RiskMode.NORMAL, 10)


class FarProgram:
    """A program of anna on a bus that misbehaves, with a mandate."""

    def __init__(self) -> None:
        self.rules = BusRules()
        self.program: Program
        self.bus: BadBus

    async def begin(self, floor: Floor) -> None:
        async def open_bus(place: BusPlace) -> Bus:
            self.bus = BadBus(await connection.open_bus(place), self.rules)
            return self.bus

        program = self.program = Program(await window.connect(floor.server.place("anna"), new_id, open_bus))
        program.welcome = await program.call("hello", {"versions": [1], "name": "maker", "role": "propose"})
        asked = await program.begin("ask_mandate", MANDATE)
        rows = floor.gateway.screen
        await until(lambda: rows.look().tables.get(Table.MANDATES), 10)
        floor.gateway.thread.grant(next(iter(rows.look().tables[Table.MANDATES])))
        assert (await program.answer(asked))["result"]["mandate"]

    async def place(self, price: str) -> int:
        order = {"sym": BTC, "side": "BUY", "qty": "0.01", "price": price, "time_in_force": "GTX", "reduce_only": False}
        expires = float((await self.program.call("time", {}))["result"]) + 20
        return await self.program.begin("place", {"command": new_id(), "expires": expires, "order": order})


async def test_b21_an_order_after_the_end_of_its_mandate_is_denied(floor: Floor) -> None:
    far = FarProgram()
    await far.begin(floor)

    async def hold(send: Send) -> None:
        floor.gateway.thread.revoke()
        await until(lambda: any("of maker of anna has ended" in text for text in floor.gateway.texts()), 10)
        await send()

    on(far.rules, lambda data: b'"place"' in data, hold)
    price = new_price()
    answer = await far.program.answer(await far.place(price))
    assert (answer["result"]["verdict"], answer["result"]["guard"]) == ("denied", "MANDATE"), answer
    assert sent_at(floor.venue, price) == []
    far.program.close()
    await far.program.carrier.wait_closed()


async def test_b22_the_order_of_a_program_that_left_is_cancelled(floor: Floor) -> None:
    far = FarProgram()
    await far.begin(floor)

    async def leave(send: Send) -> None:
        await send()
        far.bus.ended.set()

    on(far.rules, lambda data: b'"place"' in data, leave)
    price = new_price()
    await far.place(price)
    await until(lambda: len(sent_at(floor.venue, price)) == 1, 10)
    await until(lambda: "maker of anna" not in names(floor.gateway), 15)
    await until(lambda: [row["orderState"] for row in sent_at(floor.venue, price)] == ["CANCELLED"], 10)
    assert len({row["clientOrderId"] for row in orders_of(floor.venue) if row["limitPrice"] == price}) == 1
    far.program.close()


async def test_b15_an_unreadable_order_answer_is_asked_for_again(floor: Floor) -> None:
    await floor.anna.arm()
    spoilt: list[bytes] = []

    def spoil(data: bytes) -> bytes:
        if not is_verdict(data) or spoilt:
            return data
        spoilt.append(data)
        message = json.loads(data)
        return json.dumps({**message, "result": {"verdict": "of another version"}}).encode() + b"\n"

    floor.gateway_bus.change = spoil
    price = new_price()
    outcome = await floor.anna.submit(floor.anna.buy(price))
    assert spoilt and outcome.verdict is Verdict.ACCEPTED, outcome
    assert len(sent_at(floor.venue, price)) == 1
