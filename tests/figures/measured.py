"""Keeps what tests measured beside the other figures, for the command that publishes them."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.figures.sources import tree

LAST = Path(__file__).parent / ".last"
PARTS = ("journal", "fuzz", "venue", "ui", "soak", "latency_real_ms", "coverage", "wall_s")
"""What is measured by tests outside the campaign."""
EVERY_SIZE = ("commit", "nightly")
"""Of tests that have one size only."""


def keep(part: str, *sizes: str, **figures: float) -> None:
    """Add figures of one part and size (`commit`, `nightly`) to those of the last run; tests run side by side.

    Figures that were measured on other sources are forgotten.
    """
    LAST.mkdir(parents=True, exist_ok=True)
    now = tree()
    with (LAST / f"{part}.json").open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        text = file.read()
        known: dict[str, Any] = json.loads(text) if text else {}
        if known.get("tree") != now:
            known = {"tree": now}
        for size in sizes:
            known.setdefault(size, {}).update(figures)
        file.truncate(0)
        file.write(json.dumps(known, indent=2, sort_keys=True) + "\n")


def measured_last(size: str, folder: Path = LAST) -> Mapping[str, Mapping[str, float]]:
    """What was measured last at a size on these sources, by part; a part that was not is empty."""
    now = tree()
    return {part: _read(folder / f"{part}.json", now).get(size, {}) for part in PARTS}


def _read(path: Path, sources: str) -> dict[str, dict[str, float]]:
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found if found.get("tree") == sources else {}
