"""Many UNKNOWN orders do not keep the desk from coming into step after a reconnect."""

from __future__ import annotations

import json

import pytest

from tests.engine.reconnects import MOST_S, PUBLISHED, ROWS, TIMES, figures, measure
from tui.interface import decimals


@pytest.mark.real
@pytest.mark.timeout(900)
@pytest.mark.parametrize("rows", ROWS)
async def test_a_desk_with_unknown_orders_is_in_step_within_two_seconds_of_its_login(rows: int) -> None:
    decimals.setup()
    found = figures(rows, await measure(rows, TIMES))
    assert found["p99_s"] < MOST_S, found


def test_the_published_times_are_of_enough_reconnects_and_below_the_limit() -> None:
    runs = json.loads(PUBLISHED.read_text())["runs"]
    assert [run["unknown_rows"] for run in runs] == list(ROWS)
    assert all(run["reconnects"] >= 20 and run["p99_s"] < MOST_S for run in runs), runs


def test_of_few_times_the_slowest_is_the_p99_and_of_many_the_hundredth_from_the_top() -> None:
    assert figures(1, [0.1, 3.0, 0.2])["p99_s"] == 3.0
    assert figures(1, [float(number) for number in range(300)])["p99_s"] == 297.0
