"""Parsing of commands that place orders: side, quantity, symbol, price, options."""

from __future__ import annotations

from decimal import Decimal

from tui.interface.decimals import ZERO, plain
from tui.workstation.command_line.grammar.reader import PRICE_WORDS, Reader
from tui.workstation.command_line.grammar.refusals import Code
from tui.workstation.command_line.grammar.syntax import (
    BUYS,
    Cost,
    Flags,
    Level,
    Order,
    Price,
    PriceWord,
    Quantity,
    Scale,
    Trigger,
    Unit,
)
from tui.workstation.command_line.grammar.tokens import Kind, Token

SIDES = {
    "buy": "buy", "b": "buy", "sell": "sell", "s": "sell",
    "long": "long", "short": "short", "xlong": "xlong", "xshort": "xshort",
}  # fmt: skip
"""Verbs of an order by the words for them; `x…` closes that leg and never opens."""
CLOSING = frozenset(["xlong", "xshort"])
TIFS = ("po", "ioc", "fok", "gtc")
FLAGS = (*TIFS, "ro", "tp", "sl", "id", "max", "dry")
MOST_TICKS = 1000
MOST_RUNGS = 50
PRICE_HELP = "the price is missing: write at, join, improve, mid, take or mkt"


def parse_order(reader: Reader, verb: str) -> tuple[Order, bool]:
    """Parse what follows the side of an order; return the order, and whether it is only shown and not sent.

    Raises:
        LineRefused: Something is missing or not known.
    """
    start = reader.next
    quantity = reader.quantity()
    sym = _symbol_of(reader, quantity, start)
    early: dict[str, object] = {}
    while _take_flag(reader, early, verb):
        pass
    price = parse_price(reader)
    flags, dry = parse_flags(reader, early, verb)
    if quantity.unit in (Unit.ALL, Unit.HALF) and verb not in CLOSING and not flags.reduce_only:
        raise reader.refuse(
            Code.OPENING_ALL, f"{quantity.unit.value} is a size for closing; to open write such as 50% avail", start
        )
    if quantity.unit in (Unit.RISK_PERCENT, Unit.RISK_QUOTE) and flags.stop is None:
        raise reader.refuse(Code.NO_SL_FOR_R, "a size by risk needs a stop: add sl and its price", start)
    _check_flags(reader, price, flags)
    return Order(verb=verb, quantity=quantity, sym=sym, price=price, flags=flags), dry


def _symbol_of(reader: Reader, quantity: Quantity, start: Token | None) -> str:
    """Read the symbol after a quantity; if none is typed, return that of the quantity's coin or the one in view.

    Args:
        reader: Rest of the command.
        quantity: Quantity before it.
        start: First token of the quantity.

    Raises:
        LineRefused: It is not known which one is meant, or the quantity is in another coin.
    """
    symbol_token = reader.next
    sym = reader.accept_symbol(quantity.name if quantity.unit is Unit.COIN else "")
    if not sym and quantity.unit is Unit.COIN:
        sym = _symbol_of_coin(reader, quantity.name, start)
    sym = sym or reader.symbol_in_view()
    base = reader.scene.base_of(sym)
    if quantity.unit is Unit.COIN and base != quantity.name:
        number = plain(quantity.number or ZERO)
        text = f"{quantity.name} is not the coin of {sym}; write {reader.scene.list_units(sym, number)}"
        raise reader.refuse(Code.WRONG_UNIT, text, start)
    token = reader.next
    if token is not None and token.kind is Kind.WORD and token.word not in PRICE_WORDS and symbol_token is not token:
        another = reader.scene.matches(token.text)
        if another:
            raise reader.refuse(Code.ONE_SYMBOL, "one symbol per order; use ; between orders", token)
    return sym


def _symbol_of_coin(reader: Reader, coin: str, token: Token | None) -> str:
    """Return the symbol of a quantity in coins: the one in view if it has this base coin, else the only one with it."""
    in_view = reader.scene.in_view
    if in_view and reader.scene.base_of(in_view) == coin:
        return in_view
    matching = reader.scene.matches(coin)
    if len(matching) == 1:
        return matching[0]
    if matching and token is not None:
        raise reader.scene.refuse_several([token], coin, matching)
    return in_view


