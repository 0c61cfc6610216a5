"""Positions, leverage, account records and ADL rank: enums, records, requests and endpoint definitions."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from tui.interface.endpoint import MAIN_AND_SUB, Family, Permission, RateLimit, Shape
from tui.interface.request import (
    Coin,
    CommandRequest,
    ExchangeFilter,
    ExchangeTypeFilter,
    Flag,
    Kind,
    Leg,
    OfferedSymbol,
    PageRequest,
    Request,
    Rule,
    Symbol,
    SymbolQuery,
    Whole,
    WindowRequest,
)


class PositionMode(StrEnum):
    NET = "NET"
    """One-way."""
    BOTH = "BOTH"
    """Hedge: a long and a short leg per pair."""


_MODE_NAMES = {PositionMode.NET.value: "NET (one-way)", PositionMode.BOTH.value: "BOTH (hedge)"}


def name_mode(mode: str) -> str:
    """Return the name of a position mode for people; another text is returned unchanged."""
    return _MODE_NAMES.get(mode, mode)


class AccountStatus(StrEnum):
    """Risk status of an account, in order of rising risk."""

    NORMAL = "NORMAL"
    MARGIN_CALL = "MARGIN_CALL"
    CANCEL_OPEN = "CANCEL_OPEN"
    CANCEL_ALL = "CANCEL_ALL"
    LIQUIDATING = "LIQUIDATING"
    TAKEOVER = "TAKEOVER"


class PositionRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Position leg. REST rows have no exchangeType, which is the first part of the symbol."""

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
    """Estimated liquidation price; None when no price liquidates."""
    tpsl_order: list[Any] = []
    create_at: str = ""
    update_at: str = ""


class ClosedType(StrEnum):
    """Kind of close of a position: in part or completely by order, by liquidation, or by the service itself."""

    PARTIAL_CLOSED = "PARTIAL_CLOSED"
    COMPLETE_CLOSED = "COMPLETE_CLOSED"
    LIQUIDATION = "LIQUIDATION"
    SYSTEM_COMPLETE_CLOSED = "SYSTEM_COMPLETE_CLOSED"


class PositionHistoryRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Closed position; quantities in the venue's unit, prices and amounts in quote."""

    position_id: str
    portfolio_id: str = ""
    portfolio_name: str | None = None
    sym: str
    closed_type: str = ""
    closed_pnl: str = ""
    """Price result alone, without fees and funding."""
    closed_pnl_ratio: str = ""
    """`closed_pnl` over the margin at entry."""
    closed_avg_price: str = ""
    open_avg_price: str = ""
    max_position_qty: str = ""
    closed_qty: str = ""
    liq_fee: str = "0"
    funding_fee: str = "0"
    fee: str = "0"
    leverage: int | str = 1
    """Leverage at the close."""
    position_history_side: str = ""
    """LONG or SHORT, also in one-way mode."""
    position_mode: str = ""
    create_at: str = ""
    update_at: str = ""
    """Time of the close."""


class AccountRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Account record: margin figures of a portfolio's account on one venue."""

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
    """validMargin / maintainMargin; larger is safer."""
    risk_ratio: str = ""
    account_status: str = ""
    position_mode: str = ""
    perp_available_margin: str = ""
    total_loan_value: str | UnsetType = UNSET
    """With the four fields below: only in pushes, and only while a portfolio loan exists."""
    net_equity: str | UnsetType = UNSET
    net_margin_value: str | UnsetType = UNSET
    net_valid_margin: str | UnsetType = UNSET
    net_available_margin: str | UnsetType = UNSET
    update_at: str = ""


LOAN_FIELDS = ("total_loan_value", "net_equity", "net_margin_value", "net_valid_margin", "net_available_margin")
"""Fields of an account row that only a push has, while a portfolio loan exists."""


class MarginLeverageRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Leverage of margin debt in a coin on a venue."""

    coin: str
    exchange_type: str
    leverage: str


class LeverageRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Leverage of a perpetual, a whole number as text."""

    sym: str
    leverage: str


