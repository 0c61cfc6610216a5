"""Portfolio loans: enums, records, requests and endpoint definitions. Amounts are texts unless a field says Number."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from typing import Annotated

import msgspec

from tui.interface.endpoint import MAIN_AND_SUB, Family, Permission, RateLimit, Shape
from tui.interface.request import Coin, CommandRequest, ExchangeFilter, Kind, PeriodRequest, Request, Rule


class LoanType(StrEnum):
    """Type of a loan order: borrow or repay."""

    BORROW = "borrow"
    REPAY = "repay"


class LoanBookingType(StrEnum):
    """Type of a loan statement row; a query uses it without the prefix `loan_`."""

    BORROW = "loan_borrow"
    REPAY = "loan_repay"
    INTEREST = "loan_interest"
    LIQUIDATION_FEE = "loan_liquidation_fee"

    @property
    def query_word(self) -> str:
        """Value of this type in the parameter `type` of a loan statement query, without the prefix `loan_`."""
        return self.value.removeprefix("loan_")


FILLED = "filled"
"""Documented status of a loan order: it is executed at once, and a refused one leaves no record."""
FAILED = frozenset(["failed", "rejected", "cancelled"])
"""Statuses of a loan order that was not executed, in case a service records one."""
MAX_CLIENT_ID = 64
"""Characters of a clientOrderId of a loan order."""


class LoanCoin(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Borrowed coin of a venue account, with its loan figures."""

    coin: str
    loan: str
    loan_mmr: str = ""
    loan_leverage: int | str = 0
    """Number."""
    loan_value: str = ""
    net_equity: str = ""
    net_equity_value: str = ""
    net_margin_value: str = ""
    portfolio_max_loan_coin: str = ""


