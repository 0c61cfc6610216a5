"""Pure functions that turn an order record of the service into a row, and decide which of two records is newer."""

from __future__ import annotations

from collections.abc import Container
from decimal import Decimal

import msgspec

from tui.engine.intents import Place
from tui.engine.rows import LocalOrderState, OrderRow, PendingAction, Source, Stamp
from tui.interface import decimals
from tui.interface.families.orders import FINAL_STATES, OPEN_STATES, Action, OrderRecord, Origin, is_final, state_word
from tui.interface.figures import name_side
from tui.interface.times import millis

LOCAL_STATES = frozenset([LocalOrderState.SENDING.value, LocalOrderState.SENT.value, LocalOrderState.UNKNOWN.value])
"""Local states that any state of the service replaces."""
GUARD_ENDED = "guard_ended"
"""Kind of the journal entry that says that the stop or target of an order ended before it."""

_STATE_RANK = {"ACCEPTED": 0, "NEW": 0, "OPEN": 1, "PARTIALLY_FILLED": 2}
_PENDING = {Action.AMEND_PENDING: PendingAction.AMEND, Action.CANCEL_PENDING: PendingAction.CANCEL}


class Pending(msgspec.Struct):
    """Replace or cancel request whose outcome is still open."""

    overlay: PendingAction
    """AMEND or CANCEL while a reply is due or the service reports it pending; AMEND_LOST or CANCEL_LOST afterwards."""
    base: tuple[int, str]
    """updateAt and action of the order when it was sent; later records concern this change."""
    began: float
    """Monotonic time, s."""
    intent_id: str = ""
    price: str = ""
    qty: str = ""
    asked: int = 0
    """Queries since it began."""

    @property
    def is_cancel(self) -> bool:
        return self.overlay in (PendingAction.CANCEL, PendingAction.CANCEL_LOST)

    @property
    def is_lost(self) -> bool:
        return self.overlay in (PendingAction.CANCEL_LOST, PendingAction.AMEND_LOST)


Rank = tuple[Decimal, bool, int, bool, bool]


def rank(record: OrderRecord, executed: Decimal) -> Rank:
    """Return the sort key of records with the same updateAt: executed quantity, then final states, then progress."""
    changes, done = record.action != "", record.action not in _PENDING
    return executed, is_final(record.order_state), _STATE_RANK.get(record.order_state, 1), changes, done


def is_same_end(left: str, right: str) -> bool:
    """Return whether two final states mean the same; some have two spellings."""
    return state_word(left) == state_word(right)


def parse_executed(record: OrderRecord) -> Decimal | None:
    """Parse the executed quantity; None if it is no number."""
    return decimals.optional(record.executed_qty or "0")


def follows(record: OrderRecord, created: int) -> bool:
    """Return whether a record can be of the order that a replace created: origin REPLACE, not before `created` (ms)."""
    at = millis(record.create_at)
    return record.origin == Origin.REPLACE and (not at or at >= created)


def is_left_behind(record: OrderRecord, row: OrderRow, source: Source) -> bool:
    """Return whether a record belongs to an earlier order, which an amend has replaced by the row's current order.

    Such a message ends nothing. But a query that shows the order open and is not older than the newest message about it
    proves that there are two orders; both are shown.
    """
    if record.order_id in ("", row.order_id):
        return False
    older = 0 < millis(record.create_at) < row.create_at
    known = record.order_id in row.earlier_ids
    if not known and not (row.origin == Origin.REPLACE and older):
        return False
    if source is Source.PUSH or is_final(record.order_state):
        return True
    return millis(record.update_at) < _predecessor_times(row.earlier_ids, row.earlier_at).get(record.order_id, 0)


