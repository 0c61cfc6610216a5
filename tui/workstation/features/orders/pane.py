"""Orders pane: UNKNOWN and conflicts first, then pending, then newest; ended orders stay dimmed for a while."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import ClassVar, TypeAlias

import msgspec

from tui.engine.rows import LocalOrderState, OrderRow, PendingAction, Table
from tui.interface.text import how_many
from tui.workstation.features.orders import cells
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import venue_of
from tui.workstation.render.pieces import Piece
from tui.workstation.table.columns import SPARE, Column, Field, Fields, of_row
from tui.workstation.table.pane import NO_ROWS, UNSURE, ChangedRows, Pane
from tui.workstation.table.row_filter import FilterFacts

_FIELDS: Fields[OrderRow] = {
    "state": Field(11, cells.state_cell, cells.by_state, left=True, prose=True),
    "symbol": Field(13, of_row(cells.sym), left=True, prose=True, least=12),
    "intent": Field(13, of_row(cells.intent), left=True, prose=True, least=12, hide=1),
    "price": Field(18, cells.price, of_row(cells.by_price), short=cells.price_short, least=11),
    "leaves": Field(9, cells.rest, of_row(cells.compute_rest), title="rest", least=8, hide=2, instead=("rest/total",)),
    "rest/total": Field(
        14, cells.rest_total, of_row(cells.compute_rest), hide=SPARE, instead=("total", "filled", "rest")
    ),
    "total": Field(9, cells.total, of_row(cells.by_total), hide=14),
    "filled": Field(9, cells.fill_cell, of_row(cells.by_filled_qty), hide=14),
    "rest": Field(9, cells.rest, of_row(cells.compute_rest), hide=14),
    "dist": Field(8, cells.distance, cells.by_distance, hide=11),
    "bp": Field(9, cells.points, cells.by_points, hide=15),
    "avg": Field(11, cells.average, of_row(cells.by_average), hide=16),
    "notional": Field(13, cells.notional, cells.by_notional, hide=16),
    "fee": Field(10, cells.fee, of_row(cells.by_fee), hide=17),
    "queue": Field(7, cells.queue, cells.by_queue, hide=12),
    "age": Field(5, cells.age, cells.by_age, least=4),
    "upd": Field(6, cells.update_age, cells.by_update_age, hide=16),
    "TIF": Field(12, of_row(cells.kind), left=True, short=cells.kind_short, hide=13, title=" TIF", prose=True),
    "TP/SL": Field(23, cells.protection, left=True, hide=15, title=" TP/SL"),
    "algo": Field(12, of_row(cells.algo), left=True, hide=16, title=" algo", prose=True),
    "reason": Field(24, cells.note, left=True, hide=15, title="  reason", prose=True),
    "id": Field(22, of_row(cells.own_id), left=True, hide=18, title=" id", prose=True),
}


_Place: TypeAlias = tuple[int | str, int, str]
"""Value that rows are sorted by; the last part is the row's key."""

_SAME_FOR_SEVERAL = ("conditional", "OCO", "target and stop")
"""Kinds of algo orders whose name is that of several too."""

JUST_S = 1.0
"""Seconds in which an ended order still counts as the working order under the cursor."""


def _rank(order: OrderRow) -> tuple[int, int, str]:
    if order.final:
        rank = 4
    elif order.state == LocalOrderState.UNKNOWN:
        rank = 0
    elif order.conflict:
        rank = 1
    elif order.overlay is not PendingAction.NOTHING:
        rank = 2
    else:
        rank = 3
    return rank, -order.create_at, order.key


def _chain(order: OrderRow) -> tuple[str, int, str]:
    return order.client_order_id or order.order_id, order.create_at, order.key


def _count_kind(count: int, kind: str) -> str:
    """Write how many algo orders of a kind there are: `1 stop`, `2 targets`."""
    return f"{count} {kind.replace(' and ', '+')}" if kind in _SAME_FOR_SEVERAL else how_many(count, kind)


