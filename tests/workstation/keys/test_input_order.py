"""Keys of one read mean what they mean one by one: each is looked at when the one before has had its effect."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

import pytest
from textual import events

from tests.workstation.driver import Desk, desk
from tui.workstation.input.scopes import Scope
from tui.workstation.tickets.fields import NumberField


def what_stands(at: Desk) -> dict[str, object]:
    """What decides the meaning of the next key, and what a sent order would be."""
    main_screen = at.app.main_screen
    panel, focused = main_screen.panel, at.app.focused
    fields = [panel.size_field, panel.price_field, panel.rest_field, panel.profit_field, panel.stop_field]
    ticket = panel.ticket if panel.open else None
    figures = (ticket.side, ticket.qty, ticket.price, ticket.profit, ticket.stop, ticket.tif) if ticket else None
    return {
        "scope": at.scope(),
        "focus": focused.id if focused is not None else None,
        "fields": [field.value for field in fields],
        "ticket": figures,
        "said": at.events()[-5:],
        "sent": len(at.port.intents),
    }


async def test_in_one_burst_text_after_tabs_goes_to_the_tabbed_field() -> None:
    async with desk() as at:
        await at.press("enter", "b")
        panel = at.app.main_screen.panel
        at.app.main_screen.set_focus(panel.size_field)
        await at.burst("tab", "tab", "2", "r", "tab", "1", "%")
        assert panel.stop_field.has_focus
        assert (panel.profit_field.value, panel.stop_field.value) == ("2r", "1%")
        ticket = panel.ticket
        assert ticket is not None and (ticket.profit, ticket.stop) == ("2r", "1%")


async def test_in_one_burst_digits_before_tabs_stay_in_the_size_field() -> None:
    async with desk() as at:
        await at.press("enter", "b")
        panel = at.app.main_screen.panel
        at.app.main_screen.set_focus(panel.size_field)
        await at.burst("2", "tab", "tab", "tab", "1", "%")
        assert panel.size_field.value == "2" and panel.profit_field.value == "" and panel.stop_field.value == "1%"
        assert panel.ticket is not None and (panel.ticket.qty, panel.ticket.stop) == ("2", "1%")


async def test_digits_after_the_key_that_opens_a_ticket_are_its_size() -> None:
    async with desk() as at:
        await at.burst("b", "2", "5", "enter", "p")
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.qty == "25" and at.scope() is Scope.PREVIEW
        assert at.app.main_screen.panel.size_field.value == "25"


async def test_keys_in_a_burst_after_one_that_asks_go_to_the_question() -> None:
    """The word typed behind the key that asks for it goes to the question, and what is behind it too."""
    async with desk() as at:
        await at.press("b")
        await at.burst("2", "enter", "ctrl+t")
        assert at.scope() in (Scope.PROMPT, Scope.WORD)
        await at.press("escape", "escape")
        assert at.scope() is Scope.QUOTES
        await at.burst("F", *"flat", "backspace")
        assert at.scope() is Scope.WORD and "fla_" in at.text() and at.port.intents == []


async def test_a_burst_of_3000_keys_is_cut_with_a_message() -> None:
    """Ten thousand raw keys would keep the keyboard for half a minute."""
    async with desk() as at:
        await at.press("b")
        await at.burst(*["1"] * 3000, "enter", "enter", "y")
        await at.wait(lambda: any("too many keys at once: the last" in text for text in at.events()))
        assert at.app.input_order.waiting == 0 and at.port.intents == []
        await at.press("escape", "escape")
        assert at.scope() is Scope.QUOTES, "the next key is looked at"


async def test_keys_in_a_burst_after_esc_act_where_esc_returned_to() -> None:
    async with desk() as at:
        await at.press("b", "2")
        await at.burst("3", "escape", "p", "escape", "j")
        assert not at.app.main_screen.panel.open and at.scope() is Scope.QUOTES
        await at.press("?")
        await at.burst("escape", "/", "o", "k", "x", "backspace")
        assert at.app.main_screen.filter_field.value == "ok"


async def test_a_ticket_opened_after_a_filter_uses_the_filtered_pair() -> None:
    async with desk() as at:
        await at.burst("/", "s", "o", "l", "enter", "b")
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and ticket.sym == "BINANCE_PERP_SOL_USDT"


async def test_digits_after_a_paste_and_tabs_go_to_the_next_field() -> None:
    async with desk() as at:
        await at.press("enter", "b")
        panel = at.app.main_screen.panel
        at.app.main_screen.set_focus(panel.size_field)
        at.paste("0.5")
        await at.burst("tab", "tab", "7", "r")
        assert (panel.size_field.value, panel.profit_field.value) == ("0.5", "7r")


async def test_letters_after_the_palette_key_go_to_the_palette_search() -> None:
    async with desk() as at:
        await at.burst("ctrl+p", *"riskk", "backspace", "enter")
        assert at.scope() is Scope.RISK


def swallow(patch: pytest.MonkeyPatch, field: NumberField) -> None:
    """A field out of whose queue a pass never comes back."""
    goes_on = field.call_later

    def call_later(callback: Callable[..., object], *given: object) -> bool:
        return callback.__name__ == "_go_on" or goes_on(callback, *given)

    patch.setattr(field, "call_later", call_later)


class TestStuck:
    """A receiver that does not come back holds up nothing but what would have been misread."""

    async def test_the_kill_key_overtakes_queued_keys_and_discards_them(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async with desk() as at:
            await at.press("b", "2")
            field = at.app.main_screen.panel.size_field
            swallow(monkeypatch, field)
            at.send("3", after=0.1)
            at.send("enter", after=0.2)
            at.send("enter", after=0.3)
            at.send("ctrl+g", after=0.4)
            await at.wait(lambda: at.scope() is Scope.KILL)
            assert at.port.intents == [] and any("2 keys pressed too soon" in text for text in at.events())

    async def test_a_kill_key_within_a_burst_does_not_skip_the_queue(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async with desk() as at:
            await at.press("b", "2")
            swallow(monkeypatch, at.app.main_screen.panel.size_field)
            await at.burst("3", "ctrl+g", "4")
            assert at.scope() is Scope.FIELD
            assert any("2 keys pressed too soon" in text for text in at.events())

    async def test_keys_work_again_after_a_stuck_key_timed_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async with desk() as at:
            await at.press("b", "2")
            with monkeypatch.context() as patch:
                swallow(patch, at.app.main_screen.panel.size_field)
                await at.press("3")
            await at.press("enter")
            assert at.sent_sizes() == ["23"]

    async def test_a_screen_closed_while_it_handles_a_key_blocks_no_key(self) -> None:
        async with desk() as at:
            await at.press("?")
            page = at.app.screen
            at.send("down", after=0.1)
            page.dismiss(None)
            await at.burst("b", "2")
            assert at.app.main_screen.panel.open


KEYS = (*"12350.%rptTJ+-", "enter", "tab", "tab", "tab", "shift+tab", "backspace", "left", "right")
A_READ = 6
"""Keys of one read; from eight on a burst is refused as no hand's."""


@pytest.mark.parametrize("seed", [*range(5), *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(5, 24))])
async def test_random_keys_act_the_same_read_together_or_singly(seed: int) -> None:
    """Their times are those of one read in both, so that the guards against bursts say the same."""
    draw = random.Random(seed)
    reads = [[draw.choice(KEYS) for _ in range(A_READ)] for _ in range(6)]
    ends = []
    for together in (True, False):
        async with desk() as at:
            await at.press("enter")
            for read in reads:
                await at.read(read, together=together)
            ends.append(what_stands(at))
    assert ends[0] == ends[1], reads


async def test_terminal_input_is_queued_without_an_extra_task() -> None:
    async with desk() as at:
        before, driver = asyncio.all_tasks(), at.app.driver_class(at.app)
        for key in "?", "b":
            driver.process_message(events.Key(key, key))
        assert asyncio.all_tasks() == before and at.app.message_queue_size >= 2
