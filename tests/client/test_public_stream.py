"""The public stream opens no more connections than a service takes, whatever is wanted."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from tests.client.fakes import FakeClock
from tui.client.public_stream import PublicStream
from tui.client.settings import Timings
from tui.client.signer import Secret, Signer


class Told:
    """What is said of pairs: by the connection's handler, and to the quotes alone."""

    def __init__(self) -> None:
        self.said: dict[str, str] = {}
        self.refused: list[str] = []

    def subscribed(self, sym: str, ok: bool, reason: str = "") -> None:
        assert not ok
        if reason:
            self.said[sym] = reason
        else:
            self.refused.append(sym)


async def test_connections_are_bounded_and_the_rest_is_refused(monkeypatch: Any) -> None:
    async def run(self: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr("tui.client.public_connection.PublicConnection.run", run)
    clock, told = FakeClock(), Told()
    stream = PublicStream(
        "ws://nowhere", session=None, signer=Signer("key", Secret("secret"), clock), clock=clock, random_source=None,
        timings=Timings(public_connections=3, pairs_per_login=4), quotes=told, tickers=None, handler=told,
    )  # type: ignore[arg-type]  # fmt: skip
    pairs = tuple(f"P{number}" for number in range(15))
    stream.watch(pairs)
    running = asyncio.create_task(stream.run())
    while not told.said:
        await asyncio.sleep(0)
    assert [tuple(one.syms) for one in stream.connections] == [pairs[:4], pairs[4:8], pairs[8:12]]
    assert told.said == {"P12": "every connection that may be opened is full, nor 2 more pairs"}
    assert told.refused == ["P13", "P14"]
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
