"""Activity and order sizes of each pair."""

from __future__ import annotations

from typing import NamedTuple


class MarketProfile(NamedTuple):
    """Parameters of a pair's simulated market: activity and sizes. Times are µs, sizes are lots."""

    tempo: int
    """Frequency of its agents' actions, per cent of the most active pair."""
    touch: int
    """Median size shown at the touch."""
    trade: int
    """Median size of a trade."""
    offset: int
    """Distance of its price from the fair price, in millionths."""
    delay_us: int
    """Delay behind the fair price."""
    momentum: tuple[int, int]
    """Fewest and most trades of a momentum burst."""


PROFILES = {
    "BINANCE_PERP_BTC_USDT": MarketProfile(100, 2680, 16, -370, 1_000, (200, 1000)),
    "BINANCE_PERP_ETH_USDT": MarketProfile(96, 13_500, 71, -360, 2_000, (150, 450)),
    "BINANCE_SPOT_BTC_USDT": MarketProfile(36, 108_000, 60, 0, 3_000, (100, 600)),
    "BINANCE_SPOT_ETH_USDT": MarketProfile(15, 90_000, 600, 0, 4_000, (40, 120)),
    "BINANCE_PERP_SOL_USDT": MarketProfile(14, 800, 8, -350, 4_000, (40, 120)),
    "BINANCE_PERP_DOGE_USDT": MarketProfile(8, 500_000, 900, -350, 5_000, (30, 100)),
    "BINANCE_MARGIN_BTC_USDT": MarketProfile(5, 40_000, 60, 20, 6_000, (20, 60)),
    "BINANCE_MARGIN_ETH_USDT": MarketProfile(4, 40_000, 300, 20, 7_000, (20, 60)),
    "OKX_PERP_BTC_USDT": MarketProfile(16, 180, 2, -370, 9_000, (40, 120)),
    "OKX_PERP_ETH_USDT": MarketProfile(12, 110, 2, -360, 10_000, (40, 120)),
    "OKX_PERP_SOL_USDT": MarketProfile(6, 300, 3, -350, 12_000, (20, 60)),
    "OKX_PERP_DOGE_USDT": MarketProfile(5, 400, 4, -350, 13_000, (20, 60)),
    "OKX_SPOT_BTC_USDT": MarketProfile(10, 70_000, 60, 0, 11_000, (40, 120)),
    "OKX_SPOT_ETH_USDT": MarketProfile(8, 60_000, 500, 0, 12_000, (40, 120)),
    "OKX_MARGIN_BTC_USDT": MarketProfile(4, 30_000, 60, 20, 14_000, (20, 60)),
    "OKX_MARGIN_ETH_USDT": MarketProfile(4, 30_000, 300, 20, 15_000, (20, 60)),
    "EDX_PERP_BTC_USDT": MarketProfile(6, 500, 10, -370, 24_000, (20, 60)),
    "EDX_PERP_ETH_USDT": MarketProfile(5, 400, 5, -360, 26_000, (20, 60)),
    "EDX_PERP_SOL_USDT": MarketProfile(4, 20_000, 400, -350, 28_000, (20, 60)),
    "EDX_PERP_DOGE_USDT": MarketProfile(4, 5_000, 50, -350, 30_000, (20, 60)),
}
