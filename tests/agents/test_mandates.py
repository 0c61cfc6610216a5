"""An agent under a mandate: it sends within the terms, and not a cent beyond them, whatever is called."""

from __future__ import annotations

import asyncio
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.agents.agent import Agent, direct, make_toolbox
from tests.client.fakes import until
from tests.desk_protocol.desks import BTC, DeskOf, orders_of
from tests.venue.walk.world import World
from tui.engine.rows import Table
from tui.engine.status_rows import MandateRow

TERMS: dict[str, Any] = {
    "pairs": [BTC], "side": "BUY", "order_value": "700", "total_value": "1500", "loss": "50", "orders_per_minute": 600,
    "seconds": 600, "reason": "quotes",
}  # fmt: skip
ORDER: dict[str, Any] = {"sym": BTC, "side": "BUY", "qty": "0.01", "price": "60000", "time_in_force": "GTX"}


async def grant(owner: DeskOf, agent: Agent) -> dict[str, Any]:
    asking = asyncio.ensure_future(agent("ask_mandate", TERMS))
    waiting: list[str] = []

    def asked() -> bool:
        rows = owner.screen.look().tables.get(Table.MANDATES, {}).values()
        waiting[:] = [row.key for row in rows if isinstance(row, MandateRow) and not row.granted]
        return bool(waiting)

    await until(asked, 10)
    owner.thread.grant(waiting[0])
    granted: dict[str, Any] = (await asking).data
    return granted


async def test_an_agent_places_replaces_and_cancels_as_granted(world: World, owner: DeskOf, tmp_path: Path) -> None:
    async with direct(make_toolbox(tmp_path)) as agent:
        without = (await agent("place_order", ORDER)).data
        assert (without["verdict"], without["guard"]) == ("denied", "MANDATE") and (await agent("mandate")).data is None
        granted = await grant(owner, agent)
        assert granted["total_value"] == "1500" and list(granted["pairs"]) == [BTC]
        sent = (await agent("place_order", ORDER)).data
        assert sent["verdict"] == "accepted"
        async with asyncio.timeout(10):
            while (await agent("mandate")).data["used"] != "600":  # the row comes a moment after the answer
                await asyncio.sleep(0.01)
        changed = await agent("replace_order", order=sent["order"], qty="0.005", price="60001")
        assert changed.data["verdict"] == "accepted"
        await until(lambda: owner.orders()[sent["order"]].price == "60001", 10)
        assert (await agent("cancel_order", order=sent["order"])).data["verdict"] == "accepted"
        refused = await agent("place_order", ORDER, confirmed=["MANDATE"])
        assert "confirmed" in refused.why


async def test_s65_an_agent_sends_nothing_beyond_its_mandate(world: World, owner: DeskOf, tmp_path: Path) -> None:
    chance, before = random.Random(20_261_128), {row["orderId"] for row in orders_of(world.venue)}
    async with direct(make_toolbox(tmp_path)) as agent:
        await grant(owner, agent)
        for number in range(40):
            order = {
                **ORDER, "sym": chance.choice((BTC, BTC, BTC, "BINANCE_PERP_ETH_USDT")),
                "side": chance.choice(("BUY", "BUY", "SELL")),
                "qty": chance.choice(("0.001", "0.011", "0.0117", "0.02")), "price": str(Decimal(59_000) + number),
            }  # fmt: skip
            await agent("place_order", order)
        assert Decimal((await agent("mandate")).data["used"]) <= 1500
        placed = [row for row in orders_of(world.venue) if row["orderId"] not in before]
        values = [Decimal(row["limitPrice"]) * Decimal(row["orderQty"]) for row in placed]
        assert placed and max(values) <= 700 and sum(values) <= 1500
        assert {(row["sym"], row["side"]) for row in placed} == {(BTC, "BUY")}
