"""Pane with all events of this session; Enter opens the order that an event is about."""

from __future__ import annotations

from decimal import Decimal
from typing import ClassVar

from tui.engine.event_line import Level
from tui.engine.rows import OrderRow, Table
from tui.workstation.features.events.pane import EventRow, EventsPane
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.event_levels import ROLES, SIGNS, sort_by_time
from tui.workstation.model.instruments import venue_of
from tui.workstation.table.columns import Cell, Field, Fields, of_row
from tui.workstation.table.row_filter import FilterFacts

_FAILURES = (Level.WARN, Level.ALERT)


def _time(row: EventRow, view: DisplayContext) -> Cell:
    return view.moment(row.event.wall_ms, millis=True), "dim"


def _level(row: EventRow) -> Cell:
    level = row.event.level
    return f"{SIGNS[level]:<2} {level.value.lower()}", ROLES[level]


def _text(row: EventRow) -> Cell:
    return row.event.text, ROLES[row.event.level]


def _second(row: EventRow, view: DisplayContext) -> str:
    return view.moment(row.event.wall_ms)


def _sign(row: EventRow, view: DisplayContext) -> str:
    del view
    return SIGNS[row.event.level]


_FIELDS: Fields[EventRow] = {
    "time": Field(13, _time, left=True, short=_second, least=9),
    "level": Field(9, of_row(_level), left=True, prose=True, title=" ", short=_sign, least=3),
    "event": Field(96, of_row(_text), left=True, prose=True, fills=True, least=24),
}


class SessionEventsPane(EventsPane):
    """Pane with the session's events in three views: all, order events, warnings and alerts."""

    id: ClassVar[str] = "session"
    title: ClassVar[str] = "Own events"
    views: ClassVar[tuple[str, ...]] = ("all", "orders", "warnings")
    names_views: ClassVar[bool] = True

    def __init__(self, view: DisplayContext) -> None:
        super().__init__(view)
        self._by_id: dict[str, OrderRow] = {}
        self._version = -1

    fields = _FIELDS

    def keys(self) -> list[str]:
        view = self.views[self.view_at]
        return [
            str(count)
            for count, event in sort_by_time(self.view.mirror.event_log.events)
            if view == "all" or (bool(event.key) if view == "orders" else event.level in _FAILURES)
        ]

    def short(self) -> str:
        return str(len(self.keys()))

    def row(self, key: str) -> EventRow | None:
        row = super().row(key)
        return None if row is None else EventRow(row.count, row.event, self._orders().get(row.event.key), row.news)

    def _orders(self) -> dict[str, OrderRow]:
        """Map each id to its order: row key, client order id and order id."""
        mirror = self.view.mirror
        if mirror.version(Table.ORDERS) != self._version:
            self._version = mirror.version(Table.ORDERS)
            self._by_id = {
                name: order
                for order in mirror.orders.values()
                for name in (order.order_id, order.client_order_id, order.key)
                if name
            }
        return self._by_id

    def order_of(self, key: str) -> OrderRow | None:
        row = self.row(key)
        return None if row is None else row.order

    def facts(self, key: str) -> FilterFacts | None:
        row = self.row(key)
        if row is None:
            return None
        order, event = row.order, row.event
        return FilterFacts(
            text=f"{event.text} {event.key}",
            state=event.level.value,
            age=Decimal(str(round(self.view.clock.wall() - event.wall_ms / 1000, 3))),
            sym=order.sym if order is not None else "",
            side=order.side if order is not None else "",
            venue=venue_of(order.sym) if order is not None else "",
            qty=number_format.value(order.qty) if order is not None else None,
        )

    def sym(self, key: str) -> str:
        order = self.order_of(key)
        return "" if order is None else order.sym

    def copy_text(self, key: str) -> str:
        row = self.row(key)
        return key if row is None else f"{self.view.moment(row.event.wall_ms, millis=True)} {row.event.text}"

    def details(self, key: str) -> list[tuple[str, str]]:
        row = self.row(key)
        if row is None:
            return []
        moment = self.view.moment(row.event.wall_ms, millis=True)
        order = row.event.key or number_format.MISSING
        return [("time", moment), ("level", row.event.level.value), ("event", row.event.text), ("order", order)]