def record_replaced(
    ids: tuple[str, ...], times: tuple[int, ...], order_id: str, update_at: int
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Add a replaced order's id and updateAt to the known predecessors of an order."""
    told = _predecessor_times(ids, times)
    told[order_id] = max(told.get(order_id, 0), update_at)
    return tuple(told), tuple(told.values())


def _predecessor_times(ids: tuple[str, ...], times: tuple[int, ...]) -> dict[str, int]:
    """Return the newest known updateAt of each replaced order; 0 in journals of earlier versions."""
    return dict.fromkeys(ids, 0) | dict(zip(ids, times, strict=False))


def is_namesake(record: OrderRecord, row: OrderRow) -> bool:
    """Return whether a record has the row's order id but is of another order, because the service reused the id.

    An order keeps its client order id, its pair and its side, whatever is done to it.
    """
    if record.order_id != row.order_id or not record.client_order_id or not row.client_order_id:
        return False
    if record.client_order_id == row.client_order_id and not (record.sym and record.side):
        return False
    if (record.sym, record.side) != (row.sym, row.side):
        return True
    at = millis(record.create_at)
    return record.client_order_id != row.client_order_id and row.record is not None and at > row.create_at > 0


def price_of(record: OrderRecord) -> str:
    """Return the limit price; empty for orders without one."""
    return "" if record.limit_price == "0" else record.limit_price


def reason_of(record: OrderRecord) -> str:
    """Return why the service changed or ended an order; empty if it says nothing."""
    return record.reason or record.cancel_type


def algo_id_of(record: OrderRecord) -> str:
    """Return the id of the algo order that sent an order; empty for other orders."""
    text = record.algo_order_id or ""
    return "" if text == "0" else text


def impossible(record: OrderRecord, executed: Decimal | None, before: Decimal, total_before: str = "") -> str:
    """Return why the numbers of a record are impossible, or an empty text."""
    for name, text in (("limit price", record.limit_price), ("size", record.order_qty)):
        figure = decimals.optional(text)
        if figure is not None and figure < 0:
            return f"{name} {text[:40]!r} is not possible"
    if executed is None or executed < 0:
        return f"executed quantity {record.executed_qty[:40]!r} is not possible"
    if executed < before:
        return f"executed quantity went down from {decimals.plain(before)} to {decimals.plain(executed)}"
    total = decimals.optional(record.order_qty)
    if total is None or total <= 0:
        return ""
    most = total
    if record.amend_type and is_final(record.order_state):
        # An amend below the executed quantity ends the order above its new total, but never above the old one.
        most = max(total, before, decimals.optional(total_before) or executed)
    return f"executed {decimals.plain(executed)} of {decimals.plain(total)}" if executed > most else ""


def row_of(place: Place, key: str, *, state: str, since: float, create_at: int, stamp: Stamp) -> OrderRow:
    """Build the row of a new order from its intent, before the service reports it.

    Args:
        place: The request.
        key: Its client order id, which is the row key.
        state: A local state.
        since: Monotonic time of the state, s.
        create_at: Wall time of the order, ms.
        stamp: Origin of the row.
    """
    return OrderRow(
        key=key,
        client_order_id=key,
        sym=place.sym,
        side=place.side.value,
        position_side=place.position_side.value,
        order_type=place.order_type.value,
        time_in_force=place.time_in_force.value,
        price=place.price,
        qty=place.qty,
        reduce_only=place.reduce_only,
        state=state,
        since=since,
        create_at=create_at,
        peer=place.decision.peer,
        # In HOT each press at another price is meant.
        instruction="" if place.hot else place.instruction,
        stamp=stamp,
    )


def build_row(record: OrderRecord, key: str, stamp: Stamp, before: OrderRow | None, *, external: bool) -> OrderRow:
    """Build the row of a record; data that only this program knows is copied from the previous row."""
    row = OrderRow(
        key=key,
        client_order_id=record.client_order_id,
        order_id=record.order_id,
        sym=record.sym,
        side=record.side,
        position_side=name_side(record.position_side),
        order_type=record.exchange_order_type,
        time_in_force=record.time_in_force,
        origin=record.origin,
        price=price_of(record),
        qty=record.order_qty,
        executed=record.executed_qty or "0",
        average=record.executed_avg_price or "0",
        fee=record.fee or "0",
        fee_coin=record.fee_coin,
        rebate=record.rebate or "0",
        rebate_coin=record.rebate_coin,
        reduce_only=str(record.reduce_only).lower() == "true",
        state=record.order_state,
        final=is_final(record.order_state),
        reason=reason_of(record),
        external=external,
        since=stamp.received,
        create_at=millis(record.create_at),
        algo_id=algo_id_of(record),
        tp_trigger=_trigger(record.tp_trigger_price),
        sl_trigger=_trigger(record.sl_trigger_price),
        record=record,
        stamp=stamp,
    )
    return row if before is None else _carry_over(before, row)


def _carry_over(before: OrderRow, row: OrderRow) -> OrderRow:
    """Copy to the new row what the record does not contain: origin, size of an amount, pending change, latencies."""
    same_state = before.state == row.state
    return msgspec.structs.replace(
        row,
        client_order_id=row.client_order_id or before.client_order_id,
        qty=row.qty or before.qty,
        reason=row.reason or (before.reason if same_state else ""),
        external=before.external,
        peer=before.peer,
        instruction=before.instruction,
        known_fills=before.known_fills if row.order_id == before.order_id else "0",
        conflict=before.conflict,
        overlay=before.overlay,
        requested_price=before.requested_price,
        requested_qty=before.requested_qty,
        since=before.since if same_state else row.since,
        arrival_mid=before.arrival_mid,
        reply_ms=before.reply_ms,
        push_ms=before.push_ms,
        earlier_ids=before.earlier_ids,
        earlier_at=before.earlier_at,
        guard_ended=before.guard_ended,
    )


def mark_guard(row: OrderRow, ended: Container[str]) -> OrderRow:
    """Set `guard_ended` on the row of an order in `ended`, whose attached stop or target ended before the order."""
    return msgspec.structs.replace(row, guard_ended=True) if row.key in ended else row


def _trigger(text: str) -> str:
    """Return a trigger price; a price of 0 counts as none, because some services send it as a default."""
    price = decimals.optional(text)
    return text if price is not None and price > 0 else ""


def pending_after(record: OrderRecord, pending: Pending | None, received: float) -> tuple[Pending | None, str]:
    """Return the pending change after a record, and the text of an event line if a change ended."""
    at = (millis(record.update_at), record.action)
    if is_final(record.order_state):
        return None, _end_text(record, pending)
    overlay = _PENDING.get(Action(record.action)) if record.action in _ACTIONS else None
    later = pending is None or at[0] > pending.base[0] or (at[0] == pending.base[0] and at[1] != pending.base[1])
    if overlay is not None:
        if pending is None or (later and pending.is_cancel == (overlay is PendingAction.CANCEL)):
            if pending is None:
                return Pending(overlay, at, received), ""
            pending.overlay = overlay
        return pending, ""
    if pending is None:
        return None, ""
    if not pending.is_cancel and _same_figures(record, pending):
        return None, "amended"
    if not later or not record.action:
        return pending, ""
    return _apply_outcome(record, pending)


def _apply_outcome(record: OrderRecord, pending: Pending) -> tuple[Pending | None, str]:
    """Return the pending change after the action COMPLETED or FAILED, and the text of an event line."""
    is_cancel = record.action.startswith("CANCEL")
    why = f" ({record.action_msg})" if record.action_msg else ""
    if is_cancel != pending.is_cancel:
        return pending, f"replace: kept unchanged{why}" if record.action == Action.AMEND_FAILED else ""
    if record.action == Action.AMEND_FAILED:
        return None, f"replace: kept unchanged{why}"
    if record.action == Action.CANCEL_FAILED:
        return None, f"cancel failed{why}"
    return (None, "amended") if record.action == Action.AMEND_COMPLETED else (pending, "")


def _end_text(record: OrderRecord, pending: Pending | None) -> str:
    if pending is None:
        return ""
    filled = record.order_state == "FILLED"
    if pending.is_cancel:
        return "cancel too late" if filled else ""
    if filled:
        return "filled before amend"
    if record.action == Action.AMEND_COMPLETED:
        return "amended: nothing was left of it, the order is gone"
    return "replace failed and the order is gone"


def _same_figures(record: OrderRecord, pending: Pending) -> bool:
    price, qty = decimals.optional(pending.price), decimals.optional(pending.qty)
    if price is None or qty is None:
        return False
    return decimals.optional(record.limit_price) == price and decimals.optional(record.order_qty) == qty


_ACTIONS = frozenset(action.value for action in Action)

KNOWN_STATES = frozenset([*OPEN_STATES, *FINAL_STATES])
