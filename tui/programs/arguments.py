"""Arguments of a desk's names as programs write them: read, or refused by name, value and what is accepted."""

from __future__ import annotations

from tui.engine.state.market_detail import MOST_BARS
from tui.interface.catalogue import BY_NAME
from tui.interface.endpoint import Endpoint
from tui.interface.families.market import Interval
from tui.interface.text import clean, did_you_mean
from tui.programs.call_params import show_given
from tui.programs.desk_error import DeskError


def find_row(name: str) -> Endpoint:
    """Return the row of the catalogue that a program may read under a name.

    Raises:
        DeskError: There is none, or it changes something.
    """
    endpoint = BY_NAME.get(name)
    if endpoint is None:
        raise DeskError(f"{clean(name, 40)!r} is not in the catalogue{did_you_mean(name, BY_NAME)}")
    if endpoint.is_command:
        raise DeskError(
            f"{name} changes something, and only lists and records are read by name; "
            "orders are proposed (propose), or sent within a mandate (place)"
        )
    return endpoint


def read_interval(interval: object) -> Interval:
    """Read the length of a bar.

    Raises:
        DeskError: It is none.
    """
    parsed = Interval.parse(interval) if isinstance(interval, str) else None
    if parsed is None:
        known = ", ".join(length.value for length in Interval)
        raise DeskError(f"bars: interval {show_given(interval)} is not accepted; accepted are {known}")
    return parsed


def check_wanted(wanted: object) -> None:
    """Check how many bars are wanted.

    Raises:
        DeskError: It is no such number.
    """
    if not isinstance(wanted, int) or isinstance(wanted, bool) or not 1 <= wanted <= MOST_BARS:
        raise DeskError(
            f"bars: wanted {show_given(wanted)} is not accepted; it is a whole number from 1 to {MOST_BARS}"
        )


def write_param(value: object) -> str:
    """Write a parameter as the service reads it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
