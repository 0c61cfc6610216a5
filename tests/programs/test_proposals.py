"""Proposals that can never be sent: refused at once, as a preview denies them; one that was denied says why."""

from __future__ import annotations

import asyncio
import re
import threading
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from crossdesk import DeskError
from tests.client.fakes import until
from tests.desk_protocol.desks import BTC, LIMITS, DeskOf, accept
from tests.programs.test_python import ETH, propose, proposer, waiting
from tui.desk_protocol.messages import OrderTerms
from tui.engine.intents import Outcome, Place, Replace, Verdict
from tui.engine.modes import RiskMode
from tui.engine.rows import QuoteRow, Table
from tui.host import HostClock

SECONDS, TICK_S = 1.0, 0.25
"""Time of a proposal, and of a round in which the engine looks for expired ones, s."""


@pytest.mark.parametrize(
    ("sym", "size", "price", "named"),
    [
        (BTC, "0.0001", "60000", "Size 0.0001"),
        (BTC, "0.01", "60000.05", "Price 60000.05"),
        (BTC, "0.01", "90000", "too far through the touch"),
        (ETH, "1", "5000", "too far through the touch"),
    ],
)
async def test_a_program_cannot_propose_an_order_the_preview_denies(
    owner: DeskOf, tmp_path: Path, sym: str, size: str, price: str, named: str
) -> None:
    async with proposer(tmp_path) as desk:
        with pytest.raises(DeskError) as refused:
            await desk.propose("BUY", sym, size, price, reason="a")
        foreseen = await desk.preview(OrderTerms(sym=sym, side="BUY", qty=size, price=price))
        assert named in foreseen.text and str(refused.value) == f"propose: {foreseen.text}"
        assert desk.proposals == []


async def test_a_program_cannot_propose_a_replace_that_is_denied(owner: DeskOf, tmp_path: Path) -> None:
    await owner.arm()
    key = (await owner.submit(owner.buy("60000"))).key
    async with proposer(tmp_path) as desk:
        await until(lambda: key in {order.key for order in desk.orders}, 5)
        with pytest.raises(DeskError, match=r"^propose_replace: Price 60000\.05 "):
            await desk.propose_replace(key, "0.01", "60000.05", reason="a")
        with pytest.raises(DeskError, match=r"^propose_replace: price and quantity are as they were"):
            await desk.propose_replace(key, "0.01", "60000", reason="a")


async def test_an_order_that_needs_a_confirmation_can_be_proposed(owner: DeskOf, tmp_path: Path) -> None:
    owner.thread.set_limits(msgspec.structs.replace(LIMITS.limits, first_of_day=True), "first_of_day")
    async with proposer(tmp_path) as desk:
        await until(lambda: desk.status.limits.first_of_day, 5)
        assert (await desk.preview(OrderTerms(sym=BTC, side="BUY", qty="0.01", price="60000"))).guard == "FIRST_OF_DAY"
        asked, number = await propose(desk, owner)
        owner.thread.decline(number)
        assert ((end := await asked).answer, end.text) == ("declined", "")


async def test_a_declined_proposal_tells_why_its_order_was_denied(owner: DeskOf, tmp_path: Path) -> None:
    await owner.arm()
    async with proposer(tmp_path) as desk:
        asked, number = await propose(desk, owner)
        owner.thread.set_risk_mode(RiskMode.REDUCING)
        await until(lambda: owner.status().risk_mode is RiskMode.REDUCING, 5)
        denied = await owner.submit(accept(owner.buy("60000"), number))
        assert denied.verdict is Verdict.DENIED
        owner.thread.decline(number)
        assert (await asked).text == f"the desk denied it when the trader sent it: {denied.text}"


