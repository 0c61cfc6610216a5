"""An owner that stands still and is not dead: windows are read-only at once, and nothing is carried out late."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
import pytest_asyncio

from tests.busy import limit
from tests.client.fakes import until
from tests.desk_protocol.desks import DeskOf, Program, attach, new_price, sent_at
from tests.desk_protocol.kills import Killed
from tests.venue.shell.conftest import Venue
from tui.desk_protocol import client
from tui.desk_protocol.messages import COMMAND_S
from tui.engine.intents import CancelAll, Outcome, Verdict
from tui.engine.modes import RiskMode, TradingState

NOTICED_S = 2.0
"""Time after which a window says that its owner stands still, s."""
TEXT = "not attached: the desk that trades this account does not answer (nothing was heard for 1.5 s)"


class Stopped(NamedTuple):
    """An owner in a process of its own, and an armed window on it."""

    owner: Killed
    window: DeskOf
    venue: Venue
    home: Path

    async def submit_later(self, price: str) -> asyncio.Task[Outcome]:
        """Send an order while the owner stands still and nobody knows of it."""
        sending = asyncio.ensure_future(self.window.submit(self.window.buy(price)))
        await asyncio.sleep(0)
        return sending


@pytest_asyncio.fixture
async def stopped(venue: Venue, tmp_path: Path) -> AsyncIterator[Stopped]:
    tmp_path.chmod(0o700)
    owner = Killed(tmp_path, "owner", stdin=json.dumps(venue.ready))
    await owner.ready()
    window = attach(tmp_path)
    await window.in_step()
    await window.arm()
    try:
        yield Stopped(owner, window, venue, tmp_path)
        decision = window.buy("1").decision
        assert (await window.submit(CancelAll(decision=decision, kill=True))).verdict is Verdict.ACCEPTED
    finally:
        owner.go_on()
        await window.end()
        owner.kill()


async def test_a_window_notices_a_stopped_desk_and_attaches_again(stopped: Stopped) -> None:
    stopped.owner.stand_still()
    began = time.monotonic()
    await until(lambda: stopped.window.status().read_only, 10)
    assert time.monotonic() - began < limit(NOTICED_S)
    assert any(TEXT in text for text in stopped.window.texts())
    assert stopped.window.status().peers == (), "who is attached there now is not known"
    assert not stopped.window.status().day_is_whole, "nor which fills there were since"
    price = new_price()
    outcome = await stopped.window.submit(stopped.window.buy(price))
    assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "LINK"), outcome
    stopped.owner.go_on()
    began = time.monotonic()
    await until(stopped.window.is_back, 10)
    assert time.monotonic() - began < limit(2)
    assert stopped.window.status().trading_state is TradingState.VIEW
    assert sent_at(stopped.venue, price) == []
    await stopped.window.arm()
    price = new_price()
    assert (await stopped.window.submit(stopped.window.buy(price))).verdict is Verdict.ACCEPTED
    assert len(sent_at(stopped.venue, price)) == 1


async def test_an_order_that_waited_for_a_stopped_desk_is_not_sent(stopped: Stopped) -> None:
    stopped.owner.stand_still()
    price = new_price()
    sending = await stopped.submit_later(price)
    await until(lambda: stopped.window.status().read_only, 10)
    await asyncio.sleep(COMMAND_S)  # the order expires meanwhile
    stopped.owner.go_on()
    outcome = await sending
    assert outcome.verdict is Verdict.DENIED and outcome.guard in ("LATE", "LINK"), outcome
    await until(stopped.window.is_back, 10)
    assert sent_at(stopped.venue, price) == []


async def test_an_order_given_in_a_short_pause_of_the_desk_leaves_once(
    stopped: Stopped, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "SILENT_BEATS", 40)  # a busy machine makes the pause longer
    stopped.owner.stand_still()
    price = new_price()
    sending = await stopped.submit_later(price)
    await asyncio.sleep(0.5)  # shorter than what is noticed
    stopped.owner.go_on()
    assert (await sending).verdict is Verdict.ACCEPTED
    assert not stopped.window.status().read_only
    assert len(sent_at(stopped.venue, price)) == 1


async def test_expired_resume_and_wider_limits_are_not_carried_out(stopped: Stopped) -> None:
    """Neither the return to NORMAL nor other limits; what only lowers risk is."""
    window = stopped.window
    window.thread.set_risk_mode(RiskMode.REDUCING)
    await until(lambda: window.status().risk_mode is RiskMode.REDUCING, 10)
    window.thread.set_trading_state(TradingState.VIEW)
    await until(lambda: window.status().trading_state is TradingState.VIEW, 10)
    before = window.status().limits
    stopped.owner.stand_still()
    window.thread.set_risk_mode(RiskMode.NORMAL)
    window.thread.set_limits(msgspec.structs.replace(before, hard_notional="1000000"), "wider")
    await until(lambda: window.status().read_only, 10)
    await asyncio.sleep(COMMAND_S)  # both expire meanwhile
    stopped.owner.go_on()
    await until(stopped.window.is_back, 10)
    program = await Program.attach(stopped.home, "last")  # whatever waited was read before
    assert (window.status().risk_mode, window.status().limits) == (RiskMode.REDUCING, before)
    program.close()
    window.thread.set_risk_mode(RiskMode.NORMAL)
    await until(lambda: window.status().risk_mode is RiskMode.NORMAL, 10)


async def test_a_window_started_while_the_desk_stands_attaches_later(stopped: Stopped) -> None:
    stopped.owner.stand_still()
    third = attach(stopped.home)
    await until(lambda: stopped.window.status().read_only, 10)
    assert not third.status().synced
    stopped.owner.go_on()
    await third.in_step()
    await third.arm()
    price = new_price()
    assert (await third.submit(third.buy(price))).verdict is Verdict.ACCEPTED
    await third.end()
    await until(stopped.window.is_back, 10)
