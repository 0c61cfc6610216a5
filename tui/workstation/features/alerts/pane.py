"""Alerts pane: conditions that the desk watches, those that told last first."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar

import msgspec

from tui.engine.rows import Table
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.columns import Cell, Field, Fields, of_row
from tui.workstation.table.pane import NO_ROWS, ChangedRows, Pane
from tui.workstation.table.row_filter import FilterFacts

if TYPE_CHECKING:
    from tui.workstation.features.alerts.book import AlertBook


class AlertRow(msgspec.Struct, frozen=True, kw_only=True):
    """Alert as shown."""

    number: int
    condition: str
    now: str
    sym: str
    state: str
    """on, true (its condition holds since it told), or snoozed."""
    fired_ms: int
    count: int
    snoozed_s: float


_STATES = {"on": "dim", "true": "warn", "snoozed": "faint"}


def _state(row: AlertRow) -> Cell:
    return row.state, _STATES[row.state]


def _show_time(row: AlertRow, view: DisplayContext) -> Cell:
    return (view.moment(row.fired_ms) if row.fired_ms else number_format.MISSING), "text" if row.fired_ms else "faint"


def _snooze(row: AlertRow) -> Cell:
    return (number_format.whole_age(row.snoozed_s) if row.snoozed_s > 0 else ""), "faint"


_FIELDS: Fields[AlertRow] = {
    "n": Field(5, of_row(lambda row: (str(row.number), "dim")), of_row(lambda row: Decimal(row.number))),
    "state": Field(9, of_row(_state), left=True, title=" state"),
    "condition": Field(34, of_row(lambda row: (row.condition, "text")), left=True, prose=True, least=34, fills=True),
    "now": Field(26, of_row(lambda row: (row.now, "text")), left=True, prose=True, hide=1),
    "told": Field(10, _show_time, of_row(lambda row: Decimal(row.fired_ms)), left=True, title=" told", hide=2),
    "count": Field(6, of_row(lambda row: (str(row.count), "dim")), of_row(lambda row: Decimal(row.count)), hide=3),
    "snooze": Field(8, of_row(_snooze), of_row(lambda row: row.snoozed_s), hide=4),
}


class AlertsPane(Pane[AlertRow]):
    """Pane with the alerts of this desk."""

    id: ClassVar[str] = "alerts"
    title: ClassVar[str] = "Alerts"
    feeds: ClassVar[frozenset[Table]] = frozenset()
    needs_snapshot: ClassVar[bool] = False
    ranked_by_time: ClassVar[bool] = True

    fields = _FIELDS
    book: AlertBook | None = None
    """Alerts; None until the first rows have arrived."""

    def prices(self, sym: str) -> list[Decimal]:
        """List the price thresholds of the alerts on a pair."""
        return self.book.prices(sym) if self.book is not None else []

    def keys(self) -> list[str]:
        if self.book is None:
            return []
        return [active.key for active in sorted(self.book.active.values(), key=lambda one: (-one.fired_ms, one.number))]

    def row(self, key: str) -> AlertRow | None:
        active = self.book.active.get(key) if self.book is not None else None
        if self.book is None or active is None:
            return None
        from tui.workstation.features.alerts.figures import describe_now

        snoozed = active.snoozed_until - self.view.now
        test = active.alert.tests[0]
        return AlertRow(
            number=active.number,
            condition=self.book.describe(active),
            now=describe_now(active.alert.tests, self.view),
            sym=test.sym,
            state="snoozed" if snoozed > 0 else "true" if active.true else "on",
            fired_ms=active.fired_ms,
            count=active.count,
            snoozed_s=max(0.0, snoozed),
        )

    def find_changed_rows(self, table: Table, keys: Iterable[str]) -> ChangedRows:
        del table, keys
        return NO_ROWS

    def empty(self) -> str:
        # Of a coin alone the cursor would have to choose the pair.
        sym = next(iter(self.view.mirror.symbols), "BTC")
        return "no alerts" + self.view.name_keys(f": ⟦alert.new⟧ on a row or ⟦line.open⟧alert when {sym} mark < 60000")

    def sym(self, key: str) -> str:
        active = self.book.active.get(key) if self.book is not None else None
        return active.alert.tests[0].sym if active is not None else ""

    def facts(self, key: str) -> FilterFacts | None:
        row = self.row(key)
        return None if row is None else FilterFacts(text=row.condition, sym=row.sym, state=row.state)

    def copy_text(self, key: str) -> str:
        active = self.book.active.get(key) if self.book is not None else None
        return active.text if active is not None else key
