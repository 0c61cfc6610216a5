"""Borrowing limits, interest rates and collateral discounts: records, requests and endpoint definitions."""

from __future__ import annotations

from typing import Annotated

import msgspec

from tui.interface.endpoint import MAIN_AND_SUB, Family, Permission, RateLimit, Shape
from tui.interface.request import Coin, ExchangeTypeFilter, Kind, Request, Rule


class LoanPoolRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Amount of a coin that a venue can still lend."""

    exchange_type: str
    coin: str
    max_avi_loan: str


class LoanTierRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Margin tier of a debt, in coins; the lower bound is inclusive, the upper exclusive."""

    tier: str
    min_size: str
    max_size: str
    mm_rate: str
    max_leverage: str


class LoanTiers(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Margin tiers of debts in a coin on a venue."""

    exchange_type: str
    coin: str
    tiers: list[LoanTierRow] = []


class CoinDiscountRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Share of a coin's value that counts as collateral."""

    coin: str
    discount: str


class InterestLevelRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Hourly interest rate (a fraction) and largest debt (coins) of a user level."""

    level: str
    hour_interest_rate: str
    loan_limit: str


class InterestRates(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Interest levels of a coin on a venue."""

    exchange_type: str
    coin: str
    update_time: int
    levels: list[InterestLevelRow] = []


class OldLoanTier(LoanTierRow, frozen=True, kw_only=True, rename="camel"):
    """Margin tier in the flat list of the removed endpoint."""

    exchange_type: str
    coin: str


class OldInterestLevel(InterestLevelRow, frozen=True, kw_only=True, rename="camel"):
    """Interest level in the per-venue lists of the removed endpoint."""

    exchange_type: str
    coin: str
    update_time: int
    """Seconds."""


LENDING_VENUES = ("BINANCE", "OKX")
"""Venues with interest rates."""


class CoinOfVenueQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for a coin of a venue, or for all its coins."""

    exchange_type: ExchangeTypeFilter = ""
    coin: Coin = ""


class DiscountsQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for the collateral discount of one coin, or of all."""

    coin: Coin = ""


class InterestRatesQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for the interest rates of a venue."""

    exchange_type: Annotated[str, Rule(Kind.WORD, LENDING_VENUES, 401023, ("exchange",))]


_LOANS = Family("loans", permission=Permission.READ, scopes=MAIN_AND_SUB, success=200000, limit=RateLimit(3, 10))

# fmt: off
LOAN_POOL = _LOANS.row("loan_pool", "GET /api/v1/trading/loan/pool", "maximum loanable quantity of an asset on a venue",
    limit=RateLimit(2, 1), request=CoinOfVenueQuery, record=LoanPoolRow, shape=Shape.ARRAY)
LOAN_INFO = _LOANS.row("loan_info", "GET /api/v1/trading/loan/info_detail", "cross-margin tier limits by pair",
    request=CoinOfVenueQuery, record=LoanTiers, shape=Shape.MAP)
LOAN_INFO_OLD = _LOANS.row("loan_info_old", "GET /api/v1/trading/loan/info", "cross-margin tier limits, flat",
    request=CoinOfVenueQuery, record=OldLoanTier, shape=Shape.ARRAY, removed="after 2026-11-15",
    replacement="GET /api/v1/trading/loan/info_detail")
COIN_DISCOUNTS = _LOANS.row("coin_discounts", "GET /api/v1/trading/coin/discount_detail",
    "collateral discount rates by coin", request=DiscountsQuery, record=CoinDiscountRow, shape=Shape.MAP)
COIN_DISCOUNTS_OLD = _LOANS.row("coin_discounts_old", "GET /api/v1/trading/coin/discount",
    "collateral discount rates, flat", request=DiscountsQuery, record=CoinDiscountRow, shape=Shape.ARRAY,
    removed="after 2026-11-15", replacement="GET /api/v1/trading/coin/discount_detail")
INTEREST_RATES = _LOANS.row("interest_rates", "GET /api/v1/interest/user_detail",
    "hourly borrow interest rates by pair", request=InterestRatesQuery, record=InterestRates, shape=Shape.MAP)
INTEREST_RATES_OLD = _LOANS.row("interest_rates_old", "GET /api/v1/interest/user",
    "hourly borrow interest rates, no envelope, updateTime in seconds", success=None, request=CoinOfVenueQuery,
    record=OldInterestLevel, shape=Shape.LISTS, removed="after 2026-11-15",
    replacement="GET /api/v1/interest/user_detail")
# fmt: on

ROWS = (
    LOAN_POOL,
    LOAN_INFO,
    LOAN_INFO_OLD,
    COIN_DISCOUNTS,
    COIN_DISCOUNTS_OLD,
    INTEREST_RATES,
    INTEREST_RATES_OLD,
)
