"""Orders: enums, the order record, requests and endpoint definitions."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec

from tui.interface.endpoint import MAIN_AND_SUB, Family, Permission, RateLimit, Shape
from tui.interface.envelope import ActionReply, PlaceReply
from tui.interface.request import (
    BusinessFilter,
    CommandRequest,
    ExchangeFilter,
    ExchangeTypeFilter,
    Flag,
    Id,
    Kind,
    Leg,
    OfferedSymbol,
    Price,
    Quantity,
    Request,
    Rule,
    Symbol,
    Unsent,
    WindowRequest,
)


class Name(StrEnum):
    """Field names of orders in the API, used in error messages."""

    SYM = "sym"
    ORDER_ID = "orderId"
    CLIENT_ORDER_ID = "clientOrderId"
    ORDER_QTY = "orderQty"
    LIMIT_PRICE = "limitPrice"
    POSITION_SIDE = "positionSide"
    EXCHANGE_TYPE = "exchangeType"
    POSITION_MODE = "positionMode"
    SYM_LIST = "symList"
    CLOSE_ALL_POS = "closeAllPos"
    QUOTE_ORDER_QTY = "quoteOrderQty"
    REPLACE_QTY = "replaceQty"
    REPLACE_PRICE = "replacePrice"
    TIME_IN_FORCE = "timeInForce"
    ORDER_TYPE = "orderType"
    REDUCE_ONLY = "reduceOnly"
    TICK_SIZE = "tickSize"
    LOT_SIZE = "lotSize"
    MIN_SIZE = "minSize"
    MIN_NOTIONAL = "minNotional"
    MAX_LIMIT_SIZE = "maxLimitSize"
    MAX_MARKET_SIZE = "maxMarketSize"
    MAX_NUM_ORDERS = "maxNumOrders"


class Side(StrEnum):
    BUY = "BUY"
    SELL = "SELL"

    @property
    def sign(self) -> int:
        """Sign of the side: +1 for a buy, -1 for a sell."""
        return 1 if self is Side.BUY else -1

    @property
    def other(self) -> Side:
        return Side.SELL if self is Side.BUY else Side.BUY


class PositionSide(StrEnum):
    """Position side: NONE in one-way mode, LONG or SHORT in hedge mode."""

    NONE = "NONE"
    LONG = "LONG"
    SHORT = "SHORT"


class OrderType(StrEnum):
    LIMIT = "LIMIT"
    MARKET = "MARKET"


class TimeInForce(StrEnum):
    GTC = "GTC"
    IOC = "IOC"
    FOK = "FOK"
    GTX = "GTX"
    """Good till cancelled, post-only."""


class OrderState(StrEnum):
    NEW = "NEW"
    OPEN = "OPEN"
    PARTIALLY_FILLED = "PARTIALLY_FILLED"
    FILLED = "FILLED"
    CANCELLED = "CANCELLED"
    REJECT = "REJECT"
    FAIL = "FAIL"


class Origin(StrEnum):
    """Origin of an order: user, liquidation, delisting and so on (field `orderType`)."""

    DMA = "DMA"
    SYSTEM_LIQ = "SYSTEM_LIQ"
    SYSTEM_REDUCE = "SYSTEM_REDUCE"
    REPLACE = "REPLACE"
    DELIST = "DELIST"
    SYSTEM = "SYSTEM"
    SETTLEMENT = "SETTLEMENT"


class Action(StrEnum):
    """Amend or cancel of an order: pending, completed or failed."""

    NOTHING = ""
    AMEND_PENDING = "AMEND_PENDING"
    AMEND_COMPLETED = "AMEND_COMPLETED"
    AMEND_FAILED = "AMEND_FAILED"
    CANCEL_PENDING = "CANCEL_PENDING"
    CANCEL_COMPLETED = "CANCEL_COMPLETED"
    CANCEL_FAILED = "CANCEL_FAILED"


class CancelType(StrEnum):
    NOTHING = ""
    USER = "USER"
    EXPIRE = "EXPIRE"
    REDUCE_ONLY = "REDUCE_ONLY"
    LIQUIDATING = "LIQUIDATING"
    SYSTEM = "SYSTEM"
    SYM_DELIST = "SYM_DELIST"


class AmendType(StrEnum):
    NOTHING = ""
    USER = "USER"
    REDUCE_ONLY = "REDUCE_ONLY"


OPEN_STATES = frozenset(["NEW", "OPEN", "PARTIALLY_FILLED", "ACCEPTED"])
FINAL_STATES = frozenset(["FILLED", "CANCELLED", "CANCELED", "REJECT", "REJECTED", "FAIL", "EXPIRED"])

BAD_ENDS = frozenset(["REJECT", "REJECTED", "FAIL", "EXPIRED"])
"""Final states of orders that the service refused, could not carry out, or let expire."""


def is_final(state: str) -> bool:
    """Report whether an order in this state has ended; an unknown state counts as not ended."""
    return state in FINAL_STATES


_STATE_WORDS = {"CANCELED": "CANCELLED", "REJECT": "REJECTED", "PARTIALLY_FILLED": "PARTIAL"}


def state_word(state: str) -> str:
    """Return the common name of an order or algo order state that services spell in different ways."""
    return _STATE_WORDS.get(state, state)


class OrderRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Order record, as sent over REST and on the Orders channel.

    Texts are the service's own; enums stay text, because an unknown value is shown and treated as not final.
    """

    portfolio_id: str = ""
    portfolio_name: str | None = None
    order_id: str
    client_order_id: str = ""
    order_state: str
    sym: str
    exchange_type: str = ""
    business_type: str = ""
    side: str
    exchange_order_type: str = ""
    origin: str = msgspec.field(default=Origin.DMA.value, name="orderType")
    order_qty: str = ""
    """Total quantity, in base units; contracts on OKX perpetuals."""
    quote_order_qty: str = "0"
    limit_price: str = ""
    time_in_force: str = ""
    reason: str = ""
    executed_qty: str = "0"
    executed_amount: str = "0"
    executed_avg_price: str = "0"
    last_executed_qty: str = "0"
    last_executed_price: str = "0"
    last_executed_amount: str = "0"
    reduce_only: bool | str = False
    leverage: int | str | None = None
    fee: str = "0"
    fee_coin: str = ""
    rebate: str = "0"
    rebate_coin: str = ""
    borrow_amount: str = "0"
    borrow_asset: str = ""
    position_side: str = "NONE"
    algo_order_id: str | None = None
    tp_trigger_price: str = ""
    tp_trigger_type: str = ""
    tp_price: str = ""
    sl_trigger_price: str = ""
    sl_trigger_type: str = ""
    sl_price: str = ""
    action: str = ""
    action_msg: str = ""
    cancel_type: str = ""
    amend_type: str = ""
    create_at: str = ""
    update_at: str = ""


