"""Parsing of commands on orders and positions that exist, and of those that need a program running on."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from tui.interface.text import find_near
from tui.workstation.command_line.grammar.order_commands import parse_price
from tui.workstation.command_line.grammar.reader import PRICE_WORDS, REFERENCES, Reader
from tui.workstation.command_line.grammar.refusals import Code, LineRefused
from tui.workstation.command_line.grammar.syntax import (
    WHOLE_SCOPES,
    BreakEven,
    Cancel,
    Change,
    Close,
    Leg,
    MoveTrigger,
    Nudge,
    Orphans,
    Protect,
    Quantity,
    Reverse,
    Scope,
    Working,
)
from tui.workstation.command_line.grammar.tokens import Kind, Token

EVERY_LEG = ("here", "longs", "shorts", "all")
HERE = Leg(word="here")


def parse_cancel(reader: Reader) -> Cancel:
    """Parse the rest of a line that begins with `c`: the orders to cancel.

    Raises:
        LineRefused: No scope is named.
    """
    order = reader.accept_order()
    if order is not None:
        return Cancel(order=order)
    if reader.accept("marks"):
        return Cancel(scope=Scope(word="marks"))
    if side := reader.accept("bids", "asks"):
        return Cancel(scope=Scope(word=side, name=reader.symbol()))
    named = ["here", "last", "#id", "marks"] if reader.scene.has_cursor else ["last", "#id"]
    named += ["bids", "asks"]
    if not reader.done and not reader.accept("all"):
        raise reader.refuse_word([*named, "all"])
    word = reader.accept(*WHOLE_SCOPES)
    if not word:
        if not reader.done:
            raise reader.refuse_word(WHOLE_SCOPES)
        scopes = f"all with {', '.join(WHOLE_SCOPES[:-1])} or {WHOLE_SCOPES[-1]}"
        raise reader.refuse(Code.NO_SCOPE, f"cancel what? {', '.join(named)}, or {scopes}")
    name = ""
    if word == "sym":
        name = _read_pair(reader)
    elif word == "coin":
        name = _read_coin(reader)
    elif word == "venue" and reader.done:
        raise reader.refuse(Code.NO_SCOPE, "cancel all orders of which venue? write its name, such as BINANCE")
    elif word in ("venue", "pf") and reader.next is not None and reader.next.kind is Kind.WORD:
        name = reader.take().text
    return Cancel(scope=Scope(word=word, name=name.upper() if word == "venue" else name))


def _read_pair(reader: Reader) -> str:
    """Read the pair whose orders to cancel; refuse an ambiguous coin with a hint to `c all coin`, which means all its pairs.

    Raises:
        LineRefused: The words mean no pair, or several.
    """
    token = reader.next
    try:
        return reader.symbol()
    except LineRefused as refused:
        if refused.code is not Code.AMBIGUOUS_SYMBOL or token is None or token.word not in reader.scene.coins:
            raise
        every = f"c all coin {token.text.upper()} cancels on every pair of the coin"
        raise reader.refuse(refused.code, f"{every}; {refused}", token) from None


def _read_coin(reader: Reader) -> str:
    """Read the coin whose orders to cancel; with none typed return the base coin of the pair in view.

    Raises:
        LineRefused: The word is no coin.
    """
    token = reader.next
    if token is None:
        return reader.scene.base_of(reader.symbol_in_view())
    if token.word not in reader.scene.coins:
        near = find_near(token.word, sorted(reader.scene.coins), 2)
        hint = f"did you mean {' or '.join(coin.upper() for coin in near)}?" if near else "write such as BTC"
        raise reader.refuse(Code.UNKNOWN_SYMBOL, f"{token.text} is no coin here; {hint}", token)
    return reader.take().text.upper()


def parse_replace(reader: Reader) -> Change:
    """Parse `re`: an order, its new price, and its new total or remaining size.

    Raises:
        LineRefused: Nothing changes, or a quantity is neither the total nor the rest.
    """
    order = reader.one_order()
    level = reader.level("the new price") if reader.accept("px") else None
    word = reader.accept("tot", "rest")
    quantity: Quantity | None = reader.quantity() if word else None
    following = reader.next
    if not word and following is not None and following.kind is Kind.NUMBER:
        raise reader.refuse(
            Code.TOTAL_OR_REST, f"is {following.text} the new total size (tot) or the size still open (rest)?"
        )
    if level is None and quantity is None:
        if not reader.done:
            raise reader.refuse_word(["px", "tot", "rest"])
        raise reader.refuse(Code.NO_CHANGE, "change what? write px with a price, or tot or rest with a quantity")
    return Change(order=order, level=level, quantity=quantity, total=word != "rest")


def parse_nudge(reader: Reader) -> Nudge:
    """Parse `nudge`: an order and a signed distance."""
    return Nudge(order=reader.one_order(), offset=reader.offset("the distance", "2t"))


def parse_flat(reader: Reader) -> Close:
    """Parse `flat`: close positions at market."""
    return Close(leg=reader.leg(EVERY_LEG))


def parse_close(reader: Reader) -> Close:
    """Parse `close`: a share of a position, at market or at a price.

    Raises:
        LineRefused: The share is missing or above 100 %.
    """
    percent = Decimal(50) if reader.accept("half") else _parse_share(reader)
    leg = reader.leg()
    price = parse_price(reader) if reader.word in PRICE_WORDS else None
    return Close(leg=leg, percent=percent, price=price)


def _parse_share(reader: Reader) -> Decimal:
    first = reader.next
    if first is None or first.kind is Kind.WORD:
        raise reader.refuse(Code.NO_UNIT, "close takes a share first, such as 50% or half; flat closes the whole")
    percent = reader.number("the share")
    if not reader.accept("%"):
        raise reader.refuse(
            Code.NO_UNIT, "close takes a share such as 50%; for a quantity, buy or sell it with ro", first
        )
    if not 0 < percent <= 100:
        raise reader.refuse(Code.TOO_MUCH, "a share is more than 0 and at most 100 %", first)
    return percent


def parse_reverse(reader: Reader) -> Reverse:
    """Parse `rev` and which position it reverses."""
    return Reverse(leg=reader.leg())


def parse_break_even(reader: Reader) -> BreakEven:
    """Parse `be` and the position whose stop is to be moved to its break-even price."""
    return BreakEven(leg=reader.leg())


def parse_move(reader: Reader, which: str) -> MoveTrigger:
    """Parse `sl move` or `tp move`: a position, and a new trigger or a signed distance from the present one.

    A distance without a sign counts from the entry, to its own side, as in an order. Before a price, a reference such
    as `entry` or a distance `move` may be left out, and the position may stand behind it.

    Raises:
        LineRefused: The level is missing.
    """
    following = reader.next
    if not reader.accept("move") and (following is None or not _begins_level(following)):
        raise reader.refuse_word(["a price", "1%", "move"])
    start = reader.at
    leg = reader.leg()
    is_named = reader.at > start
    move = _parse_trigger(reader, which)
    return msgspec.structs.replace(move, leg=leg if is_named or reader.done else reader.leg())


def _parse_trigger(reader: Reader, which: str) -> MoveTrigger:
    """Parse where the trigger goes: a distance from where it is, a distance from the entry, or a price."""
    offset = reader.accept_offset()
    if offset is not None:
        return MoveTrigger(which=which, leg=HERE, offset=offset)
    reader.accept("to")
    distance = reader.accept_distance(1)
    if distance is None:
        return MoveTrigger(which=which, leg=HERE, level=reader.level("the new trigger"))
    if distance.unit == "r":
        raise reader.refuse(Code.NO_SL_FOR_R, "the unit r is only for the target of an order")
    return MoveTrigger(which=which, leg=HERE, distance=distance)


def _begins_level(token: Token) -> bool:
    """Return whether a price, a reference or a distance begins with a token."""
    is_sign = token.kind is Kind.SIGN and token.text in "+-"
    is_reference = token.kind is Kind.NAME or (token.kind is Kind.WORD and token.word in REFERENCES)
    return token.kind is Kind.NUMBER or is_sign or is_reference


def parse_protect(reader: Reader) -> Protect:
    """Parse `protect`: all positions or a single one, and optionally the distance of the new stops.

    Raises:
        LineRefused: No position is named.
    """
    following = reader.next
    if following is None or following.kind is not Kind.WORD:
        raise reader.refuse_word(["all", "here", "a pair"])
    leg = reader.leg(("all", "here"))
    return Protect(leg=leg, distance=None if reader.done else reader.distance("the distance"))


def parse_orphans(reader: Reader) -> Orphans:
    """Parse `orphans`, which has no arguments."""
    del reader
    return Orphans()


def parse_working(reader: Reader, verb: str) -> Working:
    """Parse a command that is always refused later, such as `twap`; accept any text behind it."""
    start = reader.at
    while not reader.done:
        reader.take()
    return Working(verb=verb, text=reader.copy_text(start))
