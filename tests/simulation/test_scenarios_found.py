"""What the campaign found, as readable days."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal

import msgspec
import pytest

from tests.simulation.floor import SYM, Floor
from tests.simulation.harness.day import Day, started
from tests.simulation.harness.frames import FrameReader, text_frame
from tests.simulation.harness.network import Wire
from tests.simulation.steps import in_step, play, resting
from tui.engine.intents import Verdict
from tui.interface.families.orders import CancelOrder, PlaceOrder, Side

pytestmark = pytest.mark.simulation

ORDERS_PUSH = b'"channel":"orders"'


def lies(executed: str, state: str, real: bytes) -> bytes:
    """The push with another executed quantity."""
    reader = FrameReader()
    list(reader.feed(b"\r\n\r\n"))
    said = json.loads(next(iter(reader.feed(real))).payload)
    said["data"].update(executedQty=executed, orderState=state)
    return text_frame(json.dumps(said).encode())


@pytest.mark.parametrize("state", ["OPEN", "CANCELLED"])
def test_f33_an_impossible_push_after_an_amend_is_a_conflict(state: str) -> None:
    async def day(desk: Day) -> None:
        placed = await desk.rest()
        row = await desk.shows(placed.key, "OPEN")

        def lie_after(wire: Wire, data: bytes) -> None:
            wire.client.receive(data)
            if b"AMEND_COMPLETED" in data:
                wire.client.receive(lies("999999", state, data))

        heal = desk.divert("in", lie_after, b"/v1/private", ORDERS_PUSH)
        changed = await desk.replace(placed.key, str(Decimal(row.price) + 1), row.qty)
        assert changed.verdict is Verdict.ACCEPTED
        await desk.clear(placed.key)
        await asyncio.sleep(1)
        heal()
        assert desk.said("CONFLICT") == 1
        row = desk.row(placed.key)
        assert (row.state, row.executed, row.conflict) == ("OPEN", "0", "")
        await desk.cancel(placed.key)
        await desk.shows(placed.key, "CANCELLED")

    Day().play(day)


def test_f33_an_impossible_first_push_of_an_order_is_not_kept() -> None:
    async def day(desk: Day) -> None:
        spoilt: list[bytes] = []

        def spoil_first(wire: Wire, data: bytes) -> None:
            if not spoilt:
                spoilt.append(data)
                wire.client.receive(lies("999999", "NEW", data))
            wire.client.receive(data)

        desk.divert("in", spoil_first, b"/v1/private", ORDERS_PUSH)
        bid = Decimal(desk.mirror.quotes[SYM].bid)
        placed = PlaceOrder(
            portfolio=desk.portfolio, sym=SYM, client_order_id="foreign", side="BUY", order_type="LIMIT",
            time_in_force="GTC", order_qty="0.010", limit_price=str(bid - 100),
        )  # fmt: skip
        desk.elsewhere(placed)
        await desk.until(lambda: desk.said("CONFLICT"))
        [row] = desk.mirror.orders.values()
        await desk.until(lambda: not desk.row(row.key).conflict)
        row = desk.row(row.key)
        assert (row.state, row.executed) == ("OPEN", "0")
        await desk.cancel(row.key)
        await desk.shows(row.key, "CANCELLED")

    Day().play(day)


def test_f33_f85_a_restart_rejects_impossible_order_quantities() -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        price = str(Decimal(row.price) + 1)
        await floor.replace(row.key, price, "0.040")
        await floor.until(lambda: floor.mirror.orders[row.key].qty == "0.04")
        record = floor.exchange.queries.order(floor.portfolio, client_order_id=row.key)
        lie = msgspec.structs.replace(record, executed_qty="999999")
        push = msgspec.json.encode({"channel": "Orders", "instId": SYM, "data": lie})
        wire = floor.private_wire()
        assert wire is not None
        wire.client.receive(text_frame(push))
        await floor.until(lambda: floor.mirror.orders[row.key].conflict)
        await resting(floor, "200")
        await floor.crash()
        floor.network.refuse = True
        floor.begin()
        back = await floor.until(lambda: floor.order(row.key))
        assert (back.executed, back.qty, back.price) == ("0", "0.04", price)
        floor.network.refuse = False
        await floor.until(lambda: floor.mirror.engine_status is not None and floor.mirror.engine_status.synced)
        assert floor.mirror.orders[row.key].conflict == ""

    play(day)


@pytest.mark.parametrize("late", [0, 1], ids=["the first order", "the second order"])
def test_f09_late_pushes_of_a_replaced_order_end_no_order(late: int) -> None:
    async def day(desk: Day) -> None:
        held: list[tuple[Wire, bytes]] = []
        placed = await desk.rest()
        ids = [(await desk.shows(placed.key, "OPEN")).order_id]
        for step in (1, 2):
            row = await desk.clear(placed.key)
            if step == late + 1:
                desk.divert("in", lambda wire, data: held.append((wire, data)), ORDERS_PUSH, ids[-1].encode())
            await desk.replace(placed.key, str(Decimal(row.price) + 1), row.qty)
            await desk.until(lambda: desk.row(placed.key).order_id not in ids)
            ids.append(desk.row(placed.key).order_id)
        desk.network.filters.clear()
        await desk.clear(placed.key)
        assert held
        for wire, data in held:
            wire.client.receive(data)
        await asyncio.sleep(0.1)
        row = desk.row(placed.key)
        assert (row.state, row.order_id, row.conflict) == ("OPEN", ids[2], "")
        assert list(desk.mirror.orders) == [placed.key]

    Day(("replace_as_new", "all")).play(day)


def test_f09_f85_after_a_restart_late_pushes_end_no_order() -> None:
    async def day(floor: Floor) -> None:
        floor.set_switch("replace_as_new", "all")
        row = await resting(floor)
        old = floor.exchange.queries.order(floor.portfolio, order_id=row.order_id)
        await floor.replace(row.key, str(Decimal(row.price) + 1), row.qty)
        new = await floor.until(
            lambda: one.order_id if (one := floor.mirror.orders[row.key]).order_id != row.order_id else ""
        )
        await resting(floor, "200")
        await floor.crash()
        floor.begin()
        await floor.until(lambda: floor.mirror.engine_status is not None and floor.mirror.engine_status.synced)
        # Made in the same millisecond: only the journal tells which one came first.
        made = str(floor.mirror.orders[row.key].create_at)
        late = msgspec.structs.replace(
            old, order_state="CANCELLED", create_at=made, update_at=str(floor.runtime.now_ms())
        )
        wire = floor.private_wire()
        assert wire is not None
        wire.client.receive(text_frame(msgspec.json.encode({"channel": "Orders", "instId": SYM, "data": late})))
        await asyncio.sleep(0.1)
        back = floor.mirror.orders[row.key]
        assert (back.state, back.order_id, back.conflict) == ("OPEN", new, "")
        assert len(floor.mirror.orders) == 2

    play(day)


def test_f35_f85_older_pushes_reopen_no_ended_order() -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        old = floor.exchange.queries.order(floor.portfolio, order_id=row.order_id)
        assert old.order_state == "OPEN"
        await floor.cancel(row.key)
        await floor.shows(row.key, "CANCELLED")
        await resting(floor, "200")
        await floor.crash()
        floor.begin()
        await in_step(floor)
        wire = floor.private_wire()
        assert wire is not None
        wire.client.receive(text_frame(msgspec.json.encode({"channel": "Orders", "instId": SYM, "data": old})))
        await asyncio.sleep(0.5)
        assert row.key not in floor.mirror.orders

    play(day)


def test_f04_a_query_reply_from_before_a_login_does_not_count() -> None:
    """The order arrives and ends while no stream tells of it, a moment after it was asked about."""

    async def day(desk: Day) -> None:
        key, arrive = await desk.rest_on_its_way()
        while desk.row(key).asked < 6:
            await asyncio.sleep(0.1)
        await asyncio.sleep(0.3)
        hear = desk.swallow("in", b"/v1/private")
        arrive()
        await asyncio.sleep(0.05)
        desk.somebody_cancels(key)
        desk.cut("reset")()
        hear()
        await asyncio.sleep(3)
        assert desk.row(key).state == "CANCELLED"

    Day().play(day)


def test_f31_f85_a_second_order_of_one_client_id_is_its_own_row() -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        place = PlaceOrder(
            portfolio=floor.portfolio,
            sym=SYM,
            side="BUY",
            order_type="MARKET",
            order_qty="0.001",
            client_order_id=row.key,
        )
        floor.exchange.queries.switches.set("duplicate_client_id", "accept")
        floor.runtime.execute(place, lambda _reply: None)
        await floor.until(lambda: any(one.state == "FILLED" for one in floor.mirror.orders.values()))
        await resting(floor, "200")
        await floor.crash()
        floor.network.refuse = True
        floor.begin()
        back = await floor.until(lambda: floor.order(row.key))
        assert (back.state, back.order_id) == ("OPEN", row.order_id)

    play(day)


def test_f31_a_late_reply_does_not_mix_up_two_orders() -> None:
    async def day(desk: Day) -> None:
        held: list[tuple[Wire, bytes]] = []
        heal = desk.divert("in", lambda wire, data: held.append((wire, data)), b"/v1/private", b"OrderId")
        placed = await started(desk.rest())
        await asyncio.sleep(0.1)
        heal()
        (first,) = desk.exchange.queries.open_orders(desk.portfolio)
        again = PlaceOrder(
            portfolio=desk.portfolio,
            sym=SYM,
            side="BUY",
            order_type="LIMIT",
            time_in_force="GTC",
            order_qty="0.002",
            limit_price=first.limit_price,
            client_order_id=first.client_order_id,
        )
        desk.elsewhere(again)
        await desk.until(lambda: desk.mirror.orders[first.client_order_id].order_id)
        for wire, data in held:
            wire.client.receive(data)
        await placed
        await desk.until(lambda: len(desk.mirror.orders) == 2)
        rows = list(desk.mirror.orders.values())
        assert {row.order_id: row.qty for row in rows} == {
            one.order_id: one.order_qty for one in desk.exchange.queries.open_orders(desk.portfolio)
        }
        assert all(row.conflict for row in rows)
        for row in rows:
            desk.elsewhere(CancelOrder(portfolio=desk.portfolio, order_id=row.order_id))
        await desk.until(lambda: all(row.state == "CANCELLED" for row in desk.mirror.orders.values()))

    Day(("duplicate_client_id", "accept")).play(day)


def test_n9_a_fill_whose_push_was_lost_is_found_later() -> None:
    async def day(desk: Day) -> None:
        no_reads = desk.divert("out", lambda wire, data: wire.reset(), b"GET /api/v1/trading/executions")
        no_push = desk.swallow("in", b'"channel":"Trades"')
        ask = desk.mirror.quotes[SYM].ask
        await desk.place(SYM, Side.BUY, "0.001", ask)
        await asyncio.sleep(1)
        no_push()
        await asyncio.sleep(90)
        await desk.place(SYM, Side.BUY, "0.002", ask, confirmed=frozenset(["STALE"]))
        await desk.until(lambda: desk.mirror.fills)
        assert len(desk.mirror.fills) == 1
        no_reads()
        await desk.until(lambda: len(desk.mirror.fills) == 2, within=75)
        assert desk.said("FILL BUY 0.001") == 1

    Day().play(day)


def test_a_position_reopened_in_the_same_ms_is_shown() -> None:
    async def day(desk: Day) -> None:
        ask = desk.mirror.quotes[SYM].ask
        await desk.place(SYM, Side.BUY, "0.005", ask)
        await desk.until(lambda: desk.mirror.positions)
        for side in ("BUY", "SELL", "BUY"):
            qty = "0.006" if side == "SELL" else "0.001"
            desk.elsewhere(PlaceOrder(portfolio=desk.portfolio, sym=SYM, side=side, order_type="MARKET", order_qty=qty))
        (held,) = desk.exchange.queries.positions(desk.portfolio)
        await asyncio.sleep(1)
        assert [fact.record for fact in desk.mirror.positions.values()] == [held]

    Day().play(day)


def test_silently_cut_idle_connections_do_not_delay_the_login() -> None:
    """A change of the network takes the idle connections of REST too: each would be waited for, 10 s a request."""

    async def day(floor: Floor) -> None:
        await resting(floor)
        for wire in floor.network.wires:
            wire.hole = True
        await floor.until(lambda: not floor.mirror.engine_status or not floor.mirror.engine_status.synced)
        at = floor.world.now
        await in_step(floor)
        assert floor.world.now - at < 5

    play(day)
