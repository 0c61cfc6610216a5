"""Every layout at every size: rectangles without gap or overlap, nothing too small to be read, no pane lost."""

from __future__ import annotations

import random

import pytest

from tests.workstation.layouts.random_layouts import random_layout
from tui.workstation.layouts.fitting import HEAD, LIST_CELLS, VIEW_LINES
from tui.workstation.layouts.plan import LEAST_HEIGHT, LEAST_WIDTH, Box, Needs, Plan, plan
from tui.workstation.layouts.presets import LADDER, PAIR_CELLS, PRESETS, RISK, TRADE, WATCH
from tui.workstation.layouts.tree import PAIR_VIEWS, PANES, Layout, find_fault
from tui.workstation.tickets.fields import Mode

TICKET_CELLS = {Mode.IDLE: 2, Mode.STAGED: 4, Mode.FORM: 9}
"""Lines that a ticket needs at any width, title included."""


def boxes_of(shown: Plan) -> list[Box]:
    boxes = [shown.status, *(area.box for area in shown.areas)]
    return boxes + [box for box in (shown.ticket, shown.event, shown.keys) if box is not None]


def check(layout: Layout, width: int, height: int, pair: bool, mode: Mode) -> None:
    """Check all rules at one size."""
    where = layout.steps, width, height, pair, mode
    shown = plan(width, height, Needs(mode, pair=PAIR_VIEWS if pair else (), layout=layout))
    covered = [[0] * width for _ in range(height)]
    for box in boxes_of(shown):
        for y in range(box.y, box.y + box.height):
            for x in range(box.x, box.x + box.width):
                covered[y][x] += 1
    assert {count for line in covered for count in line} == {1}, where
    panes = [pane for area in shown.areas for pane in area.panes]
    assert sorted(panes) == sorted((*PANES, *(PAIR_VIEWS if pair else ()))), where
    assert shown.status.height >= 1 and (shown.keys is not None) is (height >= (6 if shown.tiny else 12)), where
    if shown.tiny:
        assert len(shown.areas) == 1 and shown.ticket is None and shown.areas[0].box.height >= 3, where
        return
    assert shown.ticket is not None and shown.ticket.height >= min(TICKET_CELLS[mode], height - 6), where
    for area in shown.areas:
        views = set(area.panes) <= set(PAIR_VIEWS)
        assert area.box.width >= min(PAIR_CELLS if views else LIST_CELLS, width), where
        assert area.box.height >= 4, where
    assert any(box.top for box in boxes_of(shown)) and any(box.bottom for box in boxes_of(shown)), where


@pytest.mark.parametrize("layout", PRESETS, ids=lambda layout: layout.name)
def test_layout_presets_fill_the_screen_at_every_size(layout: Layout) -> None:
    assert find_fault(layout) == ""
    for width in (20, 39, 40, 59, 60, 79, 80, 103, 104, 120, 144, 160, 200, 240, 300):
        for height in (5, 6, 9, 10, 11, 12, 19, 20, 22, 24, 30, 36, 45, 60, 100):
            for pair in (False, True):
                for mode in TICKET_CELLS:
                    check(layout, width, height, pair, mode)


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=() if seed < 20 else pytest.mark.nightly) for seed in range(40)]
)
def test_random_layouts_fill_the_screen_at_random_sizes(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(12):
        layout = random_layout(draw)
        assert find_fault(layout) == ""
        for _ in range(6):
            size = draw.randint(20, 300), draw.randint(5, 100)
            check(layout, *size, draw.random() < 0.5, draw.choice(list(TICKET_CELLS)))


@pytest.mark.parametrize("layout", PRESETS, ids=lambda layout: layout.name)
def test_a_higher_terminal_never_shows_fewer_panes_of_a_layout(layout: Layout) -> None:
    if layout is TRADE:
        return  # has a tree of its own for each size
    for width in (60, 80, 120, 160, 240):
        counts = [len(plan(width, height, Needs(pair=PAIR_VIEWS, layout=layout)).areas) for height in range(20, 90)]
        assert counts == sorted(counts), (layout.name, width)


@pytest.mark.parametrize("layout", [WATCH, LADDER], ids=lambda layout: layout.name)
def test_ladder_chart_and_trades_panes_keep_a_least_height(layout: Layout) -> None:
    for width in range(60, 240, 7):
        for height in range(20, 80, 3):
            shown = plan(width, height, Needs(pair=PAIR_VIEWS, layout=layout))
            heights = [area.box.height for area in shown.areas if set(area.panes) <= set(PAIR_VIEWS)]
            assert min(heights, default=99) >= HEAD + VIEW_LINES, (width, height)


def first_panes(layout: Layout, width: int, height: int, *, pair: bool = True) -> set[str]:
    shown = plan(width, height, Needs(pair=PAIR_VIEWS if pair else (), layout=layout))
    return {area.panes[0] for area in shown.areas}


def test_each_preset_layout_shows_the_panes_of_its_name() -> None:
    assert first_panes(TRADE, 160, 45, pair=False) == {"quotes", "orders", "positions", "assets"}
    assert first_panes(WATCH, 160, 45) == {"quotes", "orders", "trades"}
    assert first_panes(RISK, 160, 45, pair=False) == {"positions", "orders", "risk", "assets", "adl", "quotes"}
    assert first_panes(LADDER, 160, 45) == {"ladder", "chart", "orders", "positions"}


def test_the_smallest_terminals_show_a_single_pane() -> None:
    for layout in PRESETS:
        for width in range(20, 60):
            for height in range(5, 20):
                assert len(plan(width, height, Needs(pair=PAIR_VIEWS, layout=layout)).areas) == 1
    assert plan(LEAST_WIDTH - 1, 30).tiny and plan(100, LEAST_HEIGHT - 1).tiny
    assert not plan(LEAST_WIDTH, LEAST_HEIGHT).tiny
