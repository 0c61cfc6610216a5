"""The real program in a pseudo-terminal: keys in, an emulated screen and every byte out."""

from __future__ import annotations

import codecs
import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, TypeVar

from tests import edition
from tests.forking import Forked, can_fork
from tests.terminal.screen import Screen, Stream
from tui.workstation.input.stray_typing import STRAY_S, WALKED_S

TOP = Path(__file__).parent.parent.parent
LIMIT = 20.0
"""Seconds a condition may take on a busy machine."""

SENDING_KEYS = frozenset(["enter", "y"])
CANCELLING_KEYS = frozenset(["c", "u"])
CANCELLING_KEY_S = 0.07
"""Pause between the moment a key was read and one that cancels: within 30 ms both are taken for a paste."""
KEY_S = 0.03
"""Pause between two keys."""
SENDING_KEY_S = 0.22
"""Pause between the moment a key was read and one that may send: what it sends must have stood for 150 ms."""
MOVED_S = 0.48
"""The same behind a key that moves the focus."""
AGAIN_S = 0.8
"""The same behind the key itself: within 700 ms it is taken for a held one."""
FIGURE = frozenset("0123456789.%$")
"""Keys that type a figure, which a field shows as it was typed."""
MOVES = frozenset(["tab", "escape", "enter", "down", "up", "left", "right"])
TOO_EARLY = "not sent: it came before"
"""What the program says of a key that came before the eye could have read what it sends; nothing was sent."""
ANSWER_S = 0.8
"""How long a sending key waits for the screen to answer the key before it; some keys change nothing."""
READ_S = 2.0
"""How long a program that is busy may leave a key unread; one that stands still is pressed on."""
AFTER_ESCAPE_S = 0.3
"""Pause between the moment an Escape was read and the next key: within 100 ms both are read as one."""

SYNCHRONIZED = 2026 << 5
"""The mode of a synchronized update, as the emulator keeps private modes."""
ASKS_SYNCHRONIZED, KNOWS_SYNCHRONIZED = b"\x1b[?2026$p", b"\x1b[?2026;2$y"
"""The question whether the terminal knows it, and the answer that it does."""
ASKS_CURSOR = b"\x1b[6n"
PROGRAM = ("-m", "tui.cli.start")

T = TypeVar("T")

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "backspace": "\x7f",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "shift+tab": "\x1b[Z",
    "plus": "+",
    "space": " ",
    "delete": "\x1b[3~",
    "f6": "\x1b[17~",
    "ctrl+g": "\x07",
    "ctrl+p": "\x10",
    "ctrl+t": "\x14",
    "ctrl+q": "\x11",
    "ctrl+z": "\x1a",
}

