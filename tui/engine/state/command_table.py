"""Table of open REST commands, of this and earlier sessions, and their rows on the screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec

from tui.engine.conflating_queue import TableSink
from tui.engine.doer_names import BY
from tui.engine.intents import (
    AccountCommand,
    CommandIntent,
    SetLeverage,
    SetMarginLeverage,
    SetPositionMode,
    SettingIntent,
)
from tui.engine.rows import AccountCommandRow, CommandState, SettingChange, Table
from tui.interface.families.positions import name_mode
from tui.interface.symbols import pair_name

MOST_ENDED = 200
"""Most ended account commands kept on the screen."""

I = TypeVar("I", bound=CommandIntent)  # noqa: E741


class OpenCommand(msgspec.Struct, Generic[I], kw_only=True):
    """REST command whose outcome is still open."""

    key: str
    """Key of its journal entries: an id of its own, the setting, or the row of the algo order."""
    intent: I
    state: CommandState
    since: float
    """Monotonic time of its present state, s."""
    proven_from: float
    """Monotonic time from which on a read without it proves that it was not carried out, s."""
    sent_ms: int = 0
    changed_ms: int = 0
    """Server time of its present state."""
    title: str = ""
    """Description at the time of sending; empty: of an earlier session."""
    text: str = ""
    """Details beyond the state: a refusal, an amount received."""
    asked: float = float("-inf")
    """Monotonic time of the last query, s."""
    not_found: int = 0
    """Number of not-found answers after its call expired."""
    unread: str = ""
    """Why the last query failed, or empty."""
    algo_order_id: str = ""
    """Id of the algo order that it changes or cancels."""

    @property
    def is_lost(self) -> bool:
        return self.state is CommandState.UNKNOWN


AnyCommand = OpenCommand[Any]


class CommandTable:
    """REST commands by key; a command ends once and never changes afterwards.

    Attributes:
        open: Unsettled commands.
        asked_modes: By venue, the command that has asked for another position mode.
    """

    def __init__(
        self,
        updates: TableSink,
        now: Callable[[], float],
        server_ms: Callable[[], int],
        draw_algo: Callable[[AnyCommand], None],
    ) -> None:
        """Initialize an empty table.

        Args:
            updates: Queue for the rows.
            now: Monotonic time, s.
            server_ms: Time of the service, ms.
            draw_algo: Shows a command on the row of its algo order.
        """
        self.open: dict[str, AnyCommand] = {}
        self.asked_modes: dict[str, SetPositionMode] = {}
        self._ended: dict[str, None] = {}
        self._updates = updates
        self._now = now
        self._server_ms = server_ms
        self._draw_algo = draw_algo

    def add(self, command: AnyCommand) -> None:
        """Add an open command."""
        self.open[command.key] = command
        if isinstance(command.intent, SetPositionMode):
            self.asked_modes[command.intent.exchange] = command.intent
        self._draw(command)

    def enter(
        self, command: AnyCommand, state: CommandState, text: str = "", *, proven_from: float | None = None
    ) -> None:
        """Change the state of a command; one that reached a final state is removed from the open commands."""
        if self.open.get(command.key) is not command:
            return
        command.state, command.text = state, text
        command.since, command.changed_ms = self._now(), self._server_ms()
        command.proven_from = command.proven_from if proven_from is None else proven_from
        if not state.is_open:
            del self.open[command.key]
            if isinstance(command.intent, SetPositionMode) and state is not CommandState.DONE:
                self.asked_modes.pop(command.intent.exchange, None)
        self._draw(command)

    def _draw(self, command: AnyCommand) -> None:
        key, intent = command.key, command.intent
        if isinstance(intent, AccountCommand):
            self._updates.put(Table.COMMANDS, key, command_row(command))
            if not command.state.is_open:
                self._forget_oldest(key)
        elif isinstance(intent, SettingIntent):
            row = SettingChange(
                before=intent.before, wanted=intent.wanted, state=command.state, proven_from=command.proven_from
            )
            self._updates.put(Table.SETTINGS, key, row if command.state.is_open else None)
        else:
            self._draw_algo(command)

    def _forget_oldest(self, ended: str) -> None:
        self._ended[ended] = None
        if len(self._ended) > MOST_ENDED:
            oldest = next(iter(self._ended))
            del self._ended[oldest]
            self._updates.put(Table.COMMANDS, oldest, None)


def command_row(command: OpenCommand[AccountCommand]) -> AccountCommandRow:
    """Build the screen row of an account command."""
    intent = command.intent
    return AccountCommandRow(
        id=command.key, endpoint=intent.endpoint, title=intent.title, args=intent.args, state=command.state,
        text=command.text, sent_ms=command.sent_ms, changed_ms=command.changed_ms, proven_from=command.proven_from,
    )  # fmt: skip


def setting_name(intent: SettingIntent) -> str:
    """Return the name of the setting that an intent changes."""
    if isinstance(intent, SetLeverage):
        return f"leverage of {pair_name(intent.sym)}"
    if isinstance(intent, SetMarginLeverage):
        return f"leverage of the {intent.coin} debt on {intent.exchange}"
    return f"position mode of {intent.exchange}"


def name_of(intent: CommandIntent) -> str:
    """Describe a command by its intent; empty for an algo order command, which is shown on the order's row."""
    if isinstance(intent, AccountCommand):
        return intent.title
    return setting_name(intent) if isinstance(intent, SettingIntent) else ""


def describe_doubt(command: AnyCommand) -> str:
    """Describe a command whose outcome is unknown, with the place for the name of who sent it (`BY`)."""
    intent = command.intent
    what = f"{name_mode(intent.before)} → {name_mode(intent.wanted)}" if isinstance(intent, SettingIntent) else "it"
    return f"{command.title}{BY}: UNKNOWN whether {what} was carried out"
