"""Grid of characters and roles, with candles, columns of volume and braille lines."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import groupby

from tui.workstation.widgets.candles.inputs import Run
from tui.workstation.widgets.candles.scales import PriceScale

_FALLING = {
    ("", ""): "", ("w", "w"): "│", ("w", ""): "╵", ("", "w"): "╷",
    ("b", "b"): "█", ("b", ""): "▀", ("b", "w"): "▀", ("", "b"): "▄", ("w", "b"): "▄",
}  # fmt: skip
_RISING = {**_FALLING, ("b", "b"): "┃", ("b", ""): "╹", ("b", "w"): "╿", ("", "b"): "╻", ("w", "b"): "╽"}
"""Character of a cell by what its upper and lower half show: body, wick or nothing."""
_EIGHTHS = " ▁▂▃▄▅▆▇█"
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Bits of a braille character by row and column of the dot."""
_BRAILLE = 0x2800


BEAD_CELLS = 4
"""Cells from one bead to the next, in a row that two prices share."""


class Canvas:
    """Grid of the chart's cells inside the axes, each with a character and a role."""

    def __init__(self, cells: int, rows: int) -> None:
        self.cells = cells
        self.rows = rows
        self._characters = [[" "] * cells for _ in range(rows)]
        self._roles: list[list[str]] = [[""] * cells for _ in range(rows)]
        """Empty: nothing is drawn in the cell, and the row's line shows through."""
        self._changed: set[int] = set()

    def put(self, row: int, x: int, character: str, role: str) -> None:
        """Draw a cell."""
        if 0 <= row < self.rows and 0 <= x < self.cells:
            self._characters[row][x] = character
            self._roles[row][x] = role
            self._changed.add(row)

    def take_changed(self) -> set[int]:
        """Return the rows drawn into since the last call, and reset them."""
        changed, self._changed = self._changed, set()
        return changed

    def put_under(self, row: int, x: int, character: str, role: str) -> None:
        """Draw a cell only if nothing is drawn there yet."""
        if 0 <= row < self.rows and 0 <= x < self.cells and not self._roles[row][x]:
            self.put(row, x, character, role)

    def clear(self, start: int, end: int) -> None:
        """Empty some columns."""
        width = min(end, self.cells) - start
        for row, roles in enumerate(self._roles):
            if any(roles[start:end]):
                self._characters[row][start:end] = [" "] * width
                roles[start:end] = [""] * width
                self._changed.add(row)

    def put_candle(self, x: int, width: int, spots: tuple[int, int, int, int], role: str, *, rises: bool) -> None:
        """Draw a candle.

        Args:
            x: First cell.
            width: Cells of the body; the wick is in their middle.
            spots: Half rows of high, upper end of the body, lower end of the body, and low.
            role: Role of all its cells.
            rises: Whether the body is the open shape of a rising bar.
        """
        high, upper, lower, low = spots
        glyphs = _RISING if rises else _FALLING
        middle = x + (width - 1) // 2
        rows = range(high // 2, low // 2 + 1)
        self._changed.update(rows)
        for row in rows:
            half, below = 2 * row, 2 * row + 1
            above_part = "b" if upper <= half <= lower else "w" if high <= half else ""
            below_part = "b" if upper <= below <= lower else "w" if below <= low else ""
            self._characters[row][middle] = glyphs[above_part, below_part]
            self._roles[row][middle] = role
            if width > 1 and "b" in (above_part, below_part):
                side = glyphs["b" if above_part == "b" else "", "b" if below_part == "b" else ""]
                for beside in range(x, x + width):
                    if beside != middle:
                        self.put(row, beside, side, role)

    def put_volume(self, x: int, width: int, share: float, rows: range, role: str) -> None:
        """Draw a volume bar from the lowest of some rows up, `share` of their total height."""
        eighths = round(share * 8 * len(rows)) or (1 if share > 0 else 0)
        row = rows[-1]
        while eighths > 0:
            character = _EIGHTHS[min(eighths, 8)]
            self._characters[row][x : x + width] = [character] * width
            self._roles[row][x : x + width] = [role] * width
            self._changed.add(row)
            eighths -= 8
            row -= 1

    def line_runs(
        self, row: int, fill: Run, crosshair: tuple[int, str] | None, on_row: str, beads: Run | None = None
    ) -> list[Run]:
        """Return a row as styled runs, with fill characters in empty cells and the crosshair over it.

        Args:
            row: Row.
            fill: Character and role of the cells in which nothing is drawn.
            crosshair: Cell of the crosshair's bar, and the character of its line; None without a crosshair.
            on_row: Role of the crosshair's cell if its price is in this row, else empty.
            beads: Character and role of every fourth of the cells in which nothing is drawn; None: like the others.
        """
        characters, roles = self._characters[row], self._roles[row]
        fill_character, fill_role = fill
        if crosshair is not None:
            characters, roles = characters.copy(), roles.copy()
            x, line = crosshair
            if on_row:
                characters[x], roles[x] = (characters[x] if roles[x] else "┼"), on_row
            elif not roles[x]:
                characters[x], roles[x] = line, fill_role
        runs: list[Run] = []
        x = 0
        for role, group in groupby(roles):
            count = len(list(group))
            if role:
                runs.append(("".join(characters[x : x + count]), role))
            elif beads is None:
                runs.append((fill_character * count, fill_role))
            else:
                runs += [beads if at % BEAD_CELLS == 0 else fill for at in range(x, x + count)]
            x += count
        return runs


def braille_cells(points: Iterable[tuple[float, float, bool]], scale: PriceScale) -> dict[tuple[int, int], str]:
    """Return the braille characters that draw a line through points, by row and column.

    Args:
        points: Cell (with fraction), price, and whether the point is joined to the one before it.
        scale: Prices of the rows.
    """
    bits: dict[tuple[int, int], int] = {}
    before: tuple[int, int] | None = None
    end = scale.rows * 4
    for x, price, joined in points:
        across, down = int(x * 2), math.floor(scale.place(price) * 4)
        left, first = before if joined and before is not None else (across, down)
        steps = max(across - left, abs(down - first), 1)
        for step in range(1 if left != across else 0, steps + 1):
            dot_x = left + (across - left) * step // steps
            dot_y = first + (down - first) * step // steps
            if 0 <= dot_y < end:
                cell = dot_y >> 2, dot_x >> 1
                bits[cell] = bits.get(cell, 0) | _DOTS[dot_y & 3][dot_x & 1]
        before = across, down
    return {cell: chr(_BRAILLE + pattern) for cell, pattern in bits.items()}
