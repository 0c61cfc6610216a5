"""Requests of the screen to read lists or records of the service, and the progress of reading. Times are in ms."""

from __future__ import annotations

from enum import StrEnum

import msgspec

MAX_ROWS = 5_000
"""Most rows held of a list; a narrower window or a filter reaches the others."""


class QuerySource(msgspec.Struct, frozen=True):
    """Endpoint to read, with parameters; page and page size are added for paged endpoints."""

    endpoint: str
    """Catalogue name of the endpoint."""
    params: tuple[tuple[str, str], ...] = ()
    fallback: QuerySource | None = None
    """Source to read instead where the service has no such endpoint or record."""


class Lookup(msgspec.Struct, frozen=True):
    """Record to read before a query, because one of its fields is a parameter of the query."""

    source: QuerySource
    field: str
    param: str
    """Parameter of every source that gets the value of the field."""


class ServiceQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Query of a list or record; a new query with the same key replaces the rows of the old one."""

    key: str
    """Key under which it is published; chosen by the screen."""
    sources: tuple[QuerySource, ...]
    """Sources in reading order: newest rows first, archives last."""
    to_end: bool = False
    """Whether to read all pages up to `MAX_ROWS`; False: one page per request."""
    row_id: tuple[str, ...] = ()
    """Fields that identify a row, so that a row listed on two pages or in two sources is held once; empty: hold all."""
    own_only: bool = False
    """Whether to drop rows of other portfolios."""
    missing: str = ""
    """Text shown when the service has no such record."""
    lookup: Lookup | None = None


class MoreRows(msgspec.Struct, frozen=True, kw_only=True):
    """Request for the next page of a list."""

    key: str


class StopQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Request to stop reading; rows already received stay."""

    key: str
    forget: bool = False
    """Whether nobody needs the rows any more."""


ServiceRequest = ServiceQuery | MoreRows | StopQuery


class ReadState(StrEnum):
    """Progress of reading a list."""

    READING = "reading"
    ARCHIVE = "reading the archive"
    PART = "part"
    """More pages are available."""
    WHOLE = "whole"
    FULL = "full"
    """`MAX_ROWS` rows are held."""
    STOPPED = "stopped"
    FAILED = "failed"


UNDER_WAY = frozenset([ReadState.READING, ReadState.ARCHIVE])


class ListRead(msgspec.Struct, frozen=True, kw_only=True):
    """List as far as it was read; during a repeated read the old rows stay."""

    query: ServiceQuery
    state: ReadState
    rows: tuple[object, ...] = ()
    """Records of an array or of pages, in the service's order."""
    data: object = None
    """Answer of any other shape: a record, an object by key, or plain values."""
    total: int = 0
    """Number of rows according to the service; 0: not known yet."""
    code: int = 0
    """Error code of the service's refusal."""
    text: str = ""
    """Why it failed, or what is missing."""
    read_ms: int = 0
    """Server time of the request for the newest part; 0: nothing was read yet."""

    @property
    def under_way(self) -> bool:
        """Whether further rows are still being read."""
        return self.state in UNDER_WAY


def query_endpoint(
    key: str, endpoint: str, params: tuple[tuple[str, str], ...] = (), *, to_end: bool = False
) -> ServiceQuery:
    """Build a query of one endpoint; `key` and `to_end` are those of `ServiceQuery`."""
    return ServiceQuery(key=key, sources=(QuerySource(endpoint, params),), to_end=to_end)
