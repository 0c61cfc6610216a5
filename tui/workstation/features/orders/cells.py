"""Cells and sort keys of the orders pane."""

from __future__ import annotations

from decimal import Decimal

from tui.engine.rows import LocalOrderState, OrderRow, PendingAction
from tui.interface.decimals import positive
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import SYSTEM, base_units, in_contracts, intent_word, short_name, side_role
from tui.workstation.table.column_kinds import amount_in_coin, unsure_state
from tui.workstation.table.columns import Cell, SortKey

SENT, STAGED = "→", "?"
"""Marks before the price of a replace: one that was sent, and one that is typed."""
SLOW_S = 30
"""Seconds after which a pending action is shown in amber."""


def _role_of_state(order: OrderRow, role: str) -> str:
    """Return the colour role of a cell: `ended` for ended orders, else the given role."""
    return "ended" if order.final else role


def state_cell(order: OrderRow, view: DisplayContext) -> Cell:
    """Return the order's state: CONFLICT or UNKNOWN first, then a pending request, else the venue's state."""
    if order.conflict:
        return unsure_state("CONFLICT", order.overlay, "alert")
    if order.state == LocalOrderState.UNKNOWN:
        return unsure_state("UNKNOWN", order.overlay, "unknown")
    if order.overlay is not PendingAction.NOTHING:
        lost = order.overlay in (PendingAction.AMEND_LOST, PendingAction.CANCEL_LOST)
        slow = view.now - order.since > SLOW_S
        return order.overlay.value, "unknown" if lost else ("warn" if slow else "pending")
    word = order.state_word
    if order.failed:
        return word, "loss"
    if order.state in (LocalOrderState.SENDING, LocalOrderState.SENT):
        return word, "pending"
    return word, _role_of_state(order, "good" if order.state in ("OPEN", "PARTIALLY_FILLED") else "text")


def by_state(order: OrderRow, view: DisplayContext) -> SortKey:
    return state_cell(order, view)[0]


def sym(order: OrderRow) -> Cell:
    return short_name(order.sym), _role_of_state(order, "text")


def intent(order: OrderRow) -> Cell:
    """Return what the order does, such as buying or closing; `T` or `S` after it: a target or stop is attached."""
    word = intent_word(order.sym, order.side, order.position_side, reduce_only=order.reduce_only)
    attached = "".join(
        letter
        for letter, trigger in (("T", order.tp_trigger), ("S", order.sl_trigger))
        if number_format.value(trigger) and not order.guard_ended
    )
    return f"{word} {attached}".rstrip(), "warn" if order.forced else _role_of_state(order, side_role(order.side))


def _format_requested(order: OrderRow, view: DisplayContext) -> tuple[str, str]:
    """Return the new price that a replace asks for, marked as sent or only staged, and the colour role; else empty."""
    preview = view.replace_previews.get(order.key)
    requested = preview.price if preview else order.requested_price
    if not requested or number_format.value(requested) == number_format.value(order.price):
        return "", ""
    mark, role = (STAGED, "dim") if preview is not None and not preview.sent else (SENT, "pending")
    return mark + view.price(order.sym, requested, exact=True), role


def _is_filled_by_venue(order: OrderRow) -> bool:
    """Return whether the venue itself placed this order (liquidation or ADL), and it has an average price."""
    return order.origin.startswith(SYSTEM) and bool(number_format.value(order.average))


def price(order: OrderRow, view: DisplayContext) -> Cell:
    if _is_filled_by_venue(order):
        return view.price(order.sym, order.average), _role_of_state(order, "text")
    if order.order_type == "MARKET":
        has_average = number_format.value(order.average)
        return f"mkt {view.price(order.sym, order.average)}" if has_average else "mkt", _role_of_state(order, "warn")
    requested, role = _format_requested(order, view)
    return view.price(order.sym, order.price or None, exact=True) + requested, role or _role_of_state(order, "text")


def price_paid(order: OrderRow, view: DisplayContext) -> Cell:
    """Return the average price of a filled limit order, else the price; for layouts without a column of averages."""
    if order.state == "FILLED" and order.order_type != "MARKET" and number_format.value(order.average):
        return view.price(order.sym, order.average), _role_of_state(order, "text")
    return price(order, view)


def price_short(order: OrderRow, view: DisplayContext) -> str:
    if _is_filled_by_venue(order):
        return view.price(order.sym, order.average)
    if order.order_type == "MARKET":
        return view.price(order.sym, order.average) if number_format.value(order.average) else "mkt"
    requested, _ = _format_requested(order, view)
    return requested or view.price(order.sym, order.price or None)


