"""Changes of a layout: by key and by mouse, always a layout that can be laid out, kept and undone."""

from __future__ import annotations

import random

import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.layouts.random_layouts import random_layout
from tests.workstation.layouts.test_rectangles import check
from tui.workstation.input.scopes import Scope
from tui.workstation.layouts import changes
from tui.workstation.layouts.dividers import find_divider
from tui.workstation.layouts.plan import Box, Needs, plan
from tui.workstation.layouts.presets import PRESETS, TRADE
from tui.workstation.layouts.tree import PAIR_VIEWS, PANES, Layout, Node, find_fault
from tui.workstation.model.screen_preferences import ScreenPreferences
from tui.workstation.tickets.fields import Mode


def box_of(at: Desk, pane: str) -> Box:
    area = at.app.main_screen.plan.area_of(pane)
    assert area is not None
    return area.box


def change(draw: random.Random, layout: Layout, size: tuple[int, int], pair: bool) -> Layout:
    """The layout after one random change, which may be refused."""
    step = layout.step(*size, pair=pair)
    shown = plan(*size, Needs(pair=PAIR_VIEWS if pair else (), layout=layout))
    pane = draw.choice((*PANES, *PAIR_VIEWS))
    tree: Node | None
    own = shown.tree or step.tree
    match draw.choice(("resize", "swap", "give", "take")):
        case "resize":
            cells, beside, after = draw.randint(-30, 30), draw.random() < 0.5, draw.random() < 0.5
            tree = changes.resize(own, pane, cells, shown, beside=beside, after=after)
        case "swap":
            right, down = draw.choice(((1, 0), (-1, 0), (0, 1), (0, -1)))
            other = changes.find_neighbour(shown, pane, right, down)
            tree = changes.swap(own, pane, other) if other else None
        case "give":
            tree = changes.give_place(own, pane)
        case _:
            tree = changes.take_place(own, pane)
    return layout if tree is None else changes.replace_tree(layout, step, tree)


@pytest.mark.parametrize("seed", range(30))
def test_random_changes_leave_a_layout_that_fills_the_screen(seed: int) -> None:
    draw = random.Random(seed)
    layout = draw.choice([*PRESETS, random_layout(draw)])
    changed = 0
    for _ in range(40):
        size, pair = (draw.randint(60, 260), draw.randint(20, 90)), draw.random() < 0.5
        before, layout = layout, change(draw, layout, size, pair)
        changed += layout is not before
        assert find_fault(layout) == ""
        check(layout, *size, pair, draw.choice(list(Mode)[:3]))
    assert changed > 0


@pytest.mark.parametrize(
    ("key", "pane", "width", "height"),
    [("shift+down", "quotes", 0, 2), ("_", "quotes", 0, -2), ("=", "orders", 0, 2), ("shift+up", "orders", 0, -2)],
)
async def test_layout_keys_make_the_focused_pane_taller_or_shorter(
    key: str, pane: str, width: int, height: int
) -> None:
    async with desk(160, 45) as at:
        at.app.main_screen.show_pane(pane)
        before = box_of(at, pane)
        await at.press(key)
        after = box_of(at, pane)
        assert (after.width - before.width, after.height - before.height) == (width, height)
        assert at.app.main_screen.box is at.app.main_screen.boxes[pane]


async def test_layout_keys_make_a_pane_wider_or_narrower_to_a_minimum() -> None:
    async with desk(160, 45) as at:
        await at.press("j", "d")
        before = box_of(at, "ladder")
        await at.press("}")
        assert box_of(at, "ladder").width == before.width + 4
        await at.press(*["{"] * 30)
        assert box_of(at, "ladder").width == 44
        assert "no edge of this pane can move that way" in at.text()


async def test_a_pane_changes_places_with_its_neighbour() -> None:
    async with desk(160, 45) as at:
        await at.press("2")
        before, other = box_of(at, "orders"), box_of(at, "positions")
        await at.press("ctrl+down")
        assert (box_of(at, "orders").y, box_of(at, "positions").y) == (other.y, before.y)
        await at.press("ctrl+up", "ctrl+up")
        assert box_of(at, "orders").y < box_of(at, "quotes").y, "the ticket between two places does not part them"
        await at.press("ctrl+left")
        assert "no pane stands on that side" in at.text() and at.scope() is Scope.ORDERS


async def test_key_backslash_splits_a_tab_off_and_puts_it_back() -> None:
    async with desk(200, 70) as at:
        at.app.main_screen.show_pane("risk")
        count = len(at.app.main_screen.plan.areas)
        await at.press("\\")
        assert len(at.app.main_screen.plan.areas) == count + 1
        assert at.app.main_screen.plan.area_of("risk").panes == ("risk",)  # type: ignore[union-attr]
        await at.press("\\")
        assert len(at.app.main_screen.plan.areas) == count and "risk" not in at.app.main_screen.visible_panes()
        at.app.main_screen.show_pane("risk")
        assert at.scope() is Scope.RISK


@pytest.mark.parametrize("pane", ["quotes", "orders", "chart"])
async def test_key_backslash_hides_a_pane_and_pressed_again_shows_it(pane: str) -> None:
    """It hid the list that had the focus after it."""
    async with desk(160, 45) as at:
        main = at.app.main_screen
        await at.press("1", "j", "d")
        main.show_pane(pane)
        before = main.plan.areas
        await at.press("\\")
        assert (
            pane not in main.visible_panes() and "is now a tab; the same key, pressed next, shows it again" in at.text()
        )
        await at.press("\\")
        assert (main.plan.areas, at.scope()) == (before, Scope(pane))
        assert at.app.preferences.layouts == {} and main.layout_in_use == TRADE
        await at.press("\\", "j", "\\")
        assert main.plan.areas != before, "after another key it is for the pane under the cursor"


