"""The first start of a new home in a terminal: the welcome, look only, and what the next start shows."""

from __future__ import annotations

from collections.abc import Callable

from tests.terminal.terminal import Terminal

Start = Callable[..., Terminal]


def test_the_welcome_choice_look_only_lasts_until_the_next_start(start: Start) -> None:
    desk = start(columns=80, lines=24)
    desk.see("▸ Practise on paper")
    desk.see("In sync with the venue")
    desk.press("j", "j", "enter")
    desk.gone("Welcome to crossdesk")
    desk.see("READ-ONLY")
    desk.press("a")
    desk.see("look only was chosen")
    assert not any("ARMED" in line for line in desk.display)
    desk.press("ctrl+q")
    desk.wait()
    again = start(columns=80, lines=24, home=desk.home)
    again.see("Welcome to crossdesk")
    again.press("n")
    again.gone("Welcome to crossdesk")
    again.in_step()
    again.press("a")
    again.see("ARMED")
    again.press("ctrl+q")
    again.wait()
    third = start(columns=80, lines=24, home=desk.home)
    third.see("In sync with the venue")
    assert not any("Welcome" in line for line in third.display)


def test_welcome_is_not_shown_with_options_or_a_second_desk(start: Start) -> None:
    first = start("--seed", "7", columns=80, lines=24)
    first.see("In sync with the venue")
    second = start(columns=80, lines=24, home=first.home)
    second.see("no open orders")
    first.see("1 more attached")
    for desk in (first, second):
        assert not any("Welcome" in line for line in desk.display)
