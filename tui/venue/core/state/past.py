"""What has left memory: ended orders and old bookings, kept elsewhere and found again by id."""

from __future__ import annotations

from typing import Protocol

import msgspec


class ArchivedRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row with what lists select it by; empty where a table has no such thing."""

    table: str
    key: str
    value: bytes
    """As it stands in the durable state."""
    portfolio: str = ""
    at: int = 0
    """The time that lists are ordered by, ms."""
    client: str = ""
    sym: str = ""
    exchange: str = ""
    business: str = ""
    order_id: str = ""
    coin: str = ""
    kind: str = ""
    executed: bool = False


class ArchiveReader(Protocol):
    """Finds rows again."""

    def find(self, table: str, key: str) -> bytes | None:
        """One row by its id."""
        ...

    def find_client(self, table: str, portfolio: str, client_id: str) -> str:
        """The newest id under a client order id, or empty."""
        ...


class EmptyArchive:
    """A venue that never lets go of anything."""

    def find(self, table: str, key: str) -> bytes | None:
        del table, key
        return None

    def find_client(self, table: str, portfolio: str, client_id: str) -> str:
        del table, portfolio, client_id
        return ""
