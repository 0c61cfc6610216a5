"""Sample scenes of a chart, made from a seed."""

from __future__ import annotations

import random

from tui.workstation.widgets.candles.chart import CandleChart
from tui.workstation.widgets.candles.curve_chart import CurveChart, Point
from tui.workstation.widgets.candles.inputs import Bar, Crosshair, Curve, Level, Look, Scene, Sign

MINUTE = 60_000
END = 1_795_532_400_000
LOOK = Look(places=1, tick=0.1)


def walk_bars(count: int, seed: int = 3, missing: range = range(0), closed_ms: int = 0) -> list[Bar]:
    """Bars of a random walk on the tick; `missing` are left out, and before the last 60 nothing traded for a while."""
    rng = random.Random(seed)
    price, bars = 617857, []
    for index in range(count):
        ticks = [price := price + rng.randrange(-30, 31) for _ in range(8)]
        start = END - (count - index) * MINUTE - (closed_ms if index < count - 60 else 0)
        low, high = min(ticks) / 10, max(ticks) / 10
        if index not in missing:
            bars.append(Bar(start, ticks[0] / 10, high, low, ticks[-1] / 10, rng.randrange(1, 900) / 100))
    return bars


def walk_curve(seed: int = 5) -> list[Point]:
    """A random walk of a figure over a day, a sample a minute, with three hours missing."""
    rng, value, points = random.Random(seed), 289_622.95, []
    for minute in range(1440):
        value += rng.randrange(-900, 901) / 100
        if not 600 <= minute < 780:
            points.append(Point(minute * MINUTE, round(value, 2)))
    return points


def make_scene(crosshair: bool = False) -> Scene:
    """Make a scene with everything that can stand in one."""
    bars = walk_bars(240, missing=range(212, 214), closed_ms=5 * 60 * MINUTE)
    last = bars[-1].close
    levels = [
        Level(last - 5, f"entry {last - 5:,.1f}", "accent", "─"),
        Level(last - 6, f"b/e {last - 6:,.1f}", "accent", "┄"),
        Level(last + 10, "sell 0.300", "sell"),
        Level(last - 9, "buy 0.250", "buy"),
        Level(37_591, "liq 37,591", "alert", "═", widens=False),
        Level(last - 30, f"SL {last - 30:,.1f}", "warn", "┈"),
    ]
    signs = [
        Sign(bars[-30].start + 3_000, bars[-30].close, "▵", "buy"),
        Sign(bars[-12].start + 5_000, bars[-12].low, "▿", "sell"),
        Sign(bars[-20].start + 7_000, bars[-20].low, "▲", "buy-strong"),
        Sign(bars[-12].start + 7_000, bars[-12].high, "▼", "sell-strong"),
    ]
    average = [(bars[at].start, sum(bar.close for bar in bars[at - 19 : at + 1]) / 20) for at in range(19, len(bars))]
    cross = Crosshair(bars[-15].start, last - 3, f"{last - 3:,.1f}") if crosshair else None
    return Scene(bars, MINUTE, levels, signs, [Curve(average, "pending")], cross)


def texts(chart: CandleChart | CurveChart) -> list[str]:
    """The lines of a chart without their colours."""
    return ["".join(text for text, _ in line) for line in chart.lines]
