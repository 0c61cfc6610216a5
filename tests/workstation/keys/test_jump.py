"""Jump: a letter over each pane, tab and field moves the focus there."""

from __future__ import annotations

import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.emulated import EmulatedTerminal, painted
from tui.workstation.features.jump.jump_screen import JumpScreen, find_targets
from tui.workstation.input.scopes import Scope


async def jump(at: Desk, name: str) -> None:
    """Press Ctrl+O and the letter of a pane or field."""
    await at.press("ctrl+o")
    assert at.scope() is Scope.JUMP
    screen = at.app.screen
    assert isinstance(screen, JumpScreen)
    letter = next(letter for letter, target in screen.targets.items() if target.name == name)
    target = screen.targets[letter]
    if isinstance(at.app._driver, EmulatedTerminal):
        await painted(at)
    assert at.text().splitlines()[target.y][target.x : target.x + 3] == f" {letter} "
    await at.press(letter)


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_the_letter_jump_reaches_every_pane_of_the_main_screen(size: tuple[int, int]) -> None:
    async with desk(*size, terminal=EmulatedTerminal) as at:
        screen = at.app.main_screen
        panes = [pane for area in screen.plan.areas for pane in area.panes]
        assert len(panes) >= 10
        for name in [*panes, *reversed(panes)]:
            await jump(at, name)
            assert at.app.screen is screen and screen.box is not None and screen.box.pane.id == name


async def test_the_letter_jump_reaches_every_field_of_the_order_form() -> None:
    async with desk() as at:
        await at.press("enter")
        panel = at.app.main_screen.panel
        stops = panel.stops()
        assert len(stops) > 4 and panel.open
        for stop in stops[:-1]:
            await jump(at, str(stop.id))
            assert at.app.main_screen.focused is stop, stop.id
        assert panel.open


async def test_a_key_that_is_no_jump_letter_only_ends_the_jump() -> None:
    async with desk() as at:
        for key in ("0", "B", "enter", "tab", "y"):
            before = at.app.main_screen.focused
            await at.press("ctrl+o", "ctrl+o") if key == "y" else await at.press("ctrl+o", key)
            assert at.app.screen is at.app.main_screen and at.app.main_screen.focused is before, key
            assert not at.app.main_screen.panel.open and at.port.intents == []
            assert "Jump" not in at.text().splitlines()[-1] and "buy" in at.text().splitlines()[-1], key


@pytest.mark.parametrize("keys", [("b",), ("b", "5"), ("enter",)])
async def test_a_digit_on_no_label_is_refused_in_the_open_ticket(keys: tuple[str, ...]) -> None:
    """The jump ended without a word and the digit was lost: of `25` the size was 5."""
    async with desk(80, 24) as at:
        await at.press(*keys)
        panel = at.app.main_screen.panel
        before = panel.size_field.value
        await at.press("ctrl+o", "2")
        await at.settle()
        said = "no label has 2: the jump has ended"
        assert said in at.panel_text() and "Backspace continues" in at.panel_text(), at.text()
        assert said in at.text().splitlines()[-2], at.text()
        await at.press("5", "enter")
        assert panel.size_field.value == before and at.port.intents == []
        await at.press("backspace")
        assert said not in at.panel_text(), at.text()


async def test_a_letter_on_no_label_is_named_in_the_lists() -> None:
    async with desk(80, 24) as at:
        await at.press("2", "ctrl+o", "9")
        await at.settle()
        assert "no label has 9: the jump has ended" in at.text().splitlines()[-2] and at.scope() is Scope.ORDERS
        await at.press("ctrl+o", "escape")
        await at.settle()
        assert "no label" not in at.text().splitlines()[-2], "Esc says nothing"


async def test_the_kill_key_works_during_a_jump() -> None:
    async with desk() as at:
        await at.press("ctrl+o", "X")
        assert at.scope() is Scope.KILL


async def test_the_letter_jump_has_one_target_on_the_history_screen() -> None:
    async with desk() as at:
        await at.press("H")
        await at.settle()
        assert find_targets(at.app.main_screen) and len(find_targets(at.app.context.list_screen)) == 1
