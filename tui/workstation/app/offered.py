"""What whoever starts the workstation offers it beside the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tui.crossdesk_error import CrossdeskError
from tui.workstation.features.portfolios.choice import FIXED_PORTFOLIO, PortfolioChoice

if TYPE_CHECKING:
    from tui.workstation.features.practice.practice_list import Practice

SaveTable = Callable[[str, Sequence[str], Sequence[Sequence[str]]], str]
"""Writes a table under a name, with its header and its records; returns the path. Raises CrossdeskError."""


def refuse_to_save(name: str, header: Sequence[str], records: Sequence[Sequence[str]]) -> str:
    """Where there is no home to write to."""
    del name, header, records
    raise CrossdeskError("this program has no home to write to")


class Offered(NamedTuple):
    """Each has a stand-in for where it is not offered."""

    practices: Callable[[], Sequence[Practice]] = tuple
    """Tells what can be made to go wrong at the venue; nothing where it is not ours. Asked after the first frame."""
    save_table: SaveTable = refuse_to_save
    """Writes rows that the trader wants in a file."""
    portfolio_choice: PortfolioChoice = FIXED_PORTFOLIO
    """Trades another portfolio."""
