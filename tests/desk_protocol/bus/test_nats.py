"""Traders on a NATS server: who they are, what happens when it ends, and messages that come late, twice or swapped."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import re
import time
from typing import Any

import pytest

from tests.busy import limit
from tests.client.fakes import until
from tests.desk_protocol.bus.bus_desks import Send, TraderDesk, find_server
from tests.desk_protocol.bus.floor import Floor, names
from tests.desk_protocol.desks import BTC, DeskOf, Program, new_id, new_price, sent_at
from tui.desk_protocol.bus import connection, window
from tui.desk_protocol.bus.address import BusRefused, command_subject, output_subject, parse_address
from tui.desk_protocol.bus.connection import BusMessage
from tui.desk_protocol.bus.gateway import serve_bus
from tui.desk_protocol.bus.server_config import make_seed
from tui.desk_protocol.bus.session import PIECE, Header, Kind
from tui.desk_protocol.carrier import Carrier, LinkClosed
from tui.desk_protocol.messages import COMMAND_S, MOST_CALL_BYTES
from tui.engine.intents import Verdict
from tui.engine.limits import Limits
from tui.engine.rows import QuoteRow, Table

pytest.importorskip("nats", reason="pip install -r requirements-desk.lock")
pytest.importorskip("nkeys", reason="pip install -r requirements-desk.lock")
pytestmark = pytest.mark.skipif(not find_server(), reason="no nats-server: pip install -r requirements-desk.lock")

BACK_S = 2.0
"""Time after which every desk is in step again, s."""


async def test_two_traders_trade_and_each_sees_who_sent(floor: Floor) -> None:
    for desk, name, other in ((floor.anna, "anna", floor.bert), (floor.bert, "bert", floor.anna)):
        await desk.arm()
        placed = await desk.submit(desk.buy(new_price()))
        assert placed.verdict is Verdict.ACCEPTED, placed
        for watching in (other, floor.gateway):
            await until(lambda: placed.key in watching.orders(), 10)  # noqa: B023
            assert watching.orders()[placed.key].peer == name
    assert names(floor.gateway) == {"anna", "bert"}


async def test_a_bus_trader_has_own_limits_and_cannot_change_them(floor: Floor) -> None:
    """Also in the second window, which has another name."""
    carl = [TraderDesk(floor.server, "carl"), TraderDesk(floor.server, "carl")]
    for desk in carl:
        await desk.in_step()
        await desk.arm()
        price = new_price()
        denied = await desk.submit(desk.buy(price))
        assert (denied.verdict, denied.guard) == (Verdict.DENIED, "NOTIONAL"), denied
        assert sent_at(floor.venue, price) == []
    placed = await carl[1].submit(carl[1].buy(new_price(), "0.005"))
    assert placed.verdict is Verdict.ACCEPTED, placed
    carl[0].thread.set_limits(Limits(), "wide")
    await until(lambda: any("limits are set where the gateway runs" in text for text in carl[0].texts()), 5)
    assert floor.gateway.status().limits.trader["carl"].hard_notional == "500"
    for desk in carl:
        await desk.end()


async def test_row_times_of_a_gateway_are_shifted_to_the_window_clock(floor: Floor) -> None:
    """The monotonic clock of bert's machine is a day ahead of the gateway's."""
    theirs, mine = (desk.screen.look().tables[Table.QUOTES][BTC] for desk in (floor.gateway, floor.bert))
    assert isinstance(theirs, QuoteRow) and isinstance(mine, QuoteRow)
    assert mine.received - theirs.received == pytest.approx(86_400, abs=0.5)


async def test_a_closed_window_is_removed_from_the_gateway_at_once(floor: Floor) -> None:
    third = TraderDesk(floor.server, "bert")
    await third.in_step()
    assert "bert 2" in names(floor.gateway)
    await third.end()
    await until(lambda: "bert 2" not in names(floor.gateway), 1)


async def test_b10_a_killed_nats_server_makes_windows_read_only(floor: Floor) -> None:
    await floor.anna.arm()
    price = new_price()
    floor.server.kill()
    try:
        began = time.monotonic()
        await until(lambda: floor.anna.status().read_only and floor.bert.status().read_only, 10)
        assert time.monotonic() - began < limit(1)
        outcome = await floor.anna.submit(floor.anna.buy(price))
        assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "LINK"), outcome
    finally:
        floor.server.start()
    began = time.monotonic()
    await until(lambda: floor.anna.is_back() and floor.bert.is_back(), 10)
    assert time.monotonic() - began < limit(BACK_S)
    assert floor.anna.status().trading_state == "VIEW"
    assert sent_at(floor.venue, price) == []


async def test_b10_a_failed_write_to_the_bus_prints_no_error(floor: Floor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the server went away during a write, `Task exception was never retrieved` came on a program's terminal."""
    client = pytest.importorskip("nats.aio.client").Client

    async def fail(_: object) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise ConnectionResetError("reset by the server") from None

    told: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    with monkeypatch.context() as patch:
        patch.setattr(client, "_flusher", fail)
        bus = await connection.open_bus(floor.server.place("bert"))
    await bus.close()
    del bus
    await asyncio.sleep(0)
    gc.collect()
    assert told == []


