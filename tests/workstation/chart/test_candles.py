"""Drawn candles: every price stands where it belongs, and a new price repaints only what it changes."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.workstation.chart import pictures
from tests.workstation.chart.samples import LOOK, MINUTE, make_scene, texts, walk_bars
from tui.workstation.widgets.candles.chart import CandleChart
from tui.workstation.widgets.candles.inputs import Bar, Crosshair, Curve, Level, Look, Scene, Sign
from tui.workstation.widgets.candles.labels import spread

BODY = set("█▀▄┃╹╻╿╽")
CANDLE = BODY | set("│╵╷")
HALF = 0.5 + 1e-6
"""Half a row, and what binary fractions may miss it by."""


def roles_of(line: list[tuple[str, str]]) -> list[str]:
    return [role for text, role in line for _ in text]


def off(chart: CandleChart, row: int, price: float) -> float:
    """Rows between the middle of a row and the true place of a price."""
    return abs(row + 0.5 - (chart.scale.top - price) / chart.scale.per_row)


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """Scenes on a tick of 0.1, with gaps, quiet bars and wild ones."""
    ticks = st.integers(-200, 200)
    price, start, bars = draw(st.integers(1_000, 900_000)), 0, []
    for _ in range(draw(st.integers(1, 25))):
        start += MINUTE * draw(st.sampled_from((1, 1, 1, 2, 3, 40)))
        opened, closed = price + draw(ticks), price + draw(ticks)
        high, low = max(opened, closed) + abs(draw(ticks)), min(opened, closed) - abs(draw(ticks))
        bars.append(Bar(start, opened / 10, high / 10, low / 10, closed / 10, draw(st.integers(0, 50)) / 10))
        price = max(closed, 500)
    near = st.integers(price - 300, price + 300)
    levels = [Level(draw(near) / 10, f"L{at}", "buy", "═") for at in range(draw(st.integers(0, 4)))]
    signs = [Sign(bar.start + 1, (bar.open + bar.close) / 2, "▲", "sign") for bar in bars[-3:]]
    return Scene(bars, MINUTE, levels, signs)


@settings(max_examples=150, deadline=None)
@example(
    Scene(
        [Bar(60000, 99.9, 99.9, 99.7, 99.9, 0.0)], 60000,
        [Level(69.9, "L0", "buy", "═", widens=True), Level(69.9, "L1", "buy", "═", widens=True)],
    ),
    24, 6, 1,
)  # fmt: skip
@given(scenes(), st.integers(24, 90), st.integers(6, 40), st.integers(1, 4))
def test_a_chart_draws_each_price_within_half_a_row_of_its_place(
    scene: Scene, cells: int, rows: int, bar_cells: int
) -> None:
    chart = CandleChart(scene._replace(signs=()), cells, rows, LOOK._replace(bar_cells=bar_cells))
    lines = texts(chart)[: chart.price_rows]
    middle = (max(1, bar_cells - 1) - 1) // 2
    for bar, x in zip(chart.times.bars, chart.times.columns, strict=True):
        column = [line[x + middle] for line in lines]
        role = LOOK.rising if bar.rises else LOOK.falling
        drawn = [
            row
            for row, character in enumerate(column)
            if character in CANDLE and roles_of(chart.lines[row])[x + middle] == role
        ]
        bodies = [row for row in drawn if column[row] in BODY]
        assert drawn == list(range(drawn[0], drawn[-1] + 1)) and bodies == list(range(bodies[0], bodies[-1] + 1))
        assert off(chart, drawn[0], bar.high) <= HALF and off(chart, drawn[-1], bar.low) <= HALF
        assert off(chart, bodies[0], max(bar.open, bar.close)) <= HALF
        assert off(chart, bodies[-1], min(bar.open, bar.close)) <= HALF
    check_marks(CandleChart(scene, cells, rows, LOOK._replace(bar_cells=bar_cells)))


def check_marks(chart: CandleChart) -> None:
    """Levels, signs, the last price and the prices of the axis stand in the rows of their prices."""
    lines = texts(chart)
    by_label = {level.label: level.price for level in chart.scene.levels}
    by_label[chart.look.price_text(chart.scene.bars[-1].close)] = chart.scene.bars[-1].close
    shown = 0
    for row, line in enumerate(lines[: chart.price_rows]):
        edge, label = line[chart.plot_cells], line[chart.plot_cells + 1 :].strip()
        if edge == "┤":
            assert off(chart, row, float(label.replace(",", ""))) <= HALF
        elif label[:1] in ("◂", "↑", "↓", "└", "┌"):
            # In a narrow margin the number of further levels at the price is cut.
            price = by_label[label[1:].removesuffix(" …").partition(" +")[0]]
            shown += 1
            place = chart.scale.place(price)
            assert (label[0] == "◂") <= (off(chart, row, price) <= HALF)
            assert (label[0] == "└") <= (place < row) and (label[0] == "┌") <= (place > row)
            assert (label[0] in "↑↓") <= (row not in chart.inside)
            assert (label[0] == "↑") <= (place < chart.inside.start) and (label[0] == "↓") <= (
                place >= chart.inside.stop
            )
    inside = [level for level in chart.scene.levels if chart.scale.row(level.price) in chart.inside]
    assert shown >= min(len(inside) + 1, len(chart.inside))
    for level in chart.scene.levels:
        row = math.floor((chart.scale.top - level.price) / chart.scale.per_row)
        if row in chart.inside and row != chart.scale.row(chart.scene.bars[-1].close):
            assert "buy" in roles_of(chart.lines[row])[: chart.plot_cells] or " " not in lines[row][: chart.plot_cells]
    visible = [sign for sign in chart.scene.signs if sign.at - 1 in chart.times.starts]
    rows = [row for row, line in enumerate(chart.lines) if "sign" in roles_of(line)]
    assert all(any(off(chart, row, sign.price) <= HALF for row in rows) for sign in visible)


@pytest.mark.parametrize(("rows", "volume"), [(9, True), (20, True), (20, False), (40, True)])
def test_price_levels_off_the_chart_are_listed_at_its_edges(rows: int, volume: bool) -> None:
    """They stood among the others, with the arrow of a label that was moved by a row."""
    bars = [bar if volume else bar._replace(volume=0.0) for bar in walk_bars(50)]
    low, high = min(bar.low for bar in bars), max(bar.high for bar in bars)
    levels = [
        Level(1.0, "liq 1.0", "alert"), Level(900_000.0, "TP 900,000.0", "good"), Level(low, "SL low", "warn"),
        Level(high, "sell 0.3", "sell"), Level(high * 2, "sell 0.1", "sell", far=f"sell {high * 2:,.1f} 0.1"),
    ]  # fmt: skip
    chart = CandleChart(Scene(bars, MINUTE, levels), 60, rows, LOOK)
    labels = [line[chart.plot_cells + 1 :].strip() for line in texts(chart)]
    (liq,) = [row for row, label in enumerate(labels) if label == "↓liq 1.0"]
    own = [row for row, label in enumerate(labels) if label[:1] in "◂└┌" and label]
    assert liq > max(own) and min(own) > max(row for row, label in enumerate(labels) if label[:1] == "↑")
    assert "◂sell 0.3" in labels and "◂SL low" in labels
    told = [label for label in labels if label[:1] == "↑"]
    assert told[-1].endswith("+1") if len(told) == 1 else told == ["↑TP 900,000.0", f"↑sell {high * 2:,.1f} 0.1"]


def test_chart_labels_of_one_price_stand_apart_and_point_to_it() -> None:
    bars = walk_bars(50)
    scene = Scene(bars, MINUTE, [Level(bars[-1].close, name, "buy") for name in ("one", "two", "three")])
    labels = [line[-12:].strip() for line in texts(CandleChart(scene, 60, 20, LOOK))]
    rows = [next(row for row, label in enumerate(labels) if label.endswith(name)) for name in ("one", "two", "three")]
    assert len(set(rows)) == 3 and max(rows) - min(rows) <= 3
    assert sum("◂" in label for label in labels) == 1 and any("└" in label or "┌" in label for label in labels)


def test_an_own_order_at_the_last_price_puts_a_dot_on_its_line() -> None:
    """Its line was that of the last price alone."""
    bars = walk_bars(50)
    chart = CandleChart(Scene(bars, MINUTE, [Level(bars[-1].close, "buy 1", "buy")]), 60, 20, LOOK)
    row = chart.scale.row(bars[-1].close)
    line = chart.lines[row]
    assert ("•", "buy") in line and any("╌" in text and role in ("up", "down") for text, role in line)
    moved = bars[-1].close + chart.scale.per_row * 2
    assert row in (chart.follow_last(moved) or ()) and ("•", "buy") not in chart.lines[row]


@given(st.lists(st.integers(0, 19), max_size=20), st.integers(0, 30))
def test_chart_labels_moved_apart_keep_order_and_stay_inside(rows: list[int], more: int) -> None:
    wanted, count = sorted(rows), 20 + more
    placed = spread(wanted, count)
    assert all(upper < lower for upper, lower in pairwise(placed)) and all(0 <= row < count for row in placed)
    if len(set(wanted)) == len(wanted):
        assert placed == wanted


def test_the_last_price_label_keeps_its_row_among_order_labels() -> None:
    bars = walk_bars(50)
    levels = [Level(bars[-1].close + at / 10, f"order {at}", "buy") for at in range(1, 6)]
    chart = CandleChart(Scene(bars, MINUTE, levels), 60, 30, LOOK)
    row = chart.scale.row(bars[-1].close)
    assert f"◂{LOOK.price_text(bars[-1].close)}" in texts(chart)[row]


def test_a_gap_in_time_of_a_chart_has_neither_candle_nor_curve() -> None:
    bars = walk_bars(60, missing=range(30, 32))
    scene = Scene(bars, MINUTE, curves=[Curve([(bar.start, bar.close) for bar in bars], "pending")])
    chart = CandleChart(scene, 80, 24, LOOK)
    (x,) = [right - 2 for left, right in pairwise(chart.times.columns) if right - left == 3]
    for line in texts(chart)[: chart.price_rows]:
        assert not (set(line[x : x + 2]) & CANDLE)
        assert not any("⠀" <= character <= "⣿" for character in line[x : x + 2])


def test_a_long_gap_is_shortened_and_marked() -> None:
    scene = Scene(walk_bars(100, closed_ms=3_600_000), MINUTE)
    chart = CandleChart(scene, 90, 20, LOOK)
    assert all(line[chart.times.gaps[0]] in "┊╌" for line in texts(chart)[: chart.price_rows])
    assert len(chart.times.bars) > 60


@pytest.mark.parametrize("bar_cells", (1, 2, 3))
def test_a_chart_repainted_for_a_changed_bar_equals_a_new_chart(bar_cells: int) -> None:
    scene, look = make_scene(), LOOK._replace(bar_cells=bar_cells)
    chart = CandleChart(scene, 100, 30, look)
    for step in range(-4, 5):
        newest = scene.bars[-1]
        close = newest.close + step / 10
        bar = newest._replace(close=close, high=max(newest.high, close), low=min(newest.low, close))
        before = [list(line) for line in chart.lines]
        changed = chart.follow(bar)
        assert changed is not None and len(changed) <= 8
        assert chart.lines == CandleChart(scene._replace(bars=[*scene.bars[:-1], bar]), 100, 30, look).lines
        assert [row for row in range(30) if chart.lines[row] != before[row]] == changed


@settings(max_examples=100, deadline=None)
@given(scenes(), st.integers(24, 90), st.integers(6, 40), st.lists(st.integers(-400, 400), min_size=1, max_size=5))
def test_a_chart_repainted_for_a_last_price_equals_a_new_chart(
    scene: Scene, cells: int, rows: int, ticks: list[int]
) -> None:
    chart = CandleChart(scene, cells, rows, LOOK)
    for tick in ticks:
        last = max(scene.bars[-1].close + tick / 10, 0.1)
        before = [list(line) for line in chart.lines]
        changed = chart.follow_last(last)
        anew = CandleChart(scene._replace(last=last), cells, rows, LOOK)
        if changed is None:
            chart = anew
        else:
            assert chart.lines == anew.lines
            assert [row for row in range(rows) if chart.lines[row] != before[row]] == changed
        if chart.scale.contains(last) and not scene.levels:
            labelled = [row for row, line in enumerate(texts(chart)) if f"◂{LOOK.price_text(last)}" in line]
            assert any(off(chart, row, last) <= HALF for row in labelled)


@pytest.mark.parametrize("last", [1000.0, 1010.0])
def test_a_last_price_with_one_more_digit_is_uncut_on_the_chart(last: float) -> None:
    """Beside bars below 1,000 it stood as `1,00…`."""
    bars = [Bar(MINUTE * at, 900 + 9 * at, 909 + 9 * at, 900 + 9 * at, 909 + 9 * at) for at in range(10)]
    chart = CandleChart(Scene(bars, MINUTE), 24, 6, LOOK)
    assert chart.follow_last(990.1) is not None
    assert chart.scale.contains(last) is (last == 1000)
    assert chart.follow_last(last) is None, "the margin may have to be wider"
    anew = CandleChart(Scene(bars, MINUTE, last=last), 24, 6, LOOK)
    assert f"{'◂' if anew.scale.contains(last) else '↑'}1,{last - 1000:05.1f}" in texts(anew)[0]


@pytest.mark.parametrize("bar_cells", (1, 2, 4))
def test_a_chart_repainted_for_trade_marks_equals_a_new_chart(bar_cells: int) -> None:
    scene, look = make_scene(), LOOK._replace(bar_cells=bar_cells)
    chart, own = CandleChart(scene, 100, 30, look), scene.signs
    prints: list[Sign] = []
    for back in (1, 1, 20, 12, 3, 300):
        bar = scene.bars[-min(back, len(scene.bars))]
        prints = [*prints, Sign(bar.start + 1_000 * len(prints), bar.close, "▵", "buy")][-4:]
        before = [list(line) for line in chart.lines]
        changed = chart.follow_signs([*prints, *own])
        assert changed is not None
        assert chart.lines == CandleChart(scene._replace(signs=[*prints, *own]), 100, 30, look).lines
        assert [row for row in range(30) if chart.lines[row] != before[row]] == changed
    assert chart.follow_signs([Sign(bar.start, bar.low, "▿", "sell") for bar in scene.bars]) is None


def test_on_the_chart_an_own_fill_covers_a_trade_at_its_place() -> None:
    scene = make_scene()
    fill = next(sign for sign in scene.signs if sign.character == "▲")
    chart = CandleChart(scene._replace(signs=[fill._replace(character="▵", role="buy"), fill]), 100, 30, LOOK)
    assert not any("▵" in line for line in texts(chart)) and any("▲" in line for line in texts(chart))


def test_a_change_of_scale_repaints_the_whole_chart() -> None:
    scene = make_scene()
    chart = CandleChart(scene, 100, 30, LOOK)
    newest = scene.bars[-1]
    assert chart.follow(newest._replace(high=newest.high * 2)) is None
    assert chart.follow(newest._replace(start=newest.start + MINUTE)) is None
    assert chart.follow(newest._replace(volume=1e9)) is None


def test_the_crosshair_marks_its_bar_its_price_and_its_time() -> None:
    scene = make_scene(crosshair=True)
    assert scene.crosshair is not None
    chart = CandleChart(scene, 100, 30, LOOK)
    row = chart.scale.row(scene.crosshair.price)
    assert f" {scene.crosshair.label}" in texts(chart)[row]
    assert roles_of(chart.lines[row]).count("caret") > len(scene.crosshair.label)
    assert chart.lines[-1][1][1] == "caret"
    before = [list(line) for line in chart.lines]
    chart.move_crosshair(Crosshair(scene.bars[-16].start, scene.crosshair.price, scene.crosshair.label))
    assert chart.lines != before
    chart.move_crosshair(scene.crosshair)
    assert chart.lines == before


def test_rising_and_falling_bars_differ_in_shape() -> None:
    for closes, shapes in (((1.0, 9.0), "┃╹╻╿╽"), ((9.0, 1.0), "█▀▄")):
        bar = Bar(0, closes[0], 10.0, 0.0, closes[1])
        chart = CandleChart(Scene([bar], MINUTE), 40, 20, Look())
        column = {line[chart.times.columns[0]] for line in texts(chart)}
        assert column & BODY <= set(shapes) and column & BODY


@pytest.mark.parametrize(("cells", "rows"), ((1, 1), (3, 2), (10, 4), (23, 5), (24, 8), (400, 3), (30, 120)))
def test_a_chart_drawn_at_any_size_fills_that_size_exactly(cells: int, rows: int) -> None:
    for scene in (make_scene(), make_scene(crosshair=True), Scene([], MINUTE), Scene(walk_bars(1), 0)):
        lines = CandleChart(scene, cells, rows, LOOK).lines
        assert [sum(len(text) for text, _ in line) for line in lines] == [cells] * rows


def test_charts_equal_the_stored_reference_pictures() -> None:
    """`python -m tests.workstation.chart.pictures --write` writes them."""
    drawn = dict(pictures.draw_pictures())
    kept = {path.name for path in pictures.FOLDER.glob("*.txt")}
    assert kept - {name for name, _ in pictures.draw_curves()} == drawn.keys()
    for name, text in drawn.items():
        assert (pictures.FOLDER / name).read_text("utf-8") == text, name


@pytest.mark.parametrize("rows", [9, 14, 20])
def test_no_level_line_ends_at_the_chart_label_of_another_level(rows: int) -> None:
    bars = walk_bars(50)
    low = min(bar.low for bar in bars)
    levels = [
        Level(low - 900 - at, f"buy {at}", "buy", "╌", widens=False) for at in range(3)
    ] + [Level(low - 0.5, "SL here", "warn", "┈"), Level(low - 0.6, "b/e", "accent", "┄")]  # fmt: skip
    chart = CandleChart(Scene(bars, MINUTE, levels), 60, rows, LOOK)
    [line] = [line for line in texts(chart) if "SL here" in line]
    assert "◂SL here" in line and "┈" in line
    beside = [line for line in texts(chart) if "┈" in line or "┄" in line]
    assert not [line for line in beside if "↑" in line or "↓" in line]


def test_a_chart_label_keeps_its_figures_or_ends_in_an_ellipsis() -> None:
    bars = walk_bars(50)
    levels = [Level(bars[-1].close, "alert 61,920.0", "warn"), Level(bars[-1].close, "UNK buy 1,234.5678", "unknown")]
    lines = texts(CandleChart(Scene(bars, MINUTE, levels), 40, 20, LOOK))
    assert [line for line in lines if "alert 61,920.0" in line] and [
        line for line in lines if "UNK buy 1,23" in line and "…" in line
    ]
