"""The file that keeps a trader's choices of columns and symbols from one run to the next."""

from __future__ import annotations

import contextlib
from pathlib import Path

from tui.private_files import write_private


class PreferencesFile:
    """A small file that is whole at every moment; when it is lost, only the choices are lost."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> bytes:
        """The stored bytes; empty when there is nothing or it cannot be read."""
        try:
            return self._path.read_bytes()
        except OSError:
            return b""

    def write(self, preferences: bytes) -> None:
        """Replace the stored bytes. On a full or read-only disk the old file stays, and nothing is raised."""
        fresh = self._path.with_suffix(".new")
        with contextlib.suppress(OSError):
            write_private(fresh, preferences)
            fresh.replace(self._path)
