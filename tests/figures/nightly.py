"""`python -m tests.figures.nightly --seeds 60001-62000 [--publish]`: the whole nightly gate in one go, on two cores.

Parts that use the processor run one after the other with two processes each, at a lower priority; parts that mostly wait
and measure real time run beside them. Prints the seconds of each part, and with `--publish` its figures become those of
the gate. Runs of single parts add up: `--parts campaign,sizes`. Two parts are run when they are named: `others` has the
large sizes that are no figure of the gate, such as thousands of accidental keys, and `order` all other tests, those of
each module in the order of `--shuffle` with the seeds as its word.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import NamedTuple

from tests.figures import artifact, measured
from tests.figures.__main__ import main as figures
from tests.figures.sources import TOP

NICE = 10
"""How much lower the priority of the parts is that use the processor."""
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-m")
TWO = ("-n", "2", "--dist", "worksteal")
SIZES = ("tests/crash", "tests/fuzz", "tests/venue/stateful", "tests/workstation/test_every_size.py")
"""Tests whose large sizes are figures of the gate."""
PARTS: Mapping[str, tuple[str, ...]] = {
    "campaign": ("-m", "tests.simulation.campaign", "--gate", "nightly", "--jobs", "2"),
    "sizes": (*PYTEST, "nightly and not real", *TWO, *SIZES),
    "coverage": ("-m", "tests.figures.coverage", "--anew"),
    "real": (*PYTEST, "nightly and real", "-n", "0", "tests/terminal"),
    "others": (*PYTEST, "nightly and not real", *TWO, "tests", *(f"--ignore={path}" for path in SIZES)),
    "order": (*PYTEST, "not nightly and not real", *TWO, "tests"),
}
"""Words behind the interpreter, by part."""
GATE = ("campaign", "sizes", "coverage", "real")
"""Parts whose figures are those of the gate."""
BESIDE = frozenset(["real"])
"""Parts that mostly wait: soak, stall, stopped process."""
MOST_S = 3_600
"""Longest time of the whole gate, s."""


class Done(NamedTuple):
    """One part that has ended."""

    part: str
    code: int
    wall_s: float
    cpu_s: float


def run(part: str, words: Sequence[str] = ()) -> Done:
    """Run one part as a process of its own, with further words."""
    began = time.monotonic()
    slower = () if part in BESIDE else ("nice", "-n", str(NICE))
    process = subprocess.Popen([*slower, sys.executable, *PARTS[part], *words], cwd=TOP)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Done(part, process.returncode, time.monotonic() - began, used.ru_utime + used.ru_stime)


def run_all(parts: Sequence[str], words: Mapping[str, Sequence[str]]) -> list[Done]:
    """Run the parts: those that wait beside the others."""
    lanes = [[part for part in parts if (part in BESIDE) is waits] for waits in (False, True)]
    with ThreadPoolExecutor(len(lanes)) as pool:
        done = pool.map(lambda lane: [run(part, words.get(part, ())) for part in lane], lanes)
        return [one for lane in done for one in lane]


def table(done: Sequence[Done], whole_s: float) -> str:
    """Write the times of the parts, one a line."""
    lines = [
        f"{one.part:<10} {one.wall_s:7.0f} s {one.cpu_s:7.0f} s of processor{'' if one.code == 0 else '  FAILED'}"
        for one in done
    ]
    verdict = "" if whole_s <= MOST_S else f", at most {MOST_S:,} s"
    return "\n".join([*lines, f"{'whole':<10} {whole_s:7.0f} s{verdict}"])


def main(words: Sequence[str] | None = None) -> int:
    """The exit code is 1 when a part failed, a gate is missed or the whole took too long."""
    reader = argparse.ArgumentParser(prog="python -m tests.figures.nightly")
    reader.add_argument("--seeds", help="range of seeds that no campaign has lived, such as 60001-62000")
    reader.add_argument("--parts", default=",".join(GATE), help=f"some of {', '.join(PARTS)}")
    reader.add_argument("--publish", action="store_true", help="make the figures those of the gate")
    asked = reader.parse_args(words)
    parts = asked.parts.split(",")
    if unknown := [part for part in parts if part not in PARTS]:
        reader.error(f"--parts: {unknown[0]!r} is not known; accepted are {', '.join(PARTS)}")
    if {"campaign", "order"} & {*parts} and not asked.seeds:
        reader.error("--seeds is needed for the parts campaign and order")
    if "coverage" in parts and find_spec("coverage") is None:
        reader.error("coverage is not installed; it is in the group figures: pip install coverage")
    if asked.publish and artifact.changed():
        reader.error("--publish is not accepted on a working tree with changes; commit first")
    began = time.monotonic()
    campaign = ["--seeds", asked.seeds or "", *(["--publish"] if asked.publish else [])]
    done = run_all(parts, {"campaign": campaign, "order": ["--shuffle", asked.seeds or ""]})
    whole_s = time.monotonic() - began
    measured.keep("wall_s", "nightly", **{one.part: round(one.wall_s) for one in done})
    if set(GATE) <= set(parts):
        measured.keep("wall_s", "nightly", whole=round(whole_s))
    short = figures(["--collect", "nightly"]) if asked.publish else 0
    print(table(done, whole_s))
    return 1 if short or whole_s > MOST_S or any(one.code for one in done) else 0


if __name__ == "__main__":
    sys.exit(main())
