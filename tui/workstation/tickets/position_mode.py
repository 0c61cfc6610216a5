"""The account mode a ticket was opened under, and the one its venue is in now. Only the account row says which."""

from __future__ import annotations

import msgspec

from tui.interface.families.positions import PositionMode
from tui.workstation.model.instruments import symbol
from tui.workstation.model.mirror import Mirror
from tui.workstation.tickets.ticket import CLOSING, Problem, Ticket, Wish

_TO_LEGS = {
    (Wish.BUY, False): Wish.OPEN_LONG,
    (Wish.BUY, True): Wish.CLOSE_SHORT,
    (Wish.SELL, False): Wish.OPEN_SHORT,
    (Wish.SELL, True): Wish.CLOSE_LONG,
}
_TO_SIDES = {
    Wish.OPEN_LONG: Wish.BUY,
    Wish.CLOSE_LONG: Wish.SELL,
    Wish.OPEN_SHORT: Wish.SELL,
    Wish.CLOSE_SHORT: Wish.BUY,
}
_READINGS = {
    Wish.BUY: "open long (BUY+LONG) or close short (BUY+SHORT)",
    Wish.SELL: "open short (SELL+SHORT) or close long (SELL+LONG)",
}


def hedged(sym: str, mirror: Mirror) -> bool | None:
    """Whether orders of a pair need a leg now; None where the account row does not say."""
    parts = symbol(sym)
    if parts is None:
        return None
    if not parts.is_perp:
        return False
    account = mirror.accounts.get(parts.exchange)
    mode = account.record.position_mode if account is not None else ""
    return {PositionMode.BOTH.value: True, PositionMode.NET.value: False}.get(mode)


def changed(ticket: Ticket, mirror: Mirror) -> Problem | None:
    """Why a new order that was prepared under the other mode is not sent as it stands; None when the mode is as it was."""
    now = None if ticket.order is not None else hedged(ticket.sym, mirror)
    if now is None or now == ticket.hedge:
        return None
    parts = symbol(ticket.sym)
    venue = parts.exchange if parts is not None else ticket.sym
    if now:
        readings = _READINGS.get(ticket.wish, "a long or a short leg")
        return Problem("", f"{venue} is in hedge mode now: {ticket.wish.value} is {readings}; L chooses")
    return Problem("", f"{venue} is in one-way mode now: {ticket.wish.value} has no leg there; L chooses buy or sell")


def remade(ticket: Ticket, hedge: bool) -> Ticket:
    """The same ticket under another mode: side, size and price stay, and what closes still closes."""
    if hedge:
        wish = _TO_LEGS.get((ticket.wish, ticket.reduce_only), ticket.wish)
        return msgspec.structs.replace(ticket, hedge=True, wish=wish, reduce_only=False, closes_exactly=False)
    wish, closes = _TO_SIDES.get(ticket.wish, ticket.wish), ticket.wish in CLOSING
    return msgspec.structs.replace(ticket, hedge=False, wish=wish, reduce_only=closes, closes_exactly=False)
