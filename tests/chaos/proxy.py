"""A faulty network between the workstation and a venue process that may die and come back at another port.

WebSocket frames are delayed, duplicated, reordered and lost with a cut; REST requests are delayed and cut before or after
the venue has answered. Without faults everything passes unchanged. It counts the order actions that pass.
"""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Coroutine
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import aiohttp
from aiohttp import WSMsgType, web
from yarl import URL

T = TypeVar("T")

_KEPT_HEADERS = ("X-MBX-APIKEY", "nonce", "signature", "Content-Type")


class Weather(NamedTuple):
    """Probabilities of the faults, per frame or request; delays in seconds."""

    delay: float = 0.0
    delay_s: float = 0.0
    """Longest delay of a frame or request."""
    duplicate: float = 0.0
    """Of a frame from the private stream."""
    reorder: float = 0.0
    """Of two neighbouring frames from the private stream."""
    rest_cut_before: float = 0.0
    rest_cut_after: float = 0.0


CALM = Weather()
ROUGH = Weather(delay=0.3, delay_s=0.4, duplicate=0.15, reorder=0.15, rest_cut_before=0.05, rest_cut_after=0.05)


class FaultyProxy:
    """Listens on a port of its own; runs on a loop and thread of its own."""

    def __init__(self, source: random.Random) -> None:
        self._random = source
        self._venue: dict[str, Any] | None = None
        self.weather = CALM
        self.faults: Counter[str] = Counter()
        self.actions: Counter[str] = Counter()
        """Order actions the workstation sent, by name."""
        self.placed: Counter[str] = Counter()
        """Place frames by client order id."""
        self.delivered: set[str] = set()
        """Client order ids of place frames that were handed to the venue's socket."""
        self._swallow = False
        self._links: dict[web.WebSocketResponse, None] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="faulty proxy", daemon=True)
        self._thread.start()
        self._port = self._call(self._begin())

    # -- for the run -------------------------------------------------------------------------------------------------

    def connect_to(self, ready: dict[str, Any]) -> None:
        """Use a venue from now on, by its ready line."""
        self._venue = ready

    @property
    def rest_url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def stream_url(self, ready: dict[str, Any], name: str) -> str:
        """The address that stands for a stream of the venue; `name`: its key in the ready line."""
        return f"ws://127.0.0.1:{self._port}{urlsplit(ready[name]).path}"

    def cut(self, *, after_s: float = 0.0) -> None:
        """Cut every WebSocket; frames of the last `after_s` seconds before the cut are lost in both directions."""
        self.faults["cut"] += 1
        self._swallow = after_s > 0
        time.sleep(after_s)
        self._call(self._abort_links())
        self._swallow = False

    def close(self) -> None:
        """End the proxy and its thread."""
        self._call(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    # -- on its loop -------------------------------------------------------------------------------------------------

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    async def _begin(self) -> int:
        self._session = aiohttp.ClientSession(auto_decompress=True)
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        port: int = self._runner.addresses[0][1]
        return port

    async def _end(self) -> None:
        await self._abort_links()
        await self._session.close()
        await self._runner.cleanup()

    async def _abort_links(self) -> None:
        for link in list(self._links):
            transport = link._req.transport if link._req is not None else None
            if transport is not None:
                transport.abort()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        venue = self._venue
        if venue is None:
            return _cut(request)
        if request.headers.get("Upgrade", "").lower() == "websocket":
            return await self._serve_stream(request, venue)
        return await self._serve_rest(request, venue)

    def _strikes(self, fault: str, probability: float) -> bool:
        struck = self._random.random() < probability
        self.faults[fault] += struck
        return struck

    async def _delay(self) -> None:
        if self._strikes("delay", self.weather.delay):
            await asyncio.sleep(self._random.random() * self.weather.delay_s)

    async def _serve_rest(self, request: web.Request, venue: dict[str, Any]) -> web.StreamResponse:
        body = await request.read()
        await self._delay()
        if self._strikes("rest_cut_before", self.weather.rest_cut_before):
            return _cut(request)
        url = URL(venue["rest_url"] + request.raw_path, encoded=True)
        headers = {name: request.headers[name] for name in _KEPT_HEADERS if name in request.headers}
        try:
            async with self._session.request(request.method, url, data=body, headers=headers) as answer:
                text, status, kind = await answer.read(), answer.status, answer.content_type
        except aiohttp.ClientError:
            return _cut(request)
        if self._strikes("rest_cut_after", self.weather.rest_cut_after):
            return _cut(request)
        await self._delay()
        return web.Response(status=status, body=text, content_type=kind)

    async def _serve_stream(self, request: web.Request, venue: dict[str, Any]) -> web.StreamResponse:
        private = request.path == urlsplit(venue["private_ws_url"]).path
        origin = urlsplit(venue["rest_url"]).netloc
        desk = web.WebSocketResponse(compress=False, max_msg_size=0, autoping=False)
        try:
            upstream = await self._session.ws_connect(
                f"ws://{origin}{request.path}", compress=0, max_msg_size=0, autoping=False
            )
        except aiohttp.ClientError:
            return _cut(request)
        async with upstream:
            await desk.prepare(request)
            self._links[desk] = None
            inward = asyncio.create_task(self._pump(upstream, desk, private=private, outward=False))
            try:
                await self._pump(desk, upstream, private=private, outward=True)
            finally:
                self._links.pop(desk, None)
                inward.cancel()
        return desk

    async def _pump(self, source: Any, target: Any, *, private: bool, outward: bool) -> None:
        """Pass frames of one direction on until either side ends."""
        held: Any = None
        async for message in source:
            if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY, WSMsgType.PING, WSMsgType.PONG):
                break
            frame = message.data.encode() if message.type is WSMsgType.TEXT else bytes(message.data)
            if outward and private:
                self._count(frame)
            await self._delay() if private else None
            if self._swallow and private:
                self.faults["lost"] += 1
                continue
            push = private and not outward and b'"channel"' in frame[:64]
            if push and held is None and self._strikes("reorder", self.weather.reorder):
                held = (frame, message.type)
                continue
            if outward and private:
                self._note_delivery(frame)
            try:
                await target.send_frame(frame, message.type)
                if push and self._strikes("duplicate", self.weather.duplicate):
                    await target.send_frame(frame, message.type)
                if held is not None:
                    late, held = held, None
                    await target.send_frame(*late)
            except (ConnectionError, aiohttp.ClientError):
                break
        if not target.closed:
            await target.close()

    def _count(self, frame: bytes) -> None:
        asked = json.loads(frame) if frame.startswith(b"{") else {}
        action = asked.get("action", "")
        if action not in ("", "login"):
            self.actions[action] += 1
        if action == "place_order":
            self.placed[asked["args"]["clientOrderId"]] += 1

    def _note_delivery(self, frame: bytes) -> None:
        if b'"place_order"' in frame:
            self.delivered.add(json.loads(frame)["args"]["clientOrderId"])


def _cut(request: web.Request) -> web.Response:
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=503)
