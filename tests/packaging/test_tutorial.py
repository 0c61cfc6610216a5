"""The tutorial of the README works as it is written."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.packaging import tutorial
from tests.packaging.__main__ import ARTIFACT
from tests.terminal.terminal import Terminal


def test_the_steps_press_the_keys_that_the_readme_names() -> None:
    assert {step.number: step.keys for step in tutorial.STEPS} == tutorial.written_keys()


@pytest.mark.timeout(180)
def test_every_step_of_the_readme_works_in_a_small_terminal(start: Callable[..., Terminal]) -> None:
    desk = start(columns=80, lines=24, daily_ask=True, environment={"COLORTERM": ""})
    assert tutorial.play(desk) == list(range(1, 11))


def test_every_way_to_install_has_played_the_tutorial() -> None:
    """As `python -m tests.packaging --publish` found it."""
    told = json.loads(ARTIFACT.read_text())
    assert [way["way"] for way in told["ways"]] == ["wheel, pip", "uv tool install", "one file", "container"]
    for way in told["ways"]:
        assert (way["steps"], way["true colours"], way["raw control bytes"]) == (10, 0, 0), way
