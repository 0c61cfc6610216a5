"""Loss of programs under their mandates, worked out from the journal's fills and the quotes that were seen meanwhile."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import Any, NamedTuple

SLACK_S = 0.5
"""Time within which a busy desk ends a mandate whose loss is reached, s."""


class Seen(NamedTuple):
    """Quote that the desk showed from a moment on."""

    at: float
    bid: Decimal
    ask: Decimal


class QuotesSeen:
    """Quotes of a run, by pair."""

    def __init__(self) -> None:
        self._by_pair: defaultdict[str, list[Seen]] = defaultdict(list)

    def note(self, sym: str, at: float, bid: str, ask: str) -> None:
        """Note a quote, unless it is the one before."""
        seen, quote = self._by_pair[sym], Seen(at, Decimal(bid), Decimal(ask))
        if not seen or seen[-1][1:] != quote[1:]:
            seen.append(quote)

    def find_best(self, sym: str, start: float, end: float) -> tuple[Decimal, Decimal]:
        """Return the highest bid and the lowest ask that held at some moment between two times."""
        seen = self._by_pair[sym]
        first = max((number for number, quote in enumerate(seen) if quote.at <= start), default=0)
        held = [quote for quote in seen[first:] if quote.at <= end] or seen[:1]
        return max(quote.bid for quote in held), min(quote.ask for quote in held)


class _Fill(NamedTuple):
    at: float
    sym: str
    base: Decimal
    """Below 0 for sales."""
    cash: Decimal
    """Received less paid, after fees and rebates, in quote."""


class Losses:
    """Losses of programs by name."""

    def __init__(self, quotes: QuotesSeen) -> None:
        self._quotes = quotes
        self._fills: defaultdict[str, list[_Fill]] = defaultdict(list)

    def add(self, peer: str, at: float, record: dict[str, Any]) -> None:
        """Add a fill of a program, as the journal has it."""
        base = Decimal(record["quantity"]) * (1 if record["side"] == "BUY" else -1)
        cash = -base * Decimal(record["price"]) - Decimal(record.get("fee", "0")) + Decimal(record.get("rebate", "0"))
        self._fills[peer].append(_Fill(at, record["sym"], base, cash))

    def least(self, peer: str, at: float) -> Decimal:
        """Return what a program had surely lost for a while at a time.

        Both with and without the newest fills, closed at the best prices of that while.
        """
        old = [fill for fill in self._fills[peer] if fill.at <= at - SLACK_S]
        new = [fill for fill in self._fills[peer] if fill.at <= at]
        return min(self._sum(old, at), self._sum(new, at))

    def _sum(self, fills: list[_Fill], at: float) -> Decimal:
        loss = -sum((fill.cash for fill in fills), Decimal(0))
        for sym in {fill.sym for fill in fills}:
            bid, ask = self._quotes.find_best(sym, at - SLACK_S, at)
            base = sum((fill.base for fill in fills if fill.sym == sym), Decimal(0))
            loss -= base * (bid if base > 0 else ask)
        return loss
