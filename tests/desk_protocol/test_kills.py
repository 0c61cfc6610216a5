"""Owner and windows are killed while orders leave: none is sent twice, and all end as the venue says. `pytest -m real`."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from tests.client.fakes import until
from tests.desk_protocol.desk_process import TICK, WIDE
from tests.desk_protocol.desks import DeskOf, attach, orders_of, start_owner
from tests.venue.shell.conftest import STILL, TOP, Venue
from tui.engine.intents import Cancel, CancelAll, Outcome, Verdict
from tui.engine.rows import OrderRow

KILLS = 20
"""Of the owner, and as many of windows."""
FIRST_PRICE = Decimal(60_000)
SEED = 4711


@pytest.fixture
def venue() -> Iterator[Venue]:
    found = Venue(*STILL, "--set", "rate_profile=off")
    yield found
    found.stop()


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


async def kill_all(home: Path, ready: str, third: Third, owner: Killed) -> Killed:
    """Kill owner and windows in turn at moments of the seed, each soon after it came; return the last owner."""
    moments = random.Random(SEED)
    for number in range(KILLS):
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
        await until(third.is_back, 30)
        sent = len(third.outcomes)
        await until(lambda: len(third.outcomes) > sent, 30)  # noqa: B023
        await asyncio.sleep(moments.uniform(0.05, 0.6))
    return owner


@pytest.mark.real
@pytest.mark.timeout(900)
async def test_kills_send_nothing_twice_and_lose_no_order(venue: Venue, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    ready = json.dumps(venue.ready)
    owner = Killed(tmp_path, "owner", stdin=ready)
    await owner.ready()
    third = Third(attach(tmp_path))
    await third.window.in_step()
    trading = asyncio.create_task(third.trade())
    owner = await kill_all(tmp_path, ready, third, owner)
    third.stop()
    await trading
    owner.kill()
    await third.window.end()

    last = start_owner(venue, tmp_path, WIDE)
    await last.in_step()
    held = orders_of(venue)
    ids = {row["clientOrderId"] for row in held}
    # What the venue never got stays UNKNOWN until the trader dismisses it.
    await until(lambda: not [row for row in unsure(last) if row.client_order_id in ids], 60)
    by_price = Counter(Decimal(row["limitPrice"]) for row in held)
    assert [price for price, count in by_price.items() if count > 1] == []
    check_outcomes(third.outcomes, by_price)
    written = {Decimal(line) for line in (tmp_path / "prices").read_text().split()}
    assert {price for price in by_price if price < FIRST_PRICE} <= written
    check_rows(last, held)
    assert (await last.submit(CancelAll(decision=last.buy("1").decision, kill=True))).verdict is Verdict.ACCEPTED
    await last.end()


def unsure(desk: DeskOf) -> list[OrderRow]:
    """The orders of which the desk does not know whether they arrived."""
    return [row for row in desk.orders().values() if row.state in ("UNKNOWN", "SENT")]


def check_outcomes(outcomes: dict[str, Outcome], by_price: Counter[Decimal]) -> None:
    """What the third window was told is what the venue has."""
    verdicts = Counter(outcome.verdict for outcome in outcomes.values())
    assert verdicts[Verdict.ACCEPTED] > 2 * KILLS, verdicts
    wanted = {Verdict.ACCEPTED: {1}, Verdict.UNKNOWN: {0, 1}}
    wrong = {
        price: outcome
        for price, outcome in outcomes.items()
        if by_price[Decimal(price)] not in wanted.get(outcome.verdict, {0})
    }
    assert not wrong, wrong


def check_rows(desk: DeskOf, held: list[dict[str, str]]) -> None:
    """The orders of the desk are in the states that the venue says, and none that works is missing."""
    states = {row["clientOrderId"]: row["orderState"] for row in held}
    rows = {row.client_order_id: row for row in desk.orders().values() if row.order_id}
    differing = {key: (row.state, states.get(key)) for key, row in rows.items() if states.get(key) != row.state}
    assert not differing, differing
    working = {key for key, state in states.items() if state in ("NEW", "OPEN", "PARTIALLY_FILLED")}
    assert working == {key for key, row in rows.items() if not row.final}
