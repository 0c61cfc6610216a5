"""`python -m tests.accidents --presses N --seed S`: attempts against the real program, and figures added up."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from tests.accidents import in_process, terminal_desk
from tests.accidents.runner import Tally, join, kinds_called
from tests.accidents.without_rules import describe, leave_out_each
from tests.figures.artifact import git
from tui.workstation.input.fresh_press import Rule


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.accidents", description=__doc__)
    parser.add_argument("--presses", type=int, default=100, help="how many attempts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--from", type=int, default=0, dest="first", help="number of the first attempt, to run in shards"
    )
    parser.add_argument("--pty", action="store_true", help="in real terminals instead of virtual time")
    parser.add_argument("--out", type=Path, help="where meaning and finding of each attempt are written (JSON lines)")
    parser.add_argument("--json", type=Path, help="where the figures are written")
    parser.add_argument("--sum", type=Path, nargs="+", metavar="FILE", help="add figures of shards up and end")
    parser.add_argument(
        "--kinds", default="", metavar="BEGINNING", help="only kinds whose name begins so; not with --pty"
    )
    parser.add_argument("--without", choices=[rule.value for rule in Rule], action="append", default=[],
                        help="leave a rule of the fresh press out; ends at the first bad attempt")  # fmt: skip
    parser.add_argument("--each-rule", action="store_true",
                        help="leave each rule out in turn and print the first attempt that then fails")  # fmt: skip
    chosen = parser.parse_args()
    if chosen.sum:
        texts = [path.read_bytes() for path in chosen.sum]
        tallies = [msgspec.json.decode(text, type=Tally) for text in texts]
        return _report(join(tallies), chosen.json, _join_origin([json.loads(text) for text in texts]))
    if chosen.each_rule:
        return _each_rule(chosen.seed, chosen.first, chosen.presses, chosen.json)
    began = time.monotonic()
    with chosen.out.open("w") if chosen.out else open("/dev/null", "w") as out:
        if chosen.pty:
            tally = terminal_desk.run(chosen.seed, chosen.first, chosen.presses, out=out)
        else:
            without = frozenset(chosen.without)
            kinds = kinds_called(chosen.kinds) if chosen.kinds else frozenset()
            tally = in_process.run(
                chosen.seed, chosen.first, chosen.presses, without=without, kinds=kinds, out=out, stop=bool(without)
            )
    more = {
        "seed": chosen.seed, "from": chosen.first, "pty": chosen.pty, "seconds": round(time.monotonic() - began),
        "commit": git("rev-parse", "HEAD"), "when": datetime.now(UTC).strftime("%Y-%m-%d"),
    }  # fmt: skip
    return _report(tally, chosen.json, more)


def _join_origin(shards: Sequence[dict[str, Any]]) -> dict[str, object]:
    """Return seed, place and version of the shards of one run.

    Raises:
        ValueError: They are of several versions, or of real terminals and of virtual time.
    """
    origin = [{name: shard[name] for name in ("pty", "commit")} for shard in shards]
    if any(each != origin[0] for each in origin):
        raise ValueError(f"shards of different runs: {origin}")
    return origin[0] | {
        "seeds": sorted({shard["seed"] for shard in shards}),
        "seconds": sum(shard["seconds"] for shard in shards),
        "when": max(shard["when"] for shard in shards),
    }


def _report(tally: Tally, path: Path | None, more: dict[str, object]) -> int:
    for row in tally.bad:
        print(msgspec.json.encode(row).decode())
    print(f"{tally.attempts} attempts, {tally.orders} orders, all meant but {len(tally.bad)}")
    if path is not None:
        figures = msgspec.to_builtins(tally) | more
        path.write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n")
    return 1 if tally.bad else 0


def _each_rule(seed: int, first: int, count: int, path: Path | None) -> int:
    """Print for each rule the first attempt that fails without it, or that none of so many does."""
    rows = []
    for row in leave_out_each(seed, first, count):
        print(describe(row), flush=True)
        rows.append(msgspec.to_builtins(row))
    if path is not None:
        figures = {
            "seed": seed, "from": first, "count": count, "rules": rows,
            "commit": git("rev-parse", "HEAD"), "when": datetime.now(UTC).strftime("%Y-%m-%d"),
        }  # fmt: skip
        path.write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
