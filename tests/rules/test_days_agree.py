"""Statement, P&L, history and files say the same of random days, liquidations, loans, rebates and custody in."""

from __future__ import annotations

import pytest

from tests.rules.days import Day


@pytest.mark.parametrize("seed", range(20))
def test_statement_pnl_and_history_agree_on_a_random_day(seed: int) -> None:
    day = Day(seed)
    assert day.differences() == []


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(20, 200))
def test_statement_pnl_and_history_agree_on_200_random_days(seed: int) -> None:
    assert Day(seed).differences() == []
