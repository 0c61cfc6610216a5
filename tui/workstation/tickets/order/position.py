"""Position that a ticket is about: its name and size, and the other leg."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from tui.engine.orders.pre_trade_checks import describe_changed_position, describe_nothing_to_reduce
from tui.engine.state.closing_orders import has_reducible, may_have_opened
from tui.interface.decimals import ZERO, optional, plain
from tui.interface.families.orders import PositionSide, Side
from tui.interface.figures import find_balance, net_size_of, size_of
from tui.interface.symbols import try_parse
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name
from tui.workstation.tickets.order.terms import CLOSING
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.order.ticket_factory import explain_part_without_size


def name_position(ticket: Ticket) -> str:
    """Name the position of an order: the pair and, in hedge mode, the position side."""
    leg = ticket.position_side
    return full_name(ticket.sym) if leg is PositionSide.NONE else f"{full_name(ticket.sym)} {leg.value}"


def find_position_size(
    ticket: Ticket, view: DisplayContext, behind: Sequence[Ticket] = ()
) -> tuple[Decimal | None, str]:
    """Return size and side name of the position that an order changes; signed in one-way mode.

    Of a spot or margin pair it is the balance of the base coin, less its margin debt, which incoming coins repay.

    Args:
        ticket: Order.
        view: Rows.
        behind: Orders that are filled before it, each with the size that fills.
    """
    size, leg = _find_held_size(ticket, view)
    for earlier in behind:
        if size is not None and name_position(earlier) == name_position(ticket):
            size = find_size_after(earlier, size)
    return size, leg


def _find_held_size(ticket: Ticket, view: DisplayContext) -> tuple[Decimal | None, str]:
    leg = ticket.position_side.value
    parts = try_parse(ticket.sym)
    if parts is not None and not parts.is_perp:
        asset = view.mirror.assets.get(f"{parts.exchange}/{parts.base}")
        if asset is not None:
            return find_balance(asset.record), leg
        return (Decimal(0) if view.mirror.synced_once else None), leg
    fact = view.mirror.positions.get(f"{ticket.sym}/{leg}")
    if fact is None:
        return (Decimal(0) if view.mirror.synced_once else None), leg
    return (net_size_of if leg == "NONE" else size_of)(fact.record), leg


def explain_nothing_to_close(ticket: Ticket, view: DisplayContext) -> str:
    """Return why a new close-only order would be refused because there is no position to close; else empty."""
    before, leg = find_position_size(ticket, view)
    if ticket.order is not None or before is None:
        return ""
    # A part is of a position that was shown: of none that a fill has just opened.
    if ticket.part is None and may_have_opened(ticket.sym, ticket.side, leg, view.mirror.orders.values(), view.now):
        return ""
    if leg != "NONE":
        empty = ticket.effect in CLOSING and not before
        return (
            f"the {leg} position is already flat; nothing to close"
            if empty
            else explain_part_without_size(ticket, view)
        )
    parts = try_parse(ticket.sym)
    if not ticket.reduce_only or parts is None or not parts.is_perp:
        return ""
    if has_reducible(ticket.sym, ticket.side, view.mirror.positions):
        return explain_part_without_size(ticket, view)
    return describe_nothing_to_reduce(ticket.sym, ticket.side)


def opens_position_of(ticket: Ticket, close: Ticket) -> bool:
    """Return whether an order opens the position that `close` closes."""
    is_same = (ticket.sym, ticket.position_side) == (close.sym, close.position_side)
    return is_same and ticket.side is not close.side and not ticket.closes


def explain_changed_position(ticket: Ticket, view: DisplayContext) -> str:
    """Return why an order no longer fits the position that it was made for, as the size changed; else empty."""
    before, (now, _) = optional(ticket.held), find_position_size(ticket, view)
    if before is None or now is None:
        return ""
    if ticket.effect in CLOSING:
        now = now.copy_sign(before)
    return "" if now == before else describe_changed_position(full_name(ticket.sym), before, now)


def reducible(before: Decimal, ticket: Ticket) -> Decimal:
    """Return how much of a one-way position a reduce-only order can close; 0 if the order is on the position's side."""
    return abs(before) if before * ticket.side.sign < 0 else Decimal(0)


def find_closable(ticket: Ticket, before: Decimal) -> Decimal | None:
    """Return how much of a position a close-only order can close; None if it can open, or for spot and margin pairs."""
    parts = try_parse(ticket.sym)
    if parts is None or not parts.is_perp:
        return None
    if ticket.effect in CLOSING:
        return before
    return reducible(before, ticket) if ticket.reduce_only else None


def find_reduced_size(ticket: Ticket, view: DisplayContext) -> Decimal | None:
    """Return the position's size, to which the venue reduces a larger close-only order; None for others."""
    before, _ = find_position_size(ticket, view)
    done = number_format.value(ticket.order.filled) if ticket.order is not None else None
    size = ticket.size()
    if before is None or size is None:
        return None
    closes = find_closable(ticket, before)
    return closes if closes and size - (done or ZERO) > closes else None


