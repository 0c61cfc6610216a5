"""Reasons why an order cannot be staged, replaced or changed in price now."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from textual.widget import Widget

from tui.engine.rows import LocalOrderState, PendingAction
from tui.interface.families.orders import OrderType, Side
from tui.interface.symbols import try_parse
from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import NO_ROW, Context, no_single_row
from tui.workstation.table.live_table import LiveTable
from tui.workstation.tickets.fields import Chooser, Mode
from tui.workstation.tickets.order.position_mode import is_hedged
from tui.workstation.tickets.order.terms import PriceMode
from tui.workstation.tickets.order.ticket_factory import SHARES
from tui.workstation.tickets.panel import TicketPanel

PRICE_NUDGES = ("price.up", "price.down", "price.up10", "price.down10")
_PRICE_FOLLOWERS = ("helper.join", "price.refill")
_PRICE_SETTERS = ("helper.improve", "helper.mid", "helper.take")
_OF_LIMIT_ORDERS = ("flag.post", "flag.tif")
SIZE_NUDGES = ("size.up", "size.down")
NUDGES = frozenset([*PRICE_NUDGES, *SIZE_NUDGES])
"""Actions that step a working order, and in HOT send the step by themselves after a pause."""
_PRICE_STEPS = ("step.up", "step.down", "step.up10", "step.down10")


TO_SIZE = "⟦ticket.unblock⟧ twice edits"
"""Way to another size from a ticket that refused a key."""
KEEPS_CLOSING = "this ticket closes a position: Esc, then ⟦stage.buy⟧ or ⟦stage.sell⟧ opens one"
KEEPS_TERMS = "a replace changes only price and size; side, leg and time in force stay those of the order"


def order_blocks(context: Context) -> Blocks:
    """Return the block reasons by action id."""
    return {
        "stage.buy": partial(new_block, Side.BUY, PriceMode.JOIN),
        "stage.sell": partial(new_block, Side.SELL, PriceMode.JOIN),
        "ticket.open": partial(new_block, Side.BUY, PriceMode.JOIN),
        "order.edit": partial(_edit_block, context, amending=False),
        **dict.fromkeys(PRICE_NUDGES, partial(_nudge_block, context)),
        **dict.fromkeys(SIZE_NUDGES, partial(_edit_block, context, amending=True)),
        **dict.fromkeys(_PRICE_STEPS, partial(_price_block, context)),
        "flag.reduce": partial(_reduce_block, context),
        "flag.leg": partial(_leg_block, context),
        **dict.fromkeys(_OF_LIMIT_ORDERS, partial(_limit_block, context)),
        **dict.fromkeys(_PRICE_SETTERS, partial(_helper_block, context)),
        **dict.fromkeys(_PRICE_FOLLOWERS, partial(_follow_block, context)),
    }


def sym_to_trade(table: LiveTable, side: Side, price_mode: PriceMode) -> str:
    """Return the symbol of the selected row; in a consolidated row, the symbol that offers the best price."""
    key = table.targets[0]
    bid = (side is Side.BUY) != (price_mode is PriceMode.TAKE)
    sym = table.pane.touch_sym(key, bid=bid)
    return table.pane.sym(key) if sym is None else sym


def explain_refused_digit(panel: TicketPanel, focused: Widget | None, share: ChosenShare | None, key: str) -> str:
    """Return why a typed digit cannot start a new size in the open ticket; empty if it can.

    Args:
        panel: The ticket.
        focused: Widget with the focus.
        share: Newest share of a position that was chosen.
        key: The digit.
    """
    ticket = panel.ticket
    if ticket is None:
        return ""
    if chosen := _explain_share(panel, share, key):
        return chosen
    stays = f"the size is still {ticket.qty or '-'} {ticket.unit}"
    if isinstance(focused, Chooser) and not (focused is panel.intent_choice and ticket.sided and not panel.typed):
        if not ticket.sided:
            return "choose the side before the size: ⟦side.buy⟧ or ⟦side.sell⟧"
        ways = "⟦choice.previous⟧ and ⟦choice.next⟧ change it, ⟦stop.next⟧ goes on"
        return f"{focused.id} is a choice ({stays}): {ways}"
    if not panel.typed:
        return ""
    if panel.mode is Mode.STAGED:
        return f"{stays}: {TO_SIZE} it, ⟦ticket.fields⟧ opens the price"
    back = panel.neighbour_stop(panel, -1)
    return f"no field has the cursor ({stays}): ⟦stop.back⟧ goes back to {'the rest' if back.id == 'rest' else back.id}"


class ChosenShare(NamedTuple):
    """Part of a position in per cent, chosen by `%` and a single digit key."""

    token: int
    """Number of its ticket."""
    qty: str
    """Size that it gave."""
    key: str
    percent: int


def _explain_share(panel: TicketPanel, share: ChosenShare | None, key: str) -> str:
    """Return why a second digit after `%` and a digit is refused, with the keys for the meant share; else empty.

    People type `% 2 5` for 25 %, where one key chooses a share.
    """
    ticket = panel.ticket
    if share is None or ticket is None or (share.token, share.qty) != (panel.token, ticket.qty) or not key.isdigit():
        return ""
    meant = {at: percent for at, percent in SHARES.items() if f"{percent}".startswith(f"{share.key}{key}")}
    chosen = f"{share.key} chose {share.percent} %"
    return next(
        (f"{chosen}; for {percent} % press Esc then ⟦position.part⟧ and ⟦part.{at}⟧" for at, percent in meant.items()),
        f"{chosen}: {TO_SIZE} the size",
    )


def new_block(side: Side, price_mode: PriceMode, table: LiveTable | None) -> str:
    """Return why no order can be staged on the selected row."""
    reason = no_single_row(table, "a new order")
    if reason or table is None:
        return reason
    return "" if sym_to_trade(table, side, price_mode) else NO_ROW


def _edit_block(context: Context, table: LiveTable | None, *, amending: bool) -> str:
    """Return why the selected order cannot be replaced; `amending` allows an order whose replace is being sent."""
    if table is None:
        return ""
    reason = no_single_row(table, "a replace")
    order = context.mirror.orders.get(table.targets[0]) if not reason else None
    if order is None:
        return reason or NO_ROW
    if order.state == LocalOrderState.UNKNOWN:
        return "the outcome of this order is not known; a replace is refused until it is"
    if order.final:
        return f"this order has ended: {order.state_word}"
    if order.overlay is not PendingAction.NOTHING and not (amending and order.overlay is PendingAction.AMEND):
        return f"{order.overlay.value} is pending; only one action on an order at a time"
    return "a market order cannot be replaced" if order.order_type == OrderType.MARKET else ""


def _nudge_block(context: Context, table: LiveTable | None) -> str:
    return _price_block(context, None) if table is None else _edit_block(context, table, amending=True)


def _price_block(context: Context, table: LiveTable | None) -> str:
    """Return why the price of the open ticket cannot be stepped."""
    del table
    ticket = context.main_screen.panel.ticket
    return "a market order has no price" if ticket is not None and ticket.order_type is OrderType.MARKET else ""


def _follow_block(context: Context, table: LiveTable | None) -> str:
    """Return why the ticket's price cannot follow the best price: it was chosen on the ladder or chart; else empty."""
    ticket = context.main_screen.panel.ticket
    staged = ticket is not None and ticket.painted is not None
    return (
        "the price is the one you chose on the ladder or chart: "
        "Esc and then ⟦stage.buy⟧ or ⟦stage.sell⟧ on a quote joins the best price"
        if staged
        else _helper_block(context, table)
    )


