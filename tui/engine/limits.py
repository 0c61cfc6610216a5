"""Trader's limits per order, per pair and per day, with defaults."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from tui.interface import decimals

_WINDOW = re.compile(r" \d+\Z")
"""Number by which further windows of a trader are named."""
OF = " of "
"""Joint in the name of a trader's program: `maker of anna`."""


def name_program(program: str, trader: str, most: int) -> str:
    """Build the name of a trader's program on a bus; the program's part is cut so that at most `most` characters result."""
    owner = f"{OF}{trader}"
    return f"{program[: max(1, most - len(owner))].rstrip()}{owner}"


def trader_of(sender: str) -> str:
    """Return the trader to whom a window or program on a bus belongs; for other senders the name without window number."""
    return _WINDOW.sub("", sender).rpartition(OF)[2]


class SymLimits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Limits of one pair; an absent setting is inherited from `[engine.limits]`."""

    soft_notional: str | None = None
    hard_notional: str | None = None
    max_qty: str | None = None
    max_position: str | None = None
    max_open_sym: int | None = None
    far_bp: int | None = None
    far_ticks: int | None = None
    near_bp: int | None = None
    near_ticks: int | None = None
    stale: float | None = None
    wide_bp: int | None = None


class TraderLimits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Limits on the orders of one trader on a bus, from all windows and programs; they only tighten the desk's limits."""

    soft_notional: str = ""
    """Above this value an order of the trader needs a confirmation; empty: as for the desk."""
    hard_notional: str = ""
    """Above this value it is denied."""
    max_qty: str = ""
    """Largest quantity of one order of the trader."""
    max_position: str = ""
    """Largest value that a pair of the account, in hedge mode a leg, may come to by an order of the trader, including
    working orders of one side; beyond it the order is denied, and the risk mode stays."""

    def __post_init__(self) -> None:
        _check_amounts({name: text for name, text in msgspec.structs.asdict(self).items() if text})


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Limits on orders. Amounts are decimal texts in quote currency; times are in seconds."""

    soft_notional: str = "25000"
    """Above this value an order needs a confirmation. Orders that can only close are exempt."""
    hard_notional: str = "100000"
    """Above this value an order is denied. Orders that can only close are exempt."""
    far_bp: int = 25
    """Largest distance of a price through the opposite touch, in basis points; the larger of this and `far_ticks`
    counts."""
    far_ticks: int = 5
    """The same in ticks."""
    near_bp: int = 500
    """Largest distance of a price behind its own touch, in basis points; the larger of this and `near_ticks` counts."""
    near_ticks: int = 50
    """The same in ticks."""
    max_qty: str = ""
    """Largest quantity of one order, in the venue's units; empty: none. Orders that can only close are exempt."""
    max_position: str = ""
    """Largest value of a pair, in hedge mode of each leg, including working orders of one side; empty: none. Beyond it
    the risk mode is REDUCING. On a spot or margin pair it is that of the base coin on the venue, less what is owed of
    it, and an order beyond it is denied; what makes it smaller always passes."""
    max_open_sym: int = 40
    """Most working orders on one pair; beyond it the risk mode is REDUCING."""
    max_open: int = 200
    """Most working orders in all; beyond it the risk mode is REDUCING."""
    max_loss: str = ""
    """Loss of the day's fills beyond which the risk mode is REDUCING; empty: none."""
    budget: str = ""
    """Value of all opening orders of a session beyond which the risk mode is REDUCING; empty: none."""
    wide_bp: int = 50
    """A marketable order on a spread wider than this, in basis points, is denied."""
    first_of_day: bool = True
    """The first order of the day (UTC) on a pair needs a confirmation."""
    allow: tuple[str, ...] = ()
    """The only pairs that may be traded; empty: all."""
    block: tuple[str, ...] = ()
    """Pairs that may not be traded."""
    sym: dict[str, SymLimits] = {}
    """Overrides by pair."""
    trader: dict[str, TraderLimits] = {}
    """Limits that hold for one trader besides, by name."""
    duplicate: float = 2.0
    """Time within which an equal order needs a confirmation, s."""
    stale: float = 2.0
    """Age of a quote from which on a marketable order needs a confirmation, s."""
    red_after: float = 5.0
    """Time without any quote or public frame from which on every order needs a confirmation, s."""
    runaway_count: int = 10
    """More orders than this within `runaway_window` disarm the desk; those of one confirmed line, such as a scale, count
    once."""
    runaway_window: float = 2.0
    """Period for `runaway_count`, s."""
    max_in_flight_places: int = 8
    """Most new orders awaiting their answer at once."""
    new_attempt_rounds: int = 3
    """Rounds of queries after which an order equal to an UNKNOWN one needs a confirmation instead of being denied."""
    new_attempt_age: float = 10.0
    """Time that must also pass before that, s."""

    def __post_init__(self) -> None:
        names = ("soft_notional", "hard_notional", "max_qty", "max_position", "max_loss", "budget")
        given = {name: getattr(self, name) for name in names}
        _check_amounts({name: text for name, text in given.items() if text or name.endswith("notional")})

    def of(self, sym: str, sender: str = "") -> Limits:
        """Return the limits that apply to a pair, and to orders of a sender."""
        own, trader = self.sym.get(sym), self.trader.get(trader_of(sender))
        limits = self
        if own is not None:
            given = {name: value for name, value in msgspec.structs.asdict(own).items() if value is not None}
            limits = msgspec.structs.replace(self, **given)
        return limits if trader is None else _tighten(limits, trader)


def _tighten(limits: Limits, trader: TraderLimits) -> Limits:
    """Return the limits with each amount replaced by the trader's, where that is smaller or the only one."""
    amounts = {}
    for name, text in msgspec.structs.asdict(trader).items():
        both = [other for other in (text, getattr(limits, name)) if other]
        amounts[name] = min(both, key=decimals.parse_request, default="")
    return msgspec.structs.replace(limits, **amounts)


def _check_amounts(amounts: Mapping[str, str]) -> None:
    """Check that amounts are decimal texts.

    Raises:
        ValueError: One is none.
    """
    for name, text in amounts.items():
        try:
            decimals.parse_request(text)
        except decimals.BadDecimal:
            raise ValueError(f"{name} is {text!r}; accepted are digits with at most one dot") from None
