"""Colours of a theme in a terminal of 16 colours: those of them that can be read on its ground."""

from __future__ import annotations

from colorsys import rgb_to_hsv

from tui.workstation.render.themes import ThemeColors, ThemeFile

_BLACK, _RED, _GREEN, _BLUE, _MAGENTA, _CYAN, _GREY, _DARK_GREY = (
    "#000000", "#aa0000", "#00aa00", "#0000aa", "#aa00aa", "#00aaaa", "#aaaaaa", "#555555",
)  # fmt: skip
_BRIGHT_RED, _BRIGHT_GREEN, _BRIGHT_YELLOW, _BRIGHT_BLUE, _BRIGHT_MAGENTA, _BRIGHT_CYAN, _WHITE = (
    "#ff5555", "#55ff55", "#ffff55", "#5555ff", "#ff55ff", "#55ffff", "#ffffff",
)  # fmt: skip
"""Values that are sent as exactly the colours of these names."""

_GROUNDS = ("background", "cursor", "cursor_idle", "field", "flash_up", "flash_down")

_LIGHT = {
    **dict.fromkeys(_GROUNDS, _WHITE),
    **dict.fromkeys(("muted", "faint", "frame"), _DARK_GREY),
    "accent": _BRIGHT_BLUE,
    **dict.fromkeys(("up", "side_buy", "gain", "good", "env_paper"), _BLUE),
    **dict.fromkeys(("down", "side_sell", "loss", "alert", "env_live", "stale"), _RED),
    **dict.fromkeys(("warn", "pending", "unknown", "armed"), _MAGENTA),
}
"""Colours of every light theme; black where none is named. Green and yellow are too pale."""

_DARK = {
    **dict.fromkeys(_GROUNDS, _BLACK),
    "foreground": _WHITE,
    **dict.fromkeys(("muted", "faint", "frame", "view"), _DARK_GREY),
}
"""Colours that every dark theme has; the others are those of its hues that can be read on black."""

_HUES = ((20, _BRIGHT_RED), (61, _BRIGHT_YELLOW), (165, _BRIGHT_GREEN), (250, _BRIGHT_CYAN), (345, _BRIGHT_MAGENTA))
"""Colours by the end of their range of hues, degrees; blue is too dark."""
_LEAST_SATURATION = 0.15
"""Saturation below which a colour counts as a grey."""
_BRIGHT_GREY, _MEDIUM_GREY = 0.9, 0.7
"""Values from which a grey is white, and light grey."""


def colors_of_16(theme: ThemeFile) -> ThemeColors:
    """Return the colours of a theme that a terminal of 16 colours shows."""
    names = ThemeColors.__struct_fields__
    if theme.of_terminal:
        return theme.colors
    if not theme.dark:
        return ThemeColors(**{name: _LIGHT.get(name, _BLACK) for name in names})
    return ThemeColors(**{name: _DARK.get(name) or _brighten(getattr(theme.colors, name)) for name in names})


def _brighten(color: str) -> str:
    red, green, blue = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    hue, saturation, value = rgb_to_hsv(red, green, blue)
    if saturation < _LEAST_SATURATION:
        return _WHITE if value >= _BRIGHT_GREY else _GREY if value >= _MEDIUM_GREY else _DARK_GREY
    return next((name for end, name in _HUES if hue * 360 < end), _BRIGHT_RED)
