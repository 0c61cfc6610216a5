"""Algo orders: enums, records, requests and endpoint definitions."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, NamedTuple

import msgspec

from tui.interface.endpoint import MAIN_AND_SUB, Family, Permission, RateLimit, Shape
from tui.interface.families.orders import OpenOrdersQuery
from tui.interface.request import (
    BusinessFilter,
    CommandRequest,
    ExchangeTypeFilter,
    Id,
    Kind,
    Leg,
    OfferedSymbol,
    Price,
    Quantity,
    Request,
    Rule,
)
from tui.interface.symbols import is_in_scope, try_parse


class AlgoName(StrEnum):
    """Field names of algo orders in the API, used in error messages."""

    ALGO_ORDER_ID = "algoOrderId"
    ALGO_ORDER_TYPE = "algoOrderType"
    CONDITION_TYPE = "conditionType"
    BUSINESS_TYPE = "businessType"


class TriggerName(NamedTuple):
    """Field names of one trigger in requests and records."""

    price: str
    kind: str
    limit: str


TAKE_PROFIT = TriggerName("tpTriggerPrice", "tpTriggerType", "tpPrice")
STOP_LOSS = TriggerName("slTriggerPrice", "slTriggerType", "slPrice")
CONDITIONAL = TriggerName("conditionalTriggerPrice", "conditionalTriggerType", "conditionalPrice")


class AlgoType(StrEnum):
    """Type of an algo order; TWAP and VWAP exist but are not offered."""

    TPSL = "TPSL"
    ATTACHED_TPSL = "ATTACHED_TPSL"
    """Older name of TPSL."""


ALGO_TYPES = (*AlgoType, "TWAP", "VWAP")
"""Types that a filter accepts; no orders of the last two exist here."""


class Condition(StrEnum):
    """Condition type of a take-profit/stop-loss order: when it fires and what it closes."""

    CONDITIONAL = "CONDITIONAL"
    OCO = "OCO"
    ENTIRE_CLOSE_POSITION = "ENTIRE_CLOSE_POSITION"
    PARTIAL_CLOSE_POSITION = "PARTIAL_CLOSE_POSITION"


WHOLE_OR_PART = frozenset([Condition.ENTIRE_CLOSE_POSITION, Condition.PARTIAL_CLOSE_POSITION])
"""Conditions that only close a position."""


class TriggerType(StrEnum):
    """Price that a trigger is compared with: last or mark price."""

    LAST_PRICE = "LAST_PRICE"
    MARK_PRICE = "MARK_PRICE"


class AlgoState(StrEnum):
    PENDING_NEW = "PENDING_NEW"
    """Accepted, not armed."""
    NEW = "NEW"
    """Armed."""
    PROCESSING = "PROCESSING"
    """Triggered; its child order is working."""
    PENDING_CANCEL = "PENDING_CANCEL"
    CANCELLED = "CANCELLED"
    COMPLETED = "COMPLETED"
    REJECTED = "REJECTED"
    FAILED = "FAILED"
    EXPIRED = "EXPIRED"


OPEN_ALGO_STATES = frozenset(["PENDING_NEW", "NEW", "PROCESSING", "PENDING_CANCEL"])


class AlgoRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Algo order as REST and the algo stream send it; all values are texts, unused ones empty."""

    portfolio_id: str = ""
    algo_order_id: str
    algo_order_type: str = ""
    client_order_id: str = ""
    sym: str
    exchange_type: str = ""
    business_type: str = ""
    side: str = ""
    limit_price: str = ""
    order_qty: str = ""
    """Empty on an order that closes the whole position when it fires."""
    position_side: str = "NONE"
    reduce_only: str = "false"
    """A text, unlike that of an order."""
    order_state: str
    reason: str = ""
    executed_qty: str = "0"
    executed_amount: str = "0"
    executed_avg_price: str = "0"
    condition_type: str = ""
    conditional_trigger_price: str = ""
    conditional_trigger_price_type: str = ""
    conditional_trigger_type: str = ""
    """Same value as `conditional_trigger_price_type`, under the name of the request."""
    conditional_price: str = ""
    attached_order_id: str = ""
    """Order that this one protects."""
    tp_trigger_price: str = ""
    tp_trigger_type: str = ""
    tp_price: str = ""
    sl_trigger_price: str = ""
    sl_trigger_type: str = ""
    sl_price: str = ""
    create_at: str = ""
    update_at: str = ""


