"""Access to files that only their owner can read; all private files of the program are opened here."""

from __future__ import annotations

import os
from pathlib import Path


def open_private(path: str | Path, flags: int) -> int:
    """Open a file that only its owner can read, without following links or passing it to child processes.

    Args:
        path: The file; created with mode 0600.
        flags: Access and creation flags of `os.open`.

    Raises:
        OSError: It cannot be opened.
    """
    return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def open_folder(path: Path) -> int:
    """Open a folder and return its file descriptor, by which its files can be reached under a short path on Linux."""
    return os.open(path, os.O_DIRECTORY | os.O_RDONLY | os.O_CLOEXEC)


def write_private(path: Path, content: bytes) -> None:
    """Replace a file by a new one that only its owner can read; links are not followed.

    Raises:
        OSError: It cannot be written.
    """
    path.unlink(missing_ok=True)
    descriptor = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
