"""How the trader makes the desk trade another portfolio, where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class PortfolioChoice(NamedTuple):
    """What whoever started the workstation offers."""

    trade: Callable[[str], None]
    """Trades the portfolio of this name from now on; returns at once."""
    why_fixed: Callable[[], str]
    """Why it cannot be changed now, or an empty text."""


FIXED_PORTFOLIO = PortfolioChoice(
    lambda _: None, lambda: "a profile names its portfolio: end this program and start it with another profile"
)
