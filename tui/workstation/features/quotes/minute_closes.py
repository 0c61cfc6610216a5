"""Closes of the last 60 minutes of each pair, as far as the desk saw prices, and a line of bars drawn from them."""

from __future__ import annotations

from collections.abc import Iterable

MINUTES = 60
_HEIGHTS = "▁▂▃▄▅▆▇█"


class MinuteCloses:
    """Last price of each minute, by pair."""

    def __init__(self) -> None:
        self._closes: dict[str, dict[int, float]] = {}
        """Price by minute, oldest first."""

    def note_price(self, sym: str, minute: int, price: float) -> None:
        """Store the newest price of a pair as the close of a minute, counted since 1970."""
        closes = self._closes.setdefault(sym, {})
        closes[minute] = price
        while len(closes) > MINUTES:
            del closes[next(iter(closes))]

    def note_bars(self, sym: str, bars: Iterable[tuple[int, float]]) -> None:
        """Store the closes of one-minute bars of a pair; they replace prices stored from quotes."""
        closes = {**self._closes.get(sym, {}), **dict(bars)}
        self._closes[sym] = {minute: closes[minute] for minute in sorted(closes)[-MINUTES:]}

    def change(self, sym: str, now: int) -> float | None:
        """Return the change over the known part of the last hour, as a fraction; None with less than two prices."""
        closes = self._last_hour(sym, now)
        if len(closes) < 2:
            return None
        prices = list(closes.values())
        return prices[-1] / prices[0] - 1

    def draw(self, sym: str, now: int, cells: int) -> str:
        """Draw the last hour in a number of cells; minutes without a price are blank. Empty with less than two prices."""
        closes = self._last_hour(sym, now)
        if len(closes) < 2:
            return ""
        shown: dict[int, float] = {}
        for minute, price in closes.items():
            shown[(minute - (now - MINUTES + 1)) * cells // MINUTES] = price
        low, high = min(shown.values()), max(shown.values())
        span = high - low
        top = len(_HEIGHTS) - 1
        return "".join(
            " " if at not in shown else _HEIGHTS[round((shown[at] - low) / span * top) if span else top // 2]
            for at in range(cells)
        )

    def _last_hour(self, sym: str, now: int) -> dict[int, float]:
        return {minute: price for minute, price in self._closes.get(sym, {}).items() if now - MINUTES < minute <= now}
