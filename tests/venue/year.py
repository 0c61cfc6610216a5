"""A long life of the venue in virtual time: `python -m tests.venue.year --orders 1000 --publish`.

Orders are placed and end, day after day, with the real state file and archive. At checkpoints the venue is started anew
from its files, and memory, start and the queries of its history are measured: they must not grow with age. Times are
the lowest of several, in time of the processor: other work of the machine does not pass for age.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from tests.figures.artifact import git
from tests.venue.core.seeded import Seeded
from tui.interface import decimals
from tui.interface.envelope import PlaceReply
from tui.interface.families.orders import CancelAllOrders, PlaceOrder
from tui.interface.paging import Page
from tui.venue.core.commands import Advance
from tui.venue.core.exchange import Exchange
from tui.venue.core.switches import Switches
from tui.venue.shell.rest import handlers
from tui.venue.shell.rest.query import Query
from tui.venue.shell.runtime import AGE_BATCH, Runtime
from tui.venue.shell.storage.archive import Archive
from tui.venue.shell.storage.store import Store
from tui.venue.shell.switches import SPECS

PUBLISHED = Path(__file__).parent.parent / "figures" / "year.json"
PERP = "BINANCE_PERP_BTC_USDT"
START = 1_723_161_254_000
DAY_MS = 86_400_000
PER_BURST = 100
"""Orders that rest at the same time."""
CHECKPOINTS = (1, 30, 90, 180, 270, 365)
"""Days after which the venue is measured."""
KEEP_MS = 600_000
"""How long ended orders stay in memory, as the default of the switch."""


class Life:
    """One venue with its files, and its clock."""

    def __init__(self, folder: Path) -> None:
        self.state = folder / "paper.db"
        self.now = START
        self.orders = 0
        self.switches = Switches(specs=SPECS)
        self.encoded_orders: dict[str, Any] = {}
        self.open()
        self.main = self.exchange.queries.main_portfolio.id

    def open(self) -> None:
        """Start from the files."""
        self.store, self.archive = Store(self.state), Archive(self.state.with_name("paper.db-past"))
        core = Switches({"agents": "still"})
        if self.store.empty:
            self.exchange = Exchange(random_source=Seeded("1"), start_ms=self.now, switches=core, past=self.archive)
        else:
            self.exchange = Exchange.restore(
                self.store.load(), random_source=Seeded("1"), now_ms=self.now, switches=core, past=self.archive
            )
        self.store.commit(self.exchange.drain_durable())

    def reopen(self) -> None:
        """End, and start anew from the files."""
        self.close()
        self.open()

    def close(self) -> None:
        self.store.commit(self.exchange.drain_durable())
        self.store.close()
        self.archive.close()

    def now_ms(self) -> int:
        return self.now

    def day(self, bursts: int, per_burst: int = PER_BURST) -> None:
        """So many bursts of orders: most are cancelled, every tenth is a market order that fills."""
        for _ in range(bursts):
            self.now += DAY_MS // bursts
            self.exchange.apply(Advance(), self.now)
            for number in range(per_burst):
                market = number % 10 == 0
                side = "BUY" if number % 20 else "SELL"
                kind, price = ("MARKET", "") if market else ("LIMIT", f"{60000 - number}" if side == "BUY" else "65000")
                order = PlaceOrder(
                    portfolio=self.main, sym=PERP, side=side, order_type=kind, limit_price=price, order_qty="0.001"
                )
                reply, _ = self.exchange.apply(order, self.now)
                assert isinstance(reply, PlaceReply), reply
                self.orders += 1
            self.exchange.apply(CancelAllOrders(portfolio=self.main), self.now)
            self.now += 1000
            self.exchange.apply(Advance(), self.now)
            self.age()
            self.store.commit(self.exchange.drain_durable())

    def age(self) -> None:
        """What the runtime does every few seconds."""
        rows = list(self.exchange.archivable_rows(self.now - KEEP_MS))
        for first in range(0, len(rows), AGE_BATCH):
            self.archive.add(rows[first : first + AGE_BATCH])
        self.exchange.forget(rows)

    def ask(self, name: str, **params: str) -> Any:
        self.encoded_orders.clear()
        return handlers.QUERIES[name](Query(cast(Runtime, self), self.main, params))


def measured(work: Callable[[], Any], times: int = 7) -> float:
    """The lowest processor time of a piece of work, ms; what it reads is in the memory of the machine."""
    taken = []
    for _ in range(times):
        began = time.process_time()
        work()
        taken.append((time.process_time() - began) * 1000)
    return round(min(taken), 2)


def memory_mb() -> float:
    """Resident memory of this process."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)


