"""Portfolio loans: words, records and endpoint rows. Figures are texts, except where a field says Number."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum

import msgspec

from tui.interface.endpoint import MAIN_AND_SUB, Family, Kind, Param, Permission, RateLimit, Shape


class LoanType(StrEnum):
    """Type of a loan order."""

    BORROW = "borrow"
    REPAY = "repay"


class LoanBookingType(StrEnum):
    """Type of a row of the loan statement; a question names it without the prefix."""

    BORROW = "loan_borrow"
    REPAY = "loan_repay"
    INTEREST = "loan_interest"
    LIQUIDATION_FEE = "loan_liquidation_fee"

    @property
    def asked(self) -> str:
        """The word of the parameter `type`."""
        return self.value.removeprefix("loan_")


FILLED = "filled"
"""The documented status of a loan order: it is carried out at once, and a refused one leaves nothing."""
FAILED = frozenset(["failed", "rejected", "cancelled"])
"""Words for a loan order that was not carried out, should a service leave one."""
MAX_CLIENT_ID = 64
"""Characters of a clientOrderId of a loan order."""


class LoanCoin(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One borrowed coin of a venue account."""

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
    """Loan figures of one venue account; only borrowed coins are listed."""

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
    """USDT, per user and shared by its portfolios."""
    loan_mmr: str
    loan_interest_rate: str
    """Annual, a fraction."""


class MaxLoan(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a portfolio can borrow of a coin on a venue now, in coins."""

    exchange: str
    coin: str
    portfolio_max_loan_coin: str


class Borrowed(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Answer to borrow; amounts are Numbers, in coins."""

    order_id: str
    borrowed: Decimal
    loan_balance: Decimal
    available_balance: Decimal
    timestamp: int | str
    """ms."""


class Repaid(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Answer to repay; amounts are Numbers, in coins."""

    order_id: str
    repaid: Decimal
    interest_paid: Decimal
    """Always 0: interest is settled separately."""
    loan_balance: Decimal
    available_balance: Decimal
    timestamp: int | str
    """ms."""


class LoanOrderRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One borrow or repay."""

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
    """One booking of a loan: the signed change, and the balance of the coin after it."""

    statement_id: str
    exchange: str
    type: str
    coin: str
    delta: str
    balance: str
    timestamp: int | str
    """ms."""


_EXCHANGE = Param(name="exchange", kind=Kind.VENUE, wrong=401023, aliases=("exchangeType",))
_COIN = Param(name="coin", aliases=("asset",))
_WINDOW = (
    Param(name="startTime", kind=Kind.MILLIS, aliases=("begin",)),
    Param(name="endTime", kind=Kind.MILLIS, aliases=("end",)),
    Param(name="page", kind=Kind.WHOLE, aliases=("pageNum",)),
    Param(name="pageSize", kind=Kind.WHOLE, aliases=("limit",)),
)

LOAN_PARAMS = (
    Param(name="exchange", kind=Kind.VENUE, required=True, wrong=401023, aliases=("exchangeType",)),
    Param(name="coin", required=True, wrong=406014, aliases=("asset",)),
    Param(name="amount", kind=Kind.DECIMAL, required=True, wrong=406023),
    Param(name="clientOrderId"),
)
_ORDERS_PARAMS = (
    Param(name="orderId"),
    Param(name="clientOrderId"),
    _COIN,
    Param(name="type", kind=Kind.WORD, words=tuple(LoanType)),
    *_WINDOW,
)
_STATEMENT_PARAMS = (
    Param(name="type", kind=Kind.WORD, words=tuple(one.asked for one in LoanBookingType)),
    _COIN,
    *_WINDOW,
)

_PORTFOLIO_LOAN = Family(
    "portfolio-loan", permission=Permission.READ, scopes=MAIN_AND_SUB, success=200000, limit=RateLimit(20, 1)
)

# fmt: off
PORTFOLIO_LOAN_INFO = _PORTFOLIO_LOAN.row("portfolio_loan_info", "GET /api/v1/trading/portfolioLoan/loan/info",
    "borrowing status, LTV, margin metrics, loan balances", record=LoanInfo, shape=Shape.OBJECT)
PORTFOLIO_LOAN_CONFIG = _PORTFOLIO_LOAN.row("portfolio_loan_config", "GET /api/v1/trading/portfolioLoan/loan/config",
    "borrowable currencies, quota, rates", record=LoanConfig, shape=Shape.ARRAY)
PORTFOLIO_LOAN_MAX = _PORTFOLIO_LOAN.row("portfolio_loan_max", "GET /api/v1/trading/portfolioLoan/loan/maxLoan",
    "maximum borrowable per venue", params=(_EXCHANGE,), record=MaxLoan, shape=Shape.ARRAY)
PORTFOLIO_LOAN_BORROW = _PORTFOLIO_LOAN.row("portfolio_loan_borrow", "POST /api/v1/trading/portfolioLoan/loan/borrow",
    "borrow", permission=Permission.TRADE, limit=RateLimit(50, 10), params=LOAN_PARAMS, record=Borrowed,
    shape=Shape.OBJECT)
PORTFOLIO_LOAN_REPAY = _PORTFOLIO_LOAN.row("portfolio_loan_repay", "POST /api/v1/trading/portfolioLoan/loan/repay",
    "repay principal", permission=Permission.TRADE, limit=RateLimit(50, 10), params=LOAN_PARAMS, record=Repaid,
    shape=Shape.OBJECT)
PORTFOLIO_LOAN_ORDERS = _PORTFOLIO_LOAN.row("portfolio_loan_orders", "GET /api/v1/trading/portfolioLoan/loan/orders",
    "borrow and repay orders, 90 days", paged=True, params=_ORDERS_PARAMS, record=LoanOrderRecord, shape=Shape.PAGE)
PORTFOLIO_LOAN_STATEMENT = _PORTFOLIO_LOAN.row("portfolio_loan_statement",
    "GET /api/v1/trading/portfolioLoan/loan/statement", "loan settlement history, 90 days", paged=True,
    params=_STATEMENT_PARAMS, record=LoanStatementRecord, shape=Shape.PAGE)
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
