"""Letters of a command line that did not open: the key of the line closes boxes, and what is refused acts on nothing."""

from __future__ import annotations

import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.intents import Cancel
from tui.engine.rows import EventLine, Level
from tui.workstation.input.scopes import Scope


def cancels(at: Desk) -> list[Cancel]:
    return [intent for intent in at.port.intents if isinstance(intent, Cancel)]


async def open_warnings(at: Desk) -> None:
    at.port.updates.put_event(EventLine(wall_ms=1, level=Level.ALERT, text="the disk is full", sticky=True))
    await at.settle()
    await at.press("!")
    assert "Warnings, acknowledged" in at.text()


async def test_the_line_opens_from_the_box_of_acknowledged_warnings() -> None:
    async with desk() as at:
        await open_warnings(at)
        await at.type(":buy 0.01")
        assert at.scope() is Scope.LINE and at.app.main_screen.line_field.value == "buy 0.01"
        assert "Warnings, acknowledged" not in at.text()


@pytest.mark.parametrize("keys", [("2", "enter"), ("?",), ("|",)])
async def test_the_line_opens_from_cards_pages_and_lists(keys: tuple[str, ...]) -> None:
    async with desk() as at:
        await at.press(*keys)
        assert at.scope() in {Scope.HELP, Scope.COLUMNS}
        await at.press(":")
        assert at.scope() is Scope.LINE


async def test_a_line_typed_into_a_blocked_ticket_cancels_nothing() -> None:
    async with desk() as at:
        await at.press("b", "Q")
        assert at.app.main_screen.panel.blocked
        await at.type(":reduce")
        assert cancels(at) == []
        assert any(event.startswith("u was typed behind refused letters") for event in at.events())
        await at.press("u")
        assert len(cancels(at)) == 1, "a pause ends the text"


async def test_a_word_typed_without_its_colon_cancels_nothing() -> None:
    async with desk() as at:
        await at.press("b", "Q")
        await at.type("reduce")
        assert cancels(at) == []


async def test_a_line_typed_beside_the_desk_runs_no_keys() -> None:
    async with desk() as at:
        await at.press("H")
        before = at.scope()
        await at.type(":buy u")
        assert cancels(at) == [] and at.scope() is before
        assert any(event.startswith(": (command) works in") for event in at.events())


@pytest.mark.parametrize("before", [(), ("b",), ("b", "Q")])
async def test_one_quick_cancel_acts_at_once(before: tuple[str, ...]) -> None:
    async with desk() as at:
        await at.press(*before)
        await at.type("u")
        assert len(cancels(at)) == 1


async def test_a_cancel_right_behind_one_refused_letter_acts() -> None:
    async with desk() as at:
        await at.press("b")
        await at.type("Qu")
        assert len(cancels(at)) == 1


async def test_a_capital_x_inside_a_refused_text_opens_the_kill_prompt() -> None:
    async with desk() as at:
        await at.press("b", "Q")
        await at.type(":rX")
        assert at.scope() is Scope.KILL
