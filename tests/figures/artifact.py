"""The artifact of a gate: what ranges of seeds came to, added up, and compared with the thresholds."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import subprocess
import tomllib
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

from tests.figures import percentiles
from tests.figures.measured import LAST, PARTS, measured_last
from tests.figures.sources import TOP, tree
from tests.simulation.points import CELLS, not_applicable
from tests.simulation.rates import KINDS
from tests.simulation.seed import Result

HERE = Path(__file__).parent
GATES = ("commit", "nightly")
VERSIONS = ("aiohttp", "websockets", "pydantic", "msgspec", "pytest", "hypothesis", "textual")
RULES = {"I1": "sent_twice", "I3": "invented_final", "I6": "lost_fill", "unresolved": "unresolved_after_heal"}
"""Promises with a row of their own; all others count as other."""
VIOLATIONS = (*RULES.values(), "other")
AT_MOST = (
    *VIOLATIONS, "records_lost", "silent_damage", "soak_rss_mb", "soak_differences", "leaked_bytes", "stall_lag_ms",
)  # fmt: skip
"""Thresholds that are the most that is allowed."""
SOMETIMES = (
    "fill_before_ack",
    "late_arrival_after_unknown",
    "cancel_too_late",
    "replace_lost_to_fill",
    "snapshot_older_than_push",
    "failover_in_flight",
    "duplicate_in_lax_mode",
    "disk_full_refusal",
    "unknown_dismissed_then_found",
    "two_order_ids_one_client_id",
    "paging_race",
    "watchdog_fired",
)
SPENT = ("lost_answer_to_unknown", "reconnect_to_synced", "cancel_to_wire")
"""Virtual times that the campaign measures."""
SOAK = ("seconds", "quotes_per_s", "rss_growth_mb", "differences")
TOTALS = ("commands", "frames", "reconnects", "crashes")
FAULTS = tuple(name for letter in "FB" for name in sorted(KINDS) if name.startswith(letter))
"""Every fault of the campaign that is of the catalogue."""

Artifact: TypeAlias = dict[str, Any]


class DirtyTree(ValueError):
    """Figures of a working tree with changes are of no commit."""


class OtherRange(ValueError):
    """Seeds that are in the artifact already."""


def published(gate: str) -> Path:
    """Where the artifact of a gate is kept."""
    return HERE / f"{gate}.json"


def kept(gate: str, folder: Path = HERE) -> Artifact:
    """The published figures of a gate if they are of these sources, else figures of nothing."""
    path = folder / f"{gate}.json"
    found: Artifact = json.loads(path.read_text()) if path.exists() else {}
    return found if found.get("tree") == tree() else figures([], 0.0, gate, f"python -m tests.figures --collect {gate}")


def collect(gate: str, folder: Path = HERE, last: Path = LAST) -> Artifact:
    """Add what tests measured last on these sources to the published figures of a gate, and judge them.

    Raises:
        DirtyTree: files of the program or of its tests are not committed.
    """
    if found := changed():
        raise DirtyTree(f"figures are not published on a working tree with changes: {found[:200]}")
    now = judged(measured(kept(gate, folder), last))
    write(folder / f"{gate}.json", now)
    return now


def gates(gate: str) -> dict[str, int]:
    """The thresholds of a gate."""
    found: dict[str, int] = tomllib.loads((HERE / "gates.toml").read_text())[gate]
    return found


def git(*words: str) -> str:
    """What version control says, or empty."""
    result = subprocess.run(["git", *words], cwd=TOP, capture_output=True, text=True, check=False)
    return result.stdout.strip()


def changed() -> str:
    """What of the program and its tests is not committed, published figures aside: they grow slice by slice."""
    return git("status", "--porcelain", "tui", "tests", ":!tests/figures/*.json")


def figures(results: Iterable[Result], seconds: float, gate: str = "nightly", command: str = "") -> Artifact:
    """What seeds came to. `seconds`: how long they took, s; `command`: what was typed."""
    known = list(results)
    random = [one for one in known if not one.forced]
    counters: dict[str, Counter[str]] = {
        name: Counter() for name in ("faults", "matrix", "sometimes", "varied", "unknown")
    }
    violations: Counter[str] = Counter(dict.fromkeys(VIOLATIONS, 0))
    spent: dict[str, Counter[int]] = {name: Counter() for name in SPENT}
    for one in known:
        for what, times in one.spent.items():
            spent[what].update(times)
        for name, counter in counters.items():
            counter.update(getattr(one, name))
        violations.update(RULES.get(broken.rule, "other") for broken in one.violations)
    faults = counters["faults"]
    return {
        "gate": gate,
        "command": command,
        "commit": git("rev-parse", "HEAD"),
        "dirty": bool(git("status", "--porcelain", "tui")),
        "tree": tree(),
        "when": datetime.now(UTC).strftime("%Y-%m-%d"),
        "duration_s": round(seconds, 1),
        "machine": {"python": platform.python_version(), "os": platform.system(), "cores": os.cpu_count()},
        "versions": {name: importlib.metadata.version(name) for name in VERSIONS},
        "seeds": {
            "ranges": [[random[0].seed, random[-1].seed]] if random else [],
            "count": len(random),
            "control": sum(one.control for one in random),
            "directed": dict(sorted(Counter(one.forced for one in known if one.forced).items())),
            "failed": [f"{one.seed} {one.forced}".rstrip() for one in known if one.violations],
        },
        "virtual_hours": round(sum(one.virtual_s for one in known) / 3600, 2),
        **{name: sum(getattr(one, name) for one in known) for name in TOTALS},
        "faults": {
            "total": sum(faults.values()),
            **{name: faults.get(name, 0) for name in sorted({*FAULTS, *faults})},
        },
        "matrix": {
            "cells": {cell: counters["matrix"].get(cell, 0) for cell in map("/".join, CELLS)},
            "not_applicable": not_applicable(),
        },
        "sometimes": {name: counters["sometimes"].get(name, 0) for name in SOMETIMES},
        "varied": dict(sorted(counters["varied"].items())),
        "violations": dict(violations),
        "unknown": dict(sorted(counters["unknown"].items())),
        "trace_equality": {"seeds": 0, "processes": 2, "equal": 0},
        "latency_virtual_ms": {name: percentiles.summary(times) for name, times in spent.items()},
        **{part: {} for part in PARTS},
    }


def merged(before: Artifact, now: Artifact) -> Artifact:
    """Figures of two ranges of one tree; those of another tree are forgotten.

    Raises:
        OtherRange: a seed is in both.
    """
    if before.get("tree") != now["tree"] or before.get("gate") != now["gate"]:
        return now
    both = dict(now)
    for name in ("virtual_hours", "duration_s", *TOTALS):
        both[name] = round(before[name] + now[name], 2)
    for name in ("faults", "sometimes", "violations", "unknown"):
        both[name] = _sum(before[name], now[name])
    both["varied"] = _sum(before.get("varied", {}), now["varied"])
    times = "latency_virtual_ms"
    both[times] = {name: percentiles.merged(before.get(times, {}).get(name, {}), now[times][name]) for name in SPENT}
    both["matrix"] = {**now["matrix"], "cells": _sum(before["matrix"]["cells"], now["matrix"]["cells"])}
    seeds, earlier = now["seeds"], before["seeds"]
    for first, last in seeds["ranges"]:
        for low, high in earlier["ranges"]:
            if first <= high and low <= last:
                raise OtherRange(f"seeds {first}-{last} are not accepted: {low}-{high} are counted already")
    both["seeds"] = {
        "ranges": sorted([*earlier["ranges"], *seeds["ranges"]]),
        "directed": _sum(earlier["directed"], seeds["directed"]),
        **{name: seeds[name] + earlier[name] for name in ("count", "control", "failed")},
    }
    if not now["trace_equality"]["seeds"]:
        both["trace_equality"] = before["trace_equality"]
    for part in PARTS:
        both[part] = now[part] or before.get(part, {})
    return both


def _sum(left: Mapping[str, int], right: Mapping[str, int]) -> dict[str, int]:
    return {name: left.get(name, 0) + right.get(name, 0) for name in sorted({*left, *right})}


def measured(found: Artifact, folder: Path = LAST) -> Artifact:
    """The figures with those that tests outside the campaign measured last at the size of this gate."""
    return {**found, **measured_last(found["gate"], folder)}


def outdated(folder: Path = HERE) -> list[str]:
    """Figures that are of other sources than these, in words with the command that makes them anew."""
    now, texts = tree(), []
    for path in sorted(folder.glob("*.json")):
        found = json.loads(path.read_text())
        if "tree" in found and found["tree"] != now:
            texts.append(
                f"{path.name}: of other sources than these; made by: {found.get('command', 'an unnamed command')}"
            )
    return texts


def judged(found: Artifact) -> Artifact:
    """The figures with the thresholds of their gate, and which of them are reached."""
    thresholds = gates(found["gate"])
    return {**found, "thresholds": thresholds, "passed": {name: not text for name, text in verdicts(found).items()}}


CAMPAIGN = frozenset(
    ["seeds", "virtual_hours", "commands", "faults", "kinds", "each_kind", "cell", "sometimes", "same_trace_seeds"]
).union(VIOLATIONS)
"""Gates whose figures the campaign itself makes; the other parts of a gate make the others."""


def missed(found: Artifact, names: Container[str] | None = None) -> list[str]:
    """Which gates the figures do not pass, in words. `names`: the gates that are meant; None: all."""
    return [text for name, text in verdicts(found).items() if text and (names is None or name in names)]


def verdicts(found: Artifact) -> dict[str, str]:
    """Gate -> what is short of it, or empty."""
    values = reached(found)
    texts = {}
    for name, threshold in gates(found["gate"]).items():
        value = values[name]
        passes = value <= threshold if name in AT_MOST else value >= threshold
        short = f"{name}: {value:g}, at most {threshold}" if name in AT_MOST else f"{name}: {value:g} of {threshold}"
        texts[name] = "" if passes else short + _which(name, found)
    return texts


def reached(found: Artifact) -> dict[str, float]:
    """The value of each gate."""
    # Figures of earlier sources do not know later faults.
    faults = [found["faults"][name] for name in FAULTS if name in found["faults"]]
    journal = found["journal"]
    equal = found["trace_equality"]
    return {
        "seeds": found["seeds"]["count"],
        "virtual_hours": found["virtual_hours"],
        "commands": found["commands"],
        "faults": found["faults"]["total"],
        "kinds": sum(map(bool, faults)),
        "each_kind": min(faults),
        "cell": min(found["matrix"]["cells"].values()),
        "sometimes": min(found["sometimes"].values()),
        "same_trace_seeds": equal["equal"] if equal["equal"] == equal["seeds"] else 0,
        "kill_cycles": journal.get("cycles", 0),
        "flip_positions": _of_both(journal, "flip_positions"),
        "records_lost": journal.get("lost", 0),
        "silent_damage": _of_both(journal, "silent"),
        "fuzz_inputs": sum(found.get("fuzz", {}).values()),
        "venue_steps": sum(found.get("venue", {}).values()),
        **_of_screen_and_soak(found.get("ui", {}), found.get("soak", {})),
        **{f"branch_{room}": found.get("coverage", {}).get(room, 0) for room in ("engine", "venue_core", "whole")},
        **{name: found["violations"][name] for name in VIOLATIONS},
    }


def _of_screen_and_soak(ui: Mapping[str, float], soak: Mapping[str, float]) -> dict[str, float]:
    """Several soaks add up; the slowest of them and the one that grew most count."""
    names = ("ui_sizes", "ui_walks", "hostile_strings", "leaked_bytes", "stall_s", "stall_lag_ms")
    parts = {name: [value for key, value in soak.items() if key.endswith(name)] for name in SOAK}
    return {
        **{name: ui.get(name.removeprefix("ui_"), 0) for name in names},
        "soak_s": sum(parts["seconds"]),
        "soak_quotes_per_s": min(parts["quotes_per_s"], default=0),
        "soak_rss_mb": max(parts["rss_growth_mb"], default=0),
        "soak_differences": sum(parts["differences"]),
    }


def _of_both(journal: Mapping[str, float], name: str) -> float:
    """The figure of the file of a process that ended well and of one that was killed."""
    return journal.get(f"closed_{name}", 0) + journal.get(f"killed_{name}", 0)


def short_of(found: Artifact) -> list[str]:
    """Faults and cells below their minimum, and faults that bring a state that was not reached."""
    wanted = gates(found["gate"])
    faults = [name for name in FAULTS if found["faults"].get(name, 0) < wanted["each_kind"]]
    cells = [name for name, count in found["matrix"]["cells"].items() if count < wanted["cell"]]
    states = [REACHED_BY[name] for name, count in found["sometimes"].items() if count < wanted["sometimes"]]
    return list(dict.fromkeys([*faults, *cells, *states]))


REACHED_BY = {
    "fill_before_ack": "F24",
    "late_arrival_after_unknown": "F18",
    "cancel_too_late": "F29",
    "replace_lost_to_fill": "F27",
    "snapshot_older_than_push": "F35",
    "failover_in_flight": "F75",
    "duplicate_in_lax_mode": "F31",
    "disk_full_refusal": "F93",
    "unknown_dismissed_then_found": "F19",
    "two_order_ids_one_client_id": "F31",
    "paging_race": "F36",
    "watchdog_fired": "F85",
}
"""State that must have been reached -> the fault that leads to it."""


def _which(name: str, found: Artifact) -> str:
    """The names behind a minimum."""
    counts = {"each_kind": {kind: found["faults"].get(kind, 0) for kind in FAULTS}, "sometimes": found["sometimes"]}
    counts["cell"] = found["matrix"]["cells"]
    if name not in counts:
        return ""
    least = min(counts[name].values())
    return f" ({', '.join([kind for kind, count in counts[name].items() if count == least][:12])})"


def write(path: Path, found: Artifact) -> None:
    """One leaf a line, sorted, so that differences read well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
