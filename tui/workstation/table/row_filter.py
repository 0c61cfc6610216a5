"""Filter language of lists: `sym:btc side:buy state:open venue:okx age<5m qty>1 !word`; all terms must match."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

import msgspec

from tui.crossdesk_error import CrossdeskError
from tui.workstation.model import number_format

MOST_CELLS = 200
"""Longest filter accepted, characters."""

WORDS = ("sym", "side", "state", "venue")
FIGURES = ("age", "qty")

OPEN = frozenset(["NEW", "OPEN", "PARTIALLY_FILLED", "PARTIAL", "UNKNOWN"])
"""States matched by `state:open`."""

_UNITS = {"ms": Decimal("0.001"), "s": Decimal(1), "m": Decimal(60), "h": Decimal(3600), "d": Decimal(86400)}
_COMPARES: dict[str, Callable[[Decimal, Decimal], bool]] = {
    "<=": lambda have, limit: have <= limit,
    ">=": lambda have, limit: have >= limit,
    "<": lambda have, limit: have < limit,
    ">": lambda have, limit: have > limit,
    "=": lambda have, limit: have == limit,
}
_FIGURE = re.compile(r"([a-z]+)(<=|>=|<|>|=)(.*)")
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)?")


class BadFilter(CrossdeskError, ValueError):
    """Invalid filter; the message names the term and what is accepted."""

    title = "Filter not readable"


class FilterFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Values of a row that filter terms are compared with; None and empty values satisfy no comparison."""

    text: str
    sym: str = ""
    side: str = ""
    state: str = ""
    venue: str = ""
    age: Decimal | None = None
    """Seconds."""
    qty: Decimal | None = None


class Term(msgspec.Struct, frozen=True):
    """Single condition of a filter."""

    name: str
    """Empty: a bare word."""
    word: str
    inverted: bool = False
    compare: str = ""
    limit: Decimal = Decimal(0)

    def passes(self, facts: FilterFacts) -> bool:
        """Return whether a row matches the term."""
        return self._meets(facts) is not self.inverted

    def _meets(self, facts: FilterFacts) -> bool:
        if self.compare:
            have = facts.age if self.name == "age" else facts.qty
            return have is not None and _COMPARES[self.compare](have, self.limit)
        if not self.name:
            return self.word in facts.text.casefold() or self.word in facts.sym.casefold()
        have_text = str(getattr(facts, self.name)).casefold()
        if self.name == "state" and self.word == "open":
            return facts.state.upper() in OPEN
        return self.word in have_text


class Filter(msgspec.Struct, frozen=True):
    """All terms of a filter; an empty filter matches every row."""

    text: str
    terms: tuple[Term, ...]

    def passes(self, facts: FilterFacts) -> bool:
        """Return whether a row matches every term."""
        return all(term.passes(facts) for term in self.terms)

    @property
    def bare(self) -> bool:
        """Whether all terms of the filter are plain words, without names or negation."""
        return all(not term.name and not term.inverted for term in self.terms)


NO_FILTER = Filter("", ())


def parse(text: str) -> Filter:
    """Parse a filter.

    Raises:
        BadFilter: A term cannot be parsed; the text names it.
    """
    if len(text) > MOST_CELLS:
        raise BadFilter(f"the filter has {len(text)} characters; at most {MOST_CELLS} are read")
    terms = tuple(_term(word.casefold()) for word in text.split())
    return Filter(" ".join(text.split()), terms) if terms else NO_FILTER


def _term(term: str) -> Term:
    inverted = term.startswith("!")
    body = term.removeprefix("!")
    if not body:
        raise BadFilter("! inverts the term after it: !sym:btc")
    figure = _FIGURE.fullmatch(body)
    if figure is not None:
        return _figure(term, figure[1], figure[2], figure[3], inverted=inverted)
    name, colon, word = body.partition(":")
    if not colon:
        return Term("", body, inverted)
    if name not in WORDS:
        raise BadFilter(f"{term}: {name} is no field; known are {', '.join(WORDS)}, age< and qty>")
    if not word:
        raise BadFilter(f"{term}: nothing after the colon; for example {name}:{_EXAMPLES[name]}")
    return Term(name, word, inverted)


_EXAMPLES = {"sym": "btc", "side": "buy", "state": "open", "venue": "okx"}


def _figure(term: str, name: str, compare: str, limit: str, *, inverted: bool) -> Term:
    if name not in FIGURES:
        raise BadFilter(f"{term}: {name} cannot be compared; age and qty can")
    match = _NUMBER.fullmatch(limit)
    if match is None or bool(match[2]) is not (name == "age"):
        raise BadFilter(f"{term}: {'age<5m (ms s m h d)' if name == 'age' else 'qty>1.5'} would be read")
    number = number_format.value(match[1]) or Decimal(0)
    return Term(name, limit, inverted, compare, number * _UNITS.get(match[2] or "s", Decimal(1)))
