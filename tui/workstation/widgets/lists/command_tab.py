"""List of the commands sent by this program."""

from __future__ import annotations

from tui.engine.rows import AccountCommandRow, CommandState
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.column_kinds import show_text, show_time
from tui.workstation.table.columns import Cell, Field, Fields, of_row
from tui.workstation.widgets.lists.tab import ListTab, Rows

_ROLES = {
    CommandState.DONE: "good", CommandState.UNKNOWN: "unknown", CommandState.RUNNING: "pending",
    CommandState.SENDING: "pending", CommandState.FAILED: "alert",
}  # fmt: skip


def _state(row: AccountCommandRow) -> Cell:
    return row.state.value, _ROLES.get(row.state, "warn")


_COMMAND_FIELDS: Fields[AccountCommandRow] = {
    "sent": show_time(lambda row: row.sent_ms, hide=1),
    "command": show_text(lambda row: row.title, 50, least=26),
    "state": Field(10, of_row(_state), left=True),
    "what is known": show_text(lambda row: row.text, 42, "dim", hide=1, least=16),
}


def command_tab(*endpoints: str) -> ListTab:
    """Build the tab that lists the commands sent in this session to some endpoints, given by catalogue name."""

    def rows(view: DisplayContext) -> Rows:
        return [row for row in view.mirror.commands.values() if row.endpoint in endpoints]

    return ListTab(
        name="sent", empty="no commands sent by this program", fields=_COMMAND_FIELDS,
        at=lambda row: row.sent_ms, id=lambda row: row.id, rows=rows,
        lists_commands=True,
    )  # fmt: skip
