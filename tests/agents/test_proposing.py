"""Orders of an agent: previewed, proposed, withdrawn; the trader alone sends one, and the agent learns of it."""

from __future__ import annotations

import asyncio

from tests.agents.conftest import Opens
from tests.agents.hostile import WANTED
from tests.desk_protocol.desks import BTC, DeskOf, accept
from tui.engine.intents import Verdict
from tui.engine.rows import Table
from tui.engine.status_rows import ProposalRow


async def test_an_accepted_proposal_is_sent_once_and_its_agent_told(agents: Opens, owner: DeskOf) -> None:
    async with agents() as agent:
        await owner.arm()
        before = owner.orders().keys()
        preview = (await agent("preview_order", {key: WANTED[key] for key in ("sym", "side", "qty", "price")})).data
        assert (preview["verdict"], preview["value"]) == ("accepted", "600.00")
        proposed = (await agent("propose_order", WANTED)).data
        number = proposed["number"]
        assert proposed["state"] == "waiting" and number in owner.screen.look().tables[Table.PROPOSALS]
        assert (await agent("proposal", number=number)).data["state"] == "waiting" and owner.orders().keys() == before
        waiting = asyncio.ensure_future(agent("proposal", number=number, wait_s=20))
        order = accept(owner.buy("60000"), number)
        sent = await owner.submit(order)
        assert sent.verdict is Verdict.ACCEPTED
        end = (await waiting).data
        assert (end["state"], end["verdict"], end["order"]) == ("sent", "accepted", sent.key)
        assert (await owner.submit(order)).guard == "PROPOSAL", "a second consent sends nothing"


async def test_an_agent_is_told_how_each_unsent_proposal_ended(agents: Opens, owner: DeskOf) -> None:
    async with agents() as agent:
        before = owner.orders().keys()
        numbers = [(await agent("propose_order", WANTED)).data["number"] for _ in range(2)]
        third = (await agent("propose_order", WANTED, seconds=1)).data["number"]
        owner.thread.decline(numbers[0])
        assert (await agent("proposal", number=numbers[0], wait_s=20)).data["state"] == "declined"
        assert (await agent("withdraw_proposal", number=numbers[1])).data["state"] == "withdrawn"
        assert (await agent("proposal", number=third, wait_s=20)).data["state"] == "expired"
        listed = (await agent("proposals")).data["rows"]
        assert [row["number"] for row in listed] == [third, *reversed(numbers)] and owner.orders().keys() == before


async def test_an_agent_proposal_that_the_preview_denies_is_refused(agents: Opens, owner: DeskOf) -> None:
    async with agents() as agent:
        for _ in range(11):
            assert (
                "price 90,000 is too far through the touch" in (await agent("propose_order", WANTED, price="90000")).why
            )
        assert (await agent("proposals")).data["rows"] == []


async def test_a_proposal_of_an_agent_ends_when_its_desk_ends(agents: Opens, owner: DeskOf) -> None:
    async with agents() as agent:
        number = (await agent("propose_order", WANTED)).data["number"]
        await owner.end()
        assert (await agent("proposal", number=number, wait_s=20)).data["state"] in ("withdrawn", "unknown")


async def test_an_agent_proposes_a_replace_a_cancel_and_a_close(agents: Opens, owner: DeskOf) -> None:
    async with agents() as agent:
        await owner.arm()
        key = (await owner.submit(owner.buy("60000"))).key
        terms = {"order": key, "reason": "the basis is gone"}
        for tool, arguments, shown in (
            ("propose_replace", {**terms, "qty": "0.02", "price": "60001"}, ("0.02", "60001")),
            ("propose_cancel", terms, ("0.01", "60000")),
        ):
            number = (await agent(tool, arguments)).data["number"]
            row = owner.screen.look().tables[Table.PROPOSALS][number]
            assert isinstance(row, ProposalRow) and (row.order, (row.qty, row.price)) == (key, shown)
        assert (await agent("propose_close", sym=BTC, reason="trend")).data["state"] == "waiting"
        assert "pair BTC is not known" in (await agent("propose_close", sym="BTC", reason="trend")).why
        assert "'x' is no number above 0" in (await agent("propose_replace", terms, qty="0.02", price="x")).why
        assert "order nothing has ended or is not known" in (await agent("propose_cancel", terms, order="nothing")).why
        assert (owner.orders()[key].price, owner.orders()[key].qty) == ("60000", "0.01")
