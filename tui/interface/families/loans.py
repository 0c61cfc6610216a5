"""Borrowing, interest, collateral discounts and portfolio loans: enums, records and endpoint rows."""

from __future__ import annotations

from tui.interface.endpoint import Endpoint, Permission, RateLimit, Scope

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
