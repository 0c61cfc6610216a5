"""Plan of the portfolio loans in the invented history; every loan is repaid in one part or two."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from tui.protocols import RandomSource
from tui.rules.borrowing.portfolio_loans import AMOUNT_PLACES
from tui.venue.core.past.planning import HOUR_MS

_LOANS: tuple[tuple[str, str, str, int, int, int], ...] = (
    ("main", "BINANCE", "USDT", 50_000, 400_000, 240),
    ("main", "BINANCE", "ETH", 20, 150, 400),
    ("main", "OKX", "USDT", 30_000, 150_000, 360),
    ("sub", "BINANCE", "USDT", 10_000, 60_000, 500),
)
"""Portfolio, venue, coin, smallest and largest loan in hundredths of the coin, usual hours between two loans."""


class PlannedLoan(NamedTuple):
    """Planned borrow or repayment; `level` is main or sub portfolio, the time is in ms."""

    level: str
    exchange: str
    coin: str
    amount: Decimal
    at: int
    repays: bool


def plan_loans(random_source: RandomSource, first_ms: int, end_ms: int) -> list[PlannedLoan]:
    """Plan every borrow and repayment in a time span, oldest first."""
    loans: list[PlannedLoan] = []
    for level, venue, coin, least, most, gap in _LOANS:
        loans += _plan_account(random_source, (level, venue, coin), (least, most), gap, first_ms, end_ms)
    return sorted(loans, key=lambda loan: loan.at)


def _plan_account(
    random_source: RandomSource,
    account: tuple[str, str, str],
    size: tuple[int, int],
    gap: int,
    first_ms: int,
    end_ms: int,
) -> Iterator[PlannedLoan]:
    """Plan the loans of a venue account, one after the other."""

    def draw(least: int, most: int) -> int:
        return least + random_source.randrange(most - least + 1)

    at = first_ms + draw(HOUR_MS, gap * HOUR_MS)
    while True:
        held = draw(20, 120) * HOUR_MS + draw(0, HOUR_MS)
        if at + held + HOUR_MS > end_ms:
            return
        hundredths = draw(*size)
        yield PlannedLoan(*account, _amount(hundredths), at, repays=False)
        early = draw(1, hundredths - 1) if draw(0, 2) == 0 else 0
        if early:
            yield PlannedLoan(*account, _amount(early), at + held // 2, repays=True)
        yield PlannedLoan(*account, _amount(hundredths - early), at + held, repays=True)
        at += held + draw(gap * HOUR_MS // 2, gap * HOUR_MS)


def _amount(hundredths: int) -> Decimal:
    return Decimal(hundredths).scaleb(-AMOUNT_PLACES)
