"""Quotes both sides of a pair under a mandate until it ends: `python desk_maker.py BINANCE_PERP_BTC_USDT 0.002`."""

from __future__ import annotations

import asyncio
import sys
import time
from decimal import Decimal

from crossdesk import AsyncDesk, DeskError, LinkClosed, Quote, connect_async

AWAY_TICKS = 20
"""Distance of both orders from the touch, ticks."""
PAUSE_S = 2.0
"""Pause of a side after an order that was not accepted, s."""
CHANGED = ("IN_FLIGHT", "STATE", "ORDER")
"""Checks that deny a change of an order that was just filled, cancelled or changed; the next quote sees it."""
MOVE_TICKS = 5
"""Least move of an order's price, ticks; smaller ones are left alone."""


class Maker:
    """One order on each side, which follows the touch."""

    def __init__(self, desk: AsyncDesk, sym: str, size: Decimal) -> None:
        self._desk, self._sym, self._size = desk, sym, size
        self._tick = next(Decimal(pair.tick_size) for pair in desk.pairs if pair.sym == sym)
        self._keys = {"BUY": "", "SELL": ""}
        self._paused = {"BUY": 0.0, "SELL": 0.0}

    async def follow(self, quote: Quote) -> None:
        """Bring both orders to where the touch is now."""
        if quote.bid is None or quote.ask is None:
            return
        await self._quote("BUY", quote.bid - AWAY_TICKS * self._tick)
        await self._quote("SELL", quote.ask + AWAY_TICKS * self._tick)

    async def _quote(self, side: str, price: Decimal) -> None:
        if time.monotonic() < self._paused[side]:
            return
        mine = next((order for order in self._desk.orders if order.key == self._keys[side] and order.working), None)
        if mine is None:
            sent = await self._desk.place(side, self._sym, self._size, price, time_in_force="GTX")  # type: ignore[arg-type]
            self._keys[side] = sent.order
        elif mine.price is not None and abs(mine.price - price) >= MOVE_TICKS * self._tick and not mine.unsure:
            sent = await self._desk.replace(mine.key, self._size, price)
        else:
            return
        if sent.verdict == "denied" and sent.guard in CHANGED:
            return
        if sent.verdict != "accepted":
            print(f"{side} {price}: {sent.verdict} {sent.text}", flush=True)
            self._paused[side] = time.monotonic() + PAUSE_S


async def main(sym: str, size: Decimal) -> None:
    """Ask for a mandate and quote until it ends."""
    async with connect_async(name="maker") as desk:
        quotes = desk.quotes(sym)
        first = await anext(quotes)
        value = (first.ask or Decimal(0)) * size * 2
        mandate = await desk.ask_mandate(
            sym, order_value=value, position_value=4 * value, traded_value=20 * value, loss=value / 100,
            orders_per_minute=60, seconds=900,
            reason=f"quotes {size} on both sides, {AWAY_TICKS} ticks from the touch",
        )  # fmt: skip
        print(f"mandate {mandate.number} granted", flush=True)
        maker = Maker(desk, sym, size)
        async for quote in quotes:
            if desk.mandate is None:
                print("the mandate has ended", flush=True)
                return
            await maker.follow(quote)


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[1], Decimal(sys.argv[2])))
    except (DeskError, LinkClosed) as error:
        print(error)
