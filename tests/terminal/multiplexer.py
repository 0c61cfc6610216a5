"""The workstation in a terminal multiplexer of its own: started without a terminal, read and typed into from outside."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from tests import edition
from tests.terminal.conftest import STILL, no_daily_ask
from tests.terminal.terminal import KEYS, LIMIT, TOP

LOOK_S = 0.05
"""Pause between two looks at the screen."""


class Multiplexer(ABC):
    """A server without a configuration, and one session in which the workstation runs."""

    name: ClassVar[str]
    quits: ClassVar[str] = KEYS["ctrl+q"]
    """What is typed in a terminal so that the workstation gets Ctrl+Q."""

    def __init__(self, folder: Path, home: Path) -> None:
        """Prepare a server whose socket lies in a folder, for a desk of a home."""
        self._folder, self._home = folder, home
        self.variables = {
            **{name: os.environ[name] for name in ("PATH",) if name in os.environ},
            "HOME": str(home),
            "CROSSDESK_HOME": str(home),
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(TOP),
            "TERM": "xterm-256color",
            "TEXTUAL_ANIMATIONS": "none",
            "TMUX_TMPDIR": str(folder),
            "SCREENDIR": str(folder),
        }

    @property
    @abstractmethod
    def attach(self) -> tuple[str, ...]:
        """The command that shows the session in the terminal in which it runs."""

    @abstractmethod
    def begin(self, columns: int, lines: int) -> None:
        """Start the workstation in a session that no terminal shows."""

    @abstractmethod
    def look(self) -> list[str]:
        """The lines of the session's screen, as the multiplexer tells them."""

    @abstractmethod
    def type(self, *keys: str) -> None:
        """Hand keys to the workstation, whether or not a terminal shows it."""

    @abstractmethod
    def detach(self) -> None:
        """Send the terminals away; the session goes on."""

    @abstractmethod
    def end(self) -> None:
        """End the server and all that runs in it; nothing where it has ended."""

    def _start_words(self) -> str:
        no_daily_ask(self._home)
        at = STILL.index("--set")
        options = (*STILL[:at], *edition.arguments(), *STILL[at:])
        return shlex.join([sys.executable, "-m", "tui.cli.start", *options])

    def _call(self, *words: str, check: bool = True) -> str:
        return subprocess.run(
            words, env=self.variables, cwd=TOP, check=check, capture_output=True, text=True, timeout=LIMIT
        ).stdout

    def until(self, found: Callable[[list[str]], bool], what: str) -> list[str]:
        """Look at the screen of the desk until something is on it; the lines are the answer."""
        deadline = time.monotonic() + LIMIT
        while not ("PAPER" in "".join(lines := self.look()) and found(lines)):
            assert time.monotonic() < deadline, f"never seen in {self.name}: {what}\n" + "\n".join(lines)
            time.sleep(LOOK_S)
        return lines

    def see(self, *words: str) -> str:
        """Wait for a line with all of the words; the line is the answer."""
        lines = self.until(lambda lines: any(_holds(line, words) for line in lines), " and ".join(words))
        return next(line for line in lines if _holds(line, words))

    def gone(self, *words: str) -> None:
        """Wait until no line holds all of the words."""
        self.until(lambda lines: not any(_holds(line, words) for line in lines), f"absence of {words}")


def _holds(line: str, words: tuple[str, ...]) -> bool:
    return all(word in line for word in words)


class Tmux(Multiplexer):
    """`tmux` with a socket of its own and its standard settings."""

    name = "tmux"
    _KEYS: ClassVar[dict[str, str]] = {"escape": "Escape", "enter": "Enter", "ctrl+q": "C-q"}

    @property
    def _words(self) -> tuple[str, ...]:
        return ("tmux", "-L", "desk", "-f", "/dev/null")

    @property
    def attach(self) -> tuple[str, ...]:
        return (*self._words, "attach-session")

    def begin(self, columns: int, lines: int) -> None:
        self._call(*self._words, "new-session", "-d", "-x", str(columns), "-y", str(lines), self._start_words())

    def look(self) -> list[str]:
        return self._call(*self._words, "capture-pane", "-p").splitlines()

    def type(self, *keys: str) -> None:
        self._call(*self._words, "send-keys", *(self._KEYS.get(key, key) for key in keys))

    def detach(self) -> None:
        self._call(*self._words, "detach-client")

    def keep_what_is_copied(self) -> None:
        """Let what a program copies go into the server's buffer, which the standard settings do not."""
        self._call(*self._words, "set-option", "-g", "set-clipboard", "on")

    def copied(self) -> str:
        """The newest buffer; empty where there is none."""
        return self._call(*self._words, "show-buffer", check=False)

    def end(self) -> None:
        self._call(*self._words, "kill-server", check=False)


class GnuScreen(Multiplexer):
    """GNU `screen` with a folder of sockets of its own and its standard settings."""

    name = "screen"
    quits = "\x01q"
    """With its standard settings Ctrl+Q goes on with the output after Ctrl+S; Ctrl+A and q hand it to the program."""

    @property
    def _words(self) -> tuple[str, ...]:
        return ("screen", "-c", "/dev/null", "-S", "desk")

    @property
    def attach(self) -> tuple[str, ...]:
        return ("screen", "-c", "/dev/null", "-U", "-r", "desk")

    def begin(self, columns: int, lines: int) -> None:
        """A session that no terminal has shown yet has 80 columns and 24 lines."""
        self._call(*self._words, "-U", "-d", "-m", "sh", "-c", f"exec {self._start_words()}")

    def look(self) -> list[str]:
        copy = self._folder / "copy"
        copy.unlink(missing_ok=True)
        self._call(*self._words, "-p", "0", "-X", "hardcopy", str(copy), check=False)
        return copy.read_text("utf-8", "replace").splitlines() if copy.exists() else []

    def type(self, *keys: str) -> None:
        for key in keys:
            self._call(*self._words, "-p", "0", "-X", "stuff", KEYS.get(key, key))

    def detach(self) -> None:
        self._call(*self._words, "-X", "detach")

    def end(self) -> None:
        self._call(*self._words, "-X", "quit", check=False)


def find_program(kind: type[Multiplexer]) -> str | None:
    """Return where the program of a multiplexer is; None where it is not installed."""
    return shutil.which(kind.name)
