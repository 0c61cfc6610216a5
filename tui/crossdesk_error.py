"""The root of every exception of this program."""

from __future__ import annotations

from typing import ClassVar


class CrossdeskError(Exception):
    """What the program itself found wrong; the text says what happened and what is accepted.

    A class may have a built-in exception as its second base where callers catch that one.
    """

    title: ClassVar[str] = "Error"
    """The kind of failure in words for a person; the command line prints `title: text`."""


class NotPossible(CrossdeskError):
    """A call of the operating system failed where nothing more can be said of it."""

    title = "Not possible"


def os_error_text(error: OSError) -> str:
    """What the operating system refused: the file, where one is named, and the reason."""
    reason = error.strerror or str(error) or type(error).__name__
    return f"{error.filename}: {reason}" if error.filename else reason
