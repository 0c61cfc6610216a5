"""A profile with `auth = "v1"`: account calls are signed by the first generation, money moves, a lost one waits longer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.client.fakes import until
from tests.engine.commands.test_transfers_on_sockets import Mover, listed
from tests.engine.conftest import Screen
from tests.engine.on_sockets import Life
from tests.venue.shell.conftest import STILL, Venue
from tui.client.call_expiry import LATE_S
from tui.engine.intents import Verdict
from tui.engine.modes import TradingState
from tui.engine.rows import CommandState
from tui.interface.signing import V1_WINDOW_S

STANDARD = ("--set", "rate_profile=off", "--set", "network_delay=1", "--control")


@pytest.fixture
def older() -> Iterator[Venue]:
    """A venue that serves the first generation."""
    running = Venue(*STILL, *STANDARD, "--set", "v1=on")
    yield running
    running.stop()


@pytest.fixture
def newer() -> Iterator[Venue]:
    """A venue that does not."""
    running = Venue(*STILL, *STANDARD)
    yield running
    running.stop()


@pytest.fixture
async def mover(older: Venue, tmp_path: Path) -> AsyncIterator[Mover]:
    life = Life(older, tmp_path, auth="v1")
    await life.in_step()
    life.engine.set_trading_state(TradingState.ARMED)
    yield Mover(life)
    await life.end()


async def test_transfers_can_use_auth_v1_while_orders_use_auth_v2(mover: Mover, older: Venue) -> None:
    """Trading is out of reach of the first generation, so it is signed by the second."""
    outcome = await mover.send()
    assert outcome.verdict is Verdict.ACCEPTED, outcome.text
    done = await mover.reaches(CommandState.DONE)
    assert [row["clientOrderId"] for row in listed(older)] == [done.id]


async def test_a_lost_auth_v1_transfer_waits_for_the_auth_v1_window(mover: Mover, older: Venue) -> None:
    older.set("rest_fault", "502:transfer:1x")
    assert (await mover.send()).verdict is Verdict.UNKNOWN
    state = mover.life.engine.state
    left = mover.row().proven_from - state.clock.mono()
    assert V1_WINDOW_S - 30 < left < 2 * V1_WINDOW_S + LATE_S + 1
    assert listed(older) == []


async def test_auth_v1_at_a_venue_without_it_fails_only_for_assets(newer: Venue, tmp_path: Path) -> None:
    """A venue that does not know the first generation refuses assets, and takes everything else."""
    life = Life(newer, tmp_path, auth="v1")
    screen = Screen(life.engine.updates)
    await until(lambda: screen.said("SNAPSHOT FAILED: 2000"), 30)
    assert life.engine.state.logged_in
    await life.end()


async def test_a_lost_auth_v1_transfer_waits_as_long_after_a_restart(older: Venue, tmp_path: Path) -> None:
    first = Life(older, tmp_path, auth="v1")
    await first.in_step()
    first.engine.set_trading_state(TradingState.ARMED)
    older.set("rest_fault", "502:transfer:1x")
    await Mover(first).send()
    await first.end()
    second = Life(older, tmp_path, auth="v1")
    await second.in_step()
    state = second.engine.state
    await until(lambda: bool(state.commands.open), 30)
    (lost,) = state.commands.open.values()
    assert lost.proven_from - state.clock.mono() > 2 * V1_WINDOW_S - 30
    await second.end()
