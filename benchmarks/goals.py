"""`crossdesk bench goals`: what was reached beside what is aimed at; writes the tables of docs/performance.md."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

TOP = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results"
PAGE = TOP / "docs" / "performance.md"
GOALS_MARKS = "<!-- speed: made from the results -->", "<!-- end of speed -->"
RESULTS_MARKS = "<!-- results: made from the results -->", "<!-- end of results -->"

Results = Mapping[str, Any]
"""What each benchmark wrote, by name."""


class Aim(NamedTuple):
    """One figure and what it should be."""

    benchmark: str
    path: tuple[str, ...]
    limit: float
    unit: str
    at_least: bool = False

    def value(self, results: Results) -> float | None:
        found: Any = results.get(self.benchmark, {}).get("results")
        for name in self.path:
            if not isinstance(found, dict) or name not in found:
                return None
            found = found[name]
        return float(found)

    def met(self, value: float, results: Results) -> bool:
        limit = self.limit_now(results)
        return value >= limit if self.at_least else value <= limit

    def limit_now(self, results: Results) -> float:
        del results
        return self.limit


class AimOverSync(Aim):
    """A goal below what a bare append with fdatasync took in the same run is that append's p99 and 1 ms."""

    def limit_now(self, results: Results) -> float:
        bare = Aim("order", ("bare append with fdatasync", "ms", "p99"), 0, "ms").value(results)
        return self.limit if bare is None or bare + 1 <= self.limit else bare + 1


class Goal(NamedTuple):
    """A line of the table."""

    measure: str
    aims: tuple[Aim, ...]


def _screen(rate: int, what: str, limits: Mapping[str, float]) -> tuple[Aim, ...]:
    return tuple(
        Aim("screen", (f"{rate} updates/s", f"{what}_ms", name), limit, "ms") for name, limit in limits.items()
    )


def _cpu(rate: int, limit: float) -> Aim:
    return Aim("screen", (f"{rate} updates/s", "cpu_percent"), limit, "%")


def _wire(rate: int, limit: float) -> Aim:
    return AimOverSync("order", (f"{rate} quotes/s", "enter_to_wire_ms", "p99"), limit, "ms")


_BUSY = {"p50": 12.0, "p99": 22.0}
_SLOW = "10000 updates/s over 60 kB/s"

GOALS = (
    Goal("tick to screen, quiet: p50, p99", _screen(0, "tick_to_screen", {"p50": 3.0, "p99": 10.0})),
    Goal("tick to screen, 10,000 updates/s: p50, p99", _screen(10_000, "tick_to_screen", _BUSY)),
    Goal("tick to screen, 50,000 updates/s: p50, p99", _screen(50_000, "tick_to_screen", _BUSY)),
    Goal("own order to screen, 10,000 updates/s: p99", _screen(10_000, "own_push_to_screen", {"p99": 10.0})),
    Goal("key to screen, 10,000 and 50,000 updates/s: p99",
        (*_screen(10_000, "key_to_screen", {"p99": 12.0}), *_screen(50_000, "key_to_screen", {"p99": 12.0}))),
    Goal("Enter to wire, idle and 10,000 quotes/s: p99, the journal at full sync", (_wire(0, 2.0), _wire(10_000, 5.0)),
        ),
    Goal("processor at 10,000 and 100,000 updates/s", (_cpu(10_000, 20.0), _cpu(100_000, 45.0))),
    Goal("processor with nothing changing", (_cpu(0, 0.5),)),
    Goal("updates/s taken for 60 s, orders, fills, positions and assets exactly the venue's (differences)",
        (Aim("real", ("taken_per_s",), 100_000.0, "/s", at_least=True), Aim("real", ("differences",), 0.0, "")),
        ),
    Goal("first text against a bare Textual app; first live quote",
        (Aim("start", ("crossdesk, its paper venue", "of_bare"), 1.2, "x"),
         Aim("start", ("crossdesk, its paper venue", "first_quote_ms"), 1000.0, "ms"))),
    Goal("memory with 500 symbols and 1,000 orders", (Aim("memory", ("workstation_mb",), 90.0, "MB"),)),
    Goal("decode of a gzip frame with bounds and scrubbing, against bare zlib and msgspec",
        (Aim("decode", ("of_bare",), 1.3, "x"),)),
    Goal("stream to table against the bare receive loop of the same library",
        (Aim("stream", ("of_bare",), 0.5, "x", at_least=True),)),
    Goal("processor of the screen against the same quotes in DataTable, 10,000 updates/s",
        (Aim("screen", ("10000 updates/s", "of_datatable"), 0.2, "x"),)),
    Goal("stretch: the same at 1,000 updates/s", (Aim("screen", ("1000 updates/s", "of_datatable"), 0.1, "x"),)),
    Goal("link of 60 kB/s, 10,000 updates/s: tick and key p50",
        (Aim("screen", (_SLOW, "tick_to_screen_ms", "p50"), 300.0, "ms"),
         Aim("screen", (_SLOW, "key_to_screen_ms", "p50"), 300.0, "ms"))),
    Goal("bytes to the terminal on the market as shipped, 60 and 10 frames/s",
        (Aim("screen", ("default paper market, fps = 60", "kB_per_s"), 80.0, "kB/s"),
         Aim("screen", ("default paper market, fps = 10", "kB_per_s"), 24.0, "kB/s"))),
)  # fmt: skip


