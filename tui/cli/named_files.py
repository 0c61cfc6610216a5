"""Files that each have a name in the program (themes, keymaps): those that come with it, and the trader's own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from tui import paths
from tui.crossdesk_error import CrossdeskError

if TYPE_CHECKING:
    from tui.workstation.input.keymap import KeymapFile
    from tui.workstation.render.themes import ThemeFile
from tui.workstation.input.keymap import KeymapFile

Named = TypeVar("Named")

Parse = Callable[[str, str, Sequence[Named]], Named]
"""Function that reads one file: its text, its name for error texts, and those that it may name as its base."""


def read_folder(folder: Path, parse: Parse[Named], bases: Sequence[Named] = ()) -> tuple[list[Named], list[str]]:
    """Parse all `*.toml` files of a folder, which can be based on `bases`; return them, and the errors of invalid files."""
    return _read_files(sorted(folder.glob("*.toml")), parse, bases)


def _read_files(
    paths: Sequence[Path], parse: Parse[Named], bases: Sequence[Named] = ()
) -> tuple[list[Named], list[str]]:
    files: list[Named] = []
    errors: list[str] = []
    for path in paths:
        try:
            files.append(parse(path.read_text("utf-8-sig"), path.name, bases))
        except (CrossdeskError, OSError, UnicodeDecodeError) as error:
            errors.append(str(error))
    return files, errors


class NamedFiles(Generic[Named]):
    """Theme or keymap files: a folder shipped with the program, and the trader's own folder, read again when it changes."""

    def __init__(self, shipped: Path, own: Path, parse: Parse[Named]) -> None:
        self._shipped, self._own, self._parse = shipped, own, parse
        self._read_at: dict[str, int] = {}
        """Times of the last change of the trader's own files as they were read, ns."""

    def read(self) -> tuple[list[Named], list[str]]:
        """Read all files, the trader's own before the shipped ones, which they may replace; return them, and the errors."""
        self._read_at = self._times()
        shipped, errors = read_folder(self._shipped, self._parse)
        own, own_errors = read_folder(self._own, self._parse, shipped)
        return [*own, *shipped], errors + own_errors

    def read_at_start(self, name: str) -> list[Named]:
        """Read only the shipped file `name`, or all files if the trader has own ones; print errors on standard error."""
        self._read_at = self._times()
        shipped = self._shipped / f"{name}.toml"
        if self._read_at or not shipped.is_file():
            files, errors = self.read()
        else:
            files, errors = _read_files([shipped], self._parse)
        for error in errors:
            print(f"crossdesk: {error}", file=sys.stderr)
        return files

    def read_changed(self) -> tuple[list[Named], list[str]] | None:
        """Read all files again if one of the trader's own files has changed, else return None."""
        return None if self._times() == self._read_at else self.read()

    def _times(self) -> dict[str, int]:
        try:
            return {path.name: path.stat().st_mtime_ns for path in self._own.glob("*.toml")}
        except OSError:  # a file went away between the two
            return {}


def theme_files() -> NamedFiles[ThemeFile]:
    """Return the reader of the shipped and the trader's own themes."""
    from tui.workstation.render.themes import parse_theme

    return NamedFiles(paths.find_shipped_dir("themes"), paths.own_dir("themes"), parse_theme)


def keymap_files() -> NamedFiles[KeymapFile]:
    """Return the reader of the shipped and the trader's own keymaps."""

    def parse(text: str, source: str, bases: Sequence[KeymapFile]) -> KeymapFile:
        # Most starts read no keymap.
        from tui.workstation.input.keymap_files import parse_keymap

        return parse_keymap(text, source, bases)

    return NamedFiles(paths.find_shipped_dir("keymaps"), paths.own_dir("keymaps"), parse)
