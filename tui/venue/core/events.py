"""Events of the exchange: private pushes, market events, and rows that must be on disk before dependent events are sent."""

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
    """Venue accounts of a portfolio whose risk status has got worse."""

    portfolio: str
    records: tuple[AccountRecord, ...]


class LiquidationReached(msgspec.Struct, frozen=True, tag=True):
    """Progress of an account liquidation to its next stage."""

    portfolio: str
    record: LiquidationEventPush


class PositionLiquidated(msgspec.Struct, frozen=True, tag=True):
    """Liquidation order that has ended, in the portfolio whose position it closed."""

    portfolio: str
    record: LiquidationPositionRecord


class SubPositionLiquidated(msgspec.Struct, frozen=True, tag=True):
    """Liquidation order of a sub portfolio that has ended, sent to the main portfolio."""

    portfolio: str
    """Main portfolio, whose connections get the event."""
    record: LiquidationPositionRecord


class KeyRefused(msgspec.Struct, frozen=True, tag=True):
    """Freeze or deletion of an API key; connections signed with it are closed."""

    access_key: str
    reason: str


class QuoteChanged(msgspec.Struct, frozen=True, tag=True):
    """Change of best bid or ask, price or size; an empty side has price 0 and quantity 0."""

    sym: str
    bid: str
    bid_qty: str
    ask: str
    ask_qty: str
    ts: int
    at_us: int = 0
    """`ts` in µs."""


class PublicTrade(msgspec.Struct, frozen=True, tag=True):
    """Public trade; `side` is the taker's side in lower case, the quantity is in base units."""

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
    """Index price of a perpetual, published together with each mark price."""

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
    """Database row that must be on disk before a reply or push that depends on it is sent; value None deletes the row."""

    table: str
    key: str
    value: bytes | None
