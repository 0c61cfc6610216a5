"""Cache of the drawn lines of a table; a cell is formatted again only after its data changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from rich.style import Style

from tui.workstation.model.number_format import is_zero_or_missing
from tui.workstation.render.box_border import BoxBorder
from tui.workstation.render.line_cells import Line, Slot, whole_line
from tui.workstation.render.palette import NEWS as NEWS_ROLES
from tui.workstation.render.palette import Palette
from tui.workstation.render.strips import Run
from tui.workstation.render.text import fit
from tui.workstation.table.columns import Cell, Column
from tui.workstation.table.flashes import Flashes, lit_runs
from tui.workstation.table.pane import AnyPane
from tui.workstation.table.placed_columns import PlacedColumns

_PLAIN = frozenset(["text", "dim"])
"""Roles without a meaning of their own: a figure that is zero or missing is faint instead."""

WHOLE = 1
"""Reason for a redraw: anything a cell depends on changed."""
NEWS = 2
"""Reason for a redraw: the row's own figures changed, and may flash."""


class RowState(NamedTuple):
    """State that determines how a row is drawn, apart from its data: width, selection, marks, focus, border."""

    width: int
    selected: bool
    marked: bool
    focused: bool
    frame: int
    """Version of the pane's frame."""
    colours: int
    """Version of the palette."""


class _CachedLine:
    """Line as it was last built, with its formatted cells."""

    __slots__ = ("cells", "line", "lit", "looks", "news", "plain", "sources", "state")

    def __init__(self) -> None:
        self.looks: object = None
        self.news = False
        self.sources: list[object] = []
        self.cells: list[tuple[str, str]] = []
        """Text and role by column, fitted."""
        self.plain: list[Cell | None] = []
        """Cells before fitting, where only padding was needed."""
        self.lit: list[str | None] = []
        self.state: RowState | None = None
        self.line: Line = ()