_TRIGGERS = ("LAST_PRICE", "MARK_PRICE")


class PlaceOrder(CommandRequest, frozen=True, kw_only=True, rename="camel", tag="place_order"):
    """Request to place an order."""

    client_order_id: str = ""
    sym: OfferedSymbol
    side: Annotated[str, Rule(Kind.WORD, tuple(Side), 401002)]
    order_type: Annotated[str, Rule(Kind.WORD, tuple(OrderType), 401003)]
    time_in_force: Annotated[str, Rule(Kind.WORD, tuple(TimeInForce), 401004)] = ""
    order_qty: Quantity = ""
    limit_price: Price = ""
    quote_order_qty: Annotated[str, Rule(Kind.DECIMAL, error_code=401021)] = ""
    reduce_only: Annotated[bool | None, Rule(Kind.FLAG)] = None
    position_side: Leg = ""
    tp_trigger_price: Price = ""
    tp_trigger_type: Annotated[str, Rule(Kind.WORD, _TRIGGERS)] = ""
    tp_price: Price = ""
    sl_trigger_price: Price = ""
    sl_trigger_type: Annotated[str, Rule(Kind.WORD, _TRIGGERS)] = ""
    sl_price: Price = ""


class ReplaceOrder(CommandRequest, frozen=True, kw_only=True, rename="camel", tag="replace_order"):
    """Request to replace price or quantity of an order; the quantity is the new total."""

    order_id: Id = ""
    client_order_id: str = ""
    replace_qty: Quantity = ""
    replace_price: Price = ""


