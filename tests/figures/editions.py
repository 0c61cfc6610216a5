"""`python -m tests.figures.editions [--publish]`: the venue's tests and days at the keyboard, on both editions in one table.

`--publish` writes what it came to into tests/figures/editions.json.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias
from xml.etree import ElementTree

from tests.edition import EDITIONS
from tests.figures.artifact import HERE, git, write
from tests.figures.sources import TOP, tree

PUBLISHED = HERE / "editions.json"
TESTS = "tests/venue"
DAY = "tests/terminal/test_trading_day.py::test_a_trading_session_by_keyboard_matches_the_venue"
"""Each figure on its screen is compared with what the venue holds; the first that differs ends it."""

Row: TypeAlias = dict[str, int | str]


def told(report: ElementTree.Element) -> dict[str, int]:
    """How many tests a report of pytest has, how many of them failed, and the sums of what they recorded."""
    cases = list(report.iter("testcase"))
    failed = sum(any(case.find(word) is not None for word in ("failure", "error")) for case in cases)
    found = {"tests": len(cases), "failed": failed}
    for one in report.iter("property"):
        name = one.attrib["name"]
        found[name] = found.get(name, 0) + int(one.attrib["value"])
    return found


def run(place: str, edition: str, jobs: int) -> dict[str, int]:
    """What tests come to on an edition."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        words = [sys.executable, "-m", "pytest", "-q", "-n", str(jobs), place, "--edition", edition]
        subprocess.run([*words, f"--junitxml={report}", "-o", "junit_family=xunit1"], cwd=TOP, check=False)
        return told(ElementTree.parse(report).getroot())


def measure(edition: str, jobs: int) -> Row:
    """The row of an edition."""
    tests, days = run(TESTS, edition, jobs), run(DAY, edition, jobs)
    return {
        "edition": edition,
        "tests": tests["tests"],
        "failed": tests["failed"],
        "days": days["tests"],
        "orders": days.get("orders", 0),
        "fills": days.get("fills", 0),
        "differences": days["failed"],
    }


def table(rows: Sequence[Row]) -> str:
    """The rows as Markdown."""
    names = list(rows[0])
    lines = [names, ["---"] * len(names), *([str(row[name]) for name in names] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main(words: Sequence[str] | None = None) -> int:
    """The exit code is 1 when a test failed or a day differed."""
    reader = argparse.ArgumentParser(prog="python -m tests.figures.editions")
    reader.add_argument("--jobs", type=int, default=2, help="processes that test at a time")
    reader.add_argument("--publish", action="store_true", help="write tests/figures/editions.json")
    asked = reader.parse_args(words)
    rows = [measure(edition, asked.jobs) for edition in EDITIONS]
    print(table(rows))
    if asked.publish:
        found = {
            "command": "python -m tests.figures.editions --publish",
            "commit": git("rev-parse", "HEAD"),
            "tree": tree(),
            "when": datetime.now(UTC).strftime("%Y-%m-%d"),
            "machine": {"python": platform.python_version(), "os": platform.system()},
            "editions": rows,
        }
        write(PUBLISHED, found)
    return int(any(row["failed"] or row["differences"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
