"""Axis of the ladder: prices as whole ticks, a window that stands still, and a cursor that is a price. Pure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from decimal import Decimal

GROUPS = (1, 5, 10, 25, 50, 100)
"""Ticks in one row, as the trader can choose them."""


WINDOW_SHARE = Decimal("0.0005")
"""Share of the price that the first window covers at least."""


def choose_group(price: Decimal, tick: Decimal, lines: int) -> int:
    """Choose the smallest number of ticks per row with which the lines span a fixed share of the price."""
    needed = price * WINDOW_SHARE / tick / max(1, lines)
    return next((group for group in GROUPS if group >= needed), GROUPS[-1])


class TickRows(ABC):
    """Prices as whole ticks, in rows."""

    tick: Decimal

    def ticks_of(self, price: Decimal) -> int:
        """Return a price in ticks, rounded down to the tick."""
        return int(price // self.tick)

    def price_of(self, ticks: int) -> Decimal:
        return self.tick * ticks

    @abstractmethod
    def range_of(self, row: int) -> tuple[int, int]:
        """Return the lowest and the highest price of a row, in ticks."""

    def edge(self, row: int, *, buys: bool) -> int:
        """Return the price of a row for an order, in ticks: the lowest for a buy, the highest for a sell."""
        low, high = self.range_of(row)
        return low if buys else high


class Axis(TickRows):
    """Prices of one pair in rows of a fixed number of ticks, with the visible window and the cursor."""

    def __init__(self, tick: Decimal) -> None:
        self.tick = tick
        self.group = GROUPS[0]
        self.chosen = 0
        """Ticks per row that the trader has chosen for these prices; 0: as the market moves."""
        """Ticks in one row."""
        self.top: int | None = None
        """Row number of the first line; None before the first price is known."""
        self.lines = 0
        self.cursor: int | None = None
        """Cursor in ticks; None until it was placed."""

    # Prices and rows

    def row_of(self, ticks: int) -> int:
        """Return the row that holds a price."""
        return ticks // self.group

    def range_of(self, row: int) -> tuple[int, int]:
        return row * self.group, row * self.group + self.group - 1

    # Window

    @property
    def rows(self) -> range:
        """Row numbers of the window from top to bottom; empty before it was placed."""
        return range(0) if self.top is None else range(self.top, self.top - self.lines, -1)

    def holds(self, row: int) -> bool:
        """Return whether a row is in the window."""
        return row in self.rows

    def resize(self, lines: int) -> None:
        """Set the number of lines; the window stays unless the cursor would leave it: then the cursor is centred."""
        self.lines = max(0, lines)
        if self.cursor is not None and not self.holds(self.row_of(self.cursor)):
            self.centre(self.cursor)

    def place(self, ticks: int) -> None:
        """Choose the ticks per row, and put the cursor on a price in the middle of the window."""
        self.group = self.chosen if self.chosen in GROUPS else choose_group(self.price_of(ticks), self.tick, self.lines)
        self.cursor = ticks
        self.centre(ticks)

    def centre(self, ticks: int) -> None:
        """Put a price in the middle of the window."""
        self.top = self.row_of(ticks) + self.lines // 2

    def far_from(self, ticks: int) -> int:
        """Return the rows by which a price lies above (positive) or below the window; 0: inside."""
        if self.top is None:
            return 0
        row, bottom = self.row_of(ticks), self.top - self.lines + 1
        return row - self.top if row > self.top else row - bottom if row < bottom else 0

    def ticks_outside(self, ticks: int) -> int:
        """Return the ticks by which a price lies above (positive) or below the window; 0: inside."""
        far = self.far_from(ticks)
        if not far or self.top is None:
            return 0
        return ticks - (self.range_of(self.top)[1] if far > 0 else self.range_of(self.top - self.lines + 1)[0])

    # Cursor

    def move(self, rows: int) -> None:
        """Move the cursor by rows, up for a positive number; a window that it leaves moves by whole pages."""
        if self.cursor is not None:
            self.go_to(max(0, self.range_of(self.row_of(self.cursor) + rows)[0]))

    def go_to(self, ticks: int) -> None:
        """Put the cursor on a price; a window that it leaves moves by whole pages."""
        self.cursor = ticks
        far = self.far_from(ticks)
        if far and self.lines > 0 and self.top is not None:
            pages = -(-abs(far) // self.lines)
            self.top += pages * self.lines if far > 0 else -pages * self.lines

    def regroup(self, steps: int) -> None:
        """Choose a coarser or finer number of ticks per row; the cursor stays on the same screen line."""
        line = self.top - self.row_of(self.cursor) if self.top is not None and self.cursor is not None else 0
        at = GROUPS.index(self.group) + steps
        self.group = GROUPS[max(0, min(len(GROUPS) - 1, at))]
        if self.cursor is not None and self.top is not None:
            self.top = self.row_of(self.cursor) + line


class VenueAxis(TickRows):
    """Prices of one venue in its own ticks, mapped to the rows of an axis whose tick is equal or coarser."""

    def __init__(self, tick: Decimal, shared: Axis) -> None:
        self.tick = tick
        self._shared = shared

    @property
    def group(self) -> int:
        return self._shared.group

    @property
    def lines(self) -> int:
        return self._shared.lines

    @property
    def rows(self) -> range:
        return self._shared.rows

    def row_of(self, ticks: int) -> int:
        """Return the row of the shared axis that holds a price of this venue."""
        return self._shared.row_of(self._shared.ticks_of(self.price_of(ticks)))

    def range_of(self, row: int) -> tuple[int, int]:
        # Imported late: no ladder is open before the first frame.
        from tui.rules.rounding import ticks_in_row

        height = self._shared.tick * self._shared.group
        return ticks_in_row(row * height, height, self.tick)
