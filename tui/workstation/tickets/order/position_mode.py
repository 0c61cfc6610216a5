"""Position mode (one-way or hedge) of a ticket, compared with that of its venue account, and its position's name."""

from __future__ import annotations

import msgspec

from tui.interface.families.positions import PositionMode
from tui.interface.symbols import try_parse
from tui.workstation.model.mirror import Mirror
from tui.workstation.tickets.order.checks import Problem
from tui.workstation.tickets.order.terms import CLOSING, PositionEffect
from tui.workstation.tickets.order.ticket import Ticket

_TO_LEGS = {
    (PositionEffect.BUY, False): PositionEffect.OPEN_LONG,
    (PositionEffect.BUY, True): PositionEffect.CLOSE_SHORT,
    (PositionEffect.SELL, False): PositionEffect.OPEN_SHORT,
    (PositionEffect.SELL, True): PositionEffect.CLOSE_LONG,
}
_TO_SIDES = {
    PositionEffect.OPEN_LONG: PositionEffect.BUY,
    PositionEffect.CLOSE_LONG: PositionEffect.SELL,
    PositionEffect.OPEN_SHORT: PositionEffect.SELL,
    PositionEffect.CLOSE_SHORT: PositionEffect.BUY,
}
_READINGS = {
    PositionEffect.BUY: "open long or close short",
    PositionEffect.SELL: "open short or close long",
}


def is_hedged(sym: str, mirror: Mirror) -> bool | None:
    """Return whether the pair is in hedge mode now, so that orders need a position side; None if unknown."""
    parts = try_parse(sym)
    if parts is None:
        return None
    if not parts.is_perp:
        return False
    account = mirror.accounts.get(parts.exchange)
    mode = account.record.position_mode if account is not None else ""
    return {PositionMode.BOTH.value: True, PositionMode.NET.value: False}.get(mode)


def change_reason(ticket: Ticket, mirror: Mirror) -> Problem | None:
    """Return why a new order must not be sent: the position mode changed since the ticket opened; else None."""
    now = None if ticket.order is not None else is_hedged(ticket.sym, mirror)
    if now is None or now == ticket.hedge:
        return None
    parts = try_parse(ticket.sym)
    venue = parts.exchange if parts is not None else ticket.sym
    if now:
        readings = _READINGS.get(ticket.effect, "a long or a short position")
        return Problem("", f"{venue} is in hedge mode now: ⟦flag.leg⟧ chooses {readings}")
    closes = ", reduce-only" if ticket.effect in CLOSING else ""
    effect = _TO_SIDES.get(ticket.effect, ticket.effect)
    return Problem("", f"{venue} is in one-way mode now: ⟦flag.leg⟧ changes it to {effect.value}{closes}")


def toggle_closing(ticket: Ticket) -> Ticket:
    """Make an opening order a closing one of the same side, or the reverse; in one-way mode, by reduce-only."""
    if not ticket.hedge:
        return msgspec.structs.replace(ticket, reduce_only=not ticket.reduce_only)
    closes = ticket.effect not in CLOSING
    effect = _TO_LEGS[_TO_SIDES[ticket.effect], closes]
    return msgspec.structs.replace(ticket, effect=effect, part=None)


def convert(ticket: Ticket, *, hedge: bool) -> Ticket:
    """Convert a ticket to hedge or one-way mode; side, size and price stay, a closing order stays closing."""
    if hedge:
        effect = _TO_LEGS.get((ticket.effect, ticket.reduce_only), ticket.effect)
        return msgspec.structs.replace(ticket, hedge=True, effect=effect, reduce_only=False, part=None)
    effect, closes = _TO_SIDES.get(ticket.effect, ticket.effect), ticket.effect in CLOSING
    return msgspec.structs.replace(ticket, hedge=False, effect=effect, reduce_only=closes, part=None)
