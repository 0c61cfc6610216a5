"""Terminal output that bypasses Textual's compositor; the only module that uses private parts of Textual for it.

Written for the versions in `KNOWN`; with any other version nothing is painted directly.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType
from typing import Any, ClassVar, Generic, Self, TextIO, TypeVar, cast

import textual
from rich.color import ColorSystem
from rich.console import RenderableType
from rich.segment import Segment
from rich.style import Style
from textual import events, on
from textual._compositor import ChopsUpdate, Compositor, CompositorMap, ReflowResult
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.driver import Driver
from textual.drivers._writer_thread import WriterThread
from textual.geometry import Region, Size
from textual.keys import Keys
from textual.message import Message
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.widget import Widget

from tui.workstation.terminal.job_control import JobControl, must_keep_modes
from tui.workstation.terminal.key_reader import KeyReader
from tui.workstation.terminal.output import OutputBacklog, count_written
from tui.workstation.terminal.terminal_probe import TerminalProbe
from tui.workstation.terminal.terminal_writer import TerminalWriter

KNOWN = frozenset(["8.2.8"])
"""Versions of Textual whose non-public parts were checked."""

SYNC_START = "\x1b[?2026h"
SYNC_END = "\x1b[?2026l"

STARTS = 3
"""Times that the screen is entered where the process is stopped each time."""

Answer = TypeVar("Answer")

_COLOURS = {"standard": ColorSystem.STANDARD, "256": ColorSystem.EIGHT_BIT, "truecolor": ColorSystem.TRUECOLOR}

DrawListener = Callable[[Screen[Any], list[tuple[int, int, int]] | None], None]
"""Listener for drawing: the screen, and the spans drawn (line, first column, column after the last); None: all."""


def textual_is_known() -> bool:
    """Return whether the installed Textual version is one of `KNOWN`.

    Reads the folder name, which takes a tenth of the time of `importlib.metadata`.
    """
    place = Path(textual.__file__).parent.parent
    return any((place / f"textual-{version}.dist-info").is_dir() for version in KNOWN)


def _get_writer(driver: Any) -> TerminalWriter | None:
    return cast("TerminalWriter | None", driver.own_writer)


def _set_writer(driver: Any, thread: WriterThread | None) -> None:
    """Replace the writer thread of Textual's driver, before it is started, by our own writer."""
    driver.own_writer = None if thread is None else TerminalWriter(cast(TextIO, thread._file))


def _get_reader(driver: Any) -> KeyReader | None:
    return cast("KeyReader | None", driver.own_reader)


def _set_reader(driver: Any, thread: threading.Thread | None) -> None:
    """Replace the reading thread of Textual's driver by our own before it is started; end our earlier one first."""
    before: KeyReader | None = driver.own_reader
    if before is not None:
        before.end()

    def report_failure() -> None:
        from rich.traceback import Traceback

        driver._app.call_later(driver._app.panic, Traceback())

    driver.own_reader = None
    if thread is not None:
        driver.own_reader = KeyReader(driver.fileno, ReadParser(driver._debug), driver.process_message, report_failure)


class LayoutDiffCompositor(Compositor):
    """Compositor that draws every place that differs from the layout before.

    Textual renews its map also when a place is looked up while a hidden widget waits to be drawn. A layout after that
    found no difference, and what a closed field had covered was not drawn.
    """

    def __init__(self) -> None:
        super().__init__()
        self._laid_out: CompositorMap = {}
        """Map of the newest layout."""

    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        self._full_map = self._laid_out
        result = super().reflow(parent, size)
        self._laid_out = self._full_map
        return result


class WholeLayouts:
    """Mixin by which a screen redraws each new layout completely; it must come before the screen class."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._compositor: Compositor = LayoutDiffCompositor()


class LiveModal(WholeLayouts, ModalScreen[Answer], Generic[Answer]):
    """Modal dialog behind which all other screens and dialogs keep updating.

    Textual reports a change only to its own screen and the top screen. It draws screens between them from old copies,
    and with three or more dialogs loses track of which screen lies below which.
    """

    @property
    def place_name(self) -> str:
        """Name of the place that key hints use for the dialog; empty: the name of the screen below."""
        return ""

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Redraw the dialog, and mark the changed region in the dialogs below it."""
        if regions:
            for screen in self.app._background_screens[1:]:
                screen._set_dirty(*regions)
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def render(self) -> RenderableType:
        """Draw the screen directly below this dialog."""
        stack = self.app.screen_stack
        if self not in stack[1:]:
            return super().render()
        return BackgroundScreen(stack[stack.index(self) - 1], self.styles.background)


