"""Rounding to tick and lot sizes, which are steps such as 0.5, 0.05 or 5, not numbers of decimals."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, NamedTuple

from tui.interface.decimals import ZERO, plain

if TYPE_CHECKING:
    from tui.interface.families.orders import Side


class Neighbours(NamedTuple):
    """Valid prices (multiples of the tick size) below and above a price; both equal to a price that is valid itself."""

    below: Decimal
    above: Decimal


def floor_to(value: Decimal, step: Decimal) -> Decimal:
    """Round a non-negative value down to a multiple of `step`."""
    return value // step * step


def ceil_to(value: Decimal, step: Decimal) -> Decimal:
    """Round a non-negative value up to a multiple of `step`."""
    below = floor_to(value, step)
    return below if below == value else below + step


def is_multiple(value: Decimal, step: Decimal) -> bool:
    """Report whether the value is a multiple of the step."""
    return not value % step


def neighbours(price: Decimal, tick: Decimal) -> Neighbours:
    """Return the nearest multiples of the tick size below and above a price, for the message that refuses it."""
    return Neighbours(floor_to(price, tick), ceil_to(price, tick))


def check_step(name: str, value: Decimal, step: Decimal | None, unit: str = "", least: Decimal = ZERO) -> str:
    """Describe the error of a value off its step: field, value, step, nearest valid values; else "".

    Args:
        name: Label of the field; empty to name the figure alone.
        value: Value of the field.
        step: Tick or lot; None when not known, then every value passes.
        unit: Unit in which the value was typed; the valid values are named in it.
        least: Smallest value that is accepted, a multiple of the step.
    """
    if step is None or is_multiple(value, step):
        return ""
    end = unit if unit in ("", "ct") else f" {unit}"
    valid = dict.fromkeys(max(near, least) for near in neighbours(value, step))
    near = " or ".join(f"{plain(near)}{end}" for near in valid if near > 0)
    lot = f"{plain(step)} {unit}".rstrip()
    return f"{name} {plain(value)}{end} must be a multiple of {lot} (nearest {near})".lstrip()


def round_limit_price(price: Decimal, tick: Decimal, side: Side) -> Decimal:
    """Round a computed limit price to the less aggressive tick: a buy down, a sell up."""
    return floor_to(price, tick) if side.sign > 0 else ceil_to(price, tick)


def round_stop_trigger(price: Decimal, tick: Decimal, side: Side) -> Decimal:
    """Round a computed stop trigger to the tick that fires earlier: for a sell up, for a buy down."""
    return ceil_to(price, tick) if side.sign < 0 else floor_to(price, tick)


def round_break_even(price: Decimal, tick: Decimal | None, sign: int) -> Decimal:
    """Round a break-even price to the nearest tick at which a close loses nothing: of a long up, of a short down.

    Args:
        price: Exact price.
        tick: Tick; None when not known, then the exact price is returned.
        sign: +1 long, -1 short.
    """
    if tick is None:
        return price
    return (price / tick).to_integral_value(ROUND_CEILING if sign > 0 else ROUND_FLOOR) * tick


def nearest_tick(price: Decimal, tick: Decimal) -> Decimal:
    """Round a computed price to the nearest tick, halves up."""
    return (price / tick).to_integral_value(ROUND_HALF_UP) * tick


def quantity(value: Decimal, lot: Decimal) -> Decimal:
    """Round a quantity down to the lot size; the caller must reject a result of 0."""
    return floor_to(value, lot)


def coarser_tick(ticks: Iterable[Decimal]) -> Decimal:
    """Return the largest of several venues' ticks; a row of this height holds a price of every venue."""
    return max(ticks)


def ticks_in_row(low: Decimal, height: Decimal, tick: Decimal) -> tuple[int, int]:
    """Return the lowest and highest price of a venue within one row of the ladder, in the venue's ticks.

    Args:
        low: Lowest price of the row, which belongs to it.
        height: Height of the row; the price `low + height` belongs to the next one. At least the tick.
        tick: Tick of the venue.
    """
    first = (low / tick).to_integral_value(ROUND_CEILING)
    end = ((low + height) / tick).to_integral_value(ROUND_CEILING)
    return int(first), int(end) - 1
