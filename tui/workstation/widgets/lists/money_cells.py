"""Cells that the lists of the Funds screen share."""

from __future__ import annotations

from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.columns import Cell
from tui.workstation.widgets.lists import fund_places


def name_place(view: DisplayContext, owner: int | str, account_type: str) -> str:
    """Name a side of a transfer as a trader calls it."""
    return fund_places.place_name(view.mirror, str(owner), account_type)


def status_cell(status: int | str, words: dict[str, Cell]) -> Cell:
    """A status in words; one that is not known as it was sent."""
    return words.get(str(status), (str(status), "warn"))
