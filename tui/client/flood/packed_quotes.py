"""Gzip frames of quotes in a flood, before they are unpacked: of each pair only the last ones are unpacked.

Frames that begin with the same packed bytes begin with the same text. Once a frame was unpacked, it is known how many of
its packed bytes hold the text up to the first figure, channel and pair included:

    1f 8b 08 00 .. .. .. .. .. ..   ab 56 4a 2c 4a 57 ...                                 packed bytes
    |------ gzip header, 10 ------| |-- {"arg":{"channel":"BBO","sym":"...},"data":{"bid":" --|  the text they hold

A frame with equal bytes is a quote of the same pair. What is dropped here is as if the service had sent fewer quotes. A
frame whose block has a table of its own cannot be recognised by its first bytes and is kept, as is every other message.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import NamedTuple

from tui.client.aiohttp_adapter import Message
from tui.client.decode import GZIP, BadFrame, inflate
from tui.client.flood.newest_quotes import NewestQuotes

KEPT = 2
"""Frames of a pair that are kept, the last ones: the very last may be unreadable, or older than the one before it."""
LOOKS = 4
"""Frames that are looked at of those that are not known, of each part."""
MOST_HEADS = 4
"""Beginnings that are remembered of a pair: where they change all the time, they say nothing."""
LONGEST_FRAME = 1024
"""Packed bytes of a frame that is learned from: a quote has a few hundred."""
MOST_LENGTHS = 3
"""Numbers of first bytes that are compared: each is looked up for each frame."""
_PLAIN_HEADER = b"\x1f\x8b\x08\x00"
_BLOCK = 10
"""Where the first block begins behind such a header."""
_FIXED_TABLE = frozenset(bytes([code]) for code in range(256) if code & 0b111 == 0b011)
"""First bytes of a block that is the last one and has the table that all such blocks share."""
_FIGURE = re.compile(rb"\d")


class _PackedHead(NamedTuple):
    """The first packed bytes of a pair's frames."""

    most: int
    """So many first bytes hold nothing that changes."""
    least: int
    """So many first bytes hold channel and pair."""
    start: bytes
    sym: str


class PackedQuotes:
    """Which pair a packed frame is of, by its first bytes."""

    def __init__(self, newest: NewestQuotes) -> None:
        """
        Args:
            newest: Tells of an unpacked frame whether it is a quote, and of which pair.
        """
        self._newest = newest
        self._heads: set[_PackedHead] = set()
        self._pairs: dict[bytes, str] = {}
        """By the first bytes of a frame, of any of the lengths."""
        self._lengths: list[int] = []
        self._turn = 0
        self.skipped = 0
        """Frames that were never unpacked."""

    def forget(self) -> None:
        """Forget how frames begin: another connection begins."""
        self._heads.clear()
        self._index_heads()

    def last_of_each(self, messages: Sequence[Message]) -> Sequence[Message]:
        """The messages without quotes that newer ones of their pair follow, in the order in which they came.

        Of those that are not known a few are looked at, so that more are known the next time.
        """
        kept: list[Message] = []
        unknown: list[Message] = []
        found: dict[str, int] = {}
        backwards = messages[::-1]
        for message, sym in zip(backwards, self._syms(backwards), strict=True):
            if sym is None:
                unknown.append(message)
            elif (count := found.get(sym, 0)) < KEPT:
                found[sym] = count + 1
            else:
                continue
            kept.append(message)
        self._learn_from_some(unknown)
        self.skipped += len(messages) - len(kept)
        kept.reverse()
        return kept

    def _syms(self, messages: Sequence[Message]) -> list[str | None]:
        """The pair of each message; None for what is not known."""
        pair_of = self._pairs.get
        first = self._lengths[0] if self._lengths else 0
        syms = [pair_of(message[1][:first]) for message in messages]
        for length in self._lengths[1:]:
            syms = [
                pair_of(message[1][:length]) if sym is None else sym
                for message, sym in zip(messages, syms, strict=True)
            ]
        return syms

    def _learn_from_some(self, unknown: Sequence[Message]) -> None:
        """Learn from a few, others each time."""
        known = len(self._heads)
        for _ in range(min(LOOKS, len(unknown))):
            self._turn += 1
            head = self._parse_head(unknown[self._turn % len(unknown)][1])
            if head is not None:
                self._heads.add(head)
        if len(self._heads) > known:
            self._index_heads()

    def _parse_head(self, frame: bytes) -> _PackedHead | None:
        """How a frame begins, if its first bytes say that it is a quote of a pair."""
        plain = frame[: len(_PLAIN_HEADER)] == _PLAIN_HEADER and frame[_BLOCK : _BLOCK + 1] in _FIXED_TABLE
        if not plain or len(frame) > LONGEST_FRAME:
            return None
        try:
            text = inflate(frame)
        except BadFrame:
            return None  # it is counted where it is taken
        sym, head = self._newest.pair_of(text)
        figure = _FIGURE.search(text, head) if sym else None
        if figure is None or sum(one.sym == sym for one in self._heads) >= MOST_HEADS:
            return None
        least, most = _measure_head(frame, head, figure.start())
        return _PackedHead(most, least, frame[:most], sym)

    def _index_heads(self) -> None:
        """Compare as few lengths as tell all heads: the shortest that ends before what changes, and so on."""
        self._pairs = {}
        self._lengths = []
        for head in sorted(self._heads):
            if not self._lengths or self._lengths[-1] < head.least:
                if len(self._lengths) == MOST_LENGTHS:
                    break
                self._lengths.append(head.most)
            self._pairs[head.start[: self._lengths[-1]]] = head.sym


def _measure_head(frame: bytes, head: int, figures: int) -> tuple[int, int]:
    """How many first bytes of a frame hold the head of its text, and how many do so without what changes behind it.

    Args:
        head: Bytes of the text that say channel and pair.
        figures: Where the first figure behind them stands.
    """
    unzip = zlib.decompressobj(GZIP)
    text = least = 0
    for length in range(1, len(frame)):
        text += len(unzip.decompress(frame[length - 1 : length]))
        if text >= head and not least:
            least = length
        if text >= figures:
            return least, max(least, length - 1)
    return len(frame), len(frame)
