"""An agent under a mandate: it sends within the terms, and not a cent beyond them, whatever is called."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.agents.agent import Agent, direct, make_toolbox
from tests.agents.hostile import MANDATED, hostile_calls
from tests.busy import limit
from tests.client.fakes import FakeClock, until
from tests.desk_protocol.desks import BTC, DeskOf, orders_of, start_owner
from tests.programs.attack import ETH, WIDE
from tests.venue.walk.world import World
from tui.agents.order_tools import WINDOW_S
from tui.desk_protocol import program_calls
from tui.engine.rows import Table
from tui.engine.status_rows import MandateRow
from tui.interface.families.orders import is_final

TERMS: dict[str, Any] = {
    "pairs": [BTC], "side": "BUY", "order_value": "700", "position_value": "9000", "traded_value": "1500", "loss": "50",
    "orders_per_minute": 600, "seconds": 600, "reason": "quotes",
}  # fmt: skip
ORDER: dict[str, Any] = {"sym": BTC, "side": "BUY", "qty": "0.01", "price": "60000", "time_in_force": "GTX"}


async def grant(owner: DeskOf, agent: Agent, **terms: Any) -> dict[str, Any]:
    asking = asyncio.ensure_future(agent("ask_mandate", TERMS, **terms))
    waiting: list[str] = []

    def asked() -> bool:
        rows = owner.screen.look().tables.get(Table.MANDATES, {}).values()
        waiting[:] = [row.key for row in rows if isinstance(row, MandateRow) and not row.granted]
        return bool(waiting)

    await until(asked, 10)
    owner.thread.grant(waiting[0])
    granted: dict[str, Any] = (await asking).data
    return granted


async def test_an_agent_places_replaces_and_cancels_only_by_a_mandate(
    world: World, owner: DeskOf, tmp_path: Path
) -> None:
    async with direct(make_toolbox(tmp_path)) as agent:
        without = (await agent("place_order", ORDER)).data
        assert (without["verdict"], without["guard"]) == ("denied", "MANDATE") and (await agent("mandate")).data is None
        granted = await grant(owner, agent)
        assert granted["traded_value"] == "1500" and list(granted["pairs"]) == [BTC]
        sent = (await agent("place_order", ORDER)).data
        assert sent["verdict"] == "accepted"
        await shows(agent, traded="600")
        changed = await agent("replace_order", order=sent["order"], qty="0.005", price="60001")
        assert changed.data["verdict"] == "accepted"
        await until(lambda: owner.orders()[sent["order"]].price == "60001", 10)
        assert (await agent("cancel_order", order=sent["order"])).data["verdict"] == "accepted"
        refused = await agent("place_order", ORDER, confirmed=["MANDATE"])
        assert "confirmed" in refused.why


async def shows(agent: Agent, **wanted: object) -> None:
    """Wait until the mandate shows this; its row comes a moment after the answer to an order."""
    async with asyncio.timeout(limit(10)):
        while {name: (await agent("mandate")).data[name] for name in wanted} != wanted:
            await asyncio.sleep(0.01)


@pytest_asyncio.fixture
async def unhurried(world: World, tmp_path: Path) -> AsyncIterator[DeskOf]:
    """A desk whose own limits stay out of the mandate's way."""
    desk = start_owner(world.venue, tmp_path, WIDE)
    await desk.in_step()
    yield desk
    await desk.end()


def draw_call(chance: random.Random, keys: list[str], stranger: str) -> tuple[str, dict[str, Any]]:
    """A call at the edge of the terms or a tick beyond; a replace or cancel may be of an order of a stranger."""
    key = chance.choice([*keys, *keys, stranger, "no-order"])
    figures = {
        "qty": chance.choice(("0.001", "0.003", "0.011", "0.011", "0.02")),
        "price": chance.choice(("59000", "59829.1", "60000", "60000", "60000.1")),
    }
    match chance.randrange(6):
        case 0 | 1:
            sym, side = chance.choice((BTC, BTC, BTC, ETH)), chance.choice(("BUY", "BUY", "BUY", "SELL"))
            return "place_order", {**ORDER, **figures, "sym": sym, "side": side}
        case 2 | 3 | 4:
            return "replace_order", {"order": key, **figures}
        case _:
            return "cancel_order", {"order": key}


