"""Axis of the ladder: no key moves a price under the cursor, and the window moves by whole pages."""

from __future__ import annotations

import random
from decimal import Decimal

import pytest

from tui.workstation.features.ladder.axis import GROUPS, Axis, choose_group


def axis(lines: int = 20, price: str = "61785.6", tick: str = "0.1") -> Axis:
    made = Axis(Decimal(tick))
    made.resize(lines)
    made.place(made.ticks_of(Decimal(price)))
    made.group = 1
    made.centre(made.cursor or 0)
    return made


def test_a_ladder_cursor_inside_the_window_moves_no_row() -> None:
    made = axis()
    rows = made.rows
    made.move(3)
    assert (made.price_of(made.cursor or 0), made.rows) == (Decimal("61785.9"), rows)


@pytest.mark.parametrize("rows", [15, -15, 400, -400])
def test_the_ladder_window_moves_by_whole_pages_after_the_cursor(rows: int) -> None:
    made = axis()
    top = made.top
    made.move(rows)
    assert made.top is not None and top is not None and (made.top - top) % made.lines == 0
    assert made.holds(made.row_of(made.cursor or 0))


def test_a_resize_keeps_the_ladder_cursor_in_the_window() -> None:
    made = axis(40)
    made.move(-18)
    price = made.cursor
    for lines in (10, 3, 1, 50, 0, 20):
        made.resize(lines)
        assert made.cursor == price and (not lines or made.holds(made.row_of(price or 0)))


@pytest.mark.parametrize("group", GROUPS)
def test_orders_in_a_grouped_ladder_row_take_the_passive_end(group: int) -> None:
    made = axis()
    made.group = group
    row = made.row_of(made.cursor or 0)
    low, high = made.range_of(row)
    assert (made.edge(row, buys=True), made.edge(row, buys=False)) == (low, high)
    assert high - low == group - 1 and made.row_of(low) == made.row_of(high) == row


def test_regrouping_the_ladder_keeps_the_cursor_price_and_line() -> None:
    made = axis()
    made.move(4)
    price, line = made.cursor, (made.top or 0) - made.row_of(made.cursor or 0)
    for steps in (1, 1, 1, -1, 1, 1, 1, 1, -1, -1, -1, -1, -1):
        made.regroup(steps)
        assert made.cursor == price and (made.top or 0) - made.row_of(price or 0) == line
    assert made.group == 1


def test_random_ladder_moves_keep_the_cursor_in_the_window() -> None:
    random_source = random.Random(35)
    made = axis()
    for _ in range(5_000):
        match random_source.randrange(4):
            case 0:
                made.move(random_source.choice((-10, -1, 1, 10)))
            case 1:
                made.resize(random_source.randrange(1, 60))
            case 2:
                made.regroup(random_source.choice((-1, 1)))
            case _:
                made.go_to((made.cursor or 0) + random_source.randrange(-500, 500))
        assert made.holds(made.row_of(made.cursor or 0)) and (made.cursor or 0) >= 0


def test_the_first_grouping_of_a_ladder_fits_price_tick_and_rows() -> None:
    assert choose_group(Decimal(61785), Decimal("0.1"), 30) == 25
    assert choose_group(Decimal("2.5"), Decimal("0.1"), 30) == 1
    assert choose_group(Decimal(61785), Decimal("0.01"), 10) == 100
