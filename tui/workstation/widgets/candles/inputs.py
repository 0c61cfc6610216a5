"""Inputs of a candle chart: bars, levels, signs at a price and time, curves, roles of colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Run = tuple[str, str]
"""Text and its role."""


class Bar(NamedTuple):
    """Price bar of one interval."""

    start: int
    """Open time, ms."""
    open: float
    high: float
    low: float
    close: float
    volume: float = 0.0

    @property
    def rises(self) -> bool:
        return self.close >= self.open


class Level(NamedTuple):
    """Price with a line across the chart and a label at the right edge, such as a stop or a working order."""

    price: float
    label: str
    role: str
    line: str = "╌"
    """Character of the line; empty: only a label."""
    widens: bool = True
    """Whether the price range grows so far that it contains the level, if it lies near."""
    far: str = ""
    """Label while the price lies outside the chart, with the price in it; empty: the same."""

    def text(self, *, outside: bool) -> str:
        """Return the label of the level; outside the chart's price range another one that includes the price."""
        return self.far if outside and self.far else self.label


class Sign(NamedTuple):
    """Character at a price and a time, such as an own fill."""

    at: int
    """ms."""
    price: float
    character: str
    role: str


class Curve(NamedTuple):
    """Line through one price per bar, such as an average or an index price."""

    points: Sequence[tuple[int, float]]
    """Open time of the bar and the price, oldest first."""
    role: str


class Crosshair(NamedTuple):
    """Bar and price marked by the trader's crosshair."""

    at: int
    """Open time of the bar, ms."""
    price: float
    label: str
    """Price as text."""


class Look(NamedTuple):
    """Roles of the parts of a chart, and how numbers and times are written."""

    places: int = 2
    """Decimals of a price."""
    tick: float = 0.01
    """Smallest price step."""
    separator: str = ","
    """Between thousands."""
    shift_ms: int = 0
    """Difference between the shown time zone and UTC."""
    bar_cells: int = 1
    """Cells per bar; from 2 on the last of them is empty."""
    rising: str = "up"
    falling: str = "down"
    blank: str = "text"
    axis: str = "dim"
    faint: str = "faint"
    crosshair: str = "caret"

    def price_text(self, price: float) -> str:
        """Format a price with the decimals of its tick."""
        text = f"{price:,.{self.places}f}"
        return text if self.separator == "," else text.replace(",", self.separator)


class Scene(NamedTuple):
    """Content of a chart: bars, levels, signs, curves, crosshair and last price."""

    bars: Sequence[Bar]
    """Oldest first; the last may still be open."""
    interval_ms: int
    """Length of a bar; 0: not fixed, and no gaps are recognised."""
    levels: Sequence[Level] = ()
    signs: Sequence[Sign] = ()
    curves: Sequence[Curve] = ()
    crosshair: Crosshair | None = None
    skip: int = 0
    """Newest bars that are left out because the trader looks further back."""
    last: float | None = None
    """Last price, where it is newer than the close of the newest bar; None: that close."""
