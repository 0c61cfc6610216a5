"""Keymap files: keys of several actions under one name, as TOML."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tui.interface.text import did_you_mean
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
    import tomllib

    del bases
    known = KeymapFile.__struct_fields__
    try:
        raw = tomllib.loads(text)
        wrong = [f"{source}: unknown key {key!r}{did_you_mean(key, known)}" for key in raw if key not in known]
        if wrong:
            raise KeymapError("\n".join(wrong))
        keymap = msgspec.convert(raw, KeymapFile)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise KeymapError(f"{source}: {error}") from None
    try:
        build_keymap(keymap.keys)
    except KeymapError as error:
        raise KeymapError("\n".join(f"{source}: {line}" for line in str(error).splitlines())) from None
    return keymap
