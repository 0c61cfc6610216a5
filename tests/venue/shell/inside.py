"""The venue's own server on this process's loop, so that a test can look at the exchange behind the sockets."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode

import aiohttp
import msgspec
from aiohttp import web

from tests import edition
from tests.venue.core.seeded import Seeded
from tests.venue.shell.strangers.test_stranger import Stranger
from tui.host import HostClock
from tui.interface import decimals, signing
from tui.interface.streams import PRIVATE_PATH, PUBLIC_PATH
from tui.venue.core.events import Event, PrivateEvent
from tui.venue.core.exchange import Exchange
from tui.venue.shell.key_secrets import KeySecrets
from tui.venue.shell.keys import Key
from tui.venue.shell.runtime import RowStore, Runtime
from tui.venue.shell.server import Server, make_keys
from tui.venue.shell.storage.store import MemoryStore
from tui.venue.shell.switches import split_settings


class Inside:
    """A served exchange, its keys by name, and signed REST calls."""

    def __init__(self, *switches: tuple[str, str], seed: str = "inside", store: RowStore | None = None) -> None:
        decimals.setup()
        clock, random_source = HostClock(), Seeded(seed)
        settings = [("latency", "test"), ("rate_profile", "off"), *edition.switches().items(), *switches]
        shell, core = split_settings(settings)
        self.exchange = Exchange(random_source=random_source, start_ms=int(clock.wall() * 1000), switches=core)
        self.runtime = Runtime(
            self.exchange,
            store=store or MemoryStore(),
            clock=clock,
            random_source=random_source.stream("shell"),
            switches=shell,
        )
        secrets = iter(f"{number:032x}" for number in range(1, 100))
        self.keys: dict[str, Key] = {key.name: key for key in make_keys(self.exchange, lambda: next(secrets))}
        self.server = Server(self.runtime, self.keys.values(), KeySecrets("master"))
        self.told: list[Event] = []
        self.runtime.listen(self._hear)

    def _hear(self, events: Sequence[Event]) -> None:
        self.told += [event for event in events if isinstance(event, PrivateEvent)]

    async def open(self) -> None:
        await self.server.runner.setup()
        await web.TCPSite(self.server.runner, "127.0.0.1", 0).start()
        self.port = self.server.runner.addresses[0][1]
        self.server.accept_hosts([f"127.0.0.1:{self.port}"])
        self.http = aiohttp.ClientSession()
        self.runtime.start()

    async def close(self) -> None:
        await self.http.close()
        self.server.drop_connections()
        self.runtime.stop()
        await self.server.runner.cleanup()

    @property
    def private_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}{PRIVATE_PATH}"

    @property
    def public_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}{PUBLIC_PATH}?binary=false"

    def stranger(self, name: str = "main") -> Stranger:
        return Stranger(self.private_url, self.keys[name].api_key, self.keys[name].api_secret)

    async def raw(
        self, method: str, path: str, params: dict[str, str] | None = None, *, key: str = "main"
    ) -> tuple[int, dict[str, Any]]:
        """A signed call; the HTTP status and the envelope."""
        params, nonce = params or {}, str(int(time.time()))
        headers = {
            "X-MBX-APIKEY": self.keys[key].api_key,
            "nonce": nonce,
            "signature": signing.sign_request(self.keys[key].api_secret, params, nonce),
            "Content-Type": "application/json",
        }
        query = "?" + urlencode(params) if method == "GET" and params else ""
        body = None if method == "GET" else msgspec.json.encode(params)
        url = f"http://127.0.0.1:{self.port}{path}{query}"
        async with self.http.request(method, url, data=body, headers=headers) as response:
            return response.status, await response.json()

    async def data(self, method: str, path: str, params: dict[str, str] | None = None, *, key: str = "main") -> Any:
        """The data of a call that must succeed."""
        _, answer = await self.raw(method, path, params, key=key)
        assert answer["code"] in (200000, 200), answer
        return answer["data"]


@asynccontextmanager
async def inside(*switches: tuple[str, str], seed: str = "inside") -> AsyncIterator[Inside]:
    """A running one."""
    venue = Inside(*switches, seed=seed)
    await venue.open()
    try:
        yield venue
    finally:
        await venue.close()
