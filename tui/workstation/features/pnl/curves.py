"""Curves below the results: equity of the account over a day, and the realised result since 00:00 UTC."""

from __future__ import annotations

from decimal import Decimal

from tui.engine.rows import EQUITY
from tui.interface.families.market import INTERVAL_MS, Interval
from tui.interface.times import millis
from tui.rules import pnl
from tui.rules.day_result import DAY_MS
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.render.pieces import Piece
from tui.workstation.widgets.candles.curve_chart import LEAST_CELLS, LEAST_ROWS, CurveChart, Point
from tui.workstation.widgets.candles.inputs import Look

GAP_MS = INTERVAL_MS[Interval.M1]
"""Longest time between two samples of the equity that are joined: one missing minute is a gap."""
LEAST_SPAN_MS = DAY_MS // 24
"""Shortest axis of the equity: the first samples of a desk are no line across the pane."""


def draw_curve(name: str, view: DisplayContext, cells: int, lines: int) -> list[list[Piece]]:
    """Draw the curve `equity` or `realised` below a line that names it; nothing where there is no room."""
    if cells < LEAST_CELLS or lines < LEAST_ROWS + 1:
        return []
    now, look = int(view.server_wall * 1000), _look(view)
    if name == "equity":
        points = [point for point in read_equity(view) if now - DAY_MS <= point.at <= now]
        if not points:
            return [[(" account equity: no samples yet", "faint")]]
        span = min(points[0].at, now - LEAST_SPAN_MS), now
        chart = CurveChart(points, span, GAP_MS, cells - 1, lines - 1, look)
        heading = _heading(" account equity, change in the time shown ", points[-1].value - points[0].value, view)
    else:
        points = build_realised(view, now)
        chart = CurveChart(points, (now - now % DAY_MS, now), 0, cells - 1, lines - 1, look, base=0.0)
        heading = _heading(" realised today (UTC), net ", points[-1].value, view)
    return [heading, *([(" ", "text"), *line] for line in chart.lines)]


def _heading(name: str, change: float, view: DisplayContext) -> list[Piece]:
    amount = Decimal(f"{change:.2f}")
    text = view.format_signed(amount) if amount else "0.00"
    return [(name, "dim"), (text, number_format.change_role(amount))]


def _look(view: DisplayContext) -> Look:
    shift = 0
    if view.settings.time == "local":
        from datetime import UTC, datetime

        here = datetime.fromtimestamp(view.server_wall, UTC).astimezone().utcoffset()
        shift = int(here.total_seconds() * 1000) if here is not None else 0
    return Look(2, 0.01, "," if view.settings.separators else "", shift, rising="accent")


def read_equity(view: DisplayContext) -> list[Point]:
    """Read the equity at the end of each minute, oldest first, plus the opening value after each gap."""
    row, points = view.mirror.bars.get(EQUITY), list[Point]()
    for bar in row.bars if row is not None else ():
        at, begin, end = millis(str(bar.open_time)), number_format.value(bar.open), number_format.value(bar.close)
        if begin is not None and (not points or at - points[-1].at > GAP_MS):
            points.append(Point(at, float(begin)))
        if end is not None:
            points.append(Point(at, float(end)))
    return points


def build_realised(view: DisplayContext, now: int) -> list[Point]:
    """Build the curve of today's realised result as steps that end at its total, even if early fills are unknown."""
    realised, start = view.realised_pnl, now - now % DAY_MS
    fills = (fact.record for fact in view.mirror.fills.values())
    booked = [(millis(record.create_at), pnl.fill_net(record)) for record in fills]
    booked += realised.list_results()
    steps = sorted((at, amount) for at, amount in booked if at >= start and amount)
    total = realised.of_day(realised.today()).net
    level = total - sum((amount for _, amount in steps), Decimal(0))
    points = [Point(start, float(level))]
    for at, amount in steps:
        points.append(Point(at, float(level)))
        level += amount
        points.append(Point(at, float(level)))
    return [*points, Point(max(now, points[-1].at), float(total))]