async def test_a_proposal_shown_too_long_or_at_a_moved_price_is_denied(owner: DeskOf, tmp_path: Path) -> None:
    """The window checks the same; one that does not, or sees another market, sends nothing by it."""
    await owner.arm()
    async with proposer(tmp_path) as desk:
        asked, number = await propose(desk, owner)
        order, quote = owner.buy("60000"), owner.screen.look().tables[Table.QUOTES][BTC]
        assert isinstance(quote, QuoteRow)
        ask = quote.ask
        far = str(Decimal(ask) * Decimal("1.0026"))
        for wrong, why in (
            (msgspec.structs.replace(order, proposal=number), "did not say when and at which price it was shown"),
            (accept(order, number, age_s=30.5), "it stood in the ticket for 3. s; accepted are 30 s"),
            (accept(order, number, age_s=-2), "it stood in the ticket for -2 s"),
            (accept(order, number, touch=far), f"the price moved from .* to {ask} while it stood in the ticket"),
        ):
            denied = await owner.submit(wrong)
            assert (denied.verdict, denied.guard) == (Verdict.DENIED, "PROPOSAL"), denied
            assert re.search(why, denied.text) and f":accept {number} shows it anew" in denied.text, denied
        assert not asked.done() and not owner.orders()
        near = str(Decimal(ask) * Decimal("1.0024"))
        assert (await owner.submit(accept(order, number, age_s=29, touch=near))).verdict is Verdict.ACCEPTED
        assert (await asked).answer == "sent"


async def test_a_proposed_replace_in_a_moved_market_is_denied(owner: DeskOf, tmp_path: Path) -> None:
    await owner.arm()
    first = (await owner.submit(owner.buy("60000"))).key
    async with proposer(tmp_path) as desk:
        await until(lambda: first in {order.key for order in desk.orders}, 5)
        asked, number = await waiting(desk, desk.propose_replace(first, "0.02", "60001", reason="the bid rose"))
        replace = Replace(decision=owner.buy("1").decision, key=first, price="60001", qty="0.02")
        denied = await owner.submit(accept(replace, number, touch="40000"))
        assert denied.guard == "PROPOSAL" and "the price moved from 40000 to" in denied.text
        assert (await owner.submit(accept(replace, number))).verdict is Verdict.ACCEPTED
        assert (await asked).answer == "sent"


async def test_an_expired_proposal_says_what_would_deny_it(owner: DeskOf, tmp_path: Path) -> None:
    async with proposer(tmp_path) as desk:
        asked, number = await waiting(desk, desk.propose("BUY", BTC, "0.01", "60000", reason="a", seconds=1))
        owner.thread.set_risk_mode(RiskMode.REDUCING)
        end = await asked
        assert end.answer == "expired" and end.text.startswith("the desk would deny it by now: risk mode is REDUCING")
        line = f"proposal {number} of research-bot: the request has expired: BUY"
        await until(lambda: any(line in text for text in owner.texts()), 5)


async def test_a_proposal_being_sent_is_not_expired_or_declined(owner: DeskOf, tmp_path: Path) -> None:
    """Its time ends, and others decline and withdraw it, while the answer of the service is on its way."""
    await owner.arm()
    session = owner.thread.core.session  # type: ignore[union-attr]
    send, begun, clock = session.handlers[Place], threading.Event(), HostClock()

    async def send_slowly(intent: Place) -> Outcome:
        begun.set()
        while clock.mono() < asked_at + SECONDS + 2 * TICK_S:
            await asyncio.sleep(TICK_S)
        outcome: Outcome = await send(intent)
        return outcome

    session.handlers[Place] = send_slowly
    async with proposer(tmp_path) as desk:
        asked, number = await propose(desk, owner, seconds=SECONDS)
        asked_at = clock.mono()
        sending = asyncio.ensure_future(owner.submit(accept(owner.buy("60000"), number)))
        await until(begun.is_set, 5)
        owner.thread.decline(number)
        with pytest.raises(DeskError, match="is no proposal of research-bot that waits"):
            await desk.withdraw(number)
        outcome, end = await sending, await asked
        assert (outcome.verdict, end.answer, end.order) == (Verdict.ACCEPTED, "sent", outcome.key)
