"""The break-even price that is shown: closing there never loses, and one tick nearer to the entry does."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.rules import pnl
from tui.rules.rounding import nearest_tick, round_break_even

TICKS = [Decimal(text) for text in ("0.00001", "0.01", "0.05", "0.1", "0.5", "1", "2.5")]


def figures(low: str, high: str, places: int) -> st.SearchStrategy[Decimal]:
    return st.decimals(Decimal(low), Decimal(high), places=places)


@given(
    sign=st.sampled_from([1, -1]),
    entry=figures("20", "100000", 6),
    base=figures("0.001", "1000", 3),
    costs=st.tuples(*[figures("0", "0.002", 6)] * 2, figures("-0.002", "0.002", 6)),
    taker=figures("0", "0.001", 6),
    tick=st.sampled_from(TICKS),
)
def test_the_shown_break_even_is_the_first_tick_without_a_loss(
    sign: int, entry: Decimal, base: Decimal, costs: tuple[Decimal, Decimal, Decimal], taker: Decimal, tick: Decimal
) -> None:
    fees, rebates, funding = (share * entry * base for share in costs)
    exact = pnl.break_even(sign, entry, base, fees=fees, rebates=rebates, funding_received=funding, taker=taker)
    shown = round_break_even(exact, tick, sign)

    def result(price: Decimal) -> Decimal:
        # Less than the last of 50 digits is the rounding of this sum itself.
        gross = pnl.exit_result(sign, base, entry, price, taker)
        return round(pnl.net_result(gross, fee=fees, rebate=rebates, funding=funding), 30)

    assert not shown % tick
    assert result(shown) >= 0 > result(shown - sign * tick)


@pytest.mark.parametrize(
    ("exact", "tick", "long", "short"),
    [
        ("154.625", "0.01", "154.63", "154.62"),
        ("154.62", "0.01", "154.62", "154.62"),
        ("100.2", "0.5", "100.5", "100.0"),
        ("100.2", None, "100.2", "100.2"),
    ],
)
def test_break_even_is_rounded_against_the_trader(exact: str, tick: str | None, long: str, short: str) -> None:
    step = Decimal(tick) if tick else None
    assert [round_break_even(Decimal(exact), step, sign) for sign in (1, -1)] == [Decimal(long), Decimal(short)]


@pytest.mark.parametrize(("price", "tick", "shown"), [("0.5", "1", "1"), ("100.24", "0.5", "100"), ("7", "0.1", "7")])
def test_a_computed_price_is_rounded_to_the_nearest_tick(price: str, tick: str, shown: str) -> None:
    assert nearest_tick(Decimal(price), Decimal(tick)) == Decimal(shown)
