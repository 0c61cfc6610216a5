"""Sum of orders that are sent together: size and worth, fee, position and free margin, in one text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from tui.interface.decimals import ZERO, plain
from tui.interface.symbols import try_parse
from tui.workstation.model.account_snapshot import Missing
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import venue_of
from tui.workstation.model.number_format import decimal_figure
from tui.workstation.tickets.order.forecast import Book, forecast_together
from tui.workstation.tickets.order.position import find_position_size, find_size_after, name_position
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.account import DEPTH_UNKNOWN
from tui.workstation.tickets.preview.foreseen_orders import ForeseenOrder, fill_part

MOST_POSITIONS = 3
"""Positions that the text names; of more it names none."""


def describe_together(orders: Sequence[ForeseenOrder], view: DisplayContext, books: Mapping[str, Book]) -> list[str]:
    """Describe orders together: `0.05 BTC = 3,199.67 USDT · fee ~1.60 USDT`, and what becomes of the account.

    All figures are of the size that is foreseen to fill; where that is not the whole, it is `0.03 of 0.05 BTC`.

    Args:
        orders: Orders as they are foreseen.
        view: Rows.
        books: Market at which they were foreseen, by pair.
    """
    tickets = [order.ticket for order in orders]
    sums: tuple[dict[str, Decimal], ...] = ({}, {}, {})
    fees, rebates, worth = sums
    margins: list[str] = []
    unknown: list[str] = []
    for venue, here in _group_by_venue(tickets).items():
        result = forecast_together(here, view.mirror, venue, books)
        if isinstance(result, Missing):
            margins.append(f"fee and margin on {venue} need {result.text}")
            for ticket in here:
                notional = ticket.notional(books[ticket.sym].quote) or ZERO
                worth[ticket.quote_coin] = worth.get(ticket.quote_coin, ZERO) + notional
            continue
        for amounts, more in zip(sums, (result.fees, result.rebates, result.worth), strict=True):
            for coin, amount in more.items():
                amounts[coin] = amounts.get(coin, ZERO) + amount
        if not result.depth_known:
            unknown = [DEPTH_UNKNOWN]
        short = ", not enough" if result.free < min(result.before, ZERO) else ""
        margins.append(f"free on {venue} {view.amount(result.before)} → {view.amount(result.free)}{short}")
    size = _describe_sizes(orders, view)
    costs = [size + _name_worth(worth), *_name_amounts("fee", fees), *_name_amounts("rebate", rebates)]
    return [" · ".join(costs), " · ".join([*_describe_positions(orders, view), *margins, *unknown])]


def _group_by_venue(tickets: Sequence[Ticket]) -> dict[str, list[Ticket]]:
    """Return the orders by venue."""
    venues: dict[str, list[Ticket]] = {}
    for ticket in tickets:
        venues.setdefault(venue_of(ticket.sym), []).append(ticket)
    return venues


def _name_worth(worth: Mapping[str, Decimal]) -> str:
    """Name the value of all orders together, by coin."""
    return " + ".join(f"{decimal_figure(amount, 2)} {coin}" for coin, amount in worth.items())


def _describe_sizes(orders: Sequence[ForeseenOrder], view: DisplayContext) -> str:
    """Describe the quantity that fills, of the whole quantity, for orders of a single pair; empty for several."""
    first = orders[0].asked
    if any(order.asked.sym != first.sym for order in orders):
        return ""
    fills = sum((order.ticket.size() or ZERO for order in orders), ZERO)
    whole = sum((order.asked.size() or ZERO for order in orders), ZERO)
    texts = [view.quantity(first.sym, plain(size), unit=False) for size in dict.fromkeys((fills, whole))]
    return f"{' of '.join(texts)} {first.unit} = "


def _name_amounts(name: str, amounts: Mapping[str, Decimal]) -> list[str]:
    """Write a name and the amounts by coin, without zeros; empty if all are zero."""
    shown = [
        f"~{decimal_figure(amount, 2 if coin == 'USDT' else None)} {coin}" for coin, amount in amounts.items() if amount
    ]
    return [f"{name} {' + '.join(shown)}"] if shown else []


def _describe_positions(orders: Sequence[ForeseenOrder], view: DisplayContext) -> list[str]:
    """Describe the positions before all orders, and after the forecast fills of all.

    If immediate fills reverse a position and later fills reverse it again, the size between them is shown as well.
    """
    befores: dict[str, Decimal] = {}
    sizes: tuple[dict[str, Decimal], dict[str, Decimal]] = ({}, {})
    names: dict[str, str] = {}
    for order in orders:
        ticket = order.ticket
        parts, name = try_parse(ticket.sym), name_position(ticket)
        # All spot and margin pairs of a coin have its one balance.
        held = name if parts is None or parts.is_perp else f"{parts.exchange} {parts.base}"
        names[held] = name if names.get(held, name) == name else held
        before = find_position_size(ticket, view)[0]
        if before is None:
            return []
        befores.setdefault(held, before)
        for now, part in zip(sizes, (fill_part(ticket, order.at_once), ticket), strict=True):
            after = find_size_after(part, now.get(held, before))
            if after is None:
                return []
            now[held] = after
    if len(befores) > MOST_POSITIONS:
        return []
    texts = []
    for held, before in befores.items():
        between, after = (now[held] for now in sizes)
        steps = (before, between, after) if between * after < 0 else (before, after)
        texts.append(f"{names[held]} {' → '.join(map(decimal_figure, steps))}")
    return texts
