"""Executions, account statement and trading statistics: records, requests and endpoint definitions."""

from __future__ import annotations

from typing import Annotated

import msgspec

from tui.interface.endpoint import MAIN_AND_SUB, Family, Permission, RateLimit, Scope, Shape
from tui.interface.families.orders import OpenOrdersQuery
from tui.interface.request import BusinessFilter, ExchangeFilter, Id, Kind, PeriodRequest, Request, Rule, Symbol


class TradeRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Fill, as a row of the execution list and as a push of the Trades channel."""

    transaction_id: str
    """Unique id of the fill; a fill is counted once by it."""
    portfolio_id: str = ""
    order_id: str
    client_order_id: str = ""
    exchange_type: str = ""
    business_type: str = ""
    sym: str
    side: str
    quantity: str
    price: str
    fee: str = "0"
    fee_coin: str = ""
    rebate: str = "0"
    rebate_coin: str = ""
    rpnl: str = "0"
    algo_order_id: str | None = "0"
    exec_type: str = ""
    trade_source: str = ""
    create_at: str


def add_removed_fields(record: TradeRecord, *, pushed: bool) -> dict[str, object]:
    """Return a fill with fields of older versions: on a push one signed fee, over REST fee and update time."""
    shown: dict[str, object] = msgspec.to_builtins(record)
    earned = pushed and record.rebate != "0"
    shown["tradingFee"] = f"-{record.rebate}" if earned else record.fee
    shown["tradingFeeCoin"] = record.rebate_coin if earned else record.fee_coin
    if not pushed:
        shown["updateAt"] = record.create_at
    return shown


class StatementRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Row of the account statement: a change of one coin's balance in a portfolio; amounts in coins."""

    portfolio_id: int | str
    request_id: str = ""
    """Payment time in ms for funding."""
    statement_id: str = ""
    coin: str = ""
    sym: str = ""
    statement_type: str = ""
    exchange_type: str = ""
    business_type: str = ""
    before_available: str = "0"
    after_available: str = "0"
    before_overdraw: str = "0"
    after_overdraw: str = "0"
    before_borrow: str = "0"
    after_borrow: str = "0"
    delta_amount: str = "0"
    """Signed: afterAvailable less beforeAvailable."""
    create_at: int | str = 0


NO_ALGO = "0"
"""Algo order id of a fill that no algo order made."""


