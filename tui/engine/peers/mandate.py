"""Granted mandate of a program: its terms, and what of them is used."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from decimal import Decimal

import msgspec

from tui.engine.orders.pre_trade_checks import Refusal
from tui.engine.rows import OrderRow
from tui.engine.status_rows import MandateRow
from tui.interface import decimals
from tui.interface.decimals import ZERO, plain
from tui.interface.families.history import TradeRecord
from tui.interface.text import how_many
from tui.rules import units
from tui.rules.pnl import TradedResult

GUARD = "MANDATE"
MINUTE_S = 60.0
RESULT_STEP_S = 1.0
"""Least time between two rows that differ in their result alone, s."""

Touch = tuple[Decimal | None, Decimal | None]
"""Best bid and best ask of a pair."""


class WantedOrder(msgspec.Struct, frozen=True):
    """Order as a mandate judges it: a new one, or one as it would be after a replace."""

    sym: str
    side: str
    value: Decimal
    """At its limit price, in quote."""
    closes: bool
    """Whether it can only reduce a position; then it adds no value."""
    key: str = ""
    """Row key of the order that is replaced."""


class ChargedOrder:
    """Order of a mandate and the value that it takes of the total; values at its highest limit price."""

    def __init__(self, contract: Decimal, *, closes: bool) -> None:
        self.contract = contract
        self.closes = closes
        self.price = self.size = ZERO
        """Highest limit price and highest quantity that it had."""
        self.filled: dict[str, Decimal] = {}
        """Quantity filled by order id; a replace may go on under another id, which begins at 0."""

    def raise_to(self, price: Decimal, size: Decimal) -> None:
        """Charge the order at this price and quantity if they are above those so far."""
        self.price, self.size = max(self.price, price), max(self.size, size)

    def _value(self, quantity: Decimal) -> Decimal:
        return units.notional(quantity, self.contract, self.price)

    def value(self, row: OrderRow | None) -> Decimal:
        """Compute the value that it takes: what it may come to while it may work, what was filled once it has ended."""
        if self.closes:
            return ZERO
        order_id = row.order_id if row is not None else ""
        before = sum((quantity for name, quantity in self.filled.items() if name != order_id), ZERO)
        here = self.filled.get(order_id, ZERO)
        if row is None or row.final:
            shown = decimals.optional(row.executed) or ZERO if row is not None else ZERO
            return self._value(before + max(here, shown))
        return self._value(before + self.size)


class Mandate:
    """Mandate that holds."""

    def __init__(self, row: MandateRow) -> None:
        self.row = row
        self.orders: dict[str, ChargedOrder] = {}
        """By row key."""
        self._most_value, self._most_total = Decimal(row.order_value), Decimal(row.total_value)
        self._most_loss = Decimal(row.loss)
        self._results: dict[str, TradedResult] = {}
        self._shown, self._shown_at = msgspec.structs.replace(row, granted=False), float("-inf")
        self._sent_at: deque[float] = deque(maxlen=row.orders_per_minute)

    def check(self, order: WantedOrder, now: float, rows: Mapping[str, OrderRow]) -> Refusal | None:
        """Check an order against the terms; `rows` are all orders by key."""
        row = self.row
        if now >= row.expires:
            return Refusal(GUARD, "the mandate has ended: its time is over")
        if order.key and order.key not in self.orders:
            return Refusal(GUARD, "a program changes only orders that it placed under its mandate")
        if order.sym not in row.pairs:
            return Refusal(GUARD, f"the mandate holds for {', '.join(row.pairs)}, not for {order.sym}")
        if row.side not in ("BOTH", order.side):
            return Refusal(GUARD, f"the mandate holds for {row.side} orders, not for {order.side}")
        if len(self._sent_at) == row.orders_per_minute and now - self._sent_at[0] < MINUTE_S:
            free = MINUTE_S - (now - self._sent_at[0])
            most = how_many(row.orders_per_minute, "order")
            return Refusal(GUARD, f"the mandate holds for {most} a minute; the next is free in {free:.1f} s")
        return None if order.closes else self._check_value(order, rows)

    def _check_value(self, order: WantedOrder, rows: Mapping[str, OrderRow]) -> Refusal | None:
        if order.value > self._most_value:
            return Refusal(
                GUARD, f"the order is worth {plain(order.value)}; the mandate holds for {plain(self._most_value)}"
            )
        others = sum((charged.value(rows.get(key)) for key, charged in self.orders.items() if key != order.key), ZERO)
        replaced = self.orders.get(order.key)
        here = order.value if replaced is None else max(order.value, replaced.value(rows.get(order.key)))
        if others + here <= self._most_total:
            return None
        left = max(self._most_total - others, ZERO)
        text = (
            f"{plain(left)} of the {plain(self._most_total)} of the mandate are left; this order is worth {plain(here)}"
        )
        return Refusal(GUARD, text)

    def record_sent(self, key: str, order: ChargedOrder | None, price: Decimal, size: Decimal, now: float) -> None:
        """Count an order, or with `order` None a replace, that is being sent."""
        self._sent_at.append(now)
        charged = self.orders.setdefault(key, order) if order is not None else self.orders[key]
        charged.raise_to(price, size)
        self.row = msgspec.structs.replace(self.row, orders=self.row.orders + 1)

    def add_fill(self, key: str, fill: TradeRecord) -> None:
        """Count a fill of an order of the mandate."""
        order = self.orders[key]
        quantity = decimals.positive(fill.quantity) or ZERO
        order.filled[fill.order_id] = order.filled.get(fill.order_id, ZERO) + quantity
        self._results[fill.sym] = self._results.get(fill.sym, TradedResult()).plus(fill, order.contract)

    def result(self, touch_of: Callable[[str], Touch]) -> Decimal:
        """Compute the result of all fills, in quote."""
        return sum((result.at(*touch_of(sym)) for sym, result in self._results.items()), ZERO)

    def why_over(self, now: float, result: Decimal) -> str:
        """Return why the mandate ends now, or an empty text."""
        if now >= self.row.expires:
            return "its time is over"
        if -result >= self._most_loss:
            return f"its loss of {plain(decimals.half_up(-result, 2))} reached the {plain(self._most_loss)} granted"
        return ""

    def refresh(self, rows: Mapping[str, OrderRow], touch_of: Callable[[str], Touch], now: float) -> bool:
        """Bring the row up to date; return whether it is worth showing: its result moves with every quote."""
        used = sum((charged.value(rows.get(key)) for key, charged in self.orders.items()), ZERO)
        result = plain(decimals.half_up(self.result(touch_of), 2))
        row = msgspec.structs.replace(self.row, used=plain(decimals.half_up(used, 2)), result=result)
        shown = self._shown
        if row == shown or (
            now - self._shown_at < RESULT_STEP_S and msgspec.structs.replace(row, result=shown.result) == shown
        ):
            return False
        self.row = self._shown = row
        self._shown_at = now
        return True
