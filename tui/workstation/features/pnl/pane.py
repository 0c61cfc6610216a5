"""P&L pane: realised results by symbol, venue or day, with each cost in its own column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar

from tui.engine.rows import EQUITY, Table
from tui.interface.symbols import try_parse
from tui.interface.text import how_many
from tui.workstation.features.pnl import cells
from tui.workstation.features.pnl.cells import PnlLine
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import short_name
from tui.workstation.render.pieces import Piece
from tui.workstation.table.columns import Cell, Field, Fields, of_row
from tui.workstation.table.pane import NO_ROWS, ChangedRows, Pane
from tui.workstation.table.row_filter import FilterFacts

if TYPE_CHECKING:
    from tui.workstation.model.realised_pnl import Booking, Group

_FIELDS: Fields[PnlLine] = {
    "by": Field(16, of_row(cells.name), left=True, short=of_row(cells.name_short), prose=True, least=13),
    "gross": cells.figure("gross", 1, 10, 0, width=12),
    "fee": cells.figure("fee", -1, 9, 1),
    "rebate": cells.figure("rebate", 1, 9, 1),
    "funding": cells.figure("funding", 1, 9, 2, in_fills=False),
    "interest": cells.figure("interest", -1, 9, 2, in_fills=False),
    "liqFee": cells.figure("liq_fee", -1, 7, 2, in_fills=False),
    "net": Field(13, cells.net, of_row(cells.by_net), least=10),
    "fills": Field(7, of_row(cells.fills), of_row(cells.by_fills), hide=15),
    "missing": Field(13, of_row(cells.missing), left=True, hide=16, title=" not in it"),
}


BY_DAY = "day"
_BY: dict[str, Callable[[Group], str]] = {
    "symbol": lambda group: group.name,
    "venue": lambda group: group.venue or number_format.MISSING,
    BY_DAY: lambda group: group.day,
}

COINS_HAVE_NO_GROSS = "spot and margin: only costs, no result"
"""What is said of pairs whose fills change coins, not a position."""
CURVES = ("equity", "realised")
"""Curves that can stand below the rows."""


class PnlPane(Pane[PnlLine]):
    """Pane with realised results after costs."""

    id: ClassVar[str] = "pnl"
    title: ClassVar[str] = "P&L"
    feeds: ClassVar[frozenset[Table]] = frozenset(
        [Table.DAYS, Table.FILLS, Table.STATEMENTS, Table.ENGINE_STATUS, Table.BARS]
    )
    ages: ClassVar[bool] = False

    def __init__(self, view: DisplayContext) -> None:
        super().__init__(view)
        self._rows: dict[str, PnlLine] = {}
        self._built_from: tuple[object, ...] = ()
        self._trades_coins = False
        """Whether a pair of spot or margin is among the shown results."""
        self.curve = CURVES[0]
        """Curve below the rows: equity or realised."""
        self.by = "symbol"
        """Key of the sums: symbol, venue or day."""

    fields = _FIELDS

    def sum_by_next(self) -> str:
        """Change the grouping to the next of symbol, venue and day, and return it."""
        names = list(_BY)
        self.by = names[(names.index(self.by) + 1) % len(names)]
        return self.by

    def draw_below(self, cells: int, lines: int) -> list[list[Piece]]:
        from tui.workstation.features.pnl.curves import draw_curve

        return draw_curve(self.curve, self.view, cells, lines)

    def below_version(self) -> object:
        mirror = self.view.mirror
        if self.curve == CURVES[0]:
            return self.curve, mirror.bars.get(EQUITY), self.view.minute
        versions = (mirror.version(table) for table in (Table.DAYS, Table.STATEMENTS, Table.FILLS))
        return self.curve, *versions, self.view.minute

    def show_next_curve(self) -> None:
        """Show the other curve below the rows."""
        self.curve = CURVES[(CURVES.index(self.curve) + 1) % len(CURVES)]

    def _build_lines(self) -> dict[str, PnlLine]:
        mirror = self.view.mirror
        if not mirror.days and not mirror.statements:
            return {}
        realised = self.view.realised_pnl
        partial, today = realised.is_partial, realised.today()
        source = (mirror.version(Table.DAYS), mirror.version(Table.STATEMENTS), self.by, partial, today)
        if source != self._built_from:
            self._built_from = source
            known = realised.has_statements
            groups: dict[str, list[Booking]] = {}
            self._trades_coins = False
            for group, booking in realised.groups().items():
                # A desk that stays open knows earlier days too; only the rows by day show them.
                if self.by == BY_DAY or group.day == today:
                    groups.setdefault(_BY[self.by](group), []).append(booking)
                    pair = try_parse(group.name)
                    self._trades_coins |= pair is not None and not pair.is_perp and not booking.gross
            self._rows = {
                name: PnlLine(name, realised.sum_bookings(parts), known, partial) for name, parts in groups.items()
            }
        return self._rows

    def keys(self) -> list[str]:
        rows = self._build_lines()
        return sorted(rows, key=lambda name: (-abs(rows[name].booking.net), name))

    def row(self, key: str) -> PnlLine | None:
        return self._build_lines().get(key)

    def find_changed_rows(self, table: Table, keys: Iterable[str]) -> ChangedRows:
        del keys
        # The bars of the equity change no row, only what is drawn below.
        return NO_ROWS if table is Table.BARS else ChangedRows(list(self._build_lines()), may_move=True)

    def _all(self) -> PnlLine:
        realised = self.view.realised_pnl
        total = self.view.realised_pnl.sum_bookings(line.booking for line in self._build_lines().values())
        return PnlLine(cells.TOTAL, total, realised.has_statements, realised.is_partial)

    def _today(self) -> PnlLine:
        """Return today's totals if the rows are days, else the totals of all rows."""
        if self.by != BY_DAY:
            return self._all()
        realised = self.view.realised_pnl
        return PnlLine(cells.TOTAL, realised.of_day(realised.today()), realised.has_statements, realised.is_partial)

    def heading(self, column: object) -> str:
        title: str = getattr(column, "title", "")
        if title.strip() == "not in it" and not self._all().booking.incomplete:
            return ""
        return f"by {self.by}" if title == "by" else title

    def counts(self) -> list[Piece]:
        total = self._today()
        text, role = cells.net(total, self.view)
        pieces: list[Piece] = [(f"{'today' if self.by == BY_DAY else 'net'} {text}", role)]
        if total.partial:
            pieces += [(" · ", "frame"), ("partial: fills or bookings of today are being read", "warn")]
        if not total.known and self._build_lines():
            pieces += [(" · ", "frame"), ("no statements yet: without funding and interest", "warn")]
        check = self.view.realised_pnl.reconcile() if total.known else None
        if check is not None and check.checked:
            pieces.append((" · ", "frame"))
            if check.rows:
                pieces.append(
                    (f"off by {self.view.format_signed(check.off, 4)} ({how_many(check.rows, 'row')})", "alert")
                )
            else:
                # A fill of the last seconds is in the sums before the statement has it.
                newer = total.booking.fills - check.checked
                later = f", {newer} newer than it" if newer > 0 else ""
                pieces.append((f"matches the statement ({how_many(check.checked, 'fill')}{later})", "good"))
        if self._trades_coins:
            pieces += [(" · ", "frame"), (COINS_HAVE_NO_GROSS, "dim")]
        if total.booking.incomplete:
            pieces += [(" · ", "frame"), (f"{total.booking.incomplete} unvalued", "warn")]
        if self.filter.terms:
            shown = self.view.realised_pnl.sum_bookings(self._build_lines()[key].booking for key in self.arrange_keys())
            pieces += [(" · ", "frame"), (f"of these {self.view.format_signed(shown.net)}", "dim")]
        return pieces

    def short(self) -> str:
        return cells.net(self._today(), self.view)[0] if self._build_lines() else "0"

    def empty(self) -> str:
        return "nothing booked" + self.view.name_keys(": ⟦screen.history⟧ lists closed positions")

    def sym(self, key: str) -> str:
        return key if try_parse(key) is not None else ""

    def facts(self, key: str) -> FilterFacts | None:
        line = self.row(key)
        if line is None:
            return None
        parts = try_parse(key)
        return FilterFacts(text=f"{key} {short_name(key)}", sym=key, venue=parts.exchange if parts is not None else key)

    @property
    def has_totals(self) -> bool:
        return bool(self._build_lines())

    def total_cells(self) -> Mapping[str, Cell]:
        total = self._all()
        return {name: field.cell(total, self.view) for name, field in _FIELDS.items()}

    def details(self, key: str) -> list[tuple[str, str]]:
        line = self.row(key)
        if line is None:
            return []
        names = ("gross", "fee", "rebate", "funding", "interest", "liq_fee", "net", "fills", "incomplete")
        return [(self.by, key), *((name.replace("_", " "), str(getattr(line.booking, name))) for name in names)]
