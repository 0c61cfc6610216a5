"""Silence on the public stream, in virtual time: the newest path closes after a minute, the older ones never do."""

from __future__ import annotations

import asyncio

import pytest
from websockets.exceptions import ConnectionClosed

from tests.simulation.harness.simulated_host import MemoryConnector
from tests.simulation.harness.stack import HOST, PATH, Stack

pytestmark = pytest.mark.simulation


def lives(path: str, *, say: str = "", times: int = 0) -> float:
    """Virtual seconds until a connection that speaks `times` times, 40 s apart, is closed; 300 when it is not."""
    stack = Stack(1, ("agents", "off"))

    async def scenario() -> float:
        begin = stack.world.now
        async with MemoryConnector(PATH).private_stream(f"ws://{HOST}{path}") as stream:
            for _ in range(times):
                await asyncio.sleep(40)
                await stream.send(say)
                await stream.recv()
            try:
                async with asyncio.timeout(300):
                    await stream.recv()
            except (ConnectionClosed, TimeoutError):
                pass
        return stack.world.now - begin

    return stack.run(scenario)


def test_public_stream_closes_after_a_minute_without_messages() -> None:
    assert 60 <= lives("/marketdata/v2/public") < 62


@pytest.mark.parametrize("say", ['{"ping":1}', "ping", "nonsense"])
def test_any_client_message_keeps_the_public_stream_open(say: str) -> None:
    assert 140 <= lives("/marketdata/v2/public", say=say, times=2) < 142


@pytest.mark.parametrize("path", ["/v1/public", "/v2/public"])
def test_older_public_stream_paths_are_not_closed_when_idle(path: str) -> None:
    assert lives(path) >= 300
