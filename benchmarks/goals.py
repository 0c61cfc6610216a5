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
    above: tuple[str, ...] = ()
    """Path of a figure of the same run that is taken off: what the machine takes for the least of the same work."""

    def value(self, results: Results) -> float | None:
        """Return the figure reached, or None where it was not measured."""
        value = _find(results, self.benchmark, self.path)
        if value is None or not self.above:
            return value
        least = _find(results, self.benchmark, self.above)
        return None if least is None else value - least

    def met(self, value: float) -> bool:
        return value >= self.limit if self.at_least else value <= self.limit


def _find(results: Results, benchmark: str, path: tuple[str, ...]) -> float | None:
    found: Any = results.get(benchmark, {}).get("results")
    for name in path:
        if not isinstance(found, dict) or name not in found:
            return None
        found = found[name]
    return float(found)


class Goal(NamedTuple):
    """A line of the table."""

    measure: str
    aims: tuple[Aim, ...]


def _screen(condition: str, what: str, limits: Mapping[str, float]) -> tuple[Aim, ...]:
    return tuple(Aim("screen", (condition, f"{what}_ms", name), limit, "ms") for name, limit in limits.items())


def _cpu(condition: str, limit: float) -> Aim:
    return Aim("screen", (condition, "cpu_percent"), limit, "%")


def _wire(rate: int) -> tuple[Aim, ...]:
    bare = ("bare append with fdatasync", "ms")
    return tuple(
        Aim("order", (f"{rate} quotes/s", "enter_to_wire_ms", name), limit, "ms", above=(*bare, name))
        for name, limit in {"p50": 1.5, "p99": 2.5}.items()
    )


def _attached_wire(rate: int) -> Aim:
    path = ("enter_to_wire_ms", "p50")
    alone = (f"{rate} quotes/s, engine in process", *path)
    return Aim("attached", (f"{rate} quotes/s, attached to a gateway", *path), 1.0, "ms", above=alone)


_TICK = {"p50": 8.0, "p99": 18.0}
_10_000, _50_000 = "10000 updates/s", "50000 updates/s"
_PAIR = f"{_10_000}, ladder and chart open"
_BOOK = f"{_10_000}, 1000 moving orders, 500 positions, 20 portfolios"
_SLOW = f"{_10_000} over 60 kB/s"
_MOBILE = f"{_10_000} over 9.6 kB/s"

