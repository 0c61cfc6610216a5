"""Risk pane: one row per venue account, the one nearest to liquidation first, with the effect of market moves."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from operator import attrgetter
from typing import ClassVar

from tui.engine.rows import Table
from tui.interface.decimals import half_up
from tui.workstation.features.risk import cells
from tui.workstation.features.risk.cells import Row
from tui.workstation.model import number_format
from tui.workstation.model.account_risk import mmr_of, no_risk
from tui.workstation.render.pieces import Piece
from tui.workstation.table.column_kinds import age_cell, by_age, show_money
from tui.workstation.table.columns import Field, Fields, of_row
from tui.workstation.table.pane import ChangedRows, Pane, find_rows_of_table
from tui.workstation.table.row_filter import FilterFacts

_FIELDS: Fields[Row] = {
    "status": Field(13, of_row(cells.status), left=True, short=of_row(cells.status_short), prose=True),
    "venue": Field(9, of_row(cells.venue), left=True, prose=True),
    "uniMMR": Field(8, cells.mmr, of_row(cells.by_mmr)),
    "risk": Field(7, of_row(cells.risk), of_row(cells.by_risk), hide=2),
    "equity": show_money(attrgetter("record.equity"), 13, "dim", title="gross eq.", hide=4),
    "net eq.": Field(13, cells.net_equity, cells.by_net_equity, least=12, hide=2),
    "margin": show_money(attrgetter("record.margin_value"), 13, "dim", hide=14),
    "available": show_money(attrgetter("record.available_margin"), 13, least=12, hide=1),
    "maint.": show_money(attrgetter("record.maintain_margin"), 11, "dim", hide=2),
    "valid": Field(13, cells.valid, of_row(cells.by_valid), hide=3),
    "frozen": show_money(attrgetter("record.frozen_margin"), 12, "dim", hide=14),
    "uPnL": Field(12, cells.upnl, of_row(cells.by_upnl), hide=3),
    "position": show_money(attrgetter("record.position_value"), 13, "dim", hide=15),
    "open loss": show_money(attrgetter("record.open_loss_margin"), 11, "dim", hide=15),
    "stress": Field(15, cells.stress, cells.by_stress, hide=3, title="stress ±5 ±10"),
    "mode": Field(6, of_row(cells.mode), left=True, hide=15, title=" mode", prose=True),
    "next": Field(26, of_row(cells.next_status), of_row(cells.by_next), left=True, hide=12, title="  to next status"),
    "age": Field(5, age_cell, by_age),
}


class RiskPane(Pane[Row]):
    """Pane with each account's distance from liquidation."""

    id: ClassVar[str] = "risk"
    title: ClassVar[str] = "Risk"
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.ACCOUNTS, Table.POSITIONS, Table.ASSETS])

    fields = _FIELDS

    def keys(self) -> list[str]:
        rows = [
            (mmr_of(fact.record) or Decimal("Infinity"), not no_risk(fact.record), key)
            for key, fact in self.view.mirror.accounts.items()
        ]
        return [key for *_, key in sorted(rows)]

    def row(self, key: str) -> Row | None:
        return self.view.mirror.accounts.get(key)

    def find_changed_rows(self, table: Table, keys: Iterable[str]) -> ChangedRows:
        return find_rows_of_table(table, keys, Table.ACCOUNTS, self.view.mirror.accounts)

    def counts(self) -> list[Piece]:
        return [(self.short(), "dim"), (" · ", "frame"), ("uniMMR: higher is safer", "dim")]

    def short(self) -> str:
        return str(len(self.view.mirror.accounts))

    def empty(self) -> str:
        return "no account row" + self.view.name_keys(": ⟦screen.overview⟧ lists all accounts")

    def facts(self, key: str) -> FilterFacts | None:
        fact = self.row(key)
        if fact is None:
            return None
        age = Decimal(str(self.view.now - fact.stamp.received))
        record = fact.record
        text = " ".join(self.texts(fact))
        return FilterFacts(text=text, state=record.account_status, venue=record.exchange_type, age=age)

    def carries_risk(self, key: str) -> bool:
        fact = self.row(key)
        return fact is not None and not no_risk(fact.record)

    def details(self, key: str) -> list[tuple[str, str]]:
        fact = self.row(key)
        facts = super().details(key)
        if fact is not None:
            net = cells.net_equity(fact, self.view)[0]
            facts.append(("net equity (less loans)", net))
            ratios = {shock: value for value, shock in cells.compute_stress(fact.record, self.view)}
            for shock in cells.SHOCKS:
                text = f"~{half_up(ratios[shock], 2)}" if shock in ratios else number_format.MISSING
                facts.append((f"uniMMR at {half_up(shock * 100, 0):+}%", text))
        return facts
