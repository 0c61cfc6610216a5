"""Cursor over the tokens of a step, with the parts that all commands share: numbers, durations, quantities, levels."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from decimal import Decimal

from tui.interface.decimals import BadDecimal, parse_typed, suggest_without_commas
from tui.interface.text import find_near
from tui.workstation.command_line.grammar.refusals import Code, LineRefused
from tui.workstation.command_line.grammar.scene import Scene
from tui.workstation.command_line.grammar.syntax import Leg, Level, Offset, OneOrder, Quantity, Unit
from tui.workstation.command_line.grammar.tokens import Kind, Token

SECONDS = {"ms": Decimal("0.001"), "s": Decimal(1), "m": Decimal(60), "h": Decimal(3600), "d": Decimal(86400)}
REFERENCES = frozenset(["bid", "ask", "mid", "last", "mark", "index", "entry", "liq"])
PRICE_WORDS = frozenset(["at", "join", "improve", "mid", "take", "mkt"])
NEAR = 0.8
"""Least similarity of a longer word to the one that is suggested for it."""
LEAST_ID = 4
"""Characters of an id that name an order."""
_DIGITS = re.compile(r"[0-9_.,]*")
_SUGGESTED = {
    "market": "mkt", "limit": "at", "post": "po", "postonly": "po", "reduce": "ro", "reduceonly": "ro",
    "close": "close", "stop": "sl", "target": "tp", "best": "join", "cross": "take",
}  # fmt: skip
"""Words of other programs, with the word that is meant here."""
RESERVED = frozenset([
    "buy", "b", "sell", "s", "long", "short", "xlong", "xshort", "c", "cancel", "re", "nudge", "flat", "rev", "be",
    "orphans", "close", "sl", "tp", "trail", "protect", "chase", "scale", "twap", "ice", "algo", "arm", "hot", "view",
    "halt", "reduce", "resume", "limit", "budget", "keep", "unkeep", "o", "p", "a", "adl", "fills", "pnl", "why", "cost",
    "show", "alert", "wait", "set", "alias", "export", "use", "q", "pf", "dry", "at", "join", "improve", "mid",
    "take", "mkt", "po", "ioc", "fok", "gtc", "ro", "id", "max", "here", "last", "marks", "bids", "asks", "all",
    "half", "risk", "px", "tot", "rest", "to", "from", "over", "lin", "geo", "even", "space", "and", "or", "when",
    "by", "lim", "bid", "ask", "mark", "index", "entry", "liq", "sym", "venue", "everything", "longs", "shorts",
    "move", "accept", "grant", "decline", "revoke",
])  # fmt: skip
"""Keywords; none of them is ever a symbol."""


class Reader:
    """Tokens of one step, read from left to right."""

    def __init__(self, tokens: list[Token], scene: Scene, end: int) -> None:
        """Start before the first token; `end` is the position in the line behind the step's last character."""
        self._tokens = tokens
        self._at = 0
        self._end = end
        self.scene = scene

    # Tokens

    @property
    def done(self) -> bool:
        """Whether all tokens are read."""
        return self._at >= len(self._tokens)

    @property
    def next(self) -> Token | None:
        """Next token; None at the end."""
        return None if self.done else self._tokens[self._at]

    def look(self, ahead: int) -> Token | None:
        """Return the token `ahead` places after the next one; None behind the last token."""
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else None

    @property
    def word(self) -> str:
        """Next token in lower case if it is a word or a sign; else empty."""
        token = self.next
        return token.word if token is not None and token.kind in (Kind.WORD, Kind.SIGN) else ""

    def take(self) -> Token:
        """Return the next token and go past it; raise IndexError if there is none."""
        token = self._tokens[self._at]
        self._at += 1
        return token

    def accept(self, *words: str) -> str:
        """Read the next token if it is one of some words; return it, or an empty text."""
        if self.word and self.word in words:
            return self.take().word
        return ""

    def copy_text(self, since: int) -> str:
        """Return the text of the tokens from number `since` to the last one read; spaces between two become single."""
        text, end = "", -1
        for token in self._tokens[since : self._at]:
            text += (" " if text and token.start > end else "") + token.text
            end = token.end
        return text

    @property
    def at(self) -> int:
        """Index of the next token."""
        return self._at

    def refuse(self, code: Code, text: str, token: Token | None = None) -> LineRefused:
        """Build a refusal of a token, or of the place where one is missing."""
        token = token or self.next
        if token is None:
            return LineRefused(code, text, self._end, self._end)
        return LineRefused(code, text, token.start, token.end)

    def refuse_word(self, accepted: Iterable[str], meant: str = "") -> LineRefused:
        """Build the refusal of the next token, with a suggestion (`meant`, or a similar word), else the accepted words."""
        token = self.next
        listed = list(accepted)
        if token is None:
            return self.refuse(Code.UNKNOWN_WORD, f"the line ends here; accepted: {', '.join(listed)}")
        near = meant or _SUGGESTED.get(token.word) or next(iter(find_near(token.word, listed, least=NEAR)), "")
        if "at" in listed and token.word in REFERENCES and token.word not in listed:
            near = f"at {token.word}"
        hint = f"did you mean {near}?" if near and near != token.word else f"accepted: {', '.join(listed)}"
        return self.refuse(Code.UNKNOWN_WORD, f"{token.text} is not known here; {hint}")

    def expect_end(self) -> None:
        """Refuse a line that goes on after its command is complete.

        Raises:
            LineRefused: Something is left.
        """
        if not self.done:
            token = self.take()
            raise self.refuse(Code.UNKNOWN_WORD, f"the command ends before {token.text}", token)

    # Numbers

    def parse_number(self, text: str, token: Token) -> Decimal:
        """Parse digits of a token.

        Raises:
            LineRefused: They are no number of the grammar.
        """
        if "," in text:
            meant = suggest_without_commas(text)
            hint = f"write {meant}" if meant else "write digits with at most one dot"
            raise self.refuse(Code.BAD_NUMBER, f"{text} has a comma; {hint}, or groups as 16_000", token)
        try:
            return parse_typed(text)
        except BadDecimal as error:
            raise self.refuse(Code.BAD_NUMBER, str(error), token) from None

    def number(self, what: str) -> Decimal:
        """Read a number without a unit.

        Raises:
            LineRefused: There is none; `what` names it.
        """
        token = self._number_token(what)
        return self.parse_number(token.text, token)

    def number_with_letters(self, what: str) -> tuple[str, str]:
        """Read a number token; return its digits, which are a number, and the letters glued to them.

        Raises:
            LineRefused: There is none.
        """
        token = self._number_token(what)
        digits, letters = self.split_number(token)
        self.parse_number(digits, token)
        return digits, letters

    def whole_number(self, what: str, most: int) -> int:
        """Read a whole number from 1 to `most`.

        Raises:
            LineRefused: There is none.
        """
        token = self._number_token(what)
        if not token.text.isascii() or not token.text.isdigit() or token.text.startswith("0"):
            raise self.refuse(Code.BAD_NUMBER, f"{what} must be a whole number, from 1 to {most}", token)
        if len(token.text) > len(str(most)) or int(token.text) > most:
            raise self.refuse(Code.TOO_MUCH, f"{what} is at most {most}", token)
        return int(token.text)

    def _number_token(self, what: str) -> Token:
        token = self.next
        if token is None:
            raise self.refuse(Code.BAD_NUMBER, f"{what} is missing")
        if token.kind is Kind.SIGN and token.text in "+-":
            raise self.refuse(Code.BAD_NUMBER, f"{what} has no sign")
        if token.kind is not Kind.NUMBER:
            raise self.refuse(Code.BAD_NUMBER, f"{token.text} is not a number; {what} is written as 1.5")
        return self.take()

    def split_number(self, token: Token) -> tuple[str, str]:
        """Split a number token into its digits and the letters behind them."""
        digits = _DIGITS.match(token.text)
        end = digits.end() if digits is not None else 0
        return token.text[:end], token.text[end:].lower()

    def duration(self, what: str) -> Decimal:
        """Read a duration with its unit (s, m or h) and return it in seconds.

        Raises:
            LineRefused: The unit is missing, or there is no number.
        """
        token = self._number_token(what)
        digits, unit = self.split_number(token)
        if unit not in SECONDS:
            raise self.refuse(Code.NO_DURATION_UNIT, f"{digits}s, {digits}m or {digits}h?", token)
        return self.parse_number(digits, token) * SECONDS[unit]

    # Symbols and orders

    def symbol(self) -> str:
        """Read a symbol and return it; if the next token is none, return the symbol in view.

        Raises:
            LineRefused: None is in view, or the word means none or several.
        """
        return self.accept_symbol() or self.symbol_in_view()

    def accept_symbol(self, coin: str = "", *, closes: bool = False) -> str:
        """Read a symbol if the next token is one; return an empty text if it is a keyword.

        Args:
            coin: Coin that is preferred if the word fits several symbols.
            closes: Whether symbols with a position are preferred.

        Raises:
            LineRefused: The word means no symbol, or several.
        """
        if sym := self._accept_pair_name(coin, closes=closes):
            return sym
        token = self.next
        if token is None or token.kind is not Kind.WORD or token.word in RESERVED:
            return ""
        if token.word in _SUGGESTED and not self.scene.matches(token.text):
            return ""
        self.take()
        return self.scene.resolve(token, coin, closes=closes)

    def _accept_pair_name(self, coin: str, *, closes: bool) -> str:
        """Read a symbol typed as its displayed name, such as `OKX BTC perp` or, as in narrow lists, `OKX BTC`."""
        for count in (3, 5, 4, 2):
            tokens = self._tokens[self._at : self._at + count]
            if len(tokens) < count:
                continue
            if count in (3, 5):
                sym = self.scene.find_named(tokens)
            else:
                # Without its kind behind it, a coin that is also a keyword is the keyword.
                is_name = tokens[1].word not in RESERVED
                sym = self.scene.find_short(tokens, coin, closes=closes) if is_name else ""
                if not sym and count == 2:
                    sym = self.scene.find_pair_of_coin(*tokens, closes=closes)
            if sym:
                self._at += count
                return sym
        return ""

    def symbol_in_view(self) -> str:
        """Return the symbol in view.

        Raises:
            LineRefused: None is.
        """
        if not self.scene.in_view:
            none = (
                "no symbol is in view"
                if self.scene.has_cursor
                else f"there is no cursor to choose it: write it, such as {self.scene.example}"
            )
            raise self.refuse(Code.NO_SYMBOL, f"which symbol? {none}")
        return self.scene.in_view

    def one_order(self) -> OneOrder:
        """Read which order is meant.

        Raises:
            LineRefused: None is named.
        """
        order = self.accept_order()
        if order is None:
            here = "here, " if self.scene.has_cursor else ""
            raise self.refuse(Code.NO_SCOPE, f"which order? {here}last or # with a part of its id")
        return order

    def accept_order(self) -> OneOrder | None:
        """Read which order is meant, if one is named."""
        if word := self.accept("here", "last"):
            return OneOrder(word=word)
        token = self.next
        if token is None or token.kind is not Kind.ID:
            return None
        self.take()
        if len(token.text) - 1 < LEAST_ID:
            raise self.refuse(Code.NO_ORDER, f"an order is named by at least {LEAST_ID} characters of its id", token)
        return OneOrder(part=token.text[1:])

    def leg(self, words: tuple[str, ...] = ("here",)) -> Leg:
        """Read which position is meant; if none is named, the one under the cursor."""
        if word := self.accept(*words):
            return Leg(word=word)
        sym = self.accept_symbol(closes=True)
        side = self.accept("long", "short")
        if not sym and not side:
            return Leg(word="here")
        return Leg(sym=sym or self.symbol_in_view(), side=side)

    # Quantities

    def quantity(self) -> Quantity:
        """Read a quantity with its unit.

        Raises:
            LineRefused: It has no unit, a unit that is none, or is no number.
        """
        token = self.next
        if token is None:
            raise self.refuse(Code.NO_QUANTITY, "how much? such as 0.02 BTC, 25ct, $900, 50% avail or risk 0.5%")
        if word := self.accept("all", "half"):
            return Quantity(unit=Unit(word))
        if self.accept("risk"):
            return self._risk()
        if token.kind is Kind.NAME:
            self.take()
            return Quantity(unit=Unit.NAMED, name=token.word)
        if token.kind is Kind.SIGN and token.text == "$":
            self.take()
            return self._quote_quantity()
        if token.kind is Kind.WORD and re.fullmatch("v[1-9]", token.word):
            self.take()
            return Quantity(unit=Unit.PRESET, name=token.word)
        if token.kind is Kind.SIGN and token.text in "+-":
            raise self.refuse(Code.BAD_NUMBER, "a quantity has no sign; the side is the first word")
        if token.kind is not Kind.NUMBER:
            how = "write such as 0.02 BTC, 25ct or $900"
            if (price := _SUGGESTED.get(token.word, token.word)) in PRICE_WORDS:
                how = f"the size comes before {price}, such as 0.02 BTC {price}{' 64000' if price == 'at' else ''}"
            raise self.refuse(Code.BAD_NUMBER, f"{token.text} is not a quantity; {how}")
        self.take()
        return self._number_with_unit(token)

    def _risk(self) -> Quantity:
        if self.accept("$"):
            return Quantity(unit=Unit.RISK_QUOTE, number=self.number("the risk"))
        token = self._number_token("the risk")
        digits, letters = self.split_number(token)
        number = self.parse_number(digits, token)
        if not letters and self.accept("%"):
            return Quantity(unit=Unit.RISK_PERCENT, number=number)
        if letters in ("q", "usdt") or (not letters and self.accept("$", "q", "usdt")):
            return Quantity(unit=Unit.RISK_QUOTE, number=number)
        raise self.refuse(Code.NO_UNIT, f"{digits} what? risk {digits}% of the equity, or risk ${digits}", token)

    def _quote_quantity(self) -> Quantity:
        token = self._number_token("the amount")
        return Quantity(unit=Unit.QUOTE, number=self.parse_number(token.text, token))

    def _number_with_unit(self, token: Token) -> Quantity:
        digits, letters = self.split_number(token)
        thousands = ""
        if letters and not self._is_unit(letters) and letters[0] in "km":
            thousands, letters = letters[0], letters[1:]
        number = self.parse_number(digits + thousands, token)
        if letters:
            if not self._is_unit(letters):
                raise self.refuse(
                    Code.BAD_NUMBER, f"{token.text} is not a quantity; write such as 0.02 BTC or 25ct", token
                )
            return self._unit(number, letters)
        if self.accept("%"):
            return self._percentage(number)
        following = self.next
        if following is not None and following.kind in (Kind.WORD, Kind.SIGN) and self._is_unit(following.word):
            self.take()
            return self._unit(number, following.word)
        typed = digits + thousands
        units = self._list_units(typed)
        if following is not None and self._is_unknown(following):
            near = find_near(following.word, sorted(self.scene.coins), 2)
            hint = f"did you mean {typed} {' or '.join(coin.upper() for coin in near)}?" if near else units
            text = f"{following.text} is no coin or pair here; {hint}"
            raise self.refuse(Code.UNKNOWN_SYMBOL, text, following)
        raise self.refuse(Code.NO_UNIT, f"{typed} what? {units}", token)

    def _list_units(self, typed: str) -> str:
        """Say how a number is written with a unit such as `ct`, for the pair typed next, else the pair in view."""
        start, sym = self._at, ""
        with suppress(LineRefused):
            sym = self.accept_symbol() or self.scene.in_view
        self._at = start
        return f"write {self.scene.list_units(sym, typed)}"

    def _is_unknown(self, token: Token) -> bool:
        """Return whether a word is no keyword or known verb, and no part of a known symbol."""
        if token.kind is not Kind.WORD or token.word in RESERVED or token.word in _SUGGESTED:
            return False
        return not self.scene.matches(token.text)

    def _is_unit(self, text: str) -> bool:
        return text in ("ct", "q", "$") or text in self.scene.coins

    def _unit(self, number: Decimal, text: str) -> Quantity:
        if text == "ct":
            return Quantity(unit=Unit.CONTRACTS, number=number)
        if text in ("q", "$"):
            return Quantity(unit=Unit.QUOTE, number=number)
        return Quantity(unit=Unit.COIN, number=number, name=text.upper())

    def _percentage(self, number: Decimal) -> Quantity:
        bases = {"pos": Unit.POSITION, "avail": Unit.AVAILABLE, "eq": Unit.EQUITY}
        word = self.accept(*bases)
        if not word:
            raise self.refuse(Code.NO_UNIT, f"{number} % of what? pos, avail or eq")
        return Quantity(unit=bases[word], number=number)

    # Prices

    def level(self, what: str) -> Level:
        """Read a price, or a reference price with an offset; `what` is the name of the price in refusals.

        Raises:
            LineRefused: There is none.
        """
        token = self.next
        if token is None:
            raise self.refuse(Code.NO_PRICE, f"{what} is missing; write a price, or such as bid-2t")
        if token.kind is Kind.SIGN and token.text in "+-":
            raise self.refuse(
                Code.NO_REFERENCE, f"relative to what? write bid{token.text}…, entry{token.text}… or mark{token.text}…"
            )
        if token.kind is Kind.NAME or (token.kind is Kind.WORD and token.word in REFERENCES):
            self.take()
            return Level(reference=token.word, offset=self.accept_offset())
        if token.kind is not Kind.NUMBER:
            raise self.refuse(Code.BAD_NUMBER, f"{token.text} is not a price; write a number, or such as bid-2t")
        self.take()
        digits, letters = self.split_number(token)
        unit = letters or self.word
        if unit in ("%", "t", "bp"):
            typed = f"{digits}{unit}"
            raise self.refuse(Code.NO_REFERENCE, f"{typed} of what? write such as bid+{typed}", token)
        return Level(number=self.parse_number(token.text, token))

    def accept_offset(self) -> Offset | None:
        """Read an offset with its sign, if there is one."""
        token = self.next
        if token is None or token.kind is not Kind.SIGN or token.text not in "+-":
            return None
        self.take()
        return self._offset(-1 if token.text == "-" else 1)

    def accept_distance(self, sign: int) -> Offset | None:
        """Read an unsigned distance such as 1%; return it as an offset with `sign`; None if the next token is none."""
        token = self.next
        if token is None or token.kind is not Kind.NUMBER:
            return None
        behind = self._tokens[self._at + 1 : self._at + 2]
        unit = self.split_number(token)[1] or "".join(token.word for token in behind)
        return self._offset(sign) if unit in ("%", "t", "bp", "r") else None

    def offset(self, what: str, example: str) -> Offset:
        """Read an offset with its sign.

        Raises:
            LineRefused: The sign is missing.
        """
        offset = self.accept_offset()
        if offset is None:
            raise self.refuse(Code.NO_SIGN, f"{what} needs its sign, such as +{example} or -{example}")
        return offset

    def distance(self, what: str) -> Offset:
        """Read a distance without a sign and with its unit.

        Raises:
            LineRefused: The unit is missing.
        """
        token = self.next
        offset = self._offset(1)
        if not offset.unit:
            raise self.refuse(
                Code.NO_UNIT, f"{what} needs a unit: {offset.number}t, {offset.number}% or {offset.number}bp", token
            )
        return offset

    def _offset(self, sign: int) -> Offset:
        token = self._number_token("the distance")
        digits, letters = self.split_number(token)
        thousands = ""
        if letters in ("k", "m"):
            thousands, letters = letters, ""
        if letters not in ("", "t", "bp", "r"):
            raise self.refuse(Code.BAD_NUMBER, f"{token.text} is no distance; write such as 2t, 0.5%, 30bp", token)
        number = self.parse_number(digits + thousands, token)
        unit = letters or self.accept("%")
        if not unit and self.word in ("t", "bp", "r"):
            unit = self.take().word
        return Offset(number=number * sign, unit=unit)
