"""Base class of all exceptions of this program."""

from __future__ import annotations

import re
from typing import ClassVar


class CrossdeskError(Exception):
    """Error detected by this program; the text says what happened and what is accepted.

    A class may have a built-in exception as its second base where callers catch that one.
    """

    title: ClassVar[str] = "Error"
    """Kind of failure for display; the command line prints `title: text`."""
    exit_code: ClassVar[int] = 1
    """Exit code of a command that ends with it; 2: an option or argument is wrong, or nothing was done."""


class WrongArgument(CrossdeskError):
    """Option or argument of a command that is not accepted; the text names it and what is accepted."""

    title = "Not started"
    exit_code = 2


class NotPossible(CrossdeskError):
    """Failed call of the operating system without further explanation."""

    title = "Not possible"


def error_text(error: BaseException) -> str:
    """Return an error's message; if it is empty, the class name in words, such as `timeout error`."""
    return str(error) or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__).lower()


def os_error_text(error: OSError) -> str:
    """Describe a failure of the operating system by file, where named, and reason."""
    reason = error.strerror or error_text(error)
    return f"{error.filename}: {reason}" if error.filename else reason
