"""Positions, leverage, account rows and ADL rank: enums, records and endpoint rows."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from tui.interface.endpoint import MAIN_AND_SUB, Family, Kind, Param, Permission, RateLimit, Shape


class PositionMode(StrEnum):
    NET = "NET"
    """One-way."""
    BOTH = "BOTH"
    """Hedge: a long and a short leg per pair."""


class AccountStatus(StrEnum):
    """Rising risk."""

    NORMAL = "NORMAL"
    MARGIN_CALL = "MARGIN_CALL"
    CANCEL_OPEN = "CANCEL_OPEN"
    CANCEL_ALL = "CANCEL_ALL"
    LIQUIDATING = "LIQUIDATING"
    TAKEOVER = "TAKEOVER"


class PositionRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One leg. REST rows carry no exchangeType: it is the first part of the symbol."""

    position_id: str = ""
    portfolio_id: str = ""
    exchange_type: str = ""
    sym: str
    position_side: str = "NONE"
    position_qty: str
    """Signed in one-way mode; without sign on a leg. Contracts on OKX, base units elsewhere."""
    avg_price: str = ""
    mark_price: str = ""
    position_value: str = ""
    position_margin: str = ""
    position_mm: str = msgspec.field(default="", name="positionMM")
    unrealized_pnl: str = msgspec.field(default="", name="unrealizedPNL")
    unrealized_pnl_rate: str = msgspec.field(default="", name="unrealizedPNLRate")
    leverage: str = ""
    max_leverage: str = ""
    risk_level: str = ""
    fee: str = "0"
    funding_fee: str = "0"
    liq_price: str | None = None
    """Estimated liquidation price; None: no forced liquidation."""
    tpsl_order: list[Any] = []
    create_at: str = ""
    update_at: str = ""


class ClosedType(StrEnum):
    """How a position ended."""

    PARTIAL_CLOSED = "PARTIAL_CLOSED"
    COMPLETE_CLOSED = "COMPLETE_CLOSED"
    LIQUIDATION = "LIQUIDATION"
    SYSTEM_COMPLETE_CLOSED = "SYSTEM_COMPLETE_CLOSED"


class PositionHistoryRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A closed position. Quantities as the venue counts them, prices and amounts in quote."""

    position_id: str
    portfolio_id: str = ""
    portfolio_name: str | None = None
    sym: str
    closed_type: str = ""
    closed_pnl: str = ""
    """Result of price alone: fees and funding are not inside."""
    closed_pnl_ratio: str = ""
    """The same on the margin at entry."""
    closed_avg_price: str = ""
    open_avg_price: str = ""
    max_position_qty: str = ""
    closed_qty: str = ""
    liq_fee: str = "0"
    funding_fee: str = "0"
    fee: str = "0"
    leverage: int | str = 1
    """That of the close."""
    position_history_side: str = ""
    """LONG or SHORT, also in one-way mode."""
    position_mode: str = ""
    create_at: str = ""
    update_at: str = ""
    """When it was closed."""


class AccountRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The margin row of one venue side of a portfolio."""

    portfolio_id: str = ""
    exchange_type: str
    equity: str = ""
    margin_value: str = ""
    open_loss_margin: str = ""
    valid_margin: str = ""
    perp_margin: str = ""
    debt_margin: str = ""
    frozen_margin: str = ""
    available_margin: str = ""
    maintain_margin: str = ""
    position_value: str = ""
    upnl: str = ""
    uni_mmr: str = msgspec.field(default="", name="uniMMR")
    """validMargin / maintainMargin: larger is safer."""
    risk_ratio: str = ""
    account_status: str = ""
    position_mode: str = ""
    perp_available_margin: str = ""
    total_loan_value: str | UnsetType = UNSET
    """With the four below: only in pushes, and only while a portfolio loan exists."""
    net_equity: str | UnsetType = UNSET
    net_margin_value: str | UnsetType = UNSET
    net_valid_margin: str | UnsetType = UNSET
    net_available_margin: str | UnsetType = UNSET
    update_at: str = ""


