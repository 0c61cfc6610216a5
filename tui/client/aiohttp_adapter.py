"""Access to internals of aiohttp; no other module uses its private attributes."""

from __future__ import annotations

import math
from collections.abc import Sized
from types import SimpleNamespace
from typing import Any, Literal, TypeAlias, cast

import aiohttp

from tui.interface.envelope import MAX_FRAME
from tui.protocols import Connector

Message: TypeAlias = tuple[aiohttp.WSMsgType, Any, str | None]
"""Kind, content and extra of a message returned by `receive`."""
_DATA_KINDS = (aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT)
Socket: TypeAlias = "aiohttp.ClientWebSocketResponse[Literal[False]]"


class RequestProgress:
    """Progress of one HTTP request: whether its connection was reused, and whether a response has begun."""

    reused = False
    """Whether it was sent on a connection that had been idle; the service may have closed that meanwhile."""
    answered = False
    """Whether the head of an answer arrived."""

    def was_closed_while_idle(self, error: BaseException) -> bool:
        """Report whether the connection probably broke because it had been idle: reused, and no response byte arrived."""
        if not self.reused or self.answered:
            return False
        if isinstance(error, aiohttp.ServerDisconnectedError):
            return isinstance(error.message, str)  # otherwise it is the received part of a head
        return isinstance(error, aiohttp.ClientOSError | aiohttp.ClientConnectionResetError)


def open_session(connector: Connector) -> aiohttp.ClientSession:
    """Open an HTTP session that repeats no request, follows no redirect and uses no proxy from the environment."""
    pool = connector.http_pool()
    # aiohttp rounds timeouts of a pool above 5 s up to whole seconds of its loop.
    pool._timeout_ceil_threshold = math.inf
    tracing = aiohttp.TraceConfig()
    # A stream's upgrade has no `allow_redirects`; the login would go wherever the answer points.
    tracing.on_request_redirect.append(_refuse_redirect)
    tracing.on_connection_reuseconn.append(_note_reuse)
    session = aiohttp.ClientSession(connector=pool, trust_env=False, auto_decompress=True, trace_configs=[tracing])
    # aiohttp resends GET, PUT and DELETE on a reused connection that broke: a cancel could go out twice.
    session._retry_connection = False
    return session


async def _refuse_redirect(
    _session: aiohttp.ClientSession, _context: object, redirect: aiohttp.TraceRequestRedirectParams
) -> None:
    raise aiohttp.ClientConnectionError(f"the service redirects with status {redirect.response.status}; not followed")


async def _note_reuse(
    _session: aiohttp.ClientSession, context: SimpleNamespace, _reuse: aiohttp.TraceConnectionReuseconnParams
) -> None:
    progress = context.trace_request_ctx
    if isinstance(progress, RequestProgress):
        progress.reused = True


def close_idle(session: aiohttp.ClientSession) -> None:
    """Close idle connections, so that the next request opens a new one."""
    pool = session.connector
    if pool is None:
        return
    for waiting in pool._conns.values():
        for protocol, _since in waiting:
            protocol.close()
    pool._conns.clear()


async def open_socket(session: aiohttp.ClientSession, url: str) -> Socket:
    """Open a WebSocket of the public stream: without compression, with a frame size limit, text frames as bytes.

    Raises:
        OSError, aiohttp.ClientError: It cannot be opened.
    """
    return await session.ws_connect(
        url,
        compress=0,
        max_msg_size=MAX_FRAME,
        autoping=True,
        timeout=aiohttp.ClientWSTimeout(ws_close=0.5),
        decode_text=False,
    )


def frames_waiting(socket: Socket) -> Sized:
    """Return the received messages not read yet; while there are any, `receive` does not yield to the event loop."""
    return cast(Sized, socket._reader._buffer)


def data_waits(socket: Socket) -> bool:
    """Report whether the next message has already arrived and is data, not a ping or the end of the connection."""
    waiting = socket._reader._buffer
    return bool(waiting) and waiting[0][0][0] in _DATA_KINDS


async def take_waiting(socket: Socket, most: int) -> list[Message]:
    """Take at most `most` data messages that have already arrived, without yielding to the event loop.

    Other messages are left to `receive`, which answers pings and closes.
    """
    # Straight from the queue: a third of the cost of `receive`.
    waiting, read = socket._reader._buffer, socket._reader.read
    messages: list[Message] = []
    while waiting and len(messages) < most and waiting[0][0][0] in _DATA_KINDS:
        messages.append(await read())
    return messages


def hold_reading(socket: Socket) -> None:
    """Pause reading from the socket; incoming data waits in the operating system."""
    connection = socket._response.connection
    if connection is not None and connection.transport is not None:
        connection.transport.pause_reading()


def go_on_reading(socket: Socket) -> None:
    """Resume reading from the socket, unless aiohttp itself has paused it."""
    connection = socket._response.connection
    if connection is not None and connection.transport is not None:
        protocol = connection.protocol
        if protocol is None or not (protocol._reading_paused or protocol._buffer_paused):
            connection.transport.resume_reading()


def abort(socket: Socket | None) -> None:
    """Drop a connection at once, without waiting for the close handshake of a peer that may not answer."""
    connection = socket._response.connection if socket is not None else None
    if connection is not None and connection.transport is not None:
        connection.transport.abort()
