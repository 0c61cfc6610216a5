"""Defects that other clients had, each as a day that must end well here."""

from __future__ import annotations

import asyncio
import ssl
from decimal import Decimal

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosedError, ConnectionClosedOK, WebSocketException

from tests.simulation.floor import SYM, Floor
from tests.simulation.harness.day import Day
from tests.simulation.harness.network import Wire
from tests.simulation.steps import in_step, play, resting
from tui.engine.intents import Verdict
from tui.engine.rows import LocalOrderState, PendingAction
from tui.interface.families.orders import PlaceOrder, Side, is_final

pytestmark = pytest.mark.simulation

ORDERS_PUSH = b'"channel":"orders"'
HALF_AN_HOUR = 1800.0
FIVE_MINUTES = 300.0


def test_n1_a_push_replaces_a_missing_reply_without_resend() -> None:
    async def day(desk: Day) -> None:
        desk.swallow("in", b'"event":"place_order"')

        def later(wire: Wire, data: bytes) -> None:
            desk.engine_loop.call_later(4, wire.client.receive, data)

        late = desk.divert("in", later, ORDERS_PUSH)
        no_reads = desk.swallow("out", b"GET /api/v1/trading/")
        placed = await desk.rest()
        assert placed.verdict is Verdict.UNKNOWN
        await desk.shows(placed.key, "OPEN")
        late()
        no_reads()
        await asyncio.sleep(FIVE_MINUTES)
        assert (desk.asked(PlaceOrder), desk.row(placed.key).state) == (1, "OPEN")

    Day().play(day)


def test_n2_f31_two_orders_of_one_client_id_can_be_cancelled() -> None:
    async def day(desk: Day) -> None:
        placed = await desk.rest()
        first = await desk.shows(placed.key, "OPEN")
        again = PlaceOrder(
            portfolio=desk.portfolio,
            sym=SYM,
            side="BUY",
            order_type="LIMIT",
            time_in_force="GTC",
            order_qty="0.002",
            limit_price=first.price,
            client_order_id=placed.key,
        )
        desk.elsewhere(again)
        await desk.until(lambda: len(desk.mirror.orders) == 2)
        rows = list(desk.mirror.orders.values())
        assert all(row.conflict for row in rows)
        for row in rows:
            assert (await desk.cancel(row.key)).verdict is Verdict.ACCEPTED
        await desk.until(lambda: {row.state for row in desk.mirror.orders.values()} == {"CANCELLED"})
        assert desk.exchange.queries.open_orders(desk.portfolio) == []

    Day(("duplicate_client_id", "accept")).play(day)


@pytest.mark.parametrize("snapshot", ["none", "full"])
def test_n3_missed_events_are_read_without_a_login_snapshot(snapshot: str) -> None:
    async def day(desk: Day) -> None:
        ask = desk.mirror.quotes[SYM].ask
        partly = await desk.take_and_rest()
        gone = await desk.rest("200")
        await desk.shows(partly.key, "PARTIALLY_FILLED")
        await desk.shows(gone.key, "OPEN")
        desk.cut("reset")()
        desk.somebody_sells("0.005", ask)
        desk.somebody_cancels(gone.key)
        await desk.shows(partly.key, "FILLED")
        await desk.shows(gone.key, "CANCELLED")
        await desk.in_step()
        await desk.until(lambda: len(desk.mirror.fills) == 2)
        assert desk.said("FILL BUY") == 2

    Day(("login_snapshot", snapshot)).play(day)


def test_n4_f14_no_command_is_sent_before_the_login_reply() -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        floor.armed = ("F14", "black_hole", "place")
        floor.cut("reset")
        await floor.until(lambda: floor.mirror.engine_status is not None and not floor.mirror.engine_status.synced)
        refused = [
            await floor.replace(row.key, str(Decimal(row.price) + 1), row.qty),
            await floor.place(SYM, Side.BUY, "0.020", row.price),
            await floor.cancel(row.key),
        ]
        assert [(one.verdict, one.guard) for one in refused] == [(Verdict.DENIED, "LINK")] * 3
        await in_step(floor)
        await asyncio.sleep(FIVE_MINUTES)
        assert floor.proxy.commands == 1
        assert (floor.mirror.orders[row.key].state, floor.mirror.orders[row.key].price) == ("OPEN", row.price)

    play(day)


@pytest.mark.parametrize(("action", "silent_s"), [("cancel", 2 * FIVE_MINUTES), ("replace", FIVE_MINUTES)])
def test_n5_f09_f10_an_unanswered_change_leaves_the_order_open(action: str, silent_s: float) -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        about = f'"event":"{action}'.encode(), ORDERS_PUSH

        def silence(_wire: Wire, way: str, data: bytes) -> bool:
            return data.startswith(b"GET /api/v1/trading/") if way == "out" else any(word in data for word in about)

        floor.network.filters.insert(0, silence)
        price = str(Decimal(row.price) + 1)
        work = floor.cancel(row.key) if action == "cancel" else floor.replace(row.key, price, row.qty)
        assert (await work).verdict is Verdict.UNKNOWN
        await asyncio.sleep(silent_s)
        silent = floor.mirror.orders[row.key]
        lost = PendingAction.CANCEL_LOST if action == "cancel" else PendingAction.AMEND_LOST
        assert (silent.state, silent.price, silent.overlay) == ("OPEN", row.price, lost)
        floor.network.filters.remove(silence)
        await floor.until(lambda: not floor.mirror.orders[row.key].overlay.value, within=120)
        now = floor.mirror.orders[row.key]
        assert (now.state, now.price) == (("CANCELLED", row.price) if action == "cancel" else ("OPEN", price))
        assert floor.proxy.commands == 2

    play(day)


