"""A query of an algo order that is still on its way when a cancel asks for the next one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, Mock

from tui.client.rest import CallFailed
from tui.engine.commands.algo_kinds import PlaceAlgoKind
from tui.engine.orders.algo_orders import ALGO_NOT_FOUND
from tui.engine.rows import CommandState
from tui.engine.state.command_table import OpenCommand
from tui.interface.errors import ErrorClass


async def test_a_not_found_reply_is_dated_by_the_time_of_its_query() -> None:
    """Its time is part of a row, which attached windows could not read if it were infinite."""
    command: OpenCommand[Any] = OpenCommand(
        key="a", intent=None, state=CommandState.UNKNOWN, since=0.0, proven_from=1.0, asked=5.0
    )

    async def call(*_: object, **__: object) -> None:
        command.asked = float("-inf")  # a cancel wants the next query at once
        raise CallFailed(ErrorClass.LOOK, "not found", code=ALGO_NOT_FOUND)

    kind = Mock(spec=PlaceAlgoKind)
    kind._rest = SimpleNamespace(call=call)
    kind._state = SimpleNamespace(commands=SimpleNamespace(open={"a": command}))
    kind._table = Mock(rows={})
    kind._judge_not_found = lambda *asked: PlaceAlgoKind._judge_not_found(kind, *asked)
    kind._search_history = AsyncMock()
    await PlaceAlgoKind.read(kind, command, [])
    kind._table.record_not_found.assert_called_once_with("a", 5.0)
