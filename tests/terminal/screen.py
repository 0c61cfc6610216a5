"""The screen of an emulated terminal, and what reads the bytes of a program for it."""

from __future__ import annotations

import re
from typing import Any

import pyte
from wcwidth import wcwidth

_FREQUENT = re.compile(r"\x1b\[([0-9;]*)([mH])")
"""A style or a place of the cursor, whole: nearly all of what the desk sends besides text."""


def without_halves(cells: list[str]) -> list[str]:
    """The characters of a line; a cell whose wide neighbour was overwritten is a blank, as on terminals."""
    if "" not in cells:
        return cells
    stubs = [x > 0 and not cell and wcwidth(cells[x - 1][:1]) == 2 for x, cell in enumerate(cells)]
    return [cell if cell or stub else " " for cell, stub in zip(cells, stubs, strict=True)]


class Screen(pyte.Screen):
    """Draws a run of narrow characters inside a line at once, and shows half a wide character as a blank."""

    def __init__(self, columns: int, lines: int) -> None:
        self._cells: dict[Any, dict[str, Any]] = {}
        super().__init__(columns, lines)

    def draw(self, data: str) -> None:
        cursor = self.cursor
        x = cursor.x
        if x + len(data) > self.columns or self.mode & {pyte.modes.IRM} or self.charset:
            super().draw(data)
            return
        attrs = cursor.attrs
        cells = self._cells.setdefault(attrs, {})
        row = []
        for char in data:
            cell = cells.get(char)
            if cell is None:
                if wcwidth(char) != 1:
                    super().draw(data)
                    return
                cell = cells[char] = attrs._replace(data=char)
            row.append(cell)
        self.buffer[cursor.y].update(zip(range(x, x + len(row)), row, strict=True))
        cursor.x = x + len(row)
        self.dirty.add(cursor.y)

    def line(self, y: int) -> str:
        """The text of one line."""
        row = self.buffer[y]
        cells = [row[x].data for x in range(self.columns)]
        return "".join(without_halves(cells))


class Stream(pyte.Stream):
    """Reads a frequent sequence at once, where `pyte` goes character by character."""

    def __init__(self, screen: Screen) -> None:
        super().__init__(screen)
        self._screen = screen
        self._styles: dict[tuple[Any, str, bool], Any] = {}
        """What a style makes of the one before it, on a screen that is reversed or not."""

    def feed(self, data: str) -> None:
        at, match_text, match_frequent = 0, self._text_pattern.match, _FREQUENT.match
        while at < len(data):
            if self._taking_plain_text:
                if found := match_text(data, at):
                    self._screen.draw(found.group())
                    at = found.end()
                    continue
                if found := match_frequent(data, at):
                    self._obey(*found.groups())
                    at = found.end()
                    continue
            self._taking_plain_text = self._send_to_parser(data[at])
            at += 1

    def _obey(self, given: str, final: str) -> None:
        screen = self._screen
        if final == "H":
            screen.cursor_position(*_numbers(given))
            return
        key = screen.cursor.attrs, given, pyte.modes.DECSCNM in screen.mode
        if key not in self._styles:
            screen.select_graphic_rendition(*_numbers(given))
            self._styles[key] = screen.cursor.attrs
        screen.cursor.attrs = self._styles[key]


def _numbers(given: str) -> list[int]:
    return [min(int(number or 0), 9999) for number in given.split(";")]
