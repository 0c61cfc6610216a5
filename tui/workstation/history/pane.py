"""The pane of the history: five lists over one question, each read when it is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, ClassVar

from tui.engine.history import HistoryKind, HistoryRead, ReadState
from tui.engine.rows import Table
from tui.interface.wording import how_many
from tui.workstation.history.asked import HistoryAsk
from tui.workstation.history.booked_tabs import CLOSED, STATEMENT, VOLUME
from tui.workstation.history.tab import HistoryTab, number
from tui.workstation.history.trade_tabs import FILLS, ORDERS
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import venue_of
from tui.workstation.render.text import width as text_width
from tui.workstation.table.columns import Cell, Fields, Layout
from tui.workstation.table.pane import Pane, raw_facts
from tui.workstation.table.row_filter import FilterFacts

TABS: tuple[HistoryTab, ...] = (ORDERS, FILLS, CLOSED, STATEMENT, VOLUME)
WAITING = "asked; nothing has come yet"


class HistoryPane(Pane[Any]):
    """Shows what was read, and says what was not."""

    id: ClassVar[str] = "history"
    title: ClassVar[str] = "History"
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.HISTORY])
    ages: ClassVar[bool] = False
    views: ClassVar[tuple[str, ...]] = tuple(tab.kind.value for tab in TABS)
    names_views: ClassVar[bool] = True

    def __init__(self, view: DisplayContext) -> None:
        super().__init__(view)
        self.ask = HistoryAsk()
        """The question that stands; every list is read for it when it is looked at."""
        self._rows: dict[str, Any] = {}
        self._made_for: tuple[int, int] = (-1, -1)

    # What is shown

    @property
    def tab(self) -> HistoryTab:
        """The list that is looked at."""
        return TABS[self.view_at]

    def read(self, kind: HistoryKind | None = None) -> HistoryRead | None:
        """What was read of a list, of the present one if none is named."""
        return self.view.mirror.history.get((kind or self.tab.kind).value)

    @property
    def layouts(self) -> tuple[Layout[Any], ...]:
        return self.tab.layouts

    @property
    def fields(self) -> Fields[Any]:
        return self.tab.fields

    def _made(self) -> dict[str, Any]:
        made_for = (self.view.mirror.version(Table.HISTORY), self.view_at)
        if made_for != self._made_for:
            self._made_for = made_for
            read, tab = self.read(), self.tab
            rows = sorted(read.rows, key=lambda row: -tab.at(row)) if read is not None else []
            self._rows = {tab.id(row): row for row in rows}
        return self._rows

    def keys(self) -> list[str]:
        return list(self._made())

    def row(self, key: str) -> Any:
        return self._made().get(key)

    def changed(self, table: Table, keys: Iterable[str]) -> tuple[Iterable[str], bool]:
        del table, keys
        return list(self._made()), True

    def cycle_view(self, steps: int) -> bool:
        self.sorting = None
        # Another list has other columns.
        self.choices += 1
        return super().cycle_view(steps)

    # Around the rows

    def short(self) -> str:
        read = self.read()
        if read is None:
            return ""
        have, total = len(read.rows), read.total
        return f"{have} of {total}{'' if read.state is ReadState.WHOLE else '+'}" if total > have else str(have)

    def progress(self) -> tuple[str, str]:
        """How far the list has been read, and the colour of these words."""
        read = self.read()
        if read is None:
            return "", "dim"
        match read.state:
            case ReadState.READING:
                return "reading… (s stops)", "accent"
            case ReadState.ARCHIVE:
                return "reading the archive, which takes a while… (s stops)", "accent"
            case ReadState.PART:
                return "n: more", "accent"
            case ReadState.STOPPED:
                return "stopped (n goes on)", "warn"
            case ReadState.FAILED:
                return f"not read: {read.text} (n tries again)", "alert"
            case ReadState.FULL:
                return read.text, "warn"
        return read.text, "dim"

    def beside(self) -> tuple[str, ...]:
        """What the title says besides the question, the longest form first: of the volume that of all portfolios."""
        read = self.read()
        if read is None or read.user is None:
            return ()
        spot, perp = (self.view.money(text) for text in (read.user.all_spot, read.user.all_perp))
        both = self.view.amount(number(read.user.all_spot) + number(read.user.all_perp))
        return (f"all portfolios: spot {spot}, perp {perp}", f"all portfolios {both}")

    def shown_rows(self) -> list[Any]:
        """The rows as the filter leaves them, in the order of the screen."""
        made = self._made()
        return [made[key] for key in self.arranged()]

    def empty(self) -> str:
        read = self.read()
        if read is None:
            return WAITING
        text, _ = self.progress()
        if read.under_way or read.state in (ReadState.FAILED, ReadState.STOPPED):
            return text
        noun = self.tab.noun if self.tab.kind is not HistoryKind.VOLUME else "whole days with trades"
        return f"no {noun}: {self.ask.words(self.tab.kind)}"

    @property
    def has_totals(self) -> bool:
        return bool(self._made())

    def total_cells(self) -> Mapping[str, Cell]:
        rows, totals = self.shown_rows(), self.tab.totals
        return totals(rows, self.view) if rows and totals is not None else {}

    def total_line(self, cells: int) -> str:
        """As many of the sums as there is room for; `…` stands for those that are left out."""
        rows = self.shown_rows()
        parts = self.tab.sums(rows, self.view) if rows else []
        for count in range(len(parts), 0, -1):
            line = " · ".join([*parts[:count], *(["…"] if count < len(parts) else [])])
            if text_width(line) <= cells:
                return line
        return parts[0] if parts else ""

    # What a row is about

    def sym(self, key: str) -> str:
        row = self.row(key)
        return "" if row is None else self.tab.sym(row)

    def order_id(self, key: str) -> str:
        """The order that a row is about, or empty."""
        row = self.row(key)
        return "" if row is None else self.tab.order(row)

    def facts(self, key: str) -> FilterFacts | None:
        row = self.row(key)
        if row is None:
            return None
        at, sym = self.tab.at(row), self.tab.sym(row)
        qty = next((getattr(row, name) for name in ("order_qty", "quantity", "closed_qty") if hasattr(row, name)), "")
        return FilterFacts(
            text=" ".join([*self.texts(row), self.tab.id(row), getattr(row, "client_order_id", "")]),
            sym=sym,
            side=getattr(row, "side", "") or getattr(row, "position_history_side", ""),
            state=getattr(row, "order_state", ""),
            venue=venue_of(sym) or getattr(row, "exchange_type", ""),
            age=Decimal(str(round(self.view.clock.wall() - at / 1000, 3))) if at else None,
            qty=number_format.value(qty),
        )

    def copied(self, key: str) -> str:
        return self.order_id(key) or key

    def details(self, key: str) -> list[tuple[str, str]]:
        return raw_facts(self.row(key))

    def counted(self) -> str:
        """How many rows are shown, in words."""
        return how_many(len(self.shown_rows()), "row")