class CancelOrder(CommandRequest, frozen=True, kw_only=True, rename="camel", tag="cancel_order"):
    """Request to cancel one order."""

    order_id: Id = ""
    client_order_id: str = ""


class CancelAllOrders(CommandRequest, frozen=True, kw_only=True, rename="camel", tag="cancel_orders"):
    """Request to cancel all open orders that match the filters."""

    wide_when_empty = True

    exchange_type: ExchangeTypeFilter = ""
    sym: OfferedSymbol = ""
    order_ids: Annotated[str, Rule(error_code=401007, aliases=("orderId",))] = ""
    """With `client_order_ids`: only these orders, separated by commas."""
    client_order_ids: Annotated[str, Rule(aliases=("clientOrderId",))] = ""
    alone: Annotated[bool, Unsent()] = False
    """Only this portfolio, whatever the switch `cancel_all_scope` says."""


class OrderQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for one order; the order id is used when a client order id is given too."""

    order_id: Id = ""
    client_order_id: str = ""


class OpenOrdersQuery(WindowRequest, frozen=True, kw_only=True, rename="camel"):
    """Query for open orders."""

    sym: Symbol = ""
    exchange: ExchangeFilter = ""
    business_type: BusinessFilter = ""


class OrderHistoryQuery(OpenOrdersQuery, frozen=True, kw_only=True, rename="camel"):
    """Query for ended orders."""

    own_last = True

    filter_executed: Flag = ""


_ORDERS = Family("orders", permission=Permission.TRADE, scopes=MAIN_AND_SUB, success=200000, limit=RateLimit(1200, 60))

# fmt: off
PLACE_ORDER = _ORDERS.row("place_order", "POST /api/v1/trading/order",
    "place order; validated synchronously, success = accepted", request=PlaceOrder, record=PlaceReply,
    shape=Shape.OBJECT)
REPLACE_ORDER = _ORDERS.row("replace_order", "PUT /api/v1/trading/order", "replace (amend) order",
    limit=RateLimit(300, 60), asynchronous=True, request=ReplaceOrder, record=ActionReply, shape=Shape.OBJECT)
CANCEL_ORDER = _ORDERS.row("cancel_order", "DELETE /api/v1/trading/order", "cancel order", asynchronous=True,
    request=CancelOrder, record=ActionReply, shape=Shape.OBJECT)
CANCEL_ALL = _ORDERS.row("cancel_all", "DELETE /api/v1/trading/cancelAll",
    "cancel all open orders; optional sym and exchangeType",
    limit=RateLimit(50, 10), asynchronous=True, request=CancelAllOrders, shape=Shape.EMPTY)
ORDER_DETAIL = _ORDERS.row("order_detail", "GET /api/v1/trading/order", "order detail", permission=Permission.READ,
    request=OrderQuery, record=OrderRecord, shape=Shape.OBJECT)
OPEN_ORDERS = _ORDERS.row("open_orders", "GET /api/v1/trading/orders", "open orders", permission=Permission.READ,
    paged=True, request=OpenOrdersQuery, record=OrderRecord, shape=Shape.PAGE)
ORDER_HISTORY = _ORDERS.row("order_history", "GET /api/v1/trading/history/orders", "order history, 7 days",
    permission=Permission.READ, limit=RateLimit(30, 10), paged=True, request=OrderHistoryQuery, record=OrderRecord,
    shape=Shape.PAGE)
ORDER_ARCHIVE = _ORDERS.row("order_archive", "GET /api/v1/trading/archive/history/orders",
    "archived orders, 7 to 90 days; client timeout at least 30 s", permission=Permission.READ, limit=RateLimit(30, 10),
    paged=True, request=OrderHistoryQuery, record=OrderRecord, shape=Shape.PAGE)
# fmt: on

ROWS = (
    PLACE_ORDER,
    REPLACE_ORDER,
    CANCEL_ORDER,
    CANCEL_ALL,
    ORDER_DETAIL,
    OPEN_ORDERS,
    ORDER_HISTORY,
    ORDER_ARCHIVE,
)
