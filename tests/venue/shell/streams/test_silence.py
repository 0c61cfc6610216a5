"""Silent connections of the private and the algo stream, in virtual time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest
import websockets
from aiohttp import web
from websockets.asyncio.client import ClientConnection

from tests import edition
from tests.simulation.harness.network import Network
from tests.simulation.harness.simulated_host import MemoryConnector, VirtualClock
from tests.simulation.harness.world import World
from tui.host import SeededRandomSource
from tui.interface import decimals, signing
from tui.interface.streams import ALGO_PATH, PRIVATE_PATH
from tui.venue.core.exchange import Exchange
from tui.venue.shell.key_secrets import KeySecrets
from tui.venue.shell.runtime import Runtime
from tui.venue.shell.server import Server, make_keys
from tui.venue.shell.storage.store import MemoryStore
from tui.venue.shell.switches import split_settings

T = TypeVar("T")


@pytest.mark.parametrize("path", [PRIVATE_PATH, ALGO_PATH])
@pytest.mark.parametrize(("pings", "ends"), [((), 30), ((10, 10), 50), ((29,), 59)])
def test_a_private_stream_closes_after_30_s_without_traffic(path: str, pings: tuple[int, ...], ends: int) -> None:
    assert lasts(path, pings, login=True) == (ends, 1001)


@pytest.mark.parametrize("path", [PRIVATE_PATH, ALGO_PATH])
@pytest.mark.parametrize("pings", [(), (4, 4), (9,)])
def test_a_private_stream_without_login_closes_after_ten_seconds(path: str, pings: tuple[int, ...]) -> None:
    assert lasts(path, pings, login=False) == (10, 1008)


def lasts(path: str, pings: tuple[int, ...], *, login: bool) -> tuple[int, int | None]:
    """Whole virtual seconds until the venue closes a connection, and the code of its close."""

    async def wait(stream: ClientConnection, world: World) -> tuple[int, int | None]:
        begun = world.now
        for gap in pings:
            await asyncio.sleep(gap)
            await stream.send("ping")
            assert await stream.recv() == "pong"
        with pytest.raises(websockets.ConnectionClosed):
            await stream.recv()
        return int(world.now - begun), stream.close_code

    return on_stream(path, wait, login=login)


@pytest.mark.parametrize("path", [PRIVATE_PATH, ALGO_PATH])
@pytest.mark.parametrize(("latency", "least", "most"), [("test", 0, 5), ("normal", 6, 125), ("bad", 90, 1805)])
def test_a_stream_ping_has_the_configured_latency_of_commands(path: str, latency: str, least: int, most: int) -> None:
    """The round trip that a client shows is that of its commands; the network itself takes 2 ms."""

    async def ask(stream: ClientConnection, world: World) -> float:
        begun = world.now
        await stream.send("ping")
        assert await stream.recv() == "pong"
        return world.now - begun

    assert least <= round(on_stream(path, ask, login=True, latency=latency) * 1000) <= most


def on_stream(
    path: str, talk: Callable[[ClientConnection, World], Awaitable[T]], *, login: bool, latency: str = "test"
) -> T:
    """What a talk with a venue on one connection comes to, in virtual time."""
    decimals.setup()
    world = World()
    loop = world.loop("venue")
    loop.network = Network()
    clock, random_source = VirtualClock(world), SeededRandomSource(1)
    shell, core = split_settings([("agents", "off"), ("latency", latency), *edition.switches().items()])
    exchange = Exchange(random_source=random_source, start_ms=int(clock.wall() * 1000), switches=core)
    runtime = Runtime(exchange, store=MemoryStore(), clock=clock, random_source=random_source, switches=shell)
    keys = make_keys(exchange, iter(f"{number:032x}" for number in range(1, 100)).__next__)
    server = Server(runtime, keys, KeySecrets("master"))

    async def scenario() -> T:
        await server.runner.setup()
        await web.UnixSite(server.runner, "venue").start()
        server.accept_hosts(["venue.test"])
        runtime.start()
        connector = MemoryConnector("venue")
        async with connector.private_stream(f"ws://venue.test{path}") as stream:
            if login:
                stamp = str(int(clock.wall()))
                args = {"apiKey": keys[0].api_key, "timestamp": stamp}
                args["sign"] = signing.sign_login(keys[0].api_secret, stamp)
                await stream.send(json.dumps({"action": "login", "args": args}))
                await stream.recv()
            found = await talk(stream, world)
        runtime.stop()
        await server.runner.cleanup()
        return found

    return world.run(loop, scenario(), within=120)
