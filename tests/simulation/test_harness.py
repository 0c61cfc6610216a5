"""The harness itself: one clock, two loops, real libraries over memory."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest
from aiohttp import web

from tests.simulation.harness.network import Network
from tests.simulation.harness.simulated_host import MemoryConnector
from tests.simulation.harness.world import Deadlock, TimeIsUp, World

pytestmark = pytest.mark.simulation


async def _echo(request: web.Request) -> web.StreamResponse:
    socket = web.WebSocketResponse(compress=False)
    await socket.prepare(request)
    async for message in socket:
        await asyncio.sleep(10)
        await socket.send_str(message.data + "!")
    return socket


async def _hello(_request: web.Request) -> web.Response:
    return web.Response(text="hello")


async def _serve() -> web.AppRunner:
    application = web.Application()
    application.router.add_get("/ws", _echo)
    application.router.add_get("/hello", _hello)
    runner = web.AppRunner(application, access_log=None, handle_signals=False)
    await runner.setup()
    await web.UnixSite(runner, "venue").start()
    return runner


def test_real_network_libraries_run_in_memory_in_virtual_time() -> None:
    world = World()
    loop = world.loop("engine")
    loop.network = Network()

    async def scenario() -> tuple[str, str, float]:
        runner = await _serve()
        connector = MemoryConnector("venue")
        pool = connector.http_pool()
        async with aiohttp.ClientSession(connector=pool) as session, session.get("http://venue/hello") as response:
            text = await response.text()
        async with connector.private_stream("ws://venue/ws") as stream:
            await stream.send("hi")
            reply = await stream.recv()
        await runner.cleanup()
        return text, str(reply), world.now

    text, reply, now = world.run(loop, scenario(), within=60)
    assert (text, reply) == ("hello", "hi!")
    assert 10 < now < 20


def test_two_event_loops_share_one_virtual_clock() -> None:
    world = World()
    engine, screen = world.loop("engine"), world.loop("screen")
    seen: list[tuple[str, float]] = []

    async def work() -> None:
        await asyncio.sleep(1)
        screen.call_soon_threadsafe(lambda: seen.append(("screen", screen.time())))
        with pytest.raises(RuntimeError, match="another loop"):
            screen.call_soon(print)
        await asyncio.sleep(1)

    world.run(engine, work())
    assert [(who, round(at, 3)) for who, at in seen] == [("screen", 1.0)]


def test_a_hanging_simulation_is_a_failure() -> None:
    world = World()
    loop = world.loop("engine")

    async def forever() -> None:
        await loop.create_future()

    with pytest.raises(Deadlock):
        world.run(loop, forever())
    with pytest.raises(TimeIsUp):
        world.run(loop, asyncio.sleep(100), within=10)
