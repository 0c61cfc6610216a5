"""Several windows on one home, and a venue that dies: who trades, who looks on, and what is said of it."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest

from tests.busy import limit
from tests.terminal.conftest import STILL, Venue
from tests.terminal.rows import find_row
from tests.terminal.terminal import Terminal, alive

Start = Callable[..., Terminal]


def arm(desk: Terminal) -> None:
    desk.see("min 0.001", "min notional 5")
    desk.press("a")
    desk.see("ARMED")


def rest_one(desk: Terminal, home: Path) -> str:
    """Place the least order at the own touch of the first pair; its id at the venue."""
    before = {row["orderId"] for row in Venue(home).open_orders()}
    desk.press("1")
    desk.until(lambda display: any(re.search("▸.{1,8}BINANCE", line) for line in display) or None, "the first pair")
    desk.press("b")
    desk.see("Staged", "BUY BINANCE BTC perp")
    desk.see("Enter sends")
    desk.press("enter")

    def fresh(display: list[str]) -> str | None:
        found = [row["orderId"] for row in Venue(home).open_orders() if row["orderId"] not in before]
        if not found and any(re.search(r"\? .*y sends", line) for line in display):
            # One gate for all windows: it asks about the same order of another one.
            desk.press("y")
        return found[0] if found else None

    found: str = desk.until(fresh, "the order at the venue")
    return found


def leave(desk: Terminal) -> None:
    desk.press("ctrl+q")
    desk.until(
        lambda display: desk.process.poll() is not None or any("quit" in line.lower() for line in display), "a word"
    )
    if desk.process.poll() is None:
        desk.press("y")
    desk.wait(10)


def new_venue(desk: Terminal, home: Path, before: int) -> Venue:
    """The venue that has taken the place of another one."""

    def found(_: list[str]) -> Venue | None:
        try:
            line = json.loads((home / "run" / "paper.json").read_text())
        except (OSError, ValueError):
            return None
        return Venue(home) if line["pid"] != before else None

    venue: Venue = desk.until(found, "another venue")
    return venue


@pytest.mark.parametrize("end", ["quits", "is killed"])
def test_a_second_window_takes_over_when_the_first_one_ends(start: Start, end: str) -> None:
    """It went on asking a venue that was gone, and stayed read-only."""
    first = start(*STILL)
    first.see("In sync with the venue")
    arm(first)
    order = rest_one(first, first.home)
    venue = Venue(first.home)
    second = start(*STILL, home=first.home)
    first.see("1 more attached")
    second.see("OPEN", "BINANCE BTC")
    second.see("1 more attached, desk armed")
    arm(second)
    other = rest_one(second, first.home)
    first.see("by desk 2: OPEN")
    second.see(" ticket ━")  # its answer has come: an open ticket would take the keys below
    if end == "quits":
        leave(first)
    else:
        first.process.kill()
        first.process.wait()
    taken = new_venue(second, first.home, venue.pid)
    second.see("this window trades now")
    second.in_step()
    second.gone("READ-ONLY")
    second.see("OPEN", "BINANCE BTC")
    second.press("4", ")", ")", ")")
    second.until(
        lambda display: find_row(display, ("time", "event"), "the other crossdesk has ended: this window trades now"),
        "the takeover in the events",
    )
    assert {row["orderId"] for row in taken.open_orders()} == {order, other}
    second.see("VIEW")
    second.press("1")
    arm(second)
    rest_one(second, first.home)
    leave(second)
    assert not alive(taken.pid)


def serves_socket(desk: Terminal) -> bool:
    """Whether a window holds the socket of its home open."""
    lines = Path("/proc/net/unix").read_text().splitlines()
    served = {f"socket:[{line.split()[6]}]" for line in lines if line.endswith("/paper.sock")}
    links = []
    for descriptor in Path(f"/proc/{desk.process.pid}/fd").iterdir():
        with suppress(OSError):
            links.append(str(descriptor.readlink()))
    return not served.isdisjoint(links)


def test_after_a_quick_restart_of_a_window_all_use_one_engine(start: Start) -> None:
    first = start(*STILL)
    first.see("In sync with the venue")
    second = start(*STILL, home=first.home)
    first.see("desk 2 attached")
    pid = Venue(first.home).pid
    first.process.kill()
    first.process.wait()
    third = start(*STILL, home=first.home)
    new_venue(third, first.home, pid)

    def holder(_: list[str]) -> tuple[Terminal, Terminal] | None:
        """The window that serves the socket, and the one that is attached to it."""
        for holds, attached in ((second, third), (third, second)):
            if serves_socket(holds) and not any("READ-ONLY" in desk.display[0] for desk in (holds, attached)):
                return holds, attached
        return None

    holds, attached = third.until(holder, "a window that holds the account and one that is attached")
    for desk, other in ((attached, holds), (holds, attached)):
        arm(desk)
        rest_one(desk, first.home)
        other.see("OPEN", "BINANCE BTC")
    leave(holds)
    attached.see("this window trades now")
    attached.gone("READ-ONLY")


@pytest.mark.usefixtures("as_users_start_it")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_crashed_paper_venue_is_restarted_with_its_state(start: Start, how: signal.Signals) -> None:
    desk = start(*STILL)
    desk.see("In sync with the venue")
    arm(desk)
    order = rest_one(desk, desk.home)
    venue = Venue(desk.home)
    began = time.monotonic()
    os.kill(venue.pid, how)
    again = new_venue(desk, desk.home, venue.pid)
    desk.see("the paper venue", "started again on its state")
    assert time.monotonic() - began < limit(10)
    assert not Path(f"/proc/{venue.pid}").exists(), "it was left as a zombie"
    desk.in_step()
    assert [row["orderId"] for row in again.open_orders()] == [order]
    desk.see("OPEN", "BINANCE BTC")
    arm(desk)
    rest_one(desk, desk.home)


@pytest.mark.usefixtures("as_users_start_it")
def test_a_paper_venue_is_not_restarted_after_its_third_crash(start: Start) -> None:
    desk = start(*STILL)
    desk.see("In sync with the venue")
    venue = Venue(desk.home)
    for _ in range(2):
        os.kill(venue.pid, signal.SIGKILL)
        desk.until(lambda display: "priv●" not in display[0], "the lost link")
        venue = new_venue(desk, desk.home, venue.pid)
        desk.in_step()
    os.kill(venue.pid, signal.SIGKILL)
    desk.see("3 times in 30 s")
    assert re.search("ENGINE STOPPED", "\n".join(desk.display))


def recording(path: Path, seconds: int) -> Path:
    """A market of one pair, a quote every tenth of a second."""
    begin = 1_723_118_400 * 10**9
    rows = ["received_ns,sym,kind,bid_or_price,bidqty_or_qty,ask_or_side,askqty,venue_ms"]
    for number in range(seconds * 10):
        row = f"{begin + number * 10**8},BINANCE_PERP_BTC_USDT,BBO,{60000 + number % 7},1,{60001 + number % 7}.1,1,"
        rows.append(row)
    path.write_text("\n".join(rows) + "\n")
    return path


def test_a_replayed_market_shows_its_clock_and_its_end(start: Start, tmp_path: Path) -> None:
    """It began again without notice: no clock, no name, no end."""
    desk = start("--market", str(recording(tmp_path / "short.csv", 10)), "--set", "latency=test")
    first = desk.until(lambda display: re.search(r"REPLAY 08-08 12:00:(\d\d)", display[0]), "the recorded clock")
    desk.until(
        lambda display: (found := re.search(r"REPLAY 08-08 12:00:(\d\d)", display[0])) and found[1] > first[1],
        "a clock that goes on",
    )
    desk.see("REPLAY ended")
    desk.press("E")  # the list: of older events the line has none
    desk.see("the recording short.csv has ended: its market stands still")
    desk.see("REPLAY of short.csv", "recorded 2024-08-08 12:00:00 UTC", "0:09 long, ends then")


def test_a_replayed_market_can_loop(start: Start, tmp_path: Path) -> None:
    path = str(recording(tmp_path / "short.csv", 4))
    desk = start("--market", path, "--set", "latency=test", "--set", "replay_end=loop")
    desk.in_step()
    desk.press("E")  # the list: of older events the line has none
    desk.see("REPLAY of short.csv", "begins again at its end")
    seen: list[int] = []

    def again(display: list[str]) -> bool:
        found = re.search(r"REPLAY 08-08 12:00:(\d\d)", display[0])
        if found:
            seen.append(int(found[1]))
        return any(later < before for before, later in pairwise(seen))

    desk.until(again, "a clock that begins again")
    assert "has ended" not in "\n".join(desk.display)