def checkpoint(life: Life, day: int) -> dict[str, float]:
    """Start anew and ask for the past."""
    started = measured(life.reopen, times=3)
    week = life.ask("order_history")
    assert isinstance(week, Page)
    fills = life.ask("executions_paged")
    quarter = {"begin": str(life.now - 90 * DAY_MS), "end": str(life.now)}
    oldest = week.rows[-1]
    oldest_id = json.loads(bytes(oldest))["orderId"]
    return {
        "day": day,
        "orders": life.orders,
        "orders_in_memory": len(life.exchange.queries.orders(life.main)),
        "memory_mb": memory_mb(),
        "start_ms": started,
        "state_mb": round(life.state.stat().st_size / 1e6, 2),
        "archive_mb": round(life.state.with_name("paper.db-past").stat().st_size / 1e6, 1),
        "orders_of_7_days": int(week.total_size),
        "first_page_of_7_days_ms": measured(lambda: life.ask("order_history")),
        "last_page_of_7_days_ms": measured(lambda: life.ask("order_history", page=str(week.page_num))),
        "last_ten_of_7_days_ms": measured(
            lambda: life.ask("order_history", page=str(int(week.total_size) // 10), page_size="10")
        ),
        "first_page_of_90_days_ms": measured(lambda: life.ask("order_archive")),
        "fills_ms": measured(lambda: life.ask("executions")),
        "last_page_of_fills_ms": measured(lambda: life.ask("executions_paged", page=str(fills.page_num))),
        "statistics_of_portfolio_ms": measured(lambda: life.ask("portfolio_trading_stats", **quarter)),
        "statistics_of_user_ms": measured(lambda: life.ask("user_trading_stats", **quarter)),
        "statement_ms": measured(lambda: life.ask("statement")),
        "old_order_ms": measured(lambda: life.ask("order_detail", order_id=oldest_id)),
    }


def live(days: int, orders: int, minutes: float, at: tuple[int, ...]) -> list[dict[str, float]]:
    """Checkpoints of a life, and a last one when the days or the time are over."""
    decimals.setup()
    found = []
    per_burst = min(PER_BURST, max(10, orders // 50))
    with tempfile.TemporaryDirectory() as folder:
        life = Life(Path(folder))
        ends = time.monotonic() + minutes * 60
        for day in range(1, days + 1):
            life.day(orders // per_burst, per_burst)
            over = day == days or time.monotonic() > ends
            if day in at or over:
                found.append(checkpoint(life, day))
                print(json.dumps(found[-1]), flush=True)
            if over:
                break
        life.close()
    return found


def publish(run: dict[str, Any]) -> None:
    """Put a run in the place of the one with as many orders a day."""
    kept = json.loads(PUBLISHED.read_text())["runs"] if PUBLISHED.exists() else []
    runs = [one for one in kept if one["orders_a_day"] != run["orders_a_day"]]
    runs = sorted([*runs, run], key=lambda one: one["orders_a_day"])
    PUBLISHED.write_text(json.dumps({"gate": "year", "runs": runs}, indent=1, sort_keys=True) + "\n")


def main() -> None:
    reader = argparse.ArgumentParser(prog="python -m tests.venue.year")
    reader.add_argument("--orders", type=int, default=10_000, help="orders a day")
    reader.add_argument("--days", type=int, default=365)
    reader.add_argument("--minutes", type=float, default=60.0, help="the life ends after so long, too")
    reader.add_argument("--at", default=",".join(map(str, CHECKPOINTS)), help="days after which the venue is measured")
    reader.add_argument("--publish", action="store_true", help="write tests/figures/year.json")
    asked = reader.parse_args()
    commit, began = git("rev-parse", "HEAD"), time.monotonic()
    points = live(asked.days, asked.orders, asked.minutes, tuple(map(int, asked.at.split(","))))
    if asked.publish:
        words = f"--orders {asked.orders} --days {asked.days} --minutes {asked.minutes:g} --at {asked.at} --publish"
        publish(
            {
                "command": f"python -m tests.venue.year {words}",
                "commit": commit,
                "when": datetime.now(UTC).strftime("%Y-%m-%d"),
                "duration_s": round(time.monotonic() - began),
                "orders_a_day": asked.orders,
                "clock": "processor",
                "days": points[-1]["day"],
                "checkpoints": points,
            }
        )


if __name__ == "__main__":
    main()