LOAN_FIELDS = ("total_loan_value", "net_equity", "net_margin_value", "net_valid_margin", "net_available_margin")
"""Fields of an account row that only a push has, while a portfolio loan exists."""


class MarginLeverageRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Leverage of the debt in a coin on a venue."""

    coin: str
    exchange_type: str
    leverage: str


class LeverageRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Leverage of a perpetual: whole number as text."""

    sym: str
    leverage: str


class Closing(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The order that closes a position."""

    order_id: str


class CloseOutcome(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What became of one position of a call that closes several."""

    sym: str
    position_side: str = "NONE"
    order_id: str | msgspec.UnsetType = msgspec.UNSET
    """Absent when no order was made."""
    success: str
    """`true` or `false`."""
    error_msg: str = ""
    """Code and text; empty on success."""


class AdlRank(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How soon a position would be deleveraged; larger is sooner."""

    sym: str
    adl_rank: str
    position_id: str = ""
    position_side: str = "NONE"


class AdlRanks(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    adl_ranks: list[AdlRank] = []


SET_POSITION_MODE_PARAMS = (
    Param(name="exchangeType", kind=Kind.VENUE, required=True, wrong=401023, aliases=("exchange",)),
    Param(name="positionMode", kind=Kind.WORD, required=True, words=("NET", "BOTH")),
)
SET_LEVERAGE_PARAMS = (
    Param(name="sym", kind=Kind.SYM, required=True, wrong=401011),
    Param(name="leverage", kind=Kind.WHOLE, required=True),
)
SET_MARGIN_LEVERAGE_PARAMS = (
    Param(name="exchangeType", kind=Kind.VENUE, required=True, wrong=401023, aliases=("exchange",)),
    Param(name="coin", required=True),
    Param(name="leverage", kind=Kind.WHOLE, required=True),
)
CLOSE_PARAMS = (
    Param(name="sym", kind=Kind.SYM, required=True, wrong=401011),
    Param(name="positionSide", kind=Kind.WORD, words=("NONE", "LONG", "SHORT"), wrong=401905),
)
CLOSE_SEVERAL_PARAMS = (
    Param(name="symList"),
    Param(name="positionSide", kind=Kind.WORD, words=("NONE", "LONG", "SHORT"), wrong=401905),
    Param(name="closeAllPos", kind=Kind.FLAG),
    Param(name="exchangeType", kind=Kind.VENUE, wrong=401023, aliases=("exchange",)),
)

_POSITIONS_PARAMS = (
    Param(name="sym", kind=Kind.SYM),
    Param(name="exchange", kind=Kind.VENUE, wrong=401023, aliases=("exchangeType",)),
)
_POSITION_HISTORY_PARAMS = (
    Param(name="sym", kind=Kind.SYM),
    Param(name="exchange", kind=Kind.VENUE, wrong=401023, aliases=("exchangeType",)),
    Param(name="begin", kind=Kind.MILLIS, aliases=("startTime",)),
    Param(name="end", kind=Kind.MILLIS, aliases=("endTime",)),
    Param(name="page", kind=Kind.WHOLE, aliases=("pageNum",)),
    Param(name="pageSize", kind=Kind.WHOLE, aliases=("limit",)),
)
_PERP_LEVERAGE_PARAMS = (
    Param(name="sym", kind=Kind.SYM, wrong=401011),
    Param(name="exchange", kind=Kind.VENUE, wrong=401023, aliases=("exchangeType",)),
)
_MARGIN_LEVERAGE_PARAMS = (
    Param(name="exchangeType", kind=Kind.VENUE, wrong=401023, aliases=("exchange",)),
    Param(name="coin", aliases=("asset",)),
    Param(name="page", kind=Kind.WHOLE, aliases=("pageNum",)),
    Param(name="pageSize", kind=Kind.WHOLE, aliases=("limit",)),
)
_ADL_RANK_PARAMS = (Param(name="sym", kind=Kind.SYM, wrong=401011),)

_POSITIONS = Family(
    "positions", permission=Permission.READ, scopes=MAIN_AND_SUB, success=200000, limit=RateLimit(30, 10)
)
_ACCOUNT = Family("account", permission=Permission.READ, scopes=MAIN_AND_SUB, success=200000, limit=RateLimit(2, 1))

# fmt: off
POSITIONS = _POSITIONS.row("positions", "GET /api/v1/trading/position", "positions", limit=RateLimit(300, 60),
    params=_POSITIONS_PARAMS, record=PositionRecord, shape=Shape.ARRAY)
POSITION_HISTORY = _POSITIONS.row("position_history", "GET /api/v1/trading/history/position", "closed positions",
    paged=True, params=_POSITION_HISTORY_PARAMS, record=PositionHistoryRecord, shape=Shape.PAGE)
CLOSE_POSITION = _POSITIONS.row("close_position", "DELETE /api/v1/trading/position", "close one position at market",
    permission=Permission.TRADE, limit=RateLimit(50, 10), asynchronous=True, params=CLOSE_PARAMS, record=Closing,
    shape=Shape.OBJECT)
CLOSE_POSITIONS = _POSITIONS.row("close_positions", "DELETE /api/v1/trading/positions",
    "close several positions (up to 20 pairs or all)", permission=Permission.TRADE, limit=RateLimit(3, 10),
    asynchronous=True, params=CLOSE_SEVERAL_PARAMS, record=CloseOutcome, shape=Shape.ARRAY)
PERP_LEVERAGE = _POSITIONS.row("perp_leverage", "GET /api/v1/trading/perp/leverage", "perpetual leverage query",
    limit=RateLimit(20, 1), params=_PERP_LEVERAGE_PARAMS, record=LeverageRow, shape=Shape.ARRAY)
SET_PERP_LEVERAGE = _POSITIONS.row("set_perp_leverage", "POST /api/v1/trading/position/leverage",
    "set perpetual leverage", permission=Permission.TRADE, limit=RateLimit(20, 1), asynchronous=True,
    params=SET_LEVERAGE_PARAMS, shape=Shape.EMPTY)
MARGIN_LEVERAGE = _POSITIONS.row("margin_leverage", "GET /api/v1/trading/margin/leverage",
    "cross-margin leverage query", limit=RateLimit(20, 10), paged=True, params=_MARGIN_LEVERAGE_PARAMS,
    record=MarginLeverageRow, shape=Shape.PAGE)
SET_MARGIN_LEVERAGE = _POSITIONS.row("set_margin_leverage", "POST /api/v1/trading/margin/leverage",
    "set cross-margin leverage", permission=Permission.TRADE, limit=RateLimit(20, 10),
    params=SET_MARGIN_LEVERAGE_PARAMS, shape=Shape.EMPTY)
ADL_RANK = _POSITIONS.row("adl_rank", "GET /api/v1/adl/rank", "ADL rank per position", limit=RateLimit(10, 60),
    params=_ADL_RANK_PARAMS, record=AdlRanks, shape=Shape.OBJECT)
ACCOUNT = _ACCOUNT.row("account", "GET /api/v1/trading/account", "account margin row per venue", record=AccountRecord,
    shape=Shape.ARRAY)
SET_POSITION_MODE = _ACCOUNT.row("set_position_mode", "POST /api/v1/trading/account",
    "change position mode (NET or BOTH) of a portfolio at a venue", permission=Permission.TRADE,
    limit=RateLimit(50, 10), params=SET_POSITION_MODE_PARAMS, shape=Shape.EMPTY)
# fmt: on

ROWS = (
    POSITIONS,
    POSITION_HISTORY,
    CLOSE_POSITION,
    CLOSE_POSITIONS,
    PERP_LEVERAGE,
    SET_PERP_LEVERAGE,
    MARGIN_LEVERAGE,
    SET_MARGIN_LEVERAGE,
    ADL_RANK,
    ACCOUNT,
    SET_POSITION_MODE,
)
