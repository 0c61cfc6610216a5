"""The artifact of the chaos runs: sums over runs of one tree, written by the command alone."""

from __future__ import annotations

import json
import os
import platform
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.chaos.run import Outcome
from tests.figures import artifact
from tests.figures.sources import tree

PUBLISHED = artifact.HERE / "chaos.json"
SUMS = ("commands", "seconds", "desk_kills", "venue_kills", "clock_jumps", "fills", "orders", "exits")
TALLIES = ("actions", "faults", "differences")
LISTS = ("seeds", "settle_s", "start_s")


def figures(outcomes: list[Outcome], command: str) -> dict[str, Any]:
    """What runs came to."""
    tallies = {name: Counter[str]() for name in TALLIES}
    for one in outcomes:
        tallies["actions"].update(one.actions)
        tallies["faults"].update(one.faults)
        tallies["differences"].update(two.kind for two in one.differences)
    return {
        "command": command,
        "commit": artifact.git("rev-parse", "HEAD"),
        "dirty": bool(artifact.git("status", "--porcelain", "tui")),
        "tree": tree(),
        "when": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": {"python": platform.python_version(), "os": platform.system(), "cores": os.cpu_count()},
        "seeds": [one.seed for one in outcomes],
        "exits": sum(len(one.exits) for one in outcomes),
        "sent_twice": sum(len(one.sent_twice) for one in outcomes),
        "settle_s": sorted(took for one in outcomes for took in one.settle_s),
        "start_s": sorted(took for one in outcomes for took in one.start_s),
        **{name: round(sum(getattr(one, name) for one in outcomes), 1) for name in SUMS if name != "exits"},
        **{name: dict(sorted(tally.items())) for name, tally in tallies.items()},
    }


def merged(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Figures of runs of one tree added up; those of another tree are left out."""
    if before.get("tree") != now["tree"]:
        return now
    both = dict(now)
    for name in (*SUMS, "sent_twice"):
        both[name] = round(before[name] + now[name], 1)
    for name in TALLIES:
        both[name] = dict(sorted((Counter(before[name]) + Counter(now[name])).items()))
    for name in LISTS:
        both[name] = sorted([*before[name], *now[name]])
    return both


def read(path: Path) -> dict[str, Any]:
    """An artifact, or nothing."""
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


def per_minute(found: dict[str, Any]) -> float:
    """Commands a minute of trading."""
    rate: float = found["commands"] * 60 / found["seconds"] if found["seconds"] else 0.0
    return rate
