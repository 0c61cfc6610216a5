"""Events of the exchange: private pushes, market events, and rows that must be durable before dependent events leave."""

from __future__ import annotations

import msgspec

from tui.interface.families.algo import AlgoRecord
from tui.interface.families.assets import AssetRecord
from tui.interface.families.history import TradeRecord
from tui.interface.families.liquidation import LiquidationEventPush, LiquidationPositionRecord
from tui.interface.families.orders import OrderRecord
from tui.interface.families.positions import AccountRecord, PositionRecord


class OrderChanged(msgspec.Struct, frozen=True, tag=True):
    portfolio: str
    record: OrderRecord


class AlgoChanged(msgspec.Struct, frozen=True, tag=True):
    portfolio: str
    record: AlgoRecord


class OrderFilled(msgspec.Struct, frozen=True, tag=True):
    portfolio: str
    record: TradeRecord


class AssetsChanged(msgspec.Struct, frozen=True, tag=True):
    portfolio: str
    records: tuple[AssetRecord, ...]


class PositionsChanged(msgspec.Struct, frozen=True, tag=True):
    portfolio: str
    records: tuple[PositionRecord, ...]


class AccountsChanged(msgspec.Struct, frozen=True, tag=True):
    portfolio: str
    records: tuple[AccountRecord, ...]


class MarginCalled(msgspec.Struct, frozen=True, tag=True):
    """Account rows whose status got worse."""

    portfolio: str
    records: tuple[AccountRecord, ...]


class LiquidationReached(msgspec.Struct, frozen=True, tag=True):
    """Liquidation event that reached a node."""

    portfolio: str
    record: LiquidationEventPush


class PositionLiquidated(msgspec.Struct, frozen=True, tag=True):
    """Archived liquidation order of the portfolio."""

    portfolio: str
    record: LiquidationPositionRecord


class SubPositionLiquidated(msgspec.Struct, frozen=True, tag=True):
    """Archived liquidation order of a sub portfolio, for the main portfolio."""

    portfolio: str
    """Main portfolio, whose connections get the event."""
    record: LiquidationPositionRecord


class KeyRefused(msgspec.Struct, frozen=True, tag=True):
    """Freeze or deletion of a key; its open connections end."""

    access_key: str
    reason: str


class QuoteChanged(msgspec.Struct, frozen=True, tag=True):
    """Change of a touch price or size; an empty side is 0 with quantity 0."""

    sym: str
    bid: str
    bid_qty: str
    ask: str
    ask_qty: str
    ts: int
    at_us: int = 0
    """`ts` in µs."""


class PublicTrade(msgspec.Struct, frozen=True, tag=True):
    """Public trade; `side` is the taker's, lower case; quantity in base units."""

    sym: str
    price: str
    qty: str
    side: str
    trade_id: str
    ts: int
    at_us: int = 0
    """`ts` in µs."""


class MarkChanged(msgspec.Struct, frozen=True, tag=True):
    sym: str
    mark: str
    ts: int


class IndexChanged(msgspec.Struct, frozen=True, tag=True):
    """Index of a perpetual; published with every mark."""

    sym: str
    index: str
    ts: int


PrivateEvent = (
    OrderChanged
    | AlgoChanged
    | OrderFilled
    | AssetsChanged
    | PositionsChanged
    | AccountsChanged
    | MarginCalled
    | LiquidationReached
    | PositionLiquidated
    | SubPositionLiquidated
)
MarketEvent = QuoteChanged | PublicTrade | MarkChanged | IndexChanged
"""Events of the market; each is one push of a public channel."""
Event = PrivateEvent | MarketEvent | KeyRefused


class Durable(msgspec.Struct, frozen=True):
    """Row that must be on disk before a reply or push that depends on it leaves; None removes it."""

    table: str
    key: str
    value: bytes | None
