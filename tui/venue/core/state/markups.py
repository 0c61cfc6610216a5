"""What a broker adds to the fees of its sub portfolios, and what was settled of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

import msgspec

from tui.interface.decimals import ZERO
from tui.rules.fees import AddPoint

MarkupKey = tuple[str, str, str]
"""Sub portfolio, venue, SPOT or PERP."""


class Markup(msgspec.Struct, frozen=True, kw_only=True):
    """What is added from a time on, ms."""

    since: int
    taker: AddPoint | None = None
    maker: AddPoint | None = None
    rebate_ratio: Decimal = ZERO
    """Share of the markup that the broker gets back."""


class MarkupFill(msgspec.Struct, frozen=True, kw_only=True):
    """The settlement of one fill of a sub portfolio; time in ms."""

    id: str
    portfolio: str
    exchange: str
    inst_type: str
    sym: str
    trade_id: str
    coin: str
    markup: Decimal
    """Fee beyond that at the rate of the main portfolio."""
    price: str
    rebate_ratio: Decimal
    rebate: Decimal
    at: int


@dataclass(eq=False)
class MarkupTable:
    """All add-points and settlements."""

    by_key: dict[MarkupKey, list[Markup]] = field(default_factory=dict)
    """Rising by their time; those that have been followed by another one in force are dropped with the next change."""
    fills: list[MarkupFill] = field(default_factory=list)
    """Oldest first."""

    def at(self, key: MarkupKey, now: int) -> Markup | None:
        """What is in force."""
        found = [one for one in self.by_key.get(key, ()) if one.since <= now]
        return found[-1] if found else None

    def put(self, key: MarkupKey, new: Markup, now: int) -> None:
        """From its time on; what was to come into force at that time or later is replaced."""
        active = self.at(key, now)
        waiting = [one for one in self.by_key.get(key, ()) if now < one.since < new.since]
        self.by_key[key] = [*([] if active is None else [active]), *waiting, new]
