"""Steps that many scenarios share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from decimal import Decimal

from tests.simulation.floor import SYM, Floor
from tests.simulation.rates import Rates
from tui.engine.modes import TradingState
from tui.engine.rows import OrderRow
from tui.interface.families.orders import Side

ANY_AGE = frozenset(["STALE", "UNKNOWN_BESIDE"])
"""The answers of a trader to an old quote and to an UNKNOWN order of the same side."""


async def in_step(floor: Floor) -> None:
    """Wait until the desk says that it is in step."""
    await floor.until(lambda: floor.mirror.engine_status is not None and floor.mirror.engine_status.synced)


async def resting(floor: Floor, below: str = "100") -> OrderRow:
    """An order that rests."""
    price = str(Decimal(floor.mirror.quotes[SYM].bid) - Decimal(below))
    placed = await floor.place(SYM, Side.BUY, "0.010", price, confirmed=ANY_AGE)
    return await floor.shows(placed.key, "OPEN")


def play(
    day: Callable[[Floor], Awaitable[None]], rates: Rates | None = None, *, make: type[Floor] | None = None
) -> None:
    """Live a scripted day on a floor without weather, in step and armed at its beginning."""
    floor = (make or Floor)(1, rates or Rates())

    async def whole() -> None:
        floor.engine.watch(floor.watched())
        await in_step(floor)
        await floor.quote(SYM)
        floor.engine.set_trading_state(TradingState.ARMED)
        await day(floor)

    floor.world.run(floor.engine_loop, floor.live(whole))
