"""Tables of what hands did by accident, and of what each rule of the fresh press is for, made from committed files."""

from __future__ import annotations

import json
from typing import Any

from tests.lint.block import Block
from tests.lint.rooms import TOP

FILES = TOP / "tests" / "data" / "accidents"
RUNS = {"in_process": "in virtual time", "terminal": "in real terminals"}
"""Whole runs by the beginning of their file's name, with where the desk ran."""
RULES = "each_rule"
"""Beginning of the name of a file of attempts that fail while a rule is left out."""
BLOCK = Block(TOP / "docs" / "verification.md", "<!-- accidents: made from the files -->", "<!-- end of accidents -->")
_RUNS_HEAD = (
    "| Attempts | Came of them | Not meant / meant and lost | Commit | Date | Command |\n|---|---|---|---|---|---|"
)
_RULES_HEAD = "| Rule left out | First attempt that then fails |\n|---|---|"


def read_newest(kind: str) -> dict[str, Any]:
    """Read the newest file of a kind: each run takes a seed above those of the runs before it."""
    path = max(FILES.glob(f"{kind}-*.json"), key=lambda path: int(path.stem.rpartition("-")[2]))
    return dict(json.loads(path.read_text()))


def promise() -> str:
    """Say in one clause what came of the newest whole run."""
    told = read_newest("in_process")
    unmeant = sum(bool(row["unmeant"]) for row in told["bad"])
    orders = f"{unmeant} of {told['orders']:,} orders"
    return f"{orders} in {told['attempts']:,} attempts with held, late, pasted and misplaced keys."


def make_tables() -> str:
    """Return both tables."""
    rows = [_row_of(read_newest(kind), where) for kind, where in RUNS.items()]
    return "\n".join([_RUNS_HEAD, *rows, "", _RULES_HEAD, *map(_rule_of, read_newest(RULES)["rules"])])


def _row_of(told: dict[str, Any], where: str) -> str:
    pty = " --pty" if told["pty"] else ""
    command = f"python -m tests.accidents --presses {told['attempts']} --seed {told['seeds'][0]}{pty}"
    unmeant, lost = (sum(bool(row[name]) for row in told["bad"]) for name in ("unmeant", "lost"))
    done = f"{told['attempts']:,} {where}, of {len(told['by_kind'])} kinds, {told['keys']:,} steps of hands"
    version = f"`{told['commit'][:7]}` | {told['when']}" if "commit" in told else "– | –"
    return f"| {done} | {told['orders']:,} orders | {unmeant} / {lost} | {version} | `{command}` |"


def _rule_of(row: dict[str, Any]) -> str:
    names = " and ".join(f"`{name}`" for name in row["rules"])
    if row["number"] is None:
        return f"| {names} | none of {row['attempts']}: another rule refuses the same keys |"
    came = "; ".join(row["unmeant"]).replace("|", "/")
    return f"| {names} | {row['number']}: {row['kind']}, {row['story']}: {came} |"


def write() -> None:
    """Write the tables into the page."""
    BLOCK.write(make_tables())
