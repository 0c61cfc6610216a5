"""Explorer pane: all endpoints of the catalogue, and the newest answer as a table and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, ClassVar

import msgspec

from tui.engine.commands.all_kinds import KINDS
from tui.engine.rows import Table
from tui.engine.service_query import ServiceQuery
from tui.interface import catalogue
from tui.interface.endpoint import Endpoint, Permission
from tui.workstation.features.explorer.endpoint_use import keys_of
from tui.workstation.features.explorer.values import ValueRow, fields_of, json_lines, rows_of
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.column_kinds import show_text
from tui.workstation.table.columns import Cell, Field, Fields, of_row
from tui.workstation.widgets.lists.query_pane import QueryPane
from tui.workstation.widgets.lists.tab import ListTab, QueryTab, Rows

ANSWER = "explorer/answer"
"""Key of the shown answer."""


class HowToCall:
    """Words for what Enter does on an endpoint: reads, asks and sends, refers to another key, or nothing if removed."""

    READ = "reads"
    ASK = "asks, sends"
    OWN_KEY = "own key"
    REMOVED = "removed"


def how_to_call(row: Endpoint) -> str:
    """Return what Enter does on an endpoint."""
    if row.removed:
        return HowToCall.REMOVED
    if not row.is_command:
        return HowToCall.READ
    return HowToCall.ASK if row.name in KINDS else HowToCall.OWN_KEY


def _keys(row: Endpoint, view: DisplayContext) -> Cell:
    return " ".join(keys_of(row.name, view.key_of)), "accent"


def _scope(row: Endpoint) -> Cell:
    return "+".join(scope.value for scope in row.scopes), "dim"


_ROLES = {HowToCall.READ: "text", HowToCall.ASK: "warn", HowToCall.OWN_KEY: "dim", HowToCall.REMOVED: "faint"}


def _call_cell(row: Endpoint) -> Cell:
    how = how_to_call(row)
    return how, _ROLES[how]


def _permission(row: Endpoint) -> Cell:
    risky = row.permission in (Permission.TRANSFER, Permission.WITHDRAW)
    return row.permission.value, "warn" if risky else "dim"


_FIELDS: Fields[Endpoint] = {
    "name": show_text(lambda row: row.name, 27, "strong", least=24),
    "for": show_text(lambda row: row.purpose, 40, hide=1, least=30),
    "Enter": Field(13, of_row(_call_cell), left=True, least=12),
    "key": Field(12, _keys, left=True, prose=True, hide=2),
    "needs": Field(10, of_row(_permission), left=True, hide=1),
    "level": Field(15, of_row(_scope), left=True, hide=2),
    "limit": show_text(lambda row: str(row.limit), 10, "dim", prose=False, hide=14),
    "call": show_text(lambda row: f"{row.method} {row.path}", 50, "dim", hide=16),
}
_NO_FIELDS = fields_of([])


def _list_catalogue(view: DisplayContext) -> Rows:
    del view
    return catalogue.ROWS


ENDPOINTS = ListTab(
    name="endpoints", empty="no endpoints", fields=_FIELDS, id=lambda row: row.name, rows=_list_catalogue
)
ANSWERED = QueryTab(
    name="answer", empty="no rows", fields=_NO_FIELDS, id=lambda row: str(row.at),
    endpoint="", pick=of_row(rows_of),
)  # fmt: skip
AS_JSON = msgspec.structs.replace(ANSWERED, name="json", empty="no lines", pick=of_row(json_lines))


class ExplorerPane(QueryPane):
    """Pane of the API explorer: endpoints, and the last answer with columns built from it."""

    id: ClassVar[str] = "explorer"
    title: ClassVar[str] = "Explorer"
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.ANSWERS])
    tabs: ClassVar[tuple[ListTab, ...]] = (ENDPOINTS, ANSWERED, AS_JSON)
    asked: ServiceQuery | None = None
    """Query sent from the form of an endpoint."""

    def __init__(self, view: DisplayContext) -> None:
        super().__init__(view)
        self._columns: tuple[object, Fields[ValueRow]] = (None, _NO_FIELDS)
        """Answer the columns were built for, and the columns."""

    def key_of(self, tab: ListTab) -> str:
        return f"{self.id}/{tab.name}" if tab is ENDPOINTS else ANSWER

    def query(self, tab: QueryTab) -> ServiceQuery | None:
        return self.asked if self.key_of(tab) == ANSWER else None

    def describe_query(self) -> str:
        if self.read is None:
            return ""
        source = self.read.query.sources[0]
        return " ".join([source.endpoint, *(f"{name}={text}" for name, text in source.params)])

    def empty(self) -> str:
        if self.state is None:
            return "no request sent yet" + self.view.name_keys(": ⟦screen.open⟧ on an endpoint opens its form")
        return super().empty()

    def build_columns(self) -> None:
        """Build the columns of a new list or answer; further pages of an answer keep its columns."""
        answer = self.read
        paged = answer is not None and answer.data is None
        source = (self.tab, (answer.query, bool(answer.rows)) if answer is not None and paged else answer)
        if self._columns[0] != source:
            fields = fields_of([row for row in self._build_rows().values() if isinstance(row, ValueRow)])
            self._columns = (source, fields)
            self.choices += 1

    @property
    def columns_id(self) -> str:
        # Each endpoint has its own answer fields.
        return super().columns_id if self.tab is ENDPOINTS else ""

    def column_names(self) -> Mapping[str, Collection[str]]:
        return {f"{self.id}/{ENDPOINTS.name}": list(ENDPOINTS.fields)}

    @property
    def fields(self) -> Fields[Any]:
        return ENDPOINTS.fields if self.tab is ENDPOINTS else self._columns[1]

    def details(self, key: str) -> list[tuple[str, str]]:
        row = self.row(key)
        if isinstance(row, ValueRow):
            return [(name, text) for name, text in row.values.items()]
        return _facts(row, self.view.key_of) if isinstance(row, Endpoint) else []

    def copy_text(self, key: str) -> str:
        row = self.row(key)
        return next(iter(row.values.values()), key) if isinstance(row, ValueRow) else key


def _facts(row: Endpoint, key_of: Callable[[str], str]) -> list[tuple[str, str]]:
    """Return an endpoint's properties from the catalogue, as names and texts; `key_of` gives the key of an action."""
    facts = [("call", f"{row.method} {row.path}"), ("for", row.purpose), ("permission", row.permission.value)]
    facts += [("account level of the key", _scope(row)[0]), ("limit", str(row.limit)), ("Enter", how_to_call(row))]
    facts += [("keys", " ".join(keys_of(row.name, key_of)) or "no key of its own")]
    if row.removed:
        facts.append(("removed", f"{row.removed}; use {row.replacement}"))
    for param in row.params:
        allowed = f" {' '.join(param.words)}" if param.words else ""
        facts.append((param.name, f"{param.kind.value}{allowed}{', required' if param.required else ''}"))
    return facts