@pytest.mark.parametrize("hidden", ["quotes", "positions"])
async def test_the_first_visible_pane_draws_the_corners_of_the_frame(hidden: str) -> None:
    async with desk(160, 45) as at:
        at.app.main_screen.show_pane(hidden)
        await at.press("\\")
        lines = at.text().split("\n")
        first = next(line for line in lines if line[0] in "┍┝┌├")
        assert (first[0], first[-1]) == ("┍", "┑"), first
        assert sum(line.startswith("┍") for line in lines) == 1


async def test_changes_of_a_preset_layout_are_kept_until_deleted() -> None:
    async with desk(160, 45) as at:
        first = at.app.main_screen.plan
        await at.press("1", "_", "_")
        assert "layout trade changed" in "\n".join(at.events())
        kept = ScreenPreferences({}, (), at.app.preferences.encode())
        assert set(kept.layouts) == {"trade"}
        stored = at.app.preferences.encode()
    async with desk(160, 45, preferences=stored) as at:
        assert at.app.main_screen.plan.areas != first.areas and at.app.main_screen.layout_in_use != TRADE
        await at.press("f3")
        assert "● trade" in at.text()
        await at.press("delete", "enter")
        assert at.app.main_screen.layout_in_use == TRADE and at.app.preferences.layouts == {}


@pytest.mark.parametrize(
    ("size", "keys", "reason"),
    [
        ((160, 45), ("0",), "one pane is shown alone"),
        ((80, 24), ("f3", "j", "j", "enter"), "too small for all panes"),
        ((50, 15), (), "too small for all panes"),
    ],
)
async def test_layout_keys_are_refused_if_not_all_panes_are_shown(
    size: tuple[int, int], keys: tuple[str, ...], reason: str
) -> None:
    async with desk(*size) as at:
        await at.press(*keys)
        before = at.app.main_screen.layout_in_use
        for key in ("shift+down", "ctrl+down", "}", "\\"):
            await at.press(key)
            assert reason in "\n".join([at.text(), *at.events()]) and at.app.main_screen.layout_in_use is before


async def test_a_divider_is_dragged_with_the_mouse() -> None:
    async with desk(160, 45) as at:
        await at.press("j", "d", "1")
        quotes, ladder = box_of(at, "orders"), box_of(at, "ladder")
        await at.drag((20, quotes.y), (20, quotes.y - 1), (20, quotes.y - 4))
        assert box_of(at, "orders").y == quotes.y - 4
        await at.drag((ladder.x, 9), (ladder.x - 3, 9), (ladder.x - 10, 9))
        assert box_of(at, "ladder").x == ladder.x - 10
        assert at.app.preferences.layouts and at.port.intents == []
        before = at.app.main_screen.plan
        await at.drag((20, 8), (20, 12))
        assert at.app.main_screen.plan == before, "rows are no divider"


async def test_a_pane_is_moved_by_its_name_with_the_mouse() -> None:
    async with desk(160, 45) as at:
        quotes, positions = box_of(at, "quotes"), box_of(at, "positions")
        await at.drag((4, positions.y), (30, 20), (30, quotes.y + 4))
        assert box_of(at, "positions").y == quotes.y < box_of(at, "quotes").y
        assert at.app.preferences.layouts and at.port.intents == []
        before = at.app.main_screen.layout_in_use
        await at.drag((4, box_of(at, "positions").y), (30, box_of(at, "positions").y + 3))
        assert at.app.main_screen.layout_in_use is before, "it came back to where it was"


def alone(at: Desk) -> bool:
    """Whether one pane takes the space of all."""
    return at.app.main_screen.zoomed


async def test_a_double_click_on_a_pane_title_maximizes_it_and_back() -> None:
    async with desk(160, 45) as at:
        y = box_of(at, "positions").y
        await at.click(6, y)
        assert not alone(at)
        await at.click(6, y)
        assert alone(at) and at.scope() is Scope.POSITIONS
        await at.click(6, 1)
        at.clock.pass_by(2.0)
        await at.click(6, 1)
        assert alone(at), "two slow clicks are no double click"
        await at.click(6, 1)
        assert not alone(at)


async def test_a_click_on_a_column_head_sorts_by_it() -> None:
    async with desk(160, 45) as at:
        table = at.app.main_screen.tables["orders"]
        x, y = table.region.x + 1 + sum(table.column_widths()[:3]) + 4, table.region.y + 1
        name = table.column_ids()[3]
        seen = []
        for _ in range(3):
            await at.click(x, y)
            sorting = table.pane.sorting
            seen.append((sorting.column, sorting.descending) if sorting is not None else None)
        assert seen == [(name, True), (name, False), None] and at.port.intents == []


def test_dividers_between_all_panes_of_each_preset_are_found() -> None:
    for preset in PRESETS:
        shown = plan(160, 45, Needs(pair=PAIR_VIEWS, layout=preset))
        found = {
            (divider.pane, divider.beside)
            for y in range(45)
            for x in range(160)
            if (divider := find_divider(shown, x, y)) is not None
        }
        assert len(found) >= len(shown.areas) - 1, preset.name