def parse_price(reader: Reader) -> Price:
    """Parse a price clause.

    Raises:
        LineRefused: There is none: no word silently means the market.
    """
    token = reader.next
    if token is not None and token.kind is Kind.NUMBER:
        raise reader.refuse(Code.NO_PRICE, f"a limit price needs at before it; write at {token.text}")
    if token is None or token.word in FLAGS:
        raise reader.refuse(Code.NO_PRICE, PRICE_HELP)
    word = reader.accept(*PRICE_WORDS)
    if not word:
        raise reader.refuse_word(sorted(PRICE_WORDS))
    if word == "at":
        return Price(word=PriceWord.AT, level=reader.level("the price"))
    if word == "join":
        return Price(word=PriceWord.JOIN, offset=reader.accept_offset())
    if word in ("improve", "take"):
        following = reader.next
        counted = following is not None and following.kind is Kind.NUMBER
        least = 1 if word == "improve" else 0
        if counted and following is not None and following.text == "0" and least == 0:
            reader.take()
            return Price(word=PriceWord(word), ticks=0)
        return Price(
            word=PriceWord(word), ticks=reader.whole_number("the number of ticks", MOST_TICKS) if counted else least
        )
    return Price(word=PriceWord(word))


def parse_flags(reader: Reader, values: dict[str, object], verb: str) -> tuple[Flags, bool]:
    """Parse the options at the end of an order; return them, and whether the order is only shown and not sent (`dry`).

    Args:
        reader: Rest of the command.
        values: Options that stand before the price.
        verb: What the order does.

    Raises:
        LineRefused: One is not known, comes twice, or excludes another one.
    """
    while not reader.done:
        if not _take_flag(reader, values, verb):
            raise reader.refuse_word(FLAGS)
    return Flags(
        tif=str(values.get("tif", "")),
        reduce_only=bool(values.get("ro")),
        target=values.get("tp"),  # type: ignore[arg-type]
        stop=values.get("sl"),  # type: ignore[arg-type]
        client_id=str(values.get("id", "")),
        most=values.get("max"),  # type: ignore[arg-type]
    ), bool(values.get("dry"))


def _take_flag(reader: Reader, values: dict[str, object], verb: str) -> bool:
    """Read an option of an order and its arguments into `values`; return False if the next word is no option.

    Raises:
        LineRefused: It comes twice, excludes another one, or what belongs to it is missing.
    """
    token = reader.next
    word = reader.accept(*FLAGS)
    if not word:
        return False
    name = "tif" if word in TIFS else word
    if name in values:
        both = f"{values[name]} and {word} exclude each other" if name == "tif" and values[name] != word else ""
        raise reader.refuse(Code.TIF_CONFLICT if both else Code.TWICE, both or f"{word} stands here twice", token)
    if name == "tif":
        values[name] = word
    elif word in ("ro", "dry"):
        values[name] = True
    elif word in ("tp", "sl"):
        values[name] = parse_trigger(reader, word, verb)
    elif word == "max":
        values[name] = reader.number("the largest value")
    else:
        values[name] = _client_id(reader)
    return True


def _client_id(reader: Reader) -> str:
    token = reader.next
    if token is None or token.kind not in (Kind.WORD, Kind.NUMBER) or len(token.text) > 32 or not token.text.isalnum():
        raise reader.refuse(Code.UNKNOWN_WORD, "an id has at most 32 letters a-z and digits")
    if token.text != token.word:
        raise reader.refuse(Code.UNKNOWN_WORD, "an id has small letters a-z and digits only")
    reader.take()
    return token.text