def by_price(order: OrderRow) -> SortKey:
    if _is_filled_by_venue(order):
        return number_format.value(order.average)
    return None if order.order_type == "MARKET" else number_format.value(order.price)


def compute_rest(order: OrderRow) -> Decimal | None:
    """Return the unfilled quantity, in the venue's unit."""
    total, done = number_format.value(order.qty), number_format.value(order.filled)
    return None if total is None or done is None else total - done


def _format_rest(order: OrderRow, view: DisplayContext, *, unit: bool) -> tuple[str, str]:
    """Return the unfilled quantity and its colour; after `≤` the position's size if a close-only order is larger."""
    # Imported late: no row exists before the first frame.
    from tui.workstation.model.algo_figures import is_clipped, mark_size

    if compute_rest(order) is None:
        return number_format.MISSING, _role_of_state(order, "text")
    text = mark_size(order, view, unit=unit)
    return text, "warn" if is_clipped(order, view) else _role_of_state(order, "text")


def rest(order: OrderRow, view: DisplayContext) -> Cell:
    return _format_rest(order, view, unit=True)


def rest_total(order: OrderRow, view: DisplayContext) -> Cell:
    unit = "ct" if in_contracts(order.sym) else ""
    left, role = _format_rest(order, view, unit=False)
    left = "0" if compute_rest(order) == 0 else left
    return f"{left}/{view.quantity(order.sym, order.qty, unit=False)}{unit}", role


def total(order: OrderRow, view: DisplayContext) -> Cell:
    return view.quantity(order.sym, order.qty), _role_of_state(order, "text")


def by_total(order: OrderRow) -> SortKey:
    return number_format.value(order.qty)


def fill_cell(order: OrderRow, view: DisplayContext) -> Cell:
    done = number_format.value(order.filled)
    return view.quantity(order.sym, order.filled), _role_of_state(order, "text" if done else "faint")


def by_filled_qty(order: OrderRow) -> SortKey:
    return number_format.value(order.filled)


def _touch(order: OrderRow, view: DisplayContext) -> Decimal | None:
    quote = view.mirror.quotes.get(order.sym)
    if quote is None or order.final or order.order_type == "MARKET":
        return None
    return positive(quote.bid if order.side == "BUY" else quote.ask)


def by_distance(order: OrderRow, view: DisplayContext) -> SortKey:
    """Return the signed distance of the price from the best price on the order's own side, in ticks."""
    info = view.info(order.sym)
    tick = number_format.value(info.tick_size) if info is not None else None
    ticks = number_format.ticks_between(_touch(order, view), number_format.value(order.price), tick)
    return None if ticks is None else Decimal(ticks)


def distance(order: OrderRow, view: DisplayContext) -> Cell:
    ticks = by_distance(order, view)
    if order.final or order.order_type == "MARKET":
        return "", "faint"
    if not isinstance(ticks, Decimal):
        return number_format.MISSING, "faint"
    return f"{ticks:+}t" if ticks else "0t", "dim"


def by_points(order: OrderRow, view: DisplayContext) -> SortKey:
    """Return the signed distance of the price from the best price on the order's own side, in basis points."""
    return number_format.points_from(_touch(order, view), number_format.value(order.price))


def points(order: OrderRow, view: DisplayContext) -> Cell:
    bp = by_points(order, view)
    if order.final or order.order_type == "MARKET":
        return "", "faint"
    return (number_format.MISSING if bp is None else f"{bp:+}bp"), "dim"


def by_notional(order: OrderRow, view: DisplayContext) -> SortKey:
    """Return the value of the unfilled quantity, in quote units."""
    left, limit = compute_rest(order), number_format.value(order.price)
    base = None if left is None else base_units(order.sym, left, view.info(order.sym))
    return base * limit if base is not None and limit else None


def notional(order: OrderRow, view: DisplayContext) -> Cell:
    if order.final:
        return "", "faint"
    value = by_notional(order, view)
    return view.amount(value if isinstance(value, Decimal) else None), _role_of_state(order, "dim")


def average(order: OrderRow, view: DisplayContext) -> Cell:
    has = number_format.value(order.average)
    return (view.price(order.sym, order.average), _role_of_state(order, "dim")) if has else ("", "faint")


def by_average(order: OrderRow) -> SortKey:
    return number_format.value(order.average) or None


def by_fee(order: OrderRow) -> SortKey:
    """Return the net fee; a rebate is negative."""
    fee, rebate = number_format.value(order.fee), number_format.value(order.rebate)
    return None if fee is None and rebate is None else (fee or Decimal(0)) - abs(rebate or Decimal(0))


