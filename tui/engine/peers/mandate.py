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
"""Least time between two rows that differ in values at the touch alone, s."""

Leg = tuple[str, str]
"""Pair and position side."""
Touch = tuple[Decimal | None, Decimal | None]
"""Best bid and best ask of a pair."""


class WantedOrder(msgspec.Struct, frozen=True):
    """Order as a mandate judges it: a new one, or one as it would be after a replace."""

    sym: str
    side: str
    leg: str
    """Position side."""
    size: Decimal
    contract: Decimal
    """Base units of one unit of `size`."""
    price: Decimal
    closes: bool
    """Whether it can only reduce a position; then it adds no value."""
    key: str = ""
    """Row key of the order that is replaced."""

    @property
    def value(self) -> Decimal:
        """Value at its limit price, in quote."""
        return units.notional(self.size, self.contract, self.price)


class ChargedOrder:
    """Order sent under a mandate, with the highest price and quantity that it had and what has filled."""

    def __init__(self, order: WantedOrder) -> None:
        self.leg = order.sym, order.leg
        self.side = order.side
        self.contract = order.contract
        self.closes = order.closes
        self.price = self.size = ZERO
        """Highest limit price and highest quantity that it had."""
        self.filled: dict[str, Decimal] = {}
        """Quantity filled by order id; a replace may go on under another id, which begins at 0."""

    def raise_to(self, price: Decimal, size: Decimal) -> None:
        """Raise the order's highest price and highest quantity to these, each if it is above that so far."""
        self.price, self.size = max(self.price, price), max(self.size, size)

    def sum_filled_quantity(self, row: OrderRow | None) -> Decimal:
        """Return the filled quantity over all order ids; `row` is the order's present row."""
        order_id = row.order_id if row is not None else ""
        shown = decimals.optional(row.executed) or ZERO if row is not None else ZERO
        return self.sum_filled_before(row) + max(self.filled.get(order_id, ZERO), shown)

    def sum_filled_before(self, row: OrderRow | None) -> Decimal:
        """Return the quantity filled under earlier order ids, before replaces that created a new order."""
        order_id = row.order_id if row is not None else ""
        return sum((quantity for name, quantity in self.filled.items() if name != order_id), ZERO)

    def compute_most_quantity(self, row: OrderRow | None) -> Decimal:
        """Return the largest quantity that the order can fill; the filled quantity once it has ended."""
        if row is None or row.final:
            return self.sum_filled_quantity(row)
        return self.sum_filled_before(row) + self.size

    def value(self, row: OrderRow | None) -> Decimal:
        """Compute the largest value that the order can trade, at its highest price; 0 if it can only reduce a position."""
        return ZERO if self.closes else units.notional(self.compute_most_quantity(row), self.contract, self.price)

    def position(self, row: OrderRow | None) -> Decimal:
        """Compute what the order's fills add to the position, in base units, negative for sales."""
        return (1 if self.side == "BUY" else -1) * units.base(self.sum_filled_quantity(row), self.contract)

    def open_base(self, row: OrderRow | None) -> Decimal:
        """Compute how many base units the order can still fill; 0 if it can only reduce a position."""
        if self.closes:
            return ZERO
        return units.base(self.compute_most_quantity(row) - self.sum_filled_quantity(row), self.contract)


