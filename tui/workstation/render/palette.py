"""Styles by role; the only module that maps meanings to colours."""

from __future__ import annotations

from rich.color import Color
from rich.style import Style
from textual.color import Color as TextualColor
from textual.theme import Theme

from tui.workstation.render.themes import ThemeColors, ThemeFile

Piece = tuple[str, str]
"""Text and its role."""

_ROLES: dict[str, tuple[str, str]] = {
    "text": ("foreground", ""),
    "strong": ("foreground", "bold"),
    "dim": ("muted", ""),
    "faint": ("faint", ""),
    "ended": ("faint", ""),
    "frame": ("frame", ""),
    "accent": ("accent", ""),
    "title": ("foreground", "bold"),
    "title-focus": ("accent", "bold"),
    "header": ("muted", ""),
    "key": ("accent", "bold"),
    "up": ("up", ""),
    "down": ("down", ""),
    "buy": ("side_buy", ""),
    "sell": ("side_sell", ""),
    "buy-strong": ("side_buy", "bold"),
    "sell-strong": ("side_sell", "bold"),
    "gain": ("gain", ""),
    "loss": ("loss", ""),
    "good": ("good", ""),
    "good-strong": ("good", "bold"),
    "warn": ("warn", ""),
    "warn-strong": ("warn", "bold"),
    "alert": ("alert", "bold"),
    "stale": ("stale", ""),
    "pending": ("pending", "italic"),
    "unknown": ("unknown", "bold"),
    "paper": ("env_paper", "bold reverse"),
    "live": ("env_live", "bold reverse"),
    "frame-live": ("env_live", ""),
    "frame-hot": ("alert", ""),
    "hot": ("alert", "bold reverse"),
    "view": ("view", "bold"),
    "armed": ("armed", "bold reverse"),
    "caret": ("foreground", "reverse"),
    "badge": ("pending", "bold reverse"),
}

NEWS = {
    "ended": "strong",
    "text": "strong",
    "buy": "buy-strong",
    "sell": "sell-strong",
    "good": "good-strong",
    "warn": "warn-strong",
    "loss": "alert",
}
"""Role of a text while it is news; other roles stay."""

_EMPHASISED = frozenset(["buy-strong", "sell-strong", "good-strong", "warn-strong", "alert", "unknown"])
"""Roles that are underlined where bold would make them paler."""

_GROUNDS = {
    "": "background",
    "cursor": "cursor",
    "idle": "cursor_idle",
    "flash-up": "flash_up",
    "flash-down": "flash_down",
    "field": "field",
    "selected": "cursor",
    "hint": "cursor",
}
"""Colour by ground; a hint has that of the cursor, or the plain background where the cursor is reversed."""

_BLACK, _RED, _BLUE, _MAGENTA, _GREY, _BRIGHT_BLUE, _WHITE = (
    "#000000", "#aa0000", "#0000aa", "#aa00aa", "#555555", "#5555ff", "#ffffff",
)  # fmt: skip
"""Those of the 16 colours that can be read on white, by the values that are sent as exactly these colours."""

_LIGHT_16 = {
    "background": _WHITE,
    "cursor": _WHITE,
    "cursor_idle": _WHITE,
    "field": _WHITE,
    "flash_up": _WHITE,
    "flash_down": _WHITE,
    "muted": _GREY,
    "faint": _GREY,
    "frame": _GREY,
    "accent": _BRIGHT_BLUE,
    **dict.fromkeys(("up", "side_buy", "gain", "good", "env_paper"), _BLUE),
    **dict.fromkeys(("down", "side_sell", "loss", "alert", "env_live", "stale"), _RED),
    **dict.fromkeys(("warn", "pending", "unknown", "armed"), _MAGENTA),
}
"""Colours of every light theme in a terminal of 16 colours; black where none is named. Green and yellow are too pale."""

_REVERSED = frozenset(["cursor", "selected", "flash-up", "flash-down"])
"""Backgrounds that are drawn by reversal where the terminal has too few colours for them."""

SELECTED_SHARE = 0.4
"""Share of the accent colour in the ground of selected text."""


class Palette:
    """Styles of a theme by role and background."""

    def __init__(self, theme: ThemeFile) -> None:
        self.theme = theme
        self._styles: dict[tuple[str, str], Style] = {}
        self._colors = theme.colors
        self._reverses = self._is_bold_paler = False

    def use_16_colors(self) -> None:
        """Draw for a terminal of 16 colours: reversed cursor, and a light theme in those of them that can be read."""
        self.mark_by_reversal()
        if not self.theme.dark:
            names = ThemeColors.__struct_fields__
            self._colors = ThemeColors(**{name: _LIGHT_16.get(name, _BLACK) for name in names})
            self._is_bold_paler = True

    def mark_by_reversal(self) -> None:
        """Draw the cursor by reversal: of 16 colours, the one nearest to its background can be that of a text on it."""
        self._reverses = True
        self._styles.clear()

    def style(self, role: str, ground: str = "") -> Style:
        """Return the style of a role on a background."""
        style = self._styles.get((role, ground))
        if style is None and self._reverses and ground in _REVERSED:
            own = self.style(role)
            like = own if ground.startswith("flash") else self.style("text")
            style = own + Style.from_color(like.color, like.bgcolor) + Style(reverse=not own.reverse)
            self._styles[(role, ground)] = style
        if style is None:
            color, attributes = _ROLES.get(role, _ROLES["text"])
            colors = self._colors
            if self._is_bold_paler:
                # Many terminals draw bold in the brighter of two colours: black becomes grey, red too pale.
                attributes = attributes.replace("bold", "underline" if role in _EMPHASISED else "")
            plain = self._reverses and ground == "hint"
            behind = TextualColor.parse(colors.background if plain else getattr(colors, _GROUNDS[ground]))
            if ground == "selected":
                behind = behind.blend(TextualColor.parse(colors.accent), SELECTED_SHARE)
            style = Style.parse(attributes) + Style.from_color(Color.parse(getattr(colors, color)), behind.rich_color)
            self._styles[(role, ground)] = style
        return style


def textual_theme(theme: ThemeFile) -> Theme:
    """Convert a theme to a Textual theme with our variables (`$up`, `$env-live`, ...)."""
    colors = theme.colors
    variables = {name.replace("_", "-"): getattr(colors, name) for name in ThemeColors.__struct_fields__}
    for name in ("background", "foreground", "accent"):
        del variables[name]
    return Theme(
        name=f"crossdesk-{theme.name}",
        primary=colors.accent,
        secondary=colors.env_paper,
        accent=colors.accent,
        warning=colors.warn,
        error=colors.alert,
        success=colors.good,
        foreground=colors.foreground,
        background=colors.background,
        surface=colors.background,
        panel=colors.field,
        dark=theme.dark,
        variables=variables,
    )


PLAIN = ThemeFile(
    name="plain",
    dark=True,
    colors=ThemeColors(
        **{
            name: {
                "background": "#000000",
                "cursor": "#303030",
                "cursor_idle": "#1a1a1a",
                "field": "#202020",
                "flash_up": "#303030",
                "flash_down": "#303030",
            }.get(name, "#d0d0d0")
            for name in ThemeColors.__struct_fields__
        }
    ),
)
"""Theme in greys, used when no theme file could be read."""
