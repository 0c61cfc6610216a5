"""A desk that comes back with a past: old UNKNOWN orders keep nothing from being in step."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from tests.simulation.floor import SYM, Floor
from tests.simulation.steps import in_step, play
from tui.engine.intents import Place
from tui.engine.journal.journal_rows import Entry
from tui.engine.rows import LocalOrderState
from tui.engine.status_rows import LinkState
from tui.interface.families.orders import OrderType, Side

pytestmark = pytest.mark.simulation

BACK_S = 2.0
"""From the start, or from the moment the link can be had again, until the desk is in step."""


def unanswered(floor: Floor, count: int) -> list[Entry]:
    """Entries of places of yesterday that nobody answered."""
    wall_ms = int(floor.clock.wall() * 1000) - 86_400_000
    lines = []
    for number in range(count):
        cid = f"cdsimula{number:014d}"
        place = Place(
            decision=floor.decision(), sym=SYM, side=Side.BUY, order_type=OrderType.LIMIT, qty="0.01", price="60000"
        )
        meant = msgspec.json.encode({"kind": "Place", "intent": place, "args": {}}).decode()
        lines.append(
            Entry(
                seq=number + 1,
                wall_ms=wall_ms,
                mono=0.0,
                epoch=0,
                kind="intent",
                intent_id=cid,
                client_order_id=cid,
                order_id="",
                payload=meant,
            )
        )
    return lines


@pytest.mark.parametrize("count", [200, pytest.param(2000, marks=pytest.mark.nightly)])
def test_old_unknown_orders_do_not_delay_the_sync(count: int) -> None:
    async def day(floor: Floor) -> None:
        await floor.crash()
        floor.journal.lines = unanswered(floor, count)
        floor.journal.durable = count
        floor.begin()
        at = floor.world.now
        await in_step(floor)
        took = [floor.world.now - at]
        rows = floor.mirror.orders
        assert sum(row.state == LocalOrderState.UNKNOWN for row in rows.values()) == count
        for number in range(20):
            await asyncio.sleep(1 + number % 5)
            floor.cut("reset")
            at = floor.world.now
            await floor.until(lambda: floor.mirror.links["private"].state is not LinkState.UP)
            await in_step(floor)
            took.append(floor.world.now - at)
        assert max(took) <= BACK_S, took
        if count == 200:
            await floor.until(lambda: all(row.asked for row in rows.values()), within=60)
            await floor.until(lambda: all(row.answered for row in rows.values()), within=300)

    play(day)


def test_one_list_query_serves_all_old_unknown_orders_of_a_pair() -> None:
    async def day(floor: Floor) -> None:
        await floor.crash()
        floor.journal.lines = unanswered(floor, 30)
        floor.journal.durable = 30
        asked: list[str] = []
        floor.begin()
        await in_step(floor)
        assert floor.engine.session is not None
        rest = floor.engine.session.connections.rest
        once = rest.call

        async def counted(endpoint: object, *args: object, **more: object) -> object:
            asked.append(endpoint.name)  # type: ignore[attr-defined]
            return await once(endpoint, *args, **more)  # type: ignore[arg-type]

        rest.call = counted  # type: ignore[method-assign, assignment]
        rows = floor.mirror.orders
        await floor.until(lambda: all(len(row.answered) == 3 for row in rows.values()), within=120)
        assert asked.count("order_history") < 15, "it was read for every order of its own"

    play(day)
