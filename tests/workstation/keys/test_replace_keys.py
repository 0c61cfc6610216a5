"""Keys that change the price or the size of a resting order."""

from __future__ import annotations

import msgspec

from tests.workstation.driver import desk
from tui.engine.intents import Outcome, Replace, Verdict
from tui.engine.rows import PendingAction, Table
from tui.workstation.input.scopes import Scope
from tui.workstation.tickets.fields import Mode


async def test_replace_form_sends_price_and_total_size() -> None:
    async with desk() as at:
        await at.press("2", "j", "j", "e")
        panel = at.app.main_screen.panel
        assert panel.mode is Mode.REPLACE
        assert at.scope() is Scope.FIELD
        text = at.text()
        assert "filled 0.100" in text and "rest 0.15" in text
        await at.press("ctrl+u", *"63990.0", "enter", "enter", "enter")
        assert at.port.intents == [] and "y sends" in at.text()
        await at.press("y")
        [intent] = at.port.intents
        assert isinstance(intent, Replace)
        assert (intent.key, intent.price, intent.qty) == ("o3", "63990.0", "0.250")


async def test_price_steps_during_an_amend_become_one_more_replace() -> None:
    async with desk() as at:
        await at.press("2")
        while at.app.main_screen.tables["orders"].selected != "o2":
            await at.press("j")
        # 64300.0 is being amended to 64290.0 on a tick of 0.5.
        await at.press("+", "+", "+")
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.price == "64291.5"
        at.port.outcomes.append(
            Outcome(verdict=Verdict.DENIED, guard="IN_FLIGHT", text="a replace of this order is still on its way")
        )
        await at.press("enter")
        await at.settle()
        assert at.app.main_screen.panel.open, "the replace waits"
        order = at.app.mirror.orders["o2"]
        at.port.put(
            Table.ORDERS,
            "o2",
            msgspec.structs.replace(order, overlay=PendingAction.NOTHING, price="64290.0", requested_price=""),
        )
        await at.settle()
        at.clock.pass_by(1)
        await at.press("enter")
        sent = at.port.intents[-1]
        assert isinstance(sent, Replace) and (sent.price, sent.qty) == ("64291.5", "0.010")


async def test_leaving_a_replace_ticket_drops_it_with_a_message() -> None:
    async with desk() as at:
        await at.press("2", "j", "j", "+")
        at.app.main_screen.set_focus(at.app.main_screen.tables["positions"])
        await at.settle()
        assert not at.app.main_screen.panel.open
        assert "63,998.1" not in at.text()
        assert any("nothing was sent" in text for text in at.events())


async def test_replace_is_refused_for_unknown_or_amending_orders() -> None:
    async with desk() as at:
        await at.press("2", "e")
        assert not at.app.main_screen.panel.open
        await at.press("j", "e")
        assert not at.app.main_screen.panel.open
        assert any("outcome of this order is not known" in text for text in at.events())
        assert any("amend… is pending" in text for text in at.events())
