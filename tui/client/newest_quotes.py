"""Best bids and offers of a burst, before they are decoded: of each pair only the newest frame needs a full look.

A frame is known by its first bytes, up to its data: once one was decoded, equal bytes mean the same channel and pair.
Its time decides as it would if every frame were folded; a frame without a plain time gets its full look at once.
"""

from __future__ import annotations

from collections.abc import Callable

from tui.interface.families.market import Channel

BBO_MARKER = f'"{Channel.BBO}"'.encode()
_DATA = b'"data":{'
_UP_TO_DATA = len(_DATA)
_TIME = b'"ts":'
_UP_TO_TIME = len(_TIME)
_AROUND_TIME = b'"}'
_MOST_DIGITS = 16
FUTURE_MS = 60_000
"""A shown quote this far ahead of an incoming one does not block it."""
OPEN_OBJECTS = 2
"""The frame and its data."""
MOST_HEADS = 2_000
"""Spellings of first bytes that are remembered."""

Frame = tuple[bytes, int, float]
"""An unpacked frame, where its quote begins in it, and when it was received, monotonic s."""


def supersedes(ts: int, shown: int) -> bool:
    """Whether a quote of this time, ms, takes the place of the shown one."""
    return ts >= shown or shown - ts >= FUTURE_MS


class NewestQuotes:
    """Frames that wait for their full look, by pair."""

    def __init__(self, shown_ts: Callable[[str], int]) -> None:
        """
        Args:
            shown_ts: Time of the quote that is shown of a pair, ms; 0 for none.
        """
        self._shown_ts = shown_ts
        self._heads: dict[bytes, str] = {}
        self._known: set[str] = set()
        self._waiting: dict[str, list[Frame]] = {}
        self._newest: dict[str, bytes] = {}
        """Of each pair that waits the end of its newest frame, from the time on."""
        self.skipped = 0
        """Frames that were never decoded, because a newer one of the pair had come."""

    def __len__(self) -> int:
        return len(self._waiting)

    def learn(self, data: bytes, sym: str) -> None:
        """Remember how frames of a pair begin; this one was decoded as a best bid and offer of it."""
        at = data.find(_DATA)
        head = data[: at + _UP_TO_DATA]
        if at < 0 or BBO_MARKER not in head or sym.encode() not in head:
            return  # a list, or they stand behind the data
        if head.count(b"{") - head.count(b"}") != OPEN_OBJECTS:
            return  # not the data of the frame itself
        if len(self._heads) >= MOST_HEADS:
            self.forget()
        self._heads[head] = sym
        self._known.add(sym)

    def knows(self, sym: str) -> bool:
        """Whether the first bytes of a pair's frames are known."""
        return sym in self._known

    def forget(self) -> None:
        """Forget how frames begin: pairs were left, or another connection begins."""
        self._heads.clear()
        self._known.clear()

    def put(self, data: bytes, received: float) -> bool:
        """Keep a frame for later; False when it is not known to be a quote, or when its time needs the full look."""
        at = data.find(_DATA) + _UP_TO_DATA
        sym = self._heads.get(data[:at])
        if sym is None:
            return False
        tail = data[data.rfind(_TIME) + _UP_TO_TIME :]
        before = self._newest.get(sym)
        if before is not None and tail >= before and len(tail) == len(before):
            # Texts of equal length compare as their figures do.
            self._newest[sym] = tail
            self._waiting[sym].append((data, at - 1, received))
            return True
        ts, shown = _plain(tail), self._shown_ts(sym) if before is None else _plain(before)
        if ts < 0 or shown < 0 or (ts < shown and supersedes(ts, shown)):
            return False  # no plain time, or the clock of the service was set back: each frame counts
        if ts < shown:
            self.skipped += 1
            return True
        self._newest[sym] = tail
        self._waiting.setdefault(sym, []).append((data, at - 1, received))
        return True

    def next_pair(self) -> str:
        """The pair that waits longest; empty when none does."""
        return next(iter(self._waiting), "")

    def take(self, sym: str) -> list[Frame]:
        """Take the frames of a pair, the newest first; none when it has none."""
        frames = self._waiting.pop(sym, [])
        if frames:
            del self._newest[sym]
            self.skipped += len(frames) - 1
        return frames[::-1]


def _plain(tail: bytes) -> int:
    """The time, ms, at the end of a frame; -1 when it is not plain."""
    digits = tail.strip(_AROUND_TIME)
    return int(digits) if digits.isdigit() and len(digits) <= _MOST_DIGITS else -1
