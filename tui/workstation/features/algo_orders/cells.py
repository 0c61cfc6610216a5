"""Cells and sort keys of the algo orders pane."""

from __future__ import annotations

from tui.engine.rows import AlgoRow, LocalOrderState, PendingAction
from tui.engine.state.algo_table import algo_word
from tui.engine.state.closing_orders import algo_only_closes, can_open
from tui.interface.families.algo import Condition
from tui.interface.symbols import try_parse
from tui.interface.times import millis
from tui.workstation.model import number_format
from tui.workstation.model.algo_figures import (
    TriggerFigure,
    children,
    describe_condition,
    describe_triggers,
    is_clipped,
    is_orphaned,
    mark_size,
    nearest_trigger,
    trigger_figures,
)
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import short_name, side_role
from tui.workstation.table.column_kinds import unsure_state
from tui.workstation.table.columns import Cell, SortKey
from tui.workstation.tickets.order.algo_subject import WAITING

NEAR_PERCENT = 1
"""Distance below which a trigger is shown in amber, per cent."""
_ROLES = {"NEW": "good", "PENDING_NEW": "pending", "PROCESSING": "warn", "PENDING_CANCEL": "pending"}
_STATES = {"NEW": "armed", "PENDING_NEW": "accepted", "PROCESSING": "triggered", "PENDING_CANCEL": "cancel…"}


def state(row: AlgoRow, view: DisplayContext) -> Cell:
    """Return the state to show: UNKNOWN first, then a pending command, then ORPHAN or OPENS, else the algo order's state.

    Without its position an orphan can do nothing, or it opens another one.
    """
    if row.state == LocalOrderState.UNKNOWN:
        return unsure_state("UNKNOWN", row.overlay, "unknown")
    if row.overlay is not PendingAction.NOTHING:
        lost = row.overlay in (PendingAction.AMEND_LOST, PendingAction.CANCEL_LOST)
        return row.overlay.value, "unknown" if lost else "pending"
    if is_orphaned(row, view.mirror):
        return ("OPENS" if can_open(row.record) else "ORPHAN"), "alert"
    return _STATES.get(row.state, row.state), _ROLES.get(row.state, "pending")


def by_state(row: AlgoRow, view: DisplayContext) -> SortKey:
    return state(row, view)[0]


def kind(row: AlgoRow) -> Cell:
    return algo_word(row.record), "text"


def kind_short(row: AlgoRow, view: DisplayContext) -> str:
    del view
    word = algo_word(row.record)
    return {"target and stop": "both", "conditional": "cond"}.get(word, word)


def sym(row: AlgoRow) -> Cell:
    return short_name(row.record.sym), "text"


def side(row: AlgoRow) -> Cell:
    leg = row.record.position_side
    word = f"{row.record.side}{_closes(row)}" if leg in ("", "NONE") else f"{row.record.side} {leg}"
    return word, side_role(row.record.side)


def _closes(row: AlgoRow) -> str:
    """Return the flag ` ro` if an algo order on a perpetual can only close a position; else empty."""
    parts = try_parse(row.record.sym)
    return " ro" if parts is not None and parts.is_perp and algo_only_closes(row.record) else ""


def side_short(row: AlgoRow, view: DisplayContext) -> str:
    """Return the side and, in hedge mode, the first letter of the position side; else the flag of a close-only order."""
    del view
    leg = row.record.position_side
    return f"{row.record.side}{_closes(row)}" if leg in ("", "NONE") else f"{row.record.side} {leg[:1]}"


def size(row: AlgoRow, view: DisplayContext) -> Cell:
    """Return the quantity of the order that the trigger sends; `all` for a whole position.

    Behind `≤` it is that of the position, which is all that a larger order can close.
    """
    if row.record.condition_type == "ENTIRE_CLOSE_POSITION":
        return "all", "text"
    return mark_size(row, view), "warn" if is_clipped(row, view) else "text"


def by_size(row: AlgoRow) -> SortKey:
    return number_format.value(row.record.order_qty)