ESC = "\x1b"
SEQUENCES = "[O]P_" + ESC
"""Characters that begin a sequence of the terminal behind Esc."""
WORD_KEYS = "bfd\x7f"
"""Characters that a terminal sends behind Esc for keys that move or delete by words."""
PASTE_BEGINS, PASTE_ENDS = f"{ESC}[200~", f"{ESC}[201~"
_KEY_WITH_EVENT = re.compile(r"(\x1b\[[\d:]*;\d*):(\d*)([\d:;]*[u~A-Z])")
"""Sequence of a key whose modifiers are followed by what happened to it: pressed, repeated or let go."""
_LET_GO = "3"
SILENT_TICKS = 50
"""Ticks of 0.1 s without a part of a paste after which its end counts as lost: else no key would act any more."""


class ReadParser(XTermParser):
    """Parser of terminal input that knows the last key of each read, and does not lose the Esc before another key.

    Textual passes the first key on before it parses the second: on a busy machine the first key of a paste would look
    like a single key press. And it takes Esc and a key that follows at once for Alt and the key, or for the key alone,
    as both are the same bytes: Enter behind Esc would send what Esc was to drop. And it ends a paste at an Esc inside
    it, so that what follows would be keys.
    """

    newest_key: ClassVar[events.Key | None] = None
    """Last key of the newest read; a process has one terminal."""

    def __init__(self, debug: bool = False) -> None:  # noqa: FBT001 - Textual calls it
        super().__init__(debug)
        self._begun = ""
        """What was read of a sequence that begins with Esc."""
        self._pastes = False
        """Whether a paste has begun and not ended."""
        self._pasted = ""
        """What was read of it."""
        self._silent_ticks = 0
        """Ticks since the last part of it was read; one each 0.1 s."""

    def feed(self, data: str) -> Iterable[Message]:
        """Parse everything that was read before passing on the first key."""
        messages: list[Message] = [] if data else [*super().feed(data)]
        while data:
            read, data = self._read_paste(data) if self._pastes else self._read_keys(data)
            messages += read
        ReadParser.newest_key = next(
            (message for message in reversed(messages) if isinstance(message, events.Key)), None
        )
        return messages

    def tick(self) -> Iterable[Message]:
        """Emit the keys of an escape sequence, or the text of a paste, that was not completed in time."""
        if self._pastes:
            self._silent_ticks += 1
            return self._read_paste(PASTE_ENDS)[0] if self._silent_ticks >= SILENT_TICKS else []
        begun, messages = self._begun, list(super().tick())
        if not messages:
            return messages
        self._begun = ""
        if begun[:1] == ESC and len(begun) == 2:
            return [events.Key("escape", ESC), *self._sequence_to_key_events(begun[1])]
        return messages

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:  # noqa: FBT001 - Textual calls it
        """Convert a sequence to key events; a key release, or a number that names no key, becomes an ignored key."""
        happened = _KEY_WITH_EVENT.fullmatch(sequence)
        if happened is not None and happened[2] == _LET_GO:
            return [events.Key(Keys.Ignore, sequence)]
        try:
            keys = [*super()._sequence_to_key_events(happened[1] + happened[3] if happened else sequence, alt)]
            for key in keys:
                f"{key.key}{key.character}".encode()  # half of a pair of code points is no text
        except (ValueError, OverflowError):
            return [events.Key(Keys.Ignore, sequence)]
        return keys

    def _read_keys(self, data: str) -> tuple[list[Message], str]:
        """Parse what was read up to the beginning of a paste; return the messages and the text after that."""
        messages: list[Message] = []
        kept = 0
        for at, character in enumerate(data):
            if self._begun == ESC and self._ends_escape(data, at):
                messages += [*self._parse(data[kept:at]), *self._give_up()]
                kept = at
            self._follow(character)
            if self._pastes:
                return [*messages, *self._parse(data[kept : at + 1])], data[at + 1 :]
        return [*messages, *self._parse(data[kept:])], ""

    def _read_paste(self, data: str) -> tuple[list[Message], str]:
        """Collect the text of a paste; at the end emit it without Esc characters, and return the text after it."""
        before = len(self._pasted)
        self._pasted += data
        self._silent_ticks = 0
        end = self._pasted.find(PASTE_ENDS, max(0, before - len(PASTE_ENDS)))
        if end < 0:
            return [], ""
        text, rest = self._pasted[:end], self._pasted[end + len(PASTE_ENDS) :]
        self._pasted, self._pastes = "", False
        return [*self._parse(text.replace(ESC, "") + PASTE_ENDS)], rest

    def _parse(self, data: str) -> Iterable[Message]:
        """Parse a text; do nothing for an empty one, which Textual takes for the end of the input."""
        return super().feed(data) if data else ()

    def _ends_escape(self, data: str, at: int) -> bool:
        """Return whether the character behind Esc is a key of its own: no sequence begins with both."""
        together = at > 0
        return data[at] not in SEQUENCES and not (together and data[at] in WORD_KEYS)

    def _give_up(self) -> Iterable[Message]:
        """Emit the Esc that was waiting for more characters as a key."""
        self._begun = ""
        self._timeout_time = 0.0
        return super().tick()

    def _follow(self, character: str) -> None:
        """Record a character as part of an escape sequence, and whether a paste begins with it."""
        if character == ESC:
            self._begun = ESC
        elif self._begun:
            self._begun += character
            self._pastes = self._begun == PASTE_BEGINS
            if (len(self._begun) > 2 and character.isalpha()) or character == "~" or self._begun[1] not in SEQUENCES:
                self._begun = ""