class Mandate:
    """Granted mandate of a program: its terms, the orders sent under it, and their result."""

    def __init__(self, row: MandateRow) -> None:
        self.row = row
        self.orders: dict[str, ChargedOrder] = {}
        """By row key."""
        self._most_order, self._most_position = Decimal(row.order_value), Decimal(row.position_value)
        self._most_traded, self._most_loss = Decimal(row.traded_value), Decimal(row.loss)
        self._results: dict[str, TradedResult] = {}
        self._shown, self._shown_at = msgspec.structs.replace(row, granted=False), float("-inf")
        self._sent_at: deque[float] = deque(maxlen=row.orders_per_minute)

    def check(self, order: WantedOrder, now: float, rows: Mapping[str, OrderRow]) -> Refusal | None:
        """Check an order against the terms; `rows` are all orders by key."""
        row = self.row
        if now >= row.expires:
            return Refusal(GUARD, f"mandate {row.key} has ended: it has expired", term="seconds_left")
        if order.key and order.key not in self.orders:
            return Refusal(GUARD, "a program changes only orders that it placed under its mandate")
        if order.sym not in row.pairs:
            text = f"the mandate holds for {', '.join(row.pairs)}, not for {order.sym}"
            return Refusal(GUARD, text, term="pairs")
        if row.side not in ("BOTH", order.side):
            text = f"the mandate holds for {row.side} orders, not for {order.side}"
            return Refusal(GUARD, text, term="side")
        if len(self._sent_at) == row.orders_per_minute and now - self._sent_at[0] < MINUTE_S:
            free = MINUTE_S - (now - self._sent_at[0])
            most = how_many(row.orders_per_minute, "order")
            text = f"the mandate holds for {most} a minute; the next is free in {free:.1f} s"
            return Refusal(GUARD, text, term="orders_per_minute", retry_after=free)
        if order.closes:
            return None
        return self._check_order(order) or self._check_traded(order, rows) or self._check_position(order, rows)

    def _check_order(self, order: WantedOrder) -> Refusal | None:
        if order.value <= self._most_order:
            return None
        text = f"the order is worth {plain(order.value)}; the mandate holds for {plain(self._most_order)} an order"
        return Refusal(GUARD, text, term="order_value")

    def _check_traded(self, order: WantedOrder, rows: Mapping[str, OrderRow]) -> Refusal | None:
        others = sum((charged.value(rows.get(key)) for key, charged in self.orders.items() if key != order.key), ZERO)
        replaced = self.orders.get(order.key)
        here = order.value if replaced is None else max(order.value, replaced.value(rows.get(order.key)))
        if others + here <= self._most_traded:
            return None
        left, most = plain(max(self._most_traded - others, ZERO)), plain(self._most_traded)
        text = f"{left} of the {most} that it may trade are left; this order is worth {plain(here)}"
        return Refusal(GUARD, text, term="traded_value")

    def _check_position(self, order: WantedOrder, rows: Mapping[str, OrderRow]) -> Refusal | None:
        """Check that the position stays within the mandate if the order and all others of its side fill."""
        leg, sign = (order.sym, order.leg), 1 if order.side == "BUY" else -1
        after = sign * self._position(leg, rows) + units.base(order.size, order.contract)
        for key, charged in self.orders.items():
            if charged.leg == leg and charged.side == order.side and key != order.key:
                after += charged.open_base(rows.get(key))
        if (replaced := self.orders.get(order.key)) is not None:
            # The new size contains what was filled under this order id, which the position has, too.
            row = rows.get(order.key)
            after -= units.base(replaced.sum_filled_quantity(row) - replaced.sum_filled_before(row), order.contract)
        value = after * order.price
        if value <= self._most_position:
            return None
        what = f"the position may come to {plain(decimals.half_up(value, 2))} with this order"
        return Refusal(GUARD, f"{what}; the mandate holds for {plain(self._most_position)}", term="position_value")

    def _position(self, leg: Leg, rows: Mapping[str, OrderRow]) -> Decimal:
        """Sum what the mandate's orders have filled on a leg, in base units, negative when short."""
        return sum((order.position(rows.get(key)) for key, order in self.orders.items() if order.leg == leg), ZERO)

    def _value_position(self, rows: Mapping[str, OrderRow], touch_of: Callable[[str], Touch]) -> Decimal:
        """Compute the value of the mandate's largest position, at the price of closing it."""
        prices = {order.leg: order.price for order in self.orders.values()}
        largest = ZERO
        for leg, price in prices.items():
            base, (bid, ask) = self._position(leg, rows), touch_of(leg[0])
            largest = max(largest, abs(base) * ((bid if base > 0 else ask) or price))
        return largest

    def record_sent(self, key: str, order: WantedOrder, now: float) -> None:
        """Count an order or replace that is being sent; `key` is the row key of the order."""
        self._sent_at.append(now)
        self.orders.setdefault(key, ChargedOrder(order)).raise_to(order.price, order.size)
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
            return "it has expired"
        if -result >= self._most_loss:
            return f"its loss of {plain(decimals.half_up(-result, 2))} reached the {plain(self._most_loss)} granted"
        return ""

    def refresh(self, rows: Mapping[str, OrderRow], touch_of: Callable[[str], Touch], now: float) -> bool:
        """Update the used amounts in the row; return whether to show it: quote moves alone only every `RESULT_STEP_S`."""
        traded = sum((charged.value(rows.get(key)) for key, charged in self.orders.items()), ZERO)
        figures = (self._value_position(rows, touch_of), traded, self.result(touch_of))
        held, used, result = (plain(decimals.half_up(figure, 2)) for figure in figures)
        row, shown = msgspec.structs.replace(self.row, held=held, traded=used, result=result), self._shown
        moved = msgspec.structs.replace(row, held=shown.held, result=shown.result)
        if row == shown or (now - self._shown_at < RESULT_STEP_S and moved == shown):
            return False
        self.row = self._shown = row
        self._shown_at = now
        return True
