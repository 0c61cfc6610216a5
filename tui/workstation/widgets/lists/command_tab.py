"""The list of the commands that this program has sent."""

from __future__ import annotations

from tui.engine.rows import AccountCommandRow, CommandState
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.columns import Cell, Field, Fields, layout, of_row
from tui.workstation.widgets.lists.tab import ListTab, Rows, time_cell

_ROLES = {
    CommandState.DONE: "good", CommandState.UNKNOWN: "unknown", CommandState.RUNNING: "pending",
    CommandState.SENDING: "pending", CommandState.FAILED: "alert",
}  # fmt: skip


def _sent_cell(row: AccountCommandRow, view: DisplayContext) -> Cell:
    return time_cell(row.sent_ms, view)


def _state(row: AccountCommandRow) -> Cell:
    return row.state.value, _ROLES.get(row.state, "warn")


_COMMAND_FIELDS: Fields[AccountCommandRow] = {
    "sent": Field(15, _sent_cell, of_row(lambda row: row.sent_ms), left=True),
    "command": Field(46, of_row(lambda row: (row.title, "text")), left=True, prose=True),
    "state": Field(10, of_row(_state), left=True),
    "what is known": Field(30, of_row(lambda row: (row.text, "dim")), left=True, prose=True, hide=1),
}
_COMMAND_LAYOUTS = (
    layout(_COMMAND_FIELDS, 118, ("sent", 15), ("command", 50), ("state", 10), ("what is known", 42)),
    layout(_COMMAND_FIELDS, 78, ("sent", 15), ("command", 36), ("state", 10), ("what is known", 16)),
    layout(_COMMAND_FIELDS, 37, ("command", 26), ("state", 10)),
)


def command_tab(*endpoints: str) -> ListTab:
    """The list of the commands of this session about some rows of the catalogue."""

    def rows(view: DisplayContext) -> Rows:
        return [row for row in view.mirror.commands.values() if row.endpoint in endpoints]

    return ListTab(
        name="sent", noun="commands sent by this program", fields=_COMMAND_FIELDS, layouts=_COMMAND_LAYOUTS,
        at=lambda row: row.sent_ms, id=lambda row: row.id, rows=rows,
    )  # fmt: skip
