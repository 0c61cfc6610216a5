"""Cells of the orders: what stands in a column, and the figure it sorts by."""

from __future__ import annotations

from decimal import Decimal

from tui.engine.rows import LocalOrderState, OrderRow, PendingAction
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import SYSTEM, base_units, in_contracts, intent_word, short_name, side_role
from tui.workstation.model.order_reason import OWN_ORIGINS, reason_text
from tui.workstation.table.columns import Cell, SortKey

SLOW_S = 30
"""An action under way longer than this is shown in amber."""

_BAD = frozenset(["REJECTED", "FAIL", LocalOrderState.NOT_SENT])


def _faded(order: OrderRow, role: str) -> str:
    """Of an order that ended its own shade, which is bright while that is news."""
    return "ended" if order.final else role


def state_cell(order: OrderRow, view: DisplayContext) -> Cell:
    """The state word; an action under way stands in its place, a conflict and UNKNOWN before everything."""
    if order.conflict:
        return "CONFLICT", "alert"
    if order.state == LocalOrderState.UNKNOWN:
        return "UNKNOWN", "unknown"
    if order.overlay is not PendingAction.NOTHING:
        lost = order.overlay in (PendingAction.AMEND_LOST, PendingAction.CANCEL_LOST)
        slow = view.now - order.since > SLOW_S
        return order.overlay.value, "unknown" if lost else ("warn" if slow else "pending")
    word = order.state_word
    if word in _BAD:
        return word, "loss"
    if order.state in (LocalOrderState.SENDING, LocalOrderState.SENT):
        return word, "pending"
    return word, _faded(order, "good" if order.state in ("OPEN", "PARTIALLY_FILLED") else "text")


def by_state(order: OrderRow, view: DisplayContext) -> SortKey:
    return state_cell(order, view)[0]


def sym(order: OrderRow) -> Cell:
    return short_name(order.sym), _faded(order, "text")


def intent(order: OrderRow) -> Cell:
    """What it is for; behind it `T` and `S` say that it carries a target and a stop, whose prices need more room."""
    word = intent_word(order.sym, order.side, order.position_side, order.reduce_only)
    carried = "".join(
        letter for letter, trigger in (("T", order.tp_trigger), ("S", order.sl_trigger)) if number_format.value(trigger)
    )
    return f"{word} {carried}".rstrip(), "warn" if order.forced else _faded(order, side_role(order.side))


def _requested_price(order: OrderRow, view: DisplayContext) -> str:
    typed = view.replace_previews.get(order.key)
    requested = typed[0] if typed else order.requested_price
    return requested if requested and number_format.value(requested) != number_format.value(order.price) else ""


def _filled_by_venue(order: OrderRow) -> bool:
    """Whether the venue closed something with it: its limit is a bound that nobody set, and the fill is the price."""
    return order.origin.startswith(SYSTEM) and bool(number_format.value(order.average))


def price(order: OrderRow, view: DisplayContext) -> Cell:
    if _filled_by_venue(order):
        return view.price(order.sym, order.average), _faded(order, "text")
    if order.order_type == "MARKET":
        has = number_format.value(order.average)
        return f"mkt {view.price(order.sym, order.average)}" if has else "mkt", _faded(order, "warn")
    text, requested = view.price(order.sym, order.price or None, True), _requested_price(order, view)
    if requested:
        return f"{text}→{view.price(order.sym, requested, True)}", "pending"
    return text, _faded(order, "text")


def price_short(order: OrderRow, view: DisplayContext) -> str:
    if _filled_by_venue(order):
        return view.price(order.sym, order.average)
    if order.order_type == "MARKET":
        return view.price(order.sym, order.average) if number_format.value(order.average) else "mkt"
    requested = _requested_price(order, view)
    return "→" + view.price(order.sym, requested, True) if requested else view.price(order.sym, order.price or None)


def by_price(order: OrderRow) -> SortKey:
    if _filled_by_venue(order):
        return number_format.value(order.average)
    return None if order.order_type == "MARKET" else number_format.value(order.price)


def left_of(order: OrderRow) -> Decimal | None:
    """What has not been executed, as the venue counts it."""
    total, done = number_format.value(order.qty), number_format.value(order.executed)
    return None if total is None or done is None else total - done


def _left_text(order: OrderRow, view: DisplayContext, unit: bool) -> str:
    left = left_of(order)
    return number_format.MISSING if left is None else view.quantity(order.sym, format(left, "f"), unit)


def rest(order: OrderRow, view: DisplayContext) -> Cell:
    return _left_text(order, view, True), _faded(order, "text")


def by_rest(order: OrderRow) -> SortKey:
    return left_of(order)


def rest_total(order: OrderRow, view: DisplayContext) -> Cell:
    unit = "ct" if in_contracts(order.sym) else ""
    text = f"{_left_text(order, view, False)}/{view.quantity(order.sym, order.qty, False)}{unit}"
    return text, _faded(order, "text")


