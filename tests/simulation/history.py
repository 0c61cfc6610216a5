"""The record of one run: what was written and read on the wire, what the venue did, what was painted, kept and asked for.

One stream of lines in the order in which things happened. The checker reads nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

_encode_lines = msgspec.json.Encoder().encode_lines
_encode_sorted = msgspec.json.Encoder(order="sorted").encode


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that happened. Quantities are the texts of the service; empty means not said."""

    n: int
    t: float
    """Virtual time, s."""
    who: str
    """wire | venue | display | journal | trader | host | fault | client"""
    kind: str
    """What: an action, `reply`, `order`, `fill`, `shown`, `gone`, `intent`, `crash` ..."""
    dir: str = ""
    """On the wire: `out` to the service, `in` from it."""
    life: int = 0
    """Which start of the client it belongs to."""
    wire: int = 0
    """Number of the connection; it only grows."""
    req: str = ""
    """Request id on the private stream."""
    cid: str = ""
    oid: str = ""
    intent: str = ""
    """The trader's own number of what was asked for."""
    state: str = ""
    qty: str = ""
    executed: str = ""
    tx: str = ""
    """Transaction id of a fill."""
    update: int = 0
    """updateAt of the record, ms."""
    source: str = ""
    """Which road the painted row says that it came by, or which road a record came by."""
    code: int | None = None
    conflict: str = ""
    overlay: str = ""
    text: str = ""


def text_of(args: Mapping[str, object]) -> str:
    """Write arguments as one text, which is the same wherever they are met."""
    return _encode_sorted(args).decode()


class History:
    """Lines as they happen."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.lines: list[Line] = []
        self._now = now

    def add(self, who: str, kind: str, **fields: object) -> Line:
        """Keep one line."""
        line = Line(n=len(self.lines) + 1, t=round(self._now(), 6), who=who, kind=kind, **fields)  # type: ignore[arg-type]
        self.lines.append(line)
        return line

    @property
    def digest(self) -> str:
        """A hash over all lines."""
        return hashlib.sha256(self._text()).hexdigest()

    def write(self, path: Path) -> None:
        """All lines as JSON lines."""
        path.write_bytes(self._text())

    def _text(self) -> bytes:
        return _encode_lines(self.lines)
