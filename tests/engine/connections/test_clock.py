"""The difference of the clocks where no stream tells it: the `Date` of REST answers has to do."""

from __future__ import annotations

import asyncio

import pytest

from tests.simulation.harness.day import SYM, Day


@pytest.mark.parametrize("off", [1_200.0, -1_200.0])
def test_f101_rest_reply_dates_reveal_a_wrong_clock(off: float) -> None:
    desk = Day()
    desk.clock.skew = off
    desk.swallow("out", b"/marketdata/")

    async def day() -> None:
        await desk.until(lambda: desk.said("clock differs by 1200 s") + desk.said("clock differs by 1199 s"))
        way = "ahead of the service" if off > 0 else "behind the service"
        assert desk.said(way)
        assert not desk.desk_row.synced
        desk.clock.skew = 0.0
        await desk.in_step()
        assert desk.desk_row.skew_ms is None

    desk.run(day)
    assert desk.engine.tasks.failures == 0


def test_f101_clock_skew_by_pong_is_preferred_to_rest_dates() -> None:
    desk = Day()
    desk.clock.skew = 1.4

    async def day() -> None:
        desk.engine.watch((SYM,))
        await desk.until(
            lambda: desk.mirror.engine_status is not None and desk.mirror.engine_status.skew_ms is not None
        )
        await desk.until(lambda: abs((desk.desk_row.skew_ms or 0.0) - 1_400) < 30)
        await asyncio.sleep(10)
        assert desk.desk_row.skew_ms == pytest.approx(1_400, abs=30)

    desk.run(day)
