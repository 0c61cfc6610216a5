"""The real program in plain mode, in a pseudo-terminal or on pipes: lines in, lines out, nothing else is looked at."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path

from tests import edition
from tests.busy import limit
from tests.forking import TOP, Forked, can_fork

LIVELY = ("--seed", "7", "--set", "latency=test", "--set", "past=off")
WITHIN = 20.0
"""Seconds that an answer may take."""
_ESCAPE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
CONFIG = (
    "[engine.limits]\nfirst_of_day = false\nstale = 3600\nred_after = 3600\n[engine.audits]\nadl_gap = 1.0\n"
    '[workstation]\nconfirm_arm_ms = {arm}\ncancel_all_on_quit = "{quit}"\n'
)


def write_config(home: Path, *, arm: int = 0, leaves: str = "ask") -> None:
    """A config without questions that a script does not expect; a script reads before it answers."""
    for folder in (home, home / "config"):
        folder.mkdir(mode=0o700, exist_ok=True)
    path = home / "config" / "config.toml"
    path.write_text(CONFIG.format(arm=arm, quit=leaves))
    path.chmod(0o600)


class Plain:
    """One run of `crossdesk --plain`."""

    def __init__(self, home: Path, via: str, *arguments: str, forks: bool = True) -> None:
        """Start it; `via` is `pty` or `pipe`."""
        self.lines: list[str] = []
        self._read_up_to = 0
        self._changed = threading.Condition()
        words = ["--plain", *(arguments or LIVELY)]
        if "--set" in words:
            at = words.index("--set")
            words[at:at] = edition.arguments()
        if via == "pty":
            self._ours, theirs = pty.openpty()
            modes = termios.tcgetattr(theirs)
            modes[3] &= ~termios.ECHO
            termios.tcsetattr(theirs, termios.TCSANOW, modes)
            self._output, streams, close = self._ours, (theirs, theirs, theirs), [theirs]
        else:
            (stdin, self._ours), (self._output, stdout) = os.pipe(), os.pipe()
            streams, close = (stdin, stdout, stdout), [stdin, stdout]
        environment = {**os.environ, "CROSSDESK_HOME": str(home), "TERM": "dumb"}
        self.process: Forked | subprocess.Popen[bytes]
        if forks and can_fork():
            self.process = Forked(words, streams, environment=environment, leads=True, is_desk=True)
        else:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tui.cli.start", *words], cwd=TOP, env=environment,
                stdin=streams[0], stdout=streams[1], stderr=streams[2], start_new_session=True,
            )  # fmt: skip
        for descriptor in close:
            os.close(descriptor)
        self._open = {self._ours, self._output}
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        rest = b""
        while True:
            try:
                ready = select.select([self._output], [], [], 0.2)[0]
                data = os.read(self._output, 65536) if ready else None
            except (OSError, ValueError):
                data = b""
            if data == b"":
                break
            *lines, rest = (rest + (data or b"")).replace(b"\r\n", b"\n").split(b"\n")
            with self._changed:
                self.lines += [line.decode() for line in lines]
                self._changed.notify_all()

    def type(self, *lines: str) -> None:
        """Enter lines, all in one write."""
        os.write(self._ours, "".join(f"{line}\n" for line in lines).encode())

    def type_key(self, key: str) -> None:
        """Press a key without an end of line."""
        os.write(self._ours, key.encode())

    def end_input(self) -> None:
        """End its input, as the end of a pipe or a terminal that is closed does."""
        self._open.discard(self._ours)
        os.close(self._ours)

    def see(self, *words: str, within: float = WITHIN) -> str:
        """Wait for the next line with all of the words; what came before it counts as read."""
        deadline = time.monotonic() + limit(within)
        with self._changed:
            while True:
                for number in range(self._read_up_to, len(self.lines)):
                    if all(word in self.lines[number] for word in words):
                        self._read_up_to = number + 1
                        return self.lines[number]
                left = deadline - time.monotonic()
                if left <= 0:
                    shown = "\n".join(self.lines)
                    raise AssertionError(
                        f"never said: {' and '.join(words)}, behind line {self._read_up_to} of\n{shown}"
                    )
                self._changed.wait(min(left, 0.25))

    def ask(self, line: str, *words: str) -> str:
        """Enter a line and return the next line with all of the words."""
        self.type(line)
        return self.see(*words)

    def confirm(self, *words: str) -> str:
        """Answer yes, and return the line that says what became of it, once the line typed before is done, too."""
        self.type("yes")
        start = self._read_up_to
        said = self.see(*words)
        after, self._read_up_to = self._read_up_to, start
        self.see("done: ")
        self._read_up_to = max(after, self._read_up_to)
        return said

    def send(self, line: str, *words: str) -> str:
        """Enter a line that sends, answer its question, and return the line that says what became of it."""
        self.ask(line, "type yes")
        return self.confirm(*words)

    def poll(self, line: str, *words: str, shows: str) -> str:
        """Enter a line that reads until its answer shows a pattern; the answer is the next line with all of the words."""
        deadline = time.monotonic() + limit(WITHIN)
        while not re.search(shows, answer := self.ask(line, *words)):
            assert time.monotonic() < deadline, f"{shows} never in {answer}"
            time.sleep(0.1)
        return answer

    def knows_stops(self) -> bool:
        """Whether the list of stops and targets has been read: the desk says so behind its orders if not."""
        before = len(self.lines)
        self.ask("orders", "order works")
        self.ask("help quotes", "best bid and ask of pairs")  # what the list says stands before it
        return not any("not known now" in line for line in self.lines[before:])

    def begin(self) -> None:
        """Wait until the account, its stops and the first quotes are known, and arm."""
        self.see("In sync with the venue", within=60)
        deadline = time.monotonic() + limit(WITHIN)
        while not self.knows_stops():
            assert time.monotonic() < deadline, "stops and targets were never read"
            time.sleep(0.1)
        for pair in ("BTC", "ETH"):
            self.poll(f"quotes BINANCE_PERP_{pair}_USDT", f"BINANCE {pair} perpetual", shows="bid [0-9]")
        self.ask("arm", "Armed")

    def controls(self) -> list[str]:
        """Lines with anything but printed characters."""
        return [line for line in self.lines if _ESCAPE.search(line)]

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self._thread.join(2)
        for descriptor in self._open:
            with contextlib.suppress(OSError):
                os.close(descriptor)