class OrdersPane(Pane[OrderRow]):
    """Pane with working and recently ended orders."""

    id: ClassVar[str] = "orders"
    kinds: ClassVar[tuple[str, ...]] = (UNSURE,)
    title: ClassVar[str] = "Orders"
    number: ClassVar[int] = 2
    at_risk: ClassVar[bool] = True
    feeds: ClassVar[frozenset[Table]] = frozenset(
        [Table.ORDERS, Table.SYMBOLS, Table.QUOTES, Table.ALGOS, Table.POSITIONS]
    )
    priced_by: ClassVar[frozenset[Table]] = frozenset([Table.QUOTES])
    ranked_by_time: ClassVar[bool] = True
    views: ClassVar[tuple[str, ...]] = ("working", "today", "algos", "protective", "unknown", "by chain")

    fields = _FIELDS

    def columns(self, inside: int) -> tuple[Column[OrderRow], ...]:
        """Choose the columns that fit; without the average column, a filled order's price column shows the average."""
        chosen = super().columns(inside)
        if any(column.id == "avg" for column in chosen):
            return chosen
        paid = msgspec.structs.replace(_FIELDS["price"], cell=cells.price_paid)
        return tuple(msgspec.structs.replace(entry, field=paid) if entry.id == "price" else entry for entry in chosen)

    def __init__(self, view: DisplayContext) -> None:
        super().__init__(view)
        self._places: dict[str, _Place] = {}
        """What the order of the rows follows, by key."""
        self._ranked: dict[str, tuple[OrderRow, _Place | None]] = {}
        """Orders as last ranked, with their place; None: the view does not show the order."""
        self._sorted: list[_Place] = []
        """Places of the shown orders, in order."""
        self._ranked_view = 0

    def keys(self) -> list[str]:
        """Return the row keys, sorted; only changed orders are sorted in again, as there may be a thousand."""
        orders, ranked = self.view.mirror.orders, self._ranked
        if self._ranked_view != self.view_at:
            ranked.clear()
            self._sorted.clear()
            self._ranked_view = self.view_at
        for key, order in orders.items():
            known = ranked.get(key)
            if known is None or known[0] is not order or order.final:
                place = self._place_of(order) if self._belongs(order) else None
                self._move(known[1] if known is not None else None, place)
                ranked[key] = order, place
        for key in [key for key in ranked if key not in orders] if len(ranked) > len(orders) else ():
            self._move(ranked.pop(key)[1], None)
        return [place[-1] for place in self._sorted]

    def _move(self, before: _Place | None, place: _Place | None) -> None:
        """Move an order in the sorted list from one sort position to another; None: not listed."""
        if before == place:
            return
        if before is not None:
            del self._sorted[bisect_left(self._sorted, before)]
        if place is not None:
            insort(self._sorted, place)

    def _place_of(self, order: OrderRow) -> _Place:
        return _chain(order) if self.views[self.view_at] == "by chain" else _rank(order)

    def _note_places(self, keys: Iterable[str]) -> bool:
        """Record the sort positions of changed orders; return whether any order moves, appears or disappears.

        An order whose price or size changes stays where it is, and a thousand need not be sorted for it.
        """
        moves = self.sorting is not None or bool(self.filter.terms)
        for key in keys:
            order = self.view.mirror.orders.get(key)
            place = self._place_of(order) if order is not None and self._belongs(order) else None
            if place != self._places.get(key):
                moves = True
                self._places.pop(key, None)
                if place is not None:
                    self._places[key] = place
        return moves

    def _belongs(self, order: OrderRow) -> bool:
        match self.views[self.view_at]:
            case "today" | "by chain":
                day = self.view.day_of(int(self.view.server_wall * 1000))
                return not order.final or self.view.day_of(order.create_at) == day
            case "algos":
                return order.from_algo
            case "protective":
                return bool(number_format.value(order.tp_trigger) or number_format.value(order.sl_trigger))
            case "unknown":
                return order.state == LocalOrderState.UNKNOWN or bool(order.conflict)
        recent = self.view.now - order.since <= self.view.settings.keep_final_s
        return not order.final or bool(order.conflict) or recent

    def successor(self, key: str, keys: Sequence[str], place: int) -> str:
        orders = self.view.mirror.orders
        ended = orders.get(key)
        if ended is None or not ended.final or self.view.now - ended.since > JUST_S:
            return ""
        working = [other for other in [*keys[place:], *reversed(keys[:place])] if not orders[other].final]
        return working[0] if working else ""

    def newest_working(self) -> str | None:
        """Return the row key of this desk's newest working order, else of the newest of any sender; None without one."""
        mirror, orders = self.view.mirror, self.view.mirror.orders
        working = [key for key in self.arrange_keys() if key in orders and orders[key].working]
        return max(working, key=lambda key: (mirror.is_own(orders[key]), orders[key].create_at), default=None)

    def is_news(self, row: OrderRow) -> bool:
        return row.final and self.view.is_news(row.since)

    def row(self, key: str) -> OrderRow | None:
        return self.view.mirror.orders.get(key)

    def find_changed_rows(self, table: Table, keys: Iterable[str]) -> ChangedRows:
        if table is Table.SYMBOLS:
            return ChangedRows(self.keys(), may_move=True)
        if table is Table.ALGOS:
            return NO_ROWS
        if table is Table.POSITIONS:
            # What closes one that has become smaller than the order is marked.
            syms = {key.partition("/")[0] for key in keys}
            return ChangedRows(
                [order.key for sym in syms for order in self.view.mirror.working_on(sym)], may_move=False
            )
        return ChangedRows(keys, may_move=self._note_places(keys))

    def _numbers(self) -> tuple[int, int]:
        mirror = self.view.mirror
        return mirror.working_orders - mirror.unknown_orders, mirror.unknown_orders

    def counts(self) -> list[Piece]:
        working, unknown = self._numbers()
        pieces: list[Piece] = [(f"{working} working", "dim")]
        if unknown:
            pieces += [(" · ", "frame"), (f"{unknown} unknown", "unknown")]
        return [*pieces, *self._count_algos()] if self.view.mirror.algos else pieces

    def _count_algos(self) -> list[Piece]:
        """Build the title pieces with the numbers of stops, targets and conditional orders, and the key that lists them."""
        from tui.engine.state.algo_table import algo_word

        pieces: list[Piece] = []
        for kind, count in Counter(algo_word(row.record) for row in self.view.mirror.algos.values()).items():
            pieces += [(" · ", "frame"), (_count_kind(count, kind), "dim")]
        # A title without room leaves out its last pieces.
        return [*pieces, (self.view.name_keys(" (⟦screen.algos⟧)"), "faint")]

    def short(self) -> str:
        working, unknown = self._numbers()
        text = f"{working}+{unknown}" if unknown else str(working)
        # They are on another list; without their number nothing on a small screen would tell of them.
        count = len(self.view.mirror.algos)
        return self.view.name_keys(f"{text} {count}(⟦screen.algos⟧)") if count else text

    def empty(self) -> str:
        checked = f"(checked {self.view.moment(self.view.mirror.orders_checked_ms)})"
        next_view = self.view.name_keys("; ⟦view.next⟧ shows the next view")
        match self.views[self.view_at]:
            case "working":
                return f"no open orders {checked}{self.way_to_ticket()}"
            case "unknown":
                return f"no UNKNOWN orders, no conflicts {checked}{next_view}"
            case "algos":
                to_algos = self.view.name_keys("; ⟦screen.algos⟧ lists the algo orders")
                return f"no orders that algo orders sent {checked}{to_algos}"
            case "protective":
                return f"no orders with own stop or target {checked}{next_view}"
            case name:
                return f"no orders in the view {name} {checked}{next_view}"

    def sym(self, key: str) -> str:
        order = self.row(key)
        return order.sym if order else ""

    def facts(self, key: str) -> FilterFacts | None:
        order = self.row(key)
        if order is None:
            return None
        age = cells.by_age(order, self.view)
        return FilterFacts(
            text=" ".join([*self.texts(order), order.order_id, order.client_order_id]),
            sym=order.sym,
            side=f"{order.side} {order.position_side}",
            state="UNKNOWN" if order.state == LocalOrderState.UNKNOWN else order.state,
            venue=venue_of(order.sym),
            age=Decimal(str(age)) if isinstance(age, float) else None,
            qty=number_format.value(order.qty),
        )

    def carries_risk(self, key: str) -> bool:
        order = self.row(key)
        return order is not None and order.working

    def may_leave_view(self, key: str) -> bool:
        return not self.carries_risk(key) and any(order.working for order in self.view.mirror.orders.values())

    def copy_text(self, key: str) -> str:
        order = self.row(key)
        return key if order is None else order.client_order_id or order.order_id
