"""Used part of the limits of requests, as the header and alerts show it."""

from __future__ import annotations

import pytest

from tests.engine.orders.gated import Gated
from tui.engine.modes import Environment, TradingState
from tui.engine.orders.recent_sends import list_rates, rate_key
from tui.engine.status_rows import EngineStatusRow
from tui.interface.families.orders import PLACE_ORDER, REPLACE_ORDER


@pytest.mark.parametrize(("places", "replaces", "percent"), [(0, 0, 0), (84, 0, 10), (84, 105, 50), (588, 105, 70)])
def test_the_shown_rate_is_the_higher_of_place_and_replace(
    gated: Gated, places: int, replaces: int, percent: int
) -> None:
    for endpoint, count in ((PLACE_ORDER, places), (REPLACE_ORDER, replaces)):
        for _ in range(count):
            gated.rate_limiter.count(rate_key(endpoint))
    status = EngineStatusRow(
        environment=Environment.PAPER, portfolio="", portfolio_name="", trading_state=TradingState.VIEW, synced=True,
        rates=list_rates(gated.rate_limiter),
    )  # fmt: skip
    assert status.rate_used == percent
