"""Many seeds and what they came to: `python -m tests.simulation.campaign --seeds 1-200 [--jobs 2] [--json FILE]`.

Prints the figures and every broken promise with its seed. A range adds to the figures in the file as long as the sources
are the same, so that a large total can be reached in slices. Once the random seeds of the gate are there, directed ones
follow for each fault and each cell that is below its minimum, in slices as well with `--directed 60` (without `--seeds`:
they alone), and then the traces of the first seeds are compared in two processes. `--publish` writes the gate's
artifact under `tests/figures/` and refuses a working tree with changes.

A release lives a range that no version of the program was mended on: `# lived:` in tests/seeds.txt names the ranges
that were run before, the campaign says so when one is asked for again, and whoever runs a new one adds it there. The
artifact keeps what was run under `seeds.ranges`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from tests.figures import artifact
from tests.figures.artifact import Artifact
from tests.figures.sources import TOP, tree
from tests.simulation.points import CELLS
from tests.simulation.rates import NoSuchFault, drawn, forced, only
from tests.simulation.seed import Result, run

SEEDS = TOP / "tests" / "seeds.txt"
MINUTES = 10.0
SAME_TRACE_MINUTES = 2.0
DIRECTED_FIRST = 1_000_001
"""Directed seeds are numbered from here."""
DIRECTED_MOST = {"commit": 200, "nightly": 1000}
"""Bound on the directed seeds of one gate."""
DIRECTED_ROUND = 20
"""Directed seeds between two looks at what is still missing."""


class Job(NamedTuple):
    """One seed to be lived."""

    seed: int
    minutes: float
    forced: str = ""
    """A fault or a cell; empty: what the seed draws."""
    only: tuple[str, ...] = ()
    trace: str = ""
    """File for the whole history, or empty."""


def lived(job: Job) -> tuple[Result, float]:
    """Live one seed; with the real seconds that it took."""
    began = time.monotonic()
    rates = forced(job.forced) if job.forced else only(drawn(job.seed), job.only) if job.only else None
    result, floor = run(job.seed, job.minutes, rates, job.forced)
    if job.trace:
        floor.history.write(Path(job.trace))
    return result, time.monotonic() - began


def live(jobs: Sequence[Job], processes: int) -> Iterator[Result]:
    """Live seeds in several processes and tell of each, in their order."""
    if processes == 1:
        yield from map(_told, map(lived, jobs))
        return
    with get_context("spawn").Pool(processes) as pool:
        yield from map(_told, pool.imap(lived, jobs))


def _told(done: tuple[Result, float]) -> Result:
    result, seconds = done
    shown = "control" if result.control else f"{sum(result.faults.values())} faults"
    name = f"seed {result.seed} {result.forced}".rstrip()
    print(f"{name}: {result.commands} commands, {shown}, {seconds:.1f} s", flush=True)
    for broken in result.violations[:1]:
        print(f"  FAILED {broken}", flush=True)
    return result


def regression_seeds() -> list[tuple[int, float]]:
    """Seeds that once broke something, with their virtual minutes."""
    found = []
    for line in SEEDS.read_text().splitlines():
        text = line.partition("#")[0].split()
        if text:
            found.append((int(text[0]), float(text[1])))
    return found


def lived_before() -> list[tuple[int, int]]:
    """Ranges that earlier campaigns ran, first and last seed."""
    lines = [line.partition(":")[2] for line in SEEDS.read_text().splitlines() if line.startswith("# lived:")]
    return [_numbers(word) for line in lines for word in line.split()]


def directed(found: Artifact, minutes: float, processes: int, most: int) -> Artifact:
    """Seeds with one fault or cell forced, until each has its minimum or there are `most` in all."""
    while (wanted := artifact.short_of(found)) and (done := sum(found["seeds"]["directed"].values())) < most:
        first = DIRECTED_FIRST + done
        turn = [wanted[number % len(wanted)] for number in range(min(DIRECTED_ROUND, most - done))]
        jobs = [Job(first + number, minutes, what) for number, what in enumerate(turn)]
        began = time.monotonic()
        results = list(live(jobs, processes))
        more = artifact.figures(results, time.monotonic() - began, found["gate"], found["command"])
        found = artifact.merged(found, {**more, "tree": found["tree"]})
    return found


def trace_equality(count: int, minutes: float = SAME_TRACE_MINUTES) -> dict[str, int]:
    """Live the first seeds in two processes with different hash seeds; how many have the same trace in both."""
    words = [sys.executable, "-m", "tests.simulation.seed", str(minutes), *map(str, range(1, count + 1))]
    running = [
        subprocess.Popen(words, cwd=TOP, env={**os.environ, "PYTHONHASHSEED": seed}, stdout=subprocess.PIPE, text=True)
        for seed in ("0", "4711")
    ]
    one, two = (process.communicate()[0].splitlines() for process in running)
    equal = sum(left == right for left, right in zip(one, two, strict=False))
    return {"seeds": count, "processes": len(running), "equal": equal}


def _numbers(text: str) -> tuple[int, int]:
    first, _, last = text.partition("-")
    if not (first.isdecimal() and (last or first).isdecimal()):
        raise argparse.ArgumentTypeError(f"--seeds {text!r} is not accepted; it takes a number or a range like 1-200")
    return int(first), int(last or first)


def _families(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    try:
        only(drawn(1), names)
    except NoSuchFault as error:
        raise argparse.ArgumentTypeError(f"--only: {error}") from error
    return names


def _fault(text: str) -> str:
    try:
        forced(text)
    except NoSuchFault as error:
        raise argparse.ArgumentTypeError(f"--force: {error}") from error
    return text


def _reader() -> argparse.ArgumentParser:
    reader = argparse.ArgumentParser(prog="python -m tests.simulation.campaign")
    reader.add_argument("--seeds", type=_numbers, help="a seed or a range of them")
    reader.add_argument("--directed", type=int, metavar="N", help="at most N directed seeds in this run")
    reader.add_argument("--minutes", type=float, default=MINUTES, help="virtual minutes of a seed")
    reader.add_argument("--jobs", type=int, default=1, help="processes")
    reader.add_argument("--gate", choices=artifact.GATES, help="judge by this gate, with its directed seeds")
    reader.add_argument("--only", type=_families, default=(), help="families of faults that stay, such as cut,reorder")
    reader.add_argument("--force", type=_fault, help="a fault or a cell, such as F87 or F13/reset/place")
    reader.add_argument("--json", type=Path, help="add the figures to this file")
    reader.add_argument("--publish", action="store_true", help="add the figures to the gate's artifact")
    reader.add_argument("--trace", default="", help="write the whole history of the last seed here")
    return reader


def main(words: Sequence[str] | None = None) -> int:
    """Run a range; the exit code is 1 when a promise was broken, or when a gate that was asked for is missed."""
    reader = _reader()
    asked = reader.parse_args(words)
    if asked.seeds is None and asked.directed is None:
        reader.error("--seeds or --directed is needed")
    if (asked.publish or asked.directed is not None) and not asked.gate:
        reader.error("--publish and --directed need --gate commit or --gate nightly")
    if asked.publish and artifact.changed():
        reader.error("--publish is not accepted on a working tree with changes; commit first, or use --json")
    target = artifact.published(asked.gate) if asked.publish else asked.json
    gate, typed = asked.gate or "commit", " ".join(["python -m tests.simulation.campaign", *(words or sys.argv[1:])])
    before = json.loads(target.read_text()) if target is not None and target.exists() else {}
    sources = tree()
    empty = {**artifact.figures([], 0, gate, typed), "tree": sources}
    jobs = _jobs(reader, asked, before, empty)
    began = time.monotonic()
    results = list(live(jobs, asked.jobs))
    found = {**artifact.figures(results, time.monotonic() - began, gate, typed), "tree": sources}
    found = artifact.measured(artifact.merged(before, found))
    if target is not None:
        artifact.write(target, artifact.judged(found))
    if asked.gate:
        found = _completed(found, asked.minutes, asked.jobs, asked.directed)
    if target is not None:
        artifact.write(target, artifact.judged(found))
    _say(found, judged=bool(asked.gate))
    broken = any(found["violations"].values())
    return 1 if broken or (asked.gate and artifact.missed(found, artifact.CAMPAIGN)) else 0


def _jobs(reader: argparse.ArgumentParser, asked: argparse.Namespace, before: Artifact, empty: Artifact) -> list[Job]:
    """The seeds that were asked for, none of which is in the figures already."""
    if asked.seeds is None:
        return []
    first, last = asked.seeds
    jobs = [Job(seed, asked.minutes, asked.force or "", asked.only) for seed in range(first, last + 1)]
    jobs[-1] = jobs[-1]._replace(trace=asked.trace)
    try:
        artifact.merged(
            before, {**empty, "seeds": {**empty["seeds"], "ranges": [] if asked.force else [[first, last]]}}
        )
    except artifact.OtherRange as error:
        reader.error(f"--seeds: {error}")
    for low, high in lived_before():
        if first <= high and low <= last:
            print(f"seeds {low}-{high} were lived before (tests/seeds.txt); a release takes a range that was not")
    return jobs


def _completed(found: Artifact, minutes: float, processes: int, at_most: int | None) -> Artifact:
    """What follows once the random seeds of the gate are there: directed seeds, and the traces once none is missing."""
    wanted, bound = artifact.gates(found["gate"]), DIRECTED_MOST[found["gate"]]
    if found["seeds"]["count"] < wanted["seeds"]:
        return found
    if at_most is not None:
        bound = min(bound, sum(found["seeds"]["directed"].values()) + at_most)
    found = directed(found, minutes, processes, bound)
    if bound < DIRECTED_MOST[found["gate"]] and artifact.short_of(found):
        print(f"directed seeds are missing still for {', '.join(artifact.short_of(found)[:12])}")
        return found
    return {**found, "trace_equality": trace_equality(wanted["same_trace_seeds"])}


def _say(found: Artifact, *, judged: bool) -> None:
    cells, faults = found["matrix"]["cells"], found["faults"]
    named = ("seeds", "virtual_hours", *artifact.TOTALS, "sometimes", "violations", "unknown", "trace_equality")
    print(json.dumps({name: found[name] for name in named}))
    kinds = sum(bool(faults[name]) for name in artifact.FAULTS)
    print(
        f"{faults['total']} faults of {kinds} kinds; {sum(map(bool, cells.values()))} of {len(CELLS)} cells; "
        f"{found['commands'] / max(found['duration_s'], 1):.0f} commands and "
        f"{found['virtual_hours'] * 3600 / max(found['duration_s'], 1):.0f} virtual s per s"
    )
    for text in artifact.missed(found, artifact.CAMPAIGN) if judged else ():
        print(f"{found['gate']} gate not reached: {text}")


if __name__ == "__main__":
    sys.exit(main())
