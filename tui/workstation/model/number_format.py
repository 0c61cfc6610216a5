"""Formats of numbers and times in cells: decimals by tick and lot, separators, signs, ages, and `–` for missing values."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache

from tui.interface.decimals import half_up, optional, plain

MISSING = "–"
NONE = "none"


_NOTHING = frozenset([MISSING, "0", "0ct", "0%", "0 %"])


def is_zero_or_missing(text: str) -> bool:
    """Return whether a text shows zero or no figure; a zero with a unit other than `ct` or `%` does not count."""
    if text in _NOTHING:
        return True
    body = text.strip().removesuffix("ct").removesuffix("%").rstrip()
    return body == MISSING or ("0" in body and not body.strip("+-~0.,"))


@lru_cache(maxsize=4096)
def value(text: str | None) -> Decimal | None:
    """Parse a number; None if it is missing or unreadable."""
    return optional(text)


@lru_cache(maxsize=1024)
def places(step: str) -> int | None:
    """Return the number of decimals of a tick or lot size; None if it is unknown."""
    number = optional(step)
    if number is None or number <= 0:
        return None
    text = plain(number)
    return len(text.partition(".")[2])


SHORT_FIGURE = 20
"""Length limit of a plain figure that needs no Decimal arithmetic."""


@lru_cache(maxsize=32768)
def figure(text: str | None, decimals: int | None = None, *, separators: bool = True, exact: bool = False) -> str:
    """Format a number text with `decimals` decimals; `exact` keeps further decimals instead of rounding."""
    if text and decimals is not None and _is_ready(text, decimals):
        return group_thousands(text) if separators else text
    number = optional(text)
    if number is None:
        return MISSING
    return decimal_figure(number, decimals, separators=separators, exact=exact)


def _is_ready(text: str, decimals: int) -> bool:
    """Return whether a text already is a short plain number with exactly these decimals, so that no parsing is needed."""
    whole, dot, rest = text.partition(".")
    return (
        len(text) <= SHORT_FIGURE
        and text.isascii()
        and whole.isdigit()
        and (whole[0] != "0" or whole == "0")
        and (rest.isdigit() and len(rest) == decimals if dot else not decimals)
    )


def decimal_figure(
    number: Decimal | None, decimals: int | None = None, *, separators: bool = True, exact: bool = False
) -> str:
    """Format a computed number like `figure`."""
    if number is None:
        return MISSING
    have = max(0, -int(number.as_tuple().exponent))
    if decimals is None:
        body = plain(number)
    elif have > decimals and exact:
        body = plain(number)
        if len(body.partition(".")[2]) < decimals:
            body = format(half_up(number, decimals), "f")
    else:
        body = format(half_up(number, decimals), "f")
    if not body.strip("-0."):
        body = body.removeprefix("-")
    return group_thousands(body) if separators else body


def field_text(number: Decimal, step: Decimal | None) -> str:
    """Format a number for an input field: unrounded, with at least the decimals of its tick or lot."""
    body = plain(number)
    least = max(0, -int(step.normalize().as_tuple().exponent)) if step is not None else 0
    return body if len(body.partition(".")[2]) >= least else format(number, f".{least}f")


def group_thousands(body: str) -> str:
    """Insert thousands separators into the integer part."""
    sign = ""
    if body[:1] == "-":
        sign, body = "-", body[1:]
    whole, dot, rest = body.partition(".")
    if len(whole) > 3:
        whole = f"{int(whole):,}"
    return sign + whole + dot + rest


def format_signed(text: str | None, decimals: int | None = None, *, separators: bool = True) -> str:
    """Format a number with its sign; zero gets none."""
    number = optional(text)
    return format_signed_decimal(number, decimals, separators=separators)


def format_signed_decimal(number: Decimal | None, decimals: int | None = None, *, separators: bool = True) -> str:
    """Format a computed number like `format_signed`."""
    body = decimal_figure(number, decimals, separators=separators)
    return "+" + body if number is not None and number > 0 and body.strip("0.,") else body


def change_role(number: Decimal | None) -> str:
    """Return the colour role of a gain or loss."""
    if number is None or not number:
        return "dim"
    return "gain" if number > 0 else "loss"


def age(seconds: float) -> str:
    """Format a duration in a single unit, such as `5m`: seconds below two minutes, minutes below two hours, and so on."""
    if seconds < 0:
        seconds = 0.0
    if seconds < 10:
        return f"{seconds:.1f}s"
    if seconds < 120:
        return f"{int(seconds)}s"
    if seconds < 7200:
        return f"{int(seconds / 60)}m"
    if seconds < 172800:
        return f"{int(seconds / 3600)}h"
    return f"{int(seconds / 86400)}d"


def countdown(seconds: float) -> str:
    """Format the remaining time: hours and minutes, in the last hour minutes and seconds."""
    left = max(0, int(seconds))
    if left >= 3600:
        return f"{left // 3600}h{left % 3600 // 60:02d}m"
    return f"{left // 60}m{left % 60:02d}s"


def whole_age(seconds: float) -> str:
    """Format a duration like `age`, but without tenths of a second."""
    return f"{max(0, int(seconds))}s" if seconds < 10 else age(seconds)


def moment(wall_ms: int, *, utc: bool = True, millis: bool = False) -> str:
    """Format a wall clock time as time of day, in the zone shown in the status bar."""
    if wall_ms <= 0:
        return MISSING
    stamp = datetime.fromtimestamp(wall_ms / 1000, tz=UTC)
    if not utc:
        stamp = stamp.astimezone()
    return stamp.strftime("%H:%M:%S") + (f".{wall_ms % 1000:03d}" if millis else "")


def day(wall_ms: int, *, utc: bool = True) -> str:
    """Format a wall clock time as a date; `–` if there is none."""
    if wall_ms <= 0:
        return MISSING
    stamp = datetime.fromtimestamp(wall_ms / 1000, tz=UTC)
    return (stamp if utc else stamp.astimezone()).strftime("%Y-%m-%d")


def ticks_between(low: Decimal | None, high: Decimal | None, tick: Decimal | None) -> int | None:
    """Return the whole ticks from `low` to `high`; None if an input is missing."""
    if low is None or high is None or tick is None or tick <= 0:
        return None
    return int((high - low) / tick)


def points_from(start: Decimal | None, price: Decimal | None) -> Decimal | None:
    """Return the signed distance of `price` from `start` in basis points of `start` (1 % is 100); None if unknown."""
    if start is None or price is None or start <= 0:
        return None
    # Adding zero turns a rounded -0 into 0.
    return half_up((price - start) * 10000 / start, 1) + 0


def basis_points(low: Decimal | None, high: Decimal | None) -> Decimal | None:
    """Return the distance of two prices in basis points of their mid price."""
    if low is None or high is None or low + high <= 0:
        return None
    # Adding zero turns a rounded -0 into 0.
    return half_up((high - low) * 20000 / (high + low), 1) + 0


def format_queue(ahead: Decimal) -> str:
    """Format a queue estimate: as a whole number from 100 on, below with one decimal, below 10 with up to three."""
    return decimal_figure(half_up(ahead, 0 if ahead >= 100 else 1 if ahead >= 10 else 3) + 0, None)
