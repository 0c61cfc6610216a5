"""Every size: boxes fit, do not overlap, and cover what they should."""

from __future__ import annotations

import pytest

from tui.workstation.screens.screen_layout import PANES, Box, plan


@pytest.mark.parametrize("zoomed", [False, True])
@pytest.mark.parametrize("form", [False, True])
def test_all_sizes_tile_the_screen(form: bool, zoomed: bool) -> None:
    for width in range(0, 240, 3):
        for height in range(80):
            found = plan(width, height, form, zoomed)
            boxes: list[Box] = [found.status, *(area.box for area in found.areas)]
            boxes += [box for box in (found.ticket, found.event, found.keys) if box is not None]
            cells: set[tuple[int, int]] = set()
            total = 0
            for box in boxes:
                assert box.width >= 0 and box.height >= 0, (width, height, box)
                assert box.x + box.width <= width and box.y + box.height <= height, (width, height, box)
                total += box.width * box.height
                cells.update((x, y) for x in (box.x, box.x + box.width - 1) for y in range(box.y, box.y + box.height))
            if not found.tiny:
                assert total == width * height, (width, height)
                assert {pane for area in found.areas for pane in area.panes} == set(PANES)
                assert all(area.box.height >= 4 for area in found.areas), (width, height)


def test_the_drawn_sizes_have_the_counted_rows() -> None:
    small = plan(80, 24)
    assert [area.box.height - 2 for area in small.areas] == [5, 6]
    assert small.status.height == 2 and small.ticket is not None and small.ticket.height == 5
    middle = plan(120, 36)
    assert [area.box.height - 2 for area in middle.areas] == [9, 7, 7]
    assert middle.status.height == 1 and middle.ticket is not None and middle.ticket.height == 4
    wide = plan(160, 45)
    assert [area.box.width for area in wide.areas] == [160] * 4, "no pane tells less than at 120 columns"
    assert [area.box.height - 2 for area in wide.areas] == [11, 6, 6, 7]
    large = plan(200, 60)
    assert [area.box.width for area in large.areas] == [200] * 5
    assert ("adl",) in [area.panes for area in large.areas]
    assert {area.box.width for area in plan(250, 70).areas} == {125}
