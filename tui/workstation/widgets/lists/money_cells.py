"""Cell formats shared by the lists of money movements."""

from __future__ import annotations

from typing import Any

from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.columns import Cell
from tui.workstation.widgets.lists import fund_accounts


def name_account(view: DisplayContext, owner: int | str, account_type: str) -> str:
    """Return the trader's name for the source or destination account of a transfer."""
    return fund_accounts.account_name(view.mirror, str(owner), account_type)


def booking_ms(row: Any) -> int:
    """Return the time at which a movement of money was created, in ms."""
    return int(row.created_at)


def status_cell(status: int | str, labels: dict[str, Cell]) -> Cell:
    """Return the label of a status; an unknown status is shown as received."""
    return labels.get(str(status), (str(status), "warn"))
