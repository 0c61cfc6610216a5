"""Pictures of a chart as text, at four sizes and three depths of colour.

`python -m tests.workstation.chart.pictures --write` writes them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from rich.color import ColorSystem

from tests.workstation.chart.samples import LOOK, make_scene
from tests.workstation.driver import THEMES
from tui.workstation.render.palette import Palette
from tui.workstation.render.themes import parse_theme
from tui.workstation.widgets.candles.chart import draw_chart

FOLDER = Path(__file__).parents[2] / "data" / "chart"
SIZES = ((160, 45, 1), (80, 22, 1), (54, 18, 2), (30, 9, 1))
"""Cells, rows, and cells of a bar."""
DEPTHS = {"24bit": ColorSystem.TRUECOLOR, "16": ColorSystem.STANDARD, "mono": None}


def draw_pictures() -> Iterator[tuple[str, str]]:
    """Name and text of every picture."""
    palette = Palette(parse_theme((THEMES / "dark.toml").read_text("utf-8"), "dark.toml"))
    for cells, rows, bar_cells in SIZES:
        lines = draw_chart(make_scene(crosshair=cells == 80), cells, rows, LOOK._replace(bar_cells=bar_cells))
        for depth, system in DEPTHS.items():
            text = "\n".join(
                "".join(palette.style(role).render(run, color_system=system) for run, role in line) for line in lines
            )
            yield f"{cells}x{rows}-{depth}.txt", text + "\n"


if __name__ == "__main__":
    for name, text in draw_pictures():
        if "--write" in sys.argv:
            FOLDER.mkdir(exist_ok=True)
            (FOLDER / name).write_text(text, "utf-8")
        else:
            print(name, text, sep="\n")
