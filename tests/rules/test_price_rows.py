"""Rows of prices of venues whose ticks differ, and sizes in base units."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.rules import units
from tui.rules.rounding import coarser_tick, ticks_in_row

TICKS = [Decimal(text) for text in ("0.0001", "0.01", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "10")]


@pytest.mark.parametrize(
    ("low", "height", "tick", "prices"),
    [
        ("100.0", "0.1", "0.1", ("100.0", "100.0")),
        ("100.0", "0.5", "0.1", ("100.0", "100.4")),
        ("100.5", "0.5", "0.01", ("100.50", "100.99")),
        ("100.25", "0.25", "0.1", ("100.3", "100.4")),
        ("0", "0.5", "0.5", ("0.0", "0.0")),
    ],
)
def test_a_ladder_row_holds_all_prices_of_the_finer_tick(
    low: str, height: str, tick: str, prices: tuple[str, str]
) -> None:
    first, last = ticks_in_row(Decimal(low), Decimal(height), Decimal(tick))
    assert (str(first * Decimal(tick)), str(last * Decimal(tick))) == prices


def test_ladder_rows_use_the_coarsest_tick_of_the_venues() -> None:
    assert coarser_tick([Decimal("0.1"), Decimal("0.5"), Decimal("0.01")]) == Decimal("0.5")


@given(
    row=st.integers(0, 10**7),
    group=st.sampled_from([1, 5, 10, 25, 50, 100]),
    ticks=st.tuples(st.sampled_from(TICKS), st.sampled_from(TICKS)),
    at=st.integers(0, 10**9),
)
def test_every_price_lies_in_exactly_one_ladder_row(
    row: int, group: int, ticks: tuple[Decimal, Decimal], at: int
) -> None:
    height, tick = coarser_tick(ticks) * group, min(ticks)
    first, last = ticks_in_row(row * height, height, tick)
    assert first <= last and row * height <= first * tick and last * tick < (row + 1) * height
    assert ticks_in_row((row + 1) * height, height, tick)[0] == last + 1
    own = int(at * tick // height)
    low, high = ticks_in_row(own * height, height, tick)
    assert low <= at <= high


def test_contracts_times_contract_size_are_base_units() -> None:
    assert units.base(Decimal("12"), Decimal("0.01")) == Decimal("0.12")
