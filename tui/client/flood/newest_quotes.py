"""Quotes of a burst before decoding: only the newest frame of each pair is decoded.

A frame is recognised by its head, the bytes before its data. Once a frame with this head was decoded, equal bytes mean
the same channel and pair. Its time is compared as bytes too, in its tail:

    {"arg":{"channel":"BBO","sym":"BINANCE_PERP_BTC_USDT"},"data":{"bid":"64000.1", ... ,"ts":"1700000000123"}}
    |---------------------- head -------------------------|                             |------- tail --------|

A frame with another form of time, or an unknown head, is decoded at once, like every other message.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from tui.interface.families.market import Channel

BBO_MARKER = f'"{Channel.BBO}"'.encode()
_DATA = b'"data":{'
_TO_QUOTE = len(_DATA) - 1
"""Distance from the start of `_DATA` to the quote object."""
_TIME = b'"ts":'
_UP_TO_TIME = len(_TIME)
_PLAIN_FORM = b'"ts":"%013d"}}'
"""End of most frames: a time of 13 digits, valid until the year 2286."""
_PLAIN_END = slice(-len(_PLAIN_FORM % 0), None)
_PLAIN_START = b'"ts":"'
_UP_TO_FIGURES = len(_PLAIN_START)
_ABOVE_PLAIN = _PLAIN_START + bytes([ord("9") + 1])
"""Greater than any such end; only other ends with the same first bytes lie in between."""
_NO_TAIL = b"\xff"
"""Greater than any end of a frame."""
_AROUND_TIME = b'"}'
_MOST_DIGITS = 16
FUTURE_MS = 60_000
"""Lead of a shown quote over an incoming one, ms, from which on it no longer blocks it."""
OPEN_OBJECTS = 2
"""Objects open at the quote: the frame and its data."""
MOST_HELD, KEPT_HELD = 16, 4
"""Frames of a pair that are held, and those kept when there are more."""
MOST_HEADS = 2_000
"""Most heads that are remembered."""


def supersedes(ts: int, shown: int) -> bool:
    """Report whether a quote with this time, ms, replaces the displayed one."""
    return ts >= shown or shown - ts >= FUTURE_MS


class _Pair:
    """Quote frames of one pair that are held before decoding."""

    __slots__ = ("frames", "received", "since", "sym", "tail", "ts")

    def __init__(self, sym: str) -> None:
        self.sym = sym
        self.frames: list[bytes] = []
        self.received = 0.0
        """Monotonic receive time of the newest frame, s."""
        self.since = 0.0
        """Monotonic receive time of the oldest frame held, s, or of one that was dropped for newer ones."""
        self.ts = 0
        """Time of the newest waiting frame, ms, when `tail` does not contain it."""
        self.tail = _NO_TAIL
        """Last bytes of that frame when they contain its time, as in most."""

    def newest_ts(self) -> int:
        """Return the time of the newest held frame, ms; -1 when it has an unusual format."""
        return self.ts if self.tail is _NO_TAIL else _plain(self.tail[_UP_TO_FIGURES:])


class NewestQuotes:
    """Quote frames held before decoding, by pair; only the newest of each pair is decoded."""

    def __init__(self, last_ts: Callable[[str], int]) -> None:
        """Start without held frames.

        Args:
            last_ts: Returns the time of a pair's shown quote, ms; 0 for none.
        """
        self._shown_ts = last_ts
        self._heads: dict[bytes, _Pair] = {}
        """Pairs by head."""
        self._known: dict[str, _Pair] = {}
        self._waiting: dict[str, _Pair] = {}
        self.skipped = 0
        """Frames never decoded because a newer one of the pair had arrived."""

    def __len__(self) -> int:
        return len(self._waiting)

    def learn(self, data: bytes, sym: str) -> None:
        """Store the head (first bytes) of a pair's frames, from a frame that was decoded as its best bid and ask."""
        head, separator, _ = data.partition(_DATA)
        if not separator or BBO_MARKER not in head or sym.encode() not in head:
            return  # a list, or the pair follows the data
        if head.count(b"{") - head.count(b"}") != OPEN_OBJECTS - 1:
            return  # not the data of the frame itself
        if len(self._heads) >= MOST_HEADS:
            self.forget()
        pair = self._known.get(sym) or self._waiting.get(sym) or _Pair(sym)
        self._heads[head] = self._known[sym] = pair

    def knows(self, sym: str) -> bool:
        """Report whether the head of a pair's frames (first bytes, by which they are recognised undecoded) is stored."""
        return sym in self._known

    def pair_of(self, data: bytes) -> tuple[str, int]:
        """Return pair and head length of a quote frame; an empty pair when its head is not stored."""
        head = data.partition(_DATA)[0]
        pair = self._heads.get(head)
        return (pair.sym, len(head)) if pair is not None else ("", 0)

    def forget(self) -> None:
        """Drop all stored heads, because pairs were unsubscribed or a new connection begins."""
        self._heads.clear()
        self._known.clear()

    def put(self, frames: Sequence[bytes], first: int, received: float) -> int:
        """Hold quote frames from index `first` on; stop at a frame that is no known quote or has an unusual time.

        Args:
            frames: Unpacked frames in order of arrival.
            first: Index of the first one to keep.
            received: Monotonic receive time, s.

        Returns:
            Index of the first frame that was not kept; the number of frames when all were.
        """
        pair_of = self._heads.get
        for at in range(first, len(frames)):
            data = frames[at]
            pair = pair_of(data.partition(_DATA)[0])
            if pair is None:
                return at
            tail = data[_PLAIN_END]
            # At equal length these bytes compare like the digits in them.
            if pair.tail <= tail < _ABOVE_PLAIN:
                pair.tail = tail
                pair.frames.append(data)
                pair.received = received
                if len(pair.frames) > MOST_HELD:
                    self._drop_oldest(pair)
            elif not self._put_by_time(pair, data, received):
                return at
        return len(frames)

    def _put_by_time(self, pair: _Pair, data: bytes, received: float) -> bool:
        """Hold or skip a frame by its parsed time; return False when it must be decoded at once."""
        ts = _plain(data[data.rfind(_TIME) + _UP_TO_TIME :])
        shown = pair.newest_ts() if pair.frames else self._shown_ts(pair.sym)
        if ts < 0 or shown < 0 or (ts < shown and supersedes(ts, shown)):
            return False  # no plain time, or the service's clock was set back: each frame counts
        if ts < shown:
            self.skipped += 1
            return True
        pair.ts = ts
        pair.tail = data[_PLAIN_END] if data[_PLAIN_END] == _PLAIN_FORM % ts else _NO_TAIL
        if not pair.frames:
            pair.since = received
        pair.frames.append(data)
        pair.received = received
        self._waiting[pair.sym] = pair
        if len(pair.frames) > MOST_HELD:
            self._drop_oldest(pair)
        return True

    def _drop_oldest(self, pair: _Pair) -> None:
        """Drop all but the newest `KEPT_HELD` frames of a pair; several stay in case the newest cannot be decoded."""
        self.skipped += len(pair.frames) - KEPT_HELD
        del pair.frames[:-KEPT_HELD]

    def next_pair(self) -> str:
        """Return the pair whose frames have been held longest; empty when none are held."""
        return next(iter(self._waiting), "")

    def list_due(self, held_until: float, attended: Container[str]) -> list[str]:
        """Return the pairs in `attended` or with frames held since `held_until` (monotonic, s), longest held first."""
        return [sym for sym, pair in self._waiting.items() if pair.since <= held_until or sym in attended]

    def take(self, sym: str) -> tuple[Sequence[bytes], float]:
        """Take a pair's held frames, newest first, and their monotonic receive time, s; empty when none are held."""
        pair = self._waiting.pop(sym, None)
        if pair is None:
            return (), 0.0
        frames, pair.frames, pair.tail = pair.frames, [], _NO_TAIL
        self.skipped += len(frames) - 1
        return frames[::-1], pair.received


def quote_of(data: bytes) -> bytes:
    """Return the quote part of a frame with a stored head: the JSON object and the end of the frame."""
    return data[data.find(_DATA) + _TO_QUOTE :]


def _plain(tail: bytes) -> int:
    """Parse the time at the end of a frame, ms; -1 when it has an unusual format."""
    digits = tail.strip(_AROUND_TIME)
    return int(digits) if digits.isdigit() and len(digits) <= _MOST_DIGITS else -1
