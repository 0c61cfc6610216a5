"""Journal rows: entry, chained hash, and the SQL that writes and reads them."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from itertools import chain

import msgspec

from tui.protocols import Clock

MAX_PAYLOAD = 16_384
"""Most characters of each text of an entry; the rest is cut off."""
SCHEMA = """CREATE TABLE journal (
    seq INTEGER PRIMARY KEY, previous TEXT NOT NULL, hash TEXT NOT NULL, wall_ms INTEGER NOT NULL, mono REAL NOT NULL,
    epoch INTEGER NOT NULL, kind TEXT NOT NULL, intent_id TEXT NOT NULL, client_order_id TEXT NOT NULL,
    order_id TEXT NOT NULL, payload TEXT NOT NULL)"""
SELECT = (
    "SELECT seq, previous, hash, wall_ms, mono, epoch, kind, intent_id, client_order_id, order_id, payload"
    " FROM journal ORDER BY seq"
)
SELECT_NOTES = SELECT.replace(" ORDER BY", " WHERE seq > ? AND kind = ? AND wall_ms >= ? ORDER BY") + " LIMIT ?"
_VALUES = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_STATEMENT_ROWS = 64
"""Rows per insert statement, because each statement releases the interpreter once."""

Row = tuple[int, str, str, int, float, int, str, str, str, str, str]
TYPES = (int, str, str, int, float, int, str, str, str, str, str)


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """Journal entry."""

    seq: int
    wall_ms: int
    mono: float
    epoch: int
    kind: str
    intent_id: str
    client_order_id: str
    order_id: str
    payload: str


def new_entry(
    clock: Clock,
    kind: str,
    payload: str,
    *,
    seq: int = 0,
    intent_id: str = "",
    client_order_id: str = "",
    order_id: str = "",
    epoch: int = 0,
    wall_ms: int | None = None,
) -> Entry:
    """Build a journal entry with the current time, and make its texts storable in SQLite.

    Args:
        clock: Clock of its times.
        kind: Kind of the entry.
        payload: What it tells, usually JSON.
        seq: Number of the entry; 0 if the file assigns it.
        intent_id: Id of the intent that it belongs to.
        client_order_id: Id that the desk gave the order.
        order_id: Id that the service gave the order.
        epoch: Number of the login in which it happened.
        wall_ms: Time of what it tells, in ms; None: now.
    """
    return Entry(
        seq=seq,
        wall_ms=int(clock.wall() * 1000) if wall_ms is None else wall_ms,
        mono=float(clock.mono()),
        epoch=epoch,
        kind=_storable(kind),
        intent_id=_storable(intent_id),
        client_order_id=_storable(client_order_id),
        order_id=_storable(order_id),
        payload=_storable(payload),
    )


def _storable(text: str) -> str:
    """Make a text storable in SQLite: limit its length and replace lone surrogates."""
    return text[:MAX_PAYLOAD].encode("utf-8", "replace").decode()


def chain_hash(previous: str, entry: Entry) -> str:
    """Compute the hash of an entry, chained to the hash of the previous entry."""
    parts = (
        previous,
        str(entry.seq),
        str(entry.wall_ms),
        repr(entry.mono),
        str(entry.epoch),
        entry.kind,
        entry.intent_id,
        entry.client_order_id,
        entry.order_id,
        entry.payload,
    )
    return hashlib.sha256("\x1f".join(parts).encode(errors="replace")).hexdigest()


def insert(database: sqlite3.Connection, rows: Sequence[Row]) -> None:
    """Insert rows in one transaction."""
    if len(rows) <= _STATEMENT_ROWS:
        insert_rows(database, rows)
        return
    with database:
        database.execute("BEGIN")
        insert_rows(database, rows)


def insert_rows(database: sqlite3.Connection, rows: Sequence[Row]) -> None:
    """Insert rows in the open transaction; without one, each statement commits for itself."""
    for at in range(0, len(rows), _STATEMENT_ROWS):
        part = rows[at : at + _STATEMENT_ROWS]
        values = ", ".join([_VALUES] * len(part))
        database.execute(f"INSERT INTO journal VALUES {values}", tuple(chain.from_iterable(part)))


def values_of(entry: Entry) -> tuple[int, float, int, str, str, str, str, str]:
    """Return the columns of an entry in the order of `SCHEMA`, without number and hashes."""
    return (
        entry.wall_ms,
        entry.mono,
        entry.epoch,
        entry.kind,
        entry.intent_id,
        entry.client_order_id,
        entry.order_id,
        entry.payload,
    )


def entry_of(row: Row) -> Entry:
    """Build the entry of a row that was read, without its hashes."""
    seq, _, _, wall_ms, mono, epoch, kind, intent_id, client_order_id, order_id, payload = row
    return Entry(
        seq=seq,
        wall_ms=wall_ms,
        mono=mono,
        epoch=epoch,
        kind=kind,
        intent_id=intent_id,
        client_order_id=client_order_id,
        order_id=order_id,
        payload=payload,
    )
