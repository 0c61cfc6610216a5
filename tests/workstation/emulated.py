"""The app on an emulated terminal, cell by cell with its style, and what one full repaint would show there."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import Any, ClassVar, cast

import pyte
from rich.cells import cell_len
from rich.color import ColorSystem
from rich.style import Style
from textual._context import visible_screen_stack
from textual.app import App
from textual.drivers.headless_driver import HeadlessDriver
from textual.widget import Widget

from tests.terminal.screen import Screen, Stream, without_halves
from tests.workstation.driver import Desk
from tui.workstation.app.app import CrossdeskApp
from tui.workstation.app.run import fit_colours
from tui.workstation.render.line_widget import LineWidget
from tui.workstation.terminal.nearest_colors import rgb_of
from tui.workstation.widgets.list_screen import ListScreen

FRAME_S = 0.005
"""Longer than the pause after which the compositor draws."""

Look = tuple[str, str, str, bool, bool, bool, bool]
"""Character, foreground, background, bold, italic, underlined, reversed."""


class EmulatedTerminal(HeadlessDriver):
    """A driver whose bytes an emulator reads."""

    colors: ClassVar[ColorSystem] = ColorSystem.TRUECOLOR

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        app.console._color_system = self.colors
        self.screen = Screen(*(self._size or (80, 25)))
        self.stream = Stream(self.screen)
        self.written: list[str] = []
        """Since somebody emptied it."""

    @property
    def is_headless(self) -> bool:
        return False

    def write(self, data: str) -> None:
        self.written.append(data)
        self.stream.feed(data)

    def resize(self, width: int, height: int) -> None:
        """The window has another size; what stood there stands where it stood."""
        self.screen.resize(height, width)


class FittedTerminal(EmulatedTerminal):
    """One to whose colours the app is fitted before its first frame, as at the start of a run."""

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        fit_colours(cast(CrossdeskApp, app))


class Terminal256(FittedTerminal):
    """One of 256 colours."""

    colors = ColorSystem.EIGHT_BIT


def terminal_of(at: Desk) -> EmulatedTerminal:
    return cast(EmulatedTerminal, at._driver)


async def painted(at: Desk) -> None:
    """Until neither the painter nor the compositor has anything left to draw, also after all timers of a frame."""
    app, written = at.app, terminal_of(at).written
    quiet = 0
    while quiet < 2:
        before = len(written)
        await at.settle()
        await asyncio.sleep(FRAME_S)
        screen = app.screen
        waits = screen._dirty_widgets or screen._layout_required or screen._repaint_required or screen._scroll_required
        still = len(written) == before and app.painter.idle
        quiet = quiet + 1 if still and not waits and not screen._compositor._dirty_regions else 0


def shown(at: Desk) -> list[list[Look]]:
    """What the terminal shows."""
    screen = terminal_of(at).screen
    lines = []
    for y in range(screen.lines):
        row = screen.buffer[y]
        cells = [row[x] for x in range(screen.columns)]
        signs = without_halves([cell.data for cell in cells])
        looks = [(c.fg, c.bg, c.bold, c.italics, c.underscore, c.reverse) for c in cells]
        lines.append([(sign, *look) for sign, look in zip(signs, looks, strict=True)])
    return lines


def repainted(at: Desk, every_cell: bool) -> list[list[Look]]:
    """What one full repaint would show.

    Args:
        at: The desk.
        every_cell: Format every cell of every list anew, and not only those whose rows follow each change of a table.
    """
    app = at.app
    if isinstance(app.screen, ListScreen):
        for table in app.screen.tables.values():
            if every_cell or table.pane.rows_of is not None:
                table.rows.clear()
        for widget in app.screen.walk_children(Widget):
            if isinstance(widget, LineWidget):
                widget._kept.clear()
    visible_screen_stack.set(app._background_screens)
    lines = []
    for strip in app.screen._compositor.render_strips():
        cells: list[Look] = []
        for text, style, _ in strip:
            cells += _looks(text, style or Style())
        lines.append(cells)
    return lines


def _looks(text: str, style: Style) -> list[Look]:
    """A run as the emulator keeps it: a wide character fills two cells, one without width joins the cell before."""
    fg, bg = (_colour(colour.name) if colour is not None else "default" for colour in (style.color, style.bgcolor))
    rest = (fg, bg, bool(style.bold), bool(style.italic), bool(style.underline), bool(style.reverse))
    cells: list[Look] = []
    for character in text:
        width = cell_len(character)
        if width == 0 and cells:
            at = max(n for n, cell in enumerate(cells) if cell[0])
            cells[at] = (cells[at][0] + character, *cells[at][1:])
            continue
        cells.append((character, *rest))
        if width == 2:
            cells.append(("", *rest))
    return cells


@lru_cache
def _colour(name: str) -> str:
    if name.startswith("color("):
        number = int(name[6:-1])
        if number >= 16:
            return "{:02x}{:02x}{:02x}".format(*rgb_of(number))
        return (pyte.graphics.FG_AIXTERM if number >= 8 else pyte.graphics.FG_ANSI)[
            number + (82 if number >= 8 else 30)
        ]
    return name.removeprefix("#") if name.startswith("#") else name


def differences(at: Desk, every_cell: bool = True) -> list[str]:
    """Cells that show something else than a full repaint would, in words."""
    now, truth = shown(at), repainted(at, every_cell)
    found = [f"{len(now)} lines, a repaint has {len(truth)}"] if len(now) != len(truth) else []
    for y, (line, wanted) in enumerate(zip(now, truth, strict=False)):
        if line != wanted:
            cells = [x for x, (one, other) in enumerate(zip(line, wanted, strict=False)) if one != other]
            x = cells[0] if cells else -1
            found.append(
                f"line {y}, {len(cells)} cells from {x}: shows {line[x]}, should show {wanted[x]}; "
                f"{''.join(c[0] for c in line)!r} / {''.join(c[0] for c in wanted)!r}"
            )
    return found
