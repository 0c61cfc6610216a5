"""Liquidation: events with their stages, and liquidation orders. Enums, records and the endpoint definition.

The values of both enums are not published; these are the values of the paper venue, and readers take unknown ones as
text.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec

from tui.interface.endpoint import MAIN_AND_SUB, Family, Permission, RateLimit, Shape
from tui.interface.families.assets import AssetRecord
from tui.interface.families.orders import OrderRecord
from tui.interface.families.positions import AccountRecord, PositionRecord
from tui.interface.request import Kind, Request, Rule


class EventType(StrEnum):
    """Kind of orders the venue sends in a liquidation: reducing or liquidating."""

    REDUCE = "REDUCE"
    """Orders of type SYSTEM_REDUCE, or none yet."""
    LIQUIDATE = "LIQUIDATE"
    """Orders of type SYSTEM_LIQ."""


class NodeType(StrEnum):
    """Stages of a liquidation event, in the order in which they occur; each at most once."""

    TRIGGERED = "TRIGGERED"
    MARGIN_CALL = "MARGIN_CALL"
    CANCEL_OPEN = "CANCEL_OPEN"
    CANCEL_ALL = "CANCEL_ALL"
    REDUCE_START = "REDUCE_START"
    REDUCE_END = "REDUCE_END"
    LIQUIDATE_START = "LIQUIDATE_START"
    LIQUIDATE_END = "LIQUIDATE_END"
    TAKEOVER = "TAKEOVER"


NODES = tuple(NodeType)


class Snapshots(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Account records at a liquidation stage; lists that this stage does not include are empty."""

    accounts: list[AccountRecord] = []
    assets: list[AssetRecord] = []
    positions: list[PositionRecord] = []
    open_orders: list[OrderRecord] = []
    """On CANCEL_OPEN and CANCEL_ALL: the orders that were cancelled."""


CARRIES: dict[NodeType, frozenset[str]] = {
    NodeType.TRIGGERED: frozenset(["accounts"]),
    NodeType.MARGIN_CALL: frozenset(["accounts", "positions"]),
    NodeType.CANCEL_OPEN: frozenset(["accounts", "open_orders"]),
    NodeType.CANCEL_ALL: frozenset(["accounts", "open_orders"]),
    NodeType.REDUCE_START: frozenset(["accounts", "assets", "positions"]),
    NodeType.REDUCE_END: frozenset(["accounts", "positions"]),
    NodeType.LIQUIDATE_START: frozenset(["accounts", "assets", "positions"]),
    NodeType.LIQUIDATE_END: frozenset(["accounts", "assets", "positions"]),
    NodeType.TAKEOVER: frozenset(["accounts", "assets", "positions"]),
}
"""Snapshots that a node carries."""


class LiquidationNode(Snapshots, frozen=True, kw_only=True, rename="camel"):
    """Stage of a liquidation event, as the REST query returns it."""

    node_type: str
    create_at: str


class LiquidationEventRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Liquidation event with all its stages; an empty object when there is no event."""

    liquidation_event_id: str = ""
    portfolio_id: str = ""
    exchange_type: str = ""
    event_type: str = ""
    create_at: str = ""
    update_at: str = ""
    nodes: list[LiquidationNode] = []


class LiquidationEventPush(Snapshots, frozen=True, kw_only=True, rename="camel"):
    """Stage of a liquidation event, as the channel LiquidationEvent pushes it."""

    liquidation_event_id: str
    portfolio_id: str = ""
    exchange_type: str = ""
    event_type: str = ""
    node_type: str = ""
    create_at: str = ""


class LiquidationPositionRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Ended liquidation order with the position it reduced; amounts in quote units.

    Pushed on the channels LiquidationPosition and LiquidationPositionByUser.
    """

    portfolio_id: str = ""
    exchange_type: str = ""
    order_id: str
    liquidation_event_id: str = ""
    position_id: str = ""
    sym: str
    position_side: str = "NONE"
    reduce_qty: str
    """Contracts on OKX, base units elsewhere; above 0."""
    closed_pnl: str = ""
    """Price result alone, without fees."""
    liq_fee: str = "0"
    """Charged in addition to the trading fee."""
    total_trading_fee: str | None = None
    """None when the order was not filled on the market."""
    create_at: int = 0
    update_at: int = 0


class LiquidationEventQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for one liquidation event."""

    liquidation_event_id: Annotated[str, Rule(Kind.ID)] = ""


_LIQUIDATION = Family(
    "positions", permission=Permission.READ, scopes=MAIN_AND_SUB, success=200000, limit=RateLimit(30, 10)
)

# fmt: off
LIQUIDATION_EVENT = _LIQUIDATION.row("liquidation_event", "GET /api/v1/trading/liquidationEvent",
    "complete snapshot of one liquidation event", request=LiquidationEventQuery,
    record=LiquidationEventRecord, shape=Shape.OBJECT)
# fmt: on

ROWS = (LIQUIDATION_EVENT,)
