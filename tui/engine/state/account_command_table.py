"""The account commands of this session, and those of earlier ones that are not settled."""

from __future__ import annotations

import msgspec

from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.rows import AccountCommandRow, CommandState, Table

MOST_ENDED = 200
"""Ended commands that stay on the screen."""


class OpenCommand(msgspec.Struct):
    """A command that is not settled."""

    row: AccountCommandRow
    since: float
    """Monotonic time of its present state, s."""
    asked: float = float("-inf")
    """When the service was last asked about it, monotonic s."""
    not_found: int = 0
    """How often it was not found once its call could not arrive any more."""
    unread: str = ""
    """Why it could not be asked about last, or empty."""


class AccountCommandTable:
    """Commands by id. A command ends once and then never changes.

    Attributes:
        open: Those that are not settled.
    """

    def __init__(self, updates: ConflatingQueue) -> None:
        self.open: dict[str, OpenCommand] = {}
        self._ended: dict[str, None] = {}
        self._updates = updates

    def add(self, row: AccountCommandRow, now: float) -> OpenCommand:
        """Take up a command that is not settled; `now`: monotonic, s."""
        found = self.open[row.id] = OpenCommand(row, now)
        self._updates.put(Table.COMMANDS, row.id, row)
        return found

    def enter(
        self, command: OpenCommand, state: CommandState, now: float, server_ms: int,
        *, text: str = "", proven_from: float | None = None,
    ) -> None:  # fmt: skip
        """Put a command into another state; one that has ended is not open any more."""
        row = command.row
        if self.open.get(row.id) is not command:
            return
        command.since = now
        until = row.proven_from if proven_from is None else proven_from
        command.row = msgspec.structs.replace(row, state=state, text=text, changed_ms=server_ms, proven_from=until)
        self._updates.put(Table.COMMANDS, row.id, command.row)
        if not state.is_open:
            del self.open[row.id]
            self._forget_oldest(row.id)

    def same(self, endpoint: str, args: tuple[tuple[str, str], ...]) -> OpenCommand | None:
        """An open command that asks for the same."""
        return next((one for one in self.open.values() if (one.row.endpoint, one.row.args) == (endpoint, args)), None)

    def _forget_oldest(self, ended: str) -> None:
        self._ended[ended] = None
        if len(self._ended) > MOST_ENDED:
            oldest = next(iter(self._ended))
            del self._ended[oldest]
            self._updates.put(Table.COMMANDS, oldest, None)
