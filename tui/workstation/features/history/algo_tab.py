"""List of ended algo orders."""

from __future__ import annotations

from collections.abc import Sequence

from tui.engine.service_reading import past_lists
from tui.engine.state.algo_table import algo_word
from tui.interface.families.algo import AlgoRecord
from tui.interface.text import how_many
from tui.workstation.features.history.tab import HistoryTab
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import intent_word, side_role
from tui.workstation.table.column_kinds import creation_ms, number, show_quantity, show_symbol, show_text, show_time
from tui.workstation.table.columns import Cell, Field, Fields, of_row
from tui.workstation.widgets.lists.tab import Rows

_ROLES = {"COMPLETED": "good", "CANCELLED": "dim", "EXPIRED": "dim", "REJECTED": "warn", "FAILED": "warn"}


def _intent(row: AlgoRecord) -> Cell:
    return intent_word(row.sym, row.side, row.position_side, reduce_only=row.reduce_only == "true"), side_role(row.side)


def _size(row: AlgoRecord, view: DisplayContext) -> Cell:
    """Return the quantity of the order the trigger sends; for a whole position, `all`."""
    return (view.quantity(row.sym, row.order_qty) if row.order_qty else "all"), "text"


def _triggers(row: AlgoRecord, view: DisplayContext) -> Cell:
    triggers = (("tp", row.tp_trigger_price), ("sl", row.sl_trigger_price), ("if", row.conditional_trigger_price))
    texts = [f"{name} {view.price(row.sym, price)}" for name, price in triggers if number(price)]
    return " " + (" · ".join(texts) or number_format.MISSING), "strong"


def _state(row: AlgoRecord) -> Cell:
    return f" {row.order_state}", _ROLES.get(row.order_state, "text")


_FIELDS: Fields[AlgoRecord] = {
    "time": show_time(creation_ms),
    "symbol": show_symbol(lambda row: row.sym, 14, least=13, hide=1),
    "intent": Field(13, of_row(_intent), left=True, prose=True, least=12, hide=2),
    "kind": show_text(algo_word, 16, least=8),
    "qty": Field(10, _size, of_row(lambda row: number_format.value(row.order_qty)), hide=3),
    "trigger": Field(32, _triggers, left=True, prose=True, fills=True, title=" trigger", least=24, hide=3),
    "done": show_quantity(lambda row: row.sym, lambda row: row.executed_qty, 10, "strong", least=9, hide=2),
    "state": Field(12, of_row(_state), left=True, prose=True, title=" state"),
    "why": show_text(lambda row: f" {row.reason}", 30, "dim", hide=4, title=" why"),
}


def _sums(rows: Rows, view: DisplayContext) -> Sequence[Sequence[str]]:
    """Count the algo orders, and those whose orders have fills."""
    del view
    return [[f"{how_many(len(rows), 'algo order')}, {sum(bool(number(row.executed_qty)) for row in rows)} traded"]]


ALGOS = HistoryTab(
    name="algos", empty="no algo orders that ended in the last 7 days", fields=_FIELDS,
    at=creation_ms, id=lambda row: row.algo_order_id, sym=lambda row: row.sym, sums=_sums,
    endpoint=past_lists.ENDED_ALGOS.endpoint.name, past=past_lists.ENDED_ALGOS, filters=("exchange", "business"),
)  # fmt: skip
