"""The order of columns: moved in the list of columns, kept, and never a reason for a column to leave."""

from __future__ import annotations

import random

import pytest

from tests.workstation.driver import desk
from tui.workstation.model.screen_preferences import ColumnChoice, ScreenPreferences, choice_of
from tui.workstation.settings import WorkstationSettings
from tui.workstation.table.columns import choose_columns
from tui.workstation.widgets.columns import ColumnList


@pytest.mark.parametrize("pane", ["quotes", "orders", "positions", "assets"])
async def test_reordering_columns_shows_the_same_columns_and_widths(pane: str) -> None:
    async with desk(160, 45) as at:
        fields = at.app.main_screen.tables[pane].pane.fields
        draw = random.Random(pane)
        for inside in range(40, 240, 7):
            order = draw.sample(list(fields), len(fields) - draw.choice((0, 0, 3)))
            usual = choose_columns(fields, inside, ColumnChoice())
            moved = choose_columns(fields, inside, ColumnChoice(order=tuple(order)))
            assert {column.id: column.width for column in moved} == {column.id: column.width for column in usual}
            named = [column.id for column in moved if column.id in order]
            assert named == sorted(named, key=order.index)


async def test_a_column_moved_in_the_column_list_stays_after_a_restart() -> None:
    async with desk(160, 45) as at:
        await at.press("2")
        table = at.app.main_screen.tables["orders"]
        before = list(table.column_ids())
        await at.press("|")
        body = at.app.screen.focused
        assert isinstance(body, ColumnList)
        await at.press(*["j"] * body._names.index("price"), "left", "left")
        after = list(table.column_ids())
        assert after.index("price") == before.index("price") - 2 and sorted(after) == sorted(before)
        assert body._names[body.at] == "price"
        await at.press(">", "escape")
        assert list(table.column_ids()).index("price") == before.index("price") - 1
        kept = ScreenPreferences({}, (), at.app.preferences.encode())
        assert choice_of(kept.columns["orders"]) == table.pane.choice
        stored, order = at.app.preferences.encode(), list(table.column_ids())
    async with desk(160, 45, preferences=stored) as at:
        assert list(at.app.main_screen.tables["orders"].column_ids()) == order
        await at.press("2", "|", "r", "escape")
        assert list(at.app.main_screen.tables["orders"].column_ids()) == before


async def test_the_settings_can_put_columns_first_or_leave_them_out() -> None:
    columns = {"orders": ["=price", "=state", "=nothing", "-age"]}
    async with desk(160, 45, settings=WorkstationSettings(bell=False, columns=columns)) as at:
        ids = list(at.app.main_screen.tables["orders"].column_ids())
        assert ids[:2] == ["price", "state"] and "age" not in ids
        assert "orders has no column '=nothing'" in "\n".join(at.events())
