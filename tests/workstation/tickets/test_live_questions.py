"""An open question counts what is there now, and a word may be pasted."""

from __future__ import annotations

import msgspec
import pytest
from textual import events

from tests.workstation.driver import Desk, desk
from tests.workstation.tickets.ticket_desk import read_panel
from tui.engine.intents import Cancel, CancelAll, Outcome, Place, Replace, Verdict
from tui.engine.modes import RiskMode
from tui.engine.rows import Table
from tui.workstation.input.scopes import Scope

BTC = "BINANCE_PERP_BTC_USDT"


async def shown(at: Desk, words: str) -> None:
    """Until the screen shows it, for a few of its own seconds."""
    for _ in range(100):
        if words in at.text():
            return
        await at.pause(0.05)
    raise AssertionError(f"{words!r} is not in\n{at.text()}")


async def test_a_question_keeps_its_price_and_says_if_it_still_takes() -> None:
    async with desk(120, 36) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit")]
        await at.press("1", "g", "j", ":")
        for char in "long 0.02 BTC take":
            await at.press(char)
        await at.settle()
        assert "64,001.2 take IOC" in at.text() and "would take" in at.text()
        await at.press("enter")
        assert at.scope() is Scope.ASK
        at.port.quote(BTC, "64021.0", "64021.2")
        await at.settle()
        text = at.text()
        assert "asked at 64,001.2, now 64,021.2" in text
        assert "would take" not in text and "does not reach the ask: would end unfilled" in text
        assert "bid -198t" in text


@pytest.mark.parametrize(
    ("typed", "said"), [("tp 2% sl 1%", "; tp and sl stay"), ("sl 1%", "; sl stays"), ("sl 63000", "")]
)
async def test_after_a_move_a_question_says_relative_stops_stay(typed: str, said: str) -> None:
    """They are sent as the question shows them, while the market order fills where the market is."""
    async with desk(160, 45) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit")]
        await at.press("1", "g", "j", ":", *f"long 0.02 BTC mkt {typed}")
        await at.settle()
        await at.press("enter")
        assert at.scope() is Scope.ASK
        at.port.quote(BTC, "64021.0", "64021.2")
        await at.settle()
        assert f"asked at 64,001.2, now 64,021.2 (+20){said} y" in read_panel(at), read_panel(at)


async def test_the_fee_in_a_question_follows_the_market() -> None:
    """An order that would have taken when it was asked for, and rests now, earns the rebate."""
    async with desk(160, 45) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit")]
        await at.press("1", "g", "j", ":")
        for char in "buy 0.02 BTC at 64003":
            await at.press(char)
        await at.settle()
        assert "fee ~" in at.text()
        await at.press("enter")
        assert at.scope() is Scope.ASK and "fee ~" in at.text()
        at.port.quote(BTC, "64021.0", "64021.2")
        await at.settle()
        assert "would rest" in at.text() and "rebate ~" in at.text() and "fee ~" not in at.text(), at.text()


async def test_y_pressed_just_as_an_order_would_take_sends_nothing() -> None:
    """An order that would have rested when it was asked for; `y` comes just as the market falls through its price."""
    async with desk(160, 45) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit")]
        await at.press("1", "g", "j", ":")
        for char in "buy 0.02 BTC at 64000.5":
            await at.press(char)
        await at.press("enter")
        assert at.scope() is Scope.ASK and "would rest" in at.text()
        await at.pause(0.5)
        sent = len(at.port.intents)
        at.port.quote(BTC, "63990.0", "63990.2")
        await at.press("y", "k")
        assert len(at.port.intents) == sent and at.scope() is Scope.ASK and "would take" in at.text()


async def test_y_just_as_a_question_changed_says_to_read_it_again() -> None:
    async with desk(120, 36) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit")]
        await at.press("1", "g", "j", ":")
        for char in "long 0.02 BTC take":
            await at.press(char)
        await at.press("enter")
        await at.pause(1.2)
        assert at.scope() is Scope.ASK and "would take" in at.text()
        at.port.quote(BTC, "64021.0", "64021.2")
        await at.press("y")
        said = "it has just changed by itself: read it, then press y again"
        assert at.events()[-1] == f"y not sent: {said}" and said in at.text()
        await at.press("y")
        assert len(at.port.intents) == 2


async def test_the_kill_prompt_keeps_its_count_as_new_orders_come() -> None:
    """An order that came meanwhile is cancelled with the others: the engine decides when it cancels."""

    async with desk(160, 45, filled=False) as at:
        at.port.set_desk(synced=True)
        at.port.order("a", BTC, "BUY", "50000", "0.1")
        await at.settle()
        await at.press("X")
        assert "(PAPER): 1 order" in at.text()
        at.port.order("b", BTC, "BUY", "49000", "0.1")
        await at.settle()
        await at.pause(0.6)
        assert "(PAPER): 1 order" in at.text()
        assert at.scope() is Scope.KILL
        at.clock.pass_by(0.3)
        await at.press("enter")
        [intent] = at.port.intents
        assert isinstance(intent, CancelAll) and intent.kill and intent.spare_closing


async def test_a_cancel_all_question_with_no_order_left_sends_nothing() -> None:
    async with desk(160, 45, filled=False) as at:
        at.port.set_desk(synced=True)
        at.port.order("a", BTC, "BUY", "50000", "0.1")
        await at.settle()
        await at.press("2", "C")
        assert "cancel 1 order, open worth 5,000.00 USDT" in at.text()
        at.port.order("a", BTC, "BUY", "50000", "0.1", state="FILLED", executed="0.1", final=True)
        await shown(at, "cancel 0 orders")
        at.clock.pass_by(0.3)
        await at.press("y")
        assert [intent for intent in at.port.intents if isinstance(intent, CancelAll)] == []
        assert "there is no order or position for this choice" in at.events()


