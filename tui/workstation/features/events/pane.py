"""Events pane: one line per event, oldest first; it scrolls along with new events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import msgspec

from tui.engine.event_line import EventLine
from tui.engine.rows import OrderRow, Table
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.event_levels import PAST_ROLES, ROLES, SIGNS, sort_by_time
from tui.workstation.table.columns import Cell, Field, Fields, of_row
from tui.workstation.table.pane import ChangedRows, Pane
from tui.workstation.table.row_filter import FilterFacts


class EventRow(msgspec.Struct, frozen=True):
    """Event with its number."""

    count: int
    event: EventLine
    order: OrderRow | None = None
    """Order concerned, if the pane shows it."""
    news: bool = False
    """Whether it is recent."""


def _time(row: EventRow, view: DisplayContext) -> Cell:
    return view.moment(row.event.wall_ms), "dim"


def _sign(row: EventRow) -> Cell:
    return SIGNS[row.event.level], (ROLES if row.news else PAST_ROLES)[row.event.level]


def _text(row: EventRow) -> Cell:
    return row.event.text, (ROLES if row.news else PAST_ROLES)[row.event.level]


_FIELDS: Fields[EventRow] = {
    "time": Field(9, _time, left=True),
    "level": Field(3, of_row(_sign), left=True, title=" ", prose=True),
    "event": Field(24, of_row(_text), left=True, prose=True, fills=True),
}


class EventsPane(Pane[EventRow]):
    """Pane with the events of this session."""

    id: ClassVar[str] = "events"
    title: ClassVar[str] = "Events"
    ages: ClassVar[bool] = False
    follows_tail: ClassVar[bool] = True
    lists_events: ClassVar[bool] = True

    fields = _FIELDS

    def keys(self) -> list[str]:
        return [str(count) for count, _ in sort_by_time(self.view.mirror.event_log.events)]

    def row(self, key: str) -> EventRow | None:
        events = self.view.mirror.event_log.events
        if not events:
            return None
        index = int(key) - events[0][0]
        if not 0 <= index < len(events):
            return None
        count, event = events[index]
        return EventRow(count, event, news=self.view.is_news(self.view.mirror.event_log.heard[index]))

    def is_news(self, row: EventRow) -> bool:
        return row.news

    def find_changed_rows(self, table: Table, keys: Iterable[str]) -> ChangedRows:
        del table, keys
        return ChangedRows((), may_move=True)

    def short(self) -> str:
        return str(self.view.mirror.event_log.count)

    def empty(self) -> str:
        return "nothing yet" + self.view.name_keys(": ⟦screen.history⟧ lists orders and fills of earlier days")

    def facts(self, key: str) -> FilterFacts | None:
        row = self.row(key)
        return (
            None if row is None else FilterFacts(text=f"{row.event.text} {row.event.key}", state=row.event.level.value)
        )
