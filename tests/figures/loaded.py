"""`python -m tests.figures.loaded [--times 2] [--publish]`: the default test run while other processes keep all cores busy.

Runs follow one another. `--publish` writes what they came to into tests/figures/loaded.json.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

from tests.figures import artifact
from tests.figures.editions import Row, table, told
from tests.figures.sources import TOP, tree

PUBLISHED = artifact.HERE / "loaded.json"
RUN = (sys.executable, "-m", "pytest", "-q", "-n", "6", "--dist", "worksteal")
"""The test command of the README."""
BUSY = (sys.executable, "-c", "while True: pass")


@contextmanager
def keep_cores_busy(count: int) -> Iterator[None]:
    """Run that many processes that compute without a pause, beside what is done meanwhile."""
    processes = [subprocess.Popen(BUSY) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def run_tests() -> Row:
    """Run the default tests once; how many there were, how many failed, and the time."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        done = subprocess.run([*RUN, f"--junitxml={report}", "-o", "junit_family=xunit1"], cwd=TOP, check=False)
        counts = told(ElementTree.parse(report).getroot())
    return {
        "tests": counts["tests"],
        "failed": counts["failed"],
        "exit": done.returncode,
        "wall_s": round(time.monotonic() - began),
    }


def main(words: Sequence[str] | None = None) -> int:
    """Return 1 when a test failed in one of the runs."""
    reader = argparse.ArgumentParser(prog="python -m tests.figures.loaded")
    reader.add_argument("--times", type=int, default=2, help="runs, one after the other")
    reader.add_argument("--publish", action="store_true", help="write tests/figures/loaded.json")
    asked = reader.parse_args(words)
    if asked.publish and artifact.changed():
        reader.error("--publish is not accepted on a working tree with changes; commit first")
    cores = os.cpu_count() or 1
    with keep_cores_busy(cores):
        rows = [run_tests() for _ in range(asked.times)]
    print(table(rows))
    if asked.publish:
        found = {
            "command": f"python -m tests.figures.loaded --times {asked.times} --publish",
            "commit": artifact.git("rev-parse", "HEAD"),
            "tree": tree(),
            "when": datetime.now(UTC).strftime("%Y-%m-%d"),
            "machine": {"cores": cores, "python": platform.python_version(), "os": platform.system()},
            "busy_processes": cores,
            "runs": rows,
        }
        artifact.write(PUBLISHED, found)
    return int(any(row["failed"] or row["exit"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
