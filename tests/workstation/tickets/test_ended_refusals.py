"""Refusals whose cause is the account and no field: they end with their cause, and a fresh Enter sends."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.keys.test_expired_questions import hold_net
from tests.workstation.tickets.test_followed_positions import KEYS, SIZES, sizes, stage
from tests.workstation.tickets.ticket_desk import BTC
from tui.engine.intents import Outcome, Verdict
from tui.engine.modes import RiskMode
from tui.engine.rows import Fact, Table
from tui.engine.status_rows import LinkState
from tui.interface.families.positions import PositionRecord

NET = f"{BTC}/NONE"
REJECTED = Outcome(
    verdict=Verdict.REJECTED, key="x", guard="401903", code=401903, text="Reduce-only has nothing to reduce"
)
PARTS = [("%", "1"), ("%", "2"), ("%", "3"), (":", *"close 50% here")]
"""Closes of a part that follows its position."""


async def end_position(at: Desk) -> Fact[PositionRecord]:
    """Let another sender close the position, its order working for a moment; return the row that there was."""
    fact = at.app.mirror.positions[NET]
    at.port.order("other", BTC, "SELL", "64000", fact.record.position_qty, reduce_only=True)
    await at.settle()
    at.port.put(Table.POSITIONS, NET, None)
    await at.settle()
    order = at.app.mirror.orders["other"]
    at.port.put(Table.ORDERS, "other", msgspec.structs.replace(order, state="FILLED", final=True))
    await at.settle()
    at.clock.pass_by(1.0)
    return fact


async def reopen(at: Desk, fact: Fact[PositionRecord], size: str) -> None:
    """Let another sender open a position again."""
    record = msgspec.structs.replace(fact.record, position_qty=size)
    at.port.put(Table.POSITIONS, NET, Fact(record, at.port.stamp()))
    await at.settle()


def shown_since(at: Desk) -> float:
    """Return since when the ticket has been shown as it is; infinity: it was not drawn since it changed."""
    return at.app.main_screen.panel.written.since


async def send_fresh(at: Desk, part: str, before: float) -> None:
    """Press Enter once the change since `before` could be read."""
    count, written = len(sizes(at)), at.app.main_screen.panel.written
    assert written.is_moved_by_market and written.since > before, "an Enter meant for the line before sends nothing"
    at.clock.pass_by(1.0)
    await at.press("enter")
    assert sizes(at)[count:] == [part], at.text()


@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize("size", SIZES)
async def test_a_refused_close_sends_once_its_position_is_back(size: tuple[int, int], keys: tuple[str, ...]) -> None:
    """Each later Enter said `this key was refused here: correct the field first`, and no field was wrong."""
    async with desk(*size) as at:
        await stage(at, *keys)
        fact = await end_position(at)
        await at.press("enter")
        assert sizes(at) == [] and "no long position to reduce" in at.flat_text()
        before = shown_since(at)
        await reopen(at, fact, "1")
        assert "no long position" not in at.panel_text() and " refused " not in at.panel_text(), at.text()
        await send_fresh(at, KEYS[keys], before)


@pytest.mark.parametrize("size", SIZES)
async def test_a_close_refused_for_the_mode_sends_when_that_is_back(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await stage(at, "f")
        account = at.app.mirror.accounts["BINANCE"]
        hedged = msgspec.structs.replace(account.record, position_mode="BOTH")
        at.port.put(Table.ACCOUNTS, "BINANCE", msgspec.structs.replace(account, record=hedged))
        await at.settle()
        at.clock.pass_by(1.0)
        await at.press("enter")
        assert sizes(at) == [] and "hedge mode now" in at.flat_text()
        before = shown_since(at)
        at.port.put(Table.ACCOUNTS, "BINANCE", account)
        await at.settle()
        assert "hedge mode now" not in at.panel_text()
        await send_fresh(at, "0.5", before)


async def cut_link(at: Desk) -> Callable[[], None]:
    """Cut the private stream; return what restores it."""
    link = at.app.mirror.links["private"]
    lost = msgspec.structs.replace(link, state=LinkState.DOWN)
    at.port.put(Table.LINKS, "private", lost)
    return lambda: at.port.put(Table.LINKS, "private", link)


async def halt(at: Desk) -> Callable[[], None]:
    """Let nothing open; return what resumes."""
    at.port.set_risk_mode(RiskMode.HALT)
    return lambda: at.port.set_risk_mode(RiskMode.NORMAL)


@pytest.mark.parametrize(("cause", "said"), [(cut_link, "not connected"), (halt, "HALT")])
async def test_the_reason_of_a_burst_enter_goes_with_its_cause(
    cause: Callable[[Desk], Awaitable[Callable[[], None]]], said: str
) -> None:
    """The text of the desk's refusal was kept as that of the key, below a ticket that `Enter sends`."""
    async with desk() as at:
        await at.press("1", "g", "b")
        end = await cause(at)
        await at.settle()
        await at.burst("enter", "enter", "enter")
        assert said in at.panel_text() and sizes(at) == [], at.text()
        end()
        await at.settle()
        assert said not in at.panel_text() and "sends" in at.panel_text(), at.text()