def test_n6_f04_an_order_five_minutes_late_is_never_rejected() -> None:
    async def day(desk: Day) -> None:
        key, arrive = await desk.rest_on_its_way()
        await asyncio.sleep(FIVE_MINUTES)
        assert desk.row(key).state == LocalOrderState.UNKNOWN
        assert desk.row(key).not_found > 5
        arrive()
        await desk.shows(key, "OPEN")
        assert desk.never(key, "REJECT", "CANCELLED", "FAIL", "EXPIRED")
        assert desk.asked(PlaceOrder) == 1

    Day().play(day)


ERRORS = [
    OSError(32, "Broken pipe"),
    ConnectionResetError("reset"),
    ConnectionAbortedError("aborted"),
    TimeoutError("late"),
    ssl.SSLError("bad record"),
    ConnectionClosedError(None, None),
    ConnectionClosedOK(None, None),
    WebSocketException("odd"),
    RuntimeError("of a library"),
    ValueError("of a library"),
]
"""Every class of error that a connector can raise at the write."""


@pytest.mark.parametrize("written", [False, True], ids=["nothing written", "written"])
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_n7_a_write_error_makes_an_order_unknown_and_not_ended(
    error: Exception, written: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = ClientConnection.send

    async def breaks(self: ClientConnection, message: bytes, *, text: bool | None = None) -> None:
        placing = b"place_order" in bytes(message)
        if written or not placing:
            await send(self, message, text=text)
        if placing:
            raise error

    async def day(floor: Floor) -> None:
        monkeypatch.setattr(ClientConnection, "send", breaks)
        placed = await floor.place(SYM, Side.BUY, "0.010", "60000")
        assert placed.verdict is Verdict.UNKNOWN
        monkeypatch.undo()
        await asyncio.sleep(30)
        (row,) = floor.mirror.orders.values()
        assert row.state == ("OPEN" if written else LocalOrderState.UNKNOWN)
        assert not any(is_final(one.state) for one in floor.history.lines if one.who == "display")
        assert len(floor.exchange.queries.orders(floor.portfolio)) == written

    play(day)


def test_n8_f85_f04_a_late_order_over_a_restart_stays_open() -> None:
    async def day(floor: Floor) -> None:
        held: list[tuple[Wire, bytes]] = []

        def keep(wire: Wire, way: str, data: bytes) -> bool:
            if way == "out" and b"/v1/private" in wire.target and len(data) > 100:
                held.append((wire, data))
                return True
            return False

        floor.network.filters.insert(0, keep)
        placing = asyncio.ensure_future(floor.place(SYM, Side.BUY, "0.010", "60000"))
        await asyncio.sleep(0.2)
        await floor.crash()
        with pytest.raises(ConnectionAbortedError):
            await placing
        floor.network.filters.remove(keep)
        floor.begin()
        row = await floor.until(lambda: next(iter(floor.mirror.orders.values()), None))
        assert row.state == LocalOrderState.UNKNOWN
        await in_step(floor)
        await asyncio.sleep(60)
        assert floor.mirror.orders[row.key].state == LocalOrderState.UNKNOWN
        floor.proxy.too_late("place_order", args_of(held[0][1]))
        await floor.shows(row.key, "OPEN")
        assert not any(is_final(one.state) for one in floor.history.lines if one.who == "display")

    play(day)


def args_of(data: bytes) -> dict[str, str]:
    """The arguments of a command as it was written."""
    from tests.simulation.test_scenarios_answers import payload

    args: dict[str, str] = payload(data)["args"]
    return args


def test_n10_f81_a_screen_stall_of_a_minute_blocks_no_engine() -> None:
    async def day(desk: Day) -> None:
        ask = desk.mirror.quotes[SYM].ask
        placed = await desk.take_and_rest()
        await desk.shows(placed.key, "PARTIALLY_FILLED")
        desk.world.loops.remove(desk.screen_loop)
        desk.somebody_sells("0.005", ask)
        at = desk.world.now
        assert (await desk.rest("200")).verdict is Verdict.ACCEPTED
        assert desk.world.now - at <= 0.05
        await asyncio.sleep(60)
        assert desk.row(placed.key).state == "PARTIALLY_FILLED", "nothing was painted"
        filled = [one for one in desk.journal.lines if one.kind == "fill"]
        assert len(filled) == 2
        assert desk.engine.state.synced
        desk.world.loops.append(desk.screen_loop)
        await desk.shows(placed.key, "FILLED")
        assert desk.desk_row.lag_ms <= 250
        assert desk.mirror.links["private"].epoch == 1

    Day().play(day)
