"""Sum of orders that are sent together: size and worth, fee, position and free margin, in one text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

import msgspec

from tui.interface.decimals import ZERO, plain
from tui.interface.symbols import try_parse
from tui.workstation.model.account_snapshot import Missing
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import venue_of
from tui.workstation.model.number_format import decimal_figure
from tui.workstation.tickets.order.forecast import Book, forecast_together, read_book
from tui.workstation.tickets.order.position import find_position_size, find_size_after, name_position
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.account import DEPTH_UNKNOWN

MOST_POSITIONS = 3
"""Positions that the text names; of more it names none."""


def describe_together(
    tickets: Sequence[Ticket], view: DisplayContext, books: Mapping[str, Book] | None = None
) -> list[str]:
    """Describe what orders come to: `0.05 BTC = 3,199.67 USDT · fee ~1.60 USDT`, and what becomes of the account.

    All figures are of the size that is foreseen to fill; where that is not the whole, it is `0.03 of 0.05 BTC`.

    Args:
        tickets: Orders.
        view: Rows.
        books: Market at which they are judged, by pair; None: that of now.
    """
    if books is None:
        books = {ticket.sym: read_book(ticket.sym, view.mirror) for ticket in tickets}
    venues, foreseen = _group_by_venue(tickets), list(tickets)
    sums: tuple[dict[str, Decimal], ...] = ({}, {}, {})
    fees, rebates, worth = sums
    margins: list[str] = []
    unknown: list[str] = []
    for venue, numbers in venues.items():
        here = [tickets[number] for number in numbers]
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
        for number, fills in zip(numbers, result.sizes, strict=True):
            foreseen[number] = msgspec.structs.replace(tickets[number], qty=plain(fills))
        if not result.depth_known:
            unknown = [DEPTH_UNKNOWN]
        short = ", not enough" if result.free < min(result.before, ZERO) else ""
        margins.append(f"free on {venue} {view.amount(result.before)} → {view.amount(result.free)}{short}")
    size = _describe_sizes(tickets, foreseen, view)
    costs = [size + _name_worth(worth), *_name_amounts("fee", fees), *_name_amounts("rebate", rebates)]
    return [" · ".join(costs), " · ".join([*_describe_positions(foreseen, view), *margins, *unknown])]


def _group_by_venue(tickets: Sequence[Ticket]) -> dict[str, list[int]]:
    """Return the numbers of the orders by venue."""
    venues: dict[str, list[int]] = {}
    for number, ticket in enumerate(tickets):
        venues.setdefault(venue_of(ticket.sym), []).append(number)
    return venues


def _name_worth(worth: Mapping[str, Decimal]) -> str:
    """Name the worth of all orders by coin."""
    return " + ".join(f"{decimal_figure(amount, 2)} {coin}" for coin, amount in worth.items())


def _describe_sizes(tickets: Sequence[Ticket], foreseen: Sequence[Ticket], view: DisplayContext) -> str:
    """Describe the size of all orders of one pair that is foreseen to fill, of the whole; empty for several pairs."""
    first = tickets[0]
    if any(ticket.sym != first.sym for ticket in tickets):
        return ""
    fills, whole = (sum((ticket.size() or ZERO for ticket in some), ZERO) for some in (foreseen, tickets))
    texts = [view.quantity(first.sym, plain(size), unit=False) for size in dict.fromkeys((fills, whole))]
    return f"{' of '.join(texts)} {first.unit} = "


def _name_amounts(name: str, amounts: Mapping[str, Decimal]) -> list[str]:
    """Name the amounts that are not zero."""
    shown = [
        f"~{decimal_figure(amount, 2 if coin == 'USDT' else None)} {coin}" for coin, amount in amounts.items() if amount
    ]
    return [f"{name} {' + '.join(shown)}"] if shown else []


def _describe_positions(tickets: Sequence[Ticket], view: DisplayContext) -> list[str]:
    """Describe the positions before all orders, and after all of them have filled as far as they will."""
    sizes: dict[str, tuple[Decimal, Decimal]] = {}
    names: dict[str, str] = {}
    for ticket in tickets:
        parts, name = try_parse(ticket.sym), name_position(ticket)
        # All spot and margin pairs of a coin have its one balance.
        held = name if parts is None or parts.is_perp else f"{parts.exchange} {parts.base}"
        names[held] = name if names.get(held, name) == name else held
        before = find_position_size(ticket, view)[0]
        now = sizes[held][1] if held in sizes else before
        after = None if now is None else find_size_after(ticket, now)
        if before is None or after is None:
            return []
        sizes[held] = (sizes[held][0] if held in sizes else before, after)
    if len(sizes) > MOST_POSITIONS:
        return []
    return [
        f"{names[held]} {decimal_figure(before)} → {decimal_figure(after)}" for held, (before, after) in sizes.items()
    ]
