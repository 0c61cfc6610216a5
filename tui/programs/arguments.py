"""Arguments of a desk's names as programs write them: read, or refused by name, value and what is accepted."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TypeVar

import msgspec

from tui.desk_protocol.invalid_values import describe_invalid
from tui.desk_protocol.messages import (
    MARK_PATTERN,
    MOST_MARK,
    OrderTerms,
    ProtocolError,
    check_market_terms,
    check_name,
)
from tui.engine.state.market_detail import MOST_BARS
from tui.interface.catalogue import BY_NAME
from tui.interface.endpoint import Endpoint
from tui.interface.families.market import Interval
from tui.interface.text import did_you_mean, show_given
from tui.programs.desk_error import DeskError

T = TypeVar("T", bound=msgspec.Struct)


def check_own_name(name: str) -> None:
    """Check the name that a program gives itself towards the desk.

    Raises:
        DeskError: It is not accepted.
    """
    try:
        check_name(name)
    except ProtocolError as error:
        raise DeskError(str(error)) from None


def check_command(command: str) -> str:
    """Check the id that a program gave to a command, and return it.

    Raises:
        DeskError: It is not accepted.
    """
    if not isinstance(command, str) or not 0 < len(command) <= MOST_MARK or not re.fullmatch(MARK_PATTERN, command):
        accepted = f"1 to {MOST_MARK} letters, digits, _, . and -"
        raise DeskError(f"command {show_given(command)} is not accepted; it is a text of {accepted}")
    return command


def read_since(since: object) -> int:
    """Convert a program's time with zone to wall time in ms; None gives 0.

    Raises:
        DeskError: It is no time with a zone.
    """
    if since is None:
        return 0
    if not isinstance(since, datetime) or since.tzinfo is None or since.timestamp() < 0:
        raise DeskError(
            f"since {show_given(since)} is not accepted; it is a time with a zone, such as datetime.now(UTC)"
        )
    return int(since.timestamp() * 1000)


def read_terms(method: str, terms: T) -> T:
    """Validate terms that a program passed, whose class does not check itself; decimals in them become texts.

    Raises:
        DeskError: One is not accepted.
    """
    given = msgspec.to_builtins(terms, enc_hook=repr)
    try:
        read = msgspec.convert(given, type(terms))
        if isinstance(read, OrderTerms):
            check_market_terms(read)
        return read
    except ProtocolError as error:
        raise DeskError(f"{method}: {error}") from None
    except msgspec.ValidationError as error:
        raise DeskError(f"{method}: {describe_invalid(error, type(terms), given, of_json=False)}") from None


def read_order(method: str, terms: object) -> OrderTerms:
    """Validate the order terms that a program passed, and return them.

    Raises:
        DeskError: They are none, or one is not accepted.
    """
    if not isinstance(terms, OrderTerms):
        sample = "OrderTerms(sym='BINANCE_PERP_BTC_USDT', side='BUY', qty='0.01', price='60000')"
        raise DeskError(f"{method}: terms {show_given(terms)} is not accepted; it is {sample}")
    return read_terms(method, terms)


def find_row(name: str) -> Endpoint:
    """Return the catalogue's endpoint of this name; refuse one that changes something.

    Raises:
        DeskError: There is none, or it changes something.
    """
    endpoint = BY_NAME.get(name) if isinstance(name, str) else None
    if endpoint is None:
        raise DeskError(f"{show_given(name)} is not in the catalogue{did_you_mean(str(name), BY_NAME)}")
    if endpoint.is_command:
        raise DeskError(
            f"{name} changes something, and only lists and records are read by name; "
            "orders are proposed (propose), or sent within a mandate (place)"
        )
    return endpoint


def read_interval(interval: object) -> Interval:
    """Parse a candle interval that a program passed.

    Raises:
        DeskError: It is none.
    """
    parsed = Interval.parse(interval) if isinstance(interval, str) else None
    if parsed is None:
        known = ", ".join(length.value for length in Interval)
        raise DeskError(f"bars: interval {show_given(interval)} is not accepted; accepted are {known}")
    return parsed


def check_wanted(wanted: object) -> None:
    """Check that the number of bars that a program wants is within the limits.

    Raises:
        DeskError: It is no such number.
    """
    if not isinstance(wanted, int) or isinstance(wanted, bool) or not 1 <= wanted <= MOST_BARS:
        raise DeskError(
            f"bars: wanted {show_given(wanted)} is not accepted; it is a whole number from 1 to {MOST_BARS}"
        )


def write_param(value: object) -> str:
    """Format a parameter's value as the service expects it: booleans as `true` and `false`."""
    return str(value).lower() if isinstance(value, bool) else str(value)
