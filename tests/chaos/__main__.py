"""`python -m tests.chaos --minutes N --seed S [--jobs K] [--runs R]`: real processes under faults and real kills.

Each run is a workstation in a pty with a venue process and a proxy of its own. Prints what the runs came to; the exit
code is 1 when an order was sent twice, a workstation ended by itself, or journal, screen and venue differ afterwards.
`--publish` adds the figures to `tests/figures/chaos.json` and refuses a working tree with changes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.chaos import figures
from tests.chaos.run import Outcome, lived
from tests.figures import artifact
from tests.figures.sources import tree


def _reader() -> argparse.ArgumentParser:
    reader = argparse.ArgumentParser(prog="python -m tests.chaos")
    reader.add_argument("--minutes", type=float, required=True, help="of trading, for each run")
    reader.add_argument("--seed", type=int, required=True, help="of the first run; the others follow")
    reader.add_argument("--jobs", type=int, default=1, help="workstations side by side")
    reader.add_argument("--runs", type=int, help="in all, each with a seed of its own; as many as jobs unless told")
    reader.add_argument("--json", type=Path, help="add the figures to this file")
    reader.add_argument("--publish", action="store_true", help="add the figures to tests/figures/chaos.json")
    return reader


def main(words: Sequence[str] | None = None) -> int:
    """Run; see above for the exit code."""
    reader = _reader()
    asked = reader.parse_args(words)
    if asked.publish and artifact.changed():
        reader.error("--publish is not accepted on a working tree with changes; commit first, or use --json")
    target = figures.PUBLISHED if asked.publish else asked.json
    before = figures.read(target) if target is not None else {}
    seeds = range(asked.seed, asked.seed + (asked.runs or asked.jobs))
    if before.get("tree") == tree() and set(seeds) & set(before["seeds"]):
        reader.error(f"--seed {asked.seed} is not accepted: one of the runs is in {target} already; choose others")
    typed = " ".join(["python -m tests.chaos", *(words or sys.argv[1:])])
    sums: dict[str, Any] = {}
    with ProcessPoolExecutor(asked.jobs, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        for done in as_completed([pool.submit(lived, seed, asked.minutes * 60) for seed in seeds]):
            outcome = done.result()
            _tell(outcome)
            now = figures.figures([outcome], typed)
            sums = figures.merged(sums, now)
            if target is not None:
                artifact.write(target, figures.merged(figures.read(target), now))
    print(json.dumps(sums))
    print(f"{figures.per_minute(sums):.0f} commands a minute of trading and job")
    return 1 if sums["differences"] or sums["sent_twice"] or sums["exits"] else 0


def _tell(outcome: Outcome) -> None:
    """Print what one run came to."""
    said = f"seed {outcome.seed}"
    print(f"{said}: {outcome.commands} commands, {outcome.desk_kills} + {outcome.venue_kills} kills", flush=True)
    for difference in outcome.differences:
        print(f"{said}: {difference.kind}: {difference.text}")
    for text in (*outcome.exits, *(f"sent twice: {client}" for client in outcome.sent_twice)):
        print(f"{said}: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
