"""The public stream opens no more connections than a service takes, whatever is wanted."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, cast

import pytest

from tests.client.fakes import FakeClock, until
from tui.client.connection_status import describe_silence
from tui.client.public.stream import NO_ROOM, PublicStream
from tui.client.settings import Timings
from tui.client.signer import Secret, Signer
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.state.quotes import Quotes
from tui.engine.state.tickers import Tickers
from tui.host import SeededRandomSource


class Told:
    """What is said of pairs."""

    def __init__(self) -> None:
        self.said: dict[str, str] = {}

    def on_subscription(self, sym: str, reason: str, *, ok: bool) -> None:
        assert not ok
        self.said[sym] = reason

    def unreadable(self, channel: str, reason: str) -> None: ...

    def public_changed(self) -> None: ...


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (TimeoutError(), "no answer in time"),
        (ConnectionResetError(), "connection lost"),
        (OSError("no route to host"), "no route to host"),
    ],
)
def test_link_errors_are_described_in_words(error: Exception, said: str) -> None:
    assert describe_silence(error) == said


async def test_pairs_beyond_the_public_connections_are_reported(monkeypatch: Any) -> None:
    async def run(self: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr("tui.client.public.connection.PublicConnection.run", run)
    clock, told, updates = FakeClock(), Told(), ConflatingQueue()
    stream = PublicStream(
        "ws://nowhere", session=cast("Any", None), signer=Signer("key", Secret("secret"), clock), clock=clock,
        random_source=SeededRandomSource("0"),
        timings=Timings(public_connections=3, pairs_per_login=4), quotes=Quotes(updates),
        tickers=Tickers(updates), handler=told,
    )  # fmt: skip
    pairs = tuple(f"P{number}" for number in range(15))
    stream.watch(pairs)
    running = asyncio.create_task(stream.run())
    await until(lambda: told.said)
    assert [tuple(one.syms) for one in stream.connections] == [pairs[:4], pairs[4:8], pairs[8:12]]
    assert told.said == dict.fromkeys(pairs[12:], NO_ROOM)
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