class RowLines:
    """Cache of row lines, by row key."""

    def __init__(
        self, pane: AnyPane, palette: Palette, box_border: BoxBorder, placed: PlacedColumns, flashes: Flashes
    ) -> None:
        self._pane = pane
        self._palette = palette
        self._box_border = box_border
        self._placed = placed
        self._flashes = flashes
        self._kept: dict[str, _CachedLine] = {}
        self._touched: dict[str, int] = {}
        """Rows whose line may be outdated, with the reasons (`WHOLE`, `NEWS`)."""
        self._flashing: tuple[Column[Any], ...] = ()
        self._flashing_at: list[tuple[int, Callable[[Any], str]]] = []
        """Columns that flash, of `_flashing`."""
        self.cells_formatted = self.lines_made = 0
        """Counters since the start, for tests."""

    def __contains__(self, key: str) -> bool:
        return key in self._kept

    @property
    def keys(self) -> set[str]:
        """Row keys with any cached data."""
        return self._kept.keys() | self._touched.keys()

    def is_news(self, key: str) -> bool:
        """Return whether the row was highlighted as recently changed when its line was built."""
        kept = self._kept.get(key)
        return kept is not None and kept.news

    def touch(self, key: str, reasons: int = 0) -> None:
        """Mark the line of a row as possibly outdated."""
        self._touched[key] = self._touched.get(key, 0) | reasons

    def forget(self, key: str) -> None:
        """Drop the line of a removed row."""
        self._kept.pop(key, None)
        self._touched.pop(key, None)

    def keep_only(self, keys: Iterable[str]) -> None:
        """Drop the lines of all other rows."""
        wanted = set(keys)
        for key in self._kept.keys() - wanted:
            del self._kept[key]
        for key in self._touched.keys() - wanted:
            del self._touched[key]

    def clear(self) -> None:
        """Drop all lines after a change of columns, size or theme."""
        self._kept.clear()
        self._touched.clear()

    def line(self, key: str, state: RowState) -> Line:
        """Return the line of a row; the same object as long as its content is unchanged."""
        kept = self._kept.get(key)
        touched = self._touched.pop(key, None)
        if kept is not None and touched is None and kept.state == state:
            return kept.line
        row = self._pane.row(key)
        if row is None:
            self._kept.pop(key, None)
            strip = self._box_border.draw_line([], state.width, self._palette, focused=state.focused)
            return whole_line(state.width, [(segment.text, segment.style or Style()) for segment in strip])
        if kept is None:
            kept, touched = _CachedLine(), (touched or 0) | WHOLE
        changed = self._format(kept, row, whole=bool(touched & WHOLE)) if touched is not None else set[int]()
        if touched is not None and touched & NEWS:
            view = self._pane.view
            self._flashes.note(key, row, self._flashing_columns(), view.now, view.asks)
        self._assemble(key, kept, state, changed)
        self._kept[key] = kept
        return kept.line

    def _flashing_columns(self) -> list[tuple[int, Callable[[Any], str]]]:
        columns = self._placed.columns
        if columns is not self._flashing:
            self._flashing = columns
            self._flashing_at = [
                (n, column.field.flash) for n, column in enumerate(columns) if column.field.flash is not None
            ]
        return self._flashing_at

    def _format(self, kept: _CachedLine, row: object, *, whole: bool) -> set[int]:
        """Format the cells that may have changed; return the columns that did change."""
        pane, placed = self._pane, self._placed
        looks, news, view = pane.looks(row), pane.is_news(row), pane.view
        if len(kept.cells) != len(placed.columns):
            kept.sources = [None] * len(placed.columns)
            kept.cells = [("", "")] * len(placed.columns)
            kept.plain = [None] * len(placed.columns)
            whole = True
        if looks != kept.looks:
            kept.looks = looks
            whole = True
        if news != kept.news:
            kept.news, whole = news, True
            kept.plain = [None] * len(placed.columns)
        changed: set[int] = set()
        sources, kept_cells, plain = kept.sources, kept.cells, kept.plain
        for index, column, field, cells in placed.placed:
            if (of := field.of) is not None:
                source = of(row)
                if not whole and source == sources[index]:
                    continue
                sources[index] = source
            self.cells_formatted += 1
            cell_now = field.cell(row, view)
            if cell_now == plain[index]:
                continue
            text, role = cell_now
            if role in _PLAIN and is_zero_or_missing(text):
                role = "faint"
            if len(text) < cells and not field.prose and text.isascii():
                plain[index] = cell_now
            else:
                plain[index] = None
                text = placed.fit_text(column, row, text, cells)
            cell = (fit(text, cells, right=not field.left), NEWS_ROLES.get(role, role) if news else role)
            if cell != kept_cells[index]:
                kept_cells[index] = cell
                changed.add(index)
        return changed

    def _assemble(self, key: str, kept: _CachedLine, state: RowState, changed: set[int]) -> None:
        """Assemble the line from its cells; unchanged slots stay the same objects."""
        placed, style = self._placed, self._palette.style
        flashes = self._flashes.lit
        none_lit: list[str | None] = [None] * len(kept.cells)
        lit = (
            [flashes[key, n][1] if (key, n) in flashes else None for n in range(len(none_lit))] if flashes else none_lit
        )
        again = state != kept.state or len(kept.line) != len(kept.cells) + 2
        if not again and not changed and lit == kept.lit:
            return
        self.lines_made += 1
        ground = ("cursor" if state.focused else "idle") if state.selected else ""
        if again and self._is_reframed(kept, state) and not changed and lit == kept.lit:
            bar = style(self._box_border.edge_role(focused=state.focused))
            cells, runs = kept.line[-1]
            left = (1, (self._draw_left_bar(state, bar, ground),))
            kept.line = (left, *kept.line[1:-1], (cells, (*runs[:-1], ("│", bar))))
            kept.state = state
            return
        slots: list[Slot] = list(kept.line) if not again else [(0, ())] * (len(kept.cells) + 2)
        widths = placed.widths
        others: Iterable[int] = changed
        if again:
            others = range(len(kept.cells))
        elif lit != kept.lit:
            others = [n for n, flash in enumerate(lit) if n in changed or flash != kept.lit[n]]
        for index in others:
            text, role = kept.cells[index]
            flash, plain = lit[index], style(role, ground)
            runs = ((text, plain),) if flash is None else tuple(lit_runs(text, plain, style(role, flash)))
            slots[index + 1] = (widths[index], runs)
        if again:
            bar = style(self._box_border.edge_role(focused=state.focused))
            slots[0] = (1, (self._draw_left_bar(state, bar, ground),))
            spare = state.width - 2 - sum(widths[: len(kept.cells)])
            blank: tuple[Run, ...] = ((" " * spare, style("text", ground)),) if spare > 0 else ()
            slots[-1] = (max(0, spare) + 1, (*blank, ("│", bar)))
        kept.line, kept.lit, kept.state = tuple(slots), lit, state

    @staticmethod
    def _is_reframed(kept: _CachedLine, state: RowState) -> bool:
        """Return whether, since a row's line was built, only the list's focus changed; False for a selected row."""
        before = kept.state
        if before is None or state.selected or len(kept.line) != len(kept.cells) + 2:
            return False
        return before._replace(focused=state.focused) == state

    def _draw_left_bar(self, state: RowState, bar: Style, ground: str) -> Run:
        style = self._palette.style
        if state.marked:
            return "◆" if state.selected else "◇", style("accent", ground)
        return ("▸" if state.focused else "▹", style("accent", ground)) if state.selected else ("│", bar)
