"""The same seed and the same commands give the same bytes, in every process (V38)."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import msgspec

from tests.venue.core.drive import PERP, Desk
from tests.venue.core.walk import commands
from tui.interface import decimals
from tui.venue.core.commands import Advance
from tui.venue.core.events import QuoteChanged


def fingerprint() -> str:
    """Hash of every event byte of one walk in a lively market, and of the state after it."""
    decimals.setup()
    desk = Desk(agents="on")
    commands(desk, "same", 120)
    digest = hashlib.sha256(b"".join(msgspec.json.encode(event) for event in desk.log))
    return digest.hexdigest() + desk.exchange.state_hash()


def test_two_runs_with_one_seed_give_the_same_bytes() -> None:
    assert fingerprint() == fingerprint()


def test_two_processes_with_one_seed_give_the_same_bytes() -> None:
    found = set()
    for hash_seed in ("1", "77"):
        answer = subprocess.run(
            [
                sys.executable,
                "-c",
                "from tests.venue.core.state.test_determinism import fingerprint; print(fingerprint())",
            ],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(answer.stdout)
    assert len(found) == 1


def test_replay_of_the_command_log_gives_the_same_state() -> None:
    desk, again = Desk(agents="on"), Desk(agents="on")
    for command, gap in commands(desk, "log", 80):
        again.do(command, gap)
    assert again.log == desk.log
    assert again.exchange.state_hash() == desk.exchange.state_hash()


def test_venue_result_does_not_depend_on_clock_step_size() -> None:
    often, seldom = Desk(agents="on"), Desk(agents="on")
    for _ in range(300):
        often.wait(10)
    seldom.wait(3000)
    assert [msgspec.json.encode(event) for event in often.log] == [msgspec.json.encode(event) for event in seldom.log]


def test_an_order_changes_no_quotes_of_other_pairs() -> None:
    quiet, busy = Desk(agents="on"), Desk(agents="on")
    busy.place("BUY", "3")
    for desk in (quiet, busy):
        desk.wait(3000)

    def quotes(desk: Desk) -> list[QuoteChanged]:
        return [event for event in desk.log if isinstance(event, QuoteChanged) and event.sym != PERP]

    assert quotes(quiet) == quotes(busy)


def test_venue_time_never_goes_back() -> None:
    desk = Desk(agents="on")
    desk.wait(5000)
    before = desk.exchange.next_due()
    _, events = desk.exchange.apply(Advance(), desk.now - 3000)
    assert events == []
    assert desk.exchange.next_due() == before
