"""Many seeds and what they came to: `python -m tests.simulation.campaign --seeds 1-200 [--minutes 10] [--json FILE]`.

Prints the figures and every broken promise with its seed. A range adds to the figures in the file as long as the sources
are the same, so that a large total can be reached in slices. `--publish` writes `tests/figures/nightly.json` and refuses a
working tree with changes.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import platform
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.simulation.points import CELLS, not_applicable
from tests.simulation.seed import Result, run

TOP = Path(__file__).parent.parent.parent
SEEDS = TOP / "tests" / "seeds.txt"
GATES = TOP / "tests" / "figures" / "gates.toml"
PUBLISHED = TOP / "tests" / "figures" / "nightly.json"
MINUTES = 10.0
SOURCES = ("interface", "client", "engine", "venue", "rules")
VERSIONS = ("aiohttp", "websockets", "pydantic", "msgspec", "pytest", "hypothesis", "textual")
RULES = {"I1": "sent_twice", "I3": "invented_final", "I6": "lost_fill", "unresolved": "unresolved_after_heal"}
"""Promises with a row of their own; all others count as other."""
SOMETIMES = (
    "fill_before_ack",
    "late_arrival_after_unknown",
    "cancel_too_late",
    "replace_lost_to_fill",
    "snapshot_older_than_push",
    "duplicate_in_lax_mode",
    "disk_full_refusal",
    "unknown_dismissed_then_found",
    "two_order_ids_one_client_id",
    "paging_race",
)
TOTALS = ("commands", "frames", "reconnects", "crashes")


def regression_seeds() -> list[tuple[int, float]]:
    """Seeds that once broke something, with their virtual minutes."""
    found = []
    for line in SEEDS.read_text().splitlines():
        text = line.partition("#")[0].split()
        if text:
            found.append((int(text[0]), float(text[1])))
    return found


def tree() -> str:
    """A hash over the sources of client, engine and venue."""
    total = hashlib.sha256()
    for room in SOURCES:
        for path in sorted((TOP / "tui" / room).rglob("*.py")):
            total.update(path.relative_to(TOP).as_posix().encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:16]


def figures(results: Iterable[Result], seconds: float, gate: str = "nightly") -> dict[str, Any]:
    """What a range of seeds came to, as the artifact keeps it."""
    known = list(results)
    faults: Counter[str] = Counter()
    matrix: Counter[str] = Counter()
    sometimes: Counter[str] = Counter(dict.fromkeys(SOMETIMES, 0))
    unknown: Counter[str] = Counter()
    violations: Counter[str] = Counter(dict.fromkeys([*RULES.values(), "other"], 0))
    for one in known:
        faults.update(one.faults)
        matrix.update(one.matrix)
        sometimes.update(one.sometimes)
        unknown.update(one.unknown)
        violations.update(RULES.get(broken.rule, "other") for broken in one.violations)
    return {
        "gate": gate,
        "command": "python -m tests.simulation.campaign --seeds A-B --json tests/figures/nightly.json",
        "commit": _git("rev-parse", "HEAD"),
        "dirty": bool(_git("status", "--porcelain", "tui")),
        "tree": tree(),
        "when": datetime.now(UTC).strftime("%Y-%m-%d"),
        "duration_s": round(seconds, 1),
        "machine": {"python": platform.python_version(), "os": platform.system()},
        "versions": {name: importlib.metadata.version(name) for name in VERSIONS},
        "seeds": {
            "first": min((one.seed for one in known), default=0),
            "last": max((one.seed for one in known), default=0),
            "count": len(known),
            "control": sum(one.control for one in known),
            "failed": [one.seed for one in known if one.violations],
        },
        "virtual_hours": round(sum(one.virtual_s for one in known) / 3600, 2),
        **{name: sum(getattr(one, name) for one in known) for name in TOTALS},
        "faults": {"total": sum(faults.values()), **dict(sorted(faults.items()))},
        "matrix": {
            "cells": {cell: matrix.get(cell, 0) for cell in map("/".join, CELLS)},
            "not_applicable": not_applicable(),
        },
        "sometimes": dict(sorted(sometimes.items())),
        "violations": dict(violations),
        "unknown": dict(sorted(unknown.items())),
    }


def merged(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Figures of two ranges of one tree."""
    if before.get("tree") != now["tree"]:
        return now
    both = dict(now)
    for name in ("virtual_hours", "duration_s", *TOTALS):
        both[name] = round(before[name] + now[name], 2)
    for name in ("faults", "sometimes", "violations", "unknown"):
        both[name] = dict(sorted((Counter(before[name]) + Counter(now[name])).items()))
    for name in ("sometimes", "violations"):
        both[name] = {**dict.fromkeys(now[name], 0), **both[name]}
    cells = Counter(before["matrix"]["cells"]) + Counter(now["matrix"]["cells"])
    both["matrix"] = {**now["matrix"], "cells": {name: cells.get(name, 0) for name in now["matrix"]["cells"]}}
    seeds, earlier = now["seeds"], before["seeds"]
    both["seeds"] = {
        "first": min(seeds["first"], earlier["first"]),
        "last": max(seeds["last"], earlier["last"]),
        **{name: seeds[name] + earlier[name] for name in ("count", "control", "failed")},
    }
    return both