def parse_trigger(reader: Reader, name: str, verb: str) -> Trigger:
    """Parse the trigger behind `tp` or `sl`; an unsigned distance is an offset from the entry, to the side where it fits.

    Raises:
        LineRefused: There is no level, or `r` stands where it means nothing.
    """
    token = reader.next
    sign = 1 if (verb in BUYS) == (name == "tp") else -1
    distance = reader.accept_distance(sign)
    if distance is not None:
        level = Level(reference="entry", offset=distance)
    else:
        level = reader.level("the stop" if name == "sl" else "the target")
    if name == "sl" and level.offset is not None and level.offset.unit == "r":
        why = "r is a multiple of the stop's distance: a stop itself is a price, or a distance in %, t or bp"
        raise reader.refuse(Code.NO_SL_FOR_R, why, token)
    source = ""
    if reader.accept("by"):
        source = reader.accept("last", "mark")
        if not source:
            raise reader.refuse_word(["last", "mark"])
    limit = reader.number("the limit price") if reader.accept("lim") else None
    return Trigger(level=level, source=source, limit=limit)


def _check_flags(reader: Reader, price: Price, flags: Flags) -> None:
    if price.word is PriceWord.MARKET and flags.tif:
        raise reader.refuse(Code.TIF_CONFLICT, f"mkt and {flags.tif} exclude each other: a market order never rests")
    if price.word is PriceWord.TAKE and flags.tif == "po":
        raise reader.refuse(Code.TIF_CONFLICT, "take and po exclude each other: a post-only order never takes")
    target, stop = flags.target, flags.stop
    if target is not None and target.level.offset is not None and target.level.offset.unit == "r" and stop is None:
        raise reader.refuse(Code.NO_SL_FOR_R, "a target in r needs a stop: r is the distance from entry to stop")


def parse_cost(reader: Reader) -> Cost:
    """Parse `cost` and the order behind it.

    Raises:
        LineRefused: It is no order.
    """
    word = reader.accept(*SIDES)
    if not word:
        raise reader.refuse_word(SIDES)
    order, _ = parse_order(reader, SIDES[word])
    return Cost(order=order)


def _parse_weights(reader: Reader) -> tuple[str, Decimal | None]:
    """Parse how a quantity is spread over the orders of `scale`, and the ratio of `geo` if it is given."""
    weights = reader.accept("even", "lin", "geo") or "even"
    following = reader.next
    if weights != "geo" or following is None or following.kind is not Kind.NUMBER:
        return weights, None
    ratio = reader.number("the ratio of geo")
    if not ratio:
        words = "geo: each order is this number times the one before it, so it must be more than 0"
        raise reader.refuse(Code.BAD_NUMBER, words, following)
    return weights, ratio


def _parse_rungs(reader: Reader) -> int:
    return reader.whole_number("the number of orders, before the prices,", MOST_RUNGS)


def parse_scale(reader: Reader) -> tuple[Scale, bool]:
    """Parse `scale`: a quantity in several orders between two prices.

    Raises:
        LineRefused: Something is missing or not known.
    """
    word = reader.accept(*SIDES)
    if not word:
        raise reader.refuse_word(SIDES)
    verb = SIDES[word]
    start = reader.next
    quantity = reader.quantity()
    # The symbol stands behind the quantity, as in an order, or behind the number of orders.
    early = _parse_rungs(reader) if reader.next is not None and reader.next.kind is Kind.NUMBER else 0
    sym = _symbol_of(reader, quantity, start)
    if quantity.unit in (Unit.ALL, Unit.HALF) and verb not in CLOSING:
        raise reader.refuse(
            Code.OPENING_ALL, f"{quantity.unit.value} is a size for closing; to open write such as 50% avail", start
        )
    rungs = early or _parse_rungs(reader)
    if not reader.accept("from"):
        raise reader.refuse_word(["from"])
    first = reader.level("the first price")
    if not reader.accept("to"):
        raise reader.refuse_word(["to"])
    last = reader.level("the last price")
    weights, ratio = _parse_weights(reader)
    spacing = "even"
    if reader.accept("space"):
        spacing = reader.accept("even", "geo")
        if not spacing:
            raise reader.refuse_word(["even", "geo"])
    flags, dry = parse_flags(reader, {}, verb)
    if flags.client_id:
        raise reader.refuse(Code.UNKNOWN_WORD, "id names one order, but scale places several: leave id out", start)
    return Scale(
        verb=verb, quantity=quantity, sym=sym, rungs=rungs, first=first, last=last, weights=weights, ratio=ratio,
        spacing=spacing, flags=flags,
    ), dry  # fmt: skip
