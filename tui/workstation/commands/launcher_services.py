"""Services of the launcher: what the desk needs from whoever started it, beside the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tui.crossdesk_error import CrossdeskError

SaveTable = Callable[[str, Sequence[str], Sequence[Sequence[str]]], str]
"""Write a table under a name, with its header and its records; return the path. Raises CrossdeskError."""


class Practice(NamedTuple):
    """One fault of the paper venue that can be switched on."""

    name: str
    states: tuple[str, ...]
    """In words; the first is the sound one."""
    turn: Callable[[int], None]
    """Put the venue in a state, by its number; must not block."""


class PortfolioChoice(NamedTuple):
    """Way to trade another portfolio, where there is one."""

    trade: Callable[[str], None]
    """Trade the portfolio of this name from now on; returns at once."""
    why_fixed: Callable[[], str]
    """Reason why it cannot be changed now, or an empty text."""


FIXED_PORTFOLIO = PortfolioChoice(
    lambda _: None, lambda: "a profile names its portfolio: end this program and start it with another profile"
)


def refuse_to_save(name: str, header: Sequence[str], records: Sequence[Sequence[str]]) -> str:
    """Refuse: there is no home to write to."""
    del name, header, records
    raise CrossdeskError("this program has no home to write to")


class LauncherServices(NamedTuple):
    """Services of the launcher; each has a default that does nothing."""

    practices: Callable[[], Sequence[Practice]] = tuple
    """List the faults to practise with; empty where the venue is not ours. Called after the first frame."""
    save_table: SaveTable = refuse_to_save
    """Write rows to a file of the trader."""
    portfolio_choice: PortfolioChoice = FIXED_PORTFOLIO
    """Trade another portfolio."""
