"""A drawn curve: every point stands where it belongs, gaps stay empty, and it looks as in the kept pictures."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workstation.chart import pictures
from tests.workstation.chart.samples import LOOK, MINUTE, texts, walk_curve
from tui.workstation.widgets.candles.curve_chart import CurveChart, Point

HALF = 0.5 + 1e-6


def is_dotted(character: str) -> bool:
    return "\u2800" < character <= "\u28ff"


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(st.integers(0, 1440), st.integers(-500_000, 500_000), min_size=1, max_size=60),
    st.integers(30, 160),
    st.integers(4, 30),
    st.booleans(),
)
def test_a_curve_draws_each_point_within_half_a_row_of_its_place(
    values: dict[int, int], cells: int, rows: int, based: bool
) -> None:
    points = [Point(at * MINUTE, value / 100) for at, value in sorted(values.items())]
    chart = CurveChart(points, (0, 1440 * MINUTE), 2 * MINUTE, cells, rows, LOOK, 0.0 if based else None)
    lines = texts(chart)
    assert [len(line) for line in lines] == [cells] * rows
    for point in points:
        column = [line[int(chart.column(point.at))] for line in lines[:-1]]
        drawn = [row for row, character in enumerate(column) if is_dotted(character)]
        assert any(abs(row + 0.5 - chart.scale.place(point.value)) <= HALF for row in drawn)
    newest = LOOK.price_text(points[-1].value)
    (row,) = [row for row, line in enumerate(lines[:-1]) if "◂" in line]
    assert lines[row].rstrip().endswith(f"◂{newest}") and abs(row + 0.5 - chart.scale.place(points[-1].value)) <= HALF


def test_a_gap_between_samples_leaves_the_curve_empty() -> None:
    points = [Point(at * MINUTE, float(at)) for at in (*range(40), *range(80, 120))]
    chart = CurveChart(points, (0, 120 * MINUTE), 2 * MINUTE, 70, 12, LOOK)
    first, last = int(chart.column(39 * MINUTE)) + 1, int(chart.column(80 * MINUTE))
    assert last - first > 10
    assert not any(is_dotted(character) for line in texts(chart)[:-1] for character in line[first:last])
    joined = CurveChart(points, (0, 120 * MINUTE), 0, 70, 12, LOOK)
    assert all(any(is_dotted(line[x]) for line in texts(joined)[:-1]) for x in range(first, last))


@pytest.mark.parametrize(("cells", "rows"), ((5, 2), (30, 4), (200, 3), (31, 60)))
def test_a_curve_drawn_at_any_size_fills_that_size_exactly(cells: int, rows: int) -> None:
    for points in ([], walk_curve()[:1], walk_curve()):
        chart = CurveChart(points, (0, 1440 * MINUTE), 0, cells, rows, LOOK, 0.0)
        assert [len(line) for line in texts(chart)] == [cells] * max(rows, 2)


def test_curves_equal_the_stored_reference_pictures() -> None:
    """`python -m tests.workstation.chart.pictures --write` writes them."""
    names = [name for name, _ in pictures.draw_curves()]
    assert len(names) == 6
    for name, text in pictures.draw_curves():
        assert (pictures.FOLDER / name).read_text("utf-8") == text, name
