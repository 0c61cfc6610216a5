"""Algo orders: enums, records and endpoint rows."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import msgspec

from tui.interface.endpoint import Endpoint, Kind, Param, Permission, RateLimit, Scope, Shape


class AlgoName(StrEnum):
    """How fields are called on the wire, for messages that name one."""

    ALGO_ORDER_ID = "algoOrderId"
    ALGO_ORDER_TYPE = "algoOrderType"
    CONDITION_TYPE = "conditionType"
    BUSINESS_TYPE = "businessType"


class TriggerName(NamedTuple):
    """Fields of one trigger in requests and records."""

    price: str
    kind: str
    limit: str


TAKE_PROFIT = TriggerName("tpTriggerPrice", "tpTriggerType", "tpPrice")
STOP_LOSS = TriggerName("slTriggerPrice", "slTriggerType", "slPrice")
CONDITIONAL = TriggerName("conditionalTriggerPrice", "conditionalTriggerType", "conditionalPrice")


class AlgoType(StrEnum):
    """What an algo order is; TWAP and VWAP exist but are not offered."""

    TPSL = "TPSL"
    ATTACHED_TPSL = "ATTACHED_TPSL"
    """Older word for TPSL."""


ALGO_TYPES = (*AlgoType, "TWAP", "VWAP")
"""Words that a filter takes; of the last two there are no orders here."""


class Condition(StrEnum):
    """What a TPSL order waits for and closes."""

    CONDITIONAL = "CONDITIONAL"
    OCO = "OCO"
    ENTIRE_CLOSE_POSITION = "ENTIRE_CLOSE_POSITION"
    PARTIAL_CLOSE_POSITION = "PARTIAL_CLOSE_POSITION"


class TriggerType(StrEnum):
    """The price that a trigger is compared with."""

    LAST_PRICE = "LAST_PRICE"
    MARK_PRICE = "MARK_PRICE"


class AlgoState(StrEnum):
    PENDING_NEW = "PENDING_NEW"
    """Accepted, not armed."""
    NEW = "NEW"
    """Armed."""
    PROCESSING = "PROCESSING"
    """Triggered; its child order works."""
    PENDING_CANCEL = "PENDING_CANCEL"
    CANCELLED = "CANCELLED"
    COMPLETED = "COMPLETED"
    REJECTED = "REJECTED"
    FAILED = "FAILED"
    EXPIRED = "EXPIRED"


OPEN_ALGO_STATES = frozenset(["PENDING_NEW", "NEW", "PROCESSING", "PENDING_CANCEL"])


class AlgoRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An algo order as REST and the algo stream spell it; all texts, unused ones empty."""

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
    """Empty on an order that closes whatever is held when it fires."""
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
    """The same under the name of the request."""
    conditional_price: str = ""
    attached_order_id: str = ""
    """The order that this one protects."""
    tp_trigger_price: str = ""
    tp_trigger_type: str = ""
    tp_price: str = ""
    sl_trigger_price: str = ""
    sl_trigger_type: str = ""
    sl_price: str = ""
    create_at: str = ""
    update_at: str = ""


