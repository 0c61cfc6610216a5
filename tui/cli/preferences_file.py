"""File of a trader's choices of columns and symbols."""

from __future__ import annotations

import contextlib
from pathlib import Path

from tui.private_files import write_private


class PreferencesFile:
    """Small file that is always complete; its loss loses only these choices."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> bytes:
        """Return the stored bytes; empty when there are none or they cannot be read."""
        try:
            return self._path.read_bytes()
        except OSError:
            return b""

    def write(self, preferences: bytes) -> None:
        """Replace the stored bytes; on a full or read-only disk the old file stays, and nothing is raised."""
        fresh = self._path.with_suffix(".new")
        with contextlib.suppress(OSError):
            write_private(fresh, preferences)
            fresh.replace(self._path)
