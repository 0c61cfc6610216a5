"""Every task of a trader in plain mode, in a terminal and through a pipe, against the real paper venue."""

from __future__ import annotations

import pytest

from tests.journeys.plain.conftest import Start
from tests.journeys.plain.scripts import SCRIPTS
from tests.journeys.tasks import TASKS, Task


def test_every_task_has_a_script() -> None:
    assert [task.id for task in TASKS] == list(SCRIPTS) and len(TASKS) == 20


@pytest.mark.parametrize("via", ["pty", "pipe"])
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_each_journey_task_works_in_plain_mode(start: Start, via: str, task: Task) -> None:
    desk = start(via)
    desk.begin()
    SCRIPTS[task.id](desk)
    assert desk.controls() == []
