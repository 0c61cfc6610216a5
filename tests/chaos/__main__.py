"""`python -m tests.chaos --minutes N --seed S [--jobs K]`: real workstations and venues under faults and real kills.

Each job is a workstation in a pty with a venue process and a proxy of its own. Prints what the runs came to; the exit
code is 1 when an order was sent twice, a workstation ended by itself, or journal, screen and venue differ afterwards.
`--publish` adds the figures to `tests/figures/chaos.json` and refuses a working tree with changes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from tests.chaos import figures
from tests.chaos.run import lived
from tests.figures import artifact


def _reader() -> argparse.ArgumentParser:
    reader = argparse.ArgumentParser(prog="python -m tests.chaos")
    reader.add_argument("--minutes", type=float, required=True, help="of trading, for each job")
    reader.add_argument("--seed", type=int, required=True, help="of the first job; the others follow")
    reader.add_argument("--jobs", type=int, default=1, help="workstations side by side")
    reader.add_argument("--json", type=Path, help="add the figures to this file")
    reader.add_argument("--publish", action="store_true", help="add the figures to tests/figures/chaos.json")
    return reader


def main(words: Sequence[str] | None = None) -> int:
    """Run; see above for the exit code."""
    reader = _reader()
    asked = reader.parse_args(words)
    if asked.publish and artifact.git("status", "--porcelain", "tui", "tests"):
        reader.error("--publish is not accepted on a working tree with changes; commit first, or use --json")
    target = figures.PUBLISHED if asked.publish else asked.json
    before = figures.read(target) if target is not None else {}
    seeds = range(asked.seed, asked.seed + asked.jobs)
    if before.get("tree") == artifact.tree() and set(seeds) & set(before["seeds"]):
        reader.error(f"--seed {asked.seed} is not accepted: it is in {target} already; choose others")
    with ProcessPoolExecutor(asked.jobs, mp_context=get_context("spawn")) as pool:
        outcomes = list(pool.map(partial(lived, seconds=asked.minutes * 60), seeds))
    typed = " ".join(["python -m tests.chaos", *(words or sys.argv[1:])])
    now = figures.figures(outcomes, typed)
    for one in outcomes:
        for difference in one.differences:
            print(f"seed {one.seed}: {difference.kind}: {difference.text}")
        for text in (*one.exits, *(f"sent twice: {client}" for client in one.sent_twice)):
            print(f"seed {one.seed}: {text}")
    print(json.dumps(now))
    print(f"{figures.per_minute(now):.0f} commands a minute of trading, all jobs together per job second")
    if target is not None:
        artifact.write(target, figures.merged(before, now))
    return 1 if now["differences"] or now["sent_twice"] or now["exits"] else 0


if __name__ == "__main__":
    sys.exit(main())
