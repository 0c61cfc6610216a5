"""The list of what can go wrong at the own paper venue: what it sets, and that it is nowhere else."""

from __future__ import annotations

import pytest

from tests.workstation.driver import Desk, desk
from tui.cli.fault_practice import FAULTS, NO_ORDER_QUERIES, build_practices
from tui.engine.event_line import Level
from tui.venue.core.market.symbols import REFERENCE_PRICES
from tui.venue.shell.switches import ALL_SPECS, split_settings
from tui.workstation.commands.launcher_services import Practice
from tui.workstation.features.practice.practice_list import PracticeFaults
from tui.workstation.input.scopes import Scope


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_every_practice_fault_has_valid_settings_and_a_reset(fault) -> None:  # type: ignore[no-untyped-def]
    first = {spec.name: spec.values[0] for spec in ALL_SPECS}
    put: dict[str, str] = {}
    practices = build_practices(put.__setitem__, lambda *_: None)
    line = next(line for line in practices if line.name == fault.name)
    for number, (_, settings) in enumerate(fault.states):
        split_settings(list(settings.items()))
        line.turn(number)
        assert settings.items() <= put.items()
        line.turn(0)
        assert put == {name: first[name] for name in put}


def test_ending_a_practice_fault_spares_another_on_its_switch() -> None:
    put: dict[str, str] = {}
    answers, pushes = build_practices(put.__setitem__, lambda *_: None)[1:3]
    pushes.turn(1)
    answers.turn(3)
    assert put["push_fault"] == "drop:Orders:1"
    answers.turn(0)
    assert put["push_fault"] == "drop:Orders:0.5", "the fault of the other line goes on"
    pushes.turn(0)
    assert set(put.values()) == {"off"}


def test_a_practice_fault_is_cycled_through_its_states_and_reset() -> None:
    put: list[tuple[str, str]] = []
    book = PracticeFaults(build_practices(lambda name, value: put.append((name, value)), lambda *_: None))
    answers = next(at for at, line in enumerate(book.lines) if line.name == "answers to orders")
    assert book.next(answers) == "answers to orders: lost after they were carried out · next: late by 4 s"
    lost = {"lose_reply": "on", "reply_delay": "off", "push_fault": "off", "rest_fault": "off"}
    assert dict(put) == lost
    book.next(answers)
    assert dict(put) == lost | {"lose_reply": "off", "reply_delay": "*:1:4000"}
    assert book.next(answers) == "answers to orders: lost, and nothing tells of it · next: arrive"
    assert dict(put) == lost | {"push_fault": "drop:Orders:1", "rest_fault": NO_ORDER_QUERIES}
    assert book.next(answers) == "answers to orders: arrive · next: lost after they were carried out"
    assert set(dict(put).values()) == {"off"}
    assert book.previous(answers) == "answers to orders: lost, and nothing tells of it · before: late by 4 s"
    assert dict(put) == lost | {"push_fault": "drop:Orders:1", "rest_fault": NO_ORDER_QUERIES}


def test_practice_moves_all_prices_by_a_percent_and_back() -> None:
    moved: list[tuple[str, str]] = []
    book = PracticeFaults(build_practices(lambda *_: None, lambda coin, share: moved.append((coin, share))))
    line = next(at for at, one in enumerate(book.lines) if one.name == "all prices")
    assert book.next(line) == "all prices: fell by 2 % · next: fell by 10 % more"
    assert moved == [(coin, "-2%") for coin in REFERENCE_PRICES]
    assert book.stop_all() == 1
    assert len(moved) == len(REFERENCE_PRICES)


@pytest.mark.drawn
async def test_practice_faults_are_switched_and_ended_by_keys() -> None:
    turned: list[tuple[str, int]] = []
    lines = [Practice(name, ("sound", "bad"), lambda at, name=name: turned.append((name, at))) for name in ("a1", "b2")]  # type: ignore[misc]
    async with desk(80, 24, practices=lines) as at:
        await at.press("f6")
        assert at.scope() is Scope.PRACTICE and "▸○ a1" in at.text()
        await at.press("space", "j", "enter", "j")
        assert turned == [("a1", 1), ("b2", 1)] and "▸● b2" in at.text()
        assert "PRACTICE 2" in at.text().split("\n")[0], "a desk on a broken venue does not look like a sound one"
        await at.press("b", "r")
        assert turned[2:] == [("a1", 0), ("b2", 0)]
        assert "PRACTICE" not in at.text().split("\n")[0]
        await at.press("backspace", "left")
        assert turned[4:] == [("b2", 1), ("b2", 0)], "the list of two states goes round"
        await at.press("escape")
        assert at.scope() is Scope.QUOTES and at.port.intents == []
        assert [text for text in at.events() if text.startswith("practice")] == [
            "practice: a1: bad · next: sound", "practice: b2: bad · next: sound", "practice: 2 faults ended",
            "practice: b2: bad · before: sound", "practice: b2: sound · before: bad",
        ]  # fmt: skip