async def test_the_cancel_of_marked_orders_takes_no_unmarked_order() -> None:
    async with desk(160, 45, filled=False) as at:
        at.port.set_desk(synced=True)
        for key, price in (("a", "50000"), ("b", "49000"), ("c", "48000")):
            at.port.order(key, BTC, "BUY", price, "0.1")
        await at.settle()
        await at.press("2", "space", "space", "C")
        assert "marked: cancel 2 orders" in at.text()
        at.port.put(Table.ORDERS, "b", None)
        at.port.order("d", BTC, "BUY", "47000", "0.1")
        await shown(at, "marked: cancel 1 order")
        at.clock.pass_by(0.3)
        await at.press("y")
        [intent] = at.port.intents
        assert isinstance(intent, Cancel) and intent.key in ("a", "c")


async def test_a_confirm_word_can_be_pasted() -> None:
    async with desk(160, 45) as at:
        at.port.set_desk(risk_mode=RiskMode.HALT)
        await at.settle()
        await at.press("ctrl+t")
        assert at.scope() is Scope.WORD
        at.clock.pass_by(0.3)
        at.app.screen.post_message(events.Paste("resume\n"))
        await shown(at, "Enter confirms")
        await at.press("enter")
        assert at.port.modes == [RiskMode.NORMAL]


async def test_a_post_only_replace_that_would_take_is_sent_by_y_alone() -> None:
    async with desk(160, 45) as at:
        await at.press("2", "j", "j", "+")
        at.port.quote(BTC, "63980.0", "63980.2")
        await at.settle()
        assert "a post-only order would take and may be cancelled" in at.text() and " y sends" in at.text()
        at.clock.pass_by(1.0)
        await at.press("enter")
        assert not any(isinstance(intent, Replace) for intent in at.port.intents)
        assert "this price takes at once: press y to send" in at.text()
        at.clock.pass_by(1.0)
        await at.press("y")
        assert any(isinstance(intent, Replace) for intent in at.port.intents)


async def test_the_line_of_keys_says_what_enter_does_during_typing() -> None:
    async with desk(80, 24) as at:
        await at.press("b", *"0.0")
        assert " Enter check " in at.text().split("\n")[-1]
        await at.press("1")
        assert "Enter sends" in at.text() and " Enter send " in at.text().split("\n")[-1]


async def test_a_ticket_question_does_not_say_its_price_follows() -> None:
    async with desk(160, 45) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="FIRST_OF_DAY", text="first order of the day")]
        await at.press("b")
        assert "follows the market until sent" in at.text()
        await at.press("enter")
        assert "first order of the day" in at.text() and "follows the market" not in at.text()


SOFT = Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit")


async def ask_to_take(at: Desk, line: str = "long 0.02 BTC take") -> None:
    """Ask about an order at the ask of 64,001.2, and let the market rise from it."""
    at.port.outcomes = [SOFT]
    await at.press("1", "g", "j", ":", *line, "enter")
    assert at.scope() is Scope.ASK and " new price" not in read_panel(at)
    at.port.quote(BTC, "64006.0", "64006.2")
    await at.settle()


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_the_new_price_key_renews_a_question_and_sends_nothing(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await ask_to_take(at)
        assert "now 64,006.2" in read_panel(at) and "= new price" in read_panel(at)
        at.port.foreseen = [msgspec.structs.replace(SOFT, text="1,281 over the soft limit")]
        await at.press("=")
        assert len(at.port.intents) == 1 and at.scope() is Scope.ASK
        assert "? 1,281 over the soft limit" in read_panel(at) and "new price" not in read_panel(at)
        assert "64,006.2" in read_panel(at) and "asked at" not in read_panel(at)
        await at.pause(1.0)
        await at.press("y")
        sent = at.port.intents[-1]
        assert isinstance(sent, Place) and (sent.price, sent.confirmed) == ("64006.2", frozenset(["SOFT_NOTIONAL"]))


async def test_a_new_price_without_a_question_returns_to_the_ticket() -> None:
    async with desk() as at:
        await ask_to_take(at)
        at.port.foreseen = [Outcome(verdict=Verdict.ACCEPTED)]
        await at.press("=")
        assert len(at.port.intents) == 1 and at.scope() is Scope.PREVIEW
        assert "the question is closed" in at.events()[-1] and "Enter sends" in at.text()


async def test_the_new_price_key_is_refused_for_a_typed_price() -> None:
    async with desk() as at:
        await ask_to_take(at, "buy 0.02 BTC at 63990")
        assert "new price" not in read_panel(at)
        await at.press("=")
        assert at.events()[-1] == "= cannot update the price: the price was typed; Esc goes back to change it"
        assert at.scope() is Scope.ASK and len(at.port.intents) == 1


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_y_sends_no_order_that_the_gate_would_deny(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await ask_to_take(at, "buy 0.02 BTC at 63990")
        at.port.quote(BTC, "72000.0", "72000.2")
        await at.settle()
        assert "too far behind the touch 72,000" in read_panel(at) and "would be refused" in read_panel(at)
        await at.pause(1.0)
        await at.press("y")
        assert len(at.port.intents) == 1 and "too far behind the touch 72,000" in at.events()[-1]
        at.port.quote(BTC, "64006.0", "64006.2")
        await at.settle()
        assert "? over the soft limit" in read_panel(at)
        await at.pause(1.0)
        await at.press("y")
        assert len(at.port.intents) == 2
