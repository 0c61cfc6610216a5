"""The root of every exception of this program."""

from __future__ import annotations

from typing import ClassVar


class CrossdeskError(Exception):
    """What the program itself found wrong; the text says what happened and what is accepted.

    A class may have a built-in exception as its second base where callers catch that one.
    """

    title: ClassVar[str] = "Error"
    """The kind of failure in words for a person; the command line prints `title: text`."""
