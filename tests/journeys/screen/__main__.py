"""All journeys on the full screen at both sizes: `python -m tests.journeys.screen --publish`; a minute for each person."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from tests.figures.artifact import git
from tests.journeys.screen import common, risk_officer, scalper, web_trader
from tests.journeys.screen.session import Script, person_at
from tests.journeys.tasks import TASKS
from tests.lint.block import Block
from tests.terminal.terminal import TOP


def _scripts(person: ModuleType) -> Mapping[str, Script]:
    """Return the function of every task: the person's own, else what others do by the same keys."""
    names = {task.id: task.id.replace("-", "_") for task in TASKS}
    return {id_: getattr(person if hasattr(person, name) else common, name) for id_, name in names.items()}


PEOPLE: dict[str, Mapping[str, Script]] = {
    "web trader": _scripts(web_trader),
    "scalper": _scripts(scalper),
    "risk officer": _scripts(risk_officer),
}
SIZES = ((80, 24), (160, 45))
DATA = TOP / "tests" / "data" / "journeys"
PLAYED = DATA / "played.json"
PAGE = Block(TOP / "docs" / "journeys.md", "<!-- journeys: made from the records -->", "<!-- end of journeys -->")


class Played(NamedTuple):
    """One journey that was played."""

    person: str
    task: str
    columns: int
    lines: int
    keys: int
    """Keys from the beginning of the task; -1: it did not pass."""


def play(person: str, task: str, columns: int, lines: int) -> Played:
    """Play one journey at a desk of its own."""
    with tempfile.TemporaryDirectory(prefix="crossdesk-journey-") as home:
        try:
            with person_at(columns, lines, Path(home)) as hands:
                PEOPLE[person][task](hands)
                keys = hands.keys
        except AssertionError as error:
            print(f"{person}, {task}, {columns}x{lines}: {error}")
            keys = -1
    return Played(person, task, columns, lines, keys)


def _play(journey: tuple[str, str, int, int]) -> Played:
    return play(*journey)


def make_page() -> str:
    """Return the table of all tasks: what each person pressed the first time and presses now."""
    played = {(row[0], row[1]): row[4] for row in json.loads(PLAYED.read_text())["journeys"]}
    first = {name: json.loads((DATA / f"{name.replace(' ', '_')}.json").read_text())["tasks"] for name in PEOPLE}
    heads = [f"{name}: first, now" for name in PEOPLE]
    lines = [f"| Task | Least | {' | '.join(heads)} |", f"|---|---|{'---|' * len(PEOPLE)}"]
    sums = dict.fromkeys(PEOPLE, (0, 0))
    for task in TASKS:
        least = min(played[name, task.id] for name in PEOPLE)
        cells = []
        for name in PEOPLE:
            before, now = len(first[name][task.id]["keys"]), played[name, task.id]
            sums[name] = sums[name][0] + before, sums[name][1] + now
            cells.append(f"{before}, {now}")
        lines.append(f"| {task.title} | {least} | {' | '.join(cells)} |")
    total = sum(min(played[name, task.id] for name in PEOPLE) for task in TASKS)
    lines.append(f"| all | {total} | {' | '.join(f'{before}, {now}' for before, now in sums.values())} |")
    return "\n".join(lines)


def main() -> None:
    """Play every journey; publish what was played and write the page if wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--publish", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    journeys = [(name, task.id, *size) for size in SIZES for name in PEOPLE for task in TASKS]
    with ProcessPoolExecutor(chosen.jobs) as pool:
        played = list(pool.map(_play, journeys))
    passed = sum(row.keys >= 0 for row in played)
    print(f"{passed} of {len(played)} journeys passed")
    if chosen.publish and passed == len(played):
        PLAYED.write_text(json.dumps({"commit": git("rev-parse", "HEAD"), "journeys": played}) + "\n")
        PAGE.write(make_page())
    raise SystemExit(passed != len(played))


if __name__ == "__main__":
    main()
