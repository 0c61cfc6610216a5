"""Borrowing costs: interest rates of margin debts at the portfolio's interest level, and of portfolio loans."""

from __future__ import annotations

from decimal import Decimal

from tui.engine.rows import Fact, Table
from tui.interface.decimals import half_up
from tui.interface.families.fees import FeeSchedule
from tui.interface.families.loans import InterestLevelRow, InterestRates
from tui.interface.families.portfolio_loans import LoanConfig
from tui.rules.borrowing.portfolio_loans import HOURS_OF_A_YEAR, hourly_rate
from tui.workstation.model import number_format
from tui.workstation.model.mirror import Mirror

HOURS_OF_A_DAY = 24
_HOUR_PLACES, _DAY_PLACES, _YEAR_PLACES = 6, 4, 2
"""Decimals of rates in per cent."""


def level_of(mirror: Mirror, exchange: str, coin: str) -> InterestLevelRow | None:
    """Return the interest level of a coin named in the venue's fee schedule, else the first level; None if not read."""
    rates, fact = mirror.row(Table.INTEREST, f"{exchange}/{coin}"), mirror.row(Table.FEES, f"{exchange}/SPOT")
    if not isinstance(rates, InterestRates) or not rates.levels:
        return None
    name = fact.record.level if isinstance(fact, Fact) and isinstance(fact.record, FeeSchedule) else ""
    return next((row for row in rates.levels if row.level == name), rates.levels[0])


def margin_rate(mirror: Mirror, exchange: str, coin: str) -> Decimal | None:
    """Return the hourly interest rate of a margin debt as a fraction; None if not read yet."""
    level = level_of(mirror, exchange, coin)
    return None if level is None else number_format.value(level.hour_interest_rate)


def loan_terms(mirror: Mirror, coin: str) -> LoanConfig | None:
    """Return the portfolio loan terms of a coin; None if it cannot be borrowed or is not read yet."""
    terms = mirror.row(Table.LOAN_CONFIG, coin)
    return terms if isinstance(terms, LoanConfig) else None


def loan_rate(mirror: Mirror, coin: str) -> Decimal | None:
    """Return the hourly interest rate of a portfolio loan as a fraction; None if not read yet."""
    terms = loan_terms(mirror, coin)
    annual = number_format.value(terms.loan_interest_rate) if terms is not None else None
    return None if annual is None else hourly_rate(annual)


def an_hour(rate: Decimal | None) -> str:
    """Format an hourly rate as a percentage."""
    return _per_cent(rate, 1, _HOUR_PLACES)


def a_day(rate: Decimal | None) -> str:
    """Format an hourly rate as a percentage per day."""
    return _per_cent(rate, HOURS_OF_A_DAY, _DAY_PLACES)


def a_year(rate: Decimal | None) -> str:
    """Format an hourly rate as a percentage per year."""
    return _per_cent(rate, HOURS_OF_A_YEAR, _YEAR_PLACES)


def describe_rate(rate: Decimal | None) -> str:
    """Describe an hourly rate as part of a sentence."""
    return "a rate that is not read yet" if rate is None else f"{an_hour(rate)} an hour, {a_year(rate)} a year"


def _per_cent(rate: Decimal | None, hours: int, places: int) -> str:
    return number_format.MISSING if rate is None else f"{half_up(rate * hours * 100, places):f}%"