def trigger(row: AlgoRow, view: DisplayContext) -> Cell:
    """Return each trigger with its price source and, after `@`, the limit price of the order it sends."""
    texts = []
    for entry in trigger_figures(row, view):
        limit = f" @{view.price(row.record.sym, entry.limit)}" if entry.limit else ""
        price = view.price(row.record.sym, entry.price)
        waits = _waits_for(row, entry)
        fires = (
            f"{entry.name} {price} {entry.source}"
            if waits is None
            else describe_condition(entry.source, price, rises=waits)
        )
        texts.append(f"{fires}{limit}")
    return " " + (" · ".join(texts) or number_format.MISSING), "strong"


def _waits_for(row: AlgoRow, entry: TriggerFigure) -> bool | None:
    """Return whether a waiting conditional order triggers when the price rises; None for other kinds, or if unknown."""
    if row.record.condition_type != Condition.CONDITIONAL or row.state not in WAITING:
        return None
    return entry.distance > 0 if entry.distance else None


def trigger_short(row: AlgoRow, view: DisplayContext) -> str:
    """Return the trigger prices alone: two with a letter each, `rises to` or `falls to` for a conditional order."""
    entries = trigger_figures(row, view)
    waits = _waits_for(row, entries[0]) if entries else None
    if len(entries) > 1:
        return " " + " ".join(f"{entry.name[:1]}{view.price(row.record.sym, entry.price)}" for entry in entries)
    if waits is None:
        return " " + describe_triggers(row, view)
    return f" {'rises' if waits else 'falls'} to {view.price(row.record.sym, entries[0].price)}"


def distance(row: AlgoRow, view: DisplayContext) -> Cell:
    """Return the signed distance of the nearest trigger from its reference price, in per cent."""
    nearest = nearest_trigger(row, view)
    if nearest is None or nearest.distance is None:
        return number_format.MISSING, "faint"
    return f"{number_format.format_signed_decimal(nearest.distance, 2)} %", "warn" if abs(
        nearest.distance
    ) < NEAR_PERCENT else "text"


def by_distance(row: AlgoRow, view: DisplayContext) -> SortKey:
    nearest = nearest_trigger(row, view)
    return None if nearest is None or nearest.distance is None else abs(nearest.distance)


def ticks(row: AlgoRow, view: DisplayContext) -> Cell:
    nearest = nearest_trigger(row, view)
    if nearest is None or nearest.ticks is None:
        return number_format.MISSING, "faint"
    return f"{nearest.ticks:+,}", "dim"


def parent(row: AlgoRow, view: DisplayContext) -> Cell:
    """Return the order that the algo order is attached to, and its state."""
    order_id = row.record.attached_order_id
    if not order_id:
        return " " + number_format.MISSING, "faint"
    order = next((other for other in view.mirror.orders.values() if other.order_id == order_id), None)
    return f" {order_id[-6:]}{'' if order is None else ' ' + order.state_word.lower()}", "dim"


def parent_short(row: AlgoRow, view: DisplayContext) -> str:
    """Return only the end of the attached order's id."""
    del view
    return f" {row.record.attached_order_id[-6:]}"


def child(row: AlgoRow, view: DisplayContext) -> Cell:
    """Return the newest order that the algo order has sent, with its filled quantity."""
    orders = children(row, view.mirror)
    if not orders:
        return " " + number_format.MISSING, "faint"
    newest = max(orders, key=lambda order: (order.create_at, order.key))
    return f" {newest.state_word.lower()} {view.quantity(newest.sym, newest.filled)}", "text"


def by_age(row: AlgoRow, view: DisplayContext) -> SortKey:
    at = millis(row.record.create_at)
    return view.server_wall - at / 1000 if at else max(0.0, view.now - row.since)


def age(row: AlgoRow, view: DisplayContext) -> Cell:
    """Return the age of an algo order; while a request about it is unanswered, the time since that request was sent."""
    if row.overlay is not PendingAction.NOTHING or row.state == LocalOrderState.UNKNOWN:
        lost = row.state == LocalOrderState.UNKNOWN
        return number_format.whole_age(max(0.0, view.now - row.since)), "unknown" if lost else "pending"
    seconds = by_age(row, view)
    return (number_format.whole_age(seconds) if isinstance(seconds, float) else number_format.MISSING), "dim"
