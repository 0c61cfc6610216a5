"""Where a box opens: beside what it concerns, bid and ask of its pair in sight, at every size."""

from __future__ import annotations

import pytest
from textual.geometry import Region, Size

from tests.workstation.driver import Desk, desk
from tests.workstation.ladder.ladder import open_ladder, stand
from tui.workstation.render.placement import Lines, Surroundings, place_box
from tui.workstation.widgets.list_modal import BoxModal
from tui.workstation.widgets.prompts import GAP, PromptScreen
from tui.workstation.widgets.question import Beside

SIZES = ((80, 24), (120, 36), (160, 45), (200, 60), (60, 20), (40, 12))


def row(y: int, x: int = 0, width: int = 120) -> Region:
    return Region(x, y, width, 1)


def beside(subject: Region | None = None, touch: Region | None = None, kept: int = 0) -> Surroundings:
    return Surroundings(status=1, foot=2, kept=kept, subject=subject, touch=touch)


@pytest.mark.parametrize(
    ("width", "lines", "around", "place"),
    [
        pytest.param(66, Lines(12, 12, 6), beside(row(4), row(4)), (54, 5, 66, 12), id="below"),
        pytest.param(66, Lines(12, 12, 6), beside(row(30), row(4)), (54, 18, 66, 12), id="above"),
        pytest.param(66, Lines(12, 12, 6), beside(row(16), row(20)), (54, 4, 66, 12), id="touch"),
        pytest.param(66, Lines(18, 18, 6), beside(row(16), row(16)), (54, 17, 66, 18), id="foot"),
        pytest.param(66, Lines(18, 18, 6), beside(row(16), row(16), kept=2), (54, 17, 66, 17), id="kept foot"),
        pytest.param(66, Lines(18, 18, 6), beside(row(18), row(18), kept=2), (54, 1, 66, 17), id="kept foot, above"),
        pytest.param(66, Lines(30, 30, 6), beside(row(8), row(8)), (54, 9, 66, 27), id="lower"),
        pytest.param(66, Lines(30, 30, 30), beside(row(8), row(8)), (54, 1, 66, 30), id="over"),
        pytest.param(66, Lines(12, 12, 6), Surroundings(status=2, subject=Region(0, 0, 120, 2)), (54, 2, 66, 12), id="top"),
        pytest.param(60, Lines(12, 12, 6), beside(), (30, 8, 60, 12), id="middle"),
        pytest.param(60, Lines(12, 12, 6), beside(None, row(9)), (30, 10, 60, 12), id="middle, touch"),
        pytest.param(200, Lines(60, 60, 6), beside(), (0, 1, 120, 35), id="larger than the screen"),
        pytest.param(66, Lines(12, 9, 6), beside(row(12)), (54, 13, 66, 12), id="room to grow"),
        pytest.param(66, Lines(22, 18, 6), beside(row(15)), (54, 16, 66, 18), id="no room to grow"),
        pytest.param(
            40, Lines(12, 12, 6), beside(row(4, 0, 60), row(4, 0, 60)), (20, 5, 40, 12),
            id="left column",
        ),
        pytest.param(
            40, Lines(33, 33, 6), beside(row(4, 60, 60), row(4, 0, 60)), (80, 1, 40, 33),
            id="beside the column of the touch",
        ),
    ],
)  # fmt: skip
def test_a_dialog_opens_beside_its_row_and_keeps_quotes_visible(
    width: int, lines: Lines, around: Surroundings, place: tuple[int, int, int, int]
) -> None:
    assert place_box(Size(120, 36), width, lines, around) == Region(*place)


def test_a_dialog_that_grows_by_a_line_does_not_change_sides() -> None:
    screen, around = Size(80, 24), beside(row(12, 0, 80))
    small = place_box(screen, 66, Lines(12, 10, 6), around)
    assert small.bottom == 12
    assert place_box(screen, 66, Lines(12, 11, 6), around, small).y < 12
    assert place_box(screen, 66, Lines(40, 40, 6), around, small).height == 23


def test_every_dialog_position_is_on_screen_and_covers_no_quote() -> None:
    for width, height in SIZES:
        for touch in range(2, height - 3, 2):
            for subject in range(2, height - 1, 3):
                for lines in (1, 6, 12, 30):
                    around = beside(row(subject, 0, width), row(touch, 0, width))
                    region = place_box(Size(width, height), 66, Lines(lines, lines, min(lines, 4)), around)
                    assert Region(0, 0, width, height).contains_region(region), (width, height, region)
                    assert not region.overlaps(row(touch, 0, width)), (width, height, touch, subject, lines)
                    assert region.height == min(lines, region.height) > 0


OPENED = {
    "protection of a quote": ("1", "p"),
    "protection of a position": ("3", "p"),
    "protection of the last position": ("3", "G", "p"),
    "leverage": ("1", "j", "l"),
    "leverage of a position": ("3", "l"),
    "position mode": ("1", "j", "L"),
    "columns": ("1", "j", "|"),
    "cancel several orders": ("2", "j", "j", "C"),
    "kill": ("1", "j", "X"),
    "kill over a ticket": ("1", "j", "b", "X"),
    "quit": ("1", "j", "j", "ctrl+q"),
    "flatten": ("3", "F"),
    "palette": ("1", "j", "ctrl+p"),
    "risk mode": ("1", "j", "ctrl+t"),
    "card of a position": ("3", "enter"),
}


