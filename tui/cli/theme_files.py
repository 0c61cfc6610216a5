"""Theme files: those that come with the program and the trader's own, read again when one of his changes."""

from __future__ import annotations

import sys
from pathlib import Path

from tui import paths
from tui.workstation.render.themes import ReadThemes, ThemeFile, read_folder


class ThemeFiles:
    """Folders of theme files."""

    def __init__(self, shipped: Path | None = None, own: Path | None = None) -> None:
        self._shipped = shipped or paths.themes_dir()
        self._own = own or paths.user_themes_dir()
        self._read_at: dict[str, int] = {}
        """Times of the last change of the trader's own files as they were read, ns."""

    def read(self) -> ReadThemes:
        """Read all themes: the trader's own first, which may have the name of a shipped one."""
        self._read_at = self._times()
        shipped, errors = read_folder(self._shipped)
        own, own_errors = read_folder(self._own, shipped)
        return [*own, *shipped], errors + own_errors

    def read_at_start(self) -> list[ThemeFile]:
        """Read all themes; errors are printed on the terminal."""
        themes, errors = self.read()
        for error in errors:
            print(f"crossdesk: {error}", file=sys.stderr)
        return themes

    def reread(self) -> ReadThemes | None:
        """Read all themes again; None if none of the trader's own files has changed."""
        return None if self._times() == self._read_at else self.read()

    def _times(self) -> dict[str, int]:
        try:
            return {path.name: path.stat().st_mtime_ns for path in self._own.glob("*.toml")}
        except OSError:  # a file went away between the two
            return {}