class ShellDriver(Driver):
    """Base of a driver that passes input directly to the app, and leaves and enters the screen as a shell requires."""

    direct: DirectOutput
    reads_keys: bool
    """Whether Textual's driver reads keys on a thread, and obeys a shell."""
    exit_event: threading.Event
    own_reader: KeyReader | None = None
    attrs_before: list[Any] | None = None
    """Modes of the terminal that are set again when it is left."""
    _key_thread: Any
    _leaves_for_shell = False
    _modes_before: list[Any] | None = None

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.jobs = JobControl(self._leave_for_shell, self._enter_again, self.direct.is_ending)
        super().__init__(*arguments, **options)

    def send_message(self, message: Message) -> None:
        self.direct.take_input(message)

    def start_application_mode(self) -> None:
        self.jobs.begin()
        for _ in range(STARTS if self.reads_keys else 1):
            super().start_application_mode()  # type: ignore[safe-super]
            if self._key_thread is not None:
                break  # else it was stopped, as it came into the background meanwhile
        self.direct.left_screen = self.reads_keys and self._key_thread is None
        self._modes_before = self.attrs_before = self._modes_before or self.attrs_before

    def stop_application_mode(self) -> None:
        if not self._leaves_for_shell:
            self.jobs.end()
            if must_keep_modes():
                self.attrs_before = None
                self.exit_event.set()
        super().stop_application_mode()  # type: ignore[safe-super]
        self.direct.left_screen = True

    def disable_input(self) -> None:
        self.direct.probe.await_last_answer()
        self._key_thread = None
        super().disable_input()  # type: ignore[safe-super]

    def _leave_for_shell(self) -> None:
        if not self.direct.left_screen:
            self._leaves_for_shell = True
            self.suspend_application_mode()
            self._leaves_for_shell = False

    def _enter_again(self) -> None:
        self._must_signal_resume = True
        self.resume_application_mode()

    def _sigtstp_application(self, *received: object) -> None:
        self.jobs.handle_stop(*received)

    def _sigcont_application(self, number: int, frame: FrameType | None) -> None:
        self.jobs.handle_continue(number, frame)


