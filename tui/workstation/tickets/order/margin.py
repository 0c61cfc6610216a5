"""Margin that the venue asks for before it takes an order on a perpetual, by the formula of its check."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from tui.engine.rows import QuoteRow
from tui.interface.decimals import ZERO
from tui.interface.figures import net_size_of
from tui.interface.symbols import try_parse
from tui.rules import account, sizes
from tui.workstation.model import account_snapshot, number_format
from tui.workstation.model.account_snapshot import Missing
from tui.workstation.model.mirror import Mirror
from tui.workstation.tickets.order.ticket import Ticket


class MissingMargin(NamedTuple):
    """Margin that an order needs and that is free, where the venue would refuse it, in quote units."""

    needed: Decimal
    free: Decimal


def find_missing_margin(ticket: Ticket, quote: QuoteRow | None, mirror: Mirror) -> MissingMargin | None:
    """Return needed and free margin if the venue would refuse an order for it; None if not, or if a figure is missing.

    It has to be missing in the account as the venue told it, and in that of the rows, which are newer.
    """
    parts, need = try_parse(ticket.sym), _compute_need(ticket, quote, mirror)
    fact = mirror.accounts.get(parts.exchange) if parts is not None else None
    told = number_format.value(fact.record.available_margin) if fact is not None else None
    if parts is None or need is None or told is None or need <= told:
        return None
    row = account_snapshot.account_of(mirror, parts.exchange)
    if isinstance(row, Missing):
        return None
    if ticket.order is not None:
        row = account_snapshot.with_orders(row, mirror, parts.exchange, without=(ticket.order.key,))
    free = account.compute_figures(row).available
    return MissingMargin(need, free) if need > free else None


def _compute_need(ticket: Ticket, quote: QuoteRow | None, mirror: Mirror) -> Decimal | None:
    """Compute the margin that the opening part of an order needs; None if a figure is missing."""
    rates, terms = account_snapshot.rates_of(mirror, ticket.sym), account_snapshot.terms_of(mirror, ticket.sym)
    opening = _compute_opening(ticket, mirror)
    if isinstance(rates, Missing) or isinstance(terms, Missing) or opening is None:
        return None
    price = terms.mark if ticket.at_market else ticket.limit(quote)
    if price is None:
        return None
    return opening * sizes.margin_per_unit(
        ticket.side, price, terms.mark, terms.leverage, rates.taker, terms.contract_size
    )


def _compute_opening(ticket: Ticket, mirror: Mirror) -> Decimal | None:
    """Compute the part of an order's size that opens; older orders of the same side close the position first."""
    parts, size = try_parse(ticket.sym), ticket.size()
    if parts is None or not parts.is_perp or size is None:
        return None
    if ticket.order is not None:
        size -= number_format.value(ticket.order.filled) or ZERO
    if ticket.closes:
        return ZERO
    fact = mirror.positions.get(f"{ticket.sym}/{ticket.position_side.value}")
    held = ZERO if ticket.hedge or fact is None else net_size_of(fact.record)
    if held is None:
        return None
    room = max(-held * ticket.side.sign, ZERO)
    for row in mirror.working_on(ticket.sym):
        if row.side == ticket.side and not row.reduce_only and (ticket.order is None or row.key != ticket.order.key):
            room -= (number_format.value(row.qty) or ZERO) - (number_format.value(row.filled) or ZERO)
    return size - min(size, max(room, ZERO))
