"""Rows of a list that are chosen: the one under the cursor while rows come and go, and those that the trader marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Protocol

from tui.workstation.input.fresh_press import WrittenLine
from tui.workstation.table.pane import AnyPane
from tui.workstation.table.pane_box import PaneBox

FILLING_S = 2.0
"""Seconds after its first row during which a list counts as still filling."""


def find_first_symbol(pane: AnyPane, keys: Sequence[str]) -> str:
    """Return the key of the first row that has a symbol, else of the first row."""
    return next((key for key in keys if pane.sym(key)), keys[0])


class RowCursor:
    """Cursor of a list: it stays on its row when rows move, and goes to another row when its row is removed."""

    def __init__(self, box: PaneBox) -> None:
        self._box = box
        self._first_row_at = float("-inf")
        self.by_hand = False
        """Whether the trader made the selection, not the program."""
        self.was_set = False
        """Whether any row was selected before."""
        self.index = 0
        """Index of the selected row, as of the last arrangement."""
        self.moved_at, self.slid = float("-inf"), False
        """Monotonic time at which the program last moved the cursor, s; whether it left an ended row, unnamed since."""
        self.line = WrittenLine(lambda: (box.pane.id, box.selected), self._describe)
        """Line of the selected row, and since when it is shown unchanged."""

    def _describe(self) -> tuple[object, ...]:
        """Return what keys that send at once act on: pair of each side in the selected row, and end of HOT; no prices."""
        key, pane = self._box.selected, self._box.pane
        return (
            (pane.touch_sym(key, bid=True), pane.touch_sym(key, bid=False), pane.view.hot_until)
            if key is not None
            else ()
        )

    def follow(self, keys: Sequence[str], at: Mapping[str, int], followed: int | None) -> str | None:
        """Return the row to select after rows have come, gone or moved; None if there is none.

        Args:
            keys: Rows now.
            at: Their indices.
            followed: Row that the pane itself follows (`Pane.follow_row`).
        """
        pane, selected, now = self._box.pane, self._box.selected, self._box.pane.view.now
        if (own := pane.own_cursor()) in at:
            return own
        if followed is not None and keys:
            return keys[followed]
        if selected is not None and selected not in at:
            self.moved_at, self.slid = now, True
            return keys[min(self.index, len(keys) - 1)] if keys else None
        if selected is not None and (beside := pane.successor(selected, keys, self.index)):
            self.moved_at, self.slid = now, True
            return beside
        if selected is None and keys and self.was_set:
            self.moved_at = now
            return keys[0]
        if keys and (not self.was_set or self._still_filling):
            return self._choose_first(keys)
        return selected

    def _choose_first(self, keys: Sequence[str]) -> str:
        """Return the first row with a symbol, else the first row, to select while the list is still loading."""
        pane, selected = self._box.pane, self._box.selected
        if selected is None:
            self._first_row_at = pane.view.now
        first = find_first_symbol(pane, keys)
        if first != selected:
            self.was_set = False
        return first

    @property
    def _still_filling(self) -> bool:
        """Whether the list is still loading, so that its first row may still change."""
        view = self._box.pane.view
        young = view.now - self._first_row_at < FILLING_S
        return not self.by_hand and (young or not view.mirror.synced_once)

    def choose(self, index: int | None) -> None:
        """Record that a key or click selected the row at `index`, or no row."""
        self.by_hand, self.slid = True, False
        if index is not None:
            self.was_set, self.index = True, index

    def note_arrival(self) -> None:
        """Record that the trader has come to the list by its own key: the row that he finds there is the one he looks at."""
        self.moved_at, self.slid = float("-inf"), False

    def forget(self) -> None:
        """Forget the selection, because the list shows something else; the first row is chosen anew."""
        self.was_set = self.by_hand = False


class MarkedList(Protocol):
    """Interface of a list whose rows can be marked."""

    selected: str | None

    def touch(self, key: str) -> None:
        """Mark one row for redrawing."""
        ...

    def flush(self) -> int:
        """Draw the changed rows."""
        ...

    def refresh_title(self) -> None:
        """Redraw the title, which counts the marks."""
        ...

    def move(self, rows: int) -> None:
        """Move the selection by a number of rows."""
        ...

    def list_between(self, first: str, last: str) -> list[str]:
        """Return the rows from one row to another; empty if one of them is not in the list."""
        ...


class RowMarks(set[str]):
    """Rows that the trader marked; actions on several rows apply to them."""

    def __init__(self, rows: MarkedList) -> None:
        super().__init__()
        self._rows = rows
        self._range_from: str | None = None
        """First row of a range that is being marked."""

    def toggle(self) -> None:
        """Mark or unmark the selected row, and move to the next one."""
        if (key := self._rows.selected) is None:
            return
        self.symmetric_difference_update({key})
        self._rows.touch(key)
        self._range_from = None
        self._rows.move(1)
        self._rows.refresh_title()

    def mark_range(self) -> bool:
        """Start a range of marks at the selected row, or mark all rows of a started range; return whether it was started."""
        if (key := self._rows.selected) is None:
            return False
        first, self._range_from = self._range_from, None
        between = self._rows.list_between(first, key) if first is not None else []
        if not between:
            self._range_from = key
            return True
        self.update(between)
        self._draw(self)
        return False

    def unmark_all(self) -> bool:
        """Remove all marks; return whether there were any."""
        had = bool(self) or self._range_from is not None
        self._range_from = None
        self.unmark(set(self))
        return had

    def unmark(self, keys: Set[str]) -> None:
        """Remove the marks of some rows."""
        self.difference_update(keys)
        self._draw(keys)

    def _draw(self, keys: Set[str]) -> None:
        for key in keys:
            self._rows.touch(key)
        self._rows.flush()
        self._rows.refresh_title()
