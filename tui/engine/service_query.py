"""Queries of lists and records of the service, and how far each was read. Times are in ms."""

from __future__ import annotations

from enum import StrEnum

import msgspec

MAX_ROWS = 5_000
"""Most rows held of one list; a narrower window or a filter shows the others."""


class Source(msgspec.Struct, frozen=True):
    """Reading row of the catalogue with its parameters; page and size are added where it is paged."""

    endpoint: str
    """Name of the row."""
    params: tuple[tuple[str, str], ...] = ()
    fallback: Source | None = None
    """Read instead where the service knows no such endpoint or record."""


class Lookup(msgspec.Struct, frozen=True):
    """A record that is read first because the sources are asked for by one of its fields."""

    source: Source
    field: str
    param: str
    """Parameter of every source that takes the value of the field."""


class ServiceQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A list or a record of the service; asked again it replaces what was read under its key."""

    key: str
    """Under which it is published; chosen by the screen."""
    sources: tuple[Source, ...]
    """Read one after another: those with the newest rows first, archives last."""
    to_end: bool = False
    """Read all pages at once, up to the most rows that are held; else one page for each request."""
    row_id: tuple[str, ...] = ()
    """Fields that tell rows apart, so that a row which two pages or two sources list is held once; empty: hold all."""
    own_only: bool = False
    """Drop rows of other portfolios."""
    missing: str = ""
    """What is said where the service knows no such record."""
    lookup: Lookup | None = None


class MoreRows(msgspec.Struct, frozen=True, kw_only=True):
    """The next page of a list."""

    key: str


class StopQuery(msgspec.Struct, frozen=True, kw_only=True):
    """End what is being read; what was read stays."""

    key: str


ServiceRequest = ServiceQuery | MoreRows | StopQuery


class ReadState(StrEnum):
    """Progress of reading a list."""

    READING = "reading"
    ARCHIVE = "reading the archive"
    PART = "part"
    """More pages can be asked for."""
    WHOLE = "whole"
    FULL = "full"
    """As many rows as are held."""
    STOPPED = "stopped"
    FAILED = "failed"


UNDER_WAY = frozenset([ReadState.READING, ReadState.ARCHIVE])


class ListRead(msgspec.Struct, frozen=True, kw_only=True):
    """An answer as far as it was read. While it is read again, the rows of before stay."""

    query: ServiceQuery
    state: ReadState
    rows: tuple[object, ...] = ()
    """Records of an array or of pages, in the order of the service."""
    data: object = None
    """Any other answer: a record, an object by key, or plain values."""
    total: int = 0
    """Rows that the service says there are; 0: not said yet."""
    code: int = 0
    """Of a refusal of the service."""
    text: str = ""
    """Why it failed, or what is left out."""
    read_ms: int = 0
    """Server time at which the newest part was asked for; 0: nothing was read yet."""

    @property
    def under_way(self) -> bool:
        return self.state in UNDER_WAY


def query_endpoint(
    key: str, endpoint: str, params: tuple[tuple[str, str], ...] = (), *, to_end: bool = False
) -> ServiceQuery:
    """Query one row of the catalogue; `key` and `to_end` as in `ServiceQuery`."""
    return ServiceQuery(key=key, sources=(Source(endpoint, params),), to_end=to_end)
