"""Borrowing, interest, collateral discounts and portfolio loans: enums, records and endpoint rows."""

from __future__ import annotations

import msgspec

from tui.interface.endpoint import Endpoint, Kind, Param, Permission, RateLimit, Scope, Shape


class LoanPoolRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a venue can still lend of a coin."""

    exchange_type: str
    coin: str
    max_avi_loan: str


class LoanTierRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One tier of a debt, coins; the lower bound inclusive, the upper exclusive."""

    tier: str
    min_size: str
    max_size: str
    mm_rate: str
    max_leverage: str


class LoanTiers(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The tiers of a coin on a venue."""

    exchange_type: str
    coin: str
    tiers: list[LoanTierRow] = []


class CoinDiscountRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Share of a coin's value that counts as collateral."""

    coin: str
    discount: str


class InterestLevelRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a user of a level pays per hour, a fraction, and may owe at most, coins."""

    level: str
    hour_interest_rate: str
    loan_limit: str


class InterestRates(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The levels of a coin on a venue."""

    exchange_type: str
    coin: str
    update_time: int
    levels: list[InterestLevelRow] = []


class OldLoanTier(LoanTierRow, frozen=True, kw_only=True, rename="camel"):
    """A tier in the flat list of the removed endpoint."""

    exchange_type: str
    coin: str


class OldInterestLevel(InterestLevelRow, frozen=True, kw_only=True, rename="camel"):
    """A level in the lists by venue of the removed endpoint."""

    exchange_type: str
    coin: str
    update_time: int
    """Seconds."""


_COIN_OF_A_VENUE = (
    Param(name="exchangeType", kind=Kind.VENUE, wrong=401023, aliases=("exchange",)),
    Param(name="coin", aliases=("asset",)),
)

LOAN_POOL = Endpoint(
    name="loan_pool",
    method="GET",
    path="/api/v1/trading/loan/pool",
    family="loans",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(2, 1),
    purpose="maximum loanable quantity of an asset on a venue",
    params=_COIN_OF_A_VENUE,
    record=LoanPoolRow,
    shape=Shape.ARRAY,
)

LOAN_INFO = Endpoint(
    name="loan_info",
    method="GET",
    path="/api/v1/trading/loan/info_detail",
    family="loans",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(3, 10),
    purpose="cross-margin tier limits by pair",
    params=_COIN_OF_A_VENUE,
    record=LoanTiers,
    shape=Shape.MAP,
)

LOAN_INFO_OLD = Endpoint(
    name="loan_info_old",
    method="GET",
    path="/api/v1/trading/loan/info",
    family="loans",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(3, 10),
    removed="after 2026-11-15",
    replacement="GET /api/v1/trading/loan/info_detail",
    purpose="cross-margin tier limits, flat",
)

COIN_DISCOUNTS = Endpoint(
    name="coin_discounts",
    method="GET",
    path="/api/v1/trading/coin/discount_detail",
    family="loans",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(3, 10),
    purpose="collateral discount rates by coin",
    params=(Param(name="coin", aliases=("asset",)),),
    record=CoinDiscountRow,
    shape=Shape.MAP,
)

COIN_DISCOUNTS_OLD = Endpoint(
    name="coin_discounts_old",
    method="GET",
    path="/api/v1/trading/coin/discount",
    family="loans",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(3, 10),
    removed="after 2026-11-15",
    replacement="GET /api/v1/trading/coin/discount_detail",
    purpose="collateral discount rates, flat",
)

INTEREST_RATES = Endpoint(
    name="interest_rates",
    method="GET",
    path="/api/v1/interest/user_detail",
    family="loans",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(3, 10),
    purpose="hourly borrow interest rates by pair",
    params=(
        Param(
            name="exchangeType",
            kind=Kind.WORD,
            words=("BINANCE", "OKX"),
            required=True,
            wrong=401023,
            aliases=("exchange",),
        ),
    ),
    record=InterestRates,
    shape=Shape.MAP,
)

INTEREST_RATES_OLD = Endpoint(
    name="interest_rates_old",
    method="GET",
    path="/api/v1/interest/user",
    family="loans",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=None,
    limit=RateLimit(3, 10),
    removed="after 2026-11-15",
    replacement="GET /api/v1/interest/user_detail",
    purpose="hourly borrow interest rates, no envelope, updateTime in seconds",
)

PORTFOLIO_LOAN_INFO = Endpoint(
    name="portfolio_loan_info",
    method="GET",
    path="/api/v1/trading/portfolioLoan/loan/info",
    family="portfolio-loan",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(20, 1),
    purpose="borrowing status, LTV, margin metrics, loan balances",
)

PORTFOLIO_LOAN_CONFIG = Endpoint(
    name="portfolio_loan_config",
    method="GET",
    path="/api/v1/trading/portfolioLoan/loan/config",
    family="portfolio-loan",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(20, 1),
    purpose="borrowable currencies, quota, rates",
)

PORTFOLIO_LOAN_MAX = Endpoint(
    name="portfolio_loan_max",
    method="GET",
    path="/api/v1/trading/portfolioLoan/loan/maxLoan",
    family="portfolio-loan",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(20, 1),
    purpose="maximum borrowable per venue",
)

PORTFOLIO_LOAN_BORROW = Endpoint(
    name="portfolio_loan_borrow",
    method="POST",
    path="/api/v1/trading/portfolioLoan/loan/borrow",
    family="portfolio-loan",
    permission=Permission.TRADE,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(50, 10),
    purpose="borrow",
)

PORTFOLIO_LOAN_REPAY = Endpoint(
    name="portfolio_loan_repay",
    method="POST",
    path="/api/v1/trading/portfolioLoan/loan/repay",
    family="portfolio-loan",
    permission=Permission.TRADE,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(50, 10),
    purpose="repay principal",
)

PORTFOLIO_LOAN_ORDERS = Endpoint(
    name="portfolio_loan_orders",
    method="GET",
    path="/api/v1/trading/portfolioLoan/loan/orders",
    family="portfolio-loan",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(20, 1),
    paged=True,
    purpose="borrow and repay orders, 90 days",
)

PORTFOLIO_LOAN_STATEMENT = Endpoint(
    name="portfolio_loan_statement",
    method="GET",
    path="/api/v1/trading/portfolioLoan/loan/statement",
    family="portfolio-loan",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(20, 1),
    paged=True,
    purpose="loan settlement history, 90 days",
)

ROWS = (
    LOAN_POOL,
    LOAN_INFO,
    LOAN_INFO_OLD,
    COIN_DISCOUNTS,
    COIN_DISCOUNTS_OLD,
    INTEREST_RATES,
    INTEREST_RATES_OLD,
    PORTFOLIO_LOAN_INFO,
    PORTFOLIO_LOAN_CONFIG,
    PORTFOLIO_LOAN_MAX,
    PORTFOLIO_LOAN_BORROW,
    PORTFOLIO_LOAN_REPAY,
    PORTFOLIO_LOAN_ORDERS,
    PORTFOLIO_LOAN_STATEMENT,
)
