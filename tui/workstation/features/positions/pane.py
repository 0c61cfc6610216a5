"""Positions pane: one row per position, largest first, with liquidation price and distance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import ClassVar, NamedTuple

from tui.engine.rows import Table
from tui.interface.decimals import plain
from tui.interface.figures import leg_of, size_of
from tui.interface.symbols import try_parse
from tui.workstation.features.positions import cells
from tui.workstation.features.positions.cells import Row
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import venue_of
from tui.workstation.model.position_metrics import base_delta, coins_held, explain_liquidation_side, open_result
from tui.workstation.render.pieces import Piece
from tui.workstation.table.columns import Cell, Column, Field, Fields, of_row
from tui.workstation.table.pane import ChangedRows, Pane, find_rows_of_table, sort_number
from tui.workstation.table.row_filter import FilterFacts

MANY = 50
"""Positions from which on their sums are added up at most every `SUM_S`."""
SUM_S = 1.0
MOST_NETS = 3
"""Most base coins whose net delta is shown in the title."""

_FIELDS: Fields[Row] = {
    "symbol": Field(14, of_row(cells.sym), left=True, prose=True, least=12),
    "leg": Field(6, of_row(cells.leg), left=True, prose=True),
    "size": Field(9, cells.size, of_row(cells.by_size)),
    "base": Field(11, cells.base, cells.by_base, hide=15),
    "notional": Field(13, cells.notional, cells.by_notional, hide=15),
    "closable": Field(10, cells.closable, cells.by_closable, hide=15),
    "unit": Field(11, cells.unit, left=True, hide=18, title=" unit of", prose=True),
    "entry": Field(10, cells.entry, of_row(cells.by_entry), hide=4),
    "be": Field(12, cells.even, cells.by_even, hide=15, title="break-even"),
    "mark": Field(10, cells.mark, cells.by_mark, hide=7),
    "uPnL": Field(11, cells.result, cells.by_result, flash=lambda row: row.record.unrealized_pnl, least=10),
    "ROE": Field(8, of_row(cells.rate), of_row(cells.by_rate), hide=8),
    "rPnL": Field(12, cells.day_result, cells.by_day_result, hide=15),
    "liq": Field(10, cells.liq, cells.by_liq, least=9, hide=1, short=cells.liq_brief),
    "dist": Field(8, cells.distance, cells.by_distance, hide=1),
    "bar": Field(8, cells.bar, cells.by_distance, left=True, hide=16, title=" far"),
    "lev": Field(8, of_row(cells.leverage), of_row(cells.by_leverage), hide=16),
    "margin": Field(12, cells.margin, of_row(cells.by_margin), hide=15),
    "MM": Field(11, cells.maintenance, of_row(cells.by_maintenance), hide=16),
    "tier": Field(6, cells.tier, of_row(cells.by_tier), hide=17),
    "funding": Field(16, cells.funding, cells.by_funding, hide=15),
    "accrued": Field(11, cells.funding_total, of_row(cells.by_funding_total), hide=15),
    "fund/y": Field(9, cells.yearly, cells.by_yearly, hide=15),
    "ADL": Field(7, cells.adl, cells.by_adl, left=True, title=" ADL", short=cells.adl_short, hide=6),
    "A": Field(4, cells.adl_digit, cells.by_adl, hide=5, title="ADL", instead=("ADL",)),
    "TP/SL": Field(25, cells.protection, left=True, hide=9, title=" TP/SL", short=cells.protection_brief),
    "stop": Field(
        cells.STOP_CELLS,
        cells.stop,
        cells.by_stop,
        least=cells.STOP_CELLS,
        hide=3,
        instead=("TP/SL",),
        short=cells.stop_brief,
    ),
    "T/S": Field(5, cells.protection_short, left=True, hide=2, title=" T/S", instead=("stop",)),
    "age": Field(6, cells.age, cells.by_age, hide=17),
}

_SUMMED = ("notional", "uPnL", "margin", "MM", "accrued")
_UNSIGNED = frozenset(["notional", "margin", "MM"])


class _Sums(NamedTuple):
    """Sums over all positions."""

    legs: int
    gain: Decimal | None
    """Unrealised result; None if it is not known of every position."""
    nets: dict[str, Decimal]
    """Net size by coin."""


class PositionsPane(Pane[Row]):
    """Pane with the open positions."""

    id: ClassVar[str] = "positions"
    title: ClassVar[str] = "Positions"
    number: ClassVar[int] = 3
    at_risk: ClassVar[bool] = True
    feeds: ClassVar[frozenset[Table]] = frozenset(
        [
            Table.POSITIONS, Table.ADL, Table.SYMBOLS, Table.QUOTES, Table.ORDERS, Table.FILLS, Table.FUNDING,
            Table.TICKERS, Table.FEES, Table.ALGOS, Table.BRACKETS, Table.ACCOUNTS, Table.STATEMENTS,
            Table.DAYS, Table.ENGINE_STATUS,
        ]
    )  # fmt: skip
    priced_by: ClassVar[frozenset[Table]] = frozenset(
        [
            Table.QUOTES, Table.FUNDING, Table.TICKERS, Table.BRACKETS, Table.ORDERS, Table.FILLS, Table.DAYS,
            Table.ACCOUNTS, Table.ENGINE_STATUS,
        ]
    )  # fmt: skip

    total_from: ClassVar[int] = 5

    fields = _FIELDS

    def keys(self) -> list[str]:
        shown = [
            (abs(sort_number(fact.record.position_value, Decimal(0))), key)
            for key, fact in self.view.mirror.positions.items()
            if size_of(fact.record) != 0
        ]
        return [key for _, key in sorted(shown, key=lambda pair: (-pair[0], pair[1]))]

    def row(self, key: str) -> Row | None:
        return self.view.mirror.positions.get(key)

    def find_changed_rows(self, table: Table, keys: Iterable[str]) -> ChangedRows:
        return find_rows_of_table(table, keys, Table.POSITIONS, self.view.mirror.positions)

    def find_changed_in_view(self, table: Table, keys: Iterable[str], shown: Sequence[str]) -> Iterable[str]:
        mirror = self.view.mirror
        if table is Table.ENGINE_STATUS:
            return shown  # It says whether the day results are whole.
        if table is Table.ACCOUNTS:
            venues = frozenset(keys)
            return [key for key in shown if venue_of(self.sym(key)) in venues]
        if table is Table.ORDERS:
            keys = [mirror.orders[key].sym for key in keys if key in mirror.orders]
        elif table is Table.FILLS:
            keys = [mirror.fills[key].record.sym for key in keys if key in mirror.fills]
        elif table is Table.DAYS:
            keys = [mirror.days[key].sym for key in keys if key in mirror.days]
        return super().find_changed_in_view(table, keys, shown)

    def heading(self, column: Column[Row]) -> str:
        """Return the column heading, which includes the valuation of the unrealised result."""
        if column.id == "uPnL":
            return f"uPnL {self.view.result.value}"
        if column.id == "ROE":
            title = f"ROE {self._common_leverage()}".rstrip()
            return title if len(title) < column.width else column.title
        return column.title

    def _common_leverage(self) -> str:
        """Return the leverage if all positions have the same, such as `20x`; empty if they differ."""
        legs = [fact.record for fact in self.view.mirror.positions.values() if size_of(fact.record)]
        leverages = {leg.leverage for leg in legs}
        times = number_format.value(leverages.pop()) if len(leverages) == 1 else None
        return f"{plain(times)}x" if times else ""

    def __init__(self, view: DisplayContext) -> None:
        super().__init__(view)
        self._sums = _Sums(0, Decimal(0), {})
        self._summed_at = float("-inf")
        self._summed_for: tuple[int, object] = (-1, None)
        """Number of the positions, and the valuation."""

    def _sum_up(self) -> _Sums:
        """Return the sums over all positions; with many positions recomputed once a second, unless their number changes."""
        now, wanted = self.view.now, (len(self.view.mirror.positions), self.view.result)
        if self._sums.legs < MANY or wanted != self._summed_for or now - self._summed_at >= SUM_S:
            self._sums, self._summed_at, self._summed_for = self._sums_now(), now, wanted
        return self._sums

    def _sums_now(self) -> _Sums:
        total, known = Decimal(0), True
        nets: dict[str, Decimal] = {}
        rows = self.keys()
        for key in rows:
            record = self.view.mirror.positions[key].record
            gain = open_result(record, self.view)
            known = known and gain is not None
            total += gain or Decimal(0)
            delta, parts = base_delta(record, self.view), try_parse(record.sym)
            if delta is not None and parts is not None:
                nets[parts.base] = nets.get(parts.base, Decimal(0)) + delta
        return _Sums(len(rows), total if known else None, nets)

    def counts(self) -> list[Piece]:
        sums = self._sum_up()
        coins = coins_held(self.view)
        pieces: list[Piece] = [(str(sums.legs), "dim")]
        if sums.legs:
            text = self.view.format_signed(sums.gain) if sums.gain is not None else number_format.MISSING
            pieces += [(" · ", "frame"), (text, number_format.change_role(sums.gain))]
        pieces += self._today()
        for base, net in list(sums.nets.items())[:MOST_NETS]:
            held = coins.get(base, Decimal(0))
            part = f" (coins {number_format.format_signed_decimal(held)})" if held else ""
            pieces += [(" · ", "frame"), (f"net {base} {number_format.format_signed_decimal(net + held)}{part}", "dim")]
        return pieces

    @property
    def has_totals(self) -> bool:
        return bool(self.view.mirror.positions)

    def total_cells(self) -> Mapping[str, Cell]:
        rows = [self.view.mirror.positions[key] for key in self.keys()]
        totals: dict[str, Cell] = {"symbol": ("total", "strong")}
        for name in _SUMMED:
            figure = _FIELDS[name].sort
            values = [figure(row, self.view) if figure is not None else None for row in rows]
            known = [value for value in values if isinstance(value, Decimal)]
            total = sum(known, Decimal(0)) if len(known) == len(rows) else None
            signed = name not in _UNSIGNED
            text = self.view.format_signed(total) if signed else self.view.amount(total)
            totals[name] = (text, number_format.change_role(total) if signed else "dim")
        return totals

    def _today(self) -> list[Piece]:
        """Build the text of today's realised net result; `~` marks an incomplete one."""
        if not self.view.mirror.days and not self.view.mirror.statements:
            return []
        realised = self.view.realised_pnl
        day = realised.today()
        parts = [booking for group, booking in realised.groups().items() if group.day == day]
        if not parts:
            return []
        total = realised.sum_bookings(parts)
        sure = "~" if realised.is_partial or total.incomplete or not realised.has_statements else ""
        return [
            (" · ", "frame"),
            (f"day {sure}{self.view.format_signed(total.net)}", number_format.change_role(total.net)),
        ]

    def empty(self) -> str:
        return f"flat (checked {self.view.moment(self.view.mirror.positions_checked_ms)}){self.way_to_ticket()}"

    def sym(self, key: str) -> str:
        fact = self.row(key)
        return fact.record.sym if fact else ""

    def facts(self, key: str) -> FilterFacts | None:
        fact = self.row(key)
        if fact is None:
            return None
        age = cells.by_age(fact, self.view)
        return FilterFacts(
            text=" ".join([*self.texts(fact), fact.record.position_id]),
            sym=fact.record.sym,
            side=leg_of(fact.record) + (" BUY" if leg_of(fact.record) == "LONG" else " SELL"),
            state="open",
            venue=venue_of(fact.record.sym),
            age=Decimal(str(age)) if isinstance(age, float) else None,
            qty=size_of(fact.record),
        )

    def carries_risk(self, key: str) -> bool:
        return self.row(key) is not None

    def details(self, key: str) -> list[tuple[str, str]]:
        fact, facts = self.row(key), super().details(key)
        why = "" if fact is None else explain_liquidation_side(fact.record, self.view)
        return [("liquidation", why), *facts] if why else facts

    def copy_text(self, key: str) -> str:
        fact = self.row(key)
        return fact.record.position_id or key if fact is not None else key
