"""Export files for other programs: cells are protected against formula injection, existing files never overwritten."""

from __future__ import annotations

import csv
import io
import os
import stat
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from tui.crossdesk_error import CrossdeskError
from tui.interface.decimals import optional
from tui.interface.text import clean
from tui.private_files import open_private


class ExportFailed(CrossdeskError):
    """Failure to write an export file; the message names the file."""

    title = "Export not written"


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\0", "＝", "＋", "－", "＠")
"""Starts of cells that count as formulas; the last four are wide forms that some programs treat alike."""
LONGEST = 32_000
"""Longest cell that spreadsheets can hold, characters."""


def guard_formula(text: str) -> str:
    """Prefix a text with an apostrophe if a spreadsheet could run it as a formula."""
    bare = text.lstrip(" \ufeff")
    return "'" + text if bare.startswith(_FORMULA) and optional(text) is None else text


def csv_record(texts: Iterable[str]) -> str:
    """Format one CSV record (RFC 4180), line end included."""
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerow(map(guard_formula, texts))
    return buffer.getvalue()


def write_table(
    folder: Path, name: str, header: Sequence[str], records: Iterable[Sequence[str]], *, wall_s: float
) -> str:
    """Write a table as a CSV file with the time in its name and return its path; an existing file is never overwritten.

    Raises:
        ExportFailed: It cannot be written.
    """
    stamp = datetime.fromtimestamp(wall_s, UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    path = folder / f"{name}-{stamp}.csv"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with create_file(path, overwrite=False) as file:
            file.write(csv_record(header))
            file.writelines(csv_record(clean(text, LONGEST) for text in record) for record in records)
    except OSError as error:
        raise ExportFailed(f"{path} cannot be written: {error.strerror}") from error
    return str(path)


def create_file(path: Path, *, overwrite: bool) -> TextIO:
    """Create an export file that only its owner can read.

    Raises:
        ExportFailed: It exists and may not be replaced, is a link or no plain file, or cannot be written.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK | (0 if overwrite else os.O_EXCL)
    try:
        handle = open_private(path, flags)
    except FileExistsError:
        raise ExportFailed(f"{path} exists; name another file, or add --overwrite") from None
    except OSError as error:
        raise ExportFailed(f"{path} cannot be written: {error.strerror}") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise ExportFailed(f"{path} is no plain file")
    os.fchmod(handle, 0o600)
    os.ftruncate(handle, 0)
    return os.fdopen(handle, "w", encoding="utf-8", newline="")
