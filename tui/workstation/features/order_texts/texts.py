"""An order as a command line, as Python, and as the request that places it over REST or WebSocket."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from tui.engine.rows import OrderRow
from tui.interface.families.orders import PLACE_ORDER, OrderType, PlaceOrder
from tui.interface.request import action_of, arguments_of
from tui.interface.streams import action_frame
from tui.workstation.tickets.order.proposal import write_order

_FIRST_ID = "r1"
"""Id of the request in the text; a program numbers its own."""


class OrderText(msgspec.Struct, frozen=True):
    """Notation of an order, such as a command line, with the function that writes it."""

    name: str
    write: Callable[[OrderRow], str]


def write_line(order: OrderRow) -> str:
    """Write the command line that places such an order."""
    return write_order(order, _price(order))


def write_python(order: OrderRow) -> str:
    """Write the call that proposes such an order from Python."""
    price = _price(order)
    named = {"time_in_force": order.time_in_force if price else "", "position_side": order.position_side}
    words = [f'"{word}"' for word in (order.side, order.sym, order.qty, price) if word]
    words += [f'{name}="{word}"' for name, word in named.items() if word not in ("", "GTC", "NONE")]
    words += ["reduce_only=True"] * order.reduce_only
    return f'desk.propose({", ".join(words)}, reason="")'


def write_rest(order: OrderRow) -> str:
    """Write the REST request that places such an order, without its signature."""
    return f"{PLACE_ORDER.method} {PLACE_ORDER.path} {msgspec.json.encode(_params(order)).decode()}"


def write_stream(order: OrderRow) -> str:
    """Write the message of the private stream that places such an order."""
    return action_frame(_FIRST_ID, action_of(PlaceOrder), _params(order)).decode()


ORDER_TEXTS = (
    OrderText("command line", write_line),
    OrderText("Python", write_python),
    OrderText("REST", write_rest),
    OrderText("WebSocket", write_stream),
)


def _price(order: OrderRow) -> str:
    return "" if order.order_type == OrderType.MARKET else order.price


def _params(order: OrderRow) -> dict[str, str]:
    order_type = order.order_type or OrderType.LIMIT.value
    request = PlaceOrder(
        sym=order.sym, side=order.side, order_type=order_type, limit_price=_price(order),
        time_in_force=order.time_in_force if _price(order) else "", order_qty=order.qty,
        reduce_only=True if order.reduce_only else None,
        position_side="" if order.position_side == "NONE" else order.position_side,
    )  # fmt: skip
    return arguments_of(request)
