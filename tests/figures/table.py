"""The README's table of figures, made from the artifacts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

from tests.figures.artifact import FAULTS, GATES, TOP, Artifact, published, reached

README = TOP / "README.md"
BEGIN, END = "<!-- figures: made from the artifacts -->", "<!-- end of figures -->"
SIMULATION = "python -m tests.simulation.campaign --gate {gate} --seeds 1-{seeds} --jobs 2 --publish"
JOURNAL = "python -m pytest tests/crash{mark}"


class Row(NamedTuple):
    """One figure."""

    what: str
    value: Callable[[Artifact], str]
    gates: tuple[str, ...]
    """The thresholds that it must pass."""
    journal: bool = False
    """Measured by the tests of the journal."""


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _gate(name: str) -> Callable[[Artifact], str]:
    return lambda found: _count(reached(found)[name])


def _four(found: Artifact) -> str:
    broken = found["violations"]
    names = ("sent_twice", "invented_final", "lost_fill", "unresolved_after_heal")
    return " / ".join(str(broken[name]) for name in names)


def _seeds(found: Artifact) -> str:
    seeds = found["seeds"]
    ranges = ", ".join(f"{first}-{last}" for first, last in seeds["ranges"])
    directed = sum(seeds["directed"].values())
    return f"{_count(seeds['count'])} ({ranges}) and {directed} directed"


def _kinds(found: Artifact) -> str:
    return f"{reached(found)['kinds']:g} of {len(FAULTS)}, each at least {_count(reached(found)['each_kind'])} times"


def _cells(found: Artifact) -> str:
    cells = found["matrix"]["cells"]
    return f"{sum(map(bool, cells.values()))} of {len(cells)}, each at least {_count(min(cells.values()))} times"


def _equal(found: Artifact) -> str:
    equal = found["trace_equality"]
    return f"{equal['equal']} of {equal['seeds']} seeds in {equal['processes']} processes"


def _rate(found: Artifact) -> str:
    return f"{found['virtual_hours'] * 3600 / max(found['duration_s'], 1):,.0f} virtual seconds in a real one"


def _pair(found: Artifact, left: str, right: str) -> str:
    values = reached(found)
    return f"{_count(values[left])} / {_count(values[right])}" if found["journal"] else "not measured"


def _kills(found: Artifact) -> str:
    return _pair(found, "kill_cycles", "records_lost")


def _flips(found: Artifact) -> str:
    return _pair(found, "flip_positions", "silent_damage")


ROWS: tuple[Row, ...] = (
    Row("simulated days of ten virtual minutes", _seeds, ("seeds",)),
    Row("virtual hours of trading", _gate("virtual_hours"), ("virtual_hours",)),
    Row("order commands", _gate("commands"), ("commands",)),
    Row("faults thrown", _gate("faults"), ("faults",)),
    Row("kinds of faults", _kinds, ("kinds", "each_kind")),
    Row("points of an order's life × cuts × commands", _cells, ("cell",)),
    Row("orders sent twice / invented ends / lost fills / unresolved after peace", _four, ("sent_twice",)),
    Row("other broken promises", _gate("other"), ("other",)),
    Row("the same seed has the same trace", _equal, ("same_trace_seeds",)),
    Row("pace", _rate, ()),
    Row("journal: kills / acknowledged records lost", _kills, ("kill_cycles",), True),
    Row("journal: places damaged / not noticed", _flips, ("flip_positions",), True),
)

LIMITS = (
    "Not covered: kernels, TLS stacks and the real service (the venue is our reading of its interface), power loss, "
    "the cost of CPU under load, macOS and Windows; no broken promise in n seeds bounds their share at about 3/n, "
    "and proves nothing."
)
REPRODUCE = (
    "One seed again, with its whole history: `python -m tests.simulation.campaign --seeds 4711 --trace seed.jsonl`; "
    "`--only cut,reorder` leaves all other families of faults out, `--force F13/reset/place` asks for one."
)


def artifacts() -> list[Artifact]:
    """What is published, gate by gate."""
    return [json.loads(published(gate).read_text()) for gate in GATES if published(gate).exists()]


def rendered(found: list[Artifact]) -> str:
    """The table of the artifacts, with what it does not say."""
    lines = ["| Figure | Value | Gate | Commit | Date | Command |", "|---|---|---|---|---|---|"]
    lines += [_line(row, one) for one in found for row in ROWS]
    if not found:
        lines.append("| not published yet | – | – | – | – | `python -m tests.simulation.campaign --gate commit ...` |")
    return "\n".join([*lines, "", LIMITS, "", REPRODUCE])


def _line(row: Row, found: Artifact) -> str:
    gate = found["gate"]
    wanted = [f"{found['thresholds'][name]:,}" for name in row.gates]
    verdict = "" if all(found["passed"][name] for name in row.gates) else ", **missed**"
    shown = f"{gate} {' / '.join(wanted)}{verdict}" if wanted else gate
    command = JOURNAL.format(mark=" -m nightly" if gate == "nightly" else "")
    if not row.journal:
        command = SIMULATION.format(gate=gate, seeds=found["thresholds"]["seeds"])
    return f"| {row.what} | {row.value(found)} | {shown} | `{found['commit'][:7]}` | {found['when']} | `{command}` |"


def shown() -> str:
    """What the README says now."""
    return README.read_text().split(BEGIN)[1].split(END)[0].strip()


def write() -> None:
    """Put the table into the README."""
    head, rest = README.read_text().split(BEGIN)
    _, tail = rest.split(END)
    README.write_text(f"{head}{BEGIN}\n{rendered(artifacts())}\n{END}{tail}")