class DirectOutput(App[None]):
    """Textual app that can write to the terminal directly, without the compositor."""

    draw_listener: DrawListener | None = None
    writes_directly = False
    """Whether output bypasses Textual's writer thread; set before the app is created."""

    left_screen = True
    """Whether the main screen of the terminal is shown."""
    was_told_to_end = False
    """Whether a signal told the process to end."""
    newest_key: events.Key | None = None
    """Newest key read from the terminal, possibly not handled yet."""
    probe: TerminalProbe
    """Probe of whether the terminal reads its output; set before the app runs."""
    backlog: OutputBacklog
    """Monitor of pending output; set before the app runs."""

    def get_driver_class(self) -> type[Driver]:
        """Return a driver that posts input to the app at once, while Textual's own creates a task per event."""
        base: Any = super().get_driver_class()
        app = self

        class DirectDriver(ShellDriver, base):  # type: ignore[misc]
            direct = app
            reads_keys = hasattr(base, "_sigcont_application")
            _key_thread = property(_get_reader, _set_reader)

        if self.writes_directly:
            DirectDriver._writer_thread = property(_get_writer, _set_writer)
        return DirectDriver

    def is_ending(self) -> bool:
        """Return whether the app is ending or was told to end."""
        return self.was_told_to_end or self._exit

    @on(Driver.SignalResume)
    def draw_again(self) -> None:
        """Draw everything on a terminal that was left and entered again: that has cleared it."""
        for screen in self.screen_stack:
            for widget in screen.walk_children(with_self=True):
                widget.refresh(layout=True)

    def take_input(self, message: Message) -> None:
        """Handle input on the reading thread: consume terminal replies to probe queries, pass everything else to the app."""
        if isinstance(message, events.CursorPosition):
            self.probe.note_answer()
            return
        if isinstance(message, events.Key):
            self.newest_key = ReadParser.newest_key or message
        self.post_message(message)

    def post_message(self, message: Message) -> bool:
        """Queue a message; record a key press as the newest key even before earlier ones are handled."""
        if isinstance(message, events.Key) and (self.newest_key is None or message.time >= self.newest_key.time):
            self.newest_key = message
        return super().post_message(message)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if self.draw_listener is not None and renderable is not None and not self._batch_count:
            self.draw_listener(screen, renderable.spans if isinstance(renderable, ChopsUpdate) else None)
        super()._display(screen, renderable)

    @property
    def takes_cells(self) -> bool:
        """Whether cells can be written to the terminal directly."""
        driver = self._driver
        running = self._running and not self._closed
        return driver is not None and running and not driver.is_headless and not driver.is_inline

    @property
    def front(self) -> Screen[Any] | None:
        """Screen on top of the stack; None without one."""
        return self.screen_stack[-1] if self.screen_stack else None

    @property
    def awaits_layout(self) -> bool:
        """Whether the top screen waits for a layout."""
        front = self.front
        return front is not None and front._layout_required

    def write_cells(self, text: str) -> None:
        """Write cells to the terminal as one synchronized update."""
        self._write(f"{SYNC_START}{text}{SYNC_END}" if self._sync_available else text)
        self.probe.follow_output()

    def awaits_output(self) -> bool:
        """Return whether earlier output has not reached the terminal, so that the next frame must wait."""
        return self.backlog.is_behind() or self.probe.is_full()

    def output_pause_s(self) -> float:
        """Return how long the next frame must wait, in s, to leave a slow link free for keys and own orders."""
        return self.probe.frame_pause_s

    def count_written(self) -> int:
        """Return the number of bytes written to the terminal since the start."""
        return count_written(self)

    def write_query(self, text: str) -> None:
        """Write a query that the terminal answers only after it has drawn everything written before."""
        self._write(text)

    def _write(self, text: str) -> None:
        if self._driver is not None:
            self._driver.write(text)
            self._driver.flush()

    def name_window(self, title: str) -> None:
        """Set the window title of the terminal; `title` must be clean text."""
        if self.takes_cells:
            self._write(f"\x1b]2;{title}\x07")

    def notify_desktop(self, text: str, sequence: str) -> None:
        """Ask the terminal for a notice on the desktop; `text` must be clean text, `sequence` is osc9 or osc777."""
        if self.takes_cells:
            body = text.replace(";", ",")
            self._write(f"\x1b]9;{body}\x07" if sequence == "osc9" else f"\x1b]777;notify;crossdesk;{body}\x07")

    def cursor(self) -> tuple[int, int]:
        """Return the cursor position as column and line, kept inside the screen."""
        at = self.screen.outer_size.clamp_offset(self.cursor_position)
        return at.x, at.y

    @property
    def colours(self) -> ColorSystem:
        """Number of colours the terminal can show."""
        return _COLOURS.get(self.console.color_system or "", ColorSystem.TRUECOLOR)

    def adapt_style(self, style: Style) -> Style:
        """Convert a style to what the terminal can show, for example without colours."""
        strip = Strip([Segment("x", style)], 1)
        for line_filter in self.get_line_filters():
            strip = strip.apply_filter(line_filter, self.screen.background_colors[1])
        return next(iter(strip)).style or style
