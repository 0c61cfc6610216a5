"""Ranking of search results for a few typed letters: word starts rank before letters that only occur in order."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

_WORD = re.compile(r"[^\W_]+")
MOST_LOOSE = 3
"""Most letters matched with gaps; a longer query is a word and matches words."""

TITLE, WHOLE, WORD, OTHER_WORD, INITIALS, LETTERS = range(6)
"""Kinds of match, best first: start of the title, whole word, start of a title word, start of another word, initials of
title words in order, letters in order anywhere in the title."""


class SearchableTitle(msgspec.Struct, frozen=True):
    """Title with its words, prepared for searching."""

    title: str
    words: tuple[str, ...]
    others: tuple[str, ...]
    starts: tuple[int, ...]
    """Places in the title where its words start."""
    initials: str
    """Letters at these places."""

    def has_word(self, word: str) -> bool:
        """Return whether the title contains this whole word."""
        return word in self.words or word in self.others


class Hit(msgspec.Struct, frozen=True, order=True):
    """Quality of a match; smaller values are better."""

    worst: int
    """Kind of the worst matched word."""
    all_kinds: int
    span: int
    """Number of characters into the title that the letters reach."""


def index_title(title: str, others: str = "") -> SearchableTitle:
    """Prepare a title, and further words it can be found by, for searching."""
    text = title.casefold()
    starts = tuple(word.start() for word in _WORD.finditer(text))
    initials = "".join(text[start] for start in starts)
    return SearchableTitle(text, tuple(_WORD.findall(text)), tuple(_WORD.findall(others.casefold())), starts, initials)


def find(query: str, where: SearchableTitle) -> Hit | None:
    """Match all words of a query, or return None if one does not match; an empty query matches everything."""
    return match_query(split_query(query), where)


def split_query(query: str) -> list[str]:
    """Split a typed query into lower-case words; a hyphen separates words as it does in titles."""
    return query.casefold().replace("-", " ").split()


def match_query(words: Sequence[str], where: SearchableTitle) -> Hit | None:
    """Match lower-case words of a query against a title; return the match quality, or None if a word does not match."""
    kinds, spans = [], []
    for typed in words:
        match = _find_word(typed, where, loose=len(words) == 1)
        if match is None:
            return None
        kinds.append(match[0])
        spans.append(match[1])
    return Hit(max(kinds, default=TITLE), sum(kinds), sum(spans))


def _find_word(typed: str, where: SearchableTitle, *, loose: bool) -> tuple[int, int] | None:
    """Match one word; letters with gaps between them are tried only if it is the whole query."""
    if where.title.startswith(typed):
        return TITLE, len(where.title)
    if where.has_word(typed):
        return WHOLE, where.words.index(typed) if typed in where.words else 0
    for at, word in enumerate(where.words):
        if word.startswith(typed):
            return WORD, at
    for word in where.others:
        if word.startswith(typed):
            return OTHER_WORD, 0
    end = _match_initials(typed, where) if typed[0] in where.initials else None
    if end is not None:
        return INITIALS, end
    if typed in where.title:
        return LETTERS, where.title.find(typed) + len(typed)
    end = _match_in_order(typed, where.title) if loose and len(typed) <= MOST_LOOSE else None
    return None if end is None else (LETTERS, end)


def _match_initials(typed: str, where: SearchableTitle) -> int | None:
    """Match letters that each start a word or directly follow the previous one; return the end position or None."""
    title, starts = where.title, where.starts
    ends = {start for start in starts if title[start] == typed[0]}
    for letter in typed[1:]:
        if not ends:
            return None
        behind = {end + 1 for end in ends if title[end + 1 : end + 2] == letter}
        begins = {start for start in starts if title[start] == letter and any(end < start for end in ends)}
        ends = behind | begins
    return min(ends, default=None)


def _match_in_order(typed: str, title: str) -> int | None:
    """Match letters that occur in this order with any gaps; return the end position or None."""
    at = -1
    for letter in typed:
        at = title.find(letter, at + 1)
        if at < 0:
            return None
    return at
