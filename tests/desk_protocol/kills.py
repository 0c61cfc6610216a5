"""Owner and windows that are killed while orders leave: `python -m tests.desk_protocol.kills --kills N --seed S [--json F]`.

Some owners stand still for a while before.
A third window lives through all kills and trades. At the end the venue's own record is compared with what each was told:
no order twice, none lost, every state the venue's.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from decimal import Decimal
from pathlib import Path

import msgspec

from tests.client.fakes import until
from tests.desk_protocol.desk_process import TICK, WIDE
from tests.desk_protocol.desks import DeskOf, attach, orders_of, start_owner
from tests.venue.shell.conftest import STILL, TOP, Venue
from tui.engine.intents import Cancel, CancelAll, Outcome, Verdict
from tui.engine.rows import OrderRow
from tui.interface import decimals

FIRST_PRICE = Decimal(60_000)
PAUSE_EVERY = 3
"""Owners of which one stands still for a while before it is killed."""


class Report(msgspec.Struct, kw_only=True):
    """Figures of a run; all of `wrong` must be 0."""

    kills_of_owners: int = 0
    kills_of_windows: int = 0
    kills_of_servers: int = 0
    pauses_of_owners: int = 0
    """Times that an owner stood still, from less than a window notices to longer than a command holds."""
    kills_of_gateways: int = 0
    orders: int = 0
    verdicts: dict[str, int] = {}
    in_step_s: list[float] = []
    """Times from the readiness of a new owner, gateway or server to the last window in step, s."""
    wrong: dict[str, int] = msgspec.field(
        default_factory=lambda: dict.fromkeys(("twice", "told_wrong", "not_written", "state", "working_missed"), 0)
    )


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


class Third:
    """A window that lives through all kills, and sends orders all the time."""

    def __init__(self, window: DeskOf, first_price: Decimal = FIRST_PRICE) -> None:
        self.window = window
        self._first_price = first_price
        self.outcomes: dict[str, Outcome] = {}
        self._stopping = False

    async def trade(self) -> None:
        window = self.window
        for number in itertools.count():
            if self._stopping:
                return
            price = str(self._first_price + number * TICK)
            status = window.status()
            if status.read_only or not status.synced:
                await asyncio.sleep(0.05)
                continue
            if status.trading_state == "VIEW":
                window.thread.set_trading_state(type(status.trading_state).ARMED)
            self.outcomes[price] = outcome = await window.submit(window.buy(price))
            if outcome.verdict is Verdict.ACCEPTED and number % 3:
                await window.submit(Cancel(decision=window.buy(price).decision, key=outcome.key))
            await asyncio.sleep(0.01)

    def stop(self) -> None:
        self._stopping = True

    def is_back(self) -> bool:
        status = self.window.status()
        return status.synced and not status.read_only


async def kill_all(
    home: Path, ready: str, third: Third, owner: Killed, kills: int, seed: int, report: Report
) -> Killed:
    """Kill owner and windows in turn at moments of the seed, each soon after it came; return the last owner."""
    moments, pauses = random.Random(seed), random.Random(-seed)
    for number in range(kills):
        window = Killed(home, "window", str(Decimal(58_900) + number * 50))
        await window.ready()
        await asyncio.sleep(moments.uniform(0.05, 0.6))
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
            owner.stand_still()
            await asyncio.sleep(pauses.uniform(0.2, 4.0))
            owner.go_on()
            report.pauses_of_owners += 1
        sent = len(third.outcomes)
        await until(lambda: len(third.outcomes) > sent, 30)  # noqa: B023
        await asyncio.sleep(moments.uniform(0.05, 0.6))
    return owner


async def run(venue: Venue, home: Path, kills: int, seed: int) -> Report:
    """Kill that many owners and windows, and judge what is left."""
    home.chmod(0o700)
    report = Report(kills_of_owners=kills, kills_of_windows=kills)
    ready = json.dumps(venue.ready)
    owner = Killed(home, "owner", stdin=ready)
    await owner.ready()
    third = Third(attach(home))
    await third.window.in_step()
    trading = asyncio.create_task(third.trade())
    owner = await kill_all(home, ready, third, owner, kills, seed, report)
    third.stop()
    await trading
    owner.kill()
    await third.window.end()

    last = start_owner(venue, home, WIDE)
    await last.in_step()
    held = await settled(venue, last)
    judge_outcomes(report, third.outcomes, held)
    judge_written(report, home, [row for row in held if Decimal(row["limitPrice"]) < FIRST_PRICE])
    judge_rows(report, last, held)
    assert (await last.submit(CancelAll(decision=last.buy("1").decision, kill=True))).verdict is Verdict.ACCEPTED
    await last.end()
    return report


async def settled(venue: Venue, desk: DeskOf) -> list[dict[str, str]]:
    """Wait until a desk has asked for what it missed, for 10 s at most; return the venue's record of orders."""
    ids = {row["clientOrderId"] for row in orders_of(venue)}
    # What the venue never got stays UNKNOWN until the trader dismisses it.
    await until(lambda: not [row for row in unsure(desk) if row.client_order_id in ids], 60)
    for _ in range(50):
        trial, held = Report(), orders_of(venue)
        judge_rows(trial, desk, held)
        if not any(trial.wrong.values()):
            break
        await asyncio.sleep(0.2)
    return held


