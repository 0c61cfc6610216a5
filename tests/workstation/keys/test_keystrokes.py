"""The page of keystrokes is true: keys and line of each task send the same commands."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.keys.keystrokes import PAGE, TASKS, Task, page
from tests.workstation.ladder.ladder import open_ladder, stand
from tui.engine.intents import Intent, Outcome, Verdict
from tui.engine.rows import Table
from tui.workstation.input.scopes import Scope

LEG = "BINANCE_PERP_BTC_USDT/LONG"
NAMES = {"Enter": "enter"}


def show(intent: Intent) -> tuple[object, ...]:
    """Return what a command says to the venue, without where it came from."""
    facts: dict[str, Any] = msgspec.structs.asdict(intent)
    kept = ("sym", "side", "order_type", "qty", "price", "time_in_force", "position_side", "key", "stop_loss")
    return (type(intent).__name__, *(str(facts.get(name, "")) for name in kept))


async def stand_on(at: Desk, pane: str) -> None:
    """Put the cursor on the row that a task is about."""
    fact = at.app.mirror.positions.get(LEG)
    if fact is not None:
        record = msgspec.structs.replace(fact.record, fee="0", funding_fee="0", avg_price="63000")
        at.port.put(Table.POSITIONS, LEG, msgspec.structs.replace(fact, record=record))
    at.port.outcomes = [Outcome(verdict=Verdict.ACCEPTED, key="new")] * 8
    await at.settle()
    match pane:
        case "ladder":
            await open_ladder(at)
        case "orders":
            await at.press("2")
            at.app.main_screen.tables["orders"].select("o3")
            await at.settle()
            at.clock.pass_by(1.0)
        case "positions":
            await at.press("3", "g")
        case _:
            await at.press("1", "g", "j")


async def sent_by_keys(task: Task) -> list[tuple[object, ...]]:
    async with desk(120, 36) as at:
        await stand_on(at, task.pane)
        for key in task.keys.split():
            if at.scope() in (Scope.PROMPT, Scope.WORD, Scope.PREVIEW):
                at.clock.pass_by(1.0)
                await stand(at)
            await at.press(NAMES.get(key, key))
        await at.settle()
        return [show(intent) for intent in at.port.intents]


async def sent_by_line(task: Task) -> list[tuple[object, ...]]:
    async with desk(120, 36) as at:
        await stand_on(at, task.pane)
        await at.press(":", *task.line)
        await at.settle()
        await stand(at)
        await at.press("enter")
        await at.settle()
        if at.scope() in (Scope.PROMPT, Scope.WORD):
            at.clock.pass_by(1.0)
            await at.press(*("flat", "enter") if at.scope() is Scope.WORD else ("y",))
            if at.scope() is Scope.WORD:
                await at.press("enter")
            await at.settle()
        return [show(intent) for intent in at.port.intents]


@pytest.mark.parametrize("task", [task for task in TASKS if task.keys], ids=lambda task: task.name)
async def test_keys_of_each_documented_task_send_as_its_command_does(task: Task) -> None:
    sent = await sent_by_keys(task)
    assert sent, task.keys
    if task.line and not task.line.startswith("flat all"):
        assert sorted(map(str, await sent_by_line(task))) == sorted(map(str, sent))


@pytest.mark.parametrize("task", [task for task in TASKS if task.line and not task.keys], ids=lambda task: task.name)
async def test_the_command_of_each_documented_task_without_keys_sends(task: Task) -> None:
    assert await sent_by_line(task) or task.line.startswith("c all")


def test_keystrokes_page_is_generated_from_the_list_of_tasks() -> None:
    assert PAGE.text() == page()
    assert len(TASKS) >= 20
