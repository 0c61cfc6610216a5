"""Head and foot of a table: column names; totals, why there is no row, and what a pane draws below its rows."""

from __future__ import annotations

from tui.workstation.model.number_format import is_zero_or_missing
from tui.workstation.render.pieces import Piece
from tui.workstation.render.text import fit
from tui.workstation.table.pane import AnyPane
from tui.workstation.table.placed_columns import PlacedColumns, mark_heading
from tui.workstation.table.short_figures import shorten_figures


class HeadAndFoot:
    """Heading, totals and empty-list lines of a table, with the texts last drawn."""

    def __init__(self, pane: AnyPane, placed: PlacedColumns) -> None:
        self._pane = pane
        self._placed = placed
        self._empty_text = ""
        """Text for an empty table as last drawn."""
        self._headings: list[str] = []
        """Column names as last drawn; some of them contain a figure of the rows."""

    def _list_headings(self) -> list[str]:
        return [self._pane.heading(column) for column, _ in self._placed]

    def are_headings_outdated(self) -> bool:
        """Return whether the column names changed since they were drawn."""
        return bool(self._headings) and self._headings != self._list_headings()

    def draw_headings(self) -> list[Piece]:
        """Return the line of column names."""
        pane, sorting, pieces = self._pane, self._pane.sorting, []
        self._headings = self._list_headings()
        for (column, cells), text in zip(self._placed, self._headings, strict=True):
            role = pane.heading_role(column)
            if sorting is not None and column.id == sorting.column:
                text, role = mark_heading(text, cells, descending=sorting.descending), "accent"
            pieces.append((fit(text, cells, right=not column.field.left), role))
        return pieces

    def draw_totals(self, inside: int) -> list[Piece]:
        """Return the line of totals, for a table of a width inside its frame."""
        if line := self._pane.total_line(inside):
            return [(line, "strong")]
        totals = self._pane.total_cells()
        pieces = []
        for column, cells in self._placed:
            text, role = totals.get(column.id, ("", "dim"))
            role = "faint" if is_zero_or_missing(text) else role
            pieces.append((fit(shorten_figures(text, cells - 1), cells, right=not column.field.left), role))
        return pieces

    def is_empty_text_outdated(self) -> bool:
        """Return whether the reason why there is no row changed since it was drawn."""
        return self._empty_text != self._pane.why_empty()

    def draw_empty_text(self) -> list[Piece]:
        """Return the line that says why there is no row."""
        self._empty_text = self._pane.why_empty()
        return [(self._empty_text, "dim")]


class DrawingBelow:
    """Cached drawing in the empty lines below a pane's rows; redone when data or room changed."""

    def __init__(self, pane: AnyPane) -> None:
        self._pane = pane
        self._made_for: tuple[object, int, int] = (None, 0, 0)
        self._lines: list[list[Piece]] = []

    @property
    def can_draw(self) -> bool:
        """Whether the pane ever draws below its rows, if there is room."""
        return self._pane.below_version() is not None

    def is_outdated(self) -> bool:
        """Return whether the data changed since it was drawn."""
        version = self._pane.below_version()
        return version is not None and version != self._made_for[0]

    def line(self, index: int, cells: int, lines: int) -> list[Piece]:
        """Return line `index` of the drawing for a room of `cells` by `lines`; empty beyond the last line."""
        version = self._pane.below_version()
        if version is None:
            return []
        if (version, cells, lines) != self._made_for:
            self._made_for = version, cells, lines
            self._lines = self._pane.draw_below(cells, lines) if lines > 0 else []
        return self._lines[index] if 0 <= index < len(self._lines) else []
