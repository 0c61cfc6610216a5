"""Statement, P&L, history and files say the same of random days, liquidations, loans, rebates and custody in."""

from __future__ import annotations

import pytest

from tests.rules.days import Day


@pytest.mark.parametrize("seed", range(20))
def test_every_place_adds_a_day_up_to_the_same_digit(seed: int) -> None:
    day = Day(seed)
    assert day.differences() == []


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(20, 200))
def test_two_hundred_days_add_up_to_the_same_digit(seed: int) -> None:
    assert Day(seed).differences() == []