def judged(found: dict[str, Any]) -> dict[str, Any]:
    """The figures with the thresholds of their gate, and which of them are reached."""
    thresholds = gates()
    passed = {name: text == "" for name, text in _verdicts(found, thresholds).items()}
    return {**found, "thresholds": thresholds, "passed": passed}


def missed(found: dict[str, Any]) -> list[str]:
    """Which gates the figures do not pass."""
    return [text for text in _verdicts(found, gates()).values() if text]


def _verdicts(found: dict[str, Any], thresholds: dict[str, int]) -> dict[str, str]:
    """Gate -> what is short of it, or empty."""
    faults = {name: count for name, count in found["faults"].items() if name != "total"}
    reached = {
        "seeds": found["seeds"]["count"],
        "virtual_hours": found["virtual_hours"],
        "commands": found["commands"],
        "faults": found["faults"]["total"],
        "kinds": len(faults),
        "each_kind": min(faults.values(), default=0),
        "cell": min(found["matrix"]["cells"].values()),
        "sometimes": min(found["sometimes"].values()),
    }
    verdicts = {
        name: "" if count >= thresholds[name] else f"{name}: {count} of {thresholds[name]}"
        for name, count in reached.items()
    }
    broken = sum(found["violations"].values())
    verdicts["violations"] = "" if broken <= thresholds["violations"] else f"violations: {broken}"
    return verdicts


def gates(gate: str = "nightly") -> dict[str, int]:
    """The thresholds of a gate."""
    found: dict[str, int] = tomllib.loads(GATES.read_text())[gate]
    return found


def write(path: Path, found: dict[str, Any]) -> None:
    """One leaf a line, sorted, so that differences read well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


def _git(*words: str) -> str:
    result = subprocess.run(["git", *words], cwd=TOP, capture_output=True, text=True, check=False)
    return result.stdout.strip()


def _numbers(text: str) -> tuple[int, int]:
    first, _, last = text.partition("-")
    if not (first.isdecimal() and (last or first).isdecimal()):
        raise argparse.ArgumentTypeError(f"--seeds {text!r} is not accepted; it takes a number or a range like 1-200")
    return int(first), int(last or first)


def _told(result: Result, seconds: float) -> str:
    shown = "control" if result.control else f"{sum(result.faults.values())} faults"
    return f"seed {result.seed}: {result.commands} commands, {shown}, {seconds:.1f} s"


def main(words: Sequence[str] | None = None) -> int:
    """Run a range; the exit code is 1 when a promise was broken."""
    reader = argparse.ArgumentParser(prog="python -m tests.simulation.campaign")
    reader.add_argument("--seeds", type=_numbers, required=True)
    reader.add_argument("--minutes", type=float, default=MINUTES)
    reader.add_argument("--json", type=Path)
    reader.add_argument("--publish", action="store_true")
    reader.add_argument("--trace", type=Path, help="write the whole history of the last seed here")
    asked = reader.parse_args(words)
    if asked.publish and _git("status", "--porcelain", "tui", "tests"):
        reader.error("--publish is not accepted on a working tree with changes; commit first, or use --json")
    started = time.monotonic()
    results, sources = [], tree()
    for seed in range(asked.seeds[0], asked.seeds[1] + 1):
        began = time.monotonic()
        result, floor = run(seed, asked.minutes)
        results.append(result)
        print(_told(result, time.monotonic() - began), flush=True)
        for broken in result.violations[:1]:
            print(f"  FAILED {broken}", flush=True)
        if asked.trace is not None:
            floor.history.write(asked.trace)
    found = {**figures(results, time.monotonic() - started), "tree": sources}
    target = PUBLISHED if asked.publish else asked.json
    if target is not None:
        before = json.loads(target.read_text()) if target.exists() else {}
        found = merged(before, found)
        write(target, judged(found))
    cells = found["matrix"]["cells"]
    print(json.dumps({name: found[name] for name in ("seeds", "virtual_hours", *TOTALS, "sometimes", "violations")}))
    print(
        f"{found['faults']['total']} faults of {len(found['faults']) - 1} kinds; {sum(map(bool, cells.values()))} of "
    )
    print(f"{len(cells)} cells of the matrix reached; {found['unknown']}")
    for text in missed(found):
        print(f"gate not reached: {text}")
    return 1 if any(found["violations"].values()) else 0


if __name__ == "__main__":
    sys.exit(main())
