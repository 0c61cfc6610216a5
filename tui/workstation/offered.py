"""What whoever starts the workstation offers it beside the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tui.workstation.portfolios.choice import FIXED_PORTFOLIO, PortfolioChoice
from tui.workstation.practice.practice_list import Practice
from tui.workstation.records.keys import SaveTable, refuse_to_save


class Offered(NamedTuple):
    """Each has a stand-in for where it is not offered."""

    practices: Sequence[Practice] = ()
    """What can be made to go wrong at the venue; nothing where it is not ours."""
    save_table: SaveTable = refuse_to_save
    """Writes rows that the trader wants in a file."""
    portfolio_choice: PortfolioChoice = FIXED_PORTFOLIO
    """Trades another portfolio."""
