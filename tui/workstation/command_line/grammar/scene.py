"""Snapshot that a line is parsed with: the symbols there are, the one in view, and the positions held."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from tui.interface.symbols import BusinessType, Symbol, coin_pair, pair_name, try_parse
from tui.interface.text import find_near
from tui.workstation.command_line.grammar.refusals import Code, LineRefused
from tui.workstation.command_line.grammar.tokens import Token
from tui.workstation.model.instruments import in_contracts

_READ_OUT = "PERPETUAL"
"""Word for `perp` in lines that are read out."""
SHOWN, NAMED = 4, 3
"""Symbols that a refusal lists."""


class Scene:
    """Known symbols, and the symbol of the row under the cursor, by which names in a command line are resolved."""

    def __init__(
        self,
        symbols: Iterable[str],
        in_view: str = "",
        portfolios: Iterable[str] = (),
        held: Mapping[str, str] | None = None,
        *,
        has_cursor: bool = False,
    ) -> None:
        """Take a snapshot.

        Args:
            symbols: All known symbols.
            in_view: Symbol that a line without one is about; empty: none.
            portfolios: Names of the portfolios.
            held: Legs of the positions by symbol: LONG, SHORT or BOTH.
            has_cursor: Whether there is a cursor on rows, which chooses what a line leaves out.
        """
        self.symbols = tuple(symbols)
        self.in_view = in_view
        self.portfolios = tuple(portfolios)
        self.held = held or {}
        self.has_cursor = has_cursor

    @cached_property
    def parts(self) -> dict[str, Symbol]:
        """Exchange, kind, base and quote of each symbol, by symbol; without those of an unusual shape."""
        parsed = ((sym, try_parse(sym)) for sym in self.symbols)
        return {sym: parts for sym, parts in parsed if parts is not None}

    @cached_property
    def coins(self) -> frozenset[str]:
        """Base coins of all symbols, in lower case."""
        return frozenset(parts.base.lower() for parts in self.parts.values())

    @property
    def example(self) -> str:
        """Symbol that a hint names: one with a position if there is one."""
        return next(iter(self.held or self.symbols), "BINANCE_PERP_BTC_USDT")

    def base_of(self, sym: str) -> str:
        """Return the base coin of a symbol, empty when it has another shape."""
        parts = try_parse(sym)
        return parts.base if parts is not None else ""

    def list_units(self, sym: str, number: str) -> str:
        """List a number with the units in which a quantity of a symbol is written, `ct` only where it has contracts."""
        coin = self.base_of(sym)
        if not coin:
            return f"{number}ct, ${number}, or the coin behind it"
        contracts = f"{number}ct, " if in_contracts(sym) else ""
        return f"{contracts}{number} {coin}, or ${number}"

    def matches(self, fragment: str) -> list[str]:
        """List the symbols that a fragment may mean: all its parts are parts of the symbol, in any case.

        A fragment of one part that is a base coin means pairs of that coin, and not those it is the quote of.
        """
        wanted = [part for part in re.split(r"[_:./ ]", fragment.upper()) if part]
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

    def find_named(self, tokens: Sequence[Token]) -> str:
        """Return the symbol with a displayed name, such as `OKX BTC perp`, in any case; empty if the words are no such name.

        Raises:
            LineRefused: They have the shape of such a name, but there is no such pair.
        """
        venue, *words, kind = (token.text.upper() for token in tokens)
        kind = BusinessType.PERP if kind == _READ_OUT else kind
        there = (
            [parts for parts in self.parts.values() if parts.exchange == venue] if kind in list(BusinessType) else []
        )
        if not there:
            return ""
        pair = "".join(words)
        for parts in there:
            if parts.business_type == kind and pair in (coin_pair(parts), f"{parts.base}/{parts.quote}"):
                return parts.sym
        text = f"no pair is named {venue} {pair} {kind.lower()}"
        raise LineRefused(Code.UNKNOWN_SYMBOL, text, tokens[0].start, tokens[-1].end)

    def find_short(self, tokens: Sequence[Token], coin: str = "", *, closes: bool = False) -> str:
        """Return the symbol with a short displayed name, such as `EDX BTC` or `EDX BTC/USDC`; empty if there is none.

        Pairs of the venue that fit are preferred as by `resolve`; the text is empty if the words are no such name.

        Raises:
            LineRefused: The venue has no such pair, or several of which none is in view.
        """
        venue, base, *quote = (token.text.upper() for token in tokens)
        there = [parts for parts in self.parts.values() if parts.exchange == venue]
        if not there or base.lower() not in self.coins or quote[:1] not in ([], ["/"]):
            return ""
        name = f"{venue} {base}{''.join(quote)}"
        matching = [parts.sym for parts in there if parts.base == base and quote[1:] in ([], [parts.quote])]
        if not matching:
            raise LineRefused(Code.UNKNOWN_SYMBOL, f"no pair is named {name}", tokens[0].start, tokens[-1].end)
        return self._choose(tokens, name, matching, coin, closes=closes)

    def find_pair_of_coin(self, coin: Token, where: Token, *, closes: bool = False) -> str:
        """Return the symbol with a base coin and a part of a symbol, such as `BTC BINANCE_PERP`; empty if no symbol fits.

        Raises:
            LineRefused: Several fit, of which none is in view.
        """
        if coin.word not in self.coins or "_" not in where.text:
            return ""
        matching = [sym for sym in self.matches(where.text) if self.base_of(sym) == coin.text.upper()]
        return self._choose([coin, where], f"{coin.text} {where.text}", matching, "", closes=closes) if matching else ""

    def resolve(self, token: Token, coin: str = "", *, closes: bool = False) -> str:
        """Return the symbol that a typed word means.

        If several fit, those of `coin` are preferred, then those with a position if `closes`, then the one in view.

        Raises:
            LineRefused: It means none, or several of which none is in view.
        """
        if "," in token.text:
            raise LineRefused(Code.ONE_SYMBOL, "one symbol per order; use ; between orders", token.start, token.end)
        matching = self.matches(token.text)
        if not matching:
            near = find_near(token.text.upper(), self.symbols, 2, 0.5)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise LineRefused(Code.UNKNOWN_SYMBOL, f"no symbol matches {token.text}{hint}", token.start, token.end)
        return self._choose([token], token.text, matching, coin, closes=closes)

    def _choose(self, tokens: Sequence[Token], name: str, matching: Sequence[str], coin: str, *, closes: bool) -> str:
        """Choose among symbols that fit a name, by coin and held position; then the only one or the one in view.

        Raises:
            LineRefused: Several are left, of which none is in view.
        """
        matching = [sym for sym in matching if coin and self.base_of(sym) == coin] or matching
        matching = [sym for sym in matching if closes and sym in self.held] or matching
        if len(matching) == 1 or self.in_view in matching:
            return self.in_view if self.in_view in matching else matching[0]
        raise self.refuse_several(tokens, name, matching)

    def refuse_several(self, tokens: Sequence[Token], name: str, matching: Sequence[str]) -> LineRefused:
        """Build the refusal of a name that fits several symbols, with how to choose among them."""
        listed = ", ".join(matching[:SHOWN]) + (f" and {len(matching) - SHOWN} more" if len(matching) > SHOWN else "")
        choice = f": {listed}; write one of them, or such as {pair_name(matching[0])}"
        if self.has_cursor:
            more = len(matching) - NAMED
            others = f"; {more} more: ⟦line.complete⟧ behind {name} lists all" if more > 0 else ""
            choice = f"; the cursor chooses: put it on one of them, or write {' or '.join(matching[:NAMED])}{others}"
        text = f"{name} fits {len(matching)} symbols{choice}"
        return LineRefused(Code.AMBIGUOUS_SYMBOL, text, tokens[0].start, tokens[-1].end)