@pytest.mark.parametrize("pace", [600, 20])
async def test_s65_an_agent_sends_nothing_beyond_its_mandate(
    world: World, unhurried: DeskOf, tmp_path: Path, pace: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_calls, "MOST_DENIED", 10_000)  # otherwise that alone would hold it back
    chance, clock = random.Random(pace), FakeClock()
    await unhurried.arm()
    stranger = (await unhurried.submit(unhurried.buy("60000"))).key
    before = {row["orderId"] for row in orders_of(world.venue)}
    toolbox = make_toolbox(tmp_path, clock)
    hostile, keys, sent, denied = hostile_calls(toolbox, pace, 200), list[str](), Counter[str](), Counter[str]()
    async with direct(toolbox) as agent:
        await grant(unhurried, agent, orders_per_minute=pace, order_value="660")
        for _ in range(100):
            clock.advance(WINDOW_S)
            rows = unhurried.orders()
            working = [key for key in keys if key in rows and rows[key].working]
            generated = [(call.tool, call.arguments) for call in (next(hostile), next(hostile))]
            calls = [*generated, *(draw_call(chance, working, stranger) for _ in range(3))]
            said = await asyncio.gather(*(agent(tool, arguments) for tool, arguments in calls))
            for (tool, _), answer in zip(calls, said, strict=True):
                if tool in MANDATED and not answer.refused and answer.data["verdict"] != "denied":
                    sent[tool] += 1
                    keys += [answer.data["order"]] if tool == "place_order" else []
                elif tool in MANDATED:
                    denied[answer.why if answer.refused else answer.data["text"]] += 1
            assert worth(world, before) <= 1500
        orders = sent["place_order"] + sent["replace_order"]
        await shows(agent, orders=orders)
        assert Decimal((await agent("mandate")).data["traded"]) <= 1500
    assert min(sent[tool] for tool in MANDATED) > 3, (sent, denied.most_common(5))
    assert orders == pace if pace == 20 else orders < pace, "the slow one was at the edge of its pace"
    placed = [row for row in orders_of(world.venue) if row["orderId"] not in before]
    assert max(Decimal(row["limitPrice"]) * Decimal(row["orderQty"]) for row in placed) == 660
    assert {(row["sym"], row["side"]) for row in placed} == {(BTC, "BUY")}
    kept = unhurried.orders()[stranger]
    assert (kept.price, kept.qty, kept.working) == ("60000", "0.01", True)


async def test_s65_value_limits_of_a_mandate_hold_to_the_last_digit(
    world: World, unhurried: DeskOf, tmp_path: Path
) -> None:
    async with direct(make_toolbox(tmp_path)) as agent:
        await grant(unhurried, agent, order_value="660")
        key = ""
        for price, qty, verdict in (
            ("60000.1", "0.011", "denied"), ("60000", "0.011", "accepted"), ("60000", "0.011", "accepted"),
            ("60000.1", "0.003", "denied"), ("60000", "0.003", "accepted"), ("59000", "0.001", "denied"),
        ):  # fmt: skip
            sent = (await agent("place_order", ORDER, price=price, qty=qty)).data
            assert sent["verdict"] == verdict, (price, qty, sent)
            key = sent["order"] or key
        assert (await agent("replace_order", order=key, price="60000.1", qty="0.003")).data["guard"] == "MANDATE"
        await shows(agent, traded="1500")
        assert (await agent("cancel_order", order=key)).data["verdict"] == "accepted"
        await until(lambda: not unhurried.orders()[key].working, 10)
        assert (await agent("place_order", ORDER, price="60000.1", qty="0.003")).data["guard"] == "MANDATE"
        assert (await agent("place_order", ORDER, price="60000", qty="0.003")).data["verdict"] == "accepted"


def worth(world: World, before: set[str]) -> Decimal:
    """Value of the orders since: of a working one all that it may come to, of an ended one what was filled."""
    rows = [row for row in orders_of(world.venue) if row["orderId"] not in before]
    sizes = [row["executedQty"] if is_final(row["orderState"]) else row["orderQty"] for row in rows]
    return sum((Decimal(row["limitPrice"]) * Decimal(size) for row, size in zip(rows, sizes, strict=True)), Decimal())
