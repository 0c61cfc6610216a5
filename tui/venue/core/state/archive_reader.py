"""Rows that have left memory: ended orders and old bookings, stored elsewhere and found by id."""

from __future__ import annotations

from typing import Protocol

import msgspec


class ArchivedRow(msgspec.Struct, frozen=True, kw_only=True):
    """Archived row with the columns that lists filter by; empty when a table has no such column."""

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
    """Reader of rows that have left memory."""

    def find(self, table: str, key: str) -> bytes | None:
        """Return a row by its id; None when it is not archived."""
        ...

    def find_client(self, table: str, portfolio: str, client_id: str) -> str:
        """Return the newest id under a client order id, or empty."""
        ...


class EmptyArchive:
    """Archive of a venue whose rows never leave memory."""

    def find(self, table: str, key: str) -> bytes | None:
        del table, key
        return None

    def find_client(self, table: str, portfolio: str, client_id: str) -> str:
        del table, portfolio, client_id
        return ""
