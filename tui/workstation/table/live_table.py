"""Widget for a table of live data: redraws only visible lines that changed, and keeps its selection by row key."""

from __future__ import annotations

from itertools import accumulate, zip_longest
from typing import Any

from textual import events
from textual.geometry import Region
from textual.strip import Strip

from tui.engine.rows import Table
from tui.workstation.input.input_order import key_time
from tui.workstation.render.box_border import BoxBorder
from tui.workstation.render.line_cells import Line
from tui.workstation.render.palette import Palette
from tui.workstation.render.strips import merge_runs
from tui.workstation.table.columns import Column
from tui.workstation.table.flashes import Flashes
from tui.workstation.table.head_and_foot import DrawingBelow, HeadAndFoot
from tui.workstation.table.pane import AnyPane, ChangedRows
from tui.workstation.table.pane_box import PaneBox, TitleOwner
from tui.workstation.table.placed_columns import PlacedColumns
from tui.workstation.table.row_choice import RowCursor, RowMarks, find_first_symbol
from tui.workstation.table.row_lines import NEWS, WHOLE, RowLines, RowState

SWEEP_S = 0.1

TAIL_LINES = 8
"""Lines wanted by an endless list."""

HEAD = 2
"""Lines of title and column names."""

MOST_SUMMED = 50
"""Most rows whose totals are drawn with every change, so that they are the sum of what stands above; else every second."""


