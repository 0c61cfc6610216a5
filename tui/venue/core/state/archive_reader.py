"""Access to archived rows: ended orders and old bookings, stored outside memory and found by id."""

from __future__ import annotations

from typing import Protocol

import msgspec


class ArchivedRow(msgspec.Struct, frozen=True, kw_only=True):
    """Archived row with the columns that list queries filter by; empty where a table has no such column."""

    table: str
    key: str
    value: bytes
    """As encoded in the durable state."""
    portfolio: str = ""
    at: int = 0
    """Time that lists are sorted by, ms."""
    client: str = ""
    sym: str = ""
    exchange: str = ""
    business: str = ""
    order_id: str = ""
    coin: str = ""
    kind: str = ""
    executed: bool = False


class ArchiveReader(Protocol):
    """Reader of archived rows."""

    def find(self, table: str, key: str) -> bytes | None:
        """Return a row by its id; None when no such row is archived."""
        ...

    def find_client(self, table: str, portfolio: str, client_id: str) -> str:
        """Return the newest id with a client order id, or empty text."""
        ...


class EmptyArchive:
    """Empty archive, for a venue that keeps all rows in memory."""

    def find(self, table: str, key: str) -> bytes | None:
        del table, key
        return None

    def find_client(self, table: str, portfolio: str, client_id: str) -> str:
        del table, portfolio, client_id
        return ""
