"""A link that comes and goes is called so, until it has kept still for a while."""

from __future__ import annotations

import asyncio

import pytest

from tests.simulation.harness.day import Day
from tui.client.connection_status import Phase
from tui.engine.event_line import Level
from tui.engine.settings import EngineSettings
from tui.engine.status_rows import LinkState
from tui.engine.sync.flapping import FlapDetector


def lose(link: FlapDetector, *moments: float) -> bool:
    """Whether it flaps after losses at these moments."""
    flaps = False
    for at in moments:
        link.observe(Phase.READY, at)
        flaps = link.observe(Phase.DOWN, at)
    return flaps


def test_f16_a_link_is_flapping_after_three_losses_in_a_minute() -> None:
    assert not lose(FlapDetector(3, 60.0), 0.0, 30.0)
    assert lose(FlapDetector(3, 60.0), 0.0, 30.0, 60.0)
    assert not lose(FlapDetector(3, 60.0), 0.0, 30.0, 60.1)
    assert lose(FlapDetector(2, 5.0), 0.0, 9.0, 13.0)


def test_f16_flapping_ends_after_a_minute_without_a_loss() -> None:
    link = FlapDetector(3, 60.0)
    assert lose(link, 0.0, 1.0, 2.0)
    assert link.observe(Phase.READY, 61.9)
    assert not link.observe(Phase.READY, 62.0)
    assert not lose(link, 100.0), "one more loss is not flapping"


def test_f16_failed_reconnects_do_not_count_as_flapping() -> None:
    link = FlapDetector(3, 60.0)
    for at in range(20):
        for phase in (Phase.CONNECTING, Phase.LOGIN, Phase.DOWN):
            assert not link.observe(phase, at / 2)


@pytest.mark.parametrize("name", ["private", "public"])
def test_f16_link_row_is_flapping_until_a_minute_without_loss(name: str) -> None:
    async def day(desk: Day) -> None:
        def cut() -> None:
            for wire in desk.network.wires:
                if (b"/v1/private" if name == "private" else b"/marketdata/") in wire.target and not wire.hole:
                    wire.reset()

        for number in range(3):
            assert not desk.mirror.links[name].flapping, number
            cut()
            await desk.until(lambda: desk.mirror.links[name].state is not LinkState.UP)
            await desk.until(lambda: desk.mirror.links[name].state is LinkState.UP)
            await desk.in_step()
            last = desk.world.now
            await asyncio.sleep(5)
        assert desk.mirror.links[name].flapping
        assert desk.said(f"the {name} link is FLAPPING: lost 3 times in 60 s") == 1
        await asyncio.sleep(last + 50 - desk.world.now)
        assert desk.mirror.links[name].flapping
        await asyncio.sleep(12)
        assert not desk.mirror.links[name].flapping
        assert desk.said(f"the {name} link is stable again: not lost for 60 s") == 1

    Day().play(day)


def test_a_lost_market_link_alerts_and_is_said_to_be_up_again() -> None:
    async def day(desk: Day) -> None:
        for wire in desk.network.wires:
            if b"/marketdata/" in wire.target and not wire.hole:
                wire.reset()
        await desk.until(lambda: desk.mirror.links["public"].state is not LinkState.UP)
        await desk.until(lambda: desk.mirror.links["public"].state is LinkState.UP)
        await desk.until(lambda: desk.said("market link is up again"))
        lines = [
            (line.level, line.cause) for _, line in desk.mirror.event_log.events if line.text.startswith("market link")
        ]
        assert lines == [(Level.ALERT, "market link"), (Level.INFO, "market link")]

    Day().play(day)


def test_flapping_settings_are_validated() -> None:
    assert (EngineSettings().flap_losses, EngineSettings().flap_window) == (3, 60.0)
    with pytest.raises(ValueError, match="flap_losses is 0; accepted is 1 or more"):
        EngineSettings(flap_losses=0)
    with pytest.raises(ValueError, match="flap_window is 0; accepted is more than 0 s"):
        EngineSettings(flap_window=0)


def test_disconnect_time_counts_from_the_loss_of_the_link() -> None:
    async def day(desk: Day) -> None:
        desk.network.refuse = True
        for wire in desk.network.wires:
            if b"/v1/private" in wire.target and not wire.hole:
                wire.reset()
        await desk.until(lambda: desk.mirror.links["private"].state is not LinkState.UP)
        lost = desk.mirror.links["private"].since
        tried = desk.mirror.links["private"].retries
        for _ in range(200):
            await asyncio.sleep(0.1)
            assert desk.mirror.links["private"].since == lost
        assert desk.mirror.links["private"].retries > tried + 1
        desk.network.refuse = False
        await desk.in_step()
        assert desk.mirror.links["private"].since > lost

    Day().play(day)
