"""Quotes both sides of a pair under a mandate until it ends: `python desk_maker.py BINANCE_PERP_BTC_USDT 0.002`."""

from __future__ import annotations

import asyncio
import sys
import time
from decimal import ROUND_UP, Decimal

from crossdesk import AsyncDesk, Error, Order, Quote, Sent, connect_async

AWAY_TICKS = 20
"""Distance of both orders from the touch, ticks."""
MOVE_TICKS = 5
"""Least move of an order's price, ticks; smaller ones are left alone."""
MOST_HELD = 3
"""Most that it holds, in sizes of an order."""
LOOK_S = 0.25
"""Time between two looks at what no quote tells of: the end of the mandate, and quotes that stay away."""
PAUSE_S = 2.0
"""Pause of a side after an order that was not accepted, s, unless the desk says how long."""
END_S = 2.0
"""Longest wait for the ends of its orders before it leaves, s."""
CHANGED = ("IN_FLIGHT", "STATE", "ORDER")
"""Checks that deny a change of an order that was just filled, cancelled or changed; the next quote sees it."""


class Maker:
    """One order on each side, which follows the touch; the side that would hold too much is left out."""

    def __init__(self, desk: AsyncDesk, sym: str, size: Decimal) -> None:
        self._desk, self._sym, self._size = desk, sym, size
        self._tick = next(Decimal(pair.tick_size) for pair in desk.pairs if pair.sym == sym)
        self._orders: dict[str, Order] = {}
        """Orders that it placed, by key, as they were seen last; they leave the desk a minute after their end."""
        self._paused = {"BUY": 0.0, "SELL": 0.0, "cancel": 0.0}

    async def follow(self, quote: Quote) -> None:
        """Bring both orders to where the touch is now; take them back while nobody knows where it is."""
        self.look()
        if not self._desk.status.synced:
            return  # all would be denied
        if quote.stale or quote.bid is None or quote.ask is None:
            await self.take_back()
            return
        held = self.held
        for side, price, more in (
            ("BUY", quote.bid - AWAY_TICKS * self._tick, held),
            ("SELL", quote.ask + AWAY_TICKS * self._tick, -held),
        ):
            if more < MOST_HELD * self._size:
                await self._quote(side, price)

    def look(self) -> None:
        """Note how its orders are now."""
        self._orders |= {order.key: order for order in self._desk.orders if order.key in self._orders}

    @property
    def held(self) -> Decimal:
        """What its own fills hold, negative for a short position."""
        filled = [(order.side, order.filled or Decimal(0)) for order in self._orders.values()]
        return sum((size if side == "BUY" else -size for side, size in filled), Decimal(0))

    @property
    def working(self) -> list[Order]:
        """Those of its orders that may still be open."""
        return [order for order in self._orders.values() if order.working]

    async def take_back(self) -> None:
        """Cancel what works; what could not be cancelled is tried again after a pause."""
        if time.monotonic() < self._paused["cancel"]:
            return
        self._paused["cancel"] = time.monotonic() + PAUSE_S
        for order in self.working:
            if not order.unsure:
                await self._desk.cancel(order.key)

    async def _quote(self, side: str, price: Decimal) -> None:
        if time.monotonic() < self._paused[side]:
            return
        mine = next((order for order in self.working if order.side == side), None)
        if mine is None:
            sent = await self._desk.place(side, self._sym, self._size, price, time_in_force="GTX")  # type: ignore[arg-type]
            self._orders |= {order.key: order for order in self._desk.orders if order.key == sent.order}
        elif mine.price is not None and abs(mine.price - price) >= MOVE_TICKS * self._tick and not mine.unsure:
            sent = await self._desk.replace(mine.key, self._size, price)
        else:
            return
        self._note_answer(side, price, sent)

    def _note_answer(self, side: str, price: Decimal, sent: Sent) -> None:
        if sent.verdict == "accepted" or (sent.verdict == "denied" and sent.guard in CHANGED):
            return
        print(f"{side} {price}: {sent.verdict} {sent.text}", flush=True)
        self._paused[side] = time.monotonic() + (sent.retry_after or PAUSE_S)


async def quote_until_end(desk: AsyncDesk, maker: Maker, sym: str) -> None:
    """Follow the quotes until the mandate ends, and say why it did."""
    number = desk.mandate.number if desk.mandate is not None else ""
    desk.watch(sym)
    while desk.mandate is not None:
        quote = desk.quote(sym)
        if quote is not None:
            await maker.follow(quote)
        await asyncio.sleep(LOOK_S)
    why = [event.text for event in desk.recent_events() if f"mandate {number} " in event.text]
    print(why[-1] if why else "the mandate has ended", flush=True)


async def leave(desk: AsyncDesk, maker: Maker) -> None:
    """Cancel, and wait for the ends of the orders: behind the end of `with` they are not seen any more."""
    until = time.monotonic() + END_S
    maker.look()
    while maker.working and desk.is_open and time.monotonic() < until:
        if desk.mandate is not None:
            await maker.take_back()
        await asyncio.sleep(LOOK_S)
        maker.look()
    print(f"holds {maker.held}, {len(maker.working)} orders may still work", flush=True)


async def main(sym: str, size: Decimal) -> None:
    """Ask for a mandate and quote until it ends."""
    async with connect_async(name="maker") as desk:
        while not desk.status.synced:  # noqa: ASYNC110 - the status has no iterator
            await asyncio.sleep(LOOK_S)
        first = await desk.newest_quote(sym)
        ask = first.ask if first is not None and first.ask is not None else Decimal(0)
        value = (ask * size * 2).to_integral_value(ROUND_UP)
        mandate = await desk.ask_mandate(
            sym, order_value=value, position_value=4 * value, traded_value=20 * value, loss=value / 100,
            orders_per_minute=60, seconds=900,
            reason=f"quotes {size} on both sides, {AWAY_TICKS} ticks from the touch",
        )  # fmt: skip
        print(f"mandate {mandate.number} granted", flush=True)
        maker = Maker(desk, sym, size)
        try:
            await quote_until_end(desk, maker, sym)
        finally:
            await leave(desk, maker)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python desk_maker.py SYMBOL SIZE, such as BINANCE_PERP_BTC_USDT 0.002")
    try:
        asyncio.run(main(sys.argv[1], Decimal(sys.argv[2])))
    except Error as error:
        print(error)
    except KeyboardInterrupt:
        print("stopped")
