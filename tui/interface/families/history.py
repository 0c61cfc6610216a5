"""Executions, statement and trading statistics: records and endpoint rows."""

from __future__ import annotations

import msgspec

from tui.interface.endpoint import (
    Endpoint,
    Kind,
    Param,
    Permission,
    RateLimit,
    Scope,
    Shape,
)


class TradeRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One fill: a row of the executions and a push of the Trades channel."""

    transaction_id: str
    """Unique per fill; fills are counted once by it."""
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


class StatementRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One booking on a coin of a portfolio; amounts in coins."""

    portfolio_id: int | str
    request_id: str = ""
    """Of funding the payment time in ms."""
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


FUNDING_FEE = "FUNDING_FEE"
"""The `statementType` of funding payments."""

_FILTERS = (
    Param(name="orderId", kind=Kind.ID, wrong=401007),
    Param(name="sym", kind=Kind.SYM),
    Param(name="exchange", kind=Kind.VENUE, wrong=401023, aliases=("exchangeType",)),
    Param(name="businessType", kind=Kind.WORD, words=("SPOT", "MARGIN", "PERP")),
    Param(name="begin", kind=Kind.MILLIS, aliases=("startTime",)),
    Param(name="end", kind=Kind.MILLIS, aliases=("endTime",)),
)
_PAGE = (
    Param(name="page", kind=Kind.WHOLE, aliases=("pageNum",)),
    Param(name="pageSize", kind=Kind.WHOLE, aliases=("limit",)),
)

EXECUTIONS = Endpoint(
    name="executions",
    method="GET",
    path="/api/v1/trading/executions",
    family="executions",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(5, 10),
    purpose="recent executions, 7 days, data is an array (limit up to 1000)",
    params=(*_FILTERS, Param(name="limit", kind=Kind.WHOLE, wrong=400007)),
    record=TradeRecord,
    shape=Shape.ARRAY,
)

EXECUTIONS_PAGED = Endpoint(
    name="executions_paged",
    method="GET",
    path="/api/v1/trading/executions/pageable",
    family="executions",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(5, 10),
    paged=True,
    purpose="recent executions, 7 days, paged",
    params=(*_FILTERS, *_PAGE),
    record=TradeRecord,
    shape=Shape.PAGE,
)

EXECUTIONS_ARCHIVE = Endpoint(
    name="executions_archive",
    method="GET",
    path="/api/v1/trading/archive/executions/pageable",
    family="executions",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(5, 10),
    paged=True,
    purpose="archived executions, 7 to 90 days",
    params=(*_FILTERS, *_PAGE),
    record=TradeRecord,
    shape=Shape.PAGE,
)

STATEMENT = Endpoint(
    name="statement",
    method="GET",
    path="/api/v1/trading/statement",
    family="executions",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(100, 60),
    paged=True,
    purpose="statement (funding, interest, liquidation fee, dividend)",
    params=(
        Param(name="coin"),
        Param(name="sym", kind=Kind.SYM),
        Param(name="statementType"),
        Param(name="exchange", kind=Kind.VENUE, wrong=401023, aliases=("exchangeType",)),
        Param(name="startTime", kind=Kind.MILLIS, aliases=("begin",)),
        Param(name="endTime", kind=Kind.MILLIS, aliases=("end",)),
        *_PAGE,
    ),
    record=StatementRecord,
    shape=Shape.PAGE,
)

PORTFOLIO_TRADING_STATS = Endpoint(
    name="portfolio_trading_stats",
    method="GET",
    path="/v1/trading/user/portfolio/tradingstats",
    family="stats",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(10, 3600),
    purpose="trading volume of one portfolio",
)

USER_TRADING_STATS_OLD = Endpoint(
    name="user_trading_stats_old",
    method="GET",
    path="/v1/trading/user/tradingStats",
    family="stats",
    permission=Permission.READ,
    scopes=(Scope.MAIN,),
    success=200000,
    limit=RateLimit(20, 1),
    replacement="GET /api/v1/trading/user/tradingStats",
    purpose="user-level aggregate volume (spelling of the seed)",
)

USER_TRADING_STATS = Endpoint(
    name="user_trading_stats",
    method="GET",
    path="/api/v1/trading/user/tradingStats",
    family="stats",
    permission=Permission.READ,
    scopes=(Scope.MAIN,),
    success=200000,
    limit=RateLimit(20, 1),
    purpose="user-level aggregate volume (documented spelling; shares its counter with the seed's)",
)

ROWS = (
    EXECUTIONS,
    EXECUTIONS_PAGED,
    EXECUTIONS_ARCHIVE,
    STATEMENT,
    PORTFOLIO_TRADING_STATS,
    USER_TRADING_STATS_OLD,
    USER_TRADING_STATS,
)
