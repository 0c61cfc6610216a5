"""Prints positions and the orders that change, until the desk ends: `python monitor.py`."""

from __future__ import annotations

import asyncio
from itertools import count

from crossdesk import AsyncDesk, LinkClosed, connect_async


async def show_orders(desk: AsyncDesk) -> None:
    async for order in desk.changes_of_orders():
        sender = f" by {order.sender}" if order.sender else ""
        print(
            f"{order.side} {order.size} {order.sym} @ {order.price}: {order.state} {order.filled}{sender}", flush=True
        )


async def show_positions(desk: AsyncDesk) -> None:
    for _ in count():
        for position in desk.positions:
            print(f"{position.side} {position.size} {position.sym} from {position.entry}", flush=True)
        await asyncio.sleep(10)


async def main() -> None:
    async with connect_async(name="monitor") as desk:
        print(f"{desk.status.environment} {desk.status.portfolio_name or desk.status.portfolio}", flush=True)
        await asyncio.gather(show_orders(desk), show_positions(desk))


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except LinkClosed as closed:
        print(closed)