def total(order: OrderRow, view: DisplayContext) -> Cell:
    return view.quantity(order.sym, order.qty), _faded(order, "text")


def by_total(order: OrderRow) -> SortKey:
    return number_format.value(order.qty)


def filled_quantity(order: OrderRow, view: DisplayContext) -> Cell:
    done = number_format.value(order.executed)
    return view.quantity(order.sym, order.executed), _faded(order, "text" if done else "faint")


def by_filled(order: OrderRow) -> SortKey:
    return number_format.value(order.executed)


def _touch(order: OrderRow, view: DisplayContext) -> Decimal | None:
    quote = view.mirror.quotes.get(order.sym)
    if quote is None or order.final or order.order_type == "MARKET":
        return None
    return number_format.value(quote.bid if order.side == "BUY" else quote.ask)


def by_distance(order: OrderRow, view: DisplayContext) -> SortKey:
    """Ticks from the own touch."""
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
    """Basis points from the own touch."""
    return number_format.basis_points(_touch(order, view), number_format.value(order.price))


def points(order: OrderRow, view: DisplayContext) -> Cell:
    bp = by_points(order, view)
    if order.final or order.order_type == "MARKET":
        return "", "faint"
    return (number_format.MISSING if bp is None else f"{bp:+}bp"), "dim"


def by_notional(order: OrderRow, view: DisplayContext) -> SortKey:
    """What rests, in quote units."""
    left, limit = left_of(order), number_format.value(order.price)
    base = None if left is None else base_units(order.sym, left, view.info(order.sym))
    return base * limit if base is not None and limit else None


def notional(order: OrderRow, view: DisplayContext) -> Cell:
    worth = by_notional(order, view)
    return view.amount(worth if isinstance(worth, Decimal) else None), _faded(order, "dim")


def average(order: OrderRow, view: DisplayContext) -> Cell:
    has = number_format.value(order.average)
    return (view.price(order.sym, order.average), _faded(order, "dim")) if has else ("", "faint")


def by_average(order: OrderRow) -> SortKey:
    return number_format.value(order.average) or None


def by_fee(order: OrderRow) -> SortKey:
    """What was charged; a rebate is below zero."""
    fee, rebate = number_format.value(order.fee), number_format.value(order.rebate)
    return None if fee is None and rebate is None else (fee or Decimal(0)) - abs(rebate or Decimal(0))


def fee(order: OrderRow, view: DisplayContext) -> Cell:
    charge = by_fee(order)
    if not isinstance(charge, Decimal):
        return number_format.MISSING, "faint"
    if not charge:
        return "0", "faint"
    return number_format.decimal_figure(charge, 4, view.settings.separators), "gain" if charge < 0 else "dim"


def by_queue(order: OrderRow, view: DisplayContext) -> SortKey:
    return None if order.final else view.queues.ahead(order)


def queue(order: OrderRow, view: DisplayContext) -> Cell:
    """An estimate of what stands before it."""
    ahead = by_queue(order, view)
    if order.final or order.order_type == "MARKET":
        return "", "faint"
    return (
        ("~" + number_format.format_queue(ahead), "dim")
        if isinstance(ahead, Decimal)
        else (number_format.MISSING, "faint")
    )


def protection(order: OrderRow, view: DisplayContext) -> Cell:
    """Triggers of take profit and stop loss."""
    parts = [
        f"{word} {view.price(order.sym, trigger)}"
        for word, trigger in (("TP", order.tp_trigger), ("SL", order.sl_trigger))
        if number_format.value(trigger)
    ]
    return " " + (" ".join(parts) or number_format.MISSING), _faded(order, "dim") if parts else "faint"


def algo(order: OrderRow) -> Cell:
    has = order.from_algo
    return " " + (order.algo_id if has else number_format.MISSING), "dim" if has else "faint"


def by_age(order: OrderRow, view: DisplayContext) -> SortKey:
    return view.clock.wall() - order.create_at / 1000 if order.create_at else None


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
    return number_format.whole_age(seconds), _faded(order, "dim")


def by_updated(order: OrderRow, view: DisplayContext) -> SortKey:
    return view.now - order.stamp.received


def updated(order: OrderRow, view: DisplayContext) -> Cell:
    return number_format.whole_age(view.now - order.stamp.received), _faded(order, "dim")


def kind(order: OrderRow) -> Cell:
    """Time in force and flags; who made it where it was not the user."""
    marks = (" ro" if order.reduce_only else "") + (" EXT" if order.external else "")
    if order.origin not in OWN_ORIGINS:
        return " " + order.origin + marks, "warn"
    return " " + (order.time_in_force or order.order_type) + marks, _faded(order, "dim")


def note(order: OrderRow, view: DisplayContext) -> Cell:
    return "  " + reason_text(order, view), _faded(order, "dim")


def own_id(order: OrderRow) -> Cell:
    return " " + (order.client_order_id or order.order_id), "faint"
