"""Fills pane: newest first; the fills of one order are grouped under a row that can be expanded."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar

from tui.engine.rows import OrderRow, Table
from tui.interface.decimals import ZERO
from tui.interface.symbols import try_parse
from tui.interface.text import how_many
from tui.interface.times import millis
from tui.workstation.features.fills import cells
from tui.workstation.features.fills.cells import FillLine, Trade
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import in_contracts, venue_of
from tui.workstation.render.pieces import Piece
from tui.workstation.table.columns import Field, Fields, of_row
from tui.workstation.table.pane import ChangedRows, Pane
from tui.workstation.table.raw_facts import raw_facts
from tui.workstation.table.row_filter import FilterFacts

if TYPE_CHECKING:
    from tui.interface.families.history import TradeRecord

_FIELDS: Fields[FillLine] = {
    "time": Field(13, cells.time, of_row(cells.by_time), left=True, hide=1),
    "symbol": Field(16, of_row(cells.sym), left=True, short=of_row(cells.sym_short), prose=True, least=12),
    "intent": Field(12, of_row(cells.intent), left=True, prose=True, hide=1),
    "qty": Field(10, cells.qty, of_row(cells.by_qty), least=9),
    "base": Field(11, cells.base, cells.base_of, hide=14),
    "price": Field(11, cells.price, of_row(cells.average)),
    "exec": Field(7, of_row(cells.execution_role), left=True, title=" exec", hide=2, prose=True),
    "fee": Field(10, cells.charge, of_row(cells.by_charge), hide=2, title="net fee"),
    "rpnl": Field(11, cells.rpnl, of_row(cells.by_rpnl), hide=4),
    "slip": Field(8, of_row(cells.slip), of_row(cells.by_slip), hide=4),
    "lat": Field(11, of_row(cells.latency), of_row(cells.by_latency), hide=4),
    "id": Field(22, of_row(cells.trade_id), left=True, hide=16, title=" id", prose=True),
}


class FillsPane(Pane[FillLine]):
    """Pane with the executed fills."""

    id: ClassVar[str] = "fills"
    title: ClassVar[str] = "Fills"
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.FILLS])
    ages: ClassVar[bool] = False

    def __init__(self, view: DisplayContext) -> None:
        super().__init__(view)
        self._groups: dict[str, dict[str, Trade]] = {}
        self._built_version = -1
        self._opened: set[str] = set()

    fields = _FIELDS

    @property
    def grouped(self) -> bool:
        """Whether the fills of one order share a row; False while the list is sorted by a column."""
        return self.sorting is None

    def _group_fills(self) -> dict[str, dict[str, Trade]]:
        """Return the fills by order id, then by fill key, both newest first; cached until fills change."""
        version = self.view.mirror.version(Table.FILLS)
        if version != self._built_version:
            self._built_version = version
            groups: dict[str, dict[str, Trade]] = {}
            fills = self.view.mirror.fills
            for name in sorted(fills, key=lambda name: (-millis(fills[name].record.create_at), name)):
                groups.setdefault(fills[name].record.order_id or name, {})[name] = fills[name]
            self._groups = groups
            self._opened &= self._groups.keys()
        return self._groups

    def keys(self) -> list[str]:
        keys: list[str] = []
        for order_id, trades in self._group_fills().items():
            if len(trades) > 1 and self.grouped:
                keys.append(cells.ORDER + order_id)
            if len(trades) == 1 or order_id in self._opened or not self.grouped:
                keys += trades
        return keys

    def row(self, key: str) -> FillLine | None:
        if key.startswith(cells.ORDER):
            order_id = key.removeprefix(cells.ORDER)
            group = self._group_fills().get(order_id)
            if group is None:
                return None
            trades = tuple(group.values())
            return FillLine(trades, self._order(trades[0].record), whole=True, opened=order_id in self._opened)
        fact = self.view.mirror.fills.get(key)
        return None if fact is None else FillLine((fact,), self._order(fact.record))

    def is_news(self, row: FillLine) -> bool:
        return self.view.is_news(row.trades[0].stamp.received)

    def _order(self, record: TradeRecord) -> OrderRow | None:
        orders = self.view.mirror.orders
        return orders.get(record.client_order_id) or orders.get(record.order_id)

    def open_or_close(self, key: str) -> bool:
        """Show or hide the single fills of an order; return False if the row is not that of a whole order."""
        order_id = key.removeprefix(cells.ORDER)
        if not key.startswith(cells.ORDER) or order_id not in self._group_fills():
            return False
        self._opened ^= {order_id}
        return True

    def find_changed_rows(self, table: Table, keys: Iterable[str]) -> ChangedRows:
        del table
        fills = self.view.mirror.fills
        fill_keys = list(keys)
        orders = [cells.ORDER + fills[key].record.order_id for key in fill_keys if key in fills]
        return ChangedRows([*fill_keys, *orders], may_move=True)

    def counts(self) -> list[Piece]:
        return [(f"{len(self.view.mirror.fills)} in {how_many(len(self._group_fills()), 'order')}", "dim")]

    def short(self) -> str:
        return str(len(self.view.mirror.fills))

    def empty(self) -> str:
        return "no fills in this window" + self.view.name_keys(": ⟦screen.history⟧ lists earlier ones")

    def sym(self, key: str) -> str:
        line = self.row(key)
        return line.first.sym if line is not None else ""

    def facts(self, key: str) -> FilterFacts | None:
        line = self.row(key)
        if line is None:
            return None
        at = millis(line.first.create_at)
        return FilterFacts(
            text=" ".join([*self.texts(line), line.first.order_id, line.first.client_order_id]),
            sym=line.first.sym,
            side=line.first.side,
            state=line.first.exec_type,
            venue=venue_of(line.first.sym),
            age=Decimal(str(self.view.server_wall - at / 1000)) if at else None,
            qty=cells.sum_fills(line, "quantity"),
        )

    def copy_text(self, key: str) -> str:
        fact = self.view.mirror.fills.get(key)
        return key.removeprefix(cells.ORDER) if fact is None else fact.record.transaction_id

    def details(self, key: str) -> list[tuple[str, str]]:
        line = self.row(key)
        if line is None:
            return []
        if not line.whole:
            return raw_facts(line.trades[0])
        unit = " contracts" if in_contracts(line.first.sym) else ""
        facts = [
            ("order", line.first.order_id),
            ("client id", line.first.client_order_id),
            ("symbol", line.first.sym),
            ("quantity", f"{cells.sum_fills(line, 'quantity')}{unit}"),
            ("executed", line.order.executed if line.order is not None else number_format.MISSING),
            ("average", format(cells.average(line) or ZERO, "f")),
        ]
        parts = try_parse(line.first.sym)
        quote = parts.quote if parts is not None else ""
        for name, value in (("fee", _negate(cells.fee_of(line))), ("rebate", cells.rebate_of(line))):
            facts.append((name, number_format.MISSING if value is None else f"{value} {quote}"))
        for trade in line.trades:
            record = trade.record
            facts.append(
                (record.transaction_id, f"{record.quantity} @ {record.price} {record.exec_type} fee {record.fee}")
            )
        return facts


def _negate(cost: Decimal | None) -> Decimal | None:
    """Return a cost with its sign reversed, as the change of the balance; None stays None."""
    return None if cost is None else -cost
