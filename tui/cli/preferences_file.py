"""File that stores a trader's choice of columns and symbols."""

from __future__ import annotations

import contextlib
from pathlib import Path

from tui.private_files import write_private


class PreferencesFile:
    """File of screen preferences such as columns, symbols and alerts; replaced as a whole, and never needed to trade."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> bytes:
        """Return the stored bytes; empty when the file is missing or unreadable."""
        try:
            return self._path.read_bytes()
        except OSError:
            return b""

    def write(self, preferences: bytes) -> None:
        """Replace the stored bytes; on a full or read-only disk the old file stays and no error is raised."""
        fresh = self._path.with_suffix(".new")
        with contextlib.suppress(OSError):
            write_private(fresh, preferences)
            fresh.replace(self._path)
