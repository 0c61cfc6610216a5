"""Price bars of the service as numbers to draw; a bar that did not change is read once."""

from __future__ import annotations

from collections.abc import Sequence

from tui.interface.families.market import KlineRow
from tui.interface.times import millis
from tui.workstation.model import number_format
from tui.workstation.widgets.candles.inputs import Bar


class BarReader:
    """Reader of the bars of one pair."""

    def __init__(self) -> None:
        self._rows: Sequence[KlineRow] = ()
        self._bars: list[Bar] = []

    def read(self, rows: Sequence[KlineRow]) -> list[Bar]:
        """Parse bars into numbers, oldest first; a bar with an unreadable price is left out."""
        if rows is self._rows:
            return self._bars
        kept = 0
        if len(self._bars) == len(self._rows):
            for before, now in zip(self._rows, rows, strict=False):
                if before is not now:
                    break
                kept += 1
        read = [bar for row in rows[kept:] if (bar := _read_bar(row)) is not None]
        self._rows, self._bars = rows, [*self._bars[:kept], *read]
        return self._bars


def _read_bar(row: KlineRow) -> Bar | None:
    texts = (row.open, row.high, row.low, row.close, row.volume)
    numbers = [None if (number := number_format.value(text)) is None else float(number) for text in texts]
    opened, high, low, close, volume = numbers
    if not opened or not high or not low or not close:
        return None
    return Bar(
        millis(str(row.open_time)), opened, max(high, opened, close), min(low, opened, close), close, volume or 0.0
    )
