"""What has left memory: ended orders and old bookings, kept elsewhere and found again by id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from tui.venue.core.algo_orders import AlgoOrder
from tui.venue.core.orders import Order

if TYPE_CHECKING:
    from tui.venue.core.state import State


class PastRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row with what lists select it by; empty where a table has no such thing."""

    table: str
    key: str
    value: bytes
    """As it stands in the durable state."""
    portfolio: str = ""
    at: int = 0
    """The time that lists are ordered by, ms."""
    client: str = ""
    sym: str = ""
    exchange: str = ""
    business: str = ""
    order_id: str = ""
    coin: str = ""
    kind: str = ""
    executed: bool = False


class Past(Protocol):
    """Finds rows again."""

    def find(self, table: str, key: str) -> bytes | None:
        """One row by its id."""
        ...

    def find_client(self, table: str, portfolio: str, client_id: str) -> str:
        """The newest id under a client order id, or empty."""
        ...


class NoPast:
    """A venue that never lets go of anything."""

    def find(self, table: str, key: str) -> bytes | None:
        del table, key
        return None

    def find_client(self, table: str, portfolio: str, client_id: str) -> str:
        del table, portfolio, client_id
        return ""


def order(state: State, order_id: str) -> Order | None:
    """An order, from memory or from the past. One of the past has ended and is never changed."""
    found = state.orders.get(order_id)
    if found is not None or not order_id:
        return found
    value = state.past.find("order", order_id)
    return None if value is None else msgspec.json.decode(value, type=Order)


def order_id_of(state: State, portfolio: str, client_id: str) -> str:
    """The newest order under a client order id, or empty."""
    if not client_id:
        return ""
    return state.clients.get((portfolio, client_id)) or state.past.find_client("order", portfolio, client_id)


def algo(state: State, algo_id: str) -> AlgoOrder | None:
    """An algo order, from memory or from the past."""
    found = state.algos.by_id.get(algo_id)
    if found is not None or not algo_id:
        return found
    value = state.past.find("algo", algo_id)
    return None if value is None else msgspec.json.decode(value, type=AlgoOrder)


def algo_id_of(state: State, portfolio: str, client_id: str) -> str:
    """The newest algo order under a client order id, or empty."""
    if not client_id:
        return ""
    return state.algos.by_client.get((portfolio, client_id)) or state.past.find_client("algo", portfolio, client_id)
