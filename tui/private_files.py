"""Files that only their owner can read; every private file of the program is opened here."""

from __future__ import annotations

import os
from pathlib import Path


def open_private(path: str | Path, flags: int) -> int:
    """Open a file that only its owner can read; a link is not followed and no child process inherits it.

    Args:
        path: The file; one that is made gets the mode 0600.
        flags: Access and creation, as `os.open` takes them.

    Raises:
        OSError: it cannot be opened.
    """
    return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def write_private(path: Path, content: bytes) -> None:
    """Write a file anew that only its owner can read. Whatever had the name goes; a link is never followed.

    Raises:
        OSError: it cannot be written.
    """
    path.unlink(missing_ok=True)
    descriptor = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
