"""Cells that the lists of the Funds screen share."""

from __future__ import annotations

from decimal import Decimal

from tui.interface.decimals import plain
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.columns import Cell
from tui.workstation.widgets.lists import fund_places
from tui.workstation.widgets.lists.tab import in_coin


def amount_cell(value: Decimal | None, coin: str) -> Cell:
    """An amount with its coin; nothing where there is none."""
    return in_coin("" if value is None else plain(value), coin)


def place_cell(view: DisplayContext, owner: int | str, account_type: str) -> Cell:
    """A side as a trader calls it."""
    return fund_places.place_name(view.mirror, str(owner), account_type), "text"


def status_cell(status: int | str, words: dict[str, Cell]) -> Cell:
    """A status in words; one that is not known as it was sent."""
    return words.get(str(status), (str(status), "warn"))
