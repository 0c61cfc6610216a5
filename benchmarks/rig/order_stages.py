"""Stamps of one intent on its way through the engine: from the caller's thread to the socket, stage by stage.

`stamped` puts stamps around the methods an intent passes, for as long as its block runs; product code knows nothing of it.
One intent at a time: the stamps belong to the newest.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection

from tui.client.private_stream import PrivateStream
from tui.engine.engine import Engine
from tui.engine.journal.journal_file import JournalFile
from tui.engine.journal.writer import SqliteJournal
from tui.engine.life.thread import EngineThread

STAGES = (
    ("to the engine's thread", "submitted", "in engine"),
    ("checks, id, row", "in engine", "to journal"),
    ("to the writer's thread", "to journal", "commit"),
    ("written and synced", "commit", "durable"),
    ("back to the engine", "durable", "journaled"),
    ("checked again", "journaled", "to stream"),
    ("to the socket", "to stream", "at socket"),
    ("call of the socket", "at socket", "written"),
    ("intent to socket", "submitted", "at socket"),
)
"""Name of each stage, and the stamps between which it lies."""


class Stamps:
    """When the newest intent passed which place, monotonic ns."""

    def __init__(self, first: str = "submitted") -> None:
        """`first` is the place where an intent begins."""
        self._first = first
        self.at: dict[str, int] = {}

    def put(self, place: str) -> None:
        """The intent is here; only its first passing counts."""
        if place == self._first:
            self.at = {}
        self.at.setdefault(place, time.monotonic_ns())


def durations(at: Mapping[str, int], stages: Sequence[tuple[str, str, str]] = STAGES) -> dict[str, float]:
    """Duration of each stage, ms; of those that were passed."""
    return {name: (at[end] - at[begin]) / 1e6 for name, begin, end in stages if begin in at and end in at}


@contextmanager
def stamped(stamps: Stamps) -> Iterator[None]:
    """Stamp every intent that is submitted inside the block."""
    changed: list[tuple[type, str, Any]] = []

    def replace(owner: type, name: str, wrap: Callable[[Any], Any]) -> None:
        inner = getattr(owner, name)
        changed.append((owner, name, inner))
        setattr(owner, name, functools.wraps(inner)(wrap(inner)))

    replace(EngineThread, "submit", lambda inner: _before(stamps, "submitted", inner))
    replace(Engine, "submit", lambda inner: _before(stamps, "in engine", inner))
    replace(SqliteJournal, "record", lambda inner: _around_record(stamps, inner))
    replace(JournalFile, "commit", lambda inner: _around_commit(stamps, inner))
    replace(PrivateStream, "send_action", lambda inner: _before(stamps, "to stream", inner))
    replace(ClientConnection, "send_data", lambda inner: _around_write(stamps, inner))
    try:
        yield
    finally:
        for owner, name, inner in changed:
            setattr(owner, name, inner)


def _before(stamps: Stamps, place: str, inner: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        stamps.put(place)
        return inner(*arguments, **named)

    return call


def _around_record(stamps: Stamps, inner: Callable[..., Any]) -> Callable[..., Any]:
    async def record(*arguments: Any, **named: Any) -> Any:
        stamps.put("to journal")
        number = await inner(*arguments, **named)
        stamps.put("journaled")
        return number

    return record


def _around_commit(stamps: Stamps, inner: Callable[..., Any]) -> Callable[..., Any]:
    def commit(file: JournalFile, drafts: Sequence[Any]) -> Any:
        awaited = "to journal" in stamps.at and any(draft.kind == "intent" for draft in drafts)
        if awaited:
            stamps.put("commit")
        numbers = inner(file, drafts)
        if awaited:
            stamps.put("durable")
        return numbers

    return commit


def _around_write(stamps: Stamps, inner: Callable[..., Any]) -> Callable[..., Any]:
    def send_data(*arguments: Any, **named: Any) -> Any:
        if "to stream" in stamps.at:
            stamps.put("at socket")
        result = inner(*arguments, **named)
        if "to stream" in stamps.at:
            stamps.put("written")
        return result

    return send_data
