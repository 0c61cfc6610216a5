"""Bytes to the terminal beside those of the compositor: all that is used of textual and is not public for it stands here.

Written for the versions in `KNOWN`; with another one nothing is painted directly.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TextIO, TypeVar, cast

import textual
from rich.color import ColorSystem
from rich.console import RenderableType
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual._compositor import ChopsUpdate
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.driver import Driver
from textual.drivers._writer_thread import WriterThread
from textual.geometry import Region
from textual.message import Message
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen
from textual.strip import Strip

from tui.workstation.terminal.terminal_probe import TerminalProbe
from tui.workstation.terminal.terminal_writer import TerminalWriter

KNOWN = frozenset(["8.2.8"])
"""Versions of textual whose private parts were read."""

SYNC_START = "\x1b[?2026h"
SYNC_END = "\x1b[?2026l"

Answer = TypeVar("Answer")

_COLOURS = {"standard": ColorSystem.STANDARD, "256": ColorSystem.EIGHT_BIT, "truecolor": ColorSystem.TRUECOLOR}

Drawn = Callable[[Screen[Any], list[tuple[int, int, int]] | None], None]
"""Is told of which screen the compositor draws, and which spans (line, first column, column behind); None: all."""


def textual_is_known() -> bool:
    """Whether the installed textual is one this file was written for; read from the name of its folder, which is
    a tenth of the time that `importlib.metadata` takes."""
    place = Path(textual.__file__).parent.parent
    return any((place / f"textual-{version}.dist-info").is_dir() for version in KNOWN)


def _get_writer(driver: Any) -> TerminalWriter | None:
    return cast("TerminalWriter | None", driver.own_writer)


def _set_writer(driver: Any, thread: WriterThread | None) -> None:
    """Where the driver makes its thread, which is not started yet, it gets ours."""
    driver.own_writer = None if thread is None else TerminalWriter(cast(TextIO, thread._file))


class LiveModal(ModalScreen[Answer], Generic[Answer]):
    """A dialog behind which every screen is drawn as it is now, also where other dialogs lie between.

    Of a change textual tells the screen it belongs to and the top one. Those between it draws from old copies, and which
    screen lies below which it loses count of from three dialogs on.
    """

    @property
    def place_name(self) -> str:
        """How it is named where its keys are shown; empty: as what lies below."""
        return ""

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """A part of what lies below has changed: dialogs between show it too."""
        if regions:
            for screen in self.app._background_screens[1:]:
                screen._set_dirty(*regions)
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def render(self) -> RenderableType:
        """The screen right below."""
        stack = self.app.screen_stack
        if self not in stack[1:]:
            return super().render()
        return BackgroundScreen(stack[stack.index(self) - 1], self.styles.background)


class ReadParser(XTermParser):
    """Parser of the terminal's bytes that knows of every key which other keys came with it in one read.

    Textual hands the first key on while the second is not parsed yet: on a busy machine the first key of a paste would
    look like a key that a hand pressed.
    """

    newest_key: ClassVar[events.Key | None] = None
    """The last key of the newest read; a process has one terminal."""

    def feed(self, data: str) -> Iterable[Message]:
        """Parse all of one read before any of it is handed on."""
        found = list(super().feed(data))
        ReadParser.newest_key = next((one for one in reversed(found) if isinstance(one, events.Key)), None)
        return found


class DirectOutput(App[None]):
    """An app whose terminal can be written to past the compositor."""

    drawn: Drawn | None = None
    writes_directly = False
    """Whether what is drawn goes to the terminal without textual's thread. To be set before the app is made."""

    left_screen = False
    """Whether the driver has gone back to the main screen."""
    newest_key: events.Key | None = None
    """The newest key read from the terminal; it may not have been looked at yet."""
    probe: TerminalProbe
    """Asks the terminal whether it reads. To be set before the app runs."""

    def get_driver_class(self) -> type[Driver]:
        """The driver of this system. What it reads goes into the queue of the app at once; its own way there is a task
        for each event, and a round of the loop more."""
        app, base = self, super().get_driver_class()
        if "XTermParser" in (names := vars(sys.modules[base.__module__])):
            names["XTermParser"] = ReadParser

        class DirectDriver(base):  # type: ignore[misc, valid-type]
            def send_message(self, message: Message) -> None:
                app._take_input(message)

            def start_application_mode(self) -> None:
                app.left_screen = False
                super().start_application_mode()

            def stop_application_mode(self) -> None:
                super().stop_application_mode()
                app.left_screen = True

            def disable_input(self) -> None:
                app.probe.await_last_answer()
                super().disable_input()

        if self.writes_directly:
            DirectDriver._writer_thread = property(_get_writer, _set_writer)
        return DirectDriver

    def _take_input(self, message: Message) -> None:
        """In the thread that reads: answers to the probe stay here, everything else goes to the app."""
        if isinstance(message, events.CursorPosition):
            self.probe.answered()
            return
        if isinstance(message, events.Key):
            self.newest_key = ReadParser.newest_key or message
        self.post_message(message)

    def post_message(self, message: Message) -> bool:
        """Take a message into the queue; of keys the newest is known before those ahead of it are looked at."""
        if isinstance(message, events.Key) and (self.newest_key is None or message.time >= self.newest_key.time):
            self.newest_key = message
        return super().post_message(message)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if self.drawn is not None and renderable is not None and not self._batch_count:
            self.drawn(screen, renderable.spans if isinstance(renderable, ChopsUpdate) else None)
        super()._display(screen, renderable)

    @property
    def takes_cells(self) -> bool:
        """Whether there is a terminal that cells can be written to."""
        driver = self._driver
        running = self._running and not self._closed
        return driver is not None and running and not driver.is_headless and not driver.is_inline

    @property
    def front(self) -> Screen[Any] | None:
        """The screen on top."""
        return self.screen_stack[-1] if self.screen_stack else None

    @property
    def awaits_layout(self) -> bool:
        """Whether widgets of the screen on top are about to get other places."""
        front = self.front
        return front is not None and front._layout_required

    def write_cells(self, text: str) -> None:
        """Show bytes as one picture."""
        self._write(f"{SYNC_START}{text}{SYNC_END}" if self._sync_available else text)

    def write_query(self, text: str) -> None:
        """Write what the terminal answers, behind all that was drawn."""
        self._write(text)

    def _write(self, text: str) -> None:
        if self._driver is not None:
            self._driver.write(text)
            self._driver.flush()

    def name_window(self, title: str) -> None:
        """Set the title of the terminal's window. `title`: clean text."""
        if self.takes_cells:
            self._write(f"\x1b]2;{title}\x07")

    def cursor(self) -> tuple[int, int]:
        """Column and line where the cursor belongs."""
        at = self.screen.outer_size.clamp_offset(self.cursor_position)
        return at.x, at.y

    @property
    def colours(self) -> ColorSystem:
        """What the terminal can show."""
        return _COLOURS.get(self.console.color_system or "", ColorSystem.TRUECOLOR)

    def seen_as(self, style: Style) -> Style:
        """A style as it reaches the terminal: without colours where there are none."""
        strip = Strip([Segment("x", style)], 1)
        for one in self.get_line_filters():
            strip = strip.apply_filter(one, self.screen.background_colors[1])
        return next(iter(strip)).style or style
