"""Which box has the focus: its whole frame stands in the accent, and the lowest line names it."""

from __future__ import annotations

import pytest
from rich.style import Style
from textual.geometry import Region

from tests.workstation.driver import Desk, desk
from tui.engine.event_line import EventLine, Level
from tui.workstation.input.scopes import Scope

SIZES = ((80, 24), (120, 36), (160, 45), (200, 60), (250, 60))


def edges(lines: list[str], region: Region) -> list[tuple[int, int]]:
    """Cells of the four edges of a box, one or two of each; of a box that others stand under, the edge they share."""
    last = region.bottom - 1 if lines[region.bottom - 1][region.x] in "└┕" else region.bottom
    middle = [region.y + 2, min(last, region.bottom) - 1]
    sides = [(x, y) for x in (region.x, region.right - 1) for y in middle]
    corners = [(x, y) for x in (region.x, region.right - 1) for y in (region.y, last)]
    return [(x, y) for x, y in (*sides, *corners) if lines[y][x] not in "▸▹›"]


def framed(at: Desk, *places: str) -> dict[str, set[bool]]:
    """Of each box, whether cells of its edges stand in the accent."""
    screen, accent = at.app.main_screen, at.app.palette.style("accent").color
    strips = screen._compositor.render_strips()
    lines = ["".join(segment.text for segment in strip) for strip in strips]
    styles = [[segment.style or Style() for segment in strip for _ in range(segment.cell_length)] for strip in strips]
    regions = {place: (screen.panel if place == "ticket" else screen.tables[place]).region for place in places}
    return {place: {styles[y][x].color == accent for x, y in edges(lines, region)} for place, region in regions.items()}


@pytest.mark.parametrize(("width", "height"), SIZES)
async def test_the_focused_pane_has_a_highlighted_frame(width: int, height: int) -> None:
    async with desk(width, height) as at:
        names = {"1": "quotes", "2": "orders", "3": "positions", "4": "assets"}
        for key, pane in names.items():
            await at.press(key)
            await at.settle()
            others = [other for other in names.values() if other != pane and at.app.main_screen.tables[other].display]
            found = framed(at, pane, *others)
            assert found[pane] == {True}, pane
            footer = at.text().split("\n")[-1]
            assert footer.startswith(f" {pane.title()}  "), footer
            assert all(False in found[other] for other in others), others
        await at.press("1", "b")
        await at.settle()
        assert framed(at, "ticket") == {"ticket": {True}}
        assert at.text().split("\n")[-1].startswith(" Ticket  ")
        await at.press("escape")
        await at.settle()
        found = framed(at, "quotes", "ticket")
        assert found["quotes"] == {True} and False in found["ticket"]


async def test_footer_says_filter_while_a_filter_is_typed() -> None:
    async with desk(120, 36) as at:
        await at.press("/")
        await at.settle()
        assert at.text().split("\n")[-1].startswith(" Filter  ")


@pytest.mark.parametrize(
    ("keys", "name"),
    [(("2", "enter"), "Order"), (("2", "#"), "Timeline"), (("!",), "Warnings")],
)
async def test_footer_names_the_kind_of_the_open_box(keys: tuple[str, ...], name: str) -> None:
    """Each of them was called help."""
    async with desk(120, 36) as at:
        at.port.updates.put_event(EventLine(wall_ms=1, level=Level.ALERT, text="set aside", sticky=True))
        await at.settle()
        await at.press(*keys)
        await at.settle()
        assert at.scope() is Scope.HELP
        assert at.text().split("\n")[-1].startswith(f" {name}  "), at.text()


async def test_moving_the_focus_reformats_no_cell() -> None:
    """Only the bars of the frame are others; that costs no figures."""
    async with desk(160, 45) as at:
        await at.press("2")
        await at.settle()
        made = at.app.main_screen.tables["quotes"].rows.cells_formatted
        await at.press("1")
        await at.settle()
        assert at.app.main_screen.tables["quotes"].rows.cells_formatted == made
