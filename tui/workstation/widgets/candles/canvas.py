"""Grid of characters and roles, with candles, columns of volume and braille lines."""

from __future__ import annotations

from collections.abc import Iterable

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


class Canvas:
    """Cells of the area inside the axes."""

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
        """Return the rows drawn into since the last call."""
        changed, self._changed = self._changed, set()
        return changed

    def put_under(self, row: int, x: int, character: str, role: str) -> None:
        """Draw a cell if it is empty."""
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

    def put_candle(self, x: int, width: int, spots: tuple[int, int, int, int], rises: bool, role: str) -> None:
        """Draw a candle.

        Args:
            x: First cell.
            width: Cells of the body; the wick is in their middle.
            spots: Half rows of high, upper end of the body, lower end of the body, and low.
            rises: Whether the body is the open shape of a rising bar.
            role: Role of all its cells.
        """
        high, upper, lower, low = spots
        glyphs = _RISING if rises else _FALLING
        middle = x + (width - 1) // 2
        for row in range(high // 2, low // 2 + 1):
            halves = [
                "b" if upper <= half <= lower else "w" if high <= half <= low else "" for half in (2 * row, 2 * row + 1)
            ]
            pair = halves[0], halves[1]
            self.put(row, middle, glyphs[pair], role)
            if width > 1 and "b" in pair:
                side = glyphs[("b" if halves[0] == "b" else "", "b" if halves[1] == "b" else "")]
                for beside in range(x, x + width):
                    if beside != middle:
                        self.put(row, beside, side, role)

    def put_volume(self, x: int, width: int, share: float, rows: range, role: str) -> None:
        """Draw a column of volume, as a share of the height of some rows."""
        eighths = round(share * 8 * len(rows)) or (1 if share > 0 else 0)
        for row in reversed(rows):
            if eighths <= 0:
                break
            for beside in range(x, x + width):
                self.put(row, beside, _EIGHTHS[min(eighths, 8)], role)
            eighths -= 8

    def line_runs(self, row: int, fill: Run, crosshair: tuple[int, str] | None, on_row: str) -> list[Run]:
        """Return a row as runs.

        Args:
            row: Row.
            fill: Character and role of the cells in which nothing is drawn.
            crosshair: Cell of the crosshair's bar, and the character of its line; None without a crosshair.
            on_row: Role of the crosshair's cell if its price is in this row, else empty.
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
        buffer: list[str] = []
        last = ""
        for character, role in zip(characters, roles, strict=True):
            if not role:
                character, role = fill_character, fill_role
            if role != last:
                if buffer:
                    runs.append(("".join(buffer), last))
                    buffer = []
                last = role
            buffer.append(character)
        if buffer:
            runs.append(("".join(buffer), last))
        return runs


def braille_cells(points: Iterable[tuple[float, float, bool]], scale: PriceScale) -> dict[tuple[int, int], str]:
    """Return the cells of a line through points.

    Args:
        points: Cell (with fraction), price, and whether the point is joined to the one before it.
        scale: Prices of the rows.
    """
    bits: dict[tuple[int, int], int] = {}
    before: tuple[int, int] | None = None
    for x, price, joined in points:
        dot = int(x * 2), int(scale.place(price) * 4 // 1)
        for across, down in _dots_between(before if joined and before is not None else dot, dot):
            if 0 <= down < scale.rows * 4 and across >= 0:
                cell = down // 4, across // 2
                bits[cell] = bits.get(cell, 0) | _DOTS[down % 4][across % 2]
        before = dot
    return {cell: chr(_BRAILLE + pattern) for cell, pattern in bits.items()}


def _dots_between(start: tuple[int, int], end: tuple[int, int]) -> Iterable[tuple[int, int]]:
    steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]), 1)
    for step in range(steps + 1):
        yield (
            start[0] + round((end[0] - start[0]) * step / steps),
            start[1] + round((end[1] - start[1]) * step / steps),
        )
