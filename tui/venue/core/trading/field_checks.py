"""Validation of single request fields; errors contain the field, its value and what is accepted."""

from __future__ import annotations

import re
from decimal import Decimal

from tui.interface.decimals import ZERO, BadDecimal, parse_request, plain
from tui.interface.families.orders import Name, PositionSide
from tui.rules.rounding import neighbours
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.market.symbols import Pair

_LENIENT = re.compile(r"[A-Za-z0-9_-]+")
_STRICT = re.compile(r"[a-z0-9]{1,32}")
MAX_CLIENT_ID = 63


def check_word(name: str, value: str, words: tuple[str, ...], code: int) -> None:
    """Check that a value is one of the accepted enum values.

    Raises:
        CheckFailed: With `code`.
    """
    if value not in words:
        raise CheckFailed(code, f"{name} {value[:40]!r} is not accepted; it takes {', '.join(words)}")


def check_leg_word(position_side: str) -> None:
    """Check the value of positionSide, if it was sent.

    Raises:
        CheckFailed: 401905.
    """
    if position_side:
        check_word(Name.POSITION_SIDE, position_side, tuple(PositionSide), 401905)


def decimal_of(name: str, text: str, code: int) -> Decimal:
    """Parse a request field as a plain decimal above 0.

    Raises:
        CheckFailed: With `code`.
    """
    try:
        value = parse_request(text)
    except BadDecimal:
        value = ZERO
    if value <= 0:
        raise CheckFailed(code, f"{name} {text[:40]!r} is not accepted; it takes a decimal above 0, for example 1.5")
    return value


def check_id(name: str, text: str) -> None:
    """Check an id of an order or algo order, if one was sent.

    Raises:
        CheckFailed: 401007.
    """
    if text and not (text.isascii() and text.isdigit() and len(text) == 16):
        raise CheckFailed(401007, f"{name} {text[:40]!r} is not accepted; it must have 16 digits")


def check_client_id(text: str, *, strict: bool) -> None:
    """Check the length and characters of a clientOrderId.

    Raises:
        CheckFailed: 401001 when too long, 400000 for other characters.
    """
    if len(text) > MAX_CLIENT_ID:
        raise CheckFailed(
            401001, f"{Name.CLIENT_ORDER_ID} has {len(text)} characters; at most {MAX_CLIENT_ID} are accepted"
        )
    if (_STRICT if strict else _LENIENT).fullmatch(text) is None:
        accepted = "1 to 32 of a-z and 0-9" if strict else "letters, digits, - and _"
        raise CheckFailed(400000, f"{Name.CLIENT_ORDER_ID} {text!r} is not accepted; it takes {accepted}")


def ticks_of(pair: Pair, price: Decimal, name: str = Name.LIMIT_PRICE) -> int:
    """Convert a price to ticks; an error when it is off the tick size.

    Raises:
        CheckFailed: 401015 when off tick.
    """
    ticks = pair.ticks(price)
    if ticks is None:
        raise _off_step(401015, name, price, Name.TICK_SIZE, pair.tick)
    return ticks


def lots_of(pair: Pair, quantity: Decimal) -> int:
    """Convert a quantity to lots; an error when it is off the lot size.

    Raises:
        CheckFailed: 401013 when off lot.
    """
    lots = pair.lots(quantity)
    if lots is None:
        raise _off_step(401013, Name.ORDER_QTY, quantity, Name.LOT_SIZE, pair.lot)
    return lots


def _off_step(code: int, name: str, value: Decimal, step_name: str, step: Decimal) -> CheckFailed:
    """Return the error of a value between two steps, which names both."""
    nearest = " and ".join(plain(number) for number in neighbours(value, step) if number)
    return CheckFailed(
        code, f"{name} {plain(value)} is not a multiple of {step_name} {plain(step)}; next are {nearest}"
    )


def check_size(pair: Pair, lots: int, *, market: bool) -> None:
    """Check that a quantity is within the minimum and maximum of the pair.

    Raises:
        CheckFailed: 401014 when too small, 401025 when too large.
    """
    shown = pair.qty_text(lots)
    if lots < pair.min_lots:
        raise CheckFailed(401014, f"{Name.ORDER_QTY} {shown} is below {Name.MIN_SIZE} {pair.qty_text(pair.min_lots)}")
    most, name = (pair.max_market_lots, Name.MAX_MARKET_SIZE) if market else (pair.max_limit_lots, Name.MAX_LIMIT_SIZE)
    if lots > most:
        raise CheckFailed(401025, f"{Name.ORDER_QTY} {shown} is above {name} {pair.qty_text(most)}")
