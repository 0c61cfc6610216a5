"""Fee markups that a broker adds for its sub portfolios, and their settlements."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

import msgspec

from tui.interface.decimals import ZERO
from tui.rules.fees import AddPoint

MarkupKey = tuple[str, str, str]
"""Sub portfolio, venue, SPOT or PERP."""


class Markup(msgspec.Struct, frozen=True, kw_only=True):
    """Fee markup of a sub portfolio, valid from the time `since`, ms."""

    since: int
    taker: AddPoint | None = None
    maker: AddPoint | None = None
    rebate_ratio: Decimal = ZERO
    """Share of the markup that the broker gets back."""


class MarkupFill(msgspec.Struct, frozen=True, kw_only=True):
    """Settlement of the fee markup of one fill; time in ms."""

    id: str
    portfolio: str
    exchange: str
    inst_type: str
    sym: str
    trade_id: str
    coin: str
    markup: Decimal
    """Fee above the fee at the rate of the main portfolio."""
    price: str
    rebate_ratio: Decimal
    rebate: Decimal
    at: int


@dataclass(eq=False)
class MarkupTable:
    """All fee markups and their settlements."""

    by_key: dict[MarkupKey, list[Markup]] = field(default_factory=dict)
    """By ascending time; markups that are no longer in force are removed with the next change."""
    fills: list[MarkupFill] = field(default_factory=list)
    """Oldest first."""

    def at(self, key: MarkupKey, now: int) -> Markup | None:
        """Return the markup in force at a time."""
        started = [markup for markup in self.by_key.get(key, ()) if markup.since <= now]
        return started[-1] if started else None

    def put(self, key: MarkupKey, new: Markup, now: int) -> None:
        """Add a markup; it replaces those that would start at the same time or later."""
        active = self.at(key, now)
        waiting = [markup for markup in self.by_key.get(key, ()) if now < markup.since < new.since]
        self.by_key[key] = [*([] if active is None else [active]), *waiting, new]
