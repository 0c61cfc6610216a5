"""Validation of triggers in requests: parsing, and checks against market prices."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from tui.interface.decimals import ZERO, BadDecimal, parse_request, plain
from tui.interface.families.algo import STOP_LOSS, TriggerName, TriggerType
from tui.rules import triggers
from tui.rules.triggers import MAX_DISTANCE
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.market.symbols import Pair
from tui.venue.core.state.algo_orders import Trigger
from tui.venue.core.state.exchange_state import State
from tui.venue.core.trading import field_checks, protection


class TriggerRequest(msgspec.Struct, frozen=True):
    """Trigger fields as sent in a request."""

    name: TriggerName
    price: str
    kind: str
    limit: str

    @property
    def is_given(self) -> bool:
        """Whether the trigger price is above 0; otherwise no trigger was requested."""
        return bool(self.price) and self.price.strip("0.") != ""


def parse_trigger(request: TriggerRequest) -> tuple[Decimal, str, Decimal]:
    """Parse trigger price, trigger type and child order price (0 means market).

    Raises:
        CheckFailed: 401006 for no price, 400000 for no type.
    """
    price = field_checks.decimal_of(request.name.price, request.price, 401006)
    kind = request.kind or TriggerType.LAST_PRICE
    field_checks.check_word(request.name.kind, kind, tuple(TriggerType), 400000)
    try:
        limit = parse_request(request.limit) if request.limit else ZERO
    except BadDecimal:
        raise CheckFailed(
            401006, f"{request.name.limit} {request.limit[:40]!r} is not accepted; it takes a decimal, 0 means market"
        ) from None
    return price, kind, limit


def make_trigger(pair: Pair, request: TriggerRequest) -> Trigger:
    """Build a trigger with its prices in ticks.

    Raises:
        CheckFailed: As `parse_trigger`, and 401015 when off tick.
    """
    price, kind, limit = parse_trigger(request)
    return Trigger(
        ticks=field_checks.ticks_of(pair, price, request.name.price),
        kind=kind,
        limit=field_checks.ticks_of(pair, limit, request.name.limit),
    )


def check_side(name: TriggerName, price: Decimal, now: Decimal, *, rises: bool) -> None:
    """Check that the price has not already passed the trigger.

    Raises:
        CheckFailed: 401916.
    """
    if price == now or (price > now) != rises:
        raise CheckFailed(
            401916,
            f"{name.price} {plain(price)} would trigger immediately; "
            f"it must be {'above' if rises else 'below'} {plain(now)}",
        )


def check_distance(state: State, pair: Pair, name: TriggerName, price: Decimal) -> None:
    """Check that a trigger is at most `MAX_DISTANCE` (a fraction) above or below the mark price, or spot's last price.

    Raises:
        CheckFailed: 401917.
    """
    mark = state.valuation(pair)
    if abs(price - mark) > mark * MAX_DISTANCE:
        low, high = mark * (1 - MAX_DISTANCE), mark * (1 + MAX_DISTANCE)
        raise CheckFailed(
            401917, f"{name.price} {plain(price)} is too far from mark; accepted are {plain(low)} to {plain(high)}"
        )


def check_attached(
    state: State, pair: Pair, requested: tuple[TriggerRequest, TriggerRequest], *, is_buy: bool, limit: Decimal
) -> tuple[Trigger | None, Trigger | None]:
    """Check the take-profit and stop sent with an order; `limit` is the order's price, 0 for a market order.

    Raises:
        CheckFailed: 401006, 400000, 401916, 401917, 401015.
    """
    accepted: list[Trigger | None] = []
    for request in requested:
        if not request.is_given:
            accepted.append(None)
            continue
        price, kind, _ = parse_trigger(request)
        check_side(
            request.name,
            price,
            expect_entry_price(state, pair, kind, is_buy=is_buy, limit=limit),
            rises=fires_on_rise(request.name, closes_by_buying=not is_buy),
        )
        check_distance(state, pair, request.name, price)
        accepted.append(make_trigger(pair, request))
    return accepted[0], accepted[1]


def fires_on_rise(name: TriggerName, *, closes_by_buying: bool) -> bool:
    """Report whether a take-profit or stop fires on a rise, by the side of its child order."""
    return triggers.fires_on_rise(stop=name == STOP_LOSS, buys=closes_by_buying)


def expect_entry_price(state: State, pair: Pair, kind: str, *, is_buy: bool, limit: Decimal) -> Decimal:
    """Return the expected fill price of an order: the market price, or its limit price when that is better."""
    now = protection.reference_price(state, pair, kind)
    if not limit:
        return now
    return min(limit, now) if is_buy else max(limit, now)