async def test_b07_a_silent_gateway_is_noticed_within_two_seconds(floor: Floor) -> None:
    floor.gateway_bus.mute()
    began = time.monotonic()
    await until(lambda: floor.anna.status().read_only and floor.bert.status().read_only, 10)
    assert time.monotonic() - began < limit(2)
    floor.gateway_bus.unmute()
    await until(lambda: floor.anna.is_back() and floor.bert.is_back(), 10)


async def test_b07_the_gateway_drops_a_silent_window_until_it_is_back(floor: Floor) -> None:
    async def drop(send: Send, data: bytes) -> None:
        """Nothing of it arrives any more, and nobody says so."""

    floor.bert.rule = drop
    await until(lambda: "bert" not in names(floor.gateway), 15)
    assert "anna" in names(floor.gateway)
    floor.bert.rule = None
    await until(lambda: "bert" in names(floor.gateway) and floor.bert.is_back(), 10)


async def test_b01_an_order_that_arrives_late_on_the_bus_is_denied(floor: Floor) -> None:
    await floor.anna.arm()

    async def hold(send: Send, data: bytes) -> None:
        if b'"submit"' in data:
            await asyncio.sleep(COMMAND_S + 0.5)
        await send()

    floor.anna.rule = hold
    price = new_price()
    outcome = await floor.anna.submit(floor.anna.buy(price))
    assert outcome.verdict is Verdict.DENIED and outcome.guard in ("LATE", "LINK"), outcome
    assert sent_at(floor.venue, price) == []


async def test_b02_orders_doubled_on_the_bus_are_sent_once(floor: Floor) -> None:
    await floor.anna.arm()

    async def double(send: Send, data: bytes) -> None:
        await send()
        await send()

    floor.anna.rule = floor.gateway_bus.rule = double
    links = len(floor.anna.buses)
    for _ in range(3):
        price = new_price()
        outcome = await floor.anna.submit(floor.anna.buy(price))
        assert outcome.verdict is Verdict.ACCEPTED, outcome
        assert len(sent_at(floor.venue, price)) == 1
    assert len(floor.anna.buses) == links


