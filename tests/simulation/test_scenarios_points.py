"""The points of the matrix, one by one: what the trader sees when the connection goes exactly there."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest

from tests.simulation import ends
from tests.simulation.floor import SYM, Floor
from tests.simulation.harness.proxy import CLOSES
from tests.simulation.points import CUTS
from tests.simulation.steps import ANY_AGE, in_step, play, resting
from tui.engine.intents import CancelAll, Outcome, Protection, Verdict
from tui.engine.rows import LocalOrderState
from tui.engine.status_rows import LinkState
from tui.interface.families.orders import OrderType, Side

pytestmark = pytest.mark.simulation


@pytest.mark.parametrize("cut", CUTS)
def test_f03_an_order_whose_sending_was_cut_stays_unknown(cut: str) -> None:
    async def day(floor: Floor) -> None:
        floor.armed = ("F03", cut, "place")
        placed = await floor.place(SYM, Side.BUY, "0.010", "60000")
        assert placed.verdict is Verdict.UNKNOWN
        await floor.out_of_step()
        await in_step(floor)
        await asyncio.sleep(60)
        row = floor.mirror.orders[placed.key]
        assert (row.state, row.not_found > 2) == (LocalOrderState.UNKNOWN, True)
        assert not floor.exchange.queries.orders(floor.portfolio)

    play(day)


@pytest.mark.parametrize("cut", CUTS)
def test_f12_a_cut_cancel_all_leaves_each_cancel_unknown(cut: str) -> None:
    async def day(floor: Floor) -> None:
        rows = [await resting(floor, below) for below in ("100", "200", "300")]
        floor.armed = ("F12", cut, "cancel_all")
        outcome = await floor.submit(CancelAll(decision=floor.decision(), exchange="BINANCE"))
        assert outcome.verdict is Verdict.UNKNOWN
        assert {floor.mirror.orders[row.key].state for row in rows} == {"OPEN"}
        for row in rows:
            await floor.shows(row.key, "CANCELLED")

    play(day)


@pytest.mark.parametrize("cut", CUTS)
def test_f13_a_disconnect_while_closing_a_position_ends_flat(cut: str) -> None:
    async def day(floor: Floor) -> None:
        await floor.place(SYM, Side.BUY, "0.005", floor.mirror.quotes[SYM].ask)
        await floor.until(lambda: floor.mirror.positions)
        floor.armed = ("F13", cut, "place")
        closed = await floor.place(
            SYM, Side.SELL, "0.005", str(Decimal(floor.mirror.quotes[SYM].bid) - 10), reduce_only=True
        )
        assert closed.verdict is Verdict.UNKNOWN
        await floor.shows(closed.key, "FILLED")
        await in_step(floor)
        await floor.until(lambda: not floor.mirror.positions)

    play(day)


@pytest.mark.parametrize("cut", CUTS)
def test_f14_nothing_is_sent_between_login_and_its_reply(cut: str) -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        floor.armed = ("F14", cut, "place")
        floor.cut("reset")
        await floor.out_of_step()
        refused = await floor.place(SYM, Side.BUY, "0.020", row.price)
        assert (refused.verdict, refused.guard) == (Verdict.DENIED, "LINK")
        assert (await floor.cancel(row.key)).guard == "LINK"
        await in_step(floor)
        assert floor.proxy.commands == 1
        assert floor.mirror.orders[row.key].state == "OPEN"

    play(day)


def test_f16_a_flapping_connection_loses_and_repeats_no_order() -> None:
    async def day(floor: Floor) -> None:
        placed: list[asyncio.Future[Outcome]] = []
        for number in range(20):
            placed.append(
                asyncio.ensure_future(floor.place(SYM, Side.BUY, "0.001", str(60000 + number), confirmed=ANY_AGE))
            )
            await asyncio.sleep(0.0005 * (number % 5))
            floor.cut(CUTS[number % 2])
            await asyncio.sleep(0.7 + number % 4)
        await in_step(floor)
        await asyncio.sleep(10)
        await asyncio.gather(*placed)
        ids = [one.client_order_id for one in floor.exchange.queries.orders(floor.portfolio)]
        assert len(ids) == len(set(ids)) > 3
        assert not ends.differences(floor)

    play(day)


@pytest.mark.parametrize("cut", CUTS)
def test_f17_an_order_with_a_stop_is_resolved_with_its_stop(cut: str) -> None:
    async def day(floor: Floor) -> None:
        floor.armed = ("F17", cut, "place")
        stop = Protection(trigger="55000", source="LAST_PRICE")
        placed = await floor.place(SYM, Side.BUY, "0.010", "60000", stop_loss=stop)
        assert placed.verdict is Verdict.UNKNOWN
        row = await floor.shows(placed.key, "OPEN")
        assert (row.sl_trigger, row.order_type) == ("55000", OrderType.LIMIT)

    play(day)


@pytest.mark.parametrize("code", CLOSES)
def test_f57_the_stream_reconnects_after_any_close_code(code: int) -> None:
    async def day(floor: Floor) -> None:
        wire = floor.private_wire()
        assert wire is not None
        wire.client.receive(bytes([0x88, 2]) + code.to_bytes(2, "big"))
        await floor.out_of_step()
        await in_step(floor)
        await resting(floor)

    play(day)


def test_f79_with_rest_down_orders_go_on_and_a_login_waits() -> None:
    async def day(floor: Floor) -> None:
        floor.answers.down = True
        row = await resting(floor)
        floor.cut("reset")
        await floor.out_of_step()
        await floor.until(lambda: floor.mirror.links["private"].state is LinkState.RESYNC)
        assert (await floor.place(SYM, Side.BUY, "0.020", row.price)).guard == "LINK"
        assert (await floor.cancel(row.key)).verdict is Verdict.ACCEPTED
        await asyncio.sleep(20)
        assert floor.mirror.engine_status is not None and not floor.mirror.engine_status.synced
        floor.answers.down = False
        await in_step(floor)
        await floor.shows(row.key, "CANCELLED")

    play(day)


@pytest.mark.parametrize("for_s", [60.0, 43_200.0])
def test_f103_after_machine_sleep_everything_is_read_again(for_s: float) -> None:
    async def day(floor: Floor) -> None:
        row = await resting(floor)
        floor.clock.slept += for_s
        floor.venue_clock.ahead += for_s
        at = floor.world.now
        await floor.out_of_step()
        assert floor.world.now - at <= 1.0
        await in_step(floor)
        assert floor.mirror.orders[row.key].state == "OPEN"
        await resting(floor, "200")

    play(day)
