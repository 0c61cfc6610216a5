"""The lines of a table's rows: a cell is formatted when what it is made of has changed, and not before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from rich.style import Style

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

WHOLE = 1
"""Why a line may be old: something that any of its cells is made of has changed."""
NEWS = 2
"""Its own figures have, and those that did light up."""


class RowState(NamedTuple):
    """What a line says beside its row."""

    width: int
    selected: bool
    marked: bool
    focused: bool
    frame: int
    """Version of the frame around the pane."""


class _Kept:
    """A line as it was made last."""

    __slots__ = ("cells", "line", "lit", "looks", "news", "plain", "sources", "state")

    def __init__(self) -> None:
        self.looks: object = None
        self.news = False
        self.sources: list[object] = []
        self.cells: list[tuple[str, str]] = []
        """Text and role by column."""
        self.plain: list[Cell | None] = []
        """The same as the field gave it, where nothing but its width was to be seen to."""
        self.lit: list[str | None] = []
        self.state: RowState | None = None
        self.line: Line = ()


class RowLines:
    """Lines by row key."""

    def __init__(
        self, pane: AnyPane, palette: Palette, box_border: BoxBorder, placed: PlacedColumns, flashes: Flashes
    ) -> None:
        self._pane = pane
        self._palette = palette
        self._box_border = box_border
        self._placed = placed
        self._flashes = flashes
        self._kept: dict[str, _Kept] = {}
        self._touched: dict[str, int] = {}
        """Rows whose line may be old, with the reasons (`WHOLE`, `NEWS`)."""
        self._flashing: tuple[Column[Any], ...] = ()
        self._flashing_at: list[tuple[int, Callable[[Any], str]]] = []
        """Columns whose changes light up, of `_flashing`."""
        self.cells_formatted = self.lines_made = 0
        """Since the start; tests count them."""

    def __contains__(self, key: str) -> bool:
        return key in self._kept

    @property
    def keys(self) -> set[str]:
        """Rows that anything is kept of."""
        return self._kept.keys() | self._touched.keys()

    def is_news(self, key: str) -> bool:
        """Whether a line stood out when it was made last."""
        kept = self._kept.get(key)
        return kept is not None and kept.news

    def touch(self, key: str, reasons: int = 0) -> None:
        """A row may say something else."""
        self._touched[key] = self._touched.get(key, 0) | reasons

    def forget(self, key: str) -> None:
        """The row has gone."""
        self._kept.pop(key, None)
        self._touched.pop(key, None)

    def clear(self) -> None:
        """Other columns, another size or another theme."""
        self._kept.clear()
        self._touched.clear()

    def line(self, key: str, state: RowState) -> Line:
        """The line of a row: the same object as long as it says the same."""
        kept = self._kept.get(key)
        touched = self._touched.pop(key, None)
        if kept is not None and touched is None and kept.state == state:
            return kept.line
        row = self._pane.row(key)
        if row is None:
            self._kept.pop(key, None)
            strip = self._box_border.draw_line([], state.width, self._palette, focused=state.focused)
            return whole_line(state.width, [(one.text, one.style or Style()) for one in strip])
        if kept is None:
            kept, touched = _Kept(), (touched or 0) | WHOLE
        changed = self._format(kept, row, bool(touched & WHOLE)) if touched is not None else set[int]()
        if touched is not None and touched & NEWS:
            self._flashes.note(key, row, self._flashing_columns(), self._pane.view.now)
        self._assemble(key, kept, state, changed)
        self._kept[key] = kept
        return kept.line

    def _flashing_columns(self) -> list[tuple[int, Callable[[Any], str]]]:
        columns = self._placed.columns
        if columns is not self._flashing:
            self._flashing = columns
            self._flashing_at = [(n, one.field.flash) for n, one in enumerate(columns) if one.field.flash is not None]
        return self._flashing_at

    def _format(self, kept: _Kept, row: object, whole: bool) -> set[int]:
        """Make the cells anew that may be others; returns the columns of those that are."""
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
            made = field.cell(row, view)
            if made == plain[index]:
                continue
            text, role = made
            if len(text) < cells and not field.prose and text.isascii():
                plain[index] = made
            else:
                plain[index] = None
                text = placed.fitting(column, row, text, cells)
            cell = (fit(text, cells, not field.left), NEWS_ROLES.get(role, role) if news else role)
            if cell != kept_cells[index]:
                kept_cells[index] = cell
                changed.add(index)
        return changed

    def _assemble(self, key: str, kept: _Kept, state: RowState, changed: set[int]) -> None:
        """Put the slots together; those that say the same stay the same objects."""
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
            bar = style(self._box_border.edge_role(state.focused))
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
            bar = style(self._box_border.edge_role(state.focused))
            slots[0] = (1, (self._draw_left_bar(state, bar, ground),))
            spare = state.width - 2 - sum(widths[: len(kept.cells)])
            blank: tuple[Run, ...] = ((" " * spare, style("text", ground)),) if spare > 0 else ()
            slots[-1] = (max(0, spare) + 1, (*blank, ("│", bar)))
        kept.line, kept.lit, kept.state = tuple(slots), lit, state

    @staticmethod
    def _is_reframed(kept: _Kept, state: RowState) -> bool:
        """Whether nothing but the focus of the list is another, on a row that the cursor is not on."""
        before = kept.state
        if before is None or state.selected or len(kept.line) != len(kept.cells) + 2:
            return False
        return before._replace(focused=state.focused) == state

    def _draw_left_bar(self, state: RowState, bar: Style, ground: str) -> Run:
        style = self._palette.style
        if state.marked:
            return "◆" if state.selected else "◇", style("accent", ground)
        return ("▸" if state.focused else "▹", style("accent", ground)) if state.selected else ("│", bar)
