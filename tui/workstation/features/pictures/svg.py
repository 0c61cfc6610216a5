"""A screen as an SVG that needs nothing from the network."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from rich.console import Console
from rich.segment import Segment, Segments
from textual._context import visible_screen_stack
from textual.app import App
from textual.strip import Strip

from tui.workstation.render.themes import ThemeColors

_FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_LINE_CLIP = re.compile(r'<clipPath id="[^"]*-line-\d+">.*?</clipPath>\s*', re.DOTALL)
_CLIPPED = re.compile(r' clip-path="url\(#[^)]*-line-\d+\)"')


Change: TypeAlias = Callable[[Sequence[Strip]], Sequence[Strip]]
"""Change of the lines of a picture."""


def export_svg(app: App[Any], colors: ThemeColors, change: Change | None = None) -> str:
    """Draw the screen as SVG, in the theme's colours; the terminal stays unchanged."""
    width, height = app.size
    console = Console(
        width=width, height=height, file=io.StringIO(), force_terminal=True, color_system="truecolor", record=True,
        legacy_windows=False, safe_box=False,
    )  # fmt: skip
    with app._context():
        visible_screen_stack.set(app._background_screens)
        strips: Sequence[Strip] = app.screen._compositor.render_strips()
    if change is not None:
        strips = change(strips)
    segments = [segment for strip in strips for segment in (*strip, Segment.line())]
    console.print(Segments(segments[:-1]), end="")
    svg = console.export_svg(title="crossdesk")
    for pattern in (_FONT, _LINE_CLIP, _CLIPPED, _match_background(colors.background)):
        svg = pattern.sub("", svg)
    for old, new in (
        ("font-family: Fira Code", "font-family: Fira Code, Menlo, Consolas, DejaVu Sans Mono"),
        ('fill="#292929" stroke="rgba(255,255,255,0.35)"', f'fill="{colors.background}" stroke="{colors.frame}"'),
        ('fill="#c5c8c6" text-anchor', f'fill="{colors.muted}" text-anchor'),
    ):
        svg = svg.replace(old, new)
    return svg


def _match_background(color: str) -> re.Pattern[str]:
    """Return the pattern of SVG rectangles that have the window's background colour."""
    return re.compile(rf'<rect fill="{color}" [^>]*shape-rendering="crispEdges"/>')
