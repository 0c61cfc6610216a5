"""Theme files: a flat TOML model, checked as a whole, with sentences a person can act on."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from tui.crossdesk_error import CrossdeskError

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")


class ThemeError(CrossdeskError, ValueError):
    """A theme file that cannot be used; the text names file, key and remedy."""

    title = "Theme not usable"


class ThemeColors(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every colour of the desk as `#rrggbb`. Words and signs carry the same meaning; colour only helps."""

    background: str
    foreground: str
    muted: str
    faint: str
    frame: str
    accent: str
    cursor: str
    """Background of the selected row in the focused pane."""
    cursor_idle: str
    """Background of the selected row in the other panes."""
    field: str
    """Background of a text field."""
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
    """One theme."""

    name: str
    dark: bool
    colors: ThemeColors


def _near(word: str, words: list[str]) -> str:
    import difflib

    close = difflib.get_close_matches(word, words, 1)
    return f"; did you mean {close[0]}?" if close else ""


def parse_theme(text: str, source: str) -> ThemeFile:
    """Read one theme file.

    Args:
        text: TOML.
        source: Name of the file, for the sentences.

    Raises:
        ThemeError: with every problem found, one a line.
    """
    import tomllib

    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ThemeError(f"{source}: {error}") from None
    problems = []
    known = list(ThemeFile.__struct_fields__)
    problems += [f"{source}: unknown key {key!r}{_near(key, known)}" for key in raw if key not in known]
    colors = raw.get("colors")
    if isinstance(colors, dict):
        names = list(ThemeColors.__struct_fields__)
        for key, value in colors.items():
            if key not in names:
                problems.append(f"{source}: unknown color {key!r} in [colors]{_near(key, names)}")
            elif not isinstance(value, str) or _COLOR.fullmatch(value) is None:
                problems.append(f"{source}: color {key} is {value!r}; write #rrggbb, for example #6cb6ff")
        problems += [f"{source}: color {name} is missing in [colors]" for name in names if name not in colors]
    if not problems:
        try:
            return msgspec.convert(raw, ThemeFile)
        except msgspec.ValidationError as error:
            problems.append(f"{source}: {error}")
    raise ThemeError("\n".join(problems))


def read_folder(folder: Path) -> tuple[list[ThemeFile], list[str]]:
    """All themes of a folder, and the sentences about files that cannot be used."""
    themes: list[ThemeFile] = []
    problems: list[str] = []
    for path in sorted(folder.glob("*.toml")):
        try:
            themes.append(parse_theme(path.read_text("utf-8"), path.name))
        except (ThemeError, OSError, UnicodeDecodeError) as error:
            problems.append(str(error))
    return themes, problems
