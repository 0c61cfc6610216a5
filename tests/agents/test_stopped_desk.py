"""A desk that stands still and is not dead: no tool tells what was known before as if it were so now."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.agents.agent import direct, make_toolbox
from tests.agents.hostile import WANTED
from tests.desk_protocol.desks import BTC
from tests.desk_protocol.kills import Killed
from tests.venue.walk.world import World
from tui.agents import desk_link

ORDER = {name: WANTED[name] for name in ("sym", "side", "qty", "price")}
TOOLS: dict[str, dict[str, Any]] = {
    **{tool: {} for tool in ("status", "risk", "symbols", "positions", "orders", "assets", "fills", "events", "mandate")},
    "quotes": {"syms": [BTC]}, "book": {"sym": BTC}, "bars": {"sym": BTC}, "order_history": {},
    "call_endpoint": {"name": "mark_price"}, "preview_order": ORDER, "place_order": ORDER, "propose_order": WANTED,
    "proposals": {},
}  # fmt: skip
"""Every tool that tells something of the desk, but not `proposal`, which needs a number."""


@pytest_asyncio.fixture
async def stopped(world: World, tmp_path: Path) -> AsyncIterator[Killed]:
    """An owner in a process of its own."""
    tmp_path.chmod(0o700)
    owner = Killed(tmp_path, "owner", stdin=json.dumps(world.venue.ready))
    await owner.ready()
    yield owner
    owner.go_on()
    owner.kill()


async def test_each_agent_tool_says_that_the_desk_does_not_answer(
    stopped: Killed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with direct(make_toolbox(tmp_path)) as agent:
        status = (await agent("status")).data
        assert status["synced"] and 0 <= status["silent_s"] <= desk_link.SILENT_S
        for tool in ("quotes", "book", "bars"):
            assert not (await agent(tool, TOOLS[tool])).refused, "what is followed already is not asked for again"
        number = (await agent("propose_order", WANTED)).data["number"]
        stopped.stand_still()
        monkeypatch.setattr(desk_link, "SILENT_S", 0.0)
        monkeypatch.setattr(desk_link, "PROOF_S", 0.05)
        for tool, arguments in {**TOOLS, "proposal": {"number": number}}.items():
            why = (await agent(tool, arguments)).why
            assert why.startswith("the desk does not answer: nothing was heard of it for "), (tool, why)
        monkeypatch.undo()
        stopped.go_on()
        assert (await agent("status")).data["synced"]
        assert (await agent("proposal", number=number)).data["state"] == "waiting", (
            "the link was kept, and with it this"
        )