def fee(order: OrderRow, view: DisplayContext) -> Cell:
    charge = by_fee(order)
    if not isinstance(charge, Decimal):
        return number_format.MISSING, "faint"
    if not charge:
        return "0", "faint"
    return view.amount(charge, 4), "gain" if charge < 0 else "dim"


def list_charges(order: OrderRow) -> list[str]:
    """List the fee and the rebate of an order with their coins, as far as they are known."""
    charges = (("fee", order.fee, order.fee_coin), ("rebate", order.rebate, order.rebate_coin))
    return [f"{name} {amount_in_coin(amount, coin)}" for name, amount, coin in charges if number_format.value(amount)]


def by_queue(order: OrderRow, view: DisplayContext) -> SortKey:
    return None if order.final else view.queues.ahead(order)


def queue(order: OrderRow, view: DisplayContext) -> Cell:
    """Return the estimated quantity in front of the order in the venue's queue; empty for ended and market orders."""
    ahead = by_queue(order, view)
    if order.final or order.order_type == "MARKET":
        return "", "faint"
    return (
        ("~" + number_format.format_queue(ahead), "dim")
        if isinstance(ahead, Decimal)
        else (number_format.MISSING, "faint")
    )


def protection(order: OrderRow, view: DisplayContext) -> Cell:
    """Return the attached take-profit and stop-loss triggers, or `none now!` if they ended before the order."""
    parts = [
        f"{word} {view.price(order.sym, trigger)}"
        for word, trigger in (("TP", order.tp_trigger), ("SL", order.sl_trigger))
        if number_format.value(trigger)
    ]
    if parts and order.guard_ended and not order.final:
        return " none now!", "warn"
    return " " + (" ".join(parts) or number_format.MISSING), _role_of_state(order, "dim") if parts else "faint"


def algo(order: OrderRow) -> Cell:
    has = order.from_algo
    return " " + (order.algo_id if has else number_format.MISSING), "dim" if has else "faint"


def by_age(order: OrderRow, view: DisplayContext) -> SortKey:
    return view.server_wall - order.create_at / 1000 if order.create_at else None


def age(order: OrderRow, view: DisplayContext) -> Cell:
    waiting = order.overlay is not PendingAction.NOTHING or order.state in (
        LocalOrderState.UNKNOWN,
        LocalOrderState.SENDING,
        LocalOrderState.SENT,
    )
    if waiting and order.since:
        return number_format.whole_age(
            view.now - order.since
        ), "unknown" if order.state == LocalOrderState.UNKNOWN else "pending"
    seconds = by_age(order, view)
    if not isinstance(seconds, float):
        return number_format.MISSING, "faint"
    return number_format.whole_age(seconds), _role_of_state(order, "dim")


def by_update_age(order: OrderRow, view: DisplayContext) -> SortKey:
    return view.now - order.stamp.received


def update_age(order: OrderRow, view: DisplayContext) -> Cell:
    return number_format.whole_age(view.now - order.stamp.received), _role_of_state(order, "dim")


def kind(order: OrderRow) -> Cell:
    """Return time in force, flags and other sender; an order that nobody here placed shows its origin first."""
    # Imported late: no row exists before the first frame.
    from tui.workstation.model.orders.order_reason import OWN_ORIGINS

    marks = _list_marks(order)
    if order.origin not in OWN_ORIGINS:
        return " " + order.origin + marks, "warn"
    return " " + (order.time_in_force or order.order_type) + marks, _role_of_state(order, "dim")


def kind_short(order: OrderRow, view: DisplayContext) -> str:
    """Return only the flags and the sender for an order of another desk or program; else the same as `kind`."""
    del view
    return _list_marks(order) if order.peer else kind(order)[0]


def _list_marks(order: OrderRow) -> str:
    # What the venue sends to reduce a position has no room for `ro`.
    marks = (" ro" if order.reduce_only and not order.forced else "") + (" EXT" if order.external else "")
    return marks + (f" {order.peer}" if order.peer else "")


def note(order: OrderRow, view: DisplayContext) -> Cell:
    """Return the reason for the order's state, and which other desk or program sent it."""
    from tui.workstation.model.orders.order_reason import reason_text

    parts = (reason_text(order, view), f"by {order.peer}" if order.peer else "")
    return "  " + " · ".join(filter(None, parts)), _role_of_state(order, "dim")


def own_id(order: OrderRow) -> Cell:
    return " " + (order.client_order_id or order.order_id), "faint"
