"""Theme files in flat TOML, validated as a whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from tui.crossdesk_error import CrossdeskError
from tui.interface.text import did_you_mean

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_NAMES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
TERMINAL_COLORS = ("default", *_NAMES, *(f"bright_{name}" for name in _NAMES))
"""Colours of the terminal itself, by name."""


class ThemeError(CrossdeskError, ValueError):
    """Invalid theme file; the message names file, key and remedy."""

    title = "Theme not usable"


class ThemeColors(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Colours of a theme, each as `#rrggbb` or a name of `TERMINAL_COLORS`; meanings are also shown by words or signs."""

    background: str
    foreground: str
    muted: str
    faint: str
    frame: str
    accent: str
    cursor: str
    """Ground of the selected row in the focused pane."""
    cursor_idle: str
    """Ground of the selected row in the other panes."""
    field: str
    """Ground of a text field."""
    up: str
    down: str
    flash_up: str
    flash_down: str
    side_buy: str
    side_sell: str
    gain: str
    loss: str
    good: str
    warn: str
    alert: str
    stale: str
    pending: str
    unknown: str
    env_paper: str
    env_live: str
    view: str
    armed: str


class ThemeFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Content of a theme file."""

    name: str
    about: str = ""
    """Few words for the list of themes."""
    base: str = ""
    """Shipped theme whose colours hold where the file has none."""
    dark: bool
    colors: ThemeColors

    @property
    def of_terminal(self) -> bool:
        """Whether the theme uses the terminal's own named colours, whose actual values are not known."""
        return self.colors.background in TERMINAL_COLORS


_OPPOSITES = (("up", "down"), ("flash_up", "flash_down"), ("gain", "loss"), ("side_buy", "side_sell"))
"""Colours of what rises and what falls."""


def turn_rise_red(theme: ThemeFile) -> ThemeFile:
    """Return the theme with the colours for rising and falling exchanged."""
    colors = theme.colors
    turned = {name: getattr(colors, other) for pair in _OPPOSITES for name, other in (pair, pair[::-1])}
    return msgspec.structs.replace(theme, colors=msgspec.structs.replace(colors, **turned))


def parse_theme(text: str, source: str, bases: Sequence[ThemeFile] = ()) -> ThemeFile:
    """Parse one theme file.

    Args:
        text: TOML.
        source: Name of the file, for error texts.
        bases: Themes that it may name as its base.

    Raises:
        ThemeError: With all errors, one per line.
    """
    import tomllib

    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        from tui.toml_errors import explain_syntax

        raise ThemeError(f"{source}{explain_syntax(text, str(error))}") from None
    errors = _take_base(raw, source, bases)
    if isinstance(raw.get("colors"), dict):
        errors += _check_colors(raw["colors"], text, source)
    if not errors:
        try:
            return msgspec.convert(raw, ThemeFile)
        except msgspec.ValidationError as failure:
            # Imported late: no file that comes with the program has an error.
            from tui.toml_errors import explain_wrong, find_line

            wrong, explained = explain_wrong(str(failure), raw, ThemeFile)
            errors.append(f"{source}{find_line(text, wrong)}: {explained}")
    raise ThemeError("\n".join(errors))


def _take_base(raw: dict[str, Any], source: str, bases: Sequence[ThemeFile]) -> list[str]:
    """Add the settings of a theme file's base that the file itself lacks; return errors about the base."""
    base = raw.get("base", "")
    if not base:
        return []
    theirs = next((theme for theme in bases if theme.name == base), None)
    if theirs is None:
        names = [theme.name for theme in bases]
        hint = did_you_mean(str(base), names)
        return [f"{source}: base {base!r} is no shipped theme{hint}; there are {', '.join(names)}"]
    raw.setdefault("dark", theirs.dark)
    own = raw.setdefault("colors", {})
    if isinstance(own, dict):
        raw["colors"] = msgspec.to_builtins(theirs.colors) | own
    return []


def _check_colors(colors: dict[str, object], text: str, source: str) -> list[str]:
    from tui.toml_errors import find_line

    names, errors = ThemeColors.__struct_fields__, []
    for key, value in colors.items():
        at = f"{source}{find_line(text, ('colors', key))}"
        if key not in names:
            errors.append(f"{at}: unknown key {key!r} in colors{did_you_mean(key, names)}")
        elif not isinstance(value, str) or not (_COLOR.fullmatch(value) or value in TERMINAL_COLORS):
            errors.append(
                f"{at}: colors.{key} = {msgspec.json.encode(value).decode()}: accepted is #rrggbb, for example #6cb6ff,"
                f" or a colour of the terminal: {', '.join(TERMINAL_COLORS)}"
            )
    return errors + [f"{source}: colors: {name} is missing" for name in names if name not in colors]


ReadThemes = tuple[list[ThemeFile], list[str]]
"""Themes, and the errors of invalid files."""
