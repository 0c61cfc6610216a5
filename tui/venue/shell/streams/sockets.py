"""Adapter of aiohttp's server WebSocket for features it has no public interface for.

It rejects unmasked frames of a client, which aiohttp accepts, writes several frames with one call of the system, and
drops a connection without a close frame. No other module of the venue uses private attributes of aiohttp.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import WebSocketError, WSCloseCode, web

_MASKED = 0x80
_LENGTH = 0x7F
_MASK_BYTES = 4


class ClientSocket(web.WebSocketResponse):
    """Server WebSocket that closes with code 1002 when a client sends an unmasked frame, and can join frames it sends."""

    _joined: _JoinedWrites

    def _post_start(self, request: web.BaseRequest, protocol: str | None, writer: Any) -> None:
        # Bytes sent with the upgrade have already been read, so check them here.
        early: bytes = request.protocol._message_tail
        super()._post_start(request, protocol, writer)
        guard = _MaskCheck(self._parser, self._reader)
        guard.look(early)
        request.protocol._payload_parser = guard
        self._joined = writer.transport = _JoinedWrites(writer.transport)

    @contextmanager
    def join_writes(self) -> Iterator[None]:
        """Hold back the frames sent inside the block, and write them together at its end."""
        self._joined.hold()
        try:
            yield
        finally:
            self._joined.release()


def abort(socket: web.WebSocketResponse) -> None:
    """Drop the connection at once, as a broken network would; no effect before the WebSocket is open."""
    request = socket._req
    if request is not None and request.transport is not None:
        request.transport.abort()


class _JoinedWrites:
    """Transport of aiohttp's WebSocket writer that can join several writes into one."""

    def __init__(self, transport: Any) -> None:
        self._transport = transport
        self._held: list[bytes] = []
        self._holds = False

    def is_closing(self) -> bool:
        closing: bool = self._transport.is_closing()
        return closing

    def write(self, data: bytes) -> None:
        if self._holds:
            self._held.append(data)
        else:
            self._transport.write(data)

    def hold(self) -> None:
        self._holds = True

    def release(self) -> None:
        """Write what was held back; nothing to a connection that was dropped meanwhile."""
        self._holds = False
        held, self._held = self._held, []
        if held and not self.is_closing():
            self._transport.write(b"".join(held))


class _MaskCheck:
    """Check that incoming frames are masked, run before aiohttp's parser; an unmasked one is a protocol error."""

    def __init__(self, parser: Any, queue: Any) -> None:
        self._parser = parser
        self._queue = queue
        self._head = b""
        self._skip = 0
        """Bytes left of the payload of the current frame."""
        self._refused = False

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        if self._refused or not self.look(data):
            return True, b""
        answer: tuple[bool, bytes] = self._parser.feed_data(data)
        return answer

    def feed_eof(self) -> None:
        self._parser.feed_eof()

    def look(self, data: bytes) -> bool:
        """Check the headers of frames that begin in these bytes; return False for an unmasked frame."""
        while data:
            if self._skip:
                skipped = min(self._skip, len(data))
                self._skip -= skipped
                data = data[skipped:]
                continue
            self._head, data = self._head + data[:1], data[1:]
            if len(self._head) >= 2 and not self._head[1] & _MASKED:
                self._refused = True
                error = WebSocketError(WSCloseCode.PROTOCOL_ERROR, "client sent an unmasked frame")
                self._queue.set_exception(error)
                return False
            self._follow()
        return True

    def _follow(self) -> None:
        """Skip the payload of a frame whose header has been read."""
        if len(self._head) < 2:
            return
        length = self._head[1] & _LENGTH
        wide = {126: 2, 127: 8}.get(length, 0)
        if len(self._head) < 2 + wide:
            return
        size = int.from_bytes(self._head[2 : 2 + wide]) if wide else length
        self._skip = size + _MASK_BYTES
        self._head = b""