class Closing(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Reply to a close request, with the order that closes the position."""

    order_id: str


class CloseOutcome(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Result for one position when several are closed by one request."""

    sym: str
    position_side: str = "NONE"
    order_id: str | msgspec.UnsetType = msgspec.UNSET
    """Absent when no order was created."""
    success: str
    """`true` or `false`."""
    error_msg: str = ""
    """Code and text; empty on success."""


class AdlRank(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """ADL rank of a position; a higher one is deleveraged sooner."""

    sym: str
    adl_rank: str
    position_id: str = ""
    position_side: str = "NONE"


class AdlRanks(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    adl_ranks: list[AdlRank] = []


class SetPositionMode(CommandRequest, frozen=True, kw_only=True, rename="camel", tag="set_position_mode"):
    """Request to set one-way or hedge mode for a portfolio's derivatives on a venue."""

    exchange_type: ExchangeTypeFilter
    position_mode: Annotated[str, Rule(Kind.WORD, tuple(PositionMode))]


class SetLeverage(CommandRequest, frozen=True, kw_only=True, rename="camel", tag="set_perp_leverage"):
    """Request to set the leverage of a perpetual."""

    sym: OfferedSymbol
    leverage: Whole


class SetMarginLeverage(CommandRequest, frozen=True, kw_only=True, rename="camel", tag="set_margin_leverage"):
    """Request to set the leverage of margin debt in a coin on a venue."""

    exchange_type: ExchangeTypeFilter
    coin: str
    leverage: Whole


class ClosePosition(CommandRequest, frozen=True, kw_only=True, rename="camel", tag="close_position"):
    """Request to close a position, or one leg of it, at market."""

    wide_when_empty = True

    sym: OfferedSymbol
    position_side: Leg = ""


class ClosePositions(CommandRequest, frozen=True, kw_only=True, rename="camel", tag="close_positions"):
    """Request to close the positions on the given pairs, or all positions, at market."""

    wide_when_empty = True

    sym_list: str = ""
    position_side: Leg = ""
    close_all_pos: Flag = ""
    exchange_type: ExchangeTypeFilter = ""


class ClosedPositions(msgspec.Struct, frozen=True, rename="camel"):
    """Positions to close, as selected by the parameters of ClosePosition or ClosePositions; empty texts match everything."""

    sym: str = ""
    sym_list: str = ""
    position_side: str = ""
    exchange_type: str = ""

    @property
    def syms(self) -> tuple[str, ...]:
        """Pairs named in either parameter, the single pair or the comma-separated list."""
        return tuple(filter(None, (self.sym, *self.sym_list.split(","))))


class PositionsQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for open positions."""

    sym: Symbol = ""
    exchange: ExchangeFilter = ""


class PositionHistoryQuery(WindowRequest, frozen=True, kw_only=True, rename="camel"):
    """Query for closed positions."""

    sym: Symbol = ""
    exchange: ExchangeFilter = ""


class PerpLeverageQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for the leverage of one perpetual, or of all."""

    sym: OfferedSymbol = ""
    exchange: ExchangeFilter = ""


class MarginLeverageQuery(PageRequest, frozen=True, kw_only=True, rename="camel"):
    """Query for the leverage of margin debt in one coin, or in all."""

    exchange_type: ExchangeTypeFilter = ""
    coin: Coin = ""


_POSITIONS = Family(
    "positions", permission=Permission.READ, scopes=MAIN_AND_SUB, success=200000, limit=RateLimit(30, 10)
)
_ACCOUNT = Family("account", permission=Permission.READ, scopes=MAIN_AND_SUB, success=200000, limit=RateLimit(2, 1))

# fmt: off
POSITIONS = _POSITIONS.row("positions", "GET /api/v1/trading/position", "positions", limit=RateLimit(300, 60),
    request=PositionsQuery, record=PositionRecord, shape=Shape.ARRAY)
POSITION_HISTORY = _POSITIONS.row("position_history", "GET /api/v1/trading/history/position", "closed positions",
    paged=True, request=PositionHistoryQuery, record=PositionHistoryRecord, shape=Shape.PAGE)
CLOSE_POSITION = _POSITIONS.row("close_position", "DELETE /api/v1/trading/position", "close one position at market",
    permission=Permission.TRADE, limit=RateLimit(50, 10), asynchronous=True, request=ClosePosition, record=Closing,
    shape=Shape.OBJECT)
CLOSE_POSITIONS = _POSITIONS.row("close_positions", "DELETE /api/v1/trading/positions",
    "close several positions (up to 20 pairs or all)", permission=Permission.TRADE, limit=RateLimit(3, 10),
    asynchronous=True, request=ClosePositions, record=CloseOutcome, shape=Shape.ARRAY)
PERP_LEVERAGE = _POSITIONS.row("perp_leverage", "GET /api/v1/trading/perp/leverage", "perpetual leverage query",
    limit=RateLimit(20, 1), request=PerpLeverageQuery, record=LeverageRow, shape=Shape.ARRAY)
SET_PERP_LEVERAGE = _POSITIONS.row("set_perp_leverage", "POST /api/v1/trading/position/leverage",
    "set perpetual leverage", permission=Permission.TRADE, limit=RateLimit(20, 1), asynchronous=True,
    request=SetLeverage, shape=Shape.EMPTY)
MARGIN_LEVERAGE = _POSITIONS.row("margin_leverage", "GET /api/v1/trading/margin/leverage",
    "cross-margin leverage query", limit=RateLimit(20, 10), paged=True, request=MarginLeverageQuery,
    record=MarginLeverageRow, shape=Shape.PAGE)
SET_MARGIN_LEVERAGE = _POSITIONS.row("set_margin_leverage", "POST /api/v1/trading/margin/leverage",
    "set cross-margin leverage", permission=Permission.TRADE, limit=RateLimit(20, 10),
    request=SetMarginLeverage, shape=Shape.EMPTY)
ADL_RANK = _POSITIONS.row("adl_rank", "GET /api/v1/adl/rank", "ADL rank per position", limit=RateLimit(10, 60),
    request=SymbolQuery, record=AdlRanks, shape=Shape.OBJECT)
ACCOUNT = _ACCOUNT.row("account", "GET /api/v1/trading/account", "account margin row per venue", record=AccountRecord,
    shape=Shape.ARRAY)
SET_POSITION_MODE = _ACCOUNT.row("set_position_mode", "POST /api/v1/trading/account",
    "change position mode (NET or BOTH) of a portfolio at a venue", permission=Permission.TRADE,
    limit=RateLimit(50, 10), request=SetPositionMode, shape=Shape.EMPTY)
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
