"""File of price bars: the service has no call for old ones, so the desk keeps those it saw."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tui.crossdesk_error import error_text
from tui.interface.families.market import BarPrice, KlineRow
from tui.interface.streams import Detail
from tui.interface.times import millis
from tui.private_files import open_private

MOST_PER_SERIES = 20_000
"""Most bars kept of one pair and interval."""
MOST_BARS = 400_000
"""Most bars kept of all; the oldest leave first."""
LOCK_WAIT_S = 0.5
"""Time to wait for another window that writes, s."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS owner (id TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS bars (
    sym TEXT NOT NULL, interval TEXT NOT NULL, start INTEGER NOT NULL,
    open TEXT NOT NULL, high TEXT NOT NULL, low TEXT NOT NULL, close TEXT NOT NULL, volume TEXT NOT NULL,
    PRIMARY KEY (sym, interval, start)
) WITHOUT ROWID;
"""


def _series(detail: Detail) -> str:
    """Return the value of the column `interval`: the interval, preceded by the kind of price unless that is `last`."""
    return detail.interval.value if detail.price is BarPrice.LAST else f"{detail.price} {detail.interval}"


class BarFile:
    """File of closed price bars of one environment; calls block, and may come from any thread.

    A file that cannot be used costs old bars only: it is made anew, or nothing is kept.
    """

    def __init__(self, path: Path, owner: str = "") -> None:
        """Store the place; the file is opened with the first call.

        Args:
            path: Place of the file.
            owner: Id of the venue's state whose bars these are; bars of another one are dropped. Empty: any.
        """
        self._path = path
        self._owner = owner
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        self.error = ""
        """Why nothing is kept, or empty."""

    def read(self, detail: Detail, most: int) -> list[KlineRow]:
        """Return the newest stored bars, oldest first."""
        with self._lock:
            database = self._open()
            if database is None:
                return []
            try:
                rows = database.execute(
                    "SELECT start, open, high, low, close, volume FROM bars WHERE sym = ? AND interval = ?"
                    " ORDER BY start DESC LIMIT ?",
                    (detail.sym, _series(detail), most),
                ).fetchall()
            except sqlite3.Error as error:
                self._give_up(error)
                return []
        return [
            KlineRow(open_time=start, open=opened, high=high, low=low, close=close, volume=volume)
            for start, opened, high, low, close, volume in reversed(rows)
        ]

    def write(self, detail: Detail, rows: Sequence[KlineRow]) -> None:
        """Store closed bars; of each pair and interval only the newest are kept."""
        sym, series = detail.sym, _series(detail)
        values = [
            (sym, series, millis(str(row.open_time)), row.open, row.high, row.low, row.close, row.volume)
            for row in rows
        ]
        with self._lock:
            database = self._open()
            if database is None:
                return
            try:
                with database:
                    database.executemany("INSERT OR REPLACE INTO bars VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
                    database.execute(
                        "DELETE FROM bars WHERE sym = ?1 AND interval = ?2 AND start <= (SELECT start FROM bars"
                        " WHERE sym = ?1 AND interval = ?2 ORDER BY start DESC LIMIT 1 OFFSET ?3)",
                        (sym, series, MOST_PER_SERIES),
                    )
            except sqlite3.Error as error:
                self._give_up(error)

    def close(self) -> None:
        with self._lock:
            if self._database is not None:
                self._database.close()
                self._database = None

    def _open(self) -> sqlite3.Connection | None:
        if self._database is None and not self.error:
            try:
                self._database = self._connect()
            except sqlite3.DatabaseError:
                # A damaged file holds nothing that trading needs.
                with suppress(OSError):
                    self._path.unlink()
                try:
                    self._database = self._connect()
                except (sqlite3.Error, OSError) as error:
                    self._give_up(error)
            except OSError as error:
                self._give_up(error)
        return self._database

    def _connect(self) -> sqlite3.Connection:
        os.close(open_private(self._path, os.O_RDWR | os.O_CREAT))
        database = sqlite3.connect(self._path, timeout=LOCK_WAIT_S, check_same_thread=False)
        try:
            database.executescript(_SCHEMA)
            with database:
                if self._owner and database.execute("SELECT id FROM owner").fetchall() != [(self._owner,)]:
                    database.execute("DELETE FROM bars")
                    database.execute("DELETE FROM owner")
                    database.execute("INSERT INTO owner VALUES (?)", (self._owner,))
                database.execute(
                    "DELETE FROM bars WHERE start <= (SELECT start FROM bars ORDER BY start DESC LIMIT 1 OFFSET ?)",
                    (MOST_BARS,),
                )
        except sqlite3.Error:
            database.close()
            raise
        return database

    def _give_up(self, error: Exception) -> None:
        self.error = error_text(error)
        if self._database is not None:
            self._database.close()
            self._database = None
