"""Position before and after a ticket's order has filled, and the algo orders that end with it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from tui.interface.decimals import ZERO
from tui.interface.symbols import try_parse
from tui.workstation.model import algo_figures
from tui.workstation.model.algo_figures import describe_opening, why_unknown
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.render.pieces import DOT, Piece
from tui.workstation.render.text import width
from tui.workstation.tickets.order.position import find_position_size, find_size_after, other_leg, reducible
from tui.workstation.tickets.order.terms import CLOSING
from tui.workstation.tickets.order.ticket import Ticket


def effect_pieces(ticket: Ticket, view: DisplayContext, behind: Sequence[Ticket] = ()) -> list[Piece]:
    """Build the text with the position before and after a complete fill, and in hedge mode the opposite position.

    Args:
        ticket: Order.
        view: Rows.
        behind: Orders that are filled before it, each with the size that fills.
    """
    before, leg = find_position_size(ticket, view, behind)
    after = None if before is None else find_size_after(ticket, before)
    if before is None or after is None:
        return []
    parts = try_parse(ticket.sym)
    holds_coins = parts is not None and not parts.is_perp
    # A negative balance is a margin debt.
    balance = "balance" if before >= 0 and after >= 0 else "balance less debt"
    one_way = balance if holds_coins else "position"
    name = one_way if leg == "NONE" else leg.lower()
    text = f"{view.amount(before, None)} → {view.amount(after, None)}"
    if before * after < 0 and not holds_coins:
        pieces: list[Piece] = [(f"{name} turns ", "warn"), (text, "warn"), (f" {ticket.unit}", "dim")]
    else:
        pieces = [(f"{name} ", "dim"), (text, "text"), (f" {ticket.unit}", "dim")]
    other, beside = other_leg(ticket, view, behind)
    if beside:
        pieces += [
            DOT,
            (f"{other.lower()} stays ", "dim"),
            (view.amount(beside, None), "text"),
        ]
    return pieces


def describe_orphaned_orders(
    ticket: Ticket, view: DisplayContext, most: int = algo_figures.MOST_NAMED, *, with_close: bool = True
) -> list[Piece]:
    """Describe what happens to other close-only orders when the order closes the position.

    Args:
        ticket: Order.
        view: Rows.
        most: Orders that are named; further ones are counted.
        with_close: Whether it begins with the close itself.
    """
    leg = ticket.position_side.value
    fact = view.mirror.positions.get(f"{ticket.sym}/{leg}")
    before, size = _compute_closed_size(ticket, view)
    if fact is None or not size or size < before:
        return []
    if why := why_unknown(view.mirror):
        return [
            ("closes the position; ", "dim"),
            ("its stops and targets are not known now", "warn"),
            (f": {why}", "dim"),
        ]
    pieces: list[Piece] = []
    for then, names in algo_figures.describe_orphaned_orders(fact.record, view, most):
        # Each has a line of its own where all have no room in one; what will happen is not what is cut.
        pieces += [DOT, (then, "dim"), (names, "warn")]
    start: list[Piece] = [("closes the position", "dim"), ("; ", "dim")] if with_close else []
    return [*start, *pieces[1:]] if pieces else []


def fit_left(ticket: Ticket, view: DisplayContext, cells: int) -> list[Piece]:
    """Build the text of `describe_orphaned_orders` with as many names as fit the line width; others are counted."""
    forms = (
        describe_orphaned_orders(ticket, view, most, with_close=with_close)
        for most in range(algo_figures.MOST_NAMED, -1, -1)
        for with_close in (True, False)
    )
    pieces: list[Piece] = []
    for pieces in forms:
        parts = "".join("\n" if piece is DOT else piece[0] for piece in pieces).split("\n")
        if all(width(part) <= cells for part in parts):
            break
    return pieces


def describe_reversing_orders(ticket: Ticket, view: DisplayContext) -> str:
    """Describe which opposite position would open once the order has closed its own, and by which remaining orders."""
    fact = view.mirror.positions.get(f"{ticket.sym}/{ticket.position_side.value}")
    before, size = _compute_closed_size(ticket, view)
    return "" if fact is None or not size else describe_opening(fact.record, before - size, view)


def _compute_closed_size(ticket: Ticket, view: DisplayContext) -> tuple[Decimal, Decimal]:
    """Return the size of the position of a new order, and how much of it the order closes; 0 where that is not known."""
    before, size = find_position_size(ticket, view)[0], ticket.size()
    if not before or size is None or ticket.order is not None:
        return ZERO, ZERO
    hedged = ticket.position_side.value != "NONE"
    closes = ticket.effect in CLOSING if hedged else bool(reducible(before, ticket))
    return abs(before), min(size, abs(before)) if closes else ZERO
