"""The venue's state file: what was acknowledged survives any death, what was not is wholly there or wholly absent (V36)."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from pathlib import Path

import pytest

from tests.crash.conftest import Writers
from tests.venue.shell.conftest import STILL, Venue
from tests.venue.shell.strangers.test_stranger import Stranger

ORDER = "/api/v1/trading/order"
LIMIT = {
    "sym": "BINANCE_PERP_BTC_USDT", "side": "BUY", "orderType": "LIMIT", "orderQty": "0.01", "limitPrice": "50000"
}  # fmt: skip
CYCLES_PER_FILE = 5


def cycles(writers: Writers, folder: Path, count: int) -> tuple[int, int]:
    """Kill and restart; returns accepted commands, and how often an unacknowledged step was found kept."""
    accepted = found_kept = 0
    may_be: set[str] = set()
    last = ""
    for number in range(count):
        if number % CYCLES_PER_FILE == 0:
            may_be = set()
        source = random.Random(number)
        path = folder / f"state{number // CYCLES_PER_FILE}.db"
        word = ("ack", "about")[number % 2]
        lines = writers.run_and_kill(f"venue {path} s{number}", source, word)
        restored = next(line.split()[1] for line in lines if line.startswith("restored"))
        assert not may_be or restored in may_be, f"cycle {number}: the state is neither of the two it may be"
        found_kept += len(may_be) == 2 and restored == last
        kept, last = restored if may_be else "", ""
        for line in lines:
            word, _, rest = line.partition(" ")
            if word == "about":
                last = rest
            elif word == "kept":
                kept, last = last, ""
            elif word == "ack":
                assert not last, "acknowledged before it was kept"
                accepted += rest.endswith(" 0")
        # A file that died before anything was kept begins anew, with a past of its own.
        may_be = {one for one in (kept, last) if one} if kept else set()
    return accepted, found_kept


def test_a_killed_venue_loses_no_acknowledged_change(writers: Writers, tmp_path: Path) -> None:
    accepted, _ = cycles(writers, tmp_path, 40)
    assert accepted >= 200


@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_a_killed_venue_loses_no_change_in_long_runs(writers: Writers, tmp_path: Path) -> None:
    accepted, found_kept = cycles(writers, tmp_path, 500)
    assert accepted >= 2_500
    assert found_kept, "no death fell between keeping and saying so"


async def test_a_venue_killed_under_load_loses_no_acknowledged_order(tmp_path: Path) -> None:
    state, answered = tmp_path / "paper.db", list[str]()
    for cycle in range(3):
        venue = Venue(*STILL, "--set", "rate_profile=off", "--state", str(state))
        url, key = venue.ready["private_ws_url"], venue.key()
        for client in answered:
            assert venue.call("GET", ORDER, {"clientOrderId": client})[1]["code"] == 200000, f"{client} is lost"
        clients = [Stranger(url, *key), Stranger(url, *venue.key("sub"))]
        source, fresh = random.Random(cycle), list[str]()
        async with clients[0], clients[1]:
            assert [(await client.login())["code"] for client in clients] == [0, 0]
            work = [asyncio.create_task(_send(client, f"k{cycle}", n, fresh)) for n, client in enumerate(clients)]
            wanted = 5 + source.randrange(15)
            while sum(client.endswith("m") for client in fresh) < wanted:
                await asyncio.sleep(0.001)
            os.kill(venue.process.pid, signal.SIGKILL)
            for task in work:
                task.cancel()
            await asyncio.gather(*work, return_exceptions=True)
        venue.stop()
        answered += [client for client in fresh if client.endswith("m")]
    assert len(answered) >= 10


async def _send(client: Stranger, run: str, who: int, answered: list[str]) -> None:
    """Place one order after the other, and note what was answered."""
    for number in range(10_000):
        name = f"{run}x{number}{'ms'[who]}"
        reply = await client.ask("place_order", **{**LIMIT, "clientOrderId": name})
        if reply["code"] == 200000:
            answered.append(name)
        await client.ask("cancel_order", clientOrderId=name)
