"""Theme files in flat TOML, validated as a whole."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from tui.crossdesk_error import CrossdeskError
from tui.interface.text import did_you_mean

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")


class ThemeError(CrossdeskError, ValueError):
    """Invalid theme file; the message names file, key and remedy."""

    title = "Theme not usable"


class ThemeColors(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Colours as `#rrggbb`; every meaning is also shown by words or signs."""

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
    dark: bool
    colors: ThemeColors


def parse_theme(text: str, source: str) -> ThemeFile:
    """Parse one theme file.

    Args:
        text: TOML.
        source: Name of the file, for error texts.

    Raises:
        ThemeError: With all errors, one per line.
    """
    import tomllib

    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ThemeError(f"{source}: {error}") from None
    errors = []
    known = list(ThemeFile.__struct_fields__)
    errors += [f"{source}: unknown key {key!r}{did_you_mean(key, known)}" for key in raw if key not in known]
    colors = raw.get("colors")
    if isinstance(colors, dict):
        names = list(ThemeColors.__struct_fields__)
        for key, value in colors.items():
            if key not in names:
                errors.append(f"{source}: unknown color {key!r} in [colors]{did_you_mean(key, names)}")
            elif not isinstance(value, str) or _COLOR.fullmatch(value) is None:
                errors.append(f"{source}: color {key} is {value!r}; write #rrggbb, for example #6cb6ff")
        errors += [f"{source}: color {name} is missing in [colors]" for name in names if name not in colors]
    if not errors:
        try:
            return msgspec.convert(raw, ThemeFile)
        except msgspec.ValidationError as failure:
            errors.append(f"{source}: {failure}")
    raise ThemeError("\n".join(errors))


def read_folder(folder: Path) -> tuple[list[ThemeFile], list[str]]:
    """Read all themes of a folder; return them and the errors of invalid files."""
    themes: list[ThemeFile] = []
    errors: list[str] = []
    for path in sorted(folder.glob("*.toml")):
        try:
            themes.append(parse_theme(path.read_text("utf-8"), path.name))
        except (ThemeError, OSError, UnicodeDecodeError) as error:
            errors.append(str(error))
    return themes, errors