def find_size_after(ticket: Ticket, before: Decimal) -> Decimal | None:
    """Return the position's size after the order fills completely, signed in one-way mode; None without a size."""
    size = ticket.size()
    if size is None:
        return None
    if ticket.order is not None:
        size -= number_format.value(ticket.order.filled) or Decimal(0)
    leg = ticket.position_side.value
    if leg == "NONE":
        return before + (min(size, reducible(before, ticket)) if ticket.reduce_only else size) * ticket.side.sign
    opens = (ticket.side is Side.BUY) == (leg == "LONG")
    return before + size if opens else max(Decimal(0), before - size)


def describe_turn(ticket: Ticket, before: Decimal | None) -> str:
    """Describe what an order that closes a perpetual position and opens the opposite one closes and opens; else empty.

    A change of an order counts where it raises its size.

    Args:
        ticket: Order.
        before: Size of its position, signed in one-way mode; None: not known.
    """
    opposite, size = measure_opposite_position(ticket, before), ticket.size() or ZERO
    if not opposite:
        return ""
    if ticket.order is not None:
        whole, executed = (optional(text) or ZERO for text in (ticket.order.qty, ticket.order.filled))
        size = size - executed if size > whole else ZERO
    closes, opens = ("SHORT", "LONG") if ticket.side is Side.BUY else ("LONG", "SHORT")
    return f"closes {closes} {plain(opposite)}, opens {opens} {plain(size - opposite)}" if size > opposite else ""


def measure_opposite_position(ticket: Ticket, held: Decimal | None) -> Decimal | None:
    """Return how much of a one-way perpetual position an order closes before it opens; None for other orders.

    Args:
        ticket: Order.
        held: Signed size of the position; None: not known.
    """
    parts = try_parse(ticket.sym)
    if held is None or parts is None or not parts.is_perp or ticket.hedge or ticket.closes:
        return None
    return max(ZERO, -held * ticket.side.sign)


def find_opposite_position(ticket: Ticket, view: DisplayContext) -> Decimal | None:
    """Return how much of the present position an order closes before it opens; None if it is no order that does both."""
    return measure_opposite_position(ticket, find_position_size(ticket, view)[0])


def explain_larger_opening(ticket: Ticket, view: DisplayContext) -> str:
    """Return why an order is not sent that now opens more than when the trader chose its size; else empty.

    The position that it was to close is gone, smaller, or on the order's own side.
    """
    (side_and_size, then), now, size = ticket.opposite, find_opposite_position(ticket, view), ticket.size()
    if (
        then is None
        or now is None
        or size is None
        or side_and_size != ticket.side_and_size
        or size <= now
        or now >= then
    ):
        return ""
    turn = describe_turn(ticket, now * -ticket.side.sign).replace(", ", " and ")
    does = turn or f"opens {'LONG' if ticket.side is Side.BUY else 'SHORT'} {plain(size)} and closes nothing"
    return f"size: this now {does}: type the size again to mean that"


def explain_changed_close(ticket: Ticket, view: DisplayContext) -> str:
    """Return why an order is not sent until its size is typed again, as the position that it closes changed; else empty."""
    return explain_larger_opening(ticket, view) or explain_share_of_power(ticket, view)


def explain_share_of_power(ticket: Ticket, view: DisplayContext) -> str:
    """Return why an order is not sent whose typed percentage is of the buying power, as it now closes a position first.

    A percentage of a command line names the buying power itself.
    """
    share, (side_and_size, then), now = ticket.share, ticket.opposite, find_opposite_position(ticket, view)
    is_share = share.percent and share.whole is None and share.quantity == ticket.qty and not ticket.line
    if not is_share or then or not now or side_and_size != ticket.side_and_size:
        return ""
    closed = f"{'SHORT' if ticket.side is Side.BUY else 'LONG'} {plain(now)}"
    return f"size: this now closes {closed} first, and is {share.text}: type the size again"


def other_leg(ticket: Ticket, view: DisplayContext, behind: Sequence[Ticket] = ()) -> tuple[str, Decimal | None]:
    """Return name and size of the opposite position in hedge mode; empty name in one-way mode.

    Args:
        ticket: Order.
        view: Rows.
        behind: Orders that are filled before it, each with the size that fills.
    """
    other = {"LONG": "SHORT", "SHORT": "LONG"}.get(ticket.position_side.value, "")
    fact = view.mirror.positions.get(f"{ticket.sym}/{other}") if other else None
    size = None if fact is None else size_of(fact.record)
    for earlier in behind:
        if (earlier.sym, earlier.position_side.value) == (ticket.sym, other):
            size = find_size_after(earlier, size or ZERO)
    return other, size or None
