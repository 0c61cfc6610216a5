"""Every task is passed on the full screen by three people, at both sizes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.journeys.screen.__main__ import PAGE, PEOPLE, PLAYED, SIZES, make_page
from tests.journeys.screen.session import person_at
from tests.journeys.tasks import TASKS, Task

FAST, SMALL = "scalper", SIZES[0]


def test_every_journey_user_has_a_script_for_each_task() -> None:
    assert all(list(scripts) == [task.id for task in TASKS] for scripts in PEOPLE.values())


@pytest.mark.timeout(180)
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_a_scalper_completes_each_task_in_a_small_terminal(task: Task, tmp_path: Path) -> None:
    with person_at(*SMALL, tmp_path) as person:
        PEOPLE[FAST][task.id](person)


@pytest.mark.real
@pytest.mark.timeout(180)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", PEOPLE)
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_each_journey_user_completes_each_task(task: Task, name: str, size: tuple[int, int], tmp_path: Path) -> None:
    with person_at(*size, tmp_path) as person:
        PEOPLE[name][task.id](person)


def test_journeys_page_matches_the_played_journeys() -> None:
    """As `python -m tests.journeys.screen --publish` found it."""
    played = {(name, task, columns, lines): keys for name, task, columns, lines, keys in
              json.loads(PLAYED.read_text())["journeys"]}  # fmt: skip
    assert set(played) == {(name, task.id, *size) for name in PEOPLE for task in TASKS for size in SIZES}
    assert min(played.values()) >= 0
    assert PAGE.text() == make_page(), "python -m tests.journeys.screen --publish"