async def test_practice_faults_only_work_on_the_own_paper_venue() -> None:
    async with desk() as at:
        await at.press("f6")
        assert at.scope() is Scope.QUOTES
        assert at.events()[-1] == "practice: only on the paper venue that this workstation started"


async def test_header_names_the_practice_fault_that_is_on() -> None:
    lines = [Practice("answers to orders", ("arrive", "lost"), lambda _: None)]
    async with desk(120, 36, practices=lines) as at:
        await at.press("f6", "space", "escape")
        assert "PRACTICE: answers to orders" in at.text().split("\n")[0]


async def open_place(at: Desk, place: str) -> None:
    keys = {
        "size": ("b", "5"),
        "filter": ("1", "/"),
        "line": ("1", ":"),
        "form": ("3", "p"),
        "question": ("ctrl+q",),
        "palette": ("ctrl+p",),
    }
    await at.press(*keys[place])


@pytest.mark.parametrize("place", ["size", "filter"])
async def test_f6_opens_the_practice_from_a_text_field(place: str) -> None:
    """It was silent, and a trader in the size field took it for broken."""
    practices = build_practices(lambda *_: None, lambda *_: None)
    async with desk(practices=practices) as at:
        await open_place(at, place)
        await at.press("f6")
        assert at.scope() is Scope.PRACTICE
        await at.press("escape")
        assert at.scope() is (Scope.FIELD if place == "size" else Scope.FILTER)
        if place == "size":
            assert at.ticket().qty == "5" and at.port.intents == []


@pytest.mark.parametrize(
    ("place", "where"),
    [
        ("line", "on the command line"),
        ("form", "in a form"),
        ("question", "in a question"),
        ("palette", "in this box"),
    ],
)
async def test_f6_says_why_it_does_nothing_in_other_boxes(place: str, where: str) -> None:
    practices = build_practices(lambda *_: None, lambda *_: None)
    async with desk(practices=practices) as at:
        await open_place(at, place)
        before = at.scope()
        await at.press("f6")
        assert at.scope() is before and f"F6 does not work {where}: Esc goes back first" in at.text()


@pytest.mark.parametrize("page", ["!", "?"])
async def test_f6_opens_the_practice_list_over_a_page_of_text(page: str) -> None:
    lines = [Practice("answers to orders", ("arrive", "lost"), lambda _: None)]
    async with desk(80, 24, practices=lines) as at:
        at.port.event("kill: 1 order is not known to be cancelled", Level.ALERT, sticky=True)
        await at.settle()
        await at.press(page)
        assert at.scope() is Scope.HELP
        await at.press("f6")
        assert at.scope() is Scope.PRACTICE and "▸○ answers to orders" in at.text()
        await at.press("space", "r")
        assert at.events()[-1] == "practice: 1 fault ended"
        await at.press("f6")
        assert at.scope() is Scope.HELP, "the page is still there"
        await at.press("escape")
        assert at.scope() is Scope.QUOTES


@pytest.mark.parametrize("page", ["!", "?"])
async def test_f6_on_a_page_says_that_practice_is_for_the_paper_venue(page: str) -> None:
    async with desk() as at:
        at.port.event("kill: 1 order is not known to be cancelled", Level.ALERT, sticky=True)
        await at.settle()
        await at.press(page, "f6")
        assert at.events()[-1] == "practice: only on the paper venue that this workstation started"


async def test_each_line_of_keys_that_names_r_for_practice_takes_it() -> None:
    """Every place on the desk whose line of keys names it ends all faults by it."""
    lines = [Practice("answers to orders", ("arrive", "lost"), lambda _: None)]
    async with desk(160, 45, practices=lines) as at:
        for keys in (("1",), ("2",), ("3",), ("4",), ("?",), ("f6",)):
            await at.press(*keys)
            named = "r heal all" in at.text().split("\n")[-1]
            assert named is (at.scope() is Scope.PRACTICE), keys
            await at.press("escape")


async def test_f6_in_another_window_names_the_one_where_it_works() -> None:
    """The list opened there, and switched on faults that never came."""
    lines = [Practice("answers to orders", ("arrive", "lost"), lambda _: None)]
    async with desk(practices=lines) as at:
        at.port.set_desk(own_name="desk 2")
        await at.settle()
        await at.press("f6")
        assert "practice works in the window that was started first" in at.events()[-1]
        at.port.set_desk(own_name="")
        await at.settle()
        await at.press("f6")
        assert at.scope() is Scope.PRACTICE, "it has taken over the venue"