_SEQUENCE = re.compile(
    rb"\x1b\[[0-9;:?<>=]*[ -/]*[@-~]"  # CSI
    rb"|\x1b[=>78M]"
    rb"|\x1b\]22;[a-z-]*(?:\x1b\\|\x07)"  # pointer shape, set by the framework
    rb"|\x1b\]2;[^\x00-\x1f\x7f]*\x07"  # title of the window
    rb"|\x1bP[0-9+$q;a-fA-F]*\x1b\\"
)
_UNFINISHED = re.compile(rb"\x1b(?:\[[0-9;:?<>=]*)?$")
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_C1 = re.compile("[\x80-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def _command(words: list[str], slave: int, variables: dict[str, str], folder: Path) -> subprocess.Popen[bytes]:
    """Start a process on a terminal that is its own."""

    def own_terminal() -> None:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    return subprocess.Popen(
        words,
        cwd=folder,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=variables,
        preexec_fn=own_terminal,
        close_fds=True,
    )


class Terminal:
    """One run of a command on a terminal of a given size."""

    forks: ClassVar[bool] = "PYTEST_VERSION" in os.environ
    """Whether the program may be forked from a process that has read the modules, as venues of tests may."""

    def __init__(
        self,
        *arguments: str,
        home: Path,
        columns: int = 160,
        lines: int = 45,
        environment: dict[str, str] | None = None,
        program: tuple[str, ...] = PROGRAM,
        command: tuple[str, ...] = (),
    ) -> None:
        """Start the program of this checkout, or an installed `command`, which gets the variables given and no others."""
        if "--set" in arguments:  # a command that starts a paper venue; what the test sets stands behind and wins
            at = arguments.index("--set")
            arguments = (*arguments[:at], *edition.arguments(), *arguments[at:])
        self.home = home
        self.screen = Screen(columns, lines)
        self._stream = Stream(self.screen)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._lines: list[str] = [""] * lines
        self.bytes = bytearray()
        self._sound = 0
        """Bytes among which nothing was found that no renderer sends."""
        self._last_key = ""
        self._figure = ""
        """Figure that the last keys typed."""
        self._drawn_before = 0
        """Bytes that had come when the last key was typed."""
        self._can_repeat = False
        """Whether the last key may be pressed once more: it sends, and the screen did not say before that it was early."""
        self.answers = True
        """Whether it says where its cursor is when it is asked."""
        self.answer_after = 0.0
        """Seconds that an answer takes."""
        self.answered = 0
        self._changed = threading.Condition()
        self._reading = threading.Event()
        self._reading.set()
        self._master, slave = pty.openpty()
        self.resize(columns, lines)
        self.cooked = termios.tcgetattr(slave)
        variables = {
            **os.environ,
            "CROSSDESK_HOME": str(home),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "TEXTUAL_ANIMATIONS": "none",
            **(environment or {}),
        }
        for name in ("NO_COLOR", "TEXTUAL_FPS", "COLUMNS", "LINES", "STY"):
            if name not in (environment or {}):
                variables.pop(name, None)

        self.process: subprocess.Popen[bytes] | Forked
        if command:
            self.process = _command([*command, *arguments], slave, environment or {}, home)
        elif self.forks and program == PROGRAM and can_fork(environment):
            self.process = Forked(
                list(arguments), (slave, slave, slave), environment=variables, leads=True, is_desk=True
            )
        else:
            self.process = _command([sys.executable, *program, *arguments], slave, variables, TOP)
        self._slave = slave
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while True:
            self._reading.wait()
            try:
                ready, _, _ = select.select([self._master], [], [], 0.2)
                data = os.read(self._master, 65536) if ready else b""
            except (OSError, ValueError):
                return
            if data:
                with self._changed:
                    before = len(self.bytes)
                    self.bytes += data
                    self._stream.feed(self._decoder.decode(data))
                    self._changed.notify_all()
                self._answer(before)

    def _answer(self, before: int) -> None:
        """Answer what was asked since so many bytes had come."""
        if self._count_new(ASKS_SYNCHRONIZED, before):
            os.write(self._master, KNOWS_SYNCHRONIZED)
        for _ in range(self._count_new(ASKS_CURSOR, before) if self.answers else 0):
            place = f"\x1b[{self.screen.cursor.y + 1};{self.screen.cursor.x + 1}R".encode()
            if self.answer_after:
                threading.Timer(self.answer_after, self._write_answer, [place]).start()
            else:
                self._write_answer(place)

    def _write_answer(self, place: bytes) -> None:
        with contextlib.suppress(OSError):  # the terminal was closed meanwhile
            os.write(self._master, place)
        self.answered += 1

    def _count_new(self, asked: bytes, before: int) -> int:
        return self.bytes.count(asked, max(0, before - len(asked) + 1))

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        if hasattr(self, "process"):
            with self._changed:
                self.screen.resize(lines, columns)
            self.process.send_signal(signal.SIGWINCH)

    def clear(self) -> None:
        """Clear the screen, as a terminal does that is left and entered again; the emulator keeps it."""
        with self._changed:
            self.screen.erase_in_display(2)

    def press(self, *keys: str) -> None:
        """Type keys by name, or any text as it is; one write each, as fast as a quick hand."""
        for key in keys:
            time.sleep(KEY_S)  # the byte before is on its way to the program's side of the terminal
            self._await_read()
            if self._last_key == "escape":
                time.sleep(AFTER_ESCAPE_S)
            elif key in CANCELLING_KEYS:
                time.sleep(CANCELLING_KEY_S)
            if key in SENDING_KEYS:
                self.await_answer()
                time.sleep(AGAIN_S if key == self._last_key else MOVED_S if self._last_key in MOVES else SENDING_KEY_S)
            self._last_key = key
            self._figure = self._figure + key if key in FIGURE else ""
            self._drawn_before = len(self.bytes)
            with self._changed:
                self._can_repeat = key in SENDING_KEYS and not self._says_too_early()
            os.write(self._master, KEYS.get(key, key).encode())

    def walk_to(self, number: str) -> None:
        """Press the number of a pane as a hand does: two digits at once on lists are a figure that no field takes."""
        if self._last_key in FIGURE:
            self._await_read()
            time.sleep(STRAY_S if number == self._last_key else WALKED_S)
        self.press(number)

    def _says_too_early(self) -> bool:
        return any(TOO_EARLY in line for line in self._drawn())

    def _press_once_more(self) -> None:
        """Press a sending key again, as the screen asks for: a busy machine drew the line late."""
        if self._can_repeat and self._says_too_early():
            self._can_repeat = False
            self._changed.wait_for(lambda: False, AGAIN_S)
            os.write(self._master, KEYS.get(self._last_key, self._last_key).encode())

    def await_answer(self) -> None:
        """Wait until the last key was answered, a typed figure with itself: nobody sends what is not on the screen yet."""
        deadline = time.monotonic() + ANSWER_S
        with self._changed:
            while not self._is_answered() and (left := deadline - time.monotonic()) > 0:
                self._changed.wait(left)

    def _is_answered(self) -> bool:
        """Return whether something was drawn since the last key; clocks and quotes are drawn beside a figure."""
        if len(self.bytes) <= self._drawn_before:
            return False
        return len(self._figure) < 2 or any(self._figure in line for line in self._drawn())

    def _await_read(self) -> None:
        """Wait until the program has read what was typed; typed behind unread keys, a key belongs to their burst."""
        deadline = time.monotonic() + READ_S
        unread = bytearray(4)
        while time.monotonic() < deadline:
            fcntl.ioctl(self._slave, termios.FIONREAD, unread)
            if not any(unread):
                return
            time.sleep(0.005)

    def click(self, word: str) -> None:
        """Press and release the mouse on the lowest place of a word on the screen."""
        lines = self.display
        y = max(number for number, line in enumerate(lines) if word in line)
        place = f"{lines[y].index(word) + 1};{y + 1}"
        os.write(self._master, f"\x1b[<0;{place}M\x1b[<0;{place}m".encode())

    def burst(self, text: str) -> None:
        """Everything in one write, as a paste or a macro keyboard does."""
        self._drawn_before = len(self.bytes)
        os.write(self._master, text.encode())

    @property
    def display(self) -> list[str]:
        """What stands on the screen now; the end of an update that has begun is waited for."""
        deadline = time.monotonic() + 1.0
        with self._changed:
            while SYNCHRONIZED in self.screen.mode and self.process.poll() is None and time.monotonic() < deadline:
                self._changed.wait(0.05)
            return self._drawn()

    def _drawn(self) -> list[str]:
        """The lines of the screen; only those that changed since the last call are put together again.

        In the midst of a synchronized update they are those of before it, as on terminals that know of them; one that
        the end of the program cut off is shown as far as it came.
        """
        screen = self.screen
        if SYNCHRONIZED in screen.mode and self._lines and self.process.poll() is None:
            return list(self._lines)
        if len(self._lines) != screen.lines:
            self._lines = [""] * screen.lines
            screen.dirty.update(range(screen.lines))
        for y in screen.dirty:
            if y < screen.lines:
                self._lines[y] = screen.line(y)
        screen.dirty.clear()
        return list(self._lines)

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.display)

    def until(self, found: Callable[[list[str]], T | None], what: str, *, within: float = LIMIT) -> T:
        """Wait until the screen shows something; its value is the answer."""
        deadline = time.monotonic() + within
        with self._changed:
            while True:
                hit = found(self._drawn())
                if hit:
                    return hit
                self._press_once_more()
                left = deadline - time.monotonic()
                if left <= 0 or (self.process.poll() is not None and left < within - 2):
                    raise AssertionError(f"never seen: {what}\n" + "\n".join(self._drawn()))
                self._changed.wait(min(left, 0.25))

    def see(self, *words: str, within: float = LIMIT) -> str:
        """Wait for a line that holds every one of the words; the line is the answer."""

        def found(display: list[str]) -> str | None:
            return next((line for line in display if all(word in line for word in words)), None)

        return self.until(found, " and ".join(words), within=within)

    def gone(self, *words: str, within: float = LIMIT) -> None:
        """Wait until no line holds all of the words."""
        self.until(
            lambda display: not any(all(word in line for word in words) for line in display),
            "absence of " + " and ".join(words),
            within=within,
        )

    def in_step(self) -> None:
        """Wait until the account is read and pushed; the line of events says so once no newer alert is news."""
        self.until(lambda display: "RECONCILING" not in display[0] and "priv●" in display[0], "in step")

    def stop_reading(self) -> None:
        """Stop taking bytes, as a terminal in copy mode does."""
        self._reading.clear()

    def go_on_reading(self) -> None:
        self._reading.set()

    def wait(self, within: float = LIMIT) -> int:
        return self.process.wait(timeout=within)

    def raw_control_bytes(self) -> list[bytes]:
        """Bytes on the terminal that no renderer sends: bare controls, C1, bidi, foreign escape sequences."""
        data = bytes(self.bytes[self._sound :])
        rest = _UNFINISHED.sub(b"", _SEQUENCE.sub(b"", data))
        bad = [found.group() for found in _CONTROL.finditer(rest)]
        bad += [found.group().encode() for found in _C1.finditer(rest.decode("utf-8", "replace"))]
        if not bad:
            # Before the last sequence nothing is unfinished.
            self._sound += max(0, data.rfind(b"\x1b["))
        return bad

    @property
    def foreground(self) -> int:
        """The group of processes that has the terminal."""
        return os.tcgetpgrp(self._master)

    def is_restored(self) -> bool:
        """Whether the terminal was put back: title, main screen, cursor shown, mouse off, line discipline as before."""
        data = bytes(self.bytes)
        on = {mode: data.rfind(b"\x1b[?" + mode + b"h") for mode in (b"1049", b"1000", b"1003", b"2004")}
        off = {mode: data.rfind(b"\x1b[?" + mode + b"l") for mode in on}
        modes = all(off[mode] > on[mode] for mode in on if on[mode] >= 0)
        cursor = data.rfind(b"\x1b[?25h") > data.rfind(b"\x1b[?25l")
        title = data.count(b"\x1b[22;2t") == data.count(b"\x1b[23;2t") == 1
        return modes and cursor and title and termios.tcgetattr(self._slave)[3] == self.cooked[3]

    def children(self) -> list[int]:
        """Processes the program started."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    stat = (entry / "stat").read_text()
                except OSError:
                    continue
                if int(stat.rsplit(")", 1)[1].split()[1]) == self.process.pid:
                    found.append(int(entry.name))
        return found

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._reading.set()
        for descriptor in (self._slave, self._master):
            os.close(descriptor)
        self._thread.join(2)


def alive(pid: int) -> bool:
    """Whether a process still runs (zombies do not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
