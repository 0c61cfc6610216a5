"""Send queue of a connection: who is called slow, and how many frames are written at once."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from typing import cast

import pytest
from aiohttp import web

from tests.simulation.harness.network import Network
from tests.simulation.harness.simulated_host import MemoryConnector
from tests.simulation.harness.world import World
from tui.venue.shell.streams.outbox import MAX_WAITING, MOST_JOINED, Outbox
from tui.venue.shell.streams.sockets import ClientSocket


class Peer:
    """A client that takes every frame at once."""

    def __init__(self) -> None:
        self.taken: list[str] = []

    async def send_str(self, frame: str) -> None:
        self.taken.append(frame)

    def join_writes(self) -> nullcontext[None]:
        return nullcontext()


async def test_many_delayed_frames_do_not_close_a_distant_client() -> None:
    peer = Peer()
    outbox = Outbox(cast("ClientSocket", peer))
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
    outbox = Outbox(cast("ClientSocket", peer))
    for number in range(MAX_WAITING + 1):
        outbox.send(str(number))
    assert outbox.closing
    outbox._task.cancel()


@pytest.mark.parametrize(
    ("delays", "writes"),
    [([0.0] * 5, 1), ([0.0] * (MOST_JOINED + 1), 2), ([0.0, 0.0, 1.0, 1.0, 2.0], 3)],
    ids=["of one moment", "more than are joined", "of three moments"],
)
def test_frames_that_are_due_together_are_written_at_once(delays: list[float], writes: int) -> None:
    world = World()
    loop = world.loop("venue")
    loop.network = Network()
    frames = [f"{number} at {delay}" for number, delay in enumerate(delays)]
    written: list[bytes] = []

    async def push(request: web.Request) -> web.StreamResponse:
        socket = ClientSocket(compress=False)
        await socket.prepare(request)
        outbox = Outbox(socket)
        loop.network.writes.append(lambda _wire, way, data: written.append(data) if way == "in" else None)
        for frame, delay in zip(frames, delays, strict=True):
            outbox.send(frame, delay)
        await socket.receive()
        await outbox.finish()
        return socket

    async def scenario() -> list[str]:
        application = web.Application()
        application.router.add_get("/ws", push)
        runner = web.AppRunner(application, access_log=None, handle_signals=False)
        await runner.setup()
        await web.UnixSite(runner, "venue").start()
        async with MemoryConnector("venue").private_stream("ws://venue/ws") as stream:
            taken = [str(await stream.recv()) for _ in frames]
        await runner.cleanup()
        return taken

    assert world.run(loop, scenario(), within=60) == frames
    assert len([data for data in written if b" at " in data]) == writes
