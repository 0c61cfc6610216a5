"""Assets pane: one row per coin and venue, the most valuable first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar

from tui.engine.rows import Table
from tui.workstation.features.assets import cells
from tui.workstation.features.assets.cells import Row
from tui.workstation.model import number_format
from tui.workstation.render.pieces import Piece
from tui.workstation.table.column_kinds import age_cell, by_age
from tui.workstation.table.columns import Field, Fields, of_row
from tui.workstation.table.pane import ChangedRows, Pane, find_rows_of_table, sort_number
from tui.workstation.table.row_filter import FilterFacts

if TYPE_CHECKING:
    from tui.interface.families.assets import AssetRecord

_FIELDS: Fields[Row] = {
    "coin": Field(6, of_row(cells.coin), left=True, prose=True, of=attrgetter("record.coin")),
    "venue": Field(9, of_row(cells.venue), left=True, prose=True, of=attrgetter("record.exchange_type")),
    "portfolio": Field(17, of_row(cells.portfolio), left=True, hide=16, prose=True, of=attrgetter("stamp.portfolio")),
    "balance": cells.coins("balance", "text", hide=2),
    "available": cells.coins("available", "text", least=12),
    "frozen": cells.coins("frozen", "dim", 12, hide=14),
    "transferable": cells.coins("max_transferable", "dim", 14, least=13, hide=1),
    "gap": Field(8, of_row(cells.gap), left=True, hide=13, title=" gap", of=cells.record_of),
    "equity": cells.coins("equity", "dim", title="gross eq.", hide=5),
    "value": Field(13, cells.net_value, cells.compute_net_value, of=cells.record_of, title="net value", least=10),
    "owed": Field(10, cells.owed, cells.owed_of, least=9, hide=2, of=cells.record_of, instead=("debt", "loan")),
    "debt": cells.coins("debt", "warn", 10, least=9, hide=14),
    "borrow": cells.coins("borrow", "warn", 10, hide=4),
    "loan": cells.coins("loan", "warn", 11, hide=14),
    "overdraw": cells.coins("overdraw", "warn", 10, hide=15),
    "haircut": Field(8, of_row(cells.haircut), of_row(cells.haircut_of), hide=4, of=cells.record_of),
    "interest": Field(9, cells.interest, cells.interest_of, hide=5, title="int/day"),
    "margin": cells.value_field("margin_value", 13, 14),
    "index": cells.value_field("index_price", 12, 15),
    "uPnL": cells.value_field("upnl", 11, 16),
    "perp mgn": cells.value_field("perp_margin", 11, 15),
    "debt mgn": cells.value_field("debt_margin", 11, 17),
    "virtual": cells.coins("virtual_borrow", "warn", 10, hide=17),
    "age": Field(6, age_cell, by_age, hide=13),
}


class AssetsPane(Pane[Row]):
    """Pane with the assets and debts of the portfolio."""

    id: ClassVar[str] = "assets"
    title: ClassVar[str] = "Assets"
    number: ClassVar[int] = 4
    rows_of: ClassVar[Table | None] = Table.ASSETS
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.ASSETS, Table.STATEMENTS, Table.INTEREST, Table.LOAN_CONFIG])

    fields = _FIELDS

    def keys(self) -> list[str]:
        rows = [
            (sort_number(fact.record.equity_value), key)
            for key, fact in self.view.mirror.assets.items()
            if not is_dust(fact.record)
        ]
        return [key for _, key in sorted(rows, key=lambda pair: (-pair[0], pair[1]))]

    def row(self, key: str) -> Row | None:
        return self.view.mirror.assets.get(key)

    def find_changed_rows(self, table: Table, keys: Iterable[str]) -> ChangedRows:
        return find_rows_of_table(table, keys, Table.ASSETS, self.view.mirror.assets)

    def counts(self) -> list[Piece]:
        rows = [fact.record for fact in self.view.mirror.assets.values()]
        values = [number_format.value(record.equity_value) for record in rows]
        known = [value for value in values if value is not None]
        pieces: list[Piece] = [(self.short(), "dim")]
        if known:
            missing = len(values) - len(known)
            text = f"{self.view.amount(sum(known, Decimal(0)))} all venues"
            loans = [number_format.value(record.loan_value) for record in rows if isinstance(record.loan_value, str)]
            if any(loans):
                from tui.rules.bookings import deduct_loans

                text += f" gross, {self.view.amount(deduct_loans(sum(known, Decimal(0)), loans))} net of loans"
            pieces += [(" · ", "frame"), (text + (f", {missing} unvalued" if missing else ""), "dim")]
        usable = _sum_figure(rows, lambda record: number_format.value(record.margin_value))
        if usable is not None:
            pieces += [(" · ", "frame"), (f"{self.view.amount(usable)} usable", "dim")]
        dust = sum(1 for record in rows if is_dust(record))
        if dust:
            pieces += [(" · ", "frame"), (f"{dust} dust", "faint")]
        return pieces

    def empty(self) -> str:
        by_key = self.view.name_keys(": ⟦screen.funds⟧ lists deposits and transfers")
        return f"no asset records on this venue{by_key or self.view.name_keys(': ⟦palette.open⟧ finds the funds')}"

    def facts(self, key: str) -> FilterFacts | None:
        fact = self.row(key)
        if fact is None:
            return None
        age = Decimal(str(self.view.now - fact.stamp.received))
        balance = number_format.value(fact.record.balance)
        text = " ".join(self.texts(fact))
        return FilterFacts(text=text, sym=fact.record.coin, venue=fact.record.exchange_type, age=age, qty=balance)


def is_dust(record: AssetRecord) -> bool:
    """Return whether an asset is worth less than a threshold, and has no debt or loan."""
    worth = number_format.value(record.equity_value)
    if worth is None or abs(worth) >= cells.DUST:
        return False
    return not isinstance(record.loan, str) and not any(
        number_format.value(getattr(record, name)) for name in cells.OWED
    )


def _sum_figure(records: list[AssetRecord], figure: Callable[[AssetRecord], Decimal | None]) -> Decimal | None:
    figures = [figure(record) for record in records]
    known = [value for value in figures if value is not None]
    return sum(known, Decimal(0)) if known and len(known) == len(figures) else None
