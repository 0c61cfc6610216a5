"""Exact decimals: which number formats are accepted, and how numbers are formatted.

Binary floats appear nowhere: text in, `Decimal` between, text out.
"""

from __future__ import annotations

import decimal
import re
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from tui.crossdesk_error import CrossdeskError

PRECISION = 50
"""Digits of every calculation; more than any product of two 30-digit figures needs after rounding to 18 places."""

CONTEXT = decimal.Context(
    prec=PRECISION, rounding=decimal.ROUND_HALF_EVEN, traps=[decimal.InvalidOperation, decimal.DivisionByZero]
)

_ANSWER = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?")
_REQUEST = re.compile(r"[0-9]{1,30}(\.[0-9]{1,30})?")
LONGEST = 66
"""Characters of the longest text of a figure: sign, 30 digits, point, 30 digits, exponent."""
_TYPED = re.compile(r"((0|[1-9][0-9]*|[1-9][0-9]{0,2}(_[0-9]{3})+)(\.[0-9]+)?|\.[0-9]+)([kKmM]?)")
_THOUSANDS = {"k": Decimal(1000), "m": Decimal(1000000)}

ZERO = Decimal(0)
NO_RISK = Decimal(999_999)
"""uniMMR that a service sends when nothing is at risk."""


class BadDecimal(CrossdeskError, ValueError):
    """Error for a text that is not an accepted number."""

    title = "Number not readable"


def setup() -> None:
    """Set the project's decimal precision for the calling thread; each computing thread calls this once."""
    decimal.setcontext(CONTEXT.copy())


def optional(text: str | None) -> Decimal | None:
    """Parse a number that may be missing; None for missing, empty or invalid text, never 0."""
    return _figure(text) if text and len(text) <= LONGEST else None


@lru_cache(maxsize=4096)
def _figure(text: str) -> Decimal | None:
    """Parse a number, with a cache, because the same prices and quantities occur in many rows."""
    return Decimal(text) if _ANSWER.fullmatch(text) is not None else None


def is_same_figure(left: str, right: str) -> bool:
    """Report whether two texts are the same number, such as 0.1 and 0.10; texts that are no numbers must be equal."""
    figure = optional(left)
    return left == right or (figure is not None and figure == optional(right))


def positive(text: str | None) -> Decimal | None:
    """Parse a number above 0, such as a tick size, lot size or price; None for any other text."""
    number = optional(text)
    return number if number is not None and number > 0 else None


def parse_request(text: str) -> Decimal:
    """Parse a number in a request: digits with an optional fraction, no sign, no exponent.

    Raises:
        BadDecimal: The text is anything else.
    """
    if _REQUEST.fullmatch(text) is None:
        raise BadDecimal(f"not a plain decimal: {text[:40]!r}")
    return Decimal(text)


def parse_typed(text: str) -> Decimal:
    """Parse a number typed by the user, at most 40 characters; a doubtful one is rejected, never corrected.

    `.5` is 0.5, `16_000` has groups of three, `16k` is 16,000 and `2.5m` is 2,500,000. A zero before a digit and a dot
    at the end are refused, because they may be the rest of another figure.

    Raises:
        BadDecimal: The text is refused; the message says what is accepted.
    """
    if not text:
        raise BadDecimal("empty; type digits with at most one dot, for example 1.5")
    if len(text) > 40:
        raise BadDecimal("longer than 40 characters")
    match = _TYPED.fullmatch(text)
    if match is None and re.fullmatch(r"[0-9][0-9_]*\.", text):
        raise BadDecimal(f"{text!r} ends with a dot; write digits behind it, or {text.rstrip('.')}")
    if match is None:
        write = "write digits with at most one dot"
        if re.fullmatch(r"0[0-9]+", text):
            write = "a zero before a digit may be the rest of another number: write it whole"
        raise BadDecimal(f"{text!r} is not accepted; {write}, for example {_suggest_spelling(text)}")
    number = Decimal(match[1].replace("_", ""))
    return number * _THOUSANDS[match[5].lower()] if match[5] else number


def _suggest_spelling(text: str) -> str:
    """Suggest the number that a rejected text may have meant."""
    if re.fullmatch(r"0+[1-9][0-9]*", text):
        return f"0.{text[1:]} or {text.lstrip('0')}"
    return suggest_without_commas(text) or ("100" if text.startswith("00") else "1.5")


def suggest_without_commas(text: str) -> str:
    """Suggest what a number with commas may have meant; empty if it has none, or cannot be a number.

    Commas before groups of three are the thousands of the screen. One such comma may also be meant as a decimal point;
    the same digits with a dot are never suggested, because here they are a thousandth of it.
    """
    whole, dot, decimals = text.partition(".")
    if re.fullmatch(r"[1-9][0-9]{0,2}(,[0-9]{3})+", whole) and re.fullmatch(r"[0-9]*", decimals):
        plain_text = (whole.replace(",", "") + dot + decimals).rstrip(".")
        return plain_text if dot or whole.count(",") > 1 else f"{plain_text} (a dot begins decimals)"
    if re.fullmatch(r"[0-9]+,[0-9]*", text):
        return text.replace(",", ".").rstrip(".")
    return ""


def normalize_typed(text: str) -> str:
    """Return a typed number as it is sent: unchanged when it is a plain decimal, else expanded (`16k` to `16000`).

    Raises:
        BadDecimal: As `parse_typed`.
    """
    number = parse_typed(text)
    return text if _REQUEST.fullmatch(text) else plain(number)


def plain(value: Decimal) -> str:
    """Format a number without exponent, plus sign or trailing zeros; zero is `0`."""
    return truncate(value, None) if value else "0"


def truncate(value: Decimal, places: int | None = 18) -> str:
    """Format a number like `plain` with at most `places` decimals (None: all), truncated, not rounded."""
    if not value:
        return "0"
    text = format(value, "f")
    point = text.find(".")
    if point < 0:
        return text
    end = None if places is None else point + 1 + places
    text = text[:end].rstrip("0").rstrip(".")
    return text if text != "-0" else "0"


def format_grouped(value: Decimal, step: Decimal | None = None) -> str:
    """Format a number with thousands separators and at least as many decimals as the tick or lot size; none is cut."""
    grids = (value, value if step is None else step.normalize())
    places = max(0, *(-int(grid.as_tuple().exponent) for grid in grids))
    return f"{value:,.{places}f}"


def write_money(text: str) -> str:
    """Format an amount of a settlement currency: thousands separators, 2 decimals, below a cent up to 8; else as it is."""
    amount = optional(text)
    if amount is None:
        return text
    cents = half_up(amount, 2)
    return f"{cents:,.2f}" if cents or not amount else plain(half_up(amount, 8))


def round_to_tenth(value: Decimal, tick: Decimal) -> Decimal:
    """Round an average price to a tenth of the tick, halves away from zero."""
    return half_up(value, 1 - int(tick.normalize().as_tuple().exponent))


def half_up(value: Decimal, places: int) -> Decimal:
    """Round to `places` decimals, halves away from zero, as for booked fees and displayed cells."""
    return value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP, context=CONTEXT)