def read_results(folder: Path = RESULTS) -> Results:
    return {file.stem: json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))}


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _written(aim: Aim, results: Results) -> tuple[str, str, bool | None]:
    """Goal, figure, and whether it is reached; None: not measured."""
    limit, value = aim.limit_now(results), aim.value(results)
    sign = "≥ " if aim.at_least else ""
    goal = f"{sign}{_number(limit)} {aim.unit}".strip()
    if value is None:
        return goal, "not measured", None
    return goal, f"{_number(value)} {aim.unit}".strip(), aim.met(value, results)


def table(results: Results) -> Iterator[str]:
    """The lines of the table."""
    yield "| Measure | Goal | Reached | |"
    yield "|---|---|---|---|"
    for goal in GOALS:
        parts = [_written(aim, results) for aim in goal.aims]
        marks = {met for _, _, met in parts}
        verdict = "no figure" if None in marks else "not reached" if False in marks else "reached"
        limits, values = ", ".join(part[0] for part in parts), ", ".join(part[1] for part in parts)
        yield f"| {goal.measure} | {limits} | {values} | {verdict} |"


def sources(results: Results) -> Iterator[str]:
    """When, on what and by which command each result was made."""
    yield "| Result | When | Command | Machine | Versions |"
    yield "|---|---|---|---|---|"
    for name, found in results.items():
        if "machine" in found:
            machine, versions = found["machine"], found["versions"]
            on = f"{machine['cores']} cores, {machine['cpu']}, {machine['os']}, Python {machine['python']}"
            packages = ", ".join(f"{package} {version}" for package, version in versions.items())
            yield f"| `{name}.json` | {found['when']} | `{found['command']}` | {on} | {packages} |"


def details(results: Results) -> Iterator[str]:
    """Every figure of every result."""
    for name, found in results.items():
        if "machine" in found:
            benchmark, _, pairs = name.partition("-")
            yield f"### `bench {benchmark}`{f', {pairs} pairs' if pairs else ''}"
            yield ""
            yield "| Condition | Figures |"
            yield "|---|---|"
            for condition, figures in found["results"].items():
                yield f"| {condition} | {_figures(figures)} |"
            yield ""


def _figures(found: object) -> str:
    if isinstance(found, dict):
        return "; ".join(f"{name} {_figures(value)}" for name, value in found.items())
    if isinstance(found, list):
        return ", ".join(_figures(one) for one in found)
    return _number(found) if isinstance(found, (int, float)) else str(found)


def with_lines(text: str, marks: tuple[str, str], lines: Iterator[str]) -> str:
    """Return a document with these lines between its two marks."""
    before, _, rest = text.partition(marks[0])
    _, _, after = rest.partition(marks[1])
    return "\n".join([before + marks[0], *lines, marks[1]]) + after


def page(results: Results) -> str:
    """Return docs/performance.md as it should be."""
    figures = [*sources(results), "", "## All figures", "", *details(results)]
    return with_lines(with_lines(PAGE.read_text(), GOALS_MARKS, table(results)), RESULTS_MARKS, iter(figures))


@click.command()
@click.option("--write", "writes", is_flag=True, help="Write the tables of docs/performance.md.")
def command(writes: bool) -> None:
    """Goals and what was reached, from benchmarks/results."""
    results = read_results()
    for line in table(results):
        click.echo(line)
    if writes:
        PAGE.write_text(page(results))
