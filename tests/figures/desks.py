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
    "kills_of_servers": "NATS servers", "kills_of_gateways": "gateways",
}  # fmt: skip
_ATTACKED = {"peers": "peers of every role", "agents": "an agent"}
_HEAD = "| What was done | Outcome | Wrong | Command |\n|---|---|---|---|"


def make_table() -> str:
    """Return the table, a row for each file."""
    rows = [_row_of(path.stem, json.loads(path.read_text())) for path in sorted(FILES.glob("*-*.json"))]
    return "\n".join([_HEAD, *rows])


def _row_of(name: str, told: dict[str, Any]) -> str:
    wrong, words = sum(told["wrong"].values()), ", ".join(told["wrong"]).replace("_", " ")
    kind, _, of = name.partition("-")[0].partition("_")
    if kind == "attack":
        program, (done, outcome) = "tests.programs.attack", _describe_attack(told)
    elif kind == "hostile":
        program, (done, outcome) = "tests.desk_protocol.hostile", _describe_hostile(told, of)
    else:
        program, (done, outcome) = "tests.desk_protocol.kills", _describe_kills(told)
    return f"| {done} | {outcome} | {wrong} ({words}) | `python -m {program} {told['command']}` |"


def _describe_attack(told: dict[str, Any]) -> tuple[str, str]:
    done = f"{told['mandates']} mandates attacked at the edge of every term, {told['calls']:,} calls"
    lost = f", {told['ended_by_loss']} mandates ended by their loss"
    return done, f"{told['sent']} sent, {told['filled_orders']} filled, {told['denied']:,} denied{lost}"


def _describe_hostile(told: dict[str, Any], of: str) -> tuple[str, str]:
    outcome = f"{told['refused']:,} refused, {told['denied']:,} denied"
    if told["accepted"]:
        outcome += f", {told['accepted']} of the armed desk accepted"
    return f"{told['calls']:,} hostile calls of {_ATTACKED[of]}", outcome


def _describe_kills(told: dict[str, Any]) -> tuple[str, str]:
    killed = [f"{told[field]} {name}" for field, name in _KILLED.items() if told.get(field)]
    paused = f"; {told['pauses_of_owners']} stood still" if told["pauses_of_owners"] else ""
    steps, reached = told["in_step_s"], told["denials"].get("LIMIT", 0)
    outcome = (
        f"{told['orders']:,} orders at the venue, {told['fills']:,} fills; from one kill to the next {min(told['accepted'])}"
        f" accepted of each desk at least; {told['most_open']} open at most, the limit of {told['limit_of_open']} reached"
        f" {reached} times; in step again after {median(steps):.1f} s (median), {max(steps):.1f} s at most"
    )
    return f"killed: {', '.join(killed)}{paused}", outcome


def write() -> None:
    """Write the table into the page."""
    BLOCK.write(make_table())
