"""Tokens of a command line: words, numbers with the letters behind them, signs."""

from __future__ import annotations

import re
from enum import Enum

import msgspec

from tui.workstation.command_line.grammar.refusals import Code, LineRefused

MOST_CHARACTERS = 500
"""Longest line; a longer one is no line that somebody typed."""


class Kind(Enum):
    """Kind of a token: word, number, order id, name, quoted text, sign or separator of commands."""

    WORD = "word"
    NUMBER = "number"
    """Digits or a dot first, and the letters glued to it: `25ct`, `1_000`, `.5`."""
    ID = "id"
    """`#` and a part of an order's id."""
    NAME = "name"
    """`$name` or `@name`."""
    TEXT = "text"
    """Anything between double quotes."""
    SIGN = "sign"
    """`+ - % $ * / ( )`, a comparison, or `..`."""
    STEP = "step"
    """`;` or `&`."""


class Token(msgspec.Struct, frozen=True):
    """Token with its place in the line."""

    kind: Kind
    text: str
    start: int

    @property
    def end(self) -> int:
        """Position behind the token's last character."""
        return self.start + len(self.text)

    @property
    def word(self) -> str:
        """Text in lower case, as keywords are compared."""
        return self.text.lower()


_PATTERN = re.compile(
    r"""(?P<space>\s+)
    |(?P<text>"[^"]*")
    |(?P<range>\.\.)
    |(?P<id>\#[A-Za-z0-9_-]*)
    |(?P<name>[$@][A-Za-z_][A-Za-z0-9_]*)
    |(?P<number>(?:[0-9]|\.[0-9])(?:[0-9A-Za-z_,:]|\.(?!\.))*)
    |(?P<word>[A-Za-z](?:[A-Za-z0-9_:,]|\.(?!\.))*)
    |(?P<sign><=|>=|[-+%$*/()<>=])
    |(?P<step>[;&])
    |(?P<other>.)""",
    re.VERBOSE | re.ASCII,
)
_KINDS = {
    "text": Kind.TEXT,
    "range": Kind.SIGN,
    "id": Kind.ID,
    "name": Kind.NAME,
    "number": Kind.NUMBER,
    "word": Kind.WORD,
    "sign": Kind.SIGN,
    "step": Kind.STEP,
}
_HINTS = {"@": "; did you mean at?", "|": "; or only joins the conditions of an alert"}
"""What is said of a sign that belongs to no command; events write prices behind `@`."""


def split(line: str) -> list[Token]:
    """Split a line into tokens.

    Raises:
        LineRefused: It is empty or too long, or holds a character that no command has.
    """
    if len(line) > MOST_CHARACTERS:
        raise LineRefused(Code.TOO_MUCH, f"a line has at most {MOST_CHARACTERS} characters", MOST_CHARACTERS, len(line))
    tokens: list[Token] = []
    for match in _PATTERN.finditer(line):
        group = str(match.lastgroup)
        if group == "other":
            text = f"{match[0]!r} belongs to no command{_HINTS.get(match[0], '')}"
            raise LineRefused(Code.UNKNOWN_WORD, text, match.start(), match.end())
        if group != "space":
            tokens.append(Token(_KINDS[group], match[0], match.start()))
    if not tokens:
        raise LineRefused(Code.EMPTY, "type a command, such as: buy 0.02 BTC BINANCE_PERP_BTC join")
    return tokens
