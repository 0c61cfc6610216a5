"""Figures of a venue account before and after a command, as several forms show them."""

from __future__ import annotations

from decimal import Decimal

from tui.rules.account import AccountFigures
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.widgets.forms.view import Figure

LOW_MMR = 3
"""uniMMR below which a figure is marked."""


def compare_accounts(
    before: AccountFigures, after: AccountFigures, view: DisplayContext, venue: str = ""
) -> tuple[Figure, Figure]:
    """Build the form's figures of free margin and uniMMR before and after; `venue` prefixes their names if given."""
    where = f"{venue} " if venue else ""
    return (
        Figure(
            name=f"{where}free margin", before=view.amount(before.available), after=view.amount(after.available),
            low=after.available < 0,
        ),
        Figure(
            name=f"{where}uniMMR", before=_ratio(before.uni_mmr), after=_ratio(after.uni_mmr),
            low=after.uni_mmr is not None and after.uni_mmr < LOW_MMR,
        ),
    )  # fmt: skip


def _ratio(value: Decimal | None) -> str:
    return number_format.NONE if value is None else number_format.decimal_figure(value, 2)
