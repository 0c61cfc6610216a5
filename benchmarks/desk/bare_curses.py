"""`python -m benchmarks.desk.bare_curses ADDRESS SYMS`: the same quotes written by `curses`, 60 times a second.

The least that a program of this language needs for it: it decodes every frame, formats the lines that the workstation
has room for, and does nothing else.
"""

from __future__ import annotations

import asyncio
import curses
import sys

from benchmarks.desk.feed import COLUMNS, read_quotes, texts_of
from tui.interface.families.market import Bbo

PAINT_S = 1 / 60
SHOWN = 11
"""Lines of quotes that the workstation shows in a terminal of 160x45."""
_WIDTHS = (24, *[14] * (len(COLUMNS) - 1))


class Quotes:
    """Quotes on a `curses` window."""

    def __init__(self, window: curses.window, syms: list[str]) -> None:
        self._window = window
        self._dirty: dict[str, Bbo] = {}
        self._lines = {sym: number for number, sym in enumerate(syms[:SHOWN], 1)}
        self._columns = [sum(_WIDTHS[:number]) for number in range(len(_WIDTHS))]
        for text, column in zip(COLUMNS, self._columns, strict=True):
            window.addstr(0, column, text)
        for sym, line in self._lines.items():
            window.addstr(line, 0, sym)
        window.refresh()

    async def run(self, address: str, syms: list[str]) -> None:
        """Read and paint until the program is ended."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(read_quotes(address, syms, self._dirty.__setitem__))
            tasks.create_task(self._paint_on())

    async def _paint_on(self) -> None:
        while True:
            await asyncio.sleep(PAINT_S)
            if self._dirty:
                self._paint()

    def _paint(self) -> None:
        write, shown = self._window.addstr, self._lines
        for sym, quote in self._dirty.items():
            line = shown.get(sym)
            if line is not None:
                for column, text in zip(self._columns[1:], texts_of(quote), strict=True):
                    write(line, column, text.rjust(12))
        self._dirty.clear()
        self._window.refresh()


def main(window: curses.window) -> None:
    """Show quotes on the terminal."""
    curses.curs_set(0)
    syms = sys.argv[2].split(",")
    asyncio.run(Quotes(window, syms).run(sys.argv[1], syms))


if __name__ == "__main__":
    curses.wrapper(main)
