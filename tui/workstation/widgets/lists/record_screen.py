"""A screen of lists that any row of the catalogue answers, and of the commands sent about them.

To add one: its tabs, a subclass of `RecordPane` that names them, a line in `FULL_SCREENS` and an action that opens it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from tui.engine.history import ReadState
from tui.engine.rows import AccountCommandRow, CommandState, Table
from tui.engine.service_query import MoreRows, ServiceAnswer, ServiceQuery, ServiceRequest, StopQuery
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.columns import Cell, Field, Fields, layout, of_row
from tui.workstation.widgets.list_screen import ScreenParts
from tui.workstation.widgets.lists.pane import Reading, ReadPane
from tui.workstation.widgets.lists.screen import ReadScreen
from tui.workstation.widgets.lists.tab import ListTab, time_cell

Params = Callable[[DisplayContext], Mapping[str, str]]
Pick = Callable[[ServiceAnswer, DisplayContext], Sequence[Any]]


def no_params(view: DisplayContext) -> Mapping[str, str]:
    """Of a row that is read without parameters."""
    del view
    return {}


def listed(answer: ServiceAnswer, view: DisplayContext) -> Sequence[Any]:
    """The records of an array or of pages."""
    del view
    return answer.rows


class RecordTab(ListTab, frozen=True, kw_only=True):
    """A list that one row of the catalogue answers."""

    endpoint: str
    """Name of the row."""
    params: Params = no_params
    pick: Pick = listed
    """The rows of the list, out of an answer."""
    follows: tuple[str, ...] = ()
    """Commands, by their rows of the catalogue, after whose end it is read anew."""
    to_end: bool = False
    """Read all pages at once."""

    def query(self, pane: str, view: DisplayContext) -> ServiceQuery:
        """What has to be read for it; `pane`: id of the pane it stands on."""
        params = tuple((name, text) for name, text in self.params(view).items() if text)
        return ServiceQuery(key=f"{pane}/{self.name}", endpoint=self.endpoint, params=params, to_end=self.to_end)


class CommandTab(ListTab, frozen=True, kw_only=True):
    """The commands of this session about some rows of the catalogue; made by `command_tab`."""

    endpoints: tuple[str, ...]


class RecordPane(ReadPane):
    """A subclass names its tabs."""

    feeds: ClassVar[frozenset[Table]] = frozenset([Table.ANSWERS, Table.COMMANDS])

    @property
    def answer(self) -> ServiceAnswer | None:
        """What was read for the list that is shown."""
        return self.answer_of(self.tab)

    def answer_of(self, tab: ListTab) -> ServiceAnswer | None:
        """What was read for a list."""
        return self.view.mirror.answers.get(f"{self.id}/{tab.name}")

    def reading(self) -> Reading | None:
        if isinstance(self.tab, CommandTab):
            query = ServiceQuery(key=self.tab.name, endpoint="")
            return ServiceAnswer(query=query, state=ReadState.WHOLE, total=len(self.source()))
        return self.answer

    def source(self) -> Sequence[Any]:
        tab = self.tab
        if isinstance(tab, CommandTab):
            return [row for row in self.view.mirror.commands.values() if row.endpoint in tab.endpoints]
        answer = self.answer
        return tab.pick(answer, self.view) if answer is not None and isinstance(tab, RecordTab) else ()

    def asked_words(self) -> str:
        """What the list was asked for, by the values of its parameters."""
        answer = self.answer
        return " ".join(text for _, text in answer.query.params) if answer is not None else ""

    def command(self, key: str) -> AccountCommandRow | None:
        """The command that a row is, on a list of commands."""
        row = self.row(key)
        return row if isinstance(row, AccountCommandRow) else None


class RecordScreen(ReadScreen):
    """Reads a list when it is looked at, and anew after a command that changes it."""

    def __init__(self, parts: ScreenParts, pane: RecordPane, request: Callable[[ServiceRequest], None]) -> None:
        self.records = pane
        self._request = request
        self._asked: dict[str, ServiceQuery] = {}
        """The query for which each list was read last."""
        super().__init__(parts, pane)

    @property
    def _key(self) -> str:
        return f"{self.records.id}/{self.records.tab.name}"

    def read_list(self, *, again: bool) -> None:
        tab = self.records.tab
        if isinstance(tab, RecordTab):
            self._ask(tab, again=again)

    def query_of(self, tab: RecordTab) -> ServiceQuery | None:
        """What has to be read for a list; None: nothing can be asked yet."""
        return tab.query(self.records.id, self.view)

    def _ask(self, tab: RecordTab, *, again: bool) -> None:
        query = self.query_of(tab)
        if query is not None and (again or self._asked.get(tab.name) != query):
            self._asked[tab.name] = query
            self._request(query)

    def read_more(self) -> None:
        self._request(MoreRows(key=self._key))

    def stop_reading(self) -> None:
        self._request(StopQuery(key=self._key))

    def catch_up(self) -> None:
        # What happened while the screen was not looked at was not followed.
        self._asked.clear()
        super().catch_up()

    def feed(self, changed: dict[Table, list[str]], new_events: bool) -> None:
        answers = self.view.mirror.answers
        for key in changed.get(Table.ANSWERS, ()):
            if key not in answers:
                # The engine was built anew and has read nothing yet.
                self._asked.pop(key.partition("/")[2], None)
        super().feed(changed, new_events)
        if Table.COMMANDS in changed:
            self._follow_commands(changed[Table.COMMANDS])

    def _follow_commands(self, keys: Sequence[str]) -> None:
        """Read anew what a command changed that was accepted or has ended."""
        commands = self.view.mirror.commands
        found = [row for key in keys if (row := commands.get(key)) is not None]
        changed = {row.endpoint for row in found if row.state is not CommandState.SENDING}
        tabs = [tab for tab in self.records.tabs if isinstance(tab, RecordTab) and not changed.isdisjoint(tab.follows)]
        for tab in tabs:
            self._asked.pop(tab.name, None)
        if self.records.tab in tabs:
            self.look()


_ROLES = {
    CommandState.DONE: "good", CommandState.UNKNOWN: "unknown", CommandState.RUNNING: "pending",
    CommandState.SENDING: "pending", CommandState.FAILED: "alert",
}  # fmt: skip


def _sent(row: AccountCommandRow, view: DisplayContext) -> Cell:
    return time_cell(row.sent_ms, view)


def _state(row: AccountCommandRow) -> Cell:
    return row.state.value, _ROLES.get(row.state, "warn")


_COMMAND_FIELDS: Fields[AccountCommandRow] = {
    "sent": Field(15, _sent, of_row(lambda row: row.sent_ms), left=True),
    "command": Field(46, of_row(lambda row: (row.title, "text")), left=True, prose=True),
    "state": Field(10, of_row(_state), left=True),
    "what is known": Field(30, of_row(lambda row: (row.text, "dim")), left=True, prose=True, hide=1),
}
_COMMAND_LAYOUTS = (
    layout(_COMMAND_FIELDS, 118, ("sent", 15), ("command", 50), ("state", 10), ("what is known", 42)),
    layout(_COMMAND_FIELDS, 78, ("sent", 15), ("command", 36), ("state", 10), ("what is known", 16)),
    layout(_COMMAND_FIELDS, 37, ("command", 26), ("state", 10)),
)


def command_tab(*endpoints: str) -> CommandTab:
    """The list of the commands sent from here, by their rows of the catalogue."""
    return CommandTab(
        name="sent", noun="commands sent by this program", fields=_COMMAND_FIELDS, layouts=_COMMAND_LAYOUTS,
        at=lambda row: row.sent_ms, id=lambda row: row.id, endpoints=endpoints,
    )  # fmt: skip
