"""Cleaning of received text: the only place where external text becomes safe to display.

A service, another client or a hostile endpoint can put escape codes, bidi overrides or markup into any field. Every
decoded value passes `scrub` once, so that later code need not check it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Any, TypeVar, cast

import msgspec

MAX_FIELD = 512
"""Longest text field that is kept, in characters."""

MAX_NESTING = 32
"""Deepest nesting of lists and objects in a request."""

MOST_SHOWN = 40
"""Longest part of an argument that a refusal repeats, characters."""

MAX_MARKS = 8
"""Combining marks kept on one base character."""

KEY_BRACKETS = "⟦⟧"
"""Brackets around the id of an action in texts of the desk, which then name its key; no text from outside keeps them."""

BACKSLASH, DELETE = 0x5C, 0x7F
"""Byte values as numbers: searching bytes for a number takes a quarter of the time of a one-byte text."""
OWN_MARKS = "·→×…–≥≤±"
"""Marks of the desk's own texts that `clean` keeps as they are; a text of these and ASCII is not walked through."""
_NEEDS_CARE_TEXT = re.compile(rf"[^\x20-\x7e{OWN_MARKS}]")

_BIDI = frozenset([0x061C, *range(0x200E, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A)])
_DROPPED_CATEGORIES = frozenset(["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"])

T = TypeVar("T")


def needs_care(frame: bytes) -> bool:
    """Report whether texts in a JSON frame can contain other than printable ASCII: escapes, DEL, non-ASCII.

    Other control characters cannot occur: the parser refuses them inside texts.
    """
    return not frame.isascii() or BACKSLASH in frame or DELETE in frame


def is_clean_json(text: str) -> bool:
    """Report whether `scrub` would change no text in this JSON: no escapes, no long text, only ASCII and own symbols."""
    is_plain_text = "\\" not in text and _NEEDS_CARE_TEXT.search(text) is None
    return is_plain_text and all(len(part) <= MAX_FIELD for part in text.split('"'))


def clean(text: str, max_len: int = MAX_FIELD) -> str:
    """Return text safe for a terminal: no control, bidi, invisible or private-use characters, limited length.

    Nor the brackets by which texts of the desk name keys.
    """
    text = text[:max_len]
    if _NEEDS_CARE_TEXT.search(text) is None:
        return text
    kept: list[str] = []
    marks = 0
    for char in unicodedata.normalize("NFC", text.encode(errors="replace").decode()):
        code = ord(char)
        category = unicodedata.category(char)
        if (
            char in KEY_BRACKETS
            or code in _BIDI
            or category in _DROPPED_CATEGORIES
            or 0xFE00 <= code <= 0xFE0F
            or 0xE0100 <= code <= 0xE01EF
        ):
            continue
        if category in ("Mn", "Me", "Mc"):
            marks += 1
            if marks > MAX_MARKS:
                continue
        else:
            marks = 0
        kept.append(" " if category == "Zs" else char)
    return "".join(kept)


def traceback_lines(formatted: str, max_len: int = MAX_FIELD) -> list[str]:
    """Split a formatted traceback into safe lines, without the `^^^^` marker lines."""
    return [clean(line, max_len) for line in formatted.splitlines() if not line.lstrip().startswith("^")]


def is_writable(text: str) -> bool:
    """Report whether a text can be encoded as UTF-8; JSON and raw headers can contain unpaired surrogates."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_plain(value: object, levels: int = MAX_NESTING) -> bool:
    """Report whether decoded JSON has only UTF-8-encodable texts and is nested at most `levels` deep."""
    if isinstance(value, str):
        return is_writable(value)
    if isinstance(value, list):
        return levels > 0 and all(is_plain(item, levels - 1) for item in value)
    if isinstance(value, dict):
        return levels > 0 and all(is_writable(key) and is_plain(item, levels - 1) for key, item in value.items())
    return True


def scrub(value: T) -> T:
    """Return a decoded value with all texts in it cleaned, at any depth (records, lists, objects and their keys)."""
    return cast(T, _scrub(value))


def _scrub(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, msgspec.Struct):
        changes = {}
        for name in value.__struct_fields__:
            before = getattr(value, name)
            after = _scrub(before)
            if after is not before:
                changes[name] = after
        return msgspec.structs.replace(value, **changes) if changes else value
    if isinstance(value, list):
        return [_scrub(item) for item in value]
    if isinstance(value, tuple):
        return tuple(_scrub(item) for item in value)
    if isinstance(value, dict):
        return {_scrub(key): _scrub(item) for key, item in value.items()}
    return value


def how_many(number: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun: `1 order`, `2 orders`; `plural` is the plural if it is not noun plus s."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def name_extra(extra: str) -> str:
    """Describe an optional package set (extra) with the commands that install it, in the same words everywhere."""
    return (
        f"the extra `{extra}`: `.venv/bin/pip install -r requirements-{extra}.lock` in a checkout, "
        f"`uv tool install 'WHEEL[{extra}]'` with the wheel; the one file holds no extra"
    )


SHORT = 5
"""Most letters of a word that is compared by single edits."""


def find_near(word: str, known: Iterable[str], count: int = 1, least: float = 0.6) -> list[str]:
    """Return the known words nearest to a word, best first.

    Args:
        word: Word as typed.
        known: Words that are known.
        count: Most words to return.
        least: Least similarity of a longer word, from 0 to 1. One of up to five letters is near only what is one letter
            more, less or other, or two letters swapped; one of a single letter or two is near nothing.
    """
    import difflib

    if len(word) > SHORT:
        return difflib.get_close_matches(word, list(known), count, least)
    near = [name for name in known if len(word) > 2 and _is_one_edit(word, name)]
    return difflib.get_close_matches(word, near, count, 0.0)


def _is_one_edit(word: str, other: str) -> bool:
    """Return whether two words differ by one letter more, less or other, or by two letters swapped."""
    shorter = min(len(word), len(other))
    start = next((at for at in range(shorter) if word[at] != other[at]), shorter)
    rest, wanted = word[start:], other[start:]
    while rest and wanted and rest[-1] == wanted[-1]:
        rest, wanted = rest[:-1], wanted[:-1]
    return max(len(rest), len(wanted)) == 1 or (len(rest) == 2 and rest == wanted[::-1])


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean ...?` with the most similar known word, or an empty text."""
    near = find_near(word, known)
    return f"; did you mean {near[0]}?" if near else ""


def show_given(value: object, *, of_json: bool = False) -> str:
    """Format the beginning of an argument's value for an error message, as written in Python or in JSON."""
    if isinstance(value, str):
        return repr(clean(value[:MOST_SHOWN], MOST_SHOWN))
    if not of_json:
        return clean(repr(value)[:MOST_SHOWN])
    import json

    return clean(json.dumps(value)[:MOST_SHOWN])
