"""Attention of the screen: which quotes it reads, told to the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tui.engine.rows import QuoteRow

KEEP_S = 2.0
"""Least time for which a pair counts as looked at after its quote was read."""


class QuoteTable(dict[str, QuoteRow]):
    """Quotes by symbol; a dict that records which symbols' quotes are read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: dict[str, None] = {}
        """Symbols read since they were last forgotten."""

    def note(self, syms: Iterable[str]) -> None:
        """Record symbols as if their quotes had been read."""
        self.read.update(dict.fromkeys(syms))

    def peek(self, sym: str) -> QuoteRow | None:
        """Return a quote without recording the read, for uses that show nothing."""
        return super().get(sym)

    def __getitem__(self, sym: str) -> QuoteRow:
        self.read[sym] = None
        return super().__getitem__(sym)

    def get(self, sym: str, default: QuoteRow | None = None) -> QuoteRow | None:  # type: ignore[override]
        self.read[sym] = None
        return super().get(sym, default)


class Attention:
    """Recorder of the symbols whose quotes the screen reads; it reports changes of the set to the engine.

    The engine decodes their quotes as they come, those of other pairs a few times a second. Whoever needs a quote reads
    it from the mirror: a visible row, an order, a position, an alert, a ticket, a ladder. So what was read in the last
    seconds is what somebody looks at; of what stands still the app notes it each second.
    """

    def __init__(self, quotes: QuoteTable, tell: Callable[[frozenset[str]], None]) -> None:
        self._quotes = quotes
        self._tell = tell
        self._told: frozenset[str] | None = None
        self._before: frozenset[str] = frozenset()
        """Symbols read in the period before this one."""
        self._since = 0.0

    def follow(self, now: float) -> None:
        """Report newly read symbols to the engine at once, and symbols no longer read after a while; `now` is in s."""
        read, told = self._quotes.read, self._told
        if told is None or not read.keys() <= told:
            self._say(self._before | read.keys() | (told or frozenset()))
        if now - self._since >= KEEP_S:
            self._say(self._before | read.keys())
            self._before, self._since = frozenset(read), now
            read.clear()

    def _say(self, syms: frozenset[str]) -> None:
        if syms != self._told:
            self._told = syms
            self._tell(syms)
