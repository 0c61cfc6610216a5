"""Lookup of an order or algo order by order id or client order id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from tui.interface.families.algo import AlgoName
from tui.interface.families.orders import Name
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.state import lookup
from tui.venue.core.state.algo_orders import AlgoOrder
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.orders import Order
from tui.venue.core.trading import field_checks

R = TypeVar("R", Order, AlgoOrder)


class OrderKind(msgspec.Struct, Generic[R], frozen=True):
    """Field names and lookup functions of orders, or of algo orders."""

    label: str
    id_field: str
    by_id: Callable[[State, str], R | None]
    id_of: Callable[[State, str, str], str]
    """Order id by portfolio and client order id, or empty."""


ORDER = OrderKind("order", Name.ORDER_ID, lookup.order_by_id, lookup.order_id_of)
ALGO = OrderKind("algo order", AlgoName.ALGO_ORDER_ID, lookup.algo_by_id, lookup.algo_id_of)


def find_named(kind: OrderKind[R], state: State, portfolio: str, own_id: str, client_order_id: str) -> R:
    """Find the order of a request by order id or client order id; the order id is used when both are given.

    Raises:
        CheckFailed: 401008 when neither id is given, 401007 for no valid id, 401018 when not found.
    """
    if not own_id and not client_order_id:
        raise CheckFailed(401008, f"{kind.id_field} or {Name.CLIENT_ORDER_ID} is required")
    field_checks.check_id(kind.id_field, own_id)
    order = kind.by_id(state, own_id or kind.id_of(state, portfolio, client_order_id))
    if order is None or order.portfolio != portfolio:
        field, given = (kind.id_field, own_id) if own_id else (Name.CLIENT_ORDER_ID, client_order_id)
        raise CheckFailed(401018, f"{kind.label} not found: {field} {given[:64]!r}")
    return order
