"""A periodic read that fails is reported once, and so is its first success afterwards."""

from __future__ import annotations

import asyncio

from tests.engine.conftest import StateRig
from tui.client.rest import CallFailed
from tui.engine.event_line import Level
from tui.engine.life.task_supervisor import TaskSupervisor
from tui.interface.errors import ErrorClass


async def _run(tasks: TaskSupervisor, failure: CallFailed | None) -> None:
    started = asyncio.Event()

    async def read() -> None:
        started.set()
        if failure is not None:
            raise failure

    assert tasks.spawn("order audit", read())
    await started.wait()
    await tasks.end()


async def test_a_failing_list_read_and_its_recovery_are_reported_once(bare: StateRig) -> None:
    tasks = TaskSupervisor(bare.state, lambda: None)
    lost = CallFailed(ErrorClass.UNSURE, "HTTP 502")
    for failure in (None, lost, lost, None, None):
        await _run(tasks, failure)
    assert [(event.level, event.text) for event in bare.screen.look().events] == [
        (Level.WARN, "order audit: HTTP 502; older data is shown"), (Level.INFO, "order audit: works again"),
    ]  # fmt: skip
    assert tasks.read_error == ""
