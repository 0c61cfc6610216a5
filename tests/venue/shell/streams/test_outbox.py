"""Send queue of a connection: a client that reads at once is not called slow for a simulated distance."""

from __future__ import annotations

import asyncio
from typing import cast

from aiohttp import web

from tui.venue.shell.streams.outbox import MAX_WAITING, Outbox


class Peer:
    """A client that takes every frame at once."""

    def __init__(self) -> None:
        self.taken: list[str] = []

    async def send_str(self, frame: str) -> None:
        self.taken.append(frame)


async def test_frames_under_way_to_a_distant_client_do_not_close_it() -> None:
    peer = Peer()
    outbox = Outbox(cast("web.WebSocketResponse", peer))
    frames = [str(number) for number in range(3 * MAX_WAITING)]
    for frame in frames:
        outbox.send(frame, delay=0.1)
    assert not outbox.closing
    async with asyncio.timeout(30):
        while len(peer.taken) < len(frames):
            await asyncio.sleep(0.01)
    assert peer.taken == frames
    await outbox.finish()


async def test_a_client_that_reads_nothing_is_closed() -> None:
    peer = Peer()
    outbox = Outbox(cast("web.WebSocketResponse", peer))
    for number in range(MAX_WAITING + 1):
        outbox.send(str(number))
    assert outbox.closing
    outbox._task.cancel()
