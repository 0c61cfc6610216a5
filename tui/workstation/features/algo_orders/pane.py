"""Algo orders pane: stops, targets, OCO and conditional orders waiting at the venue; nearest trigger first."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import ClassVar

from tui.engine.rows import AlgoRow, LocalOrderState, OrderRow, PendingAction, Table
from tui.engine.state.closing_orders import can_open
from tui.workstation.features.algo_orders import cells
from tui.workstation.model import number_format
from tui.workstation.model.algo_figures import children, describe_clipped, is_orphaned, orphans
from tui.workstation.model.instruments import venue_of
from tui.workstation.table.columns import Field, Fields, of_row
from tui.workstation.table.pane import UNSURE, ChangedRows, Pane
from tui.workstation.table.raw_facts import raw_facts
from tui.workstation.table.row_filter import FilterFacts

_FIELDS: Fields[AlgoRow] = {
    "state": Field(12, cells.state, cells.by_state, left=True),
    "kind": Field(16, of_row(cells.kind), left=True, short=cells.kind_short, prose=True, least=7, hide=2),
    "symbol": Field(17, of_row(cells.sym), left=True, prose=True, least=12),
    "side": Field(11, of_row(cells.side), left=True, short=cells.side_short, prose=True, least=8, hide=1),
    "size": Field(10, cells.size, of_row(cells.by_size), least=9, hide=2),
    "trigger": Field(46, cells.trigger, left=True, short=cells.trigger_short, prose=True, title=" trigger", least=21),
    "dist": Field(10, cells.distance, cells.by_distance, least=9, hide=1),
    "ticks": Field(10, cells.ticks, cells.by_distance, hide=15),
    "parent": Field(8, cells.parent, left=True, short=cells.parent_short, prose=True, hide=15, title=" parent"),
    "child": Field(13, cells.child, left=True, hide=15, title=" child"),
    "age": Field(7, cells.age, cells.by_age, hide=3),
}


def _rank(row: AlgoRow, pane: AlgosPane) -> tuple[int, Decimal, str]:
    if row.state == LocalOrderState.UNKNOWN or row.overlay in (PendingAction.AMEND_LOST, PendingAction.CANCEL_LOST):
        rank = 0
    elif is_orphaned(row, pane.view.mirror):
        rank = 1
    else:
        rank = 2
    far = cells.by_distance(row, pane.view)
    return rank, far if isinstance(far, Decimal) else Decimal("Infinity"), row.key


class AlgosPane(Pane[AlgoRow]):
    """Pane with the algo orders that may still be open."""

    id: ClassVar[str] = "algos"
    kinds: ClassVar[tuple[str, ...]] = (UNSURE,)
    title: ClassVar[str] = "Algo orders"
    feeds: ClassVar[frozenset[Table]] = frozenset(
        [Table.ALGOS, Table.SYMBOLS, Table.QUOTES, Table.TICKERS, Table.ORDERS, Table.POSITIONS, Table.ENGINE_STATUS]
    )
    views: ClassVar[tuple[str, ...]] = ("all", "protective", "orphans")
    names_views: ClassVar[bool] = True
    ranked_by_time: ClassVar[bool] = True

    fields = _FIELDS

    def keys(self) -> list[str]:
        rows = [row for row in self.view.mirror.algos.values() if self._belongs(row)]
        return [row.key for row in sorted(rows, key=lambda row: _rank(row, self))]

    def _belongs(self, row: AlgoRow) -> bool:
        match self.views[self.view_at]:
            case "protective":
                return row.record.condition_type != "CONDITIONAL"
            case "orphans":
                return is_orphaned(row, self.view.mirror)
        return True

    def row(self, key: str) -> AlgoRow | None:
        return self.view.mirror.algos.get(key)

    def find_changed_rows(self, table: Table, keys: Iterable[str]) -> ChangedRows:
        mirror = self.view.mirror
        if table is Table.ALGOS:
            return ChangedRows(keys, may_move=True)
        if table in (Table.QUOTES, Table.TICKERS):
            syms = frozenset(keys)
            return ChangedRows([row.key for row in mirror.algos.values() if row.record.sym in syms], may_move=False)
        return ChangedRows(list(mirror.algos), may_move=table is Table.POSITIONS)

    def short(self) -> str:
        lost = orphans(self.view.mirror)
        opening = sum(1 for row in lost if can_open(row.record))
        parts = [str(len(self.keys()))]
        parts += [f"{len(lost)} without a position"] if lost else []
        parts += [f"{opening} would open one"] if opening else []
        return ", ".join(parts)

    def empty(self) -> str:
        status = self.view.mirror.engine_status
        error = status.algo_error if status is not None else "not read yet"
        if error:
            return f"algo orders could not be read: {error}"
        if self.view_at == 0:
            by_key = self.view.name_keys(": ⟦algo.new⟧ on a quote or a position opens the form")
            return f"no algo orders{by_key or self.view.name_keys('; ⟦line.open⟧ on the desk opens the command line')}"
        next_view = self.view.name_keys("; ⟦view.next⟧ shows the next view")
        return f"no algo orders in the view {self.views[self.view_at]}{next_view}"

    def sym(self, key: str) -> str:
        row = self.row(key)
        return row.record.sym if row is not None else ""

    def order_of(self, key: str) -> OrderRow | None:
        """Return the newest order that the algo order sent, else the order it is attached to; None if neither is known."""
        row = self.row(key)
        if row is None:
            return None
        sent = children(row, self.view.mirror)
        if sent:
            return max(sent, key=lambda order: (order.create_at, order.key))
        attached = row.record.attached_order_id
        return next(
            (order for order in self.view.mirror.orders.values() if attached and order.order_id == attached), None
        )

    def facts(self, key: str) -> FilterFacts | None:
        row = self.row(key)
        if row is None:
            return None
        age = cells.by_age(row, self.view)
        return FilterFacts(
            text=" ".join([*self.texts(row), row.record.algo_order_id, row.record.client_order_id]),
            sym=row.record.sym,
            side=f"{row.record.side} {row.record.position_side}",
            state=row.state,
            venue=venue_of(row.record.sym),
            age=Decimal(str(age)) if isinstance(age, float) else None,
            qty=number_format.value(row.record.order_qty),
        )

    def carries_risk(self, key: str) -> bool:
        return self.row(key) is not None

    def copy_text(self, key: str) -> str:
        row = self.row(key)
        return key if row is None else row.record.algo_order_id or row.key

    def details(self, key: str) -> list[tuple[str, str]]:
        row = self.row(key)
        if row is None:
            return []
        lists = ", ".join(sorted(row.answered)) or "none yet"
        searched = [("not found", f"{row.not_found}x; lists without it: {lists}")] if row.not_found else []
        closes = [("note", text)] if (text := describe_clipped(row, self.view)) else []
        return closes + searched + raw_facts(row.record)