async def test_a_wrong_field_stays_refused_when_the_account_changes() -> None:
    async with desk() as at:
        await stage(at, "f", *"0.00001")
        at.clock.pass_by(1.0)
        await at.press("enter")
        await hold_net(at, "1")
        at.clock.pass_by(1.0)
        await at.press("enter")
        assert sizes(at) == [] and "0.001" in at.panel_text()


@pytest.mark.parametrize("keys", PARTS)
@pytest.mark.parametrize("size", SIZES)
async def test_a_part_follows_behind_an_answer_of_the_venue(size: tuple[int, int], keys: tuple[str, ...]) -> None:
    """The order of the other sender covered the position for a moment; from then on the size stood still."""
    async with desk(*size) as at:
        await stage(at, *keys)
        at.port.outcomes = [REJECTED]
        at.clock.pass_by(1.0)
        await at.press("enter")
        assert len(sizes(at)) == 1 and "nothing to reduce" in at.flat_text()
        fact = await end_position(at)
        assert "% of the position" not in at.panel_text() and "Enter sends" not in at.panel_text(), at.text()
        before = shown_since(at)
        await reopen(at, fact, "0.08")
        assert "nothing to reduce" not in at.panel_text() and "rejected" not in at.panel_text(), at.text()
        share = {"1": "0.02", "3": "0.06"}.get(keys[1], "0.04")
        await send_fresh(at, share, before)


async def test_a_part_below_a_lot_is_not_sent_and_comes_back() -> None:
    """It was sent with the size of the larger position, of which it had been that part."""
    async with desk() as at:
        await stage(at, "%", "2")
        await hold_net(at, "0.001")
        at.clock.pass_by(1.0)
        assert "% of the position" not in at.panel_text()
        await at.press("enter")
        assert sizes(at) == [] and "50 % of 0.001 is less than a lot of 0.001" in at.flat_text(), at.text()
        before = shown_since(at)
        await hold_net(at, "0.4")
        assert "50 % of the position" in at.panel_text()
        await send_fresh(at, "0.2", before)


async def test_a_part_of_what_working_orders_leave_comes_back() -> None:
    async with desk() as at:
        await stage(at, "%", "2")
        at.port.order("other", BTC, "SELL", "70000", "0.5", reduce_only=True)
        await at.settle()
        assert "working orders close all of it" in at.flat_text() and "50 %" not in at.panel_text(), at.text()
        before = shown_since(at)
        order = at.app.mirror.orders["other"]
        at.port.put(Table.ORDERS, "other", msgspec.structs.replace(order, state="CANCELLED", final=True))
        await at.settle()
        assert "50 % of the position" in at.panel_text(), at.text()
        await send_fresh(at, "0.25", before)


@pytest.mark.parametrize("leaves", [(), ("tab",)])
async def test_a_typed_percentage_follows_what_can_be_closed(leaves: tuple[str, ...]) -> None:
    """With the cursor in the field Enter computed the size anew and sent another one than was shown."""
    async with desk() as at:
        await stage(at, "f", "tab", *"50%", *leaves)
        assert "50 % of the closable position" in at.panel_text()
        await hold_net(at, "1")
        assert "1 → 0.5" in at.panel_text() and "50 % of the closable position" in at.panel_text(), at.text()
        await at.app_takes("enter")
        assert sizes(at) == [] and "has just changed" in at.flat_text(), at.text()
        at.clock.pass_by(1.0)
        await at.press("enter")
        assert sizes(at) == ["0.5"], at.text()


async def test_a_percentage_question_ends_when_the_position_changes() -> None:
    async with desk() as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="STALE", text="the quote is old")]
        await stage(at, "f", "tab", *"50%")
        at.clock.pass_by(1.0)
        await at.press("enter")
        assert "the quote is old" in at.text()
        await hold_net(at, "1")
        assert "the quote is old" not in at.text()


async def test_a_size_typed_as_money_is_sent_as_it_is_shown() -> None:
    """The market moved on behind the typed text, and Enter sent what the text would be worth then."""
    async with desk(120, 36) as at:
        await at.press("1", "b", "tab", *"$16000")
        shown = at.ticket().qty
        for price in ("70000", "80000"):
            at.port.quote(BTC, price, f"{price}.2")
            await at.settle()
        assert at.ticket().qty == shown
        at.clock.pass_by(1.0)
        await at.press("enter")
        assert sizes(at) == [shown], at.text()
