"""Internal errors of the desk itself, while orders may be live: they are said, send nothing, and the rest goes on."""

from __future__ import annotations

import pytest

from tests.journeys.plain.test_scripted import LINE, Scripted
from tests.workstation.driver import desk
from tests.workstation.keys.test_command_line import enter, placed
from tui.workstation.app.keys.field_keys import FieldKeys
from tui.workstation.command_line import outlook
from tui.workstation.features.command_line import keys
from tui.workstation.features.trading.cancel_keys import CancelKeys
from tui.workstation.input.scopes import Scope
from tui.workstation.tickets import panel_rows
from tui.workstation.tickets.order import refusals

LOST = "internal error in the command line: ZeroDivisionError"
TICKET = "internal error in the ticket: ZeroDivisionError"


def fail(*_: object, **__: object) -> None:
    """Do what no code should."""
    raise ZeroDivisionError


@pytest.mark.parametrize("name", ["look_ahead", "list_requests"])
async def test_a_command_line_that_hits_an_internal_error_is_not_sent(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    async with desk() as at:
        with monkeypatch.context() as patch:
            patch.setattr(keys, name, fail)
            await enter(at, "c all pf")
            assert LOST in at.text() and at.scope() is Scope.LINE
            await at.press("enter")
            assert at.events()[-1].startswith(f"{LOST}; the line is not carried out") and at.port.intents == []
            at.failures = at.app.context.failures
        await at.press("escape")
        await enter(at, "long 0.02 btc join", "enter")
        assert len(placed(at)) == 1


@pytest.mark.parametrize(
    ("module", "name"), [(panel_rows, "build_rows"), (refusals, "expect_refusal_here"), (panel_rows, "key_pieces")]
)
async def test_a_ticket_that_hits_an_internal_error_is_not_sent(
    monkeypatch: pytest.MonkeyPatch, module: object, name: str
) -> None:
    async with desk() as at:
        with monkeypatch.context() as patch:
            patch.setattr(module, name, fail)
            await at.press("1", "b")
            at.port.quote("BINANCE_PERP_BTC_USDT", "64002.0", "64002.2")
            await at.settle()
            assert TICKET in at.panel_text()
            at.clock.pass_by(1.0)
            await at.press("enter", "y")
            assert placed(at) == []
            at.failures = at.app.context.failures
        await at.press("escape", "escape", "b")
        await at.settle()
        assert TICKET not in at.panel_text()
        at.clock.pass_by(1.0)
        await at.press("enter")
        assert len(placed(at)) == 1


async def test_an_internal_error_on_typing_a_size_shows_on_the_ticket(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk() as at:
        await at.press("1", "b")
        with monkeypatch.context() as patch:
            patch.setattr(FieldKeys, "_take_size", fail)
            await at.press("5")
            await at.settle()
            assert TICKET in at.panel_text()
            at.failures = at.app.context.failures
        at.clock.pass_by(1.0)
        await at.press("backspace", "1")
        await at.settle()
        assert TICKET not in at.panel_text() and at.ticket().qty == "1"


async def test_a_key_that_hits_an_internal_error_closes_the_ticket(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk() as at:
        await at.press("1", "b")
        monkeypatch.setattr(CancelKeys, "cancel_order", fail)
        await at.press("u")
        assert at.events()[-1] == "internal error in cancel.last; look at the orders: ZeroDivisionError"
        assert not at.app.main_screen.panel.open
        at.failures = at.app.context.failures


def test_plain_mode_reports_an_internal_error_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    at = Scripted()
    with monkeypatch.context() as patch:
        patch.setattr(outlook, "_look", fail)
        [said] = at.enter(LINE)
        assert "internal error in a typed line; look at the orders: ZeroDivisionError" in said
    assert any("Send 1 order" in said or "send" in said for said in at.enter(LINE))
