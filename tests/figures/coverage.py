"""`python -m tests.figures.coverage [TESTS ...]`: which share of the branches of each room the tests take.

Each run adds to those before it on the same sources, so that the whole can be measured in slices; `--anew` forgets them.
Needs `coverage` (group `figures`). Processes that are killed leave nothing.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.figures import measured
from tests.figures.sources import TOP, tree

DEFAULT = tuple(
    f"tests/{folder}"
    for folder in (
        "agents", "cli", "client", "desk_protocol", "engine", "interface", "page", "programs", "rules", "simulation",
        "venue/core", "venue/shell", "workstation",
    )
)  # fmt: skip
"""Tests of each room; those that start whole desks and terminals take twice the time and add no branch to speak of."""
UNTRACED = tuple(
    f"--deselect=tests/workstation/test_hygiene.py::{name}"
    for name in (
        "test_nothing_heavy_is_imported_before_the_first_frame",
        "test_a_plain_start_imports_no_argument_parser",
    )
)
"""Tests that count the modules of a start: a tracer loads its own."""
RULES = r"""
[run]
branch = True
parallel = True
source = tui
relative_files = True
patch = subprocess, fork
sigterm = True
data_file = {data}
[report]
exclude_also =
    if TYPE_CHECKING:
    \.\.\.$
"""
"""Processes that tests start are looked at as well, unless they are killed."""
ROOMS = {"engine": "tui/engine/", "venue_core": "tui/venue/core/", "whole": "tui/"}
"""Rooms with a gate; every other room is a figure as well."""


def shares(files: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Percent of the branches taken, by room. `files`: summaries by path, as `coverage json` writes them."""
    taken: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for path, one in files.items():
        for room in _rooms(path.replace(os.sep, "/")):
            taken[room][0] += one["summary"].get("covered_branches", 0)
            taken[room][1] += one["summary"].get("num_branches", 0)
    return {room: round(100 * hit / there, 2) for room, (hit, there) in sorted(taken.items()) if there}


def _rooms(path: str) -> Iterable[str]:
    parts = path.split("/")
    named = {name for name, beginning in ROOMS.items() if path.startswith(beginning)}
    if len(parts) > 2 and parts[0] == "tui":
        named.add(
            "venue_shell" if parts[1:3] == ["venue", "shell"] else "venue_core" if parts[1] == "venue" else parts[1]
        )
    return named


def measure(tests: Sequence[str], folder: Path) -> int:
    """Run tests under coverage and keep the data beside those of earlier runs; the exit code of pytest."""
    folder.mkdir(parents=True, exist_ok=True)
    rules = folder / "coveragerc"
    rules.write_text(RULES.format(data=folder / "data"))
    words = [sys.executable, "-m", "coverage", "run", f"--rcfile={rules}", "-m", "pytest", "-q", "-n", "3"]
    words += ["--dist", "worksteal", "-p", "no:cacheprovider", *UNTRACED, *tests]
    code = subprocess.run(words, cwd=TOP, check=False).returncode
    for last in (["combine", "--append"], ["json", "-q", "-o", str(folder / "coverage.json")]):
        subprocess.run([sys.executable, "-m", "coverage", last[0], f"--rcfile={rules}", *last[1:]], cwd=TOP, check=True)
    return code


def main(words: Sequence[str] | None = None) -> int:
    """The exit code is that of the tests, 2 when coverage is not installed."""
    reader = argparse.ArgumentParser(prog="python -m tests.figures.coverage")
    reader.add_argument("tests", nargs="*", default=DEFAULT, help="folders or files of tests")
    reader.add_argument("--anew", action="store_true", help="forget what earlier runs took")
    asked = reader.parse_args(words)
    if importlib.util.find_spec("coverage") is None:
        print("coverage is not installed; it is in the group figures: uv sync --group figures, or pip install coverage")
        return 2
    folder = measured.LAST / f"coverage-{tree()}"
    for other in measured.LAST.glob("coverage-*"):
        if asked.anew or other != folder:
            shutil.rmtree(other)
    code = measure(asked.tests, folder)
    found = shares(json.loads((folder / "coverage.json").read_text())["files"])
    measured.keep("coverage", *measured.EVERY_SIZE, **found)
    for room, share in found.items():
        print(f"{room:<24} {share:6.2f} % of its branches")
    return code


if __name__ == "__main__":
    sys.exit(main())
