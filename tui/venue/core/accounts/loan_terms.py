"""Coins that can be borrowed: margin tiers, interest levels and pools per venue, terms of portfolio loans per coin."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from tui.rules.borrowing.lending import LoanTier

DEFAULT_LEVERAGE = 3
"""Margin leverage of a coin before it is set, unless its first tier allows less."""


class InterestLevel(msgspec.Struct, frozen=True):
    """Hourly interest rate and largest debt, in coins, of a user level."""

    level: str
    hourly_rate: Decimal
    limit: Decimal


class CoinLoan(msgspec.Struct, frozen=True):
    """Coin that can be borrowed on a venue, with its margin tiers and interest levels."""

    exchange: str
    coin: str
    pool: Decimal
    """Total coins that the venue lends."""
    tiers: tuple[LoanTier, ...]
    levels: tuple[InterestLevel, ...]

    @property
    def max_leverage(self) -> int:
        """Largest margin leverage: that of the first tier, rounded down."""
        return int(self.tiers[0].max_leverage)

    @property
    def sym(self) -> str:
        """Symbol of the coin in the loan endpoints."""
        return f"{self.exchange}_MARGIN_{self.coin}_USDT"


def _tiers(*rows: tuple[str, str, str, str]) -> tuple[LoanTier, ...]:
    return tuple(LoanTier(*(Decimal(text) for text in row)) for row in rows)


def _levels(rate: str, limit: str) -> tuple[InterestLevel, ...]:
    """Build three user levels; each pays a tenth of the first rate less and may borrow twice as much as the level before."""
    first, most = Decimal(rate), Decimal(limit)
    steps = ((Decimal(1), 1), (Decimal("0.9"), 2), (Decimal("0.8"), 4))
    return tuple(InterestLevel(str(n), first * part, most * times) for n, (part, times) in enumerate(steps, start=1))


_SHAPES: dict[str, tuple[str, str, str, tuple[tuple[str, str, str, str], ...]]] = {
    "USDT": (
        "50000000",
        "0.0000068",
        "2000000",
        (
            ("0", "1000000", "0.05", "5.00"),
            ("1000000", "5000000", "0.08", "3.00"),
            ("5000000", "50000000", "0.1", "2.00"),
        ),
    ),
    "BTC": (
        "500",
        "0.0000012",
        "40",
        (("0", "20", "0.05", "5.00"), ("20", "100", "0.08", "3.00"), ("100", "500", "0.1", "2.00")),
    ),
    "ETH": (
        "8000",
        "0.0000026",
        "800",
        (("0", "400", "0.06", "4.00"), ("400", "2000", "0.09", "3.00"), ("2000", "8000", "0.12", "2.00")),
    ),
}

LOANS: dict[tuple[str, str], CoinLoan] = {
    (venue, coin): CoinLoan(venue, coin, Decimal(pool), _tiers(*tiers), _levels(rate, limit))
    for venue in ("BINANCE", "OKX")
    for coin, (pool, rate, limit, tiers) in _SHAPES.items()
}
"""Margin loans by venue and coin."""


class PortfolioLoanTerms(msgspec.Struct, frozen=True):
    """Terms of portfolio loans in one coin."""

    leverage: int
    max_value: Decimal
    """Quote units, over all coins and portfolios of a user."""
    mmr: Decimal
    annual_rate: Decimal
    """Annual rate, a fraction."""


MAX_LOAN_VALUE = Decimal(500_000)

PORTFOLIO_LOANS: dict[str, PortfolioLoanTerms] = {
    coin: PortfolioLoanTerms(3, MAX_LOAN_VALUE, Decimal("0.05"), Decimal(rate))
    for coin, rate in (("USDT", "0.06"), ("BTC", "0.01"), ("ETH", "0.023"))
}
"""Portfolio loans by coin; lent where the coin is lent to margin orders, from the same pool."""
