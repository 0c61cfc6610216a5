"""`crossdesk bench chart`: a chart of candles drawn whole and after one price, beside plotext in the same run."""

from __future__ import annotations

import importlib
import random
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import click

from benchmarks.result import json_option, rounded, write
from tui import paths
from tui.workstation.render.palette import Palette
from tui.workstation.render.strips import merge_runs
from tui.workstation.render.themes import parse_theme
from tui.workstation.widgets.candles.chart import CandleChart
from tui.workstation.widgets.candles.inputs import Bar, Curve, Level, Look, Run, Scene, Sign

CELLS, ROWS = 160, 45
BARS = 240
MINUTE = 60_000
LOOK = Look(places=1, tick=0.1)
WHOLE, TICK, PLOTEXT = "whole chart", "one price of the open bar", "plotext, whole chart"
LEAST_S = 0.02
"""A round repeats what it measures for at least so long."""


def make_scene() -> Scene:
    """Bars, levels, fills and an average, all on the screen."""
    rng = random.Random(4711)
    price, bars = 617_857, []
    for index in range(BARS):
        ticks = [price := price + rng.randrange(-30, 31) for _ in range(8)]
        prices = ticks[0] / 10, max(ticks) / 10, min(ticks) / 10, ticks[-1] / 10
        bars.append(Bar(index * MINUTE, *prices, rng.randrange(1, 900) / 100))
    last = bars[-1].close
    levels = [Level(last + away, f"order {away}", "buy") for away in range(-10, 11, 4)]
    signs = [Sign(bar.start, bar.low, "▲", "buy-strong") for bar in bars[-100::10]]
    closes = [bar.close for bar in bars]
    average = [(bars[at].start, sum(closes[at - 19 : at + 1]) / 20) for at in range(19, BARS)]
    return Scene(bars, MINUTE, levels, signs, [Curve(average, "pending")])


def draws() -> dict[str, Callable[[], object]]:
    """What is compared."""
    scene = make_scene()
    theme = paths.find_shipped_dir("themes") / "dark.toml"
    palette = Palette(parse_theme(theme.read_text("utf-8"), theme.name))
    chart = CandleChart(scene, CELLS, ROWS, LOOK)
    newest = scene.bars[-1]
    prices = [newest.low, newest.high]

    roles = {role for line in chart.lines for _, role in line}
    styles = {role: palette.style(role) for role in roles}

    def strips(lines: list[list[Run]]) -> object:
        return [merge_runs([(text, styles[role]) for text, role in line], CELLS) for line in lines]

    def tick() -> object:
        prices.reverse()
        changed = chart.follow(newest._replace(close=prices[0]))
        assert changed is not None
        return strips([chart.lines[row] for row in changed])

    found: dict[str, Callable[[], object]] = {
        WHOLE: lambda: strips(CandleChart(scene, CELLS, ROWS, LOOK).lines),
        TICK: tick,
    }
    if (plotext := find_plotext()) is not None:
        found[PLOTEXT] = lambda: draw_with_plotext(plotext, scene)
    return found


def find_plotext() -> Any:
    """The library, or None where it is missing or of another generation: it is no dependency, but installed by hand."""
    try:
        plotext = importlib.import_module("plotext")
    except ImportError:
        return None
    return plotext if hasattr(plotext, "candlestick") else None


def draw_with_plotext(plotext: Any, scene: Scene) -> str:
    """The same bars, without levels, fills and volume."""
    bars = scene.bars[-(CELLS - 15) :]
    plotext.clear_figure()
    plotext.plotsize(CELLS, ROWS)
    plotext.date_form("d/m/Y H:M")
    times = [f"{1 + at // 1440:02}/01/2026 {at // 60 % 24:02}:{at % 60:02}" for at in range(len(bars))]
    plotext.candlestick(
        times,
        {
            "Open": [bar.open for bar in bars],
            "Close": [bar.close for bar in bars],
            "High": [bar.high for bar in bars],
            "Low": [bar.low for bar in bars],
        },
    )
    text: str = plotext.build()
    return text


def measure(rounds: int) -> dict[str, dict[str, float]]:
    """Medians of all, which alternate from round to round."""
    compared = draws()
    seen: dict[str, list[float]] = {name: [] for name in compared}
    for _ in range(rounds):
        for name, draw in compared.items():
            seen[name].append(_time(draw))
    whole = median(seen[WHOLE])
    return {
        name: {"ms": rounded(median(times)), "of_whole": rounded(median(times) / whole)} for name, times in seen.items()
    }


def _time(draw: Callable[[], object]) -> float:
    """Time of the processor for one drawing, ms: what else runs on the machine does not count."""
    began, count = time.thread_time(), 0
    while (passed := time.thread_time() - began) < LEAST_S or not count:
        draw()
        count += 1
    return passed / count * 1000


@click.command()
@click.option("--rounds", default=21, show_default=True, type=click.IntRange(1, 1000))
@json_option
def command(rounds: int, target: Path | None) -> None:
    """A chart of 160 x 45 cells, from the bars to lines of styled text."""
    results = measure(rounds)
    for name, figures in results.items():
        click.echo(f"  {name:28} {figures['ms']:8g} ms  {figures['of_whole']:6g} x")
    if PLOTEXT not in results:
        click.echo(f"  {PLOTEXT:28} not installed: pip install plotext==5.3.2")
    if target is not None:
        write(target, {"cells": CELLS, "rows": ROWS, "bars": BARS, "rounds": rounds, "results": results})
