"""The list of algo orders that have ended."""

from __future__ import annotations

from tui.engine.state.algo_table import algo_word
from tui.interface.families.algo import AlgoRecord
from tui.interface.wording import how_many
from tui.workstation.features.history.tab import HistoryTab
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import intent_word, side_role
from tui.workstation.table.columns import Cell, Field, Fields, layout, of_row
from tui.workstation.widgets.lists.tab import Rows, by_created, created, number, symbol_cell, time_cell

_ROLES = {"COMPLETED": "good", "CANCELLED": "dim", "EXPIRED": "dim", "REJECTED": "warn", "FAILED": "warn"}


def _intent(row: AlgoRecord) -> Cell:
    return intent_word(row.sym, row.side, row.position_side, row.reduce_only == "true"), side_role(row.side)


def _size(row: AlgoRecord, view: DisplayContext) -> Cell:
    """What the order that it sends was to have; without a figure all that was held."""
    return (view.quantity(row.sym, row.order_qty) if row.order_qty else "all"), "text"


def _triggers(row: AlgoRecord, view: DisplayContext) -> Cell:
    named = (("tp", row.tp_trigger_price), ("sl", row.sl_trigger_price), ("if", row.conditional_trigger_price))
    texts = [f"{name} {view.price(row.sym, price)}" for name, price in named if number(price)]
    return " " + (" · ".join(texts) or number_format.MISSING), "strong"


def _executed_cell(row: AlgoRecord, view: DisplayContext) -> Cell:
    return view.quantity(row.sym, row.executed_qty), "strong" if number(row.executed_qty) else "faint"


def _state(row: AlgoRecord) -> Cell:
    return f" {row.order_state}", _ROLES.get(row.order_state, "text")


def _reason(row: AlgoRecord) -> Cell:
    return f" {row.reason}", "dim"


_FIELDS: Fields[AlgoRecord] = {
    "time": Field(15, lambda row, view: time_cell(created(row), view), of_row(by_created), left=True),
    "symbol": Field(14, of_row(symbol_cell), left=True, prose=True),
    "intent": Field(13, of_row(_intent), left=True, prose=True),
    "kind": Field(16, of_row(lambda row: (algo_word(row), "text")), left=True, prose=True),
    "qty": Field(10, _size, of_row(lambda row: number_format.value(row.order_qty))),
    "trigger": Field(30, _triggers, left=True, prose=True, fills=True, title=" trigger"),
    "done": Field(10, _executed_cell, of_row(lambda row: number_format.value(row.executed_qty))),
    "state": Field(12, of_row(_state), left=True, prose=True, title=" state"),
    "why": Field(30, of_row(_reason), left=True, prose=True, hide=1, title=" why"),
}
_LAYOUTS = (
    layout(
        _FIELDS, 158,
        ("time", 15), ("symbol", 14), ("intent", 13), ("kind", 16), ("qty", 10), ("trigger", 32), ("done", 10),
        ("state", 12), ("why", 30),
    ),
    layout(
        _FIELDS, 118,
        ("time", 15), ("symbol", 14), ("intent", 13), ("kind", 16), ("qty", 10), ("trigger", 24), ("done", 10),
        ("state", 12),
    ),
    layout(_FIELDS, 78, ("time", 15), ("symbol", 13), ("intent", 12), ("kind", 16), ("done", 9), ("state", 12)),
    layout(_FIELDS, 58, ("time", 15), ("symbol", 12), ("kind", 16), ("state", 12)),
    layout(_FIELDS, 37, ("time", 15), ("kind", 8), ("state", 12)),
)  # fmt: skip


def _sums(rows: Rows, view: DisplayContext) -> list[str]:
    """How many there are, and how many sent an order that traded."""
    del view
    return [f"{how_many(len(rows), 'algo order')}, {sum(bool(number(row.executed_qty)) for row in rows)} traded"]


ALGOS = HistoryTab(
    name="algos", noun="algo orders that ended in the last 7 days", fields=_FIELDS, layouts=_LAYOUTS,
    at=created, id=lambda row: row.algo_order_id, sym=lambda row: row.sym, sums=_sums,
    endpoint="algo_history", row_id=("algo_order_id",), filters=("exchange", "business"),
)  # fmt: skip
