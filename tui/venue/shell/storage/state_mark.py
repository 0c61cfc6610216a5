"""How far a state file had come, kept apart from it: a file that is behind its mark is an older one that was put back."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from tui.private_files import open_private

_DIGITS = 20


class StateMark:
    """The number of commits of one account, in a small file. It is written after each commit, so it may lag, never lead."""

    def __init__(self, folder: Path, account_id: str) -> None:
        """Name it; nothing is opened.

        Args:
            folder: Where the marks are; best not where the state is, so that both are not put back together.
            account_id: Of the state.
        """
        self._path = folder / f"venue-{account_id}.mark"
        self._descriptor: int | None = None

    def read(self) -> int:
        """The number of commits it names; 0 where there is none or it cannot be read."""
        with suppress(OSError, ValueError):
            return int(self._path.read_bytes()[:_DIGITS])
        return 0

    def write(self, commits: int) -> None:
        """Name this many commits. Not written is no failure: a mark that lags proves less, and nothing wrong."""
        with suppress(OSError):
            if self._descriptor is None:
                self._descriptor = open_private(self._path, os.O_WRONLY | os.O_CREAT)
            os.pwrite(self._descriptor, b"%0*d\n" % (_DIGITS, commits), 0)

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
