"""Bytes of a connection cut into what they mean: WebSocket frames and HTTP messages."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import NamedTuple

TEXT = 1
_HEADERS = {
    name: re.compile(rb"^" + name + rb"[ \t]*:(.*)$", re.IGNORECASE | re.MULTILINE)
    for name in (b"content-length", b"content-encoding")
}


class Frame(NamedTuple):
    """One WebSocket frame as it was sent; `payload` without its mask."""

    raw: bytes
    opcode: int
    payload: bytes


class Message(NamedTuple):
    """One HTTP request or response; `first` is its first line."""

    raw: bytes
    first: bytes
    body: bytes
    headers: bytes


class FrameReader:
    """Cuts a byte stream into the HTTP head of the upgrade and the frames that follow it."""

    def __init__(self, *, upgraded: bool = False) -> None:
        self._buffer = b""
        self._upgraded = upgraded

    def feed(self, data: bytes) -> Iterator[Frame]:
        """The whole frames so far; the head of the upgrade comes as a frame with opcode -1."""
        self._buffer += data
        if not self._upgraded:
            head, split, rest = self._buffer.partition(b"\r\n\r\n")
            if not split:
                return
            self._upgraded, self._buffer = True, rest
            yield Frame(head + split, -1, head)
        while (frame := self._next()) is not None:
            yield frame

    def _next(self) -> Frame | None:
        data = self._buffer
        if len(data) < 2:
            return None
        size, at = data[1] & 0x7F, 2
        if size == 126:
            size, at = int.from_bytes(data[2:4], "big"), 4
        elif size == 127:
            size, at = int.from_bytes(data[2:10], "big"), 10
        masked = data[1] & 0x80
        end = at + (4 if masked else 0) + size
        if len(data) < end:
            return None
        payload = data[end - size : end]
        if masked:
            payload = _unmask(payload, data[at : at + 4])
        self._buffer = data[end:]
        return Frame(data[:end], data[0] & 0x0F, payload)


def cut_frames(data: bytes) -> list[bytes]:
    """The frames of one write of a server, each by itself; anything else stays whole."""
    if data.startswith(b"HTTP/"):
        return [data]
    reader = FrameReader(upgraded=True)
    return [frame.raw for frame in reader.feed(data)] or [data]


class HttpReader:
    """Cuts a byte stream into HTTP messages with a Content-Length."""

    def __init__(self) -> None:
        self._buffer = b""

    def feed(self, data: bytes) -> Iterator[Message]:
        """The whole messages so far."""
        self._buffer += data
        while True:
            head, split, rest = self._buffer.partition(b"\r\n\r\n")
            if not split:
                return
            first, _, headers = head.partition(b"\r\n")
            if first.startswith(b"GET "):
                self._buffer = rest
                yield Message(head + split, first, b"", headers)
                continue
            size = _header(headers, b"content-length")
            length = int(size) if size.isdigit() else 0
            if len(rest) < length:
                return
            body, self._buffer = rest[:length], rest[length:]
            raw = head + split + body
            if _header(headers, b"content-encoding") == b"gzip":
                body = zlib.decompress(body, 31)
            yield Message(raw, first, body, headers)


def text_frame(payload: bytes) -> bytes:
    """A text frame as a server sends it."""
    size = len(payload)
    if size < 126:
        return bytes([0x80 | TEXT, size]) + payload
    if size < 65536:
        return bytes([0x80 | TEXT, 126]) + size.to_bytes(2, "big") + payload
    return bytes([0x80 | TEXT, 127]) + size.to_bytes(8, "big") + payload


def _header(headers: bytes, name: bytes) -> bytes:
    found = _HEADERS[name].search(headers)
    return found[1].strip() if found is not None else b""


def _unmask(payload: bytes, mask: bytes) -> bytes:
    size = len(payload)
    key = (mask * (size // 4 + 1))[:size]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(size, "big")
