"""Pictures of a chart as text, at four sizes and three depths of colour.

`python -m tests.workstation.chart.pictures --write` writes them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.color import ColorSystem

from tests.workstation.chart.samples import LOOK, MINUTE, make_scene, walk_curve
from tests.workstation.driver import THEMES
from tui.workstation.render.escape_writer import RESET, codes_of
from tui.workstation.render.palette import Palette
from tui.workstation.render.themes import parse_theme
from tui.workstation.widgets.candles.chart import CandleChart
from tui.workstation.widgets.candles.curve_chart import CurveChart
from tui.workstation.widgets.candles.inputs import Run

FOLDER = Path(__file__).parents[2] / "data" / "chart"
SIZES = ((160, 45, 1), (80, 22, 1), (54, 18, 2), (30, 9, 1))
"""Cells, rows, and cells of a bar."""
DEPTHS = {"24bit": ColorSystem.TRUECOLOR, "16": ColorSystem.STANDARD, "mono": None}


CURVE_SIZES = ((158, 16), (78, 6))


def _palette(system: ColorSystem | None) -> Palette:
    palette = Palette(parse_theme((THEMES / "dark.toml").read_text("utf-8"), "dark.toml"))
    if system is ColorSystem.STANDARD:
        palette.use_16_colors()
    return palette


def _render(lines: Sequence[Sequence[Run]], system: ColorSystem | None) -> str:
    palette = _palette(system)

    def draw(run: str, role: str) -> str:
        # A style of rich keeps the codes of the first depth that it was drawn in.
        codes = codes_of(palette.style(role), system) if system is not None else None
        return f"{codes.escape_sequence_from(None)}{run}{RESET}" if codes is not None else run

    return "".join("".join(draw(run, role) for run, role in line) + "\n" for line in lines)


def draw_curves() -> Iterator[tuple[str, str]]:
    """Name and text of every picture of a curve."""
    for cells, rows in CURVE_SIZES:
        lines = CurveChart(walk_curve(), (0, 1440 * MINUTE), 2 * MINUTE, cells, rows, LOOK._replace(places=2)).lines
        for depth, system in DEPTHS.items():
            yield f"curve-{cells}x{rows}-{depth}.txt", _render(lines, system)


def draw_pictures() -> Iterator[tuple[str, str]]:
    """Name and text of every picture of a chart."""
    for cells, rows, bar_cells in SIZES:
        lines = CandleChart(make_scene(crosshair=cells == 80), cells, rows, LOOK._replace(bar_cells=bar_cells)).lines
        for depth, system in DEPTHS.items():
            yield f"{cells}x{rows}-{depth}.txt", _render(lines, system)


if __name__ == "__main__":
    for name, text in (*draw_pictures(), *draw_curves()):
        if "--write" in sys.argv:
            FOLDER.mkdir(exist_ok=True)
            (FOLDER / name).write_text(text, "utf-8")
        else:
            print(name, text, sep="\n")