async def test_b03_orders_that_arrive_swapped_are_denied_and_not_sent(floor: Floor) -> None:
    """The session ends at a message that was overtaken, and what became of each command is asked for."""
    await floor.anna.arm()
    held: list[Send] = []

    async def swap(send: Send, data: bytes) -> None:
        if b'"submit"' not in data:
            await send()
            return
        held.append(send)
        if len(held) == 2:
            floor.anna.rule = None
            for late in reversed(held):
                await late()

    floor.anna.rule = swap
    prices = [new_price(), new_price()]
    outcomes = await asyncio.gather(*(floor.anna.submit(floor.anna.buy(price)) for price in prices))
    for price, outcome in zip(prices, outcomes, strict=True):
        assert outcome.verdict is Verdict.DENIED and outcome.guard == "LINK", outcome
        assert sent_at(floor.venue, price) == []
    await until(floor.anna.is_back, 10)


async def test_b24_windows_recover_an_order_row_lost_on_the_bus(floor: Floor) -> None:
    lost: list[bytes] = []

    async def lose(send: Send, data: bytes) -> None:
        if b'"table":"orders"' in data and not lost:
            lost.append(data)
        else:
            await send()

    floor.gateway_bus.rule = lose
    await floor.gateway.arm()
    placed = await floor.gateway.submit(floor.gateway.buy(new_price()))
    assert placed.verdict is Verdict.ACCEPTED, placed
    began = time.monotonic()
    await until(lambda: lost and all(placed.key in desk.orders() for desk in (floor.anna, floor.bert)), 10)
    await until(lambda: floor.anna.is_back() and floor.bert.is_back(), 10)
    assert time.monotonic() - began < limit(BACK_S)


async def test_s58_a_trader_cannot_send_or_read_as_another_trader(floor: Floor) -> None:
    """The server refuses it; and what answers name as their place is not believed."""
    bert = await connection.open_bus(floor.server.place("bert"))
    came: list[BusMessage] = []
    mine = output_subject("desk", "bert", "spy")
    await bert.listen(mine, came.append)
    before = len(floor.gateway.status().peers)
    await bert.publish(
        command_subject("desk", "bert"), output_subject("desk", "anna", "x"), Header("x", Kind.OPEN).text()
    )
    await bert.publish(command_subject("desk", "bert"), mine, Header("spy", Kind.OPEN).text())
    await until(lambda: came, 5)
    assert len(floor.gateway.status().peers) == before
    await bert.publish(command_subject("desk", "anna"), mine, Header("spy", Kind.OPEN).text())
    await until(bert.ended.is_set, 5)
    assert bert.why_ended.startswith('nats: permissions violation for publish to "crossdesk.desk.cmd.anna"; the trader')
    await bert.close()
    for place in (output_subject("desk", "anna", ">"), command_subject("desk", "*"), ">"):
        spy = await connection.open_bus(floor.server.place("bert"))
        with pytest.raises(LinkClosed, match="permissions violation for subscription"):
            await spy.listen(place, came.append)
        await spy.close()
    with pytest.raises(LinkClosed, match=r"(?i)authorization violation"):
        stranger = make_seed(os.urandom)
        await connection.open_bus(floor.server.place("bert")._replace(read_seed=lambda: stranger))


async def test_s58_b23_a_window_cannot_take_the_name_of_a_trader(floor: Floor) -> None:
    carrier = await window.connect(floor.server.place("bert"), new_id)
    session = floor.anna.session_mark
    program = Program(carrier)
    hello = {"versions": [1], "name": "anna", "role": "desk", "session": session}
    answer = await program.call("hello", hello)
    assert answer["result"]["name"] == "bert 2"
    assert "anna" in names(floor.gateway)
    program.close()
    await carrier.wait_closed()


async def test_s61_b14_an_overlong_line_ends_only_its_own_window(floor: Floor) -> None:
    carrier = await window.connect(floor.server.place("bert"), new_id)
    program = Program(carrier)
    await program.call("hello", {"versions": [1], "name": "long", "role": "watch"})
    await carrier.send(b"x" * (MOST_CALL_BYTES + 1) + b"\n")
    refused = await program.wait_for(lambda message: message["type"] == "refused")
    assert f"{MOST_CALL_BYTES} bytes at most" in refused["text"]
    await until(lambda: "bert 2" not in names(floor.gateway), 5)
    await carrier.wait_closed()
    assert floor.anna.is_back() and floor.bert.is_back()


