"""The file that keeps a trader's choices of columns and symbols from one run to the next."""

from __future__ import annotations

import contextlib
from pathlib import Path

from tui.private_files import write_private


class PreferencesFile:
    """A small file that is whole at every moment; losing it costs nothing but the choices."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> bytes:
        """What was kept; empty when there is nothing or it cannot be read."""
        try:
            return self._path.read_bytes()
        except OSError:
            return b""

    def write(self, preferences: bytes) -> None:
        """Replace what was kept. A full or read-only disk leaves the old file and disturbs nobody."""
        fresh = self._path.with_suffix(".new")
        with contextlib.suppress(OSError):
            write_private(fresh, preferences)
            fresh.replace(self._path)
