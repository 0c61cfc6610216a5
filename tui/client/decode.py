"""Decoding of received data: size checks first, then one parse, and text cleaning only for frames that need it.

Of two equal keys the parser keeps the last. Frames of the private stream and answers about orders with a repeated key
are refused, because another parser could keep the other value. Quotes and rules are not checked: they are too frequent
or too large, and no order changes its state because of them.
"""

from __future__ import annotations

import json
import re
import zlib
from decimal import Decimal
from typing import Any, Generic, TypeVar

import msgspec

from tui.crossdesk_error import CrossdeskError
from tui.interface import text
from tui.interface.envelope import MAX_FRAME
from tui.interface.text import BACKSLASH, DELETE

MAX_DEPTH = 32
"""Deepest nesting of objects and lists that is accepted."""

LONG_FRAME = 64 * 1024
"""Size of frames from which on the length of texts is checked, bytes."""

SHORT_FRAME = 512
"""Size of frames below which nesting cannot harm the parser, bytes."""

NATURALLY_BOUNDED = MAX_FRAME // 1032
"""Size of packed frames that cannot exceed the limit: deflate expands a byte to 1032 at most."""

GZIP = 31
"""Window bits of zlib for gzip streams."""

TYPICAL_SIZE = 1024
"""Size that most messages do not exceed, bytes."""

MAX_TEXT_NUMBER = 40
_TREE = msgspec.json.Decoder(float_hook=len)
"""Decoder for keys alone; figures are ignored."""
_ESCAPED = re.compile(rb"\\.", re.DOTALL)
_ONE_KIND = bytes.maketrans(b"{}", b"[]")
_NO_MARKS = bytes(code for code in range(256) if code not in b'[]{}"')

T = TypeVar("T")


class BadFrame(CrossdeskError, ValueError):
    """Error for bytes that are no valid message of the service; its text is a short reason."""

    title = "Message not readable"


def inflate(frame: bytes) -> bytes:
    """Decompress a gzip frame, at most up to the size limit.

    Raises:
        BadFrame: Not gzip, cut off, or larger than 8 MiB.
    """
    if len(frame) <= NATURALLY_BOUNDED:
        try:
            return zlib.decompress(frame, GZIP, TYPICAL_SIZE)
        except zlib.error:
            pass  # the slow path finds the reason
    unzip = zlib.decompressobj(GZIP)
    try:
        data = unzip.decompress(frame, MAX_FRAME + 1)
    except zlib.error as error:
        raise BadFrame("not a gzip frame") from error
    if len(data) > MAX_FRAME:
        raise BadFrame("larger than 8 MiB after decompression")
    if not unzip.eof:
        raise BadFrame("gzip frame is cut off")
    return data


def check_bounds(frame: bytes) -> None:
    """Check size and nesting depth of a frame before it is parsed.

    Raises:
        BadFrame: Too large or too deep.
    """
    if len(frame) > MAX_FRAME:
        raise BadFrame("larger than 8 MiB")
    if len(frame) < SHORT_FRAME:
        return
    if frame.count(b"[") + frame.count(b"{") > MAX_DEPTH and _deeper_than(frame, MAX_DEPTH):
        raise BadFrame(f"nested deeper than {MAX_DEPTH}")


def _deeper_than(frame: bytes, limit: int) -> bool:
    if b"\\" in frame:
        frame = _ESCAPED.sub(b"", frame)
    # Removing adjacent quotes keeps the rest inside or outside of texts as it was.
    marks = frame.translate(_ONE_KIND, _NO_MARKS).replace(b'""', b"")
    brackets = b"".join(marks.split(b'"')[::2])
    # Each pass removes the innermost level, whatever the number of its brackets.
    for depth in range(limit + 1):
        fewer = brackets.replace(b"[]", b"")
        if len(fewer) == len(brackets):
            return depth + brackets.count(b"[") > limit
        brackets = fewer
    return True


def refuse_repeats(frame: bytes) -> None:
    """Reject a JSON object with a repeated key, whose meaning is ambiguous; invalid JSON is left to the parser.

    Raises:
        BadFrame: A key occurs twice in one object, or the text is not UTF-8.
    """
    try:
        kept = msgspec.json.encode(_TREE.decode(frame))
    except (msgspec.DecodeError, RecursionError, ValueError):
        _name_repeats(frame)
        return
    # The parser drops one of two equal keys, and with it a colon. An escape may encode a colon.
    if b"\\" in frame or frame.count(b":") != kept.count(b":"):
        _name_repeats(frame)


def _name_repeats(frame: bytes) -> None:
    try:
        _KEYS.decode(frame.decode())
    except UnicodeDecodeError as error:
        raise BadFrame("not UTF-8") from error
    except (json.JSONDecodeError, RecursionError):
        return


def _require_unique_keys(pairs: list[tuple[str, object]]) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise BadFrame(f"the key {text.clean(key, 40)!r} occurs twice in one JSON object")
        seen.add(key)


_KEYS = json.JSONDecoder(object_pairs_hook=_require_unique_keys, parse_int=str, strict=False)
"""Decoder that refuses equal keys. Integers stay texts, because an endless one would be refused as such."""


def wants_cleaning(frame: bytes) -> bool:
    """Report whether the decoded texts of a frame need cleaning by `text.scrub`."""
    return text.needs_care(frame) or (len(frame) > LONG_FRAME and _holds_long_text(frame))


def _holds_long_text(frame: bytes) -> bool:
    """Report whether a frame can hold a text that is too long for a field: a block of bytes without any quote character."""
    block = text.MAX_FIELD // 2
    return any(b'"' not in frame[at : at + block] for at in range(0, len(frame) - block, block))


class Reader(Generic[T]):
    """Decoder of one message type; built once and used for every frame."""

    __slots__ = ("_decode",)

    def __init__(self, type_: Any) -> None:
        self._decode: Any = msgspec.json.Decoder(type_, float_hook=_read_decimal).decode

    def parse(self, frame: bytes | msgspec.Raw, *, clean: bool) -> T:
        """Decode bytes whose size and nesting have been checked.

        Raises:
            BadFrame: Another shape, or no JSON.
        """
        try:
            value = self._decode(frame)
        except (msgspec.ValidationError, msgspec.DecodeError) as error:
            raise BadFrame(str(error)[:120]) from error
        except (UnicodeDecodeError, RecursionError, ValueError) as error:
            raise BadFrame("not readable") from error
        return text.scrub(value) if clean else value  # type: ignore[no-any-return]

    def read(self, frame: bytes) -> T:
        """Check, decode and, if needed, clean received bytes.

        Raises:
            BadFrame: Out of bounds, another shape, or no JSON.
        """
        # `needs_care` inlined: a short frame of plain ASCII without escapes is in bounds and clean, as most are.
        if len(frame) < SHORT_FRAME and frame.isascii() and BACKSLASH not in frame and DELETE not in frame:
            try:
                return self._decode(frame)  # type: ignore[no-any-return]
            except (msgspec.DecodeError, ValueError, RecursionError):
                pass  # `parse` finds the reason
        check_bounds(frame)
        return self.parse(frame, clean=wants_cleaning(frame))


def _read_decimal(token: str) -> Decimal:
    if len(token) > MAX_TEXT_NUMBER:
        raise ValueError("number too long")
    value = Decimal(token)
    if abs(value.adjusted()) > MAX_TEXT_NUMBER:
        raise ValueError("number out of range")
    return value
