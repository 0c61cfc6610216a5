"""HTTP server of the page: it answers GET alone, to who came with the token, and changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from importlib import resources
from typing import Protocol

import msgspec
from aiohttp import WSCloseCode, web

from tui.page.access import HEADERS, Access
from tui.page.desk_feed import EVERY_S
from tui.page.snapshot import Snapshot

MOST_VIEWERS = 8
"""Most open streams at once."""
SEND_S = 5.0
"""Longest time that a viewer may take for a message, s; a slower one is closed."""
MOST_MESSAGE = 256 * 1024
"""Largest message, bytes; a larger snapshot is not sent."""
TYPES = {"page.html": "text/html", "page.js": "text/javascript", "page.css": "text/css", "icon.svg": "image/svg+xml"}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def read_file(name: str) -> str:
    """Return the text of one of the page's static files."""
    return resources.files("tui.page").joinpath("static", name).read_text()


class SnapshotSource(Protocol):
    """Source of the current snapshot that the page shows."""

    @property
    def snapshot(self) -> Snapshot: ...


class PageServer:
    """HTTP and WebSocket request handlers of the read-only page."""

    def __init__(self, feed: SnapshotSource, access: Access) -> None:
        self._feed = feed
        self._access = access
        self._files = {name: read_file(name) for name in TYPES}
        self._viewers = 0

    def build(self) -> web.Application:
        """Build the web application with all routes: entry with the token, static files, stream of snapshots."""
        app = web.Application(middlewares=[self._check], client_max_size=1024)
        app.add_routes([
            web.get("/open/{token}", self._enter, allow_head=False),
            web.get("/", self._file("page.html"), allow_head=False),
            web.get("/page.js", self._file("page.js"), allow_head=False),
            web.get("/page.css", self._file("page.css"), allow_head=False),
                web.get("/icon.svg", self._file("icon.svg"), allow_head=False),
            web.get("/stream", self._stream, allow_head=False),
        ])  # fmt: skip
        app.on_response_prepare.append(_put_headers)
        return app

    @web.middleware
    async def _check(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse a request (403) from another site or host, or one without the token or cookie."""
        entering = request.path.startswith("/open/")
        hosts, headers = request.headers.getall("Host", []), request.headers
        why = self._access.why_foreign(hosts, headers.get("Origin"), headers.get("Sec-Fetch-Site"), entering=entering)
        if why:
            return web.Response(status=403, text=why)
        if entering:
            allowed = self._access.is_token(request.path.removeprefix("/open/"))
        else:
            allowed = self._access.is_session(request.cookies.get(self._access.cookie_name))
        if not allowed:
            return web.Response(status=403, text="open the address that crossdesk page has printed")
        try:
            return await handler(request)
        except web.HTTPException as refused:
            # Only texts of our own: what was asked for is not repeated.
            return web.Response(status=refused.status, text=refused.reason, headers=_allow(refused))

    async def _enter(self, request: web.Request) -> web.Response:
        del request
        response = self._answer("page.html")
        response.set_cookie(self._access.cookie_name, self._access.session, httponly=True, samesite="Strict", path="/")
        return response

    def _file(self, name: str) -> Handler:
        async def answer(request: web.Request) -> web.Response:
            del request
            return self._answer(name)

        return answer

    def _answer(self, name: str) -> web.Response:
        return web.Response(text=self._files[name], content_type=TYPES[name], charset="utf-8")

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        """Send snapshots to a viewer over a WebSocket until the viewer sends anything or disconnects."""
        if request.headers.get("Origin") is None:
            return web.Response(status=403, text="a stream is opened by the page alone")
        if self._viewers >= MOST_VIEWERS:
            return web.Response(status=503, text=f"{MOST_VIEWERS} viewers are there already")
        socket = web.WebSocketResponse(heartbeat=20.0, max_msg_size=1024, compress=False)
        self._viewers += 1
        try:
            await socket.prepare(request)
            sending = asyncio.ensure_future(self._send_all(socket))
            try:
                await socket.receive()
            finally:
                sending.cancel()
                await asyncio.gather(sending, return_exceptions=True)
        finally:
            self._viewers -= 1
            await socket.close(code=WSCloseCode.POLICY_VIOLATION)
        return socket

    async def _send_all(self, socket: web.WebSocketResponse) -> None:
        while not socket.closed:
            message = msgspec.json.encode(self._feed.snapshot)
            if len(message) <= MOST_MESSAGE:
                async with asyncio.timeout(SEND_S):
                    await socket.send_str(message.decode())
            await asyncio.sleep(EVERY_S)


def _allow(refused: web.HTTPException) -> dict[str, str]:
    return {"Allow": "GET"} if refused.status == 405 else {}


async def _put_headers(request: web.Request, response: web.StreamResponse) -> None:
    del request
    response.headers.update(HEADERS)
    response.headers["Server"] = "crossdesk"
