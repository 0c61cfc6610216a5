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
    """A liquidation event reached a node."""

    portfolio: str
    record: LiquidationEventPush


class PositionLiquidated(msgspec.Struct, frozen=True, tag=True):
    """A liquidation order of the portfolio was archived."""

    portfolio: str
    record: LiquidationPositionRecord


class SubPositionLiquidated(msgspec.Struct, frozen=True, tag=True):
    """The same of a sub portfolio, for the main one."""

    portfolio: str
    """The main portfolio, whose connections are told."""
    record: LiquidationPositionRecord


class KeyRefused(msgspec.Struct, frozen=True, tag=True):
    """A key was frozen or deleted: what is open with it ends."""

    access_key: str
    reason: str


class QuoteChanged(msgspec.Struct, frozen=True, tag=True):
    """A touch price or size changed; an empty side is 0 with quantity 0."""

    sym: str
    bid: str
    bid_qty: str
    ask: str
    ask_qty: str
    ts: int
    at_us: int = 0
    """The same time in µs."""


class PublicTrade(msgspec.Struct, frozen=True, tag=True):
    """A public trade; `side` is the taker's, lower case; quantity in base units."""

    sym: str
    price: str
    qty: str
    side: str
    trade_id: str
    ts: int
    at_us: int = 0
    """The same time in µs."""


class MarkChanged(msgspec.Struct, frozen=True, tag=True):
    sym: str
    mark: str
    ts: int


class IndexChanged(msgspec.Struct, frozen=True, tag=True):
    """The index of a perpetual; published with every mark."""

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
    """One row that must be on disk before the reply or push that depends on it leaves; None removes it."""

    table: str
    key: str
    value: bytes | None
