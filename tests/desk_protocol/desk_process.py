"""A desk of its own process, to be killed: `python -m tests.desk_protocol.desk_process owner|gateway|window|trader HOME`.

Prints `ready` once it is in step. An owner reads the ready line of its venue from standard input, a gateway also where the
NATS server is and with which keys, a trader on it the latter. Windows and traders send orders, and write down price, size
and expiry of each before it leaves.
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
from tests.desk_protocol.steady_trader import WIDE, OrderSeries, confirm, expires_ms, mark_of_intent
from tui.engine.intents import Cancel, Place, Verdict
from tui.interface.families.orders import TimeInForce

FIRST_PRICE = Decimal(58_700)
"""Lowest price of orders of windows that rest."""


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


async def trade(home: Path) -> None:
    """Attach over the socket, and trade until killed."""
    await _trade_in(attach(home), home)


async def trade_on_bus(home: Path) -> None:
    """Attach over a NATS server, and trade until killed."""
    from tests.desk_protocol.bus.bus_desks import BusKeys, TraderDesk

    said = json.loads(sys.stdin.readline())
    await _trade_in(TraderDesk(BusKeys(said["port"], said["seeds"]), "anna"), home)


async def _trade_in(window: DeskOf, home: Path) -> None:
    """Place and cancel orders, each with a mark of its own."""
    await window.in_step()
    print("ready", flush=True)
    series = OrderSeries(window, FIRST_PRICE, share=1)
    with (home / "written").open("a+", buffering=1) as written:
        written.seek(0)
        for number in itertools.count(len(written.readlines())):
            if not window.status().read_only and window.status().trading_state == "VIEW":
                await window.arm()
            await _place_and_cancel(window, series.draw(number), written)


async def _place_and_cancel(window: DeskOf, place: Place, written: Any) -> None:
    print(mark_of_intent(place), expires_ms(), file=written)
    outcome = await window.submit(place)
    if outcome.verdict is Verdict.ASK:
        outcome = await window.submit(confirm(place, outcome))
    if outcome.verdict is not Verdict.ACCEPTED:
        await asyncio.sleep(0.05)
    elif place.time_in_force is not TimeInForce.IOC:
        await window.submit(Cancel(decision=place.decision, key=outcome.key))


if __name__ == "__main__":
    _, role, place, *more = sys.argv
    works: dict[str, Callable[..., Coroutine[Any, Any, None]]] = {
        "owner": own, "gateway": own_gateway, "window": trade, "trader": trade_on_bus,
    }  # fmt: skip
    asyncio.run(works[role](Path(place), *more))
