"""Table of what was done to windows, programs, gateways and servers, made from the files that those commands wrote."""

from __future__ import annotations

import json
from statistics import median
from typing import Any

from tests.lint.block import Block
from tests.lint.rooms import TOP

FILES = TOP / "tests" / "data" / "desk_protocol"
BLOCK = Block(TOP / "docs" / "verification.md", "<!-- desks: made from the files -->", "<!-- end of desks -->")
_KILLED = {
    "kills_of_owners": "processes that hold the account", "kills_of_windows": "windows",
    "kills_of_servers": "NATS servers", "kills_of_gateways": "gateways", "pauses_of_owners": "processes that stand still",
}  # fmt: skip
_HEAD = "| What was done | Outcome | Wrong | Command |\n|---|---|---|---|"


def make_table() -> str:
    """Return the table, a row for each file."""
    rows = [_row_of(path.stem, json.loads(path.read_text())) for path in sorted(FILES.glob("*-*.json"))]
    return "\n".join([_HEAD, *rows])


def _row_of(name: str, told: dict[str, Any]) -> str:
    wrong, words = sum(told["wrong"].values()), ", ".join(told["wrong"]).replace("_", " ")
    attacks = name.startswith("attack")
    done, outcome = _describe_attack(told) if attacks else _describe_kills(told)
    command = f"python -m {'tests.programs.attack' if attacks else 'tests.desk_protocol.kills'} {told['command']}"
    return f"| {done} | {outcome} | {wrong} ({words}) | `{command}` |"


def _describe_attack(told: dict[str, Any]) -> tuple[str, str]:
    done = f"{told['mandates']} mandates attacked at the edge of every term, {told['calls']:,} calls"
    return done, f"{told['sent']} sent, {told['filled_orders']} filled, {told['denied']:,} denied"


def _describe_kills(told: dict[str, Any]) -> tuple[str, str]:
    killed = [f"{told[field]} {name}" for field, name in _KILLED.items() if told.get(field)]
    steps = told["in_step_s"]
    step = f"; in step again after {median(steps):.1f} s (median), {max(steps):.1f} s at most" if steps else ""
    return f"killed: {', '.join(killed)}", f"{told['orders']} orders at the venue{step}"


def write() -> None:
    """Write the table into the page."""
    BLOCK.write(make_table())
