"""Index prices, mark prices, and the prices at which pairs are valued."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from tui.interface.decimals import ZERO, half_up
from tui.venue.core.market.book import BookTouch
from tui.venue.core.market.symbols import REFERENCE_PRICES, VENUES, Pair

PERIOD_MS = 1000
"""Interval at which marks and the rows that depend on them are computed, ms."""

_PREMIUM_DECAY = Decimal("0.977159968434245")
"""Share of the average premium that remains after one second, for a half-life of 30 s."""
_MID_CLAMP = Decimal("0.01")
_PREMIUM_CLAMP = Decimal("0.005")
_FROZEN_MS = 5000
"""Time after which the index ignores an unchanged touch, ms."""
PLACES = 8
"""Decimals of an index."""


class Marks:
    """Index and mark prices in quote units; order books are read only through their published best bid and ask."""

    def __init__(self, pairs: Mapping[str, Pair]) -> None:
        self._pairs = pairs
        self.due = 0
        """Time of the next marks, ms."""
        self.index: dict[str, Decimal] = dict(REFERENCE_PRICES)
        self.mark: dict[str, Decimal] = {}
        self.last: dict[str, int] = {}
        """Ticks of the last trade per pair."""
        self._premium: dict[str, Decimal] = {}
        for pair in pairs.values():
            if pair.is_perp:
                self.mark[pair.sym] = half_up(self.index[pair.base], pair.price_digits)

    def tick(self, touches: Mapping[str, BookTouch], touched: Mapping[str, int], now_ms: int) -> None:
        """Compute index and mark prices from mid prices; `touched` is when best bid or ask last changed, by pair, ms."""
        for coin in self.index:
            mids = self._mids(coin, touches, touched, now_ms)
            if mids:
                self.index[coin] = half_up(_clamp_median(mids), PLACES)
        for pair in self._pairs.values():
            if not pair.is_perp:
                continue
            index = self.index[pair.base]
            mid = _mid(pair, touches)
            premium = self._premium.get(pair.sym)
            if mid is not None:
                gap = mid - index
                premium = (
                    gap if premium is None else half_up(premium * _PREMIUM_DECAY + gap * (1 - _PREMIUM_DECAY), PLACES)
                )
                self._premium[pair.sym] = premium
            most = index * _PREMIUM_CLAMP
            mark = index + min(max(premium or ZERO, -most), most)
            self.mark[pair.sym] = half_up(mark, pair.price_digits)

    def jump(self, coin: str, price: Decimal) -> None:
        """Set a coin's index price and its perpetuals' mark prices at once; drop its pairs' last trade prices."""
        self.index[coin] = price
        for pair in self._pairs.values():
            if pair.base == coin:
                self.last.pop(pair.sym, None)
                self._premium.pop(pair.sym, None)
                if pair.is_perp:
                    self.mark[pair.sym] = half_up(price, pair.price_digits)

    def valuation(self, pair: Pair, touches: Mapping[str, BookTouch]) -> Decimal:
        """Return the price at which a pair is valued: a perpetual's mark price; else last trade, mid or index price."""
        if pair.is_perp:
            return self.mark[pair.sym]
        last = self.last.get(pair.sym)
        if last is not None:
            return pair.price(last)
        mid = _mid(pair, touches)
        return self.index[pair.base] if mid is None else mid

    def coin(self, coin: str) -> Decimal:
        """Return the index price of a coin; 1 for the settlement coin."""
        return self.index.get(coin, Decimal(1))

    def _mids(
        self, coin: str, touches: Mapping[str, BookTouch], touched: Mapping[str, int], now_ms: int
    ) -> list[Decimal]:
        """List the mid prices of a coin, spot where it exists; stale ones are used only when all are stale."""
        mids: list[Decimal] = []
        frozen: list[Decimal] = []
        for venue in VENUES:
            for kind in ("SPOT", "PERP"):
                pair = self._pairs.get(f"{venue}_{kind}_{coin}_USDT")
                mid = _mid(pair, touches) if pair is not None else None
                if pair is not None and mid is not None:
                    is_frozen = now_ms - touched.get(pair.sym, now_ms) > _FROZEN_MS
                    (frozen if is_frozen else mids).append(mid)
                    break
        return mids or frozen


def _mid(pair: Pair, touches: Mapping[str, BookTouch]) -> Decimal | None:
    touch = touches.get(pair.sym)
    if touch is None or not touch.bid_lots or not touch.ask_lots:
        return None
    return (touch.bid + touch.ask) * pair.tick / 2


def _clamp_median(mids: list[Decimal]) -> Decimal:
    """Compute the median of mid prices after limiting each to 1 % around the plain median."""
    middle = _median(mids)
    low, high = middle * (1 - _MID_CLAMP), middle * (1 + _MID_CLAMP)
    return _median([min(max(mid, low), high) for mid in mids])


def _median(values: list[Decimal]) -> Decimal:
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