class AlgoReply(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Reply data of an accepted algo order command."""

    algo_order_id: str
    client_order_id: str = ""


class AlgoTriggers(CommandRequest, frozen=True, kw_only=True, rename="camel"):
    """Trigger fields shared by the requests that place and change an algo order."""

    conditional_trigger_price: Price = ""
    conditional_trigger_type: Annotated[
        str, Rule(Kind.WORD, tuple(TriggerType), aliases=("conditionalTriggerPriceType",))
    ] = ""
    conditional_price: Price = ""
    tp_trigger_price: Price = ""
    tp_trigger_type: Annotated[str, Rule(Kind.WORD, tuple(TriggerType))] = ""
    tp_price: Price = ""
    sl_trigger_price: Price = ""
    sl_trigger_type: Annotated[str, Rule(Kind.WORD, tuple(TriggerType))] = ""
    sl_price: Price = ""


class PlaceAlgo(AlgoTriggers, frozen=True, kw_only=True, rename="camel", tag="place_algo_order"):
    """Request to place an algo order."""

    algo_order_type: Annotated[str, Rule(Kind.WORD, tuple(AlgoType), 401290)]
    sym: OfferedSymbol
    side: Annotated[str, Rule(Kind.WORD, ("BUY", "SELL"), 401002)] = ""
    order_qty: Quantity = ""
    limit_price: Price = ""
    """With `algo_provider`, for types that work a quantity by themselves; TPSL uses neither."""
    algo_provider: str = ""
    position_side: Leg = ""
    reduce_only: Annotated[bool | None, Rule(Kind.FLAG)] = None
    client_order_id: str = ""
    condition_type: Annotated[str, Rule(Kind.WORD, tuple(Condition), 401291)] = ""


class ReplaceAlgo(AlgoTriggers, frozen=True, kw_only=True, rename="camel", tag="replace_algo_order"):
    """Request to change an algo order; omitted fields stay unchanged."""

    algo_order_id: Id = ""
    client_order_id: str = ""
    order_qty: Quantity = ""


class CancelAlgo(CommandRequest, frozen=True, kw_only=True, rename="camel", tag="cancel_algo_order"):
    """Request to cancel one algo order."""

    algo_order_id: Id = ""
    client_order_id: str = ""
    order_id: Id = ""
    """Order that an attached algo order protects."""


class CancelAllAlgos(CommandRequest, frozen=True, kw_only=True, rename="camel", tag="cancel_algo_orders"):
    """Request to cancel all open algo orders that match the filters."""

    wide_when_empty = True

    sym: OfferedSymbol = ""
    exchange_type: ExchangeTypeFilter = ""
    business_type: BusinessFilter = ""
    algo_order_type: Annotated[str, Rule(Kind.WORD, ALGO_TYPES)] = ""
    condition_type: Annotated[str, Rule(Kind.WORD, tuple(Condition))] = ""

    def matches(self, record: AlgoRecord) -> bool:
        """Return whether the request's filters match an open algo order."""
        pair = try_parse(record.sym)
        told = (
            (self.business_type, pair.business_type if pair is not None else ""),
            (self.algo_order_type, record.algo_order_type),
            (self.condition_type, record.condition_type),
        )
        here = is_in_scope(record.sym, self.exchange_type, self.sym)
        return here and all(wanted in ("", value) for wanted, value in told)


class AlgoQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for one algo order; the algo order id is used when a client order id is given too."""

    algo_order_id: Id = ""
    client_order_id: str = ""


class AlgoHistoryQuery(OpenOrdersQuery, frozen=True, kw_only=True, rename="camel"):
    """Query for ended algo orders."""

    own_last = True

    algo_order_type: Annotated[str, Rule(Kind.WORD, ALGO_TYPES)] = ""
    attached_order_id: str = ""


_ALGO = Family("algo", permission=Permission.TRADE, scopes=MAIN_AND_SUB, success=200000, limit=RateLimit(3, 10))

# fmt: off
PLACE_ALGO = _ALGO.row("place_algo", "POST /api/v1/algo/order", "place algo order (TPSL)", asynchronous=True,
    request=PlaceAlgo, record=AlgoReply, shape=Shape.OBJECT)
REPLACE_ALGO = _ALGO.row("replace_algo", "PUT /api/v1/algo/order", "replace algo order", asynchronous=True,
    request=ReplaceAlgo, record=AlgoReply, shape=Shape.OBJECT)
CANCEL_ALGO = _ALGO.row("cancel_algo", "DELETE /api/v1/algo/order", "cancel algo order", asynchronous=True,
    request=CancelAlgo, record=AlgoReply, shape=Shape.OBJECT)
ALGO_DETAIL = _ALGO.row("algo_detail", "GET /api/v1/algo/order", "query algo order", permission=Permission.READ,
    request=AlgoQuery, record=AlgoRecord, shape=Shape.OBJECT)
OPEN_ALGOS = _ALGO.row("open_algos", "GET /api/v1/algo/openOrders", "open algo orders", permission=Permission.READ,
    paged=True, request=OpenOrdersQuery, record=AlgoRecord, shape=Shape.PAGE)
ALGO_HISTORY = _ALGO.row("algo_history", "GET /api/v1/algo/history/orders", "algo order history, 7 days",
    permission=Permission.READ, paged=True, request=AlgoHistoryQuery, record=AlgoRecord, shape=Shape.PAGE)
CANCEL_ALL_ALGOS = _ALGO.row("cancel_all_algos", "DELETE /api/v1/algo/cancelAll",
    "cancel all open algo orders of the portfolio, optional filters", limit=RateLimit(50, 10), asynchronous=True,
    request=CancelAllAlgos, record=AlgoReply, shape=Shape.ARRAY)
# fmt: on

ROWS = (
    PLACE_ALGO,
    REPLACE_ALGO,
    CANCEL_ALGO,
    ALGO_DETAIL,
    OPEN_ALGOS,
    ALGO_HISTORY,
    CANCEL_ALL_ALGOS,
)
