"""A service that misbehaves on request: a proxy between the workstation and a real venue process.

As long as nothing is asked of it, it passes everything on unchanged. It counts what the workstation sends.
"""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import aiohttp
from aiohttp import WSMsgType, web
from yarl import URL

HOSTILE: list[str] = [
    line.encode().decode("unicode_escape").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    for line in (Path(__file__).parent.parent / "data" / "hostile.txt").read_text().splitlines()
    if line and not line.startswith("#")
]
"""Texts that a terminal or a markup parser could take as an order."""

T = TypeVar("T")

_KEPT_HEADERS = ("X-MBX-APIKEY", "nonce", "signature", "Content-Type")


class Answer(NamedTuple):
    """A REST answer."""

    status: int
    body: bytes
    content_type: str = "application/json"


class Login(NamedTuple):
    """A login as it arrived; it was sent at some moment between the two."""

    after: float
    """When the connection it came on began to be opened, monotonic s."""
    at: float
    """When it was here, monotonic s."""


RestChange = Callable[[str, Answer], Answer]
"""Path and honest answer in, the answer that is given out."""
ReplyChange = Callable[[dict[str, Any]], dict[str, Any] | None]
"""Reply to a stream action in, the reply that is given out; None: it is lost."""
Refusal = Callable[[dict[str, Any]], dict[str, Any]]
"""Order action in, code and text of a refusal out; the action never gets to the venue."""