class AlgoReply(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Data of an accepted algo command."""

    algo_order_id: str
    client_order_id: str = ""


_TRIGGER_PARAMS = (
    Param(name="conditionalTriggerPrice", kind=Kind.DECIMAL, wrong=401006),
    Param(
        name="conditionalTriggerType",
        kind=Kind.WORD,
        words=tuple(TriggerType),
        aliases=("conditionalTriggerPriceType",),
    ),
    Param(name="conditionalPrice", kind=Kind.DECIMAL, wrong=401006),
    Param(name="tpTriggerPrice", kind=Kind.DECIMAL, wrong=401006),
    Param(name="tpTriggerType", kind=Kind.WORD, words=tuple(TriggerType)),
    Param(name="tpPrice", kind=Kind.DECIMAL, wrong=401006),
    Param(name="slTriggerPrice", kind=Kind.DECIMAL, wrong=401006),
    Param(name="slTriggerType", kind=Kind.WORD, words=tuple(TriggerType)),
    Param(name="slPrice", kind=Kind.DECIMAL, wrong=401006),
)
_KEYS = (
    Param(name="algoOrderId", kind=Kind.ID, wrong=401007),
    Param(name="clientOrderId"),
)
PLACE_ALGO_PARAMS = (
    Param(name="algoOrderType", kind=Kind.WORD, required=True, words=tuple(AlgoType), wrong=401290),
    Param(name="sym", kind=Kind.SYM, required=True, wrong=401011),
    Param(name="side", kind=Kind.WORD, words=("BUY", "SELL"), wrong=401002),
    Param(name="orderQty", kind=Kind.DECIMAL, wrong=401005),
    Param(name="positionSide", kind=Kind.WORD, words=("NONE", "LONG", "SHORT"), wrong=401905),
    Param(name="reduceOnly", kind=Kind.FLAG),
    Param(name="clientOrderId"),
    Param(name="conditionType", kind=Kind.WORD, words=tuple(Condition), wrong=401291),
    *_TRIGGER_PARAMS,
)
REPLACE_ALGO_PARAMS = (*_KEYS, Param(name="orderQty", kind=Kind.DECIMAL, wrong=401005), *_TRIGGER_PARAMS)
CANCEL_ALGO_PARAMS = (*_KEYS, Param(name="orderId", kind=Kind.ID, wrong=401007))
"""`orderId` is the older way to name the order of an attached one."""
CANCEL_ALL_ALGOS_PARAMS = (
    Param(name="sym", kind=Kind.SYM, wrong=401011),
    Param(name="exchangeType", kind=Kind.VENUE, wrong=401023, aliases=("exchange",)),
    Param(name="businessType", kind=Kind.WORD, words=("SPOT", "MARGIN", "PERP")),
    Param(name="algoOrderType", kind=Kind.WORD, words=ALGO_TYPES),
    Param(name="conditionType", kind=Kind.WORD, words=tuple(Condition), wrong=401291),
)
_LIST_FILTERS = (
    Param(name="sym", kind=Kind.SYM),
    Param(name="exchange", kind=Kind.VENUE, wrong=401023, aliases=("exchangeType",)),
    Param(name="businessType", kind=Kind.WORD, words=("SPOT", "MARGIN", "PERP")),
    Param(name="begin", kind=Kind.MILLIS, aliases=("startTime",)),
    Param(name="end", kind=Kind.MILLIS, aliases=("endTime",)),
    Param(name="page", kind=Kind.WHOLE, aliases=("pageNum",)),
    Param(name="pageSize", kind=Kind.WHOLE, aliases=("limit",)),
)

PLACE_ALGO = Endpoint(
    name="place_algo",
    method="POST",
    path="/api/v1/algo/order",
    family="algo",
    permission=Permission.TRADE,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(3, 10),
    asynchronous=True,
    purpose="place algo order (TPSL)",
    params=PLACE_ALGO_PARAMS,
    record=AlgoReply,
    shape=Shape.OBJECT,
)

REPLACE_ALGO = Endpoint(
    name="replace_algo",
    method="PUT",
    path="/api/v1/algo/order",
    family="algo",
    permission=Permission.TRADE,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(3, 10),
    asynchronous=True,
    purpose="replace algo order",
    params=REPLACE_ALGO_PARAMS,
    record=AlgoReply,
    shape=Shape.OBJECT,
)

CANCEL_ALGO = Endpoint(
    name="cancel_algo",
    method="DELETE",
    path="/api/v1/algo/order",
    family="algo",
    permission=Permission.TRADE,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(3, 10),
    asynchronous=True,
    purpose="cancel algo order",
    params=CANCEL_ALGO_PARAMS,
    record=AlgoReply,
    shape=Shape.OBJECT,
)

ALGO_DETAIL = Endpoint(
    name="algo_detail",
    method="GET",
    path="/api/v1/algo/order",
    family="algo",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(3, 10),
    purpose="query algo order",
    params=_KEYS,
    record=AlgoRecord,
    shape=Shape.OBJECT,
)

OPEN_ALGOS = Endpoint(
    name="open_algos",
    method="GET",
    path="/api/v1/algo/openOrders",
    family="algo",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(3, 10),
    paged=True,
    purpose="open algo orders",
    params=_LIST_FILTERS,
    record=AlgoRecord,
    shape=Shape.PAGE,
)

ALGO_HISTORY = Endpoint(
    name="algo_history",
    method="GET",
    path="/api/v1/algo/history/orders",
    family="algo",
    permission=Permission.READ,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(3, 10),
    paged=True,
    purpose="algo order history, 7 days",
    params=(
        *_LIST_FILTERS,
        Param(name="algoOrderType", kind=Kind.WORD, words=ALGO_TYPES),
        Param(name="attachedOrderId"),
    ),
    record=AlgoRecord,
    shape=Shape.PAGE,
)

CANCEL_ALL_ALGOS = Endpoint(
    name="cancel_all_algos",
    method="DELETE",
    path="/api/v1/algo/cancelAll",
    family="algo",
    permission=Permission.TRADE,
    scopes=(
        Scope.MAIN,
        Scope.SUB,
    ),
    success=200000,
    limit=RateLimit(50, 10),
    asynchronous=True,
    purpose="cancel all open algo orders of the portfolio, optional filters",
    params=CANCEL_ALL_ALGOS_PARAMS,
    record=AlgoReply,
    shape=Shape.ARRAY,
)

ROWS = (
    PLACE_ALGO,
    REPLACE_ALGO,
    CANCEL_ALGO,
    ALGO_DETAIL,
    OPEN_ALGOS,
    ALGO_HISTORY,
    CANCEL_ALL_ALGOS,
)
