"""Figures pasted into a ticket: each becomes what was meant, or the ticket says so and sends nothing."""

from __future__ import annotations

import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.keys.test_command_line import enter
from tests.workstation.ladder.ladder import open_ladder, stand
from tui.engine.intents import Outcome, Verdict
from tui.workstation.input.scopes import Scope
from tui.workstation.tickets.fields import MAX_TYPED

SMALL = (80, 24)


async def paste(at: Desk, text: str) -> None:
    at.paste(text)
    await at.settle()


@pytest.mark.parametrize("keys", [("b",), ("s",)])
async def test_a_figure_pasted_on_a_fresh_ticket_is_its_size(keys: tuple[str, ...]) -> None:
    async with desk(*SMALL) as at:
        await at.press(*keys)
        assert at.scope() is Scope.PREVIEW
        await paste(at, "0.013\n")
        assert "(smallest)" not in at.text()
        await at.press("enter")
        assert at.sent_sizes() == ["0.013"]


async def test_a_figure_pasted_on_a_ladder_ticket_is_its_size() -> None:
    async with desk(160, 45) as at:
        await open_ladder(at)
        await at.press("j")
        await stand(at)
        await at.press("b")
        assert at.scope() is Scope.PREVIEW
        await paste(at, "0.013")
        await at.press("enter")
        assert at.sent_sizes() == ["0.013"]


async def test_an_enter_in_one_read_with_a_pasted_size_sends_nothing() -> None:
    async with desk(*SMALL) as at:
        await at.press("b")
        at.paste("0.013")
        at.send_now("enter")
        await at.settle()
        assert at.sent_sizes() == []
        await at.press("enter")
        assert at.sent_sizes() == ["0.013"]


@pytest.mark.parametrize("keys", [("1", "b"), ("1", "b", "e"), ("2", "g", "g", "j", "j", "+")])
async def test_a_pasted_text_that_is_no_size_blocks_the_ticket(keys: tuple[str, ...]) -> None:
    async with desk(*SMALL) as at:
        for text in ("buy", "0.5 0.7", "1e5", "0.01\n0.02", "", "5" * (MAX_TYPED + 1)):
            await at.press(*keys)
            assert at.app.main_screen.panel.open, text
            await paste(at, text)
            assert "Enter sends" not in at.text(), text
            await at.press("enter", "enter", "y")
            assert at.port.intents == [], text
            while at.app.main_screen.panel.open:
                await at.press("escape")


async def test_a_paste_on_a_blocked_ticket_is_refused() -> None:
    async with desk(*SMALL) as at:
        await at.press("b", "B")
        await paste(at, "0.013")
        await at.press("enter", "y")
        assert at.port.intents == [] and "Backspace continues" in at.text()


async def test_a_paste_after_a_refused_letter_in_a_size_is_refused() -> None:
    async with desk(*SMALL) as at:
        await at.press("b", "2", "w")
        await paste(at, "5")
        assert "%, not 'w'" in at.events()[-1] and at.events()[-1].endswith("(×2)")
        await at.press("enter", "y")
        assert at.port.intents == [] and at.app.main_screen.panel.size_field.value == "2"


async def test_a_paste_after_the_repeat_key_is_not_taken_as_a_size() -> None:
    async with desk(*SMALL) as at:
        await at.press("b", "5", "enter")
        await at.settle()
        await at.press(".")
        await paste(at, "13")
        await at.press("enter", "y")
        assert at.sent_sizes() == ["5"]


async def test_a_paste_after_tab_left_the_size_does_not_change_it() -> None:
    async with desk(*SMALL) as at:
        await at.press("b", "1", "tab")
        await paste(at, "61900")
        await at.press("enter", "y")
        assert at.sent_sizes() == [] and "the size is still 1 BTC" in at.text()


async def test_a_paste_on_a_choice_field_blocks_the_order_form() -> None:
    async with desk(120, 36) as at:
        await at.press("b", "e", "shift+tab", "shift+tab")
        assert at.scope() is Scope.CHOOSER
        await paste(at, "0.013")
        panel = at.app.main_screen.panel
        assert panel.refused_key and panel.ticket is not None and panel.ticket.qty == "0.001"


async def test_a_figure_pasted_on_a_replace_ticket_is_the_new_total() -> None:
    async with desk(120, 36) as at:
        await at.press("2", "j", "j", "+")
        panel = at.app.main_screen.panel
        assert at.scope() is Scope.PREVIEW and panel.ticket is not None
        await paste(at, "0.7")
        assert panel.ticket.qty == "0.7"


async def test_a_paste_on_a_question_is_no_answer_and_says_so() -> None:
    async with desk(*SMALL) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit")]
        await at.press("b", "enter")
        assert at.scope() is Scope.ASK
        await paste(at, "0.013")
        assert (
            at.events()[-1].endswith("a pasted text is no answer here: type the answer") and len(at.port.intents) == 1
        )


async def test_two_lines_pasted_as_a_command_are_said_to_be_joined() -> None:
    async with desk(*SMALL) as at:
        for text, joined in (("c last\n", False), ("c last\nc last", True)):
            await at.press(":")
            await paste(at, text)
            said = at.flat_text()
            assert ("pasted lines joined: write ; between commands" in said) is joined, said
            await at.press("escape")


async def test_a_paste_too_long_for_the_command_line_blocks_the_line() -> None:
    async with desk(120, 36) as at:
        await enter(at, "long 0.01 BTC take")
        await paste(at, " " + "1" * 250)
        assert any("the line would have more than 200 characters" in text for text in at.events())
        await at.press("enter", "y")
        assert at.port.intents == [] and not at.app.main_screen.panel.open


@pytest.mark.parametrize("keys", [(), ("3", "%")])
async def test_a_paste_where_no_text_field_is_open_is_ignored_and_said(keys: tuple[str, ...]) -> None:
    """On a list, and where the share of a position is asked."""
    async with desk(120, 36) as at:
        await at.press(*keys)
        await paste(at, "50")
        assert any("the pasted text was ignored: open a field first" in text for text in at.events())
        assert at.port.intents == [] and not at.app.main_screen.panel.open


@pytest.mark.parametrize("pane", ["1", "2", "3"])
@pytest.mark.parametrize("text", ["  f", " hello  f", "close 50 % here"])
async def test_a_paste_where_no_field_is_open_does_nothing(pane: str, text: str) -> None:
    async with desk(120, 36) as at:
        await at.press(pane, "g", "g")
        table = at.app.main_screen.table
        await paste(at, text)
        assert table is not None and at.app.main_screen.table is table and table.mark_count == 0
        assert at.events()[-1] == "the pasted text was ignored: open a field first"
        assert not at.app.main_screen.panel.open and at.port.intents == []


@pytest.mark.parametrize("pane", ["1", "2", "3"])
async def test_spaces_of_a_text_pasted_as_keys_mark_no_rows(pane: str) -> None:
    """From a terminal that does not tell a paste from keys: a later `f` acted on the rows that its spaces had marked."""
    async with desk(120, 36) as at:
        await at.press(pane, "g", "g")
        table = at.app.main_screen.tables[at.scope().value]
        await at.burst("space", "space", "z")
        assert table.mark_count == 0
        await at.press("space", "space")
        assert table.mark_count == 2, "pressed one by one they mark"