GOALS = (
    Goal("tick to screen, quiet: p50, p99", _screen("0 updates/s", "tick_to_screen", {"p50": 3.0, "p99": 10.0})),
    Goal("tick to screen, 10,000 updates/s: p50, p99", _screen(_10_000, "tick_to_screen", _TICK)),
    Goal("tick to screen, 50,000 updates/s: p50, p99", _screen(_50_000, "tick_to_screen", _TICK)),
    Goal("the same at 10,000 with ladder and chart open", _screen(_PAIR, "tick_to_screen", _TICK)),
    Goal("own order to screen, 10,000 updates/s: p99", _screen(_10_000, "own_push_to_screen", {"p99": 5.0})),
    Goal("key to screen p99, 10,000 and 50,000 updates/s, and with ladder and chart open",
        tuple(aim for rate in (_10_000, _50_000, _PAIR) for aim in _screen(rate, "key_to_screen", {"p99": 4.0}))),
    Goal("Enter to wire above a bare append with fdatasync: p50, p99 idle; p50, p99 at 10,000 quotes/s",
        (*_wire(0), *_wire(10_000))),
    Goal("processor at 10,000 updates/s: 20, 500 and 2,000 pairs watched",
        (_cpu(_10_000, 10.0), _cpu(f"{_10_000}, 500 pairs watched", 14.0),
         _cpu(f"{_10_000}, 2000 pairs watched", 18.0))),
    Goal("ladder and chart of a pair open, against closed", (Aim("screen", (_PAIR, "of_closed"), 1.25, "x"),)),
    Goal("processor at 100,000 updates/s; with nothing changing",
        (_cpu("100000 updates/s", 25.0), _cpu("0 updates/s", 0.5))),
    Goal("processor of the desk against the same quotes in DataTable, 10,000 updates/s",
        (Aim("screen", (_10_000, "of_datatable"), 0.2, "x"),)),
    Goal("against a bare curses program that decodes and writes the same cells, 10,000 updates/s",
        (Aim("screen", (_10_000, "of_curses"), 1.5, "x"),)),
    Goal("1,000 moving orders, 500 positions, 20 portfolios: tick p99, key p99, processor",
        (*_screen(_BOOK, "tick_to_screen", {"p99": 22.0}), *_screen(_BOOK, "key_to_screen", {"p99": 8.0}),
         _cpu(_BOOK, 25.0))),
    Goal("updates/s taken for 60 s, orders, fills, positions and assets exactly the venue's (differences)",
        (Aim("real", ("taken_per_s",), 100_000.0, "/s", at_least=True), Aim("real", ("differences",), 0.0, "")),
        ),
    Goal("first text against a bare Textual app; first live quote",
        (Aim("start", ("crossdesk, its paper venue", "of_bare"), 1.2, "x"),
         Aim("start", ("crossdesk, its paper venue", "first_quote_ms"), 800.0, "ms"))),
    Goal("memory with 500 pairs and 1,000 orders; with 2,000 pairs",
        (Aim("memory", ("workstation_mb",), 90.0, "MB"), Aim("memory", ("2000 pairs", "without orders"), 110.0, "MB"))),
    Goal("decode of a gzip frame with bounds and scrubbing, against bare zlib and msgspec",
        (Aim("decode", ("of_bare",), 1.3, "x"),)),
    Goal("stream to table against the bare receive loop of the same library",
        (Aim("stream", ("of_bare",), 0.5, "x", at_least=True),)),
    Goal("link of 60 kB/s, 10,000 updates/s: tick and key p50",
        (*_screen(_SLOW, "tick_to_screen", {"p50": 20.0}), *_screen(_SLOW, "key_to_screen", {"p50": 4.0}))),
    Goal("link of 9.6 kB/s, 10,000 updates/s: own order p50",
        _screen(_MOBILE, "own_push_to_screen", {"p50": 300.0})),
    Goal("bytes to the terminal on the market as shipped, 60 and 10 frames/s",
        (Aim("screen", ("default paper market, fps = 60", "kB_per_s"), 80.0, "kB/s"),
         Aim("screen", ("default paper market, fps = 10", "kB_per_s"), 24.0, "kB/s"))),
    Goal("chart of 160x45 drawn whole", (Aim("chart", ("whole chart", "ms"), 5.0, "ms"),)),
    Goal("attached to a gateway: tick p99 at 10,000 quotes/s; Enter to wire p50 above that in process, idle, 10,000/s",
        (Aim("attached", ("10000 quotes/s, attached to a gateway", "tick_to_screen_ms", "p99"), 22.0, "ms"),
         _attached_wire(0), _attached_wire(10_000))),
    Goal("five desks on a gateway over a NATS server, 10,000 quotes/s: tick p99",
        (Aim("bus", ("5 desks, 10000 quotes/s", "tick_to_screen_ms", "p99"), 25.0, "ms"),)),
    Goal("paper venue: commands/s over 8 connections, in memory and with its state on disk",
        (Aim("venue", ("in memory", "8 clients", "commands per s"), 1900.0, "/s", at_least=True),
         Aim("venue", ("state on disk", "8 clients", "commands per s"), 120.0, "/s", at_least=True))),
)  # fmt: skip


def read_results(folder: Path = RESULTS) -> Results:
    return {file.stem: json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))}


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _written(aim: Aim, results: Results) -> tuple[str, str, bool | None]:
    """Goal, figure, and whether it is reached; None: not measured."""
    value = aim.value(results)
    sign = "≥ " if aim.at_least else ""
    goal = f"{sign}{_number(aim.limit)} {aim.unit}".strip()
    if value is None:
        return goal, "not measured", None
    return goal, f"{_number(value)} {aim.unit}".strip(), aim.met(value)


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
def command(*, writes: bool) -> None:
    """Goals and what was reached, from benchmarks/results."""
    results = read_results()
    for line in table(results):
        click.echo(line)
    if writes:
        PAGE.write_text(page(results))
