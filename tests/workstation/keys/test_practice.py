"""The list of what can go wrong at the own paper venue: what it sets, and that it is nowhere else."""

from __future__ import annotations

import pytest

from tests.workstation.driver import desk
from tui.cli.fault_practice import FAULTS, build_practices
from tui.venue.core.market.symbols import REFERENCE_PRICES
from tui.venue.shell.switches import ALL_SPECS, split_settings
from tui.workstation.commands.launcher_services import Practice
from tui.workstation.features.practice.practice_list import PracticeFaults
from tui.workstation.input.scopes import Scope


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_paper_venue_accepts_every_practice_fault_and_its_reset(fault) -> None:  # type: ignore[no-untyped-def]
    first = {spec.name: spec.values[0] for spec in ALL_SPECS}
    sound = fault.states[0][1]
    assert sound == {name: first[name] for name in sound}
    for _, settings in fault.states:
        assert settings.keys() <= sound.keys()
        split_settings(list(settings.items()))


def test_a_practice_fault_is_set_and_reset_from_its_line() -> None:
    put: list[tuple[str, str]] = []
    book = PracticeFaults(build_practices(lambda name, value: put.append((name, value)), lambda *_: None))
    answers = next(at for at, line in enumerate(book.lines) if line.name == "answers to orders")
    assert book.next(answers) == "answers to orders: lost after they were carried out · next: late by 4 s"
    assert put == [("lose_reply", "on"), ("reply_delay", "off")]
    book.next(answers)
    assert dict(put) == {"lose_reply": "off", "reply_delay": "*:1:4000"}
    assert book.next(answers) == "answers to orders: arrive · next: lost after they were carried out"
    assert dict(put) == {"lose_reply": "off", "reply_delay": "off"}


def test_practice_moves_all_prices_by_a_percent_and_back() -> None:
    moved: list[tuple[str, str]] = []
    book = PracticeFaults(build_practices(lambda *_: None, lambda coin, share: moved.append((coin, share))))
    line = next(at for at, one in enumerate(book.lines) if one.name == "all prices")
    assert book.next(line) == "all prices: falls by 2 % · next: falls by 10 % more"
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
        await at.press("escape")
        assert at.scope() is Scope.QUOTES and at.port.intents == []
        assert [text for text in at.events() if text.startswith("practice")] == [
            "practice: a1: bad · next: sound", "practice: b2: bad · next: sound", "practice: 2 faults ended",
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
