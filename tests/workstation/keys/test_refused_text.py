"""Letters of a line that did not open, and digits that no field took: what is refused acts on nothing, and says so."""

from __future__ import annotations

import asyncio

import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.event_line import EventLine, Level
from tui.engine.intents import Cancel
from tui.engine.modes import TradingState
from tui.workstation.input.scopes import Scope


def cancels(at: Desk) -> list[Cancel]:
    return [intent for intent in at.port.intents if isinstance(intent, Cancel)]


async def open_warnings(at: Desk) -> None:
    at.port.updates.put_event(EventLine(wall_ms=1, level=Level.ALERT, text="the disk is full", sticky=True))
    await at.settle()
    await at.press("!")
    assert "Cleared: 1 warning" in at.text()


async def test_the_command_line_opens_from_the_box_of_cleared_warnings() -> None:
    async with desk() as at:
        await open_warnings(at)
        await at.type(":buy 0.01")
        assert at.scope() is Scope.LINE and at.app.main_screen.line_field.value == "buy 0.01"
        assert "Cleared: 1 warning" not in at.text()


@pytest.mark.parametrize("keys", [("2", "enter"), ("?",), ("|",)])
async def test_the_command_line_opens_from_cards_pages_and_lists(keys: tuple[str, ...]) -> None:
    async with desk() as at:
        await at.press(*keys)
        assert at.scope() in {Scope.HELP, Scope.COLUMNS}
        await at.press(":")
        assert at.scope() is Scope.LINE


async def test_a_command_typed_into_a_blocked_ticket_cancels_nothing() -> None:
    async with desk() as at:
        await at.press("b", "Q")
        assert at.app.main_screen.panel.blocked
        await at.type(":reduce")
        assert cancels(at) == []
        assert at.events()[-1].startswith("e was typed behind refused letters") and at.events()[-1].endswith("(×6)")
        await at.press("u")
        assert len(cancels(at)) == 1, "a pause ends the text"


@pytest.mark.parametrize(("keys", "rows"), [(("b", "Q"), 4), (("ctrl+q",), 4), (("X",), 1), (("H",), 4)])
async def test_a_command_typed_where_no_line_opens_makes_few_events(keys: tuple[str, ...], rows: int) -> None:
    async with desk() as at:
        await at.press(*keys)
        before = len(at.events())
        for text in (":buy 5ct sol at ask+5t po", ":alert list"):
            await at.type(text)
        said = at.events()[before:]
        assert len(said) <= rows and said[-1].endswith(")") and "(×" in said[-1], said
        assert said[-1].startswith("t "), "the line answers the newest key"


async def test_an_event_between_refused_letters_gets_its_own_row() -> None:
    async with desk() as at:
        await at.press("X")
        await at.type("bus")
        at.port.event("BUY 5ct filled", Level.GOOD)
        await at.settle()
        await at.type("more")
        first, fill, last = at.events()[-3:]
        assert (first[0], first[-4:], fill, last[0], last[-4:]) == ("s", "(×3)", "BUY 5ct filled", "e", "(×4)")


async def test_a_word_typed_on_a_blocked_ticket_cancels_nothing() -> None:
    async with desk() as at:
        await at.press("b", "Q")
        await at.type("reduce")
        assert cancels(at) == []


async def test_a_command_typed_on_a_full_screen_triggers_no_keys() -> None:
    async with desk() as at:
        await at.press("H")
        before = at.scope()
        await at.type(":buy u")
        assert cancels(at) == [] and at.scope() is before
        assert any(event.startswith(": (command) works in") for event in at.events())


@pytest.mark.parametrize("before", [(), ("b",), ("b", "Q")])
async def test_the_quick_cancel_key_pressed_alone_acts_at_once(before: tuple[str, ...]) -> None:
    async with desk() as at:
        await at.press(*before)
        await at.type("u")
        assert len(cancels(at)) == 1


async def test_a_cancel_key_right_after_one_refused_letter_acts() -> None:
    async with desk() as at:
        await at.press("b")
        await at.type("Qu")
        assert len(cancels(at)) == 1


async def test_a_capital_x_inside_a_refused_text_opens_the_kill_prompt() -> None:
    async with desk() as at:
        await at.press("b", "Q")
        await at.type(":rX")
        assert at.scope() is Scope.KILL


async def test_key_a_within_1_s_of_many_digits_does_not_arm() -> None:
    async with desk(80, 24, armed=False) as at:
        await at.press("1")
        for key in "1234":
            at.send_now(key)
            await at.settle()
        assert "digits: Enter, orders and arming wait 1 s" in at.text()
        armed = []
        for _ in range(3):
            await asyncio.sleep(0.85)
            at.send_now("a")
            await at.settle()
            armed.append(TradingState.ARMED in at.port.states)
        assert armed == [False, True, True]
        assert sum("a ignored: pressed within 1 s of digits" in text for text in at.events()) == 1


async def test_slow_zoom_and_pane_keys_are_not_taken_for_a_number() -> None:
    async with desk() as at:
        await at.press("2", "0")
        await asyncio.sleep(60)
        for key in ("0", "2", "b"):
            at.send_now(key)
            await at.settle()
            await asyncio.sleep(0.9)
        assert not any("No field for these" in text or "digits that no" in text for text in at.events())


@pytest.mark.parametrize("size", [(80, 24), (100, 30)])
async def test_a_long_refusal_on_a_ticket_still_names_backspace(size: tuple[int, int]) -> None:
    """Its end was cut: `press 3 first. Backspace continues, Esc …`."""
    async with desk(*size) as at:
        await at.press("b", "n", "y")
        line = at.text().split("\n")[-2]
        assert "n (move the stop to net break-even) works in" in line and ". Backspace continues" in line, line
