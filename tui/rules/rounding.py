"""Rounding to ticks and lots, which are steps such as 0.5, 0.05 or 5, not numbers of decimals."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from tui.interface.decimals import plain
from tui.interface.families.orders import Side


class Neighbours(NamedTuple):
    """The two prices on the grid around one that is off it; equal when it is on the grid."""

    below: Decimal
    above: Decimal


def floor_to(value: Decimal, step: Decimal) -> Decimal:
    """The largest multiple of `step` that is not above a non-negative value."""
    return value // step * step


def ceil_to(value: Decimal, step: Decimal) -> Decimal:
    """The smallest multiple of `step` that is not below a non-negative value."""
    below = floor_to(value, step)
    return below if below == value else below + step


def is_multiple(value: Decimal, step: Decimal) -> bool:
    """Whether the value lies on the grid."""
    return not value % step


def neighbours(price: Decimal, tick: Decimal) -> Neighbours:
    """The prices offered for a typed price off tick, which is never changed silently."""
    return Neighbours(floor_to(price, tick), ceil_to(price, tick))


def check_step(name: str, value: Decimal, step: Decimal | None) -> str:
    """Say of a figure off its step what is accepted: field, value, step and the neighbours, of which 0 is none.

    Args:
        name: The field as the trader reads it; empty where the figure alone is meant.
        value: What stands in it.
        step: Tick or lot; None: not known, and nothing is off it.
    """
    if step is None or is_multiple(value, step):
        return ""
    near = " or ".join(plain(one) for one in neighbours(value, step) if one > 0)
    return f"{name} {plain(value)} must be a multiple of {plain(step)} (nearest {near})".lstrip()


def round_limit_price(price: Decimal, tick: Decimal, side: Side) -> Decimal:
    """A computed limit price on the grid, to the less aggressive side: a buy down, a sell up."""
    return floor_to(price, tick) if side is Side.BUY else ceil_to(price, tick)


def round_stop_trigger(price: Decimal, tick: Decimal, side: Side) -> Decimal:
    """A computed stop trigger on the grid, towards earlier triggering: a sell stop up, a buy stop down."""
    return ceil_to(price, tick) if side is Side.SELL else floor_to(price, tick)


def quantity(value: Decimal, lot: Decimal) -> Decimal:
    """A quantity on the grid, always down; a result of 0 is an input error of the caller."""
    return floor_to(value, lot)