class LiveTable(PaneBox):
    """Widget that shows a pane's rows; `touch` marks changed rows, `flush` draws the visible ones once per frame."""

    DEFAULT_CSS = "LiveTable { width: 1fr; height: 1fr; }"

    _totalled = False
    """Whether the last arrangement had a totals line."""

    def __init__(self, pane: AnyPane, palette: Palette, box_border: BoxBorder, titles: TitleOwner) -> None:
        super().__init__(pane, palette, box_border, titles)
        self.cursor = RowCursor(self)
        self.marked = RowMarks(self)
        self._keys: list[str] = []
        self._at: dict[str, int] = {}
        self._first = 0
        self._dirty: dict[str, int] = {}
        """Rows to draw, with their reasons (`WHOLE`, `NEWS`)."""
        self._order_dirty = True
        self._placed = PlacedColumns(pane)
        self._flashes = Flashes()
        self.rows = RowLines(pane, palette, box_border, self._placed, self._flashes)
        self._sweeping = False
        self._head_and_foot = HeadAndFoot(pane, self._placed)
        self._below = DrawingBelow(pane)

    # Changes

    def feed(self, table: Table, keys: list[str]) -> None:
        """Mark the rows affected by changes in an engine table for redrawing at the next `flush`."""
        if table in self.pane.priced_by:
            shown = self.visible_keys()
            self.rows.keep_only(shown)  # others are drawn anew when they come into view
            changed = ChangedRows(self.pane.find_changed_in_view(table, keys, shown), may_move=False)
        else:
            changed = self.pane.find_changed_rows(table, keys)
        reasons = NEWS if table is self.pane.rows_of else NEWS | WHOLE
        for key in changed.keys:
            self._dirty[key] = self._dirty.get(key, 0) | reasons
        self._order_dirty = self._order_dirty or changed.may_move

    def touch(self, key: str) -> None:
        """Mark one row for redrawing."""
        self._dirty[key] = NEWS | WHOLE

    def feed_all(self) -> None:
        """Mark all rows for redrawing, and draw them."""
        for key in self._keys:
            self.touch(key)
        self.flush()

    def reorder(self) -> None:
        """Mark the order of the rows as outdated."""
        self._order_dirty = True

    def settle(self) -> None:
        if self._order_dirty:
            self._reorder()

    def flush(self, most: int = 1000) -> int:
        """Draw the visible changes.

        Args:
            most: Most lines to draw; the rest stays marked for the next call.

        Returns:
            Number of lines to be drawn.
        """
        if self.display:
            self.settle()
            if self._below.is_outdated():
                self.redraw(range(HEAD + max(1, len(self._keys)), HEAD + self.body_height))
        if not self._dirty:
            return 0
        dirty, self._dirty = self._dirty, {}
        height = self.outer_size.height
        shown = self.is_attached and self.display and height > HEAD
        first, last = self._first, self._first + (self.body_height if shown else 0)
        news = NEWS | WHOLE if self.pane.view.settings.flash else WHOLE
        lines: list[int] = []
        for key, reasons in dirty.items():
            index = self._at.get(key, -1)
            if not first <= index < last:
                if index >= 0:
                    self.rows.touch(key, reasons & WHOLE)
            elif len(lines) >= most:
                self._dirty[key] = reasons
            else:
                if reasons:
                    self.rows.touch(key, reasons & news)
                lines.append(HEAD + index - first)
        if lines:
            if len(self._keys) <= MOST_SUMMED and not self._dirty:
                self._refresh_totals()
            self.redraw(lines)
        return len(lines)

    @property
    def waiting(self) -> bool:
        """Whether changed lines remain for the next `flush`."""
        return bool(self._dirty)

    def tick(self) -> None:
        """Redraw rows whose displayed age has changed; called every second."""
        if not self.display:
            return
        if self.pane.rearranges:
            self._order_dirty = True
        self._refresh_totals()
        focused, ages = self.has_focus, self.pane.ages
        for key in self.visible_keys():
            if self.rows.is_news(key) or (ages and key in self.rows):
                before = self.rows.line(key, self._state(key, focused=focused))
                self.rows.touch(key, 0 if self.pane.rows_of is not None else WHOLE)
                if self.rows.line(key, self._state(key, focused=focused)) is not before:
                    self._dirty.setdefault(key, 0)

    def repaint(self) -> None:
        """Redraw everything after a change of theme, size or border."""
        self.rows.clear()
        self.refresh()

    # Order of rows

    def _reorder(self) -> None:
        self._order_dirty = False
        self.pane.lines = self.body_height
        keys = self.pane.arrange_keys()
        self.refresh_title()
        if self._head_and_foot.are_headings_outdated():
            self.redraw([1])
        self._refresh_totals()
        if not keys and self._head_and_foot.is_empty_text_outdated():
            self.redraw([HEAD])
        if keys == self._keys:
            return
        before = self.visible_keys()
        followed = self.pane.follow_row(None if self.selected is None else self.cursor.index, len(self._keys))
        at = {key: index for index, key in enumerate(keys)}
        for gone in [key for key in self._at if key not in at]:
            self._forget(gone)
        self._keys, self._at = keys, at
        if self.totals is not self._totalled:
            self._totalled = self.totals
            self.redraw([HEAD + max(0, self._room - 1)])
        chosen = self.selected
        self._find_selection(followed)
        after = self.visible_keys()
        if self.selected != chosen:
            self._refresh_key(chosen)
            self._refresh_key(self.selected)
        if before == after:
            return
        if not before or self._below.can_draw:
            self.refresh()
            return
        self.redraw(HEAD + index for index, (old, new) in enumerate(zip_longest(before, after)) if old != new)

    def _refresh_totals(self) -> None:
        if self.totals:
            self.redraw([HEAD + self.body_height])

    def _find_selection(self, followed: int | None) -> None:
        cursor = self.cursor
        self.selected = cursor.follow(self._keys, self._at, followed)
        if self.selected is not None:
            if not cursor.was_set:
                self.post_message(self.Picked(self, by_hand=False))
            cursor.was_set, cursor.index = True, self._at[self.selected]
        self._scroll_to_cursor()

    def _forget(self, key: str) -> None:
        self.marked.discard(key)
        self.rows.forget(key)
        self._flashes.forget(key, len(self._placed.columns))

    @property
    def body_height(self) -> int:
        """Number of rows that fit into the widget."""
        return max(0, self._room - 1 if self.totals else self._room)

    @property
    def _room(self) -> int:
        return self.outer_size.height - HEAD - (1 if self.bottom else 0)

    @property
    def totals(self) -> bool:
        """Whether the last line shows totals."""
        room = self._room
        return (room > self.pane.total_from or 1 < len(self._keys) < room) and self.pane.has_totals

    @property
    def lines_wanted(self) -> int:
        """Number of lines needed below the column names to show all rows."""
        rows = max(1, len(self._keys))
        if self.pane.follows_tail:
            return min(rows, TAIL_LINES)
        return rows + 1 if rows > 1 and self.pane.has_totals else rows

    @property
    def row_count(self) -> int:
        return len(self._keys)

    @property
    def mark_count(self) -> int:
        return len(self.marked)

    def visible_keys(self) -> list[str]:
        """Return the keys of the rows that are not scrolled out of view."""
        return self._keys[self._first : self._first + self.body_height]

    def line_of(self, key: str) -> int | None:
        """Return the line of a row inside the widget; None while it is scrolled out of view."""
        index = self._at.get(key)
        if index is None or not self._first <= index < self._first + self.body_height:
            return None
        return HEAD + index - self._first

    @property
    def targets(self) -> list[str]:
        """Row keys that an action applies to: the marked rows in order, else the row at the cursor."""
        marked = [key for key in self._keys if key in self.marked]
        return marked or ([self.selected] if self.selected is not None else [])

    def _refresh_key(self, key: str | None) -> None:
        if key is not None and (line := self.line_of(key)) is not None:
            self.redraw([line])

    def holds(self, key: str) -> bool:
        """Return whether a row is in the list as filtered now, whether or not it is scrolled into view."""
        self.settle()
        return key in self._at

    # Moving

    def select(self, key: str | None) -> None:
        """Select a row by its key; None clears the selection."""
        if key is not None and key == self.selected:
            self.post_message(self.Picked(self, by_hand=True))
        if key == self.selected or (key is not None and key not in self._at):
            return
        before, self.selected = self.selected, key
        self.cursor.choose(None if key is None else self._at[key])
        if key is not None:
            self.pane.note_selection(key)
            if self._keep_visible(self.cursor.index):
                self.refresh()
        self._refresh_key(before)
        self._refresh_key(key)
        self.refresh_title()
        self.post_message(self.Picked(self, by_hand=True))

    def forget_selection(self) -> None:
        """Clear rows and selection, because the pane shows something else; the first row is chosen anew."""
        self.selected = None
        self.cursor.forget()
        self._keys, self._at = [], {}
        self.rows.clear()
        self._order_dirty = True

    def move(self, rows: int) -> None:
        """Move the selection by a number of rows."""
        if not self._keys:
            return
        at = self.cursor.index
        start = at if self.selected is not None else at - (1 if rows > 0 else 0)
        self.select(self._keys[max(0, min(len(self._keys) - 1, start + rows))])

    def select_first(self) -> None:
        """Select the first row."""
        if self._keys:
            self.select(self._keys[0])

    def select_last(self) -> None:
        """Select the last row."""
        if self._keys:
            self.select(self._keys[-1])

    def select_first_symbol(self) -> None:
        """Select the first row that has a symbol; if none has, the first row."""
        if self._keys:
            self.select(find_first_symbol(self.pane, self._keys))

    def _scroll_to_cursor(self) -> None:
        if self.selected is not None and self.selected in self._at:
            self._keep_visible(self._at[self.selected])
        else:
            self._first = max(0, min(self._first, len(self._keys) - self.body_height))

    def _keep_visible(self, index: int) -> bool:
        height = self.body_height
        if height <= 0:
            return False
        if not self.has_focus and self.pane.may_leave_view(self._keys[index]):
            index = 0
        first = min(max(self._first, index - height + 1), index)
        first = max(0, min(first, len(self._keys) - height))
        moved, self._first = first != self._first, first
        return moved

    # Order, view and marks

    @property
    def columns(self) -> tuple[Column[Any], ...]:
        """Columns of the last drawing."""
        return self._placed.columns

    def column_ids(self) -> tuple[str, ...]:
        """Return the ids of the visible columns."""
        self._lay_out()
        return tuple(column.id for column in self._placed.columns)

    def column_widths(self) -> tuple[int, ...]:
        """Return the widths of the visible columns, in cells."""
        self._lay_out()
        return self._placed.widths

    def rearrange(self) -> None:
        """Arrange the rows and redraw all lines after a change of order, filter, view or columns."""
        self._order_dirty = True
        self.rows.clear()
        self._reorder()
        self.refresh()

    def list_between(self, first: str, last: str) -> list[str]:
        """Return the rows from one row to another, whichever stands above; empty if one of them is not in the list."""
        if first not in self._at or last not in self._at:
            return []
        start, end = sorted((self._at[first], self._at[last]))
        return self._keys[start : end + 1]

    def split_regions(self) -> tuple[list[Region], list[Region]]:
        """Return the screen regions of columns with market data, and of columns with account data, both lists.

        Both are empty where all columns are of the account.
        """
        personal, (x, y, _, _) = self.pane.personal_columns, self.region
        market, account = list[Region](), list[Region]()
        if personal is None or not self.display:
            return market, account
        self._lay_out()
        starts = accumulate((cells for _, cells in self._placed), initial=x + 1)
        for start, (column, cells) in zip(starts, self._placed, strict=False):
            region = Region(start, y + HEAD, cells, self.body_height)
            (account if column.id in personal else market).append(region)
        return market, account

    # Mouse: focus, scroll and select only

    def press_mouse(self, x: int, y: int) -> None:
        """Select the clicked row, sort by a clicked column name, or pass a click on the title to its owner."""
        self._lay_out()
        column = self._placed.column_at(x - 1)
        if y == 0:
            self._titles.press_title(self, x)
        elif y == HEAD - 1 and self.pane.press_head(self._placed.columns, column):
            self.rearrange()
        index = self._first + y - HEAD
        if y >= HEAD and 0 <= index < len(self._keys) and y < HEAD + self.body_height:
            if self.pane.note_column(column):
                self.rearrange()
            self.select(self._keys[index])

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.move(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.move(-3)

    def on_hide(self) -> None:
        self.cursor.line.forget()
        self.pane.note_cursor_hidden()

    def on_show(self) -> None:
        self._refresh_key(self.selected)

    def on_resize(self) -> None:
        self.rows.clear()
        self._order_dirty = True
        self._scroll_to_cursor()
        self.refresh()

    # Flash

    def _sweep_soon(self) -> None:
        if self._flashes.lit and not self._sweeping:
            self._sweeping = True
            self.set_timer(SWEEP_S, self._sweep)

    def _sweep(self) -> None:
        for key in self._flashes.expire(self.pane.view.now):
            self.rows.touch(key)
            self._refresh_key(key)
        self._sweeping = bool(self._flashes.lit)
        if self._sweeping:
            self.set_timer(SWEEP_S, self._sweep)

    # Drawing

    def _lay_out(self) -> None:
        if self._placed.place(max(0, self.outer_size.width - 2)):
            self.rows.clear()
            self._flashes.clear()

    def render_line(self, y: int) -> Strip:
        """Draw one line of the widget: title, column names, a row, totals or the bottom edge."""
        width, height = self.outer_size.width, self.outer_size.height
        if width <= 0:
            return Strip.blank(0)
        self._lay_out()
        if y == 0:
            return self._draw_title(width)
        if self.bottom and y == height - 1:
            return self.box_border.bottom(width, self.palette, focused=self.has_focus)
        if y == 1:
            return self._draw_line(self._head_and_foot.draw_headings(), width)
        if self.totals and y == HEAD + self.body_height:
            return self._draw_line(self._head_and_foot.draw_totals(width - 2), width)
        if y < HEAD + self.body_height and self._first + y - HEAD < len(self._keys):
            return merge_runs([run for _, runs in self.line_at(y) for run in runs], width)
        if y == HEAD and not self._keys:
            return self._draw_line(self._head_and_foot.draw_empty_text(), width)
        first = max(1, len(self._keys))
        pieces = self._below.line(y - HEAD - first, max(0, width - 2), self.body_height - first)
        return self._draw_line(pieces, width)

    def line_at(self, y: int) -> Line:
        index = self._first + y - HEAD
        if not HEAD <= y < HEAD + self.body_height or index >= len(self._keys):
            return super().line_at(y)
        self._lay_out()
        key = self._keys[index]
        line = self.rows.line(key, self._state(key, focused=self.has_focus))
        if key == self.selected:
            self.cursor.line.note_drawing(key_time())
            self.pane.note_cursor_drawn(key, y, key_time())
        self._sweep_soon()
        return line

    def _state(self, key: str, *, focused: bool) -> RowState:
        drawn = self.box_border.version, self.palette.version
        return RowState(self.outer_size.width, key == self.selected, key in self.marked, focused, *drawn)

    @property
    def _place(self) -> str:
        """Text of the visible row range, such as `1–20 of 90`; empty if all rows fit."""
        if not len(self._keys) > self.body_height > 0:
            return ""
        last = min(len(self._keys), self._first + self.body_height)
        return f"{self._first + 1}–{last} of {len(self._keys)}"
