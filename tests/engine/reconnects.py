"""How long a desk with many UNKNOWN orders needs from link to in step: `python -m tests.engine.reconnects --publish`.

The journal names so many orders without an answer, and the venue, a real process with its published rate limits, knows none
of them: they stay UNKNOWN and are asked about all the time. The link is cut again and again; each time counts from the
login frame until orders, positions and assets are those of the venue.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from tests.client.fakes import until
from tests.engine.conftest import buy
from tests.engine.on_sockets import Life
from tests.figures.artifact import HERE, git
from tests.figures.sources import tree
from tests.venue.shell.conftest import Venue
from tui.client.connection_status import Phase
from tui.client.settings import Timings
from tui.engine.journal.writer import SqliteJournal
from tui.engine.rows import LocalOrderState
from tui.engine.settings import EngineSettings
from tui.engine.sync.status_publisher import Links
from tui.host import HostClock
from tui.interface import decimals

PUBLISHED = HERE / "reconnects.json"
ROWS = (200, 2_000)
TIMES = 25
MOST_S = 2.0
"""What the slowest of a hundred may take, s."""
QUIET_S = 0.5
"""How long the desk is left in step before the next cut, s."""


async def leave_unanswered(home: Path, rows: int) -> None:
    """A journal of an earlier session in which no order was answered."""
    journal = SqliteJournal(home / "journal.db", HostClock())
    for number in range(rows):
        meant = {"kind": "Place", "intent": buy(str(50_000 + number)), "args": {}}
        journal.enqueue(
            "intent", msgspec.json.encode(meant).decode(), intent_id=f"lost{number}", client_order_id=f"lost{number}"
        )
        if number % 500 == 499:
            await journal.entries()
    await journal.close()


class Watched(Life):
    """A desk whose logins and arrivals in step are timed."""

    def __init__(self, venue: Venue, home: Path) -> None:
        super().__init__(venue, home, EngineSettings(timings=Timings(reconnect_first=0.05, reconnect_cap=0.5)))
        self.login_at = 0.0
        self._links_of_engine = self.engine.links
        self.engine.links = self._links  # type: ignore[method-assign]

    def _links(self) -> Links:
        links = self._links_of_engine()
        if links.private is not None and links.private.phase is Phase.LOGIN:
            self.login_at = links.private.since
        return links

    async def from_login(self) -> float:
        """Wait until the desk is in step; s since the login frame."""
        await until(lambda: self.engine.state.synced, 120)
        return time.monotonic() - self.login_at

    @property
    def unknown(self) -> int:
        return sum(row.state == LocalOrderState.UNKNOWN for row in self.engine.state.orders.visible_rows())


async def measure(rows: int, times: int) -> list[float]:
    """Times from login to in step, s; the first one is that of the start."""
    venue = Venue("--seed", "7", "--set", "latency=normal", "--control")
    try:
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            await leave_unanswered(home, rows)
            life = Watched(venue, home)
            found = [await life.from_login()]
            for _ in range(times):
                assert life.unknown == rows, f"{life.unknown} of {rows} orders are UNKNOWN"
                await asyncio.sleep(QUIET_S)
                venue.set("network", "cut")
                await until(lambda: not life.engine.state.logged_in, 30)
                venue.set("network", "up")
                found.append(await life.from_login())
            assert life.engine.tasks.failures == 0, life.engine.tasks.error
            await life.end()
    finally:
        venue.stop()
    return found


def figures(rows: int, found: list[float]) -> dict[str, Any]:
    """What the times come to, s; of fewer than a hundred the slowest is the p99."""
    ordered = sorted(found)
    return {
        "unknown_rows": rows,
        "reconnects": len(found) - 1,
        "p50_s": round(ordered[len(ordered) // 2], 3),
        "p99_s": round(ordered[-max(1, len(ordered) // 100)], 3),
        "start_s": round(found[0], 3),
    }


def main() -> None:
    reader = argparse.ArgumentParser(prog="python -m tests.engine.reconnects")
    reader.add_argument("--rows", default=",".join(map(str, ROWS)), help="UNKNOWN orders, one run for each number")
    reader.add_argument("--times", type=int, default=TIMES, help="reconnects of a run")
    reader.add_argument("--publish", action="store_true", help="write tests/figures/reconnects.json")
    asked = reader.parse_args()
    decimals.setup()
    runs = []
    for rows in map(int, asked.rows.split(",")):
        runs.append(figures(rows, asyncio.run(measure(rows, asked.times))))
        print(json.dumps(runs[-1]), flush=True)
    if asked.publish:
        artifact = {
            "gate": "reconnects",
            "command": f"python -m tests.engine.reconnects --rows {asked.rows} --times {asked.times} --publish",
            "commit": git("rev-parse", "HEAD"),
            "tree": tree(),
            "when": datetime.now(UTC).strftime("%Y-%m-%d"),
            "machine": {"python": platform.python_version(), "os": platform.system()},
            "at_most_s": MOST_S,
            "runs": runs,
        }
        PUBLISHED.write_text(json.dumps(artifact, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
