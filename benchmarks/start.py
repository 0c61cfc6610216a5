"""`crossdesk bench start`: from the start of a program to its first text, beside a bare Textual app and other programs."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median

import click

from benchmarks.desk.cells import Cells
from benchmarks.desk.terminal import Terminal
from benchmarks.result import json_option, rounded, write

_QUOTE = re.compile(r"(BINANCE|OKX|EDX) .*\d[\d,]*\.\d+ .*\d[\d,]*\.\d+ .*0\.\ds")
"""A line of the quotes with bid, ask and an age below a second."""
_OTHERS = {"posting": ["posting"], "harlequin": ["harlequin"]}
"""Programs made with Textual, measured where they are installed."""


def first_text(cells: Cells) -> bool:
    return any(line.strip() for line in cells.text())


def first_quote(cells: Cells) -> bool:
    return any(_QUOTE.search(line) for line in cells.text())


class Start:
    """Times of one program, s, and its memory once it stands, MB."""

    def __init__(self) -> None:
        self.text: list[float] = []
        self.quote: list[float] = []
        self.idle: list[float] = []
        self.memory: list[float] = []

    def figures(self, bare: float) -> dict[str, float]:
        found = {"first_text_ms": rounded(1000 * median(self.text)), "of_bare": rounded(median(self.text) / bare)}
        if self.quote:
            found["first_quote_ms"] = rounded(1000 * median(self.quote))
        return {
            **found,
            "memory_mb": rounded(median(self.memory)),
            "idle_cpu_percent": rounded(100 * median(self.idle)),
        }


def run(command: Sequence[str], environment: Mapping[str, str], start: Start, idle_s: float, *, quote: bool) -> None:
    """One start of a program."""
    terminal = Terminal(command, environment=environment)
    try:
        start.text.append(_seen(terminal, first_text, "the first text"))
        if quote:
            start.quote.append(_seen(terminal, first_quote, "the first quote"))
        time.sleep(1.0)
        cpu, began = terminal.cpu_s(), time.monotonic()
        time.sleep(idle_s)
        start.idle.append((terminal.cpu_s() - cpu) / (time.monotonic() - began))
        start.memory.append(terminal.memory_mb())
    finally:
        terminal.close()


def _seen(terminal: Terminal, seen: Callable[[Cells], bool], what: str) -> float:
    return (terminal.wait(terminal.expect(seen), 30.0, what) - terminal.started) / 1e9


def measure(rounds: int, idle_s: float) -> dict[str, dict[str, float]]:
    """All programs in turn, round after round."""
    python = sys.executable
    bare = [python, "-m", "benchmarks.desk.bare"]
    commands = {"bare Textual app": bare, "crossdesk, its paper venue": [python, "-m", "tui.cli.start"]}
    commands |= {name: command for name, command in _OTHERS.items() if shutil.which(command[0])}
    found = {name: Start() for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            with tempfile.TemporaryDirectory(prefix="crossdesk-bench-") as folder:
                run(command, {"CROSSDESK_HOME": folder}, found[name], idle_s, quote=name.startswith("crossdesk"))
    floor = median(found["bare Textual app"].text)
    return {name: start.figures(floor) for name, start in found.items()}


@click.command()
@click.option("--rounds", default=7, show_default=True, type=click.IntRange(1, 100))
@click.option("--idle", default=2.0, show_default=True, help="Seconds of idle processor time to measure.")
@json_option
def command(rounds: int, idle: float, target: Path | None) -> None:
    """First text, first live quote, memory; posting and harlequin beside it where they are installed."""
    results = measure(rounds, idle)
    for name, figures in results.items():
        click.echo(f"{name:28} " + ", ".join(f"{what} {value:g}" for what, value in figures.items()))
    for name in _OTHERS.keys() - results.keys():
        click.echo(f"{name:28} not installed")
    if target is not None:
        write(target, {"rounds": rounds, "results": results})
