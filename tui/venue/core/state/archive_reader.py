"""Rows that have left memory: ended orders and old bookings, stored elsewhere and found by id."""

from __future__ import annotations

from typing import Protocol

import msgspec


class ArchivedRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row with the columns that lists filter by; empty where a table has no such column."""

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
    """Finds rows that have left memory."""

    def find(self, table: str, key: str) -> bytes | None:
        """One row by its id."""
        ...

    def find_client(self, table: str, portfolio: str, client_id: str) -> str:
        """The newest id under a client order id, or empty."""
        ...


class EmptyArchive:
    """For a venue whose rows never leave memory."""

    def find(self, table: str, key: str) -> bytes | None:
        del table, key
        return None

    def find_client(self, table: str, portfolio: str, client_id: str) -> str:
        del table, portfolio, client_id
        return ""
