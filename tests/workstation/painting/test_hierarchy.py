"""What is zero or absent recedes: in every list of figures it is the dimmest text."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from rich.style import Style

from tests.workstation.driver import Desk, desk
from tui.workstation.model.number_format import is_zero_or_missing
from tui.workstation.table.live_table import HEAD, LiveTable

NOTHING = re.compile(r"–|[+-]?0(?:\.0+)?(?: ?%|ct)?")
ROWS = ("quotes", "orders", "positions", "assets", "risk", "fills", "pnl", "alerts")
"""Panes of the scripted desk with figures that are zero or missing."""


def cells(table: LiveTable) -> Iterator[tuple[str, str, Style]]:
    """Column, text and style of each cell of the rows in view; the first and the last slot of a line are its edges."""
    ids = [column.id for column, _ in table.rows._placed]
    for y in range(HEAD, HEAD + table.body_height):
        for name, (_, runs) in zip(ids, table.line_at(y)[1:-1], strict=False):
            for text, style in runs:
                if text.strip():
                    yield name, text.strip(), style


async def zoom(at: Desk, pane: str) -> None:
    """Give a pane the room of all, for all of its columns."""
    at.app.main_screen.show_pane(pane)
    await at.settle()
    at.app.main_screen.set_focus(at.app.main_screen.tables[pane])
    await at.press("0")
    await at.settle()


def styles(at: Desk, roles: tuple[str, ...]) -> set[object]:
    """Colours of roles, which are the same on every ground."""
    return {at.app.palette.style(role).color for role in roles}


async def test_zeros_and_missing_figures_in_lists_are_faint() -> None:
    async with desk(250, 80) as at:
        for pane in ROWS:
            await zoom(at, pane)
            drawn, faint = list(cells(at.app.main_screen.tables[pane])), styles(at, ("faint",))
            zeros = [cell for cell in drawn if NOTHING.fullmatch(cell[1])]
            assert zeros and [cell for cell in zeros if cell[2].color not in faint] == [], pane
            figures = [cell for cell in drawn if re.fullmatch(r"[1-9][\d,.]*", cell[1])]
            assert figures and not {style.color for _, _, style in figures} <= faint, pane
            await at.press("0")


async def test_a_zero_in_the_totals_of_the_pnl_pane_is_faint() -> None:
    async with desk(250, 80) as at:
        await zoom(at, "pnl")
        pieces = at.app.main_screen.tables["pnl"]._head_and_foot.draw_totals(248)
        nothing = [role for text, role in pieces if NOTHING.fullmatch(text.strip())]
        figures = [role for text, role in pieces if re.fullmatch(r"[+-]?[1-9][\d.]*", text.strip())]
        assert set(nothing) == {"faint"} and figures and "faint" not in figures


@pytest.mark.parametrize("text", ["–", "0", " 0.00 ", "0.000ct", "0%", "0 %", "+0.0", "-0.00", "~0", "0,000"])
def test_any_spelling_of_zero_counts_as_zero_or_missing(text: str) -> None:
    assert is_zero_or_missing(text)


@pytest.mark.parametrize("text", ["", " ", "0s", "0.0bp", "10", "0.01", "-", "+", "1%", "ct", "0x"])
def test_figures_ages_and_signs_do_not_count_as_zero_or_missing(text: str) -> None:
    assert not is_zero_or_missing(text)
