"""A shell with job control stops the program and takes it up again, in sequences drawn from a seed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.terminal.terminal import TOP, Terminal
from tests.terminal.test_stopped import is_stopped

BASH = shutil.which("bash")
PROMPT = "$ ready>"
STOPS = (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
STEPS = 6
SEEDS = (1, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(2, 13)))
ASKS_NOTHING = "Apple_Terminal"
"""Terminal that is not asked whether it knows synchronized updates."""
MANY = 100
HASTE = 0.3
"""Share of the steps behind which nothing is waited for."""

pytestmark = [
    pytest.mark.skipif(BASH is None, reason="a shell with job control is needed; bash is not installed"),
    pytest.mark.skipif(shutil.which("ps") is None, reason="ps tells whether a process is stopped; it is not installed"),
]


class Shell:
    """An interactive bash on a terminal, and the workstation as its job."""

    def __init__(self, start: Callable[..., Terminal], home: Path) -> None:
        variables = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        variables |= {
            "CROSSDESK_HOME": str(home),
            "TERM": "xterm-256color",
            "PS1": PROMPT,
            "PYTHONPATH": str(TOP),
            "TEXTUAL_ANIMATIONS": "none",
            "HISTFILE": "",
            "TERM_PROGRAM": ASKS_NOTHING,
        }
        words = (str(BASH), "--norc", "--noprofile", "-i")
        self.terminal = start(command=words, environment=variables, home=home, columns=100, lines=30)
        # A stop between a question and its answer leaves the answer to the shell, as a line that it would run.
        self.terminal.answers = False
        self._home = home
        self.job = 0

    def type(self, line: str) -> None:
        """Type a line once the shell has the terminal."""
        self.await_shell()
        self.terminal.burst(f"{line}\r")

    def begin(self) -> None:
        """Start the workstation, and wait until it can be used."""
        self.terminal.see(PROMPT)
        self.type(f"{sys.executable} -m tui.cli.start --seed 7 --set latency=test --set agents=still --set past=off")
        self.terminal.see("In sync with the venue")
        [self.job] = self.terminal.children()

    def has_terminal(self) -> bool:
        return self.terminal.foreground == self.terminal.process.pid

    def await_shell(self) -> None:
        self.terminal.until(lambda _: self.has_terminal() or None, "the shell in the foreground")

    def send(self, number: signal.Signals) -> None:
        os.kill(self.job, number)

    def await_stop(self) -> None:
        self.terminal.until(lambda _: is_stopped(self.job) or None, "the stopped job")

    def take_up(self) -> None:
        """Bring the workstation to the foreground: it draws everything again.

        A job that the shell takes for running gets no SIGCONT from it, so it must have stopped before.
        """
        self.await_shell()
        self.await_stop()
        self.terminal.clear()
        self.type("fg")
        self.terminal.until(lambda _: not self.has_terminal() or None, "the job in the foreground")

    def modes(self, name: str) -> str:
        """Modes of the terminal that the shell gives to its commands."""
        kept = self._home / name
        self.type(f"stty -g > {kept}; echo done-{name}-$((6 * 7))")
        self.terminal.see(f"done-{name}-42")
        return kept.read_text()

    def count_readers(self) -> int:
        """Count the descriptors that only read from the terminal: each reader of keys has one of its own."""
        process = Path(f"/proc/{self.job}")
        terminal, count = (process / "fd" / "0").readlink(), 0
        for link in (process / "fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                flags = int((process / "fdinfo" / link.name).read_text().split("flags:")[1].split()[0], 8)
                count += link.readlink() == terminal and flags & os.O_ACCMODE == os.O_RDONLY
        return count

    def is_over(self) -> bool:
        return not Path(f"/proc/{self.job}").exists()


def use(shell: Shell) -> None:
    """See the whole screen, and press keys; a second reader would take some of them away."""
    for words in (("PAPER", "main"), ("BTC perp",), ("Orders 0", "Positions")):
        shell.terminal.see(*words)
    for _ in range(3):
        shell.terminal.press("?")
        shell.terminal.see("Keys", "finds one")
        shell.terminal.press("escape")
        shell.terminal.gone("Keys", "finds one")


def stop_or_continue(shell: Shell, random: Random) -> str:
    """Take one step that is possible now; its name is the answer."""
    if not shell.has_terminal():
        stop = random.choice(STOPS)
        shell.send(stop)
        shell.await_shell()
        return stop.name
    step = random.choice(("continue", "twice", "stop again", "bg", "enter", "fg", "fg"))
    if step == "fg":
        shell.take_up()
    elif step in ("bg", "enter"):
        shell.type("bg" if step == "bg" else "")
    elif step == "stop again":
        shell.send(random.choice(STOPS))
    else:
        for _ in range(2 if step == "twice" else 1):
            shell.send(signal.SIGCONT)
    if random.random() >= HASTE:
        if shell.has_terminal():
            shell.await_stop()
        else:
            shell.terminal.see("BTC perp")
    return step


def quit_to_the_shell(shell: Shell, before: str) -> None:
    """Leave by the key; the shell has the terminal back with the modes of before and every key typed."""
    shell.terminal.press("ctrl+q")
    shell.terminal.until(lambda _: shell.is_over() or None, "the end of the process")
    assert shell.modes("after") == before


@pytest.mark.parametrize("seed", SEEDS)
def test_random_job_stops_leave_no_second_key_reader(start: Callable[..., Terminal], tmp_path: Path, seed: int) -> None:
    random, shell = Random(seed), Shell(start, tmp_path / "home")
    shell.terminal.see(PROMPT)
    before = shell.modes("before")
    shell.begin()
    use(shell)
    readers = shell.count_readers()
    assert readers >= 1
    steps = [stop_or_continue(shell, random) for _ in range(STEPS)]
    if shell.has_terminal():
        shell.take_up()
    use(shell)
    assert shell.count_readers() <= readers, steps
    quit_to_the_shell(shell, before)


def test_a_job_continued_by_signals_has_one_key_reader_and_quits(
    start: Callable[..., Terminal], tmp_path: Path
) -> None:
    shell = Shell(start, tmp_path / "home")
    shell.terminal.see(PROMPT)
    before = shell.modes("before")
    shell.begin()
    use(shell)
    shell.terminal.press("ctrl+z")
    shell.terminal.see("Ctrl+Z does not suspend", "Ctrl+Q quits")
    readers = shell.count_readers()
    assert readers >= 1
    shell.send(signal.SIGSTOP)
    for times in (1, 1, MANY):
        shell.await_shell()
        shell.await_stop()
        for _ in range(times):
            shell.send(signal.SIGCONT)
        shell.type("")
    shell.take_up()
    use(shell)
    assert shell.count_readers() <= readers
    quit_to_the_shell(shell, before)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_stopped_job_and_restores_the_terminal(
    start: Callable[..., Terminal], tmp_path: Path, number: signal.Signals
) -> None:
    shell = Shell(start, tmp_path / "home")
    shell.terminal.see(PROMPT)
    before = shell.modes("before")
    shell.begin()
    shell.send(signal.SIGSTOP)
    shell.await_shell()
    shell.await_stop()
    shell.send(number)
    shell.send(signal.SIGCONT)
    shell.terminal.until(lambda _: shell.is_over() or None, "the end of the process")
    assert shell.modes("after") == before
    assert b"\x1b[?1049l" in shell.terminal.bytes
