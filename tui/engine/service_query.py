"""What a screen reads of the service on demand: any reading row of the catalogue, and its answer as far as it was read."""

from __future__ import annotations

import msgspec

from tui.engine.history import UNDER_WAY, ReadState


class ServiceQuery(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the catalogue with its parameters; asked anew it replaces the answer under its key."""

    key: str
    """Under which the answer is published; chosen by the screen."""
    endpoint: str
    """Name of the row."""
    params: tuple[tuple[str, str], ...] = ()
    """Empty values are left out; of a paged row page and size are added."""
    to_end: bool = False
    """Read all pages at once, up to the most rows that are held."""


class MoreRows(msgspec.Struct, frozen=True, kw_only=True):
    """The next page of an answer."""

    key: str


class StopQuery(msgspec.Struct, frozen=True, kw_only=True):
    """End what is being read; what was read stays."""

    key: str


ServiceRequest = ServiceQuery | MoreRows | StopQuery


class ServiceAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer as far as it was read. While it is read anew, the rows of before stay."""

    query: ServiceQuery
    state: ReadState
    rows: tuple[object, ...] = ()
    """Records of an array or of pages, in the order of the service."""
    data: object = None
    """Any other answer: a record, an object by key, or plain values."""
    total: int = 0
    """Rows that the service says there are."""
    code: int = 0
    """Of a refusal of the service."""
    text: str = ""
    """Why it failed, or what is left out."""
    read_ms: int = 0
    """Server time at which the newest part was asked for; 0: nothing was read yet."""

    @property
    def under_way(self) -> bool:
        return self.state in UNDER_WAY
