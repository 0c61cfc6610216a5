"""Quotes of a burst before they are decoded: of each pair only the newest frame is decoded.

A frame is recognised by its head, the bytes up to its data. Once a frame with this head was decoded, equal bytes mean the
same channel and pair. Its time is compared as bytes too, in its tail:

    {"arg":{"channel":"BBO","sym":"BINANCE_PERP_BTC_USDT"},"data":{"bid":"64000.1", ... ,"ts":"1700000000123"}}
    |---------------------- head -------------------------|                             |------- tail --------|

A frame whose time is written otherwise, or whose head is not known, is decoded at once, as every other message is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui.interface.families.market import Channel

BBO_MARKER = f'"{Channel.BBO}"'.encode()
_DATA = b'"data":{'
_TO_QUOTE = len(_DATA) - 1
"""From the end of a head to the object of the quote."""
_TIME = b'"ts":'
_UP_TO_TIME = len(_TIME)
_PLAIN_FORM = b'"ts":"%013d"}}'
"""How most frames end: with a time of 13 figures, as they have it until the year 2286."""
_PLAIN_END = slice(-len(_PLAIN_FORM % 0), None)
_PLAIN_START = b'"ts":"'
_UP_TO_FIGURES = len(_PLAIN_START)
_ABOVE_PLAIN = _PLAIN_START + bytes([ord("9") + 1])
"""Greater than any such end; less than it, and not less than such an end, is only what begins as they do."""
_NO_TAIL = b"\xff"
"""Greater than any end of a frame."""
_AROUND_TIME = b'"}'
_MOST_DIGITS = 16
FUTURE_MS = 60_000
"""A shown quote this far ahead of an incoming one does not block it."""
OPEN_OBJECTS = 2
"""The frame and its data."""
MOST_HEADS = 2_000
"""Spellings of first bytes that are remembered."""


def supersedes(ts: int, shown: int) -> bool:
    """Whether a quote of this time, ms, takes the place of the shown one."""
    return ts >= shown or shown - ts >= FUTURE_MS


class _Pair:
    """What waits of one pair."""

    __slots__ = ("frames", "received", "sym", "tail", "ts")

    def __init__(self, sym: str) -> None:
        self.sym = sym
        self.frames: list[bytes] = []
        self.received = 0.0
        """When the newest of them was received, monotonic s."""
        self.ts = 0
        """Time of the newest frame that waits, ms, where `tail` does not say it."""
        self.tail = _NO_TAIL
        """Last bytes of that frame, where its time stands in them as in most."""

    def newest_ts(self) -> int:
        """Time of the newest frame that waits, ms; -1 when it is not plain."""
        return self.ts if self.tail is _NO_TAIL else _plain(self.tail[_UP_TO_FIGURES:])


class NewestQuotes:
    """Frames that wait for their full look, by pair."""

    def __init__(self, last_ts: Callable[[str], int]) -> None:
        """
        Args:
            last_ts: Time of the quote that is shown of a pair, ms; 0 for none.
        """
        self._shown_ts = last_ts
        self._heads: dict[bytes, _Pair] = {}
        """By the bytes of a frame that stand before its data."""
        self._known: dict[str, _Pair] = {}
        self._waiting: dict[str, _Pair] = {}
        self.skipped = 0
        """Frames that were never decoded, because a newer one of the pair had come."""

    def __len__(self) -> int:
        return len(self._waiting)

    def learn(self, data: bytes, sym: str) -> None:
        """Remember how frames of a pair begin; this one was decoded as a best bid and offer of it."""
        head, found, _ = data.partition(_DATA)
        if not found or BBO_MARKER not in head or sym.encode() not in head:
            return  # a list, or they stand behind the data
        if head.count(b"{") - head.count(b"}") != OPEN_OBJECTS - 1:
            return  # not the data of the frame itself
        if len(self._heads) >= MOST_HEADS:
            self.forget()
        pair = self._known.get(sym) or self._waiting.get(sym) or _Pair(sym)
        self._heads[head] = self._known[sym] = pair

    def knows(self, sym: str) -> bool:
        """Whether the first bytes of a pair's frames are known."""
        return sym in self._known

    def pair_of(self, data: bytes) -> tuple[str, int]:
        """The pair of which a frame is a quote, and how many of its first bytes say so; no pair when they are not known."""
        head = data.partition(_DATA)[0]
        pair = self._heads.get(head)
        return (pair.sym, len(head)) if pair is not None else ("", 0)

    def forget(self) -> None:
        """Forget how frames begin: pairs were left, or another connection begins."""
        self._heads.clear()
        self._known.clear()

    def put(self, frames: Sequence[bytes], first: int, received: float) -> int:
        """Keep frames for later, up to one that is not known to be a quote, or whose time needs the full look.

        Args:
            frames: Unpacked, in the order in which they came.
            first: Where the first of them to keep stands.
            received: When they were received, monotonic s.

        Returns:
            Where the first stands that was not kept; behind the last when all were.
        """
        pair_of = self._heads.get
        for at in range(first, len(frames)):
            data = frames[at]
            pair = pair_of(data.partition(_DATA)[0])
            if pair is None:
                return at
            tail = data[_PLAIN_END]
            # Of equal length, these bytes compare as the figures in them do.
            if pair.tail <= tail < _ABOVE_PLAIN:
                pair.tail = tail
                pair.frames.append(data)
                pair.received = received
            elif not self._put_by_time(pair, data, received):
                return at
        return len(frames)

    def _put_by_time(self, pair: _Pair, data: bytes, received: float) -> bool:
        """The same for the first frame of a pair, for one that is older, and for one whose time is written otherwise."""
        ts = _plain(data[data.rfind(_TIME) + _UP_TO_TIME :])
        shown = pair.newest_ts() if pair.frames else self._shown_ts(pair.sym)
        if ts < 0 or shown < 0 or (ts < shown and supersedes(ts, shown)):
            return False  # no plain time, or the clock of the service was set back: each frame counts
        if ts < shown:
            self.skipped += 1
            return True
        pair.ts = ts
        pair.tail = data[_PLAIN_END] if data[_PLAIN_END] == _PLAIN_FORM % ts else _NO_TAIL
        pair.frames.append(data)
        pair.received = received
        self._waiting[pair.sym] = pair
        return True

    def next_pair(self) -> str:
        """The pair that waits longest; empty when none does."""
        return next(iter(self._waiting), "")

    def take(self, sym: str) -> tuple[Sequence[bytes], float]:
        """Take the frames of a pair, the newest first, and when that was received, monotonic s; none when it has none."""
        pair = self._waiting.pop(sym, None)
        if pair is None:
            return (), 0.0
        frames, pair.frames, pair.tail = pair.frames, [], _NO_TAIL
        self.skipped += len(frames) - 1
        return frames[::-1], pair.received


def quote_of(data: bytes) -> bytes:
    """The quote alone of a frame whose first bytes are known: an object, and what ends the frame."""
    return data[data.find(_DATA) + _TO_QUOTE :]


def _plain(tail: bytes) -> int:
    """The time, ms, at the end of a frame; -1 when it is not plain."""
    digits = tail.strip(_AROUND_TIME)
    return int(digits) if digits.isdigit() and len(digits) <= _MOST_DIGITS else -1