class LoanAccount(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Loan figures of one venue account, listing only borrowed coins."""

    exchange: str
    account_status: str
    ltv: str
    net_margin_value: str = ""
    net_valid_margin: str = ""
    net_available_margin: str = ""
    loan_margin: str = ""
    loan_maintenance_margin: str = ""
    coins: list[LoanCoin] = []


class LoanInfo(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Loan figures of a portfolio."""

    portfolio_id: int | str
    """Number."""
    accounts: list[LoanAccount] = []


class LoanConfig(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Terms of a coin that can be borrowed."""

    coin: str
    loan_leverage: str
    max_loan_value: str
    """In USDT, per user and shared by the user's portfolios."""
    loan_mmr: str
    loan_interest_rate: str
    """Annual rate, a fraction."""


class MaxLoan(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Largest amount of a coin that a portfolio can borrow on a venue now, in coins."""

    exchange: str
    coin: str
    portfolio_max_loan_coin: str


class Borrowed(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Reply to a borrow; amounts are JSON numbers, in coins."""

    order_id: str
    borrowed: Decimal
    loan_balance: Decimal
    available_balance: Decimal
    timestamp: int | str
    """ms."""


class Repaid(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Reply to a repayment; amounts are JSON numbers, in coins."""

    order_id: str
    repaid: Decimal
    interest_paid: Decimal
    """Always 0: interest is settled separately."""
    loan_balance: Decimal
    available_balance: Decimal
    timestamp: int | str
    """ms."""


class LoanOrderRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Loan order: a borrow or repayment."""

    order_id: str
    client_order_id: str = ""
    exchange: str
    type: str
    coin: str
    amount: str
    status: str
    create_time: int | str
    """ms."""


class LoanStatementRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Loan statement row: signed change, and the balance of the coin after it."""

    statement_id: str
    exchange: str
    type: str
    coin: str
    delta: str
    balance: str
    timestamp: int | str
    """ms."""


class LoanCommand(CommandRequest, frozen=True, kw_only=True, rename="camel"):
    """Request that borrows or repays a portfolio loan."""

    exchange: ExchangeFilter
    coin: Annotated[str, Rule(error_code=406014, aliases=("asset",))]
    amount: Annotated[str, Rule(Kind.DECIMAL, error_code=406023)]
    client_order_id: str = ""


class Borrow(LoanCommand, frozen=True, kw_only=True, rename="camel", tag="portfolio_loan_borrow"):
    """Request to borrow a coin as portfolio loan."""


class Repay(LoanCommand, frozen=True, kw_only=True, rename="camel", tag="portfolio_loan_repay"):
    """Request to repay principal of a portfolio loan."""


class MaxLoanQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for the largest possible loans, by venue."""

    exchange: ExchangeFilter = ""


class LoanOrdersQuery(PeriodRequest, frozen=True, kw_only=True, rename="camel"):
    """Query for loan orders."""

    order_id: str = ""
    client_order_id: str = ""
    coin: Coin = ""
    type: Annotated[str, Rule(Kind.WORD, tuple(LoanType))] = ""


class LoanStatementQuery(PeriodRequest, frozen=True, kw_only=True, rename="camel"):
    """Query for loan statement rows."""

    type: Annotated[str, Rule(Kind.WORD, tuple(booking.query_word for booking in LoanBookingType))] = ""
    coin: Coin = ""


_PORTFOLIO_LOAN = Family(
    "portfolio-loan", permission=Permission.READ, scopes=MAIN_AND_SUB, success=200000, limit=RateLimit(20, 1)
)

# fmt: off
PORTFOLIO_LOAN_INFO = _PORTFOLIO_LOAN.row("portfolio_loan_info", "GET /api/v1/trading/portfolioLoan/loan/info",
    "borrowing status, LTV, margin metrics, loan balances", record=LoanInfo, shape=Shape.OBJECT)
PORTFOLIO_LOAN_CONFIG = _PORTFOLIO_LOAN.row("portfolio_loan_config", "GET /api/v1/trading/portfolioLoan/loan/config",
    "borrowable currencies, quota, rates", record=LoanConfig, shape=Shape.ARRAY)
PORTFOLIO_LOAN_MAX = _PORTFOLIO_LOAN.row("portfolio_loan_max", "GET /api/v1/trading/portfolioLoan/loan/maxLoan",
    "maximum borrowable per venue", request=MaxLoanQuery, record=MaxLoan, shape=Shape.ARRAY)
PORTFOLIO_LOAN_BORROW = _PORTFOLIO_LOAN.row("portfolio_loan_borrow", "POST /api/v1/trading/portfolioLoan/loan/borrow",
    "borrow", permission=Permission.TRADE, limit=RateLimit(50, 10), request=Borrow, record=Borrowed,
    shape=Shape.OBJECT)
PORTFOLIO_LOAN_REPAY = _PORTFOLIO_LOAN.row("portfolio_loan_repay", "POST /api/v1/trading/portfolioLoan/loan/repay",
    "repay principal", permission=Permission.TRADE, limit=RateLimit(50, 10), request=Repay, record=Repaid,
    shape=Shape.OBJECT)
PORTFOLIO_LOAN_ORDERS = _PORTFOLIO_LOAN.row("portfolio_loan_orders", "GET /api/v1/trading/portfolioLoan/loan/orders",
    "borrow and repay orders, 90 days", paged=True, request=LoanOrdersQuery, record=LoanOrderRecord, shape=Shape.PAGE)
PORTFOLIO_LOAN_STATEMENT = _PORTFOLIO_LOAN.row("portfolio_loan_statement",
    "GET /api/v1/trading/portfolioLoan/loan/statement", "loan settlement history, 90 days", paged=True,
    request=LoanStatementQuery, record=LoanStatementRecord, shape=Shape.PAGE)
# fmt: on

ROWS = (
    PORTFOLIO_LOAN_INFO,
    PORTFOLIO_LOAN_CONFIG,
    PORTFOLIO_LOAN_MAX,
    PORTFOLIO_LOAN_BORROW,
    PORTFOLIO_LOAN_REPAY,
    PORTFOLIO_LOAN_ORDERS,
    PORTFOLIO_LOAN_STATEMENT,
)
