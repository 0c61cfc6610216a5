"""Commit count of a state file, kept in a separate file; a state file with a lower count was restored from a backup."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from tui.private_files import open_private

_DIGITS = 20


class StateMark:
    """Commit count of a state file, in a small file of its own; written after each commit, so never ahead of the state."""

    def __init__(self, folder: Path, account_id: str) -> None:
        """Set the path; no file is opened yet.

        Args:
            folder: Folder of the marks; best apart from the state, so that both are not restored together.
            account_id: Account id of the state.
        """
        self._path = folder / f"venue-{account_id}.mark"
        self._descriptor: int | None = None

    def read(self) -> int:
        """Return the number of commits; 0 when the file is missing or unreadable."""
        with suppress(OSError, ValueError):
            return int(self._path.read_bytes()[:_DIGITS])
        return 0

    def write(self, commits: int) -> None:
        """Write the number of commits; a failure is ignored, because a count that is too low only detects less."""
        with suppress(OSError):
            if self._descriptor is None:
                self._descriptor = open_private(self._path, os.O_WRONLY | os.O_CREAT)
            os.pwrite(self._descriptor, b"%0*d\n" % (_DIGITS, commits), 0)

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