class UserStatsDetail(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    exchange: str
    business_type: str
    executed_amount: str = "0"
    """In USDT."""


class UserStats(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Traded volume of a user over all portfolios, in USDT; days as yyyyMMdd."""

    begin: str
    end: str
    all_spot: str = "0"
    all_perp: str = "0"
    details: list[UserStatsDetail] = []


class PortfolioStatsDetail(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    exchange: str
    business_type: str
    symbol: str
    executed_amount: str = "0"
    """In USDT."""
    total_trading_fee: str = "0"
    total_rpnl: str = "0"


class PortfolioStats(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Traded volume of one portfolio, in USDT; days as yyyyMMdd."""

    begin: str
    end: str
    okx_spot_vol_usd: str = "0"
    okx_perp_vol_usd: str = "0"
    binance_spot_vol_usd: str = "0"
    binance_perp_vol_usd: str = "0"
    details: list[PortfolioStatsDetail] = []


TRADE = "TRADE"
"""`statementType` of fills; only the paper venue uses it."""

FUNDING_FEE = "FUNDING_FEE"
"""`statementType` of funding payments."""
DEDUCT_INTEREST = "DEDUCT_INTEREST"
"""`statementType` of hourly interest."""
LIQUIDATION_FEE = "LIQUIDATION_FEE"
"""`statementType` of the fee of a forced close."""
LIQ_COMPENSATION = "LIQ_COMPENSATION"
"""`statementType` of the part of such fees that is paid back."""
DIVIDEND = "DIVIDEND"
"""`statementType` of settled dividends."""


class ExecutionsQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for the newest executions, without paging."""

    order_id: Id = ""
    sym: Symbol = ""
    exchange: ExchangeFilter = ""
    business_type: BusinessFilter = ""
    begin: Annotated[str, Rule(Kind.MILLIS, aliases=("startTime",))] = ""
    end: Annotated[str, Rule(Kind.MILLIS, aliases=("endTime",))] = ""
    limit: Annotated[str, Rule(Kind.WHOLE, aliases=("pageSize",))] = ""


class ExecutionPagesQuery(OpenOrdersQuery, frozen=True, kw_only=True, rename="camel"):
    """Query for executions, page by page."""

    order_id: Id = ""


class StatementQuery(PeriodRequest, frozen=True, kw_only=True, rename="camel"):
    """Query for rows of the account statement."""

    coin: str = ""
    sym: Symbol = ""
    statement_type: str = ""
    exchange: ExchangeFilter = ""


class UserStatsQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for the trading volume of a user."""

    exchange: ExchangeFilter = ""
    business_type: Annotated[str, Rule(Kind.WORD, ("SPOT", "PERP"))] = ""
    begin: Annotated[str, Rule(Kind.MOMENT, aliases=("startTime",))]
    end: Annotated[str, Rule(Kind.MOMENT, aliases=("endTime",))]


class PortfolioStatsQuery(UserStatsQuery, frozen=True, kw_only=True, rename="camel"):
    """Query for the trading volume of a portfolio."""

    sym_list: str = ""


_EXECUTIONS = Family(
    "executions", permission=Permission.READ, scopes=MAIN_AND_SUB, success=200000, limit=RateLimit(5, 10)
)
_STATS = Family("stats", permission=Permission.READ, scopes=(Scope.MAIN,), success=200000, limit=RateLimit(20, 1))

# fmt: off
EXECUTIONS = _EXECUTIONS.row("executions", "GET /api/v1/trading/executions",
    "recent executions, 7 days, data is an array (limit up to 1000)", request=ExecutionsQuery, record=TradeRecord,
    shape=Shape.ARRAY)
EXECUTIONS_PAGED = _EXECUTIONS.row("executions_paged", "GET /api/v1/trading/executions/pageable",
    "recent executions, 7 days, paged", paged=True, request=ExecutionPagesQuery, record=TradeRecord, shape=Shape.PAGE)
EXECUTIONS_ARCHIVE = _EXECUTIONS.row("executions_archive", "GET /api/v1/trading/archive/executions/pageable",
    "archived executions, 7 to 90 days", paged=True, request=ExecutionPagesQuery, record=TradeRecord, shape=Shape.PAGE)
STATEMENT = _EXECUTIONS.row("statement", "GET /api/v1/trading/statement",
    "statement (funding, interest, liquidation fee, dividend)", limit=RateLimit(100, 60), paged=True,
    request=StatementQuery, record=StatementRecord, shape=Shape.PAGE)
PORTFOLIO_TRADING_STATS = _STATS.row("portfolio_trading_stats", "GET /v1/trading/user/portfolio/tradingstats",
    "trading volume of one portfolio", scopes=MAIN_AND_SUB, limit=RateLimit(10, 3600),
    request=PortfolioStatsQuery, record=PortfolioStats, shape=Shape.OBJECT)
USER_TRADING_STATS_OLD = _STATS.row("user_trading_stats_old", "GET /v1/trading/user/tradingStats",
    "user-level aggregate volume (older spelling)", replacement="GET /api/v1/trading/user/tradingStats",
    request=UserStatsQuery, record=UserStats, shape=Shape.OBJECT)
USER_TRADING_STATS = _STATS.row("user_trading_stats", "GET /api/v1/trading/user/tradingStats",
    "user-level aggregate volume (shares its limit with the older spelling)", request=UserStatsQuery,
    record=UserStats, shape=Shape.OBJECT)
# fmt: on

ROWS = (
    EXECUTIONS,
    EXECUTIONS_PAGED,
    EXECUTIONS_ARCHIVE,
    STATEMENT,
    PORTFOLIO_TRADING_STATS,
    USER_TRADING_STATS_OLD,
    USER_TRADING_STATS,
)
