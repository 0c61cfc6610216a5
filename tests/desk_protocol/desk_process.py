"""`python -m tests.desk_protocol.desk_process owner|gateway|window HOME …`: a desk in a process of its own, to be killed.

Prints `ready` once it is in step. An owner reads the ready line of its venue from standard input, a gateway also where the
NATS server is and with which keys. A window trades, and writes down each price before it sends the order.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from collections.abc import Callable, Coroutine
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from tests.desk_protocol.desks import DeskOf, attach, start_owner
from tui.engine.intents import Cancel, Verdict
from tui.engine.limits import Limits
from tui.engine.settings import EngineSettings

TICK = Decimal("0.1")
WIDE = EngineSettings(
    pulse=0.05, limits=Limits(first_of_day=False, max_open=5_000, max_open_sym=5_000, runaway_count=10_000)
)
"""Limits that a test of kills does not reach."""


class Addresses(NamedTuple):
    """A venue of another process."""

    ready: dict[str, Any]


async def own(home: Path) -> None:
    """Hold the account and serve others until killed."""
    owner = start_owner(Addresses(json.loads(sys.stdin.readline())), home, WIDE)
    await owner.in_step()
    print("ready", flush=True)
    await asyncio.get_running_loop().create_future()


async def own_gateway(home: Path) -> None:
    """Hold the account and serve traders on a NATS server until killed."""
    from tests.desk_protocol.bus.bus_desks import BusKeys, GatewayDesk

    said = json.loads(sys.stdin.readline())
    gateway = GatewayDesk(BusKeys(said["port"], said["seeds"]), Addresses(said["ready"]), home, WIDE)
    await gateway.in_step()
    print("ready", flush=True)
    await asyncio.get_running_loop().create_future()


async def trade(home: Path, first_price: str) -> None:
    """Attach, and place and cancel orders, each at a price of its own, until killed."""
    window = attach(home)
    await window.in_step()
    print("ready", flush=True)
    with (home / "prices").open("a", buffering=1) as written:
        for number in itertools.count():
            await _place_and_cancel(window, str(Decimal(first_price) + number * TICK), written)


async def _place_and_cancel(window: DeskOf, price: str, written: Any) -> None:
    if not window.status().read_only and window.status().trading_state == "VIEW":
        await window.arm()
    print(price, file=written)
    outcome = await window.submit(window.buy(price))
    if outcome.verdict is Verdict.ACCEPTED:
        await window.submit(Cancel(decision=window.buy(price).decision, key=outcome.key))
    else:
        await asyncio.sleep(0.05)


if __name__ == "__main__":
    _, role, place, *more = sys.argv
    works: dict[str, Callable[..., Coroutine[Any, Any, None]]] = {"owner": own, "gateway": own_gateway, "window": trade}
    asyncio.run(works[role](Path(place), *more))
