"""Owner and windows that are killed while orders leave: `python -m tests.desk_protocol.kills --kills N --seed S [--json F]`.

Some owners stand still for a while before, in the middle of an order.
A third window lives through all kills and trades. At the end the venue's own record is compared with what each was told:
no order twice, none lost, none late, no fill unseen, never more open than the limit, every state the venue's.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from decimal import Decimal
from pathlib import Path

from tests.client.fakes import until
from tests.desk_protocol.desks import attach, orders_of, start_owner
from tests.desk_protocol.kill_report import Interval, Report, judge_desk, judge_seen, judge_written, publish
from tests.desk_protocol.steady_trader import WIDE, SteadyTrader, mark_of
from tests.venue.shell.conftest import STILL, TOP, Venue
from tui.interface import decimals

FIRST_PRICE = Decimal(60_000)
PAUSE_EVERY = 3
"""Owners of which one stands still for a while before it is killed."""


class Killed:
    """A desk process that is killed and started again."""

    def __init__(self, home: Path, role: str, *more: str, stdin: str = "") -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.desk_protocol.desk_process", role, str(home), *more],
            cwd=TOP, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stdin is not None
        self._process.stdin.write(stdin + "\n")
        self._process.stdin.flush()

    async def ready(self) -> None:
        assert self._process.stdout is not None
        async with asyncio.timeout(60):
            assert await asyncio.to_thread(self._process.stdout.readline) == "ready\n"

    def stand_still(self) -> None:
        """Make it stand still until `go_on`; a busy machine lets it run on for a while after the signal."""
        self._process.send_signal(signal.SIGSTOP)
        _, status = os.waitpid(self._process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status), status

    def go_on(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()


async def kill_all(
    home: Path, ready: str, third: SteadyTrader, owner: Killed, kills: int, seed: int, report: Report
) -> Killed:
    """Kill owner and windows in turn at moments of the seed, each soon after it came; return the last owner."""
    moments, pauses = random.Random(seed), random.Random(-seed)
    interval = Interval([third], report)
    for number in range(kills):
        window = Killed(home, "window")
        await window.ready()
        await asyncio.sleep(moments.uniform(0.05, 0.6))
        interval.end()
        if number % 2:
            window.kill()
        owner.kill()
        if not number % 2:
            window.kill()
        owner = Killed(home, "owner", stdin=ready)
        await owner.ready()
        began = time.monotonic()
        await until(third.is_back, 30)
        report.in_step_s.append(round(time.monotonic() - began, 2))
        if not number % PAUSE_EVERY:
            await interval.go_on()
            begun = third.begun
            await until(lambda: third.begun > begun, 30)  # noqa: B023
            await asyncio.sleep(pauses.uniform(0.0, 0.01))
            owner.stand_still()
            await asyncio.sleep(pauses.uniform(0.2, 4.0))
            owner.go_on()
            report.pauses_of_owners += 1
        await interval.go_on()
        await asyncio.sleep(moments.uniform(0.05, 0.6))
    interval.end()
    return owner


async def stop_and_go_on(venue: Venue, window: Killed, stops: int, seed: int) -> None:
    """Let a window stand still again and again while it trades, for less and for more than others wait for it."""
    moments = random.Random(seed)
    await window.ready()
    for _ in range(stops):
        sent = len(orders_of(venue))
        await until(lambda: len(orders_of(venue)) > sent, 30)  # noqa: B023
        await asyncio.sleep(moments.uniform(0, 0.3))
        window.stand_still()
        await asyncio.sleep(moments.choice((0.5, 1.9, 2.1, 4.0)))
        window.go_on()


async def run(venue: Venue, home: Path, kills: int, seed: int) -> Report:
    """Kill that many owners and windows, and judge what is left."""
    home.chmod(0o700)
    report = Report(kills_of_owners=kills, kills_of_windows=kills)
    ready = json.dumps(venue.ready)
    owner = Killed(home, "owner", stdin=ready)
    await owner.ready()
    third = SteadyTrader(attach(home), FIRST_PRICE)
    await third.window.in_step()
    trading = asyncio.create_task(third.trade())
    await Interval([third], report).go_on()
    owner = await kill_all(home, ready, third, owner, kills, seed, report)
    third.stop()
    await trading
    await judge_seen(report, venue, [third])
    owner.kill()
    await third.window.end()

    last = start_owner(venue, home, WIDE)
    await last.in_step()
    held = await judge_desk(report, venue, home, last, [third])
    judge_written(report, home, [row for row in held if mark_of(row) not in third.outcomes])
    return report


def main() -> int:
    """Run it; the exit code is 1 if anything was wrong."""
    reader = argparse.ArgumentParser(prog="python -m tests.desk_protocol.kills")
    reader.add_argument(
        "--of", choices=("desks", "server", "gateway"), default="desks",
        help="owners and windows, the NATS server, or the gateway on it",
    )  # fmt: skip
    reader.add_argument("--kills", type=int, default=20, help="of owners (and as many of windows), servers or gateways")
    reader.add_argument("--seed", type=int, required=True)
    reader.add_argument("--json", type=Path)
    asked = reader.parse_args()
    decimals.setup()
    work = run
    if asked.of != "desks":
        from tests.desk_protocol.bus import bus_kills

        work = bus_kills.run if asked.of == "server" else bus_kills.run_gateways
    venue = Venue(*STILL, "--set", "rate_profile=off")
    try:
        with tempfile.TemporaryDirectory() as home:
            return publish(asyncio.run(work(venue, Path(home), asked.kills, asked.seed)), asked.json)
    finally:
        venue.stop()


if __name__ == "__main__":
    sys.exit(main())
