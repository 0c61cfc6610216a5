"""Orders of a scale: prices between two levels, and the whole size split among them."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

import msgspec

from tui.interface.decimals import ZERO, plain
from tui.interface.families.orders import TimeInForce
from tui.rules import rounding, sizes
from tui.workstation.command_line.grammar.refusals import Code, LineRefused
from tui.workstation.command_line.grammar.syntax import Scale
from tui.workstation.command_line.levels import compute_price
from tui.workstation.command_line.order_plan import (
    TIFS,
    apply_protection,
    apply_quantity,
    refuse_problems,
    set_price,
    start_ticket,
)
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.tickets.order.ticket import Ticket


class ScalePlan(NamedTuple):
    """Orders that a scale would send."""

    whole: Ticket
    """Order of the whole size, at the mean of the prices by weight."""
    tickets: list[Ticket]


def build_scale(scale: Scale, view: DisplayContext) -> ScalePlan:
    """Build the tickets of a scale: prices between two levels, quantities by weight, the sum never above the whole.

    Raises:
        LineRefused: The size cannot be computed, an order would be less than the smallest size, or two would have one price.
    """
    ticket = start_ticket(scale.verb, scale.sym, view, reduce_only=scale.flags.reduce_only)
    tick, lot, tif = ticket.tick, ticket.lot, TIFS.get(scale.flags.tif) or TimeInForce.GTC
    if tick is None or lot is None:
        raise LineRefused(Code.NOT_KNOWN, f"the rules of {scale.sym} are not known yet")
    prices = _list_prices(scale, ticket, tick, view)
    protected = apply_protection(msgspec.structs.replace(ticket, tif=tif), scale.flags, view)
    whole, quantities = _size_rungs(scale, protected, prices, view)
    tickets = [
        msgspec.structs.replace(set_price(protected, number_format.field_text(price, tick), tif), qty=plain(quantity))
        for price, quantity in zip(prices, quantities, strict=True)
    ]
    for rung in tickets:
        refuse_problems(rung, view)
    worth = sum((rung.notional(None) or ZERO for rung in tickets), ZERO)
    if scale.flags.most is not None and worth > scale.flags.most:
        raise LineRefused(
            Code.OVER_MAX, f"the orders are worth {number_format.decimal_figure(worth, 2)}, over your max"
        )
    return ScalePlan(whole, tickets)


def _list_prices(scale: Scale, ticket: Ticket, tick: Decimal, view: DisplayContext) -> list[Decimal]:
    """List the prices of a scaled order, rounded to the tick; refuse the scale if two of them would be equal."""
    first, last = (Decimal(compute_price(level, scale.sym, ticket.side, view)) for level in (scale.first, scale.last))
    prices = sizes.spread_prices(first, last, scale.rungs, geometric=scale.spacing == "geo")
    rounded = [rounding.round_limit_price(price, tick, ticket.side) for price in prices]
    if len(set(rounded)) < len(rounded):
        raise LineRefused(
            Code.OFF_TICK,
            f"too few ticks between {plain(first)} and {plain(last)} for {scale.rungs} orders at different prices",
        )
    return rounded


def _size_rungs(
    scale: Scale, ticket: Ticket, prices: list[Decimal], view: DisplayContext
) -> tuple[Ticket, list[Decimal]]:
    """Return a ticket of the whole size at the average price weighted by size, and the size of each order.

    Lots that rounding leaves may draw their mean farther from a stop, or to a higher worth: then it is sized by that mean.
    """
    tick, lot, sign = ticket.tick or ZERO, ticket.lot or ZERO, ticket.side.sign
    weights = sizes.list_weights(scale.rungs, scale.weights, scale.ratio)
    mean = _compute_mean(prices, weights)
    while True:
        middle = rounding.round_limit_price(mean, tick, ticket.side.other)
        priced = set_price(ticket, number_format.field_text(middle, tick), ticket.tif)
        whole = apply_quantity(priced, scale.quantity, view)
        quantities = _split(weights, whole.size() or ZERO, lot)
        mean = _compute_mean(prices, quantities)
        if (mean - middle) * sign <= 0:
            return whole, quantities


def _compute_mean(prices: list[Decimal], weights: list[Decimal]) -> Decimal:
    return sum((price * weight for price, weight in zip(prices, weights, strict=True)), ZERO) / sum(weights, ZERO)


def _split(weights: list[Decimal], whole: Decimal, lot: Decimal) -> list[Decimal]:
    """Split the whole size by weight into sizes; refuse the scale if one of them rounds to 0."""
    quantities = sizes.split_quantity(whole, weights, lot)
    if min(quantities) <= 0:
        raise LineRefused(
            Code.ZERO_QTY, f"{plain(whole)} split into {len(weights)} orders gives one of them less than a lot"
        )
    return quantities
