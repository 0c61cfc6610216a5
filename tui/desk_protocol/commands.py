"""Commands of peers by the id that their sender made: each is carried out once, and can be asked about."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

from tui.desk_protocol.messages import LONGEST_COMMAND_S, CommandStatus, ProtocolError
from tui.engine.intents import Outcome
from tui.protocols import Clock

MOST_COMMANDS = 10_000
"""Most commands of a sender that are remembered; the oldest are forgotten first, once they are old enough."""
KEPT_S = 2 * LONGEST_COMMAND_S
"""Time for which every command is remembered: none can still arrive a second time, and nobody asks for it any more, s."""
MOST_SENDERS = 1_000
"""Most senders that are remembered, unless all have sent something lately."""


class _Command(NamedTuple):
    task: asyncio.Task[Outcome]
    until: float
    """Monotonic time until which it must be remembered, s."""


class CommandLog:
    """Commands received in this run of the engine, with their outcomes; earlier runs' commands are in the journal."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._senders: OrderedDict[str, OrderedDict[str, _Command]] = OrderedDict()

    async def run(self, sender: str, command: str, work: Callable[[], Coroutine[Any, Any, Outcome]]) -> Outcome:
        """Execute a command and keep its outcome for later questions; it continues when its sender disconnects.

        Raises:
            ProtocolError: The sender sent too many commands to remember; nothing was done.
        """
        now = self._clock.mono()
        commands = self._senders.setdefault(sender, OrderedDict())
        self._senders.move_to_end(sender)
        if len(commands) >= MOST_COMMANDS:
            oldest = next(iter(commands.values()))
            if oldest.until > now or not oldest.task.done():
                raise ProtocolError(f"{MOST_COMMANDS} commands within {KEPT_S:g} s are too many; wait")
            commands.popitem(last=False)
        task = asyncio.ensure_future(work())
        commands[command] = _Command(task, now + KEPT_S)
        self._forget_senders(now)
        return await asyncio.shield(task)

    def _forget_senders(self, now: float) -> None:
        while len(self._senders) > MOST_SENDERS:
            newest = next(reversed(next(iter(self._senders.values())).values()))
            if newest.until > now or not newest.task.done():
                return
            self._senders.popitem(last=False)

    def _find(self, sender: str, command: str) -> _Command | None:
        commands = self._senders.get(sender)
        return None if commands is None else commands.get(command)

    async def repeat(self, sender: str, command: str) -> Outcome | None:
        """Return the outcome of a command received before, waiting for it; None if it was not received in this run."""
        known = self._find(sender, command)
        return None if known is None else await asyncio.shield(known.task)

    def ask(self, sender: str, command: str) -> CommandStatus:
        """Return whether a command was received in this run, and its outcome if it has ended."""
        known = self._find(sender, command)
        if known is None:
            return CommandStatus(known=False)
        done = known.task.done() and not known.task.cancelled()
        return CommandStatus(known=True, outcome=known.task.result() if done else None)
