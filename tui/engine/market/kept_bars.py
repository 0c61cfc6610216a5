"""Interface of the store of closed bars, without the database behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tui.interface.families.market import KlineRow
from tui.interface.streams import Detail


class KeptBars(Protocol):
    """Store of closed bars by pair, interval and price; it never raises, a broken store keeps nothing."""

    def read(self, detail: Detail, most: int) -> list[KlineRow]:
        """Return the newest stored bars, oldest first."""
        ...

    def write(self, detail: Detail, rows: Sequence[KlineRow]) -> None:
        """Store closed bars."""
        ...