def unsure(desk: DeskOf) -> list[OrderRow]:
    """The orders of which the desk does not know whether they arrived."""
    return [row for row in desk.orders().values() if row.state in ("UNKNOWN", "SENT")]


def judge_outcomes(report: Report, outcomes: dict[str, Outcome], held: list[dict[str, str]]) -> None:
    """Compare what a window was told with the venue's record of orders."""
    by_price = Counter(Decimal(row["limitPrice"]) for row in held)
    wanted = {Verdict.ACCEPTED: {1}, Verdict.UNKNOWN: {0, 1}}
    mine = {Decimal(price) for price in outcomes}
    report.wrong["twice"] += sum(count > 1 for price, count in by_price.items() if price in mine)
    for price, outcome in outcomes.items():
        verdict = outcome.verdict
        report.verdicts[verdict.value] = report.verdicts.get(verdict.value, 0) + 1
        report.wrong["told_wrong"] += by_price[Decimal(price)] not in wanted.get(verdict, {0})


def judge_written(report: Report, home: Path, held: list[dict[str, str]]) -> None:
    """Compare the prices that windows wrote down before they sent with their orders at the venue."""
    written = {Decimal(line) for line in (home / "prices").read_text().split()}
    sent = Counter(Decimal(row["limitPrice"]) for row in held)
    report.wrong["twice"] += sum(count > 1 for count in sent.values())
    report.wrong["not_written"] = len(sent.keys() - written)


def judge_rows(report: Report, desk: DeskOf, held: list[dict[str, str]]) -> None:
    """Compare the orders of a desk with the venue's record: every state is the venue's, and none that works is missing."""
    states = {row["clientOrderId"]: row["orderState"] for row in held}
    rows = {row.client_order_id: row for row in desk.orders().values() if row.order_id}
    working = {key for key, state in states.items() if state in ("NEW", "OPEN", "PARTIALLY_FILLED")}
    report.orders = len(held)
    report.wrong["state"] += sum(states.get(key) != row.state for key, row in rows.items())
    report.wrong["working_missed"] += len(working ^ {key for key, row in rows.items() if not row.final})


def publish(report: Report, file: Path | None) -> int:
    """Print the figures, and write them to a file; return the exit code, 1 if anything was wrong."""
    times = {"in_step_median_s": statistics.median(report.in_step_s), "in_step_max_s": max(report.in_step_s)}
    told = {"command": " ".join(sys.argv[1:]), **msgspec.to_builtins(report), **times}
    print(json.dumps(told))
    if file is not None:
        file.write_text(json.dumps(told, indent=1) + "\n")
    return 1 if any(report.wrong.values()) else 0


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
