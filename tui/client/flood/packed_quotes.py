"""Gzip quote frames before decompression: when reading falls behind, only the last ones of each pair are decompressed.

Frames that start with the same packed bytes start with the same text. Once a frame was unpacked, it is known how many
packed bytes hold the text up to the first digit, channel and pair included:

    1f 8b 08 00 .. .. .. .. .. ..   ab 56 4a 2c 4a 57 ...                                 packed bytes
    |------ gzip header, 10 ------| |-- {"arg":{"channel":"BBO","sym":"...},"data":{"bid":" --|  the text they hold

A frame with equal bytes is a quote of the same pair. Dropping it is as if the service had sent fewer quotes. A frame
whose block has its own Huffman table cannot be recognised by its first bytes and is kept, like every other message.
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
"""Newest frames kept per pair: the very last may be unreadable, or older than the one before it."""
LOOKS = 4
"""Unknown frames examined per part."""
MOST_HEADS = 4
"""Most heads remembered per pair; more would mean that they change all the time."""
LONGEST_FRAME = 1024
"""Longest packed frame to learn from, bytes; a quote has a few hundred."""
MOST_LENGTHS = 3
"""Most head lengths compared, because each costs a look-up per frame."""
_PLAIN_HEADER = b"\x1f\x8b\x08\x00"
_BLOCK = 10
"""Offset of the first block after such a header."""
_FIXED_TABLE = frozenset(bytes([code]) for code in range(256) if code & 0b111 == 0b011)
"""First bytes of a final block with the fixed Huffman table."""
_FIGURE = re.compile(rb"\d")


class _PackedHead(NamedTuple):
    """First compressed bytes that a pair's quote frames share."""

    most: int
    """Number of first bytes that never change."""
    least: int
    """Number of first bytes that contain channel and pair."""
    start: bytes
    sym: str


class PackedQuotes:
    """Index from the first bytes of compressed frames to pairs."""

    def __init__(self, newest: NewestQuotes) -> None:
        """Start with an empty index.

        Args:
            newest: Recognises the pair of an unpacked quote frame.
        """
        self._newest = newest
        self._heads: set[_PackedHead] = set()
        self._pairs: dict[bytes, str] = {}
        """Pairs by first bytes, of any of the lengths."""
        self._lengths: list[int] = []
        self._turn = 0
        self.skipped = 0
        """Frames never unpacked."""

    def forget(self) -> None:
        """Clear the index, because a new connection begins."""
        self._heads.clear()
        self._index_heads()

    def last_of_each(self, messages: Sequence[Message]) -> Sequence[Message]:
        """Drop quotes that `KEPT` newer ones of the same pair follow; return the remaining messages in order.

        A few unknown messages are examined, so that more are known next time.
        """
        kept: list[Message] = []
        unknown: list[Message] = []
        counts: dict[str, int] = {}
        backwards = messages[::-1]
        for message, sym in zip(backwards, self._syms(backwards), strict=True):
            if sym is None:
                unknown.append(message)
            elif (count := counts.get(sym, 0)) < KEPT:
                counts[sym] = count + 1
            else:
                continue
            kept.append(message)
        self._learn_from_some(unknown)
        self.skipped += len(messages) - len(kept)
        kept.reverse()
        return kept

    def _syms(self, messages: Sequence[Message]) -> list[str | None]:
        """Return the pair of each message; None when its first bytes are not indexed."""
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
        """Index a few of the unknown messages, different ones each time."""
        known = len(self._heads)
        for _ in range(min(LOOKS, len(unknown))):
            self._turn += 1
            head = self._parse_head(unknown[self._turn % len(unknown)][1])
            if head is not None:
                self._heads.add(head)
        if len(self._heads) > known:
            self._index_heads()

    def _parse_head(self, frame: bytes) -> _PackedHead | None:
        """Return the head of a frame whose first bytes identify it as a quote of a pair, else None."""
        plain = frame[: len(_PLAIN_HEADER)] == _PLAIN_HEADER and frame[_BLOCK : _BLOCK + 1] in _FIXED_TABLE
        if not plain or len(frame) > LONGEST_FRAME:
            return None
        try:
            text = inflate(frame)
        except BadFrame:
            return None  # counted where it is processed
        sym, head = self._newest.pair_of(text)
        figure = _FIGURE.search(text, head) if sym else None
        if figure is None or sum(known_head.sym == sym for known_head in self._heads) >= MOST_HEADS:
            return None
        least, most = _measure_head(frame, head, figure.start())
        return _PackedHead(most, least, frame[:most], sym)

    def _index_heads(self) -> None:
        """Index all heads by as few prefix lengths as tell them apart."""
        self._pairs = {}
        self._lengths = []
        for head in sorted(self._heads):
            if not self._lengths or self._lengths[-1] < head.least:
                if len(self._lengths) == MOST_LENGTHS:
                    break
                self._lengths.append(head.most)
            self._pairs[head.start[: self._lengths[-1]]] = head.sym


def _measure_head(frame: bytes, head: int, figures: int) -> tuple[int, int]:
    """Return how many compressed bytes contain channel and pair, and how many come before the first changing digit.

    Args:
        head: Length of the text with channel and pair.
        figures: Index of the first digit after it.
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
