"""The tutorial of the README works as it is written."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.figures import packages
from tests.packaging import tutorial
from tests.terminal.terminal import Terminal


def test_the_tutorial_steps_press_the_keys_the_readme_names() -> None:
    assert {step.number: step.keys for step in tutorial.STEPS} == tutorial.written_keys()


@pytest.mark.timeout(180)
def test_every_step_of_the_readme_works_in_a_small_terminal(start: Callable[..., Terminal]) -> None:
    desk = start(columns=80, lines=24, daily_ask=True, environment={"COLORTERM": ""})
    assert tutorial.play(desk) == list(range(1, 11))


def test_each_installation_was_recorded_playing_the_tutorial() -> None:
    """As `python -m tests.packaging --publish` found it."""
    told = packages.read()
    assert [way["way"] for way in told["ways"]] == list(packages.GOALS)
    for way in told["ways"]:
        assert (way["steps"], way["true colours"], way["raw control bytes"]) == (10, 0, 0), way


@pytest.mark.parametrize(("seconds", "told"), [(1.4, "1.4 (goal 1.4)"), (1.41, "1.41 (goal 1.4, not reached)")])
def test_the_install_table_marks_a_start_slower_than_its_goal(seconds: float, told: str) -> None:
    way = {"way": "one file", "steps": 10, "first start s": 3.0, "later start s": seconds}
    found = {"commit": "0123456789", "date": "2026-11-29", "machine": {"python": "3.11.7", "cores": 2}, "ways": [way]}
    table = packages.make_table({**found, "sizes": {".whl": 1_000_000, ".pyz": 2_000_000}})
    assert f"| one file | 10 of 10 | 3 | {told} |" in table and "Commit `0123456`" in table
