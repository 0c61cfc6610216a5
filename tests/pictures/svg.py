"""A screen as an SVG that needs nothing from the network."""

from __future__ import annotations

import re

from textual._compositor import Compositor

from tui.workstation.app.app import CrossdeskApp

_DRAW = Compositor.render_update
"""The one that draws: a desk in virtual time skips what no terminal reads."""
_FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_LINE_CLIP = re.compile(r'<clipPath id="[^"]*-line-\d+">.*?</clipPath>\s*', re.DOTALL)
_CLIPPED = re.compile(r' clip-path="url\(#[^)]*-line-\d+\)"')


def _background_of(color: str) -> re.Pattern[str]:
    """Match rectangles in the colour of the window they stand on."""
    return re.compile(rf'<rect fill="{color}" [^>]*shape-rendering="crispEdges"/>')


def export_svg(app: CrossdeskApp) -> str:
    """Draw the screen, the window in the colours of the theme."""
    colors = app.palette.theme.colors
    skipping = Compositor.render_update
    Compositor.render_update = _DRAW  # type: ignore[method-assign]
    try:
        with app._context():
            svg = app.export_screenshot(title="crossdesk")
    finally:
        Compositor.render_update = skipping  # type: ignore[method-assign]
    for pattern in (_FONT, _LINE_CLIP, _CLIPPED, _background_of(colors.background)):
        svg = pattern.sub("", svg)
    for old, new in (
        ("font-family: Fira Code", "font-family: Fira Code, Menlo, Consolas, DejaVu Sans Mono"),
        ('fill="#292929" stroke="rgba(255,255,255,0.35)"', f'fill="{colors.background}" stroke="{colors.frame}"'),
        ('fill="#c5c8c6" text-anchor', f'fill="{colors.muted}" text-anchor'),
    ):
        svg = svg.replace(old, new)
    return svg
