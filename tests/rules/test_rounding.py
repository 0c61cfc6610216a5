"""What is off its step is said in one way, with what would be accepted."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tui.rules.rounding import check_step


@pytest.mark.parametrize(
    ("name", "value", "step", "said"),
    [
        ("Price", "60000.05", "0.1", "Price 60000.05 must be a multiple of 0.1 (nearest 60000 or 60000.1)"),
        ("Size", "0.0004", "0.001", "Size 0.0004 must be a multiple of 0.001 (nearest 0.001)"),
        ("", "59000.05", "0.1", "59000.05 must be a multiple of 0.1 (nearest 59000 or 59000.1)"),
        ("Price", "60000.1", "0.1", ""),
        ("Size", "1.5", None, ""),
    ],
)
def test_a_number_off_its_step_shows_both_neighbours(name: str, value: str, step: str | None, said: str) -> None:
    assert check_step(name, Decimal(value), Decimal(step) if step else None) == said