def touch_line(at: Desk) -> int | None:
    """The line with bid and ask of the pair that is looked at."""
    region = at.app.main_screen.touch
    return region.y if region is not None else None


async def open_box(at: Desk, name: str, size: tuple[int, int]) -> None:
    """Open a box and check where it stands."""
    *way, key = OPENED[name]
    await at.press(*way)
    main = at.app.main_screen
    touch, subject, before = touch_line(at), main.subject, at.text().split("\n")
    await at.press(key)
    screen = at.app.screen
    assert isinstance(screen, BoxModal), f"{name} is open"
    box, after = screen.body.region, at.text().split("\n")
    assert box.height >= min(5, size[1]) and Region(0, 0, *size).contains_region(box), name
    room = max(touch, size[1] - touch - 1) if touch is not None else 0
    if isinstance(screen, PromptScreen):
        whole_desk = screen.beside is Beside.DESK
        read = screen.body.lines_needed(box.width) - GAP if whole_desk else screen.body.least_lines(box.width)
        touch = None if read > room else touch  # what would be done is read, whatever it covers
    if touch is not None:
        assert after[touch] == before[touch], f"{name}: bid and ask are covered by {box}"
    if subject is not None and screen.surroundings.subject is not None and screen.beside.value == "row":
        assert max(box.y - subject.bottom, subject.y - box.bottom, 0) <= 12, name


@pytest.mark.parametrize("size", SIZES)
async def test_no_dialog_covers_the_bid_and_ask_of_its_pair(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        for name in OPENED:
            await open_box(at, name, size)
            while at.app.screen is not at.app.main_screen or at.app.main_screen.panel.open:
                await at.press("escape")
            await at.press("1", "g", "3", "g", "2", "g")


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (160, 45), (200, 60)])
@pytest.mark.parametrize(("key", "moves"), [("p", ["j"] * 5), ("t", ["k"] * 5)])
async def test_a_ladder_stop_question_covers_neither_cursor_nor_touch(
    size: tuple[int, int], key: str, moves: list[str]
) -> None:
    """The question lay over the rows between cursor and market."""
    async with desk(*size) as at:
        await open_ladder(at)
        await at.press("'", *moves)
        await stand(at)
        main = at.app.main_screen
        cursor, touch, view = main.subject, main.touch, main.tables["ladder"].region
        assert cursor is not None and touch is not None and view.contains_region(touch)
        await at.press(key)
        await at.settle()
        screen = at.app.screen
        assert isinstance(screen, PromptScreen)
        box = screen.body.region
        assert not box.overlaps(touch) and not box.overlaps(cursor), (box, touch, cursor)
        assert size[0] == 80 or not box.overlaps(view), (box, view)


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (160, 45), (200, 60)])
async def test_a_form_for_a_position_opens_beside_its_row(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("3", "j", "p")
        subject, screen = at.app.main_screen.subject, at.app.screen
        assert subject is not None and isinstance(screen, BoxModal)
        box = screen.body.region
        assert box.y == subject.bottom or box.bottom == subject.y, (box, subject)


def form_lines(at: Desk) -> list[str]:
    """What the form shows."""
    box = at.form().region
    return [line[box.x : box.right] for line in at.text().split("\n")[box.y : box.bottom]]


async def open_oco(at: Desk, *way: str) -> None:
    """Open the form of an OCO order on a row of the quotes."""
    await at.press("1", *way, "p", "up")
    while at.form().values["kind"] != "OCO":
        await at.press("right")
    await at.settle()


@pytest.mark.parametrize("downs", [1, 3, 5, 7, 9, 12])
async def test_a_form_at_80x24_covers_neither_event_line_nor_its_quote(downs: int) -> None:
    """It covered the line of the events, where the refusals of keys are read, rather than scroll."""
    async with desk(80, 24) as at:
        await open_oco(at, "g", *["j"] * downs)
        plan, touch, box = at.app.main_screen.plan, touch_line(at), at.form().region
        assert plan.event is not None and touch is not None
        above, below = touch - plan.status.height, plan.event.y - touch - 1
        assert box.bottom <= plan.event.y and box.y >= plan.status.height and not box.y <= touch < box.bottom
        assert box.height >= min(at.form().lines_needed(box.width), max(above, below))


async def test_a_form_on_the_last_quote_shows_its_refused_keys() -> None:
    async with desk(80, 24) as at:
        await at.press("1", "G", "p", "w")
        said = "side is a choice: Left and Right change it, Down goes"
        assert said in at.text().split("\n")[-2] and any(said in line for line in form_lines(at))


async def test_a_form_that_scrolls_shows_the_field_and_the_send_line() -> None:
    async with desk(80, 24) as at:
        await open_oco(at, "G")
        assert at.form().lines_needed(at.form().region.width) > at.form().region.height
        for name in ("kind", "side", "stop", "target", "size", "send"):
            shown = form_lines(at)
            assert any(f"▸ {name} " in line for line in shown) and " send " in shown[-2], (name, shown)
            await at.press("down")


async def test_a_long_message_in_a_form_leaves_its_field_in_sight() -> None:
    async with desk(80, 24) as at:
        await open_oco(at, "G")
        at.form().say("the service answers at length " * 20)
        await at.settle()
        assert any("▸ kind " in line for line in form_lines(at))
        await at.press(*["down"] * 5)
        assert "▸ send " in form_lines(at)[1] and "at length" in form_lines(at)[-2]
