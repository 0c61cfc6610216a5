"""Keymap files: keys of several actions under one name, as TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence

import msgspec

from tui.toml_errors import explain_syntax, explain_wrong, find_line
from tui.workstation.input.keymap import KeymapError, KeymapFile, build_keymap


def parse_keymap(text: str, source: str, bases: Sequence[KeymapFile] = ()) -> KeymapFile:
    """Parse one keymap file, and validate its keys as a whole.

    Args:
        text: TOML.
        source: Name of the file, for error texts.
        bases: Keymaps that come with the program; a keymap has no base, so they do not matter.

    Raises:
        KeymapError: With all errors, one per line.
    """

    del bases
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise KeymapError(f"{source}{explain_syntax(text, str(error))}") from None
    try:
        keymap = msgspec.convert(raw, KeymapFile)
    except msgspec.ValidationError as error:
        if bare := _find_unquoted(raw.get("keys")):
            at = find_line(text, ("keys", *bare))
            raise KeymapError(f'{source}{at}: write "{".".join(bare)}" in quotes') from None
        wrong, explained = explain_wrong(str(error), raw, KeymapFile)
        raise KeymapError(f"{source}{find_line(text, wrong)}: {explained}") from None
    try:
        build_keymap(keymap.keys)
    except KeymapError as error:
        raise KeymapError(
            "\n".join(_name_place(line, keymap, text, source) for line in str(error).splitlines())
        ) from None
    return keymap


def _find_unquoted(keys: object) -> tuple[str, ...]:
    """Return the two parts of the first action id written without quotes, which TOML reads as nested tables; else ()."""
    for name, value in keys.items() if isinstance(keys, dict) else ():
        if isinstance(value, dict):
            return str(name), str(next(iter(value), ""))
    return ()


def _name_place(error: str, keymap: KeymapFile, text: str, source: str) -> str:
    """Prefix an error with the keymap file and, if the error names an action, with the action's line."""
    action = next(
        (name for name in keymap.keys if error.startswith((f"keys: {name}:", f"keys: unknown action {name!r}"))), ""
    )
    return f"{source}{find_line(text, ('keys', action)) if action else ''}: {error}"
