"""Algo orders: enums, records and endpoint rows."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import msgspec

from tui.interface.endpoint import MAIN_AND_SUB, Family, Kind, Param, Permission, RateLimit, Shape


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


WHOLE_OR_PART = frozenset([Condition.ENTIRE_CLOSE_POSITION, Condition.PARTIAL_CLOSE_POSITION])
"""Conditions that only close a position."""


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
    Param(name="limitPrice", kind=Kind.DECIMAL, wrong=401006),
    Param(name="algoProvider"),
    Param(name="positionSide", kind=Kind.WORD, words=("NONE", "LONG", "SHORT"), wrong=401905),
    Param(name="reduceOnly", kind=Kind.FLAG),
    Param(name="clientOrderId"),
    Param(name="conditionType", kind=Kind.WORD, words=tuple(Condition), wrong=401291),
    *_TRIGGER_PARAMS,
)
"""`limitPrice` and `algoProvider` are for algo types that work a quantity by themselves; TPSL uses neither."""
REPLACE_ALGO_PARAMS = (*_KEYS, Param(name="orderQty", kind=Kind.DECIMAL, wrong=401005), *_TRIGGER_PARAMS)
CANCEL_ALGO_PARAMS = (*_KEYS, Param(name="orderId", kind=Kind.ID, wrong=401007))
"""`orderId` is the older way to name the order of an attached one."""
CANCEL_ALL_ALGOS_PARAMS = (
    Param(name="sym", kind=Kind.SYM, wrong=401011),
    Param(name="exchangeType", kind=Kind.VENUE, wrong=401023, aliases=("exchange",)),
    Param(name="businessType", kind=Kind.WORD, words=("SPOT", "MARGIN", "PERP")),
    Param(name="algoOrderType", kind=Kind.WORD, words=ALGO_TYPES),
    Param(name="conditionType", kind=Kind.WORD, words=tuple(Condition)),
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

_ALGO_HISTORY_PARAMS = (
    *_LIST_FILTERS,
    Param(name="algoOrderType", kind=Kind.WORD, words=ALGO_TYPES),
    Param(name="attachedOrderId"),
)

_ALGO = Family("algo", permission=Permission.TRADE, scopes=MAIN_AND_SUB, success=200000, limit=RateLimit(3, 10))

# fmt: off
PLACE_ALGO = _ALGO.row("place_algo", "POST /api/v1/algo/order", "place algo order (TPSL)", asynchronous=True,
    params=PLACE_ALGO_PARAMS, record=AlgoReply, shape=Shape.OBJECT)
REPLACE_ALGO = _ALGO.row("replace_algo", "PUT /api/v1/algo/order", "replace algo order", asynchronous=True,
    params=REPLACE_ALGO_PARAMS, record=AlgoReply, shape=Shape.OBJECT)
CANCEL_ALGO = _ALGO.row("cancel_algo", "DELETE /api/v1/algo/order", "cancel algo order", asynchronous=True,
    params=CANCEL_ALGO_PARAMS, record=AlgoReply, shape=Shape.OBJECT)
ALGO_DETAIL = _ALGO.row("algo_detail", "GET /api/v1/algo/order", "query algo order", permission=Permission.READ,
    params=_KEYS, record=AlgoRecord, shape=Shape.OBJECT)
OPEN_ALGOS = _ALGO.row("open_algos", "GET /api/v1/algo/openOrders", "open algo orders", permission=Permission.READ,
    paged=True, params=_LIST_FILTERS, record=AlgoRecord, shape=Shape.PAGE)
ALGO_HISTORY = _ALGO.row("algo_history", "GET /api/v1/algo/history/orders", "algo order history, 7 days",
    permission=Permission.READ, paged=True, params=_ALGO_HISTORY_PARAMS, record=AlgoRecord, shape=Shape.PAGE)
CANCEL_ALL_ALGOS = _ALGO.row("cancel_all_algos", "DELETE /api/v1/algo/cancelAll",
    "cancel all open algo orders of the portfolio, optional filters", limit=RateLimit(50, 10), asynchronous=True,
    params=CANCEL_ALL_ALGOS_PARAMS, record=AlgoReply, shape=Shape.ARRAY)
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
