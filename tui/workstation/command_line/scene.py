"""Snapshot that a line is parsed with: the symbols there are, and the one in view."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from functools import cached_property

from tui.interface.symbols import Symbol, try_parse
from tui.workstation.command_line.refusals import Code, LineRefused
from tui.workstation.command_line.tokens import Token

SHOWN = 4
"""Symbols that a refusal lists."""


class Scene:
    """Known symbols, and the symbol of the row under the cursor, by which names in a command line are resolved."""

    def __init__(self, symbols: Iterable[str], in_view: str = "", portfolios: Iterable[str] = ()) -> None:
        """Take a snapshot.

        Args:
            symbols: All known symbols.
            in_view: Symbol that a line without one is about; empty: none.
            portfolios: Names of the portfolios.
        """
        self.symbols = tuple(symbols)
        self.in_view = in_view
        self.portfolios = tuple(portfolios)

    @cached_property
    def parts(self) -> dict[str, Symbol]:
        """Parts of each symbol of the usual shape."""
        parsed = ((sym, try_parse(sym)) for sym in self.symbols)
        return {sym: parts for sym, parts in parsed if parts is not None}

    @cached_property
    def coins(self) -> frozenset[str]:
        """Base coins of all symbols, in lower case."""
        return frozenset(parts.base.lower() for parts in self.parts.values())

    def base_of(self, sym: str) -> str:
        """Return the base coin of a symbol, empty when it has another shape."""
        parts = try_parse(sym)
        return parts.base if parts is not None else ""

    def matches(self, fragment: str) -> list[str]:
        """List the symbols that a fragment may mean: all its parts are parts of the symbol, in any case.

        A fragment of one part that is a base coin means pairs of that coin, and not those it is the quote of.
        """
        wanted = [part for part in re.split(r"[_:.]", fragment.upper()) if part]
        if fragment.upper() in self.symbols:
            return [fragment.upper()]
        if not wanted:
            return []
        fitting = [
            sym
            for sym, parts in self.parts.items()
            if all(part in (parts.exchange, parts.business_type, parts.base, parts.quote) for part in wanted)
        ]
        own = [sym for sym in fitting if self.parts[sym].base in wanted]
        return own or fitting

    def resolve(self, token: Token, coin: str = "") -> str:
        """Return the symbol that a typed word means; if several fit, prefer those of `coin`, then the one in view.

        Raises:
            LineRefused: It means none, or several of which none is in view.
        """
        if "," in token.text:
            raise LineRefused(Code.ONE_SYMBOL, "one symbol per order; use ; between orders", token.start, token.end)
        matching = self.matches(token.text)
        matching = [sym for sym in matching if coin and self.base_of(sym) == coin] or matching
        if not matching:
            near = difflib.get_close_matches(token.text.upper(), self.symbols, 2, 0.5)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise LineRefused(Code.UNKNOWN_SYMBOL, f"no symbol matches {token.text}{hint}", token.start, token.end)
        if len(matching) == 1 or self.in_view in matching:
            return self.in_view if self.in_view in matching else matching[0]
        listed = ", ".join(matching[:SHOWN]) + (f" and {len(matching) - SHOWN} more" if len(matching) > SHOWN else "")
        raise LineRefused(
            Code.AMBIGUOUS_SYMBOL, f"{token.text} matches {len(matching)} symbols: {listed}", token.start, token.end
        )
