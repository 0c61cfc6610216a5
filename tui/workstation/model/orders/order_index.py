"""Index of a desk's orders: the working ones by pair and price, and those with a problem."""

from __future__ import annotations

from collections.abc import KeysView
from decimal import Decimal
from typing import TypeAlias, TypeVar

from tui.engine.rows import LocalOrderState, OrderRow
from tui.interface.decimals import optional

K = TypeVar("K")
_Level: TypeAlias = tuple[str, str, Decimal]
"""Symbol, side and price."""


class OrderIndex:
    """Index of working orders by row key, symbol and price, and of orders with a problem; updated as rows change."""

    def __init__(self) -> None:
        self.working: dict[str, OrderRow] = {}
        """Orders that may still be open, UNKNOWN ones included, by key."""
        self.unknown: set[str] = set()
        """Keys of those whose state is UNKNOWN."""
        self.problems: dict[str, OrderRow] = {}
        """Orders that failed, whose outcome is unknown, or about which desk and service disagree, by key."""
        self._on: dict[str, dict[str, OrderRow]] = {}
        self._at: dict[_Level, dict[str, OrderRow]] = {}
        self._levels: dict[str, _Level] = {}
        """Level of each working order with a price, by key."""

    @property
    def syms(self) -> KeysView[str]:
        """Symbols with working orders."""
        return self._on.keys()

    def on(self, sym: str) -> list[OrderRow]:
        """List the working orders of a symbol."""
        return list(self._on.get(sym, {}).values())

    def at(self, sym: str, side: str, price: Decimal | None) -> list[OrderRow]:
        """List the working orders of a symbol and side at one price; none at an unknown price."""
        return [] if price is None else list(self._at.get((sym, side, price), {}).values())

    def note(self, key: str, order: OrderRow | None) -> bool:
        """Update the index by a changed order (None: gone); return whether symbols with working orders changed."""
        works = order if order is not None and order.working else None
        before = self.working.get(key)
        syms = {row.sym for row in (before, works) if row is not None}
        had = [sym in self._on for sym in syms]
        if before is not None:
            self._drop(key, before)
        if works is not None:
            self._add(key, works)
        if order is not None and (order.failed or order.unsure or order.conflict):
            self.problems[key] = order
        else:
            self.problems.pop(key, None)
        return had != [sym in self._on for sym in syms]

    def _add(self, key: str, order: OrderRow) -> None:
        self.working[key] = self._on.setdefault(order.sym, {})[key] = order
        if order.state == LocalOrderState.UNKNOWN:
            self.unknown.add(key)
        if (price := optional(order.price)) is not None:
            level = self._levels[key] = order.sym, order.side, price
            self._at.setdefault(level, {})[key] = order

    def _drop(self, key: str, order: OrderRow) -> None:
        del self.working[key]
        self.unknown.discard(key)
        _remove(self._on, order.sym, key)
        if (level := self._levels.pop(key, None)) is not None:
            _remove(self._at, level, key)


def recency(order: OrderRow) -> tuple[bool, int, float, str]:
    """Return a sort key from oldest to newest order; orders placed elsewhere sort as older, their times are unreliable."""
    return order.key == order.client_order_id, order.create_at, order.stamp.received, order.key


def _remove(groups: dict[K, dict[str, OrderRow]], group: K, key: str) -> None:
    """Remove an order from its group, and the group when it was the last one."""
    del groups[group][key]
    if not groups[group]:
        del groups[group]
