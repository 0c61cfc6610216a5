"""Commands of peers by the id that their sender made: each is carried out once, and can be asked about."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Coroutine
from typing import Any

from tui.desk_protocol.messages import Asked
from tui.engine.intents import Outcome

MOST_COMMANDS = 10_000
"""Most commands that are remembered; the oldest are forgotten first, long after they have expired."""


class CommandLog:
    """Log of the commands of one run of the engine."""

    def __init__(self) -> None:
        self._commands: OrderedDict[str, asyncio.Task[Outcome]] = OrderedDict()

    async def run(self, key: str, work: Coroutine[Any, Any, Outcome]) -> Outcome:
        """Carry a command out, and remember what became of it; it goes on if its sender is gone."""
        task = self._commands[key] = asyncio.ensure_future(work)
        if len(self._commands) > MOST_COMMANDS:
            self._commands.popitem(last=False)
        return await asyncio.shield(task)

    async def repeat(self, key: str) -> Outcome | None:
        """Return what becomes of a command that was seen before; None: it was not."""
        task = self._commands.get(key)
        return None if task is None else await asyncio.shield(task)

    def ask(self, key: str) -> Asked:
        """Tell what is known of a command."""
        task = self._commands.get(key)
        if task is None:
            return Asked(known=False)
        return Asked(known=True, outcome=task.result() if task.done() and not task.cancelled() else None)
