"""The table of figures in docs/verification.md and the promises of the README, made from the artifacts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tests.figures import accidents
from tests.figures.artifact import FAULTS, GATES, Artifact, published, reached
from tests.figures.sources import TOP
from tests.lint.block import Block

FIGURES = Block(
    TOP / "docs" / "verification.md", "<!-- figures: made from the artifacts -->", "<!-- end of figures -->"
)
PROMISES = Block(TOP / "README.md", "<!-- promises: made from the artifacts -->", "<!-- end of promises -->")
LOST = "lost_answer_to_unknown"
"""Time whose worst part a promise names; artifacts of before do not have it."""
SIMULATION = "python -m tests.simulation.campaign --gate {gate} --seeds 1-{seeds} --jobs 2 --publish"
TESTS = "python -m pytest {tests}{mark}"
UI = "tests/workstation/test_every_size.py"


class Row(NamedTuple):
    """One figure."""

    what: str
    value: Callable[[Artifact], str]
    gates: tuple[str, ...]
    """The thresholds that it must pass."""
    tests: str = ""
    """Tests that measure it, or a command; empty: the campaign does."""
    there: Callable[[Artifact], bool] = lambda found: True
    """Whether these figures have it."""


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
    ranges = ", ".join(f"{first}-{last}" for first, last in _joined(seeds["ranges"]))
    directed = sum(seeds["directed"].values())
    return f"{_count(seeds['count'])} ({ranges}) and {directed} directed"


def _joined(ranges: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Ranges of which one begins where the other ends are one."""
    found: list[tuple[int, int]] = []
    for first, last in ranges:
        if found and found[-1][1] + 1 == first:
            first = found.pop()[0]
        found.append((first, last))
    return found


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


def _times(found: Artifact) -> str:
    words = {LOST: "UNKNOWN", "reconnect_to_synced": "in step", "cancel_to_wire": "on the wire"}
    times = found["latency_virtual_ms"]
    return ", ".join(
        f"{words[name]} {times[name]['p50']:,} / {times[name]['p99']:,} / {times[name]['max']:,}"
        for name in words
        if name in times
    )


def _real_times(found: Artifact) -> str:
    """Of several soaks the worst of each."""
    words = {"enter_to_wire": "on the wire", "cut_to_links": "both links"}
    return ", ".join(f"{word} {_worst_times(found['latency_real_ms'], name)}" for name, word in words.items())


def _worst_times(times: Mapping[str, float], name: str) -> str:
    found = [
        max((value for key, value in times.items() if key.endswith(f" {name} {share}")), default=0)
        for share in ("p50", "p99", "max")
    ]
    return " / ".join(f"{value:,.0f}" for value in found)


def _screen(found: Artifact) -> str:
    ui = found["ui"]
    return f"{ui.get('screens', 0):g} screens × {ui.get('sizes', 0):g} sizes, {_count(ui.get('walks', 0))} walks"


def _values(*names: str) -> Callable[[Artifact], str]:
    """The values of several gates."""
    return lambda found: " / ".join(f"{reached(found)[name]:,g}" for name in names)


def _minutes(found: Artifact) -> str:
    """The whole gate in one go, then its parts."""
    times = dict(found["wall_s"])
    whole = times.pop("whole")
    parts = ", ".join(f"{part} {seconds / 60:.0f}" for part, seconds in times.items())
    return f"{whole / 60:.0f}: {parts}"


