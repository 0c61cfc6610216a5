"""Public trades of one pair as bursts: trades of one price and side that follow each other within 50 ms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

import msgspec

from tui.interface.decimals import ZERO, positive
from tui.interface.times import millis

if TYPE_CHECKING:
    from tui.interface.families.history import TradeRecord
    from tui.interface.families.market import TradePush

BURST_MS = 50
OWN_MS = 2000
"""Largest difference between the times of an own fill and its public trade, ms."""


class Burst(msgspec.Struct, frozen=True):
    """Group of consecutive trades at one price and taker side, close together in time."""

    key: str
    """Id of its first trade."""
    sym: str
    at: int
    """Venue time of its first trade, ms."""
    price: str
    side: str
    """Side of the taker, BUY or SELL."""
    qty: Decimal
    """Sum, in the venue's units."""
    count: int = 1
    own: bool = False
    """Whether an own fill has its price, quantity unit and time."""


class Pace(msgspec.Struct, frozen=True):
    """Speed of the public trades: trades per second, and the share of the volume that takers bought."""

    per_second: Decimal
    buy_share: Decimal
    """Share of the quantity bought by takers, 0 to 1."""


def group_bursts(sym: str, trades: Sequence[TradePush], fills: Iterable[TradeRecord] = ()) -> list[Burst]:
    """Group trades, newest first as received, into bursts, newest first; unreadable trades are left out."""
    own = [(positive(fill.price), millis(fill.create_at)) for fill in fills]
    bursts: list[Burst] = []
    newest_at = 0
    for trade in reversed(trades):
        qty, at, side = positive(trade.qty), millis(str(trade.ts)), trade.side.upper()
        price = positive(trade.price)
        if qty is None or price is None:
            continue
        last = bursts[-1] if bursts else None
        if last is not None and (last.price, last.side) == (trade.price, side) and 0 <= at - newest_at <= BURST_MS:
            bursts[-1] = msgspec.structs.replace(last, qty=last.qty + qty, count=last.count + 1)
        else:
            mine = any(price == level and abs(at - when) <= OWN_MS for level, when in own)
            bursts.append(Burst(trade.trade_id or f"{at}/{len(bursts)}", sym, at, trade.price, side, qty, own=mine))
        newest_at = at
    bursts.reverse()
    return bursts


def measure_pace(bursts: Sequence[Burst]) -> Pace | None:
    """Return trades per second and the bought share of volume over the bursts; None for fewer than two."""
    if len(bursts) < 2:
        return None
    seconds = Decimal(max(1, bursts[0].at - bursts[-1].at)) / 1000
    whole = sum((burst.qty for burst in bursts), ZERO)
    bought = sum((burst.qty for burst in bursts if burst.side == "BUY"), ZERO)
    return Pace(Decimal(sum(burst.count for burst in bursts)) / seconds, bought / whole if whole else ZERO)
