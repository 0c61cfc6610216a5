"""Export files for other programs: cells are protected against formula injection, existing files never overwritten."""

from __future__ import annotations

import csv
import io
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import msgspec

from tui.crossdesk_error import CrossdeskError
from tui.interface.decimals import optional
from tui.interface.text import clean
from tui.private_files import open_private
from tui.programs.export_table import Table, cell_text


class ExportFailed(CrossdeskError):
    """Failure to write an export file; the message names the file."""

    title = "Export not written"


class Form(StrEnum):
    """Format of an export file."""

    CSV = "csv"
    JSONL = "jsonl"
    """One JSON object a line."""
    PARQUET = "parquet"


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\0", "＝", "＋", "－", "＠")
"""Starts of cells that count as formulas; the last four are wide forms that some programs treat alike."""
LONGEST = 32_000
"""Longest cell that spreadsheets can hold, characters."""


# Content


def encode_table(table: Table, form: Form) -> Iterable[bytes]:
    """Encode a table as the content of a file; JSON lines are the objects as received.

    Raises:
        NotInParquet: The format cannot hold a value, or needs a package that is not installed.
    """
    if form is Form.PARQUET:
        from tui.programs import arrow_table

        return [arrow_table.encode(table)]
    if form is Form.JSONL:
        return (msgspec.json.encode(row) + b"\n" for row in table.rows)
    return _csv_lines(table)


def _csv_lines(table: Table) -> Iterator[bytes]:
    yield csv_record(table.columns).encode()
    for row in table.rows:
        yield csv_record(clean(cell_text(row.get(name)), LONGEST) for name in table.columns).encode()


def guard_formula(text: str) -> str:
    """Prefix a text with an apostrophe if a spreadsheet could run it as a formula."""
    bare = text.lstrip(" \ufeff")
    return "'" + text if bare.startswith(_FORMULA) and optional(text) is None else text


def csv_record(texts: Iterable[str]) -> str:
    """Format one CSV record (RFC 4180), line end included."""
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerow(map(guard_formula, texts))
    return buffer.getvalue()


# Files


def write_table(
    folder: Path, name: str, header: Sequence[str], records: Iterable[Sequence[str]], *, wall_s: float
) -> str:
    """Write a table as a CSV file with the time in its name and return its path; an existing file is never overwritten.

    Raises:
        ExportFailed: It cannot be written.
    """
    path = name_file(folder, name, Form.CSV, wall_s=wall_s)
    with create_file(path) as file:
        lines = (csv_record(clean(text, LONGEST) for text in record) for record in records)
        write_parts(file, path, (line.encode() for line in chain([csv_record(header)], lines)))
    return str(path)


def write_picture(folder: Path, svg: str, *, wall_s: float) -> str:
    """Write a picture as an SVG file with the time in its name and return its path.

    Raises:
        ExportFailed: It cannot be written.
    """
    path = name_file(folder, "screen", "svg", wall_s=wall_s)
    with create_file(path) as file:
        write_parts(file, path, [svg.encode()])
    return str(path)


def name_file(folder: Path, name: str, form: str, *, wall_s: float) -> Path:
    """Create the exports folder if needed, and return the path of a new file in it, with the UTC time in its name.

    Args:
        folder: The folder.
        name: Begin of the name.
        form: End of the name, such as `csv`.
        wall_s: Wall time, s.

    Raises:
        ExportFailed: The folder cannot be made.
    """
    stamp = datetime.fromtimestamp(wall_s, UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    path = folder / f"{name}-{stamp}.{form}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ExportFailed(f"{path} cannot be written: {error.strerror}") from error
    return path


@contextmanager
def create_file(path: Path, *, overwrite: bool | None = None) -> Iterator[BinaryIO]:
    """Create an export file that only its owner can read; remove a new file if writing it fails.

    Args:
        path: The file.
        overwrite: Whether an existing file is replaced; None: never, and there is no option for it.

    Raises:
        ExportFailed: It exists and may not be replaced, is a link or no plain file, or cannot be written.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK | (0 if overwrite else os.O_EXCL)
    try:
        handle = open_private(path, flags)
    except FileExistsError:
        hint = "" if overwrite is None else ", or add --overwrite"
        raise ExportFailed(f"{path} exists; name another file{hint}") from None
    except OSError as error:
        raise ExportFailed(f"{path} cannot be written: {error.strerror}") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise ExportFailed(f"{path} is no plain file")
    os.fchmod(handle, 0o600)
    os.ftruncate(handle, 0)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
    except BaseException:
        if not overwrite:
            path.unlink(missing_ok=True)
        raise


def write_parts(file: BinaryIO, path: Path | None, parts: Iterable[bytes]) -> None:
    """Write the content of an export file.

    Args:
        file: The open file.
        path: Its path; None for the standard output, whose reader may end before the content does.
        parts: The content.

    Raises:
        ExportFailed: The file cannot be written.
    """
    try:
        file.writelines(parts)
        file.flush()
    except OSError as error:
        if path is None:
            raise
        raise ExportFailed(f"{path} cannot be written: {error.strerror}") from error
