"""What the screen asks of the history, and what has been read of it so far. Times are the service's, ms."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

import msgspec

if TYPE_CHECKING:
    from tui.interface.families.algo import AlgoRecord
    from tui.interface.families.history import (
        PortfolioStats,
        PortfolioStatsDetail,
        StatementRecord,
        TradeRecord,
        UserStats,
    )
    from tui.interface.families.orders import OrderRecord
    from tui.interface.families.positions import PositionHistoryRecord

MAX_ROWS = 5_000
"""Most rows held of one list; a narrower window shows the others."""


class HistoryKind(StrEnum):
    """The lists of the history."""

    ORDERS = "orders"
    FILLS = "fills"
    CLOSED = "closed"
    STATEMENT = "statement"
    ALGOS = "algos"
    """Those that have ended."""
    VOLUME = "volume"


class HistoryQuery(msgspec.Struct, frozen=True, kw_only=True):
    """One list with its window and filters; an empty text filters nothing."""

    kind: HistoryKind
    begin_ms: int
    end_ms: int = 0
    """0: up to now."""
    sym: str = ""
    exchange: str = ""
    word: str = ""
    """Of orders, algo orders, fills and volume the business type, of the statement its type."""
    coin: str = ""
    """Of the statement."""
    executed: bool = False
    """Only orders that traded."""
    order: str = ""
    """One order by either of its ids; of orders and fills."""


class NextPage(msgspec.Struct, frozen=True, kw_only=True):
    """Go on with a list where it was left."""

    kind: HistoryKind


class StopReading(msgspec.Struct, frozen=True, kw_only=True):
    """End what is being read of a list; what was read stays."""

    kind: HistoryKind


HistoryRequest = HistoryQuery | NextPage | StopReading
HistoryRow: TypeAlias = (
    "OrderRecord | TradeRecord | PositionHistoryRecord | StatementRecord | PortfolioStatsDetail | AlgoRecord"
)


class ReadState(StrEnum):
    """How far a list has been read."""

    READING = "reading"
    ARCHIVE = "reading the archive"
    PART = "part"
    """More pages can be asked for."""
    WHOLE = "whole"
    FULL = "full"
    """As many rows as are held."""
    STOPPED = "stopped"
    FAILED = "failed"


UNDER_WAY = frozenset([ReadState.READING, ReadState.ARCHIVE])


class HistoryRead(msgspec.Struct, frozen=True, kw_only=True):
    """One list as far as it was read; rows newest first."""

    query: HistoryQuery
    state: ReadState
    rows: tuple[HistoryRow, ...] = ()
    total: int = 0
    """Rows that the service says there are; 0: not said yet."""
    code: int = 0
    """Of a refusal of the service."""
    text: str = ""
    """Why it failed, or what is left out."""
    asked_ms: int = 0
    """When it was asked for, server time."""
    portfolio: PortfolioStats | None = None
    """Sums of the volume of this portfolio."""
    user: UserStats | None = None
    """Sums of the volume of all portfolios; None where the key may not read them."""

    @property
    def under_way(self) -> bool:
        return self.state in UNDER_WAY
