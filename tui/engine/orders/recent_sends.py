"""Record of what was sent lately: an order sent twice, a sender that runs away, and the used part of request limits."""

from __future__ import annotations

from collections import defaultdict, deque
from decimal import Decimal
from typing import NamedTuple

from tui.client.rate_limiter import RateLimiter
from tui.engine.limits import Limits
from tui.engine.orders.pre_trade_checks import OrderContext, Refusal
from tui.engine.rows import OrderRow
from tui.engine.status_rows import RateUse
from tui.interface import decimals
from tui.interface.endpoint import Endpoint
from tui.interface.families.orders import CANCEL_ALL, CANCEL_ORDER, PLACE_ORDER, REPLACE_ORDER

MOST_PLACES = 64
"""Most new orders that are remembered."""
_RATES = (
    ("new orders", PLACE_ORDER, False),
    ("replaces", REPLACE_ORDER, False),
    ("cancels", CANCEL_ORDER, True),
    ("cancel all", CANCEL_ALL, True),
)
"""Requests whose limit is shown, and whether they may use the share kept for cancels."""


class OrderIdentity(NamedTuple):
    """Properties by which two orders are the same; numbers by value, so that 60000 equals 60000.0."""

    sym: str
    side: str
    position_side: str
    price: Decimal | None
    qty: Decimal | None
    instruction: str
    """What was asked for; empty if price and size alone tell, as in HOT, where each press at another price is meant."""

    def is_same(self, other: OrderIdentity) -> bool:
        """Return whether two orders are duplicates: same size and price, or the same instruction that follows the market."""
        if self[:3] != other[:3]:
            return False
        return self[3:5] == other[3:5] or bool(self.instruction and self.instruction == other.instruction)


def identify_order(order: OrderContext) -> OrderIdentity:
    """Return the properties by which a new order is compared with others as a duplicate."""
    intent, figures = order.intent, order.figures
    instruction = "" if intent.hot else intent.instruction
    side, leg = intent.side.value, intent.position_side.value
    return OrderIdentity(intent.sym, side, leg, figures.price, figures.qty, instruction)


def identify_row(row: OrderRow) -> OrderIdentity:
    """Return the properties by which a sent order is compared with others as a duplicate."""
    price, qty = decimals.optional(row.price), decimals.optional(row.qty)
    return OrderIdentity(row.sym, row.side, row.position_side, price, qty, row.instruction)


def _identify_line(order: OrderContext) -> tuple[str, str] | None:
    """Return sender and mark of the typed line to which an order belongs; None for an order of its own."""
    intent = order.intent
    return (intent.decision.peer, intent.line) if intent.line else None


class _SentPlace(NamedTuple):
    """New order that was sent."""

    at: float
    """Monotonic time, s."""
    order: OrderIdentity
    line: tuple[str, str] | None


class RecentSends:
    """Orders and commands that were sent lately."""

    def __init__(self) -> None:
        self._times: defaultdict[str, deque[tuple[float, str]]] = defaultdict(deque)
        """Monotonic time and mark of the line, by sender: one that runs away stops no other."""
        self._places: deque[_SentPlace] = deque(maxlen=MOST_PLACES)

    def record(self, peer: str, now: float, line: str = "") -> None:
        """Record that a sender sent something at a monotonic time, alone or as a step of a typed line."""
        self._times[peer].append((now, line))

    def record_place(self, order: OrderContext, now: float) -> None:
        """Remember a new order."""
        self._places.append(_SentPlace(now, identify_order(order), _identify_line(order)))

    def describe_runaway(self, peer: str, now: float, limits: Limits, line: str = "") -> str:
        """Describe that a sender has reached the allowed number of recent sends; empty if not.

        The steps of a line count once, however many they are: the trader confirmed them together.
        """
        times = self._times.get(peer, deque())
        while times and now - times[0][0] > limits.runaway_window:
            times.popleft()
        if not times:
            self._times.pop(peer, None)
        lines = {mark for _, mark in times if mark}
        sends = sum(1 for _, mark in times if not mark) + len(lines)
        if line in lines or sends < limits.runaway_count:
            return ""
        return f"more than {limits.runaway_count} sends in {limits.runaway_window:g} s"

    def check_duplicate(self, order: OrderContext, now: float, limits: Limits) -> Refusal | None:
        """Ask about an order that was sent in the same form within `duplicate` seconds, unless by the same typed line."""
        same, line = identify_order(order), _identify_line(order)
        sent = [
            other
            for other in self._places
            if now - other.at < limits.duplicate and same.is_same(other.order) and (line is None or other.line != line)
        ]
        if not sent:
            return None
        last = sent[-1]
        ago, price = now - last.at, last.order.price
        at = "" if price is None or price == same.price else f" at {decimals.format_grouped(price, order.terms.tick)}"
        often = f", {len(sent)} times" if len(sent) > 1 else ""
        # Counted from this order: the question may stand for long.
        text = f"the same order left {ago:.1f} s before this one{at}{often}"
        left = limits.duplicate - ago
        to_program = f"the same order was sent {ago:.1f} s ago: wait {left:.1f} s, or change price or size"
        return Refusal("DUPLICATE", text, ask=True, to_program=to_program, retry_after=left)


def rate_key(endpoint: Endpoint) -> str:
    """Return the rate limit key of a stream request, which is separate from that of REST."""
    return f"stream {endpoint.key}"


def list_rates(limiter: RateLimiter) -> tuple[RateUse, ...]:
    """List how much of each request limit of the service that orders depend on is used."""
    return tuple(_rate_of(limiter, name, endpoint, reserved=reserved) for name, endpoint, reserved in _RATES)


def _rate_of(limiter: RateLimiter, name: str, endpoint: Endpoint, *, reserved: bool) -> RateUse:
    used, limit = limiter.used(rate_key(endpoint), endpoint.limit), endpoint.limit
    return RateUse(name, used, limiter.room(limit, reserved=reserved), limit.seconds)