ROWS: tuple[Row, ...] = (
    Row("simulated days of ten virtual minutes", _seeds, ("seeds",)),
    Row("virtual hours of trading", _gate("virtual_hours"), ("virtual_hours",)),
    Row("order commands", _gate("commands"), ("commands",)),
    Row("faults thrown", _gate("faults"), ("faults",)),
    Row("kinds of faults", _kinds, ("kinds", "each_kind")),
    Row("points of an order's life × cuts × commands", _cells, ("cell",)),
    Row("orders sent twice / guessed outcomes / lost fills / unresolved after faults stop", _four, ("sent_twice",)),
    Row("other broken promises", _gate("other"), ("other",)),
    Row("the same seed has the same trace", _equal, ("same_trace_seeds",)),
    Row("pace", _rate, ()),
    Row("journal: kills / acknowledged records lost", _kills, ("kill_cycles",), "tests/crash"),
    Row("journal: places damaged / not noticed", _flips, ("flip_positions",), "tests/crash"),
    Row("inputs to the decoders, each read or refused", _gate("fuzz_inputs"), ("fuzz_inputs",), "tests/fuzz"),
    Row(
        "steps of the venue beside a naive model, without a difference",
        _gate("venue_steps"),
        ("venue_steps",),
        "tests/venue/stateful",
    ),
    Row(
        "virtual ms, p50 / p99 / most: lost answer to UNKNOWN, new connection to in step, cancel to wire",
        _times,
        (),
        there=lambda found: "latency_virtual_ms" in found,
    ),
    Row("screens at sizes of the terminal, without an error", _screen, ("ui_sizes", "ui_walks"), UI),
    Row(
        "random hostile texts drawn / commands of them on the screen",
        _values("hostile_strings", "leaked_bytes"),
        ("hostile_strings", "leaked_bytes"),
        UI,
    ),
    Row(
        "terminal not read, s / most that the engine was late, ms",
        _values("stall_s", "stall_lag_ms"),
        ("stall_s", "stall_lag_ms"),
        "tests/terminal/test_stall.py",
    ),
    Row(
        "soak with flapping links, s / quotes a second / memory grown, MB / differences",
        _values("soak_s", "soak_quotes_per_s", "soak_rss_mb", "soak_differences"),
        ("soak_s", "soak_quotes_per_s", "soak_rss_mb", "soak_differences"),
        "tests/terminal/test_soak.py",
    ),
    Row(
        "real ms in the soak, p50 / p99 / most: Enter to wire, a cut to both links again",
        _real_times,
        (),
        "tests/terminal/test_soak.py",
        there=lambda found: bool(found.get("latency_real_ms")),
    ),
    Row(
        "branches that tests take, %: engine / venue core / whole",
        _values("branch_engine", "branch_venue_core", "branch_whole"),
        ("branch_engine", "branch_venue_core", "branch_whole"),
        "python -m tests.figures.coverage",
    ),
    Row(
        "minutes of the whole gate in one go, two cores",
        _minutes,
        (),
        "python -m tests.figures.nightly --seeds 1-2000 --publish",
        there=lambda found: "whole" in found.get("wall_s", {}),
    ),
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
    lines += [_line(row, one) for one in found for row in ROWS if _is_of(row, one)]
    if not found:
        lines.append("| not published yet | – | – | – | – | `python -m tests.simulation.campaign --gate commit ...` |")
    return "\n".join([*lines, "", LIMITS, "", REPRODUCE])


def _is_of(row: Row, found: Artifact) -> bool:
    """Whether a gate has this row."""
    return row.there(found) and all(name in found["thresholds"] for name in row.gates)


def _line(row: Row, found: Artifact) -> str:
    gate = found["gate"]
    wanted = [f"{found['thresholds'][name]:,}" for name in row.gates]
    verdict = "" if all(found["passed"][name] for name in row.gates) else ", **missed**"
    shown = f"{gate} {' / '.join(wanted)}{verdict}" if wanted else gate
    command = TESTS.format(tests=row.tests, mark=" -m nightly" if gate == "nightly" else "")
    if row.tests.startswith("python "):
        command = row.tests
    elif not row.tests:
        command = SIMULATION.format(gate=gate, seeds=found["thresholds"]["seeds"])
    return f"| {row.what} | {row.value(found)} | {shown} | `{found['commit'][:7]}` | {found['when']} | `{command}` |"


def promises(found: list[Artifact]) -> str:
    """Return what the program promises, each with one figure of the largest gate that is published."""
    if not found:
        return "Not published yet: `python -m tests.simulation.campaign --gate commit ...`"
    values, broken = reached(found[-1]), found[-1]["violations"]
    times = [one["latency_virtual_ms"][LOST] for one in found if LOST in one["latency_virtual_ms"]]
    late = f"{times[-1]['p99'] / 1000:g} s after sending at p99, " if times else ""
    lines = (
        f"**No order leaves that nobody meant**: {accidents.promise()}",
        "**No order is sent twice**, over lost answers, reconnects and restarts: "
        f"{broken['sent_twice']} of {_count(values['commands'])} order commands, with {_count(values['faults'])} faults.",
        f"**A lost answer is shown as `UNKNOWN`**, never as a guess: {late}{broken['invented_final']} guessed outcomes.",
        "**Nothing leaves before it is in the journal on disk**: "
        f"{_count(values['records_lost'])} records lost in {_count(values['kill_cycles'])} kills of the process.",
        "**After a fault the desk agrees with the venue again**: "
        f"{broken['lost_fill']} lost fills, {broken['unresolved_after_heal']} unresolved orders after "
        f"{values['kinds']:g} kinds of faults.",
        "**Damaged or hostile data does not stop the program**: "
        f"{_count(values['fuzz_inputs'])} inputs to the decoders, each read or refused.",
    )
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def outdated_blocks() -> list[str]:
    """Name the pages whose figures are not those of the artifacts."""
    return [block.page.name for block, text in _blocks() if block.text() != text]


def write() -> None:
    """Put figures and promises into their pages."""
    for block, text in _blocks():
        block.write(text)


def _blocks() -> list[tuple[Block, str]]:
    found = artifacts()
    return [(FIGURES, rendered(found)), (PROMISES, promises(found))]
