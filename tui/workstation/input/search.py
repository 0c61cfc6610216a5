"""How well a few typed letters find a title: the beginning of a word before letters that only come in that order."""

from __future__ import annotations

import re

import msgspec

_WORD = re.compile(r"[^\W_]+")
MOST_LOOSE = 3
"""Most letters that may stand apart in a title; a longer query is a word, and finds words."""

TITLE, WHOLE, WORD, OTHER_WORD, INITIALS, LETTERS = range(6)
"""How a typed word was found, the best first: at the beginning of the title, as a whole word, at the beginning of a word
of the title, of one of the other words, as beginnings of words of the title in their order, as letters in their order
anywhere in it."""


class Searched(msgspec.Struct, frozen=True):
    """A title made ready to be searched."""

    title: str
    words: tuple[str, ...]
    others: tuple[str, ...]

    def has_word(self, word: str) -> bool:
        """Whether a word stands in it whole."""
        return word in self.words or word in self.others


class Hit(msgspec.Struct, frozen=True, order=True):
    """How a query was found; the smaller one is the better one."""

    worst: int
    """The kind of the typed word that was found worst."""
    all_kinds: int
    span: int
    """How far into the title the letters reach."""


def searched(title: str, others: str = "") -> Searched:
    """A title, and other words under which it can be found."""
    text = title.casefold()
    return Searched(text, tuple(_WORD.findall(text)), tuple(_WORD.findall(others.casefold())))


def find(query: str, where: Searched) -> Hit | None:
    """How the words of a query are found, or None where one of them is not; an empty query is found everywhere."""
    kinds, spans = [], []
    words = query.casefold().split()
    for typed in words:
        found = _find_word(typed, where, loose=len(words) == 1)
        if found is None:
            return None
        kinds.append(found[0])
        spans.append(found[1])
    return Hit(max(kinds, default=TITLE), sum(kinds), sum(spans))


def _find_word(typed: str, where: Searched, *, loose: bool) -> tuple[int, int] | None:
    """How a word was found. Letters that stand apart are only looked for where nothing else is typed."""
    if where.title.startswith(typed):
        return TITLE, len(where.title)
    if where.has_word(typed):
        return WHOLE, where.words.index(typed) if typed in where.words else 0
    for at, word in enumerate(where.words):
        if word.startswith(typed):
            return WORD, at
    if any(word.startswith(typed) for word in where.others):
        return OTHER_WORD, 0
    end = _score_words(typed, where.title)
    if end is not None:
        return INITIALS, end
    if typed in where.title:
        return LETTERS, where.title.find(typed) + len(typed)
    end = _in_order(typed, where.title) if loose and len(typed) <= MOST_LOOSE else None
    return None if end is None else (LETTERS, end)


def _score_words(typed: str, title: str) -> int | None:
    """How far the letters reach where each one begins a word or stands right behind the one before; None: they do not."""
    starts = [word.start() for word in _WORD.finditer(title)]
    ends = {start for start in starts if title[start] == typed[0]}
    for letter in typed[1:]:
        behind = {end + 1 for end in ends if title[end + 1 : end + 2] == letter}
        begins = {start for start in starts if title[start] == letter and any(end < start for end in ends)}
        ends = behind | begins
    return min(ends, default=None)


def _in_order(typed: str, title: str) -> int | None:
    """How far the letters reach, wherever they stand; None when one is missing."""
    at = -1
    for letter in typed:
        at = title.find(letter, at + 1)
        if at < 0:
            return None
    return at
