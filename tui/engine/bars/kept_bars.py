"""Interface of the store of closed bars, without the database behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tui.interface.families.market import Interval, KlineRow


class KeptBars(Protocol):
    """Store of closed bars by pair and interval; it never raises, a broken store keeps nothing."""

    def read(self, sym: str, interval: Interval, most: int) -> list[KlineRow]:
        """Return the newest bars of a pair, oldest first."""
        ...

    def write(self, sym: str, interval: Interval, rows: Sequence[KlineRow]) -> None:
        """Keep closed bars of a pair."""
        ...
