"""Lookup of orders by id, in memory or in the archive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from tui.venue.core.state.algo_orders import AlgoOrder
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.orders import Order

R = TypeVar("R", Order, AlgoOrder)


def order_by_id(state: State, order_id: str) -> Order | None:
    """Find an order in memory or in the archive; an archived order has ended and must not be changed."""
    return _look_up(state, "order", order_id, state.orders, Order)


def algo_by_id(state: State, algo_id: str) -> AlgoOrder | None:
    """Find an algo order in memory or in the archive."""
    return _look_up(state, "algo", algo_id, state.algos.by_id, AlgoOrder)


def order_id_of(state: State, portfolio: str, client_id: str) -> str:
    """Return the newest order id with a client order id, or empty text."""
    return _id_of(state, "order", portfolio, client_id, state.clients)


def algo_id_of(state: State, portfolio: str, client_id: str) -> str:
    """Return the newest algo order id with a client order id, or empty text."""
    return _id_of(state, "algo", portfolio, client_id, state.algos.by_client)


def _look_up(state: State, table: str, key: str, in_memory: Mapping[str, R], kind: type[R]) -> R | None:
    row = in_memory.get(key)
    if row is not None or not key:
        return row
    value = state.past.find(table, key)
    return None if value is None else msgspec.json.decode(value, type=kind)


def _id_of(state: State, table: str, portfolio: str, client_id: str, in_memory: Mapping[tuple[str, str], str]) -> str:
    if not client_id:
        return ""
    return in_memory.get((portfolio, client_id)) or state.past.find_client(table, portfolio, client_id)