class MisbehavingService:
    """Stands in front of a venue; starts its own loop on its own thread."""

    def __init__(self, ready: dict[str, Any]) -> None:
        """
        Args:
            ready: Ready line of the venue behind.
        """
        self._venue = ready
        self.change_rest: RestChange | None = None
        self.change_reply: ReplyChange | None = None
        self.refuse: Refusal | None = None
        self.hold_pushes = False
        """Whether pushes are lost."""
        self.clock_ahead = 0
        """Seconds its clock is ahead of everybody else's; other stamps are refused then."""
        self.private_logins: list[Login] = []
        """Logins on the private stream."""
        self.public_logins: list[float] = []
        self.rest_calls: list[str] = []
        """Paths of the REST calls."""
        self.actions: list[dict[str, Any]] = []
        """Order actions the workstation sent, as they were."""
        self.subscriptions = 0
        """Subscriptions of quotes that were asked for."""
        self.private_connections = 0
        """Private connections that were coupled with the venue, so that a cut reaches them."""
        self._private_began = 0.0
        self.public_connections = 0
        """The same of the public stream."""
        self._private: set[web.WebSocketResponse] = set()
        self._public: set[web.WebSocketResponse] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="misbehaving service", daemon=True)
        self._thread.start()
        self._port = self._on_loop(self._begin())

    # -- for the tests ------------------------------------------------------------------------------------------

    @property
    def rest_url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def private_ws_url(self) -> str:
        return f"ws://127.0.0.1:{self._port}{urlsplit(self._venue['private_ws_url']).path}"

    @property
    def public_ws_url(self) -> str:
        return f"ws://127.0.0.1:{self._port}{urlsplit(self._venue['public_ws_url']).path}"

    def behave(self) -> None:
        """Pass everything on unchanged from now on."""
        self.change_rest = None
        self.change_reply = None
        self.refuse = None
        self.hold_pushes = False
        self.clock_ahead = 0

    def push(self, channel: str, data: Any) -> None:
        """Send a push of its own invention on the private stream."""
        self.send_private(json.dumps({"channel": channel, "data": data}).encode())

    def send_private(self, *frames: bytes, binary: bool = False) -> None:
        """Send frames as they are on the private stream."""
        kind = WSMsgType.BINARY if binary else WSMsgType.TEXT
        self._on_loop(_send(self._private, frames, kind))

    def send_public(self, *frames: bytes, binary: bool = True) -> None:
        """Send frames as they are on the public stream."""
        kind = WSMsgType.BINARY if binary else WSMsgType.TEXT
        self._on_loop(_send(self._public, frames, kind))

    def cut_private(self) -> None:
        """End the private connections without a word."""
        self._on_loop(_cut(self._private))

    def cut_public(self) -> None:
        """End the public connections without a word, and wait for the quotes to be asked for again."""
        before = self.subscriptions
        self._on_loop(_cut(self._public))
        deadline = time.monotonic() + 20
        while self.subscriptions == before:
            assert time.monotonic() < deadline, "the quotes were not asked for again"
            time.sleep(0.01)

    def close(self) -> None:
        """End the service and its thread."""
        self._on_loop(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    # -- the service --------------------------------------------------------------------------------------------

    def _on_loop(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _begin(self) -> int:
        self._session = aiohttp.ClientSession(auto_decompress=True)
        app = web.Application()
        app.router.add_get(urlsplit(self._venue["private_ws_url"]).path, self._serve_private)
        app.router.add_get(urlsplit(self._venue["public_ws_url"]).path, self._serve_public)
        app.router.add_route("*", "/{path:.*}", self._serve_rest)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port: int = self._runner.addresses[0][1]
        return port

    async def _end(self) -> None:
        await _cut(self._private | self._public)
        await self._session.close()
        await self._runner.cleanup()

    async def _serve_rest(self, request: web.Request) -> web.Response:
        path = request.path
        self.rest_calls.append(path)
        url = URL(self._venue["rest_url"] + request.raw_path, encoded=True)
        headers = {name: request.headers[name] for name in _KEPT_HEADERS if name in request.headers}
        async with self._session.request(request.method, url, data=await request.read(), headers=headers) as answer:
            given = Answer(answer.status, await answer.read())
        if self.clock_ahead:
            refusal = {"code": 7000, "message": f"nonce {request.headers.get('nonce', '')} is not within 60 s"}
            given = Answer(200, json.dumps({**refusal, "data": {}}).encode())
        if self.change_rest is not None:
            given = self.change_rest(path, given)
        return web.Response(status=given.status, body=given.body, content_type=given.content_type)

    async def _serve_private(self, request: web.Request) -> web.WebSocketResponse:
        self._private_began = time.monotonic()
        return await self._join(request, self._private, self._venue["private_ws_url"], self._from_desk, self._reply)

    async def _serve_public(self, request: web.Request) -> web.WebSocketResponse:
        url = self._venue["public_ws_url"]
        return await self._join(request, self._public, url, self._from_desk, self._pong)

    async def _join(
        self,
        request: web.Request,
        members: set[web.WebSocketResponse],
        url: str,
        outward: Callable[[bool, bytes], bytes | None],
        inward: Callable[[bytes], bytes | None],
    ) -> web.WebSocketResponse:
        """Couple one connection of the workstation with one to the venue; each frame may be changed or lost."""
        desk = web.WebSocketResponse(compress=False, max_msg_size=0)
        await desk.prepare(request)
        async with self._session.ws_connect(url, compress=0, max_msg_size=0) as venue:
            members.add(desk)
            if members is self._public:
                self.public_connections += 1
            else:
                self.private_connections += 1

            async def to_desk() -> None:
                async for message in venue:
                    if message.type in (WSMsgType.TEXT, WSMsgType.BINARY):
                        data = message.data.encode() if message.type is WSMsgType.TEXT else message.data
                        given = inward(data)
                        if given is not None:
                            await desk.send_frame(given, message.type)
                await desk.close()

            pump = asyncio.create_task(to_desk())
            try:
                async for message in desk:
                    if message.type is WSMsgType.TEXT:
                        given = outward(members is self._public, message.data.encode())
                        if given is not None:
                            await venue.send_str(given.decode())
                        elif not desk.closed:
                            await desk.send_str(self._own_answer(message.data, members is self._public))
            finally:
                members.discard(desk)
                pump.cancel()
        return desk

    def _from_desk(self, public: bool, frame: bytes) -> bytes | None:
        """Count what the workstation sends; None: it is answered here."""
        if not frame.startswith(b"{"):
            return frame
        asked = json.loads(frame)
        action = asked.get("action")
        if action == "login":
            if public:
                self.public_logins.append(time.monotonic())
            else:
                self.private_logins.append(Login(self._private_began, time.monotonic()))
            return None if self.clock_ahead else frame
        self.subscriptions += asked.get("event") == "subscribe"
        if action is not None:
            self.actions.append(asked)
            return frame if self.refuse is None else None
        return frame

    def _own_answer(self, text: str, public: bool) -> str:
        asked = json.loads(text)
        if asked.get("action") != "login" and self.refuse is not None:
            return json.dumps({"id": asked["id"], "event": asked["action"], "data": None, **self.refuse(asked)})
        if public:
            return json.dumps({"id": None, "event": "login", "code": "10001", "msg": "auth failed"})
        words = f"timestamp {asked['args']['timestamp']} is not within 30 s"
        return json.dumps({"id": asked["id"], "event": "login", "code": 60009, "msg": words, "data": None})

    def _reply(self, frame: bytes) -> bytes | None:
        if not frame.startswith(b"{") or not (self.hold_pushes or self.change_reply):
            return frame
        said = json.loads(frame)
        if self.hold_pushes and "channel" in said:
            return None
        if self.change_reply is None or "channel" in said or said.get("event") == "login":
            return frame
        changed = self.change_reply(said)
        return None if changed is None else json.dumps(changed).encode()

    def _pong(self, frame: bytes) -> bytes | None:
        if not self.clock_ahead:
            return frame
        said = json.loads(gzip.decompress(frame))
        if "pong" in said:
            said["pong"] += self.clock_ahead * 1000
        return gzip.compress(json.dumps(said).encode())


async def _send(members: set[web.WebSocketResponse], frames: tuple[bytes, ...], kind: WSMsgType) -> None:
    """To every connection; one that the workstation ends meanwhile takes no more."""
    for member in list(members):
        with suppress(aiohttp.ClientConnectionResetError):
            for frame in frames:
                await member.send_frame(frame, kind)


async def _cut(members: set[web.WebSocketResponse]) -> None:
    for member in list(members):
        transport = member._req.transport if member._req is not None else None
        if transport is not None:
            transport.abort()


# -- hostile texts -----------------------------------------------------------------------------------------------

IDENTITY = frozenset(
    ["portfolioId", "orderId", "positionId", "transactionId", "sym", "exchangeType", "coin", "updateAt", "createAt"]
)
"""Fields that say whose and which record it is; with another value it would be another record."""


class Hostile:
    """Replaces texts by hostile ones, each in its turn."""

    def __init__(self, *, keep: frozenset[str] = IDENTITY) -> None:
        self._turn: Iterator[str] = itertools.cycle(HOSTILE)
        self._keep = keep

    def record(self, value: Any) -> Any:
        """A record with every text replaced, and with fields nobody knows added."""
        if isinstance(value, dict):
            changed = {key: item if key in self._keep else self.record(item) for key, item in value.items()}
            return {**changed, next(self._turn): next(self._turn), "nobodyKnows": [next(self._turn)]}
        if isinstance(value, list):
            return [self.record(item) for item in value]
        return next(self._turn) if isinstance(value, str) else value

    def rest(self, path: str, given: Answer) -> Answer:
        """A REST answer with hostile texts in the message and in all records."""
        said = json.loads(given.body)
        said["message"] = next(self._turn)
        data = said.get("data")
        if path.endswith("/sym/info") and isinstance(data, dict):
            rows = {sym: self._rules(row) for sym, row in data.items()}
            said["data"] = {**rows, **{text: self._rules(row) for text in HOSTILE for row in [rows[next(iter(rows))]]}}
        elif isinstance(data, dict) and isinstance(data.get("list"), list):
            said["data"] = {**data, "list": self.record(data["list"])}
        elif data is not None:
            said["data"] = self.record(data)
        return Answer(given.status, json.dumps(said).encode())

    def _rules(self, row: dict[str, Any]) -> dict[str, Any]:
        """Rules of a pair: the words are hostile, the figures stay what an order needs."""
        words = {name: next(self._turn) for name in ("originalSymbol", "defaultLeverage", "liquidationFee")}
        return {**row, **words, next(self._turn): next(self._turn)}


def in_pieces(texts: list[str], size: int) -> list[str]:
    """The texts joined into as few pieces of a limited length as they fit in, in order; longer ones are cut."""
    pieces = [""]
    for text in texts:
        if len(pieces[-1]) + len(text) > size:
            pieces.append("")
        pieces[-1] += text[:size] + " "
    return pieces


# -- profiles ----------------------------------------------------------------------------------------------------

KEY_NAMES = {"key_env": "DESK_KEY", "secret_env": "DESK_SECRET"}


def write_profile(
    home: Path, *, rest: str, private: str, public: str, portfolio: str, algo: str = "", more: str = "", fps: int = 60
) -> None:
    """A config file with one profile named `desk`: a typed name `main`, no bell, keys that count at once.

    Its markets stand still, so that the age of quotes raises no question.

    Args:
        home: CROSSDESK_HOME of the run.
        rest: Base address of REST.
        private: Address of the private stream.
        public: Address of the public stream.
        portfolio: Portfolio id of the key.
        algo: Address of the algo stream; empty: the profile names none.
        more: Further TOML tables.
        fps: Most frames of market data a second.
    """
    values = {
        "rest_url": rest,
        "private_ws_url": private,
        "public_ws_url": public,
        "portfolio": portfolio,
        "portfolio_name": "main",
        **({"algo_ws_url": algo} if algo else {}),
        **KEY_NAMES,
    }
    at_once = ["key_max_age_ms = 10000", "confirm_arm_ms = 0"]
    lines = ["[workstation]", "bell = false", *at_once, f"fps = {fps}", "", "[profile.desk]"]
    lines += [f"{name} = {json.dumps(value)}" for name, value in values.items()]
    for folder in (home, home / "config"):
        folder.mkdir(mode=0o700, exist_ok=True)
    path = home / "config" / "config.toml"
    daily = (
        "" if "[engine.limits]" in more else "[engine.limits]\nfirst_of_day = false\nstale = 3600\nred_after = 3600\n"
    )
    path.write_text("\n".join([*lines, "", daily, more]))
    path.chmod(0o600)
