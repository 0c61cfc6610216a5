"""Calls that no honest agent makes, generated: nothing is sent, nothing confirmed, and the desk goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.agents.agent import direct, make_toolbox
from tests.agents.conftest import Opens
from tests.agents.hostile import COMMANDS, WANTED, attack_by_agent
from tests.client.fakes import FakeClock
from tests.desk_protocol.desks import BTC, DeskOf, accept
from tests.venue.walk.world import World
from tui.agents.order_tools import MOST_IN_WINDOW, WINDOW_S
from tui.engine.rows import Table


@pytest.mark.parametrize("seed", [1, 2])
async def test_s65_hostile_calls_of_an_agent_send_nothing(
    world: World, owner: DeskOf, tmp_path: Path, seed: int
) -> None:
    report = await attack_by_agent(world.venue, owner, tmp_path, 500, seed)
    assert report.wrong == dict.fromkeys(report.wrong, 0), report
    assert report.calls == 500 and report.denied > 20 and report.refused > 200, report


async def test_s65_an_agent_cannot_call_a_command_endpoint(owner: DeskOf, tmp_path: Path) -> None:
    async with direct(make_toolbox(tmp_path)) as agent:
        for name in COMMANDS:
            why = (await agent("call_endpoint", name=name, params={"sym": BTC})).why
            assert f"{name} changes something" in why and ("propose_order" in why or "ask the trader" in why)


async def test_a_wrong_argument_of_an_agent_tool_is_named(agents: Opens) -> None:
    async with agents() as agent:
        for arguments, why in (
            ({**WANTED, "acknowledged": True}, "propose_order has no argument 'acknowledged'; it takes sym, side"),
            ({**WANTED, "size": "0.01"}, "no argument 'size'; it takes sym, side, qty, price, time_in_force, "),
            ({**WANTED, "size": "0.01"}, "reduce_only, reason, seconds; did you mean qty?"),
            ({**WANTED, "qty": 0.01}, "propose_order: qty 0.01 is not accepted; it is a text, such as '0.01'"),
            ({**WANTED, "qty": "-1"}, "qty '-1' is no number above 0"),
            ({**WANTED, "qty": "0.0\u200b1"}, "qty '0.01' holds characters that cannot be shown"),
            ({**WANTED, "qty": "0." + "0" * 600 + "1"}, "or is too long"),
            ({**WANTED, "side": "HOLD"}, "propose_order: side 'HOLD' is not accepted; accepted are BUY, SELL"),
            ({**WANTED, "reason": ""}, "reason '' is not accepted; it is a text of 1 to 200 characters"),
            ({**WANTED, "time_in_force": "POST_ONLY"}, "'POST_ONLY' is not accepted; accepted are FOK, GTC, GTX, IOC"),
            ({**WANTED, "seconds": "60"}, "seconds '60' is not accepted; it is a number from 1 to 600"),
            ({**WANTED, "sym": "BTC"}, "pair BTC is not known"),
            ({key: text for key, text in WANTED.items() if key != "reason"}, "propose_order: reason is missing"),
        ):
            assert why in (await agent("propose_order", arguments)).why
        assert "sym is missing" in (await agent("call_endpoint", name="funding_rate")).why
        assert "did you mean sym" in (await agent("order_history", symm=BTC)).why
        assert "has no argument 'page'" in (await agent("order_history", page="2")).why
        assert (
            "sym 5 is not accepted; all parameters are texts"
            in (await agent("call_endpoint", name="funding_rate", params={"sym": 5})).why
        )
        assert "did you mean positions" in (await agent("positionz")).why
        assert "pair 'BTC' is not known" in (await agent("orders", sym="BTC")).why


async def test_a_proposal_cannot_be_changed_and_is_accepted_alone(owner: DeskOf, tmp_path: Path) -> None:
    """An agent cannot change a proposal; another one is another number, and the old consent does not reach it."""
    async with direct(make_toolbox(tmp_path)) as agent:
        first = (await agent("propose_order", WANTED)).data["number"]
        changed = (await agent("propose_order", WANTED, qty="5", number=first)).why
        assert "no argument 'number'" in changed
        second = (await agent("propose_order", WANTED, qty="0.02")).data["number"]
        rows: dict[str, Any] = dict(owner.screen.look().tables[Table.PROPOSALS])
        assert (rows[first].qty, rows[second].qty) == ("0.01", "0.02") and first != second
        await owner.arm()
        await owner.submit(accept(owner.buy("60000"), first))
        assert (await agent("proposal", number=first, wait_s=20)).data["state"] == "sent"
        assert (await agent("proposal", number=second)).data["state"] == "waiting"


async def test_open_and_recent_proposals_of_an_agent_are_limited(owner: DeskOf, tmp_path: Path) -> None:
    clock = FakeClock()
    async with direct(make_toolbox(tmp_path, clock)) as agent:
        for _ in range(MOST_IN_WINDOW):
            number = (await agent("propose_order", WANTED)).data["number"]
            await agent("withdraw_proposal", number=number)
        assert f"{MOST_IN_WINDOW} proposals within" in (await agent("propose_order", WANTED)).why
        clock.advance(WINDOW_S)
        said = await asyncio.gather(*(agent("propose_order", WANTED) for _ in range(7)))
        refused = [answer.why for answer in said if answer.refused]
        assert len(refused) == 2 and all("5 proposals of research-bot wait" in why for why in refused)


async def test_an_agent_with_the_name_of_a_window_is_refused(owner: DeskOf, tmp_path: Path) -> None:
    async with direct(make_toolbox(tmp_path, name="desk 4")) as agent:
        assert "name 'desk 4' is not accepted; it is a text of 1 to 40 characters" in (await agent("status")).why
