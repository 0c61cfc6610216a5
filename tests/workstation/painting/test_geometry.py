"""Every size: boxes fit, do not overlap, and cover what they should."""

from __future__ import annotations

import pytest

from tui.workstation.layouts.plan import PANES, Box, Needs, plan
from tui.workstation.tickets.fields import Mode

TICKETS = (Mode.IDLE, Mode.STAGED, Mode.FORM)


@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("zoomed", [False, True])
@pytest.mark.parametrize("ticket", TICKETS)
def test_panes_tile_the_screen_without_overlap_at_every_size(ticket: Mode, zoomed: bool, step: int) -> None:
    """The default run tries other widths for each ticket."""
    first = (3 * zoomed + TICKETS.index(ticket)) % step
    for width in range(first, 240, step):
        for height in range(80):
            found = plan(width, height, Needs(ticket, zoomed))
            boxes: list[Box] = [found.status, *(area.box for area in found.areas)]
            boxes += [box for box in (found.ticket, found.event, found.keys) if box is not None]
            cells: set[tuple[int, int]] = set()
            total = 0
            for box in boxes:
                assert box.width >= 0 and box.height >= 0, (width, height, box)
                assert box.x + box.width <= width and box.y + box.height <= height, (width, height, box)
                total += box.width * box.height
                cells.update((x, y) for x in (box.x, box.x + box.width - 1) for y in range(box.y, box.y + box.height))
            if not found.tiny or found.areas:
                assert total == width * height, (width, height)
                assert {pane for area in found.areas for pane in area.panes} == set(PANES)
                assert all(area.box.height >= (3 if found.tiny else 4) for area in found.areas), (width, height)


def test_at_documented_screen_sizes_panes_have_the_expected_rows() -> None:
    """Of a desk that lists 28 pairs and 6 assets, and on which nothing was traded yet."""
    idle = Needs(wanted={"quotes": 28, "orders": 1, "positions": 1, "assets": 6, "adl": 1})
    small = plan(80, 24, idle)
    assert [area.box.height - 2 for area in small.areas] == [10, 3]
    assert small.status.height == 2 and small.ticket is not None and small.ticket.height == 3
    middle = plan(120, 36, idle)
    assert [area.box.height - 2 for area in middle.areas] == [18, 3, 3]
    assert middle.status.height == 1 and middle.ticket is not None and middle.ticket.height == 3
    wide = plan(160, 45, idle)
    assert [area.box.width for area in wide.areas] == [160] * 4, "no pane tells less than at 120 columns"
    assert [area.box.height - 2 for area in wide.areas] == [19, 3, 3, 7], "the last with the lower edge"
    large = plan(200, 60, idle)
    assert [area.box.width for area in large.areas] == [200] * 5
    assert ("adl",) in [area.panes for area in large.areas]
    assert large.areas[0].box.height - 2 >= 28
    assert {area.box.width for area in plan(250, 70, idle).areas} == {125}