async def test_s61_b17_a_window_that_sends_too_much_is_ended(floor: Floor) -> None:
    bus = await connection.open_bus(floor.server.place("bert"))
    came: list[BusMessage] = []
    mine = output_subject("desk", "bert", "flood")
    await bus.listen(mine, came.append)
    await bus.publish(command_subject("desk", "bert"), mine, Header("flood", Kind.OPEN).text())
    await until(lambda: came, 5)
    session = came[0].header.split(" ")[0]
    for number in range(1, 40):
        header = Header(session, Kind.PIECE, number).text()
        await bus.publish(command_subject("desk", "bert"), mine, header, b"\n" * PIECE)
    await until(lambda: any(f"{session} bye" in message.header for message in came), 10)
    await bus.close()
    assert floor.anna.is_back() and floor.bert.is_back()


async def test_b08_a_slow_bus_reader_gets_only_the_newest_rows(floor: Floor) -> None:
    carrier = await window.connect(floor.server.place("bert"), new_id)
    slow = Program(carrier)
    await slow.call("hello", {"versions": [1], "name": "slow", "role": "watch"})
    hub = floor.gateway.thread.hub

    def put(number: int) -> None:
        for pair in range(60):
            sym = f"BINANCE_PERP_C{pair}_USDT"
            row = QuoteRow(sym=sym, bid=str(number), ask="2", ts=number, received=1.0)
            floor.gateway.thread._call(lambda _, sym=sym, row=row: hub.put(Table.QUOTES, sym, row))  # type: ignore[misc]

    last = 2_000
    for number in range(1, last + 1):
        put(number)
        if not number % 20:
            await asyncio.sleep(0.002)
    key = "BINANCE_PERP_C59_USDT"

    def newest(desk: DeskOf) -> str:
        row = desk.screen.look().tables[Table.QUOTES].get(key)
        return row.bid if isinstance(row, QuoteRow) else ""

    await until(lambda: newest(floor.anna) == str(last), 10)
    await asyncio.sleep(1.1)  # a wait of a second is what it is told of
    frames, told, bid = 0, 0.0, ""
    async with asyncio.timeout(20):
        while bid != str(last) or not told:
            message = json.loads(await carrier.receive())
            told = max(told, message.get("seconds", 0))
            rows = message["rows"] if message.get("table") == "quotes" else {}
            frames += len(rows)
            bid = rows.get(key, {}).get("bid", bid)
    assert frames < 60 * last / 4, "a slow reader gets the newest rows, not all"
    slow.close()
    await carrier.wait_closed()


async def test_a_second_gateway_of_the_desk_is_refused(floor: Floor) -> None:
    said: list[str] = []

    async def accept(carrier: Carrier, origin: str, trader: str) -> None:
        raise AssertionError("nobody attaches to it")

    second = asyncio.create_task(
        serve_bus(floor.server.place(), accept, new_id, lambda text, can_attach: said.append(text))
    )
    await until(lambda: said, 5)
    assert "another gateway serves the desk 'desk'" in said[0]
    second.cancel()
    await asyncio.wait([second])
    assert floor.anna.is_back()


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("nats://anna@gateway.example:4222", "only tls:// is accepted outside this machine"),
        ("nats://anna:secret@127.0.0.1", "an address holds no password"),
        ("http://127.0.0.1", "accepted is nats://"),
        ("nats://An.na@127.0.0.1", "accepted are up to 32 of a-z"),
        ("nats://anna@127.0.0.1/desk.>", "accepted are up to 32 of a-z"),
        ("tls://anna@host:x", "accepted is nats://"),
    ],
)
def test_s59_s60_an_invalid_bus_address_is_refused(address: str, why: str) -> None:
    with pytest.raises(BusRefused, match=re.escape(why)):
        parse_address(address)
