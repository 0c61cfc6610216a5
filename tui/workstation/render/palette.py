"""Styles by role; the only module that maps meanings to colours."""

from __future__ import annotations

from rich.style import Style
from textual.color import Color as TextualColor
from textual.theme import Theme

from tui.workstation.render.themes import ThemeColors, ThemeFile

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

_REVERSED = frozenset(["cursor", "selected", "flash-up", "flash-down"])
"""Backgrounds that are drawn by reversal where the terminal has too few colours for them."""

SELECTED_SHARE = 0.2
"""Share of the accent colour in the ground of selected text."""

_PALE = frozenset(["muted", "faint", "view"])
"""Colours of texts that explain, or are zero or absent."""


class Palette:
    """Styles of a theme by role and background."""

    def __init__(self, theme: ThemeFile) -> None:
        self.version = 0
        """Number of changes; lines drawn at another version have old colours."""
        self._styles: dict[tuple[str, str], Style] = {}
        self._has_few_colors = self._has_16_colors = False
        self.use(theme)

    def use(self, theme: ThemeFile) -> None:
        """Use the styles of a theme from now on."""
        self.theme = theme
        self._is_bold_paler = self._has_16_colors and not theme.dark
        self._colors = theme.colors
        if self._has_16_colors:
            from tui.workstation.render.few_colors import colors_of_16

            self._colors = colors_of_16(theme)
        self._reverses = self._has_few_colors or theme.of_terminal
        self._styles.clear()
        self.version += 1

    def use_16_colors(self) -> None:
        """Adapt to a terminal of 16 colours: cursor drawn reversed, theme colours mapped to readable ones."""
        self._has_16_colors = True
        self.mark_by_reversal()

    def mark_by_reversal(self) -> None:
        """Draw the cursor by reversed colours, because with few colours its background could equal a text colour."""
        self._has_few_colors = True
        self.use(self.theme)

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
            if ground == "selected" or (ground.startswith("flash") and color in _PALE):
                color = "foreground"  # what has just changed is bright, and no other colour reads on these grounds
            colors = self._colors
            if self._is_bold_paler:
                # Many terminals draw bold in the brighter of two colours: black becomes grey, red too pale.
                attributes = attributes.replace("bold", "underline" if role in _EMPHASISED else "")
            plain = self._reverses and ground == "hint"
            behind = parse_color(colors.background if plain else getattr(colors, _GROUNDS[ground]))
            if ground == "selected":
                behind = behind.blend(parse_color(colors.accent), SELECTED_SHARE)
            text = parse_color(getattr(colors, color))
            style = Style.parse(attributes) + Style.from_color(text.rich_color, behind.rich_color)
            self._styles[(role, ground)] = style
        return style


def parse_color(text: str) -> TextualColor:
    """Parse a colour of a theme."""
    return TextualColor.parse(_textual_name(text))


def _textual_name(color: str) -> str:
    return color if color.startswith("#") else f"ansi_{color}"


def textual_theme(theme: ThemeFile) -> Theme:
    """Convert a theme to a Textual theme with our variables (`$up`, `$env-live`, ...)."""
    names = ThemeColors.__struct_fields__
    colors = ThemeColors(**{name: _textual_name(getattr(theme.colors, name)) for name in names})
    variables = {name.replace("_", "-"): getattr(colors, name) for name in names}
    for name in ("background", "foreground", "accent"):
        if theme.of_terminal:
            variables[f"ansi-{name}"] = variables[name]
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
        ansi=theme.of_terminal,
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
