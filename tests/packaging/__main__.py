"""Build what people install, install it in each way, and play the tutorial from it: `python -m tests.packaging --publish`.

Each way starts in an empty home with an empty environment, at 80x24 in 16 colours: once for the tutorial, then again
for the time of a later start. Needs the package registry. `--base IMAGE` builds the container on an image with Python
and pip, too, and plays in it; needs buildah. `--only WAY` plays one way and publishes nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median

from tests.figures.artifact import git
from tests.figures.packages import ARTIFACT, GOALS
from tests.packaging import tutorial
from tests.packaging.parts import differences, read_lock, read_parts
from tests.packaging.ways import DIST, WAYS, Installed, build_container, run
from tests.terminal.terminal import TOP, Terminal

COLUMNS, LINES = 80, 24
FIRST_STARTS = 3
"""Starts in homes of their own, where a first start has a goal; the median is told."""
LATER_STARTS = 3
"""Starts behind the first; the median is told."""
FETCHING_S = 300.0
"""Seconds that a first start may fetch and build."""
BELL = b"\x07"
"""Rung at what is refused."""


def _start(installed: Installed, home: Path) -> tuple[Terminal, float]:
    """Start an installed command; return its terminal, and after how many seconds the first text stood on it."""
    variables = {
        "HOME": str(home),
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "TERM": "xterm-16color",
        "LANG": "C.UTF-8",
        **installed.variables,
    }
    began = time.monotonic()
    desk = Terminal(home=home, columns=COLUMNS, lines=LINES, environment=variables, command=installed.command)
    desk.see("VIEW", within=FETCHING_S)
    return desk, time.monotonic() - began


def play(installed: Installed, home: Path) -> dict[str, object]:
    """Play the tutorial from an installed command, and start it again; return its figures."""
    desk, first = _start(installed, home)
    try:
        steps = tutorial.play(desk)
        controls = desk.raw_control_bytes()
    finally:
        desk.close()
    true_color = desk.bytes.count(b"\x1b[38;2;") + desk.bytes.count(b";38;2;")
    later = median(_start_again(installed, home) for _ in range(LATER_STARTS))
    return {"way": installed.way, "steps": len(steps), "first start s": round(first, 2),
            "later start s": round(later, 2), "true colours": true_color,
            "raw control bytes": sum(one != BELL for one in controls)}  # fmt: skip


def _start_again(installed: Installed, home: Path) -> float:
    """Start in a home that was used, and quit; return the seconds until the first text."""
    desk, spent = _start(installed, home)
    try:
        tutorial.quit_desk(desk)
    finally:
        desk.close()
    return spent


def publish(found: list[dict[str, object]]) -> None:
    """Write the figures, with the commit that they are of."""
    sizes = {path.suffix: path.stat().st_size for path in sorted(DIST.iterdir()) if path.is_file()}
    told = {
        "commit": git("rev-parse", "HEAD"),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": {"python": platform.python_version(), "os": platform.system(), "cores": os.cpu_count()},
        "sizes": sizes,
        "ways": found,
    }
    ARTIFACT.write_text(json.dumps(told, indent=1) + "\n")


def main() -> None:
    """Build, install and play in every way; print the figures, and publish them if wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--publish", action="store_true", help=f"write {ARTIFACT.relative_to(TOP)}")
    parser.add_argument("--base", default="", metavar="IMAGE", help="also build the container, on this image")
    parser.add_argument("--built", action="store_true", help="take what dist/ holds; nothing is published")
    parser.add_argument("--only", choices=list(GOALS), help="play this way alone; nothing is published")
    chosen = parser.parse_args()
    if chosen.publish and (chosen.built or chosen.only):
        parser.error("--publish takes neither --built nor --only: the figures are of all that one commit builds")
    if chosen.publish and (changed := git("status", "--porcelain", "--untracked-files=no")):
        parser.error(f"figures are not published on a working tree with changes: {changed[:200]}")
    if not chosen.built:
        run("sh", TOP / "packaging" / "build.sh")
    ways: list[Callable[[Path], Installed]] = list(WAYS)
    if chosen.base:
        ways.append(partial(build_container, chosen.base))
    if wrong := differences(read_parts(DIST / "crossdesk.cdx.json"), read_lock(TOP / "packaging" / "run.lock")):
        raise SystemExit(f"the list of parts is not that of the lock: {', '.join(wrong)}")
    found = []
    for name, install in zip(GOALS, ways, strict=False):
        if chosen.only in (None, name):
            found.append(_play_in_a_new_home(install, GOALS[name][0] is not None))
            print(json.dumps(found[-1]), flush=True)
    if chosen.publish:
        publish(found)


def _play_in_a_new_home(install: Callable[[Path], Installed], wants_first: bool) -> dict[str, object]:
    """Play from an empty home; a first start that has a goal is the median of three, each in a home of its own."""
    with _in_a_new_home(install) as (installed, home):
        found = play(installed, home)
    if wants_first:
        others = [_start_alone(install) for _ in range(FIRST_STARTS - 1)]
        found["first start s"] = round(median([float(str(found["first start s"])), *others]), 2)
    return found


def _start_alone(install: Callable[[Path], Installed]) -> float:
    with _in_a_new_home(install) as (installed, home):
        desk, spent = _start(installed, home)
        desk.close()
        return spent


@contextmanager
def _in_a_new_home(install: Callable[[Path], Installed]) -> Iterator[tuple[Installed, Path]]:
    with tempfile.TemporaryDirectory(prefix="crossdesk-package-") as folder:
        installed = install(Path(folder))
        home = Path(folder) / "home"
        home.mkdir()
        yield installed, home


if __name__ == "__main__":
    main()
