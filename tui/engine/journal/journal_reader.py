"""Reading of a journal that may be in use, and of its archives."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

from tui.engine.event_line import NOTE
from tui.engine.journal.journal_rows import SELECT_NOTES, Entry, entry_of

NOTHING = 1
"""Size at which SQLite takes a file for empty, bytes: it then deletes the log beside it with the newest entries."""
LOCK_WAIT = 1.0
"""Longest wait for another process that has the file locked, s."""
ARCHIVE = re.compile(r"journal-([0-9]+)-[0-9]+\.sqlite")
"""Name of an archive."""


def archive_name(first: int, last: int) -> str:
    """Name the archive that holds the entries with these numbers, both included."""
    return f"journal-{first}-{last}.sqlite"


def list_archives(path: Path) -> list[Path]:
    """List the archives of a journal, oldest first."""
    archives = {int(match[1]): file for file in path.parent.iterdir() if (match := ARCHIVE.fullmatch(file.name))}
    return [file for _, file in sorted(archives.items())]


def connect_reader(path: Path, options: str = "") -> sqlite3.Connection:
    """Connect to a journal or an archive, to read it.

    Raises:
        sqlite3.Error: The file is empty, or cannot be opened.
    """
    if path.exists() and size_of(path) <= NOTHING:
        raise sqlite3.DatabaseError("the file is empty")
    database = sqlite3.connect(f"{path.as_uri()}?mode=ro{options}", uri=True, timeout=LOCK_WAIT)
    database.text_factory = decode_text
    return database


def size_of(path: Path) -> int:
    """Return the size of a file, bytes; 0 where there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def decode_text(raw: bytes) -> str:
    """Decode UTF-8 leniently; a replaced byte then fails the hash check."""
    return raw.decode(errors="replace")


def read_notes(path: Path, after: int, since_ms: int, most: int) -> list[Entry]:
    """Read the entries of kind NOTE (event lines) from all archives and the journal, oldest first; no hash is checked.

    Args:
        path: The journal; it may be in use.
        after: Number of the entry before the first one.
        since_ms: Wall time of the first one, ms.
        most: Most of them.

    Raises:
        OSError: A file cannot be read.
        sqlite3.Error: Reported by SQLite for the same reason.
    """
    notes: list[Entry] = []
    for file in (*list_archives(path), path):
        with closing(connect_reader(file)) as database:
            # A crash while archiving leaves entries in both files.
            behind = max(after, notes[-1].seq if notes else 0)
            rows = database.execute(SELECT_NOTES, (behind, NOTE, since_ms, most - len(notes)))
            notes += [entry_of(row) for row in rows]
        if len(notes) >= most:
            break
    return notes
