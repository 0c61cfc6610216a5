"""Writes until it is killed, and says on its standard output what is about to be kept and what was acknowledged.

One process imports everything and forks a writer per line of its input (`venue FILE SEED` or `journal FILE`), so that
a cycle costs milliseconds.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tui.engine.journal.writer import SqliteJournal
from tui.host import HostClock, SeededRandomSource, fresh_account_id
from tui.interface import decimals
from tui.interface.families.orders import CancelOrder, PlaceOrder, ReplaceOrder
from tui.venue.core.commands import Command, Reply
from tui.venue.core.events import Durable
from tui.venue.core.exchange import Exchange
from tui.venue.shell.factory import open_exchange
from tui.venue.shell.runtime import RowStore, Runtime

SLOW_EVERY, SLOW_S = 4, 0.002
"""Each so many commits are told late: otherwise hardly a death falls between keeping and saying so."""
PERP, SPOT = "BINANCE_PERP_BTC_USDT", "BINANCE_SPOT_BTC_USDT"


def say(text: str) -> None:
    os.write(1, text.encode() + b"\n")


class Announcing:
    """Says which state is about to be written."""

    is_slow = True

    def __init__(self, inner: RowStore, exchange: Exchange) -> None:
        self._inner, self._exchange, self.account_id = inner, exchange, inner.account_id
        self._commits = 0

    def commit(self, rows: Sequence[Durable]) -> None:
        say(f"about {self._exchange.state_hash()}")
        self._inner.commit(rows)
        self._commits += 1
        if self._commits % SLOW_EVERY == 0:
            time.sleep(SLOW_S)
        say("kept")

    def close(self) -> None:
        self._inner.close()


async def trade(path: Path, seed: str) -> None:
    """A venue under load, as its shell drives it."""
    decimals.setup()
    clock, random_source = HostClock(), SeededRandomSource(seed)
    opened = open_exchange(
        clock=clock,
        random_source=random_source,
        state=path,
        market="agents",
        wanted=[("agents", "still"), ("speed", "10")],
        fresh_id=fresh_account_id,
    )
    say(f"restored {opened.exchange.state_hash()}")
    store = Announcing(opened.store, opened.exchange)
    runtime = Runtime(opened.exchange, store=store, clock=clock, random_source=random_source, switches=opened.switches)
    runtime.start()
    source = random_source.stream("load")
    portfolios = list(opened.exchange.queries.portfolios)
    number = 0
    while True:
        number += 1
        portfolio = portfolios[source.randrange(2)]
        client = f"{seed}x{number}"
        command: Command = PlaceOrder(
            portfolio=portfolio,
            sym=(PERP, PERP, SPOT)[source.randrange(3)],
            side=("BUY", "SELL")[source.randrange(2)],
            order_type="LIMIT",
            order_qty="0.005",
            limit_price=str(61_700 + source.randrange(200)),
            client_order_id=client,
        )
        mine = opened.exchange.queries.open_orders(portfolio)
        if mine and source.randrange(3) == 0:
            order = mine[source.randrange(len(mine))].order_id
            if source.randrange(2):
                command = CancelOrder(portfolio=portfolio, order_id=order)
            else:
                command = ReplaceOrder(
                    portfolio=portfolio, order_id=order, replace_price=str(61_700 + source.randrange(200))
                )

        def answer(reply: Reply, client: str = client) -> None:
            say(f"ack {client} {getattr(reply, 'code', 0)}")

        runtime.submit(command, answer)
        if source.randrange(3):
            await asyncio.sleep(0)


async def write_journal(path: Path) -> None:
    """The journal alone, every record waited for."""
    journal = SqliteJournal(path, HostClock())
    entries = await journal.entries()
    say(f"found {len(entries)} {journal.set_aside or '-'}")
    number = len(entries)
    while True:
        number += 1
        got = await journal.record("place", f"payload {number} " + "x" * (number % 700), client_order_id=f"c{number}")
        say(f"ack {got}")


def main() -> None:
    """Fork one writer per line of the input; `dead` follows its end."""
    say("ready")
    for line in sys.stdin:
        kind, path, *more = line.split()
        child = os.fork()
        if not child:
            asyncio.run(trade(Path(path), more[0]) if kind == "venue" else write_journal(Path(path)))
            os._exit(1)
        say(f"pid {child}")
        os.waitpid(child, 0)
        say("dead")


if __name__ == "__main__":
    main()
