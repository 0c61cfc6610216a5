"""`python -m tests.terminal.ladder_duel --presses N --seed S`: random presses on the ladder, and the table."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from random import Random

import msgspec

from tests.benchmarks.test_tape import RECORDING
from tests.terminal.ladder_duel import in_process, in_terminal
from tests.terminal.ladder_duel.tally import Tally, join, lines_of
from tests.terminal.ladder_duel.tape import count_index_presses, read_tape

INDEX_RATES = (50, 100, 1_000, 10_000)
INDEX_PRESSES = 10_000


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.terminal.ladder_duel", description=__doc__)
    parser.add_argument("--presses", type=int, default=100, help="how many in virtual time")
    parser.add_argument("--pty", type=int, default=0, metavar="N", help="how many in real terminals")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--from", type=int, default=0, dest="first", help="number of the first press, to run in shards")
    parser.add_argument("--json", type=Path, help="where the figures are written")
    parser.add_argument("--sum", type=Path, nargs="+", metavar="FILE", help="add figures of shards up and end")
    chosen = parser.parse_args()
    began = time.monotonic()
    if chosen.sum:
        shards = [json.loads(path.read_bytes()) for path in chosen.sum]
        ways = {way: join(msgspec.convert(shard[way], Tally) for shard in shards) for way in ("in_process", "pty")}
        more = {
            "seeds": sorted({seed for shard in shards for seed in shard["seeds"]}),
            "seconds": sum(shard["seconds"] for shard in shards),
        }
    else:
        ways = {
            "in_process": in_process.run(chosen.seed, chosen.first, chosen.presses),
            "pty": in_terminal.run(chosen.seed, chosen.first, chosen.pty),
        }
        more = {"seeds": [chosen.seed], "seconds": round(time.monotonic() - began)}
    return report(ways, chosen.json, more)


def report(ways: dict[str, Tally], path: Path | None, more: dict[str, object]) -> int:
    """Print a table per way, and write the figures; 1 if something was wrong."""
    tape, rng = read_tape(), Random("index cursor")
    index = {f"{rate:,}": count_index_presses(tape, rate, INDEX_PRESSES, rng) / INDEX_PRESSES for rate in INDEX_RATES}
    for way, tally in ways.items():
        if tally.presses:
            print(f"-- {way.replace('_', ' ')}", *lines_of(tally, index), *tally.wrong, sep="\n")
    if path is not None:
        figures = {way: msgspec.to_builtins(tally) for way, tally in ways.items()}
        figures |= more | {"index_cursor_other_price": index, "recorded_market": RECORDING.exists()}
        path.write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n")
    return 1 if any(tally.bad for tally in ways.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