def _helper_block(context: Context, table: LiveTable | None) -> str:
    """Return why no price can be chosen for the open ticket: it closes a position at market; else empty."""
    del table
    ticket = context.main_screen.panel.ticket
    exact = ticket is not None and ticket.closes_whole_position_at_market
    return "this close is at market and has no price: ⟦ticket.fields⟧ opens all fields" if exact else ""


def _limit_block(context: Context, table: LiveTable | None) -> str:
    """Return why post-only and time in force cannot be changed in the open ticket, or an empty text."""
    del table
    ticket = context.main_screen.panel.ticket
    if ticket is None or (ticket.order is None and not ticket.at_market):
        return ""
    return KEEPS_TERMS if ticket.order is not None else "a market order is never post-only and has no time in force"


def _reduce_block(context: Context, table: LiveTable | None) -> str:
    """Return why reduce-only cannot be switched on or off, in hedge mode or in a replace; or an empty text."""
    del table
    ticket = context.main_screen.panel.ticket
    if ticket is None or ticket.order is not None:
        return "" if ticket is None else KEEPS_TERMS
    if ticket.hedge:
        return "in hedge mode no order is reduce-only: ⟦flag.leg⟧ chooses to open or to close"
    return KEEPS_CLOSING if ticket.closes_part else ""


def _leg_block(context: Context, table: LiveTable | None) -> str:
    """Return why the open ticket cannot change between opening and closing a position, or an empty text."""
    del table
    ticket = context.main_screen.panel.ticket
    if ticket is None or ticket.order is not None:
        return "" if ticket is None else KEEPS_TERMS
    if not ticket.sided:
        return "choose buy or sell first: ⟦side.buy⟧ or ⟦side.sell⟧"
    parts = try_parse(ticket.sym)
    if parts is None or not parts.is_perp:
        return "a spot or margin pair has no position to close: Esc, then ⟦stage.buy⟧ or ⟦stage.sell⟧ changes the side"
    is_in_step = is_hedged(ticket.sym, context.mirror) in (None, ticket.hedge)
    return KEEPS_CLOSING if ticket.closes_part and is_in_step else ""
