"""Table of the ways to install, made from the file that `python -m tests.packaging --publish` wrote."""

from __future__ import annotations

import json
from typing import Any

from tests.lint.block import Block
from tests.lint.rooms import TOP

ARTIFACT = TOP / "tests" / "data" / "packages.json"
BLOCK = Block(TOP / "docs" / "verification.md", "<!-- packages: made from the file -->", "<!-- end of packages -->")
GOALS: dict[str, tuple[float | None, float | None]] = {
    "wheel, pip": (None, None),
    "uv tool install": (None, None),
    "pipx install": (None, None),
    "uvx --from .": (7.0, 2.0),
    "one file": (None, 1.4),
    "container": (None, None),
}
"""Way to install -> the most that its first and a later start may take, s; None: no goal."""
_HEAD = "| Way | Steps that worked | First start, s | Later start, s |\n|---|---|---|---|"


def read() -> dict[str, Any]:
    """Return what the command found last."""
    told: dict[str, Any] = json.loads(ARTIFACT.read_text())
    return told


def make_table(told: dict[str, Any]) -> str:
    """Return the table, a row for each way, and below it the commit that it is of."""
    machine = told["machine"]
    rows = [_row(way) for way in told["ways"]]
    of = f"Commit `{told['commit'][:7]}`, {told['date']}, Python {machine['python']}, {machine['cores']} cores."
    sizes = f"Wheel {told['sizes']['.whl'] / 1e6:.1f} MB, one file {told['sizes']['.pyz'] / 1e6:.1f} MB."
    return "\n".join([_HEAD, *rows, "", f"{of} {sizes}"])


def _row(way: dict[str, Any]) -> str:
    first, later = GOALS[way["way"]]
    starts = (_time(way["first start s"], first), _time(way["later start s"], later))
    return f"| {way['way']} | {way['steps']} of 10 | {' | '.join(starts)} |"


def _time(seconds: float, goal: float | None) -> str:
    if goal is None:
        return f"{seconds:g}"
    return f"{seconds:g} (goal {goal:g}{'' if seconds <= goal else ', not reached'})"


def write() -> None:
    """Write the table into the page."""
    BLOCK.write(make_table(read()))
