"""Order table: merges replies, pushes, snapshots and queries into one row per order, whatever their order of arrival."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, Protocol

import msgspec

from tui.engine.conflating_queue import TableSink
from tui.engine.event_line import Level
from tui.engine.rows import LocalOrderState, OrderRow, PendingAction, Source, Stamp, Table
from tui.engine.state import order_fold, order_texts
from tui.engine.state.fill_table import SumOfFills
from tui.engine.state.order_fold import LOCAL_STATES, Pending
from tui.interface import decimals
from tui.interface.families.orders import BAD_ENDS, CancelType, OrderRecord, is_final, state_word
from tui.interface.times import millis

HIDDEN_ROWS = 5_000
"""Ended orders remembered after leaving the screen, so that late or repeated messages find them."""
DISMISSED_COUNTS = 86_400.0
"""Time for which a dismissed order counts in the limits, s."""


class Notify(Protocol):
    """Callback for event lines."""

    def __call__(self, level: Level, text: str, key: str, /, *, unsure: bool = False, passes: bool = False) -> None:
        """Send an event line.

        Args:
            level: Severity.
            text: What happened.
            key: Row of the order.
            unsure: Whether it reports an unknown outcome, to be settled later.
            passes: Whether it only follows from the event before it.
        """


SAME_CLIENT_ID = "same client order id as "
"""Prefix of the conflict text of two orders with one client order id."""
_LOST = frozenset([PendingAction.AMEND_LOST, PendingAction.CANCEL_LOST])
"""Changes of an order whose outcome is unknown."""


class _Track(msgspec.Struct):
    """Internal data of an order that its row does not contain."""

    executed: Decimal = decimals.ZERO
    filled: Decimal = decimals.ZERO
    """Sum of the known fills."""
    rank: order_fold.Rank | None = None
    action: str = ""
    pending: Pending | None = None
    hidden: bool = False
    dismissed: bool = False
    dismissed_at: float = 0.0
    """Monotonic time of dismissal, s; may be negative for earlier sessions."""
    began: float = 0.0
    """Monotonic time of submission, s; 0: not in this session."""


def _compute_elapsed_ms(track: _Track, stamp: Stamp) -> float | None:
    """Return the time since the order was submitted, in ms."""
    return (stamp.received - track.began) * 1000 if track.began else None


class OrderTable:
    """All orders of the portfolio, by row key."""

    def __init__(
        self,
        updates: TableSink,
        is_ours: Callable[[str], bool],
        *,
        tick_of: Callable[[str], Decimal | None],
        notify: Notify,
        query: Callable[[str], None],
        tell_fired: Callable[[OrderRow], tuple[Level, str, str]],
        find_result: Callable[[OrderRow], SumOfFills | None],
    ) -> None:
        self.rows: dict[str, OrderRow] = {}
        self.guard_ended: frozenset[str] = frozenset()
        """Keys of orders whose stop or target ended before them in an earlier session."""
        self._updates = updates
        self._is_ours = is_ours
        self._tick_of = tick_of
        self._notify = notify
        self._query = query
        self._tell_fired = tell_fired
        self._find_result = find_result
        self._visible: dict[str, OrderRow] = {}
        """Rows that are not hidden, in the same order."""
        self._tracks: dict[str, _Track] = {}
        self._by_order: dict[str, str] = {}
        self._by_client: dict[str, str] = {}

    # Reading

    def find(self, order_id: str, client_order_id: str) -> str:
        """Return the row key of an order, or an empty text; a row of this program's order is preferred."""
        by_client = self._by_client.get(client_order_id, "")
        if by_client and self.rows[by_client].order_id in ("", order_id):
            return by_client
        return self._by_order.get(order_id) or by_client

    def news_of(self, key: str) -> tuple[str, ...]:
        """Return the order data that must be journaled when it changes: ids, state, executed quantity, price, size."""
        row = self.rows.get(key)
        return () if row is None else (row.order_id, row.state, row.executed, row.price, row.qty)

    def text_of(self, row: OrderRow) -> str:
        """Describe an order for event lines."""
        return order_texts.order_text(row, self._tick_of(row.sym))

    def visible_rows(self) -> Iterator[OrderRow]:
        """Return the rows shown on the screen."""
        return iter(self._visible.values())

    def unknown(self) -> list[OrderRow]:
        """List UNKNOWN orders."""
        return [row for row in self.visible_rows() if row.state == LocalOrderState.UNKNOWN]

    def list_dismissed(self, now: float) -> list[OrderRow]:
        """List UNKNOWN orders dismissed within `DISMISSED_COUNTS` seconds; they may still arrive at the venue."""
        young = now - DISMISSED_COUNTS
        return [
            row
            for key, row in self.rows.items()
            if (track := self._tracks[key]).dismissed and track.dismissed_at > young and not row.final
        ]

    def working(self) -> list[OrderRow]:
        """List orders that may still be open."""
        return [row for row in self.visible_rows() if not row.final]

    def pending(self, key: str) -> Pending | None:
        """Return the pending replace or cancel of an order, or None."""
        track = self._tracks.get(key)
        return track.pending if track is not None else None

    def is_being_cancelled(self, key: str) -> bool:
        """Return whether a cancel of an order is under way."""
        pending = self.pending(key)
        return pending is not None and pending.overlay is PendingAction.CANCEL

    # Own actions

    def add(self, row: OrderRow) -> None:
        """Add a new order of this program."""
        self._tracks[row.key] = _Track(
            executed=decimals.optional(row.executed) or decimals.ZERO,
            began=row.since if row.state == LocalOrderState.SENDING else 0.0,
        )
        self._by_client[row.client_order_id] = row.key
        self._bind(row.key, row.order_id)
        self._put(order_fold.mark_guard(row, self.guard_ended))

    def add_ended(self, row: OrderRow) -> None:
        """Add an order that ended in an earlier session as a hidden row, so that an outdated list cannot reopen it."""
        executed = decimals.optional(row.executed) or decimals.ZERO
        record = OrderRecord(order_id=row.order_id, sym=row.sym, side=row.side, order_state=row.state)
        rank = order_fold.rank(record, executed)
        self._tracks[row.key] = _Track(executed=executed, rank=rank, hidden=True)
        self._by_client[row.client_order_id] = row.key
        self._bind(row.key, row.order_id)
        self._put(row)

    def change(self, key: str, **changes: Any) -> OrderRow:
        """Change fields of a row and publish it."""
        row = msgspec.structs.replace(self.rows[key], **changes)
        self._put(row)
        return row

    def apply_reply(self, key: str, *, order_id: str, state: str, reason: str, stamp: Stamp) -> None:
        """Apply the reply to a new order; a push that arrived earlier takes precedence."""
        row, track = self.rows[key], self._tracks[key]
        if row.order_id not in ("", order_id):
            # The row belongs to another order with the same client id; the replied one gets its own row.
            order_id = ""
        self._bind(key, order_id)
        if row.state in LOCAL_STATES and row.stamp.update_at == 0:
            if track.hidden:
                self._reopen(row, track, worth_showing=True)
            self.change(
                key,
                reply_ms=_compute_elapsed_ms(track, stamp),
                order_id=order_id or row.order_id,
                state=state,
                final=is_final(state),
                reason=reason,
                since=stamp.received,
                stamp=stamp,
            )
        elif track.began and row.reply_ms is None:
            self.change(key, order_id=order_id or row.order_id, reply_ms=_compute_elapsed_ms(track, stamp))
        elif order_id and not row.order_id:
            self.change(key, order_id=order_id)

    def apply_rejection(self, key: str, reason: str, stamp: Stamp) -> bool:
        """Apply the rejection of a new order; return False if the venue showed the order, which is then a conflict."""
        self.apply_reply(key, order_id="", state="REJECT", reason=reason, stamp=stamp)
        row = self.rows[key]
        if order_fold.is_same_end(row.state, "REJECT"):
            return True
        self._mark_conflict(key, f"the reply refused it ({reason}), the venue shows {row.state_word}", stamp)
        return False

    def mark_unknown(self, key: str, why: str, now: float, *, vanished: bool = False) -> None:
        """Mark an order UNKNOWN: its reply is missing or unclear, or (`vanished`) it is missing from all lists."""
        row = self.rows[key]
        unanswered = row.state in (LocalOrderState.SENDING, LocalOrderState.SENT)
        if unanswered or (vanished and not row.final and row.state != LocalOrderState.UNKNOWN):
            since = row.since if unanswered else now
            self.change(key, state=LocalOrderState.UNKNOWN.value, reason=why, since=since, asked=0, not_found=0)
            self._notify(Level.ALERT, f"UNKNOWN: {self.text_of(row)}: {why}; being queried", key, unsure=True)

    def set_pending(
        self, key: str, overlay: PendingAction, intent_id: str, now: float, price: str = "", qty: str = ""
    ) -> None:
        """Mark a replace or cancel as pending, and clear the reason of an earlier one that failed."""
        track, row = self._tracks[key], self.rows[key]
        base = (row.stamp.update_at, track.action)
        track.pending = Pending(overlay, base, now, intent_id, price, qty)
        reason = row.reason if row.state in LOCAL_STATES else ""
        since = row.since if row.state == LocalOrderState.UNKNOWN else now
        self.change(key, overlay=overlay, requested_price=price, requested_qty=qty, since=since, reason=reason)

    def mark_action_unknown(self, key: str, intent_id: str, why: str) -> None:
        """Mark a replace or cancel as unknown, because its reply is missing or unclear."""
        pending = self.pending(key)
        if pending is None or pending.intent_id != intent_id:
            return
        pending.overlay = PendingAction.CANCEL_LOST if pending.is_cancel else PendingAction.AMEND_LOST
        row = self.change(key, overlay=pending.overlay, reason=why)
        self._notify(
            Level.ALERT, f"{pending.overlay.value} {self.text_of(row)}: {why}; being queried", key, unsure=True
        )

    def clear_pending(self, key: str, intent_id: str, why: str = "") -> None:
        """End a pending replace or cancel that had no effect."""
        pending = self.pending(key)
        if pending is None or pending.intent_id != intent_id:
            return
        self._tracks[key].pending, why = None, why or self.rows[key].reason
        self.change(key, overlay=PendingAction.NOTHING, requested_price="", requested_qty="", reason=why)

    def dismiss(self, key: str, at: float) -> bool:
        """Hide an UNKNOWN order on the trader's request; a later message shows it again. `at` is monotonic, in s."""
        row = self.rows.get(key)
        if row is None or row.state != LocalOrderState.UNKNOWN:
            return False
        track = self._tracks[key]
        track.dismissed = True
        track.dismissed_at = at
        self._hide(key)
        return True

    def count_fill(self, key: str, order_id: str, quantity: Decimal) -> bool:
        """Count a fill; return whether the fills exceed the executed quantity in the row."""
        track, row = self._tracks[key], self.rows[key]
        track.filled += quantity
        if not row.order_id and order_id:
            self._bind(key, order_id)
            row = self.change(key, order_id=order_id)
        if row.order_id == order_id:
            known = (decimals.optional(row.known_fills) or decimals.ZERO) + quantity
            row = self.change(key, known_fills=decimals.plain(known))
        if track.dismissed:
            self._reopen(row, track, worth_showing=True)
            self._put(row)
        return track.filled > track.executed

    def sweep(self, now: float, keep: float) -> None:
        """Hide rows that ended more than `keep` seconds ago, and delete the oldest hidden ones."""
        for row in [row for row in self.visible_rows() if row.final and now - row.since >= keep]:
            self._hide(row.key)
        if len(self.rows) - len(self._visible) <= HIDDEN_ROWS:
            return
        hidden = [key for key, track in self._tracks.items() if track.hidden and not track.dismissed]
        for key in hidden[: max(0, len(hidden) - HIDDEN_ROWS)]:
            row = self.rows.pop(key)
            del self._tracks[key]
            if self._by_order.get(row.order_id) == key:
                del self._by_order[row.order_id]
            self._by_client.pop(row.client_order_id, None)

    # Records of the service

    def fold(self, record: OrderRecord, stamp: Stamp) -> str:
        """Apply one order record; return its row key."""
        key = self._find_key(record, stamp.source)
        current = self.rows.get(key)
        if current is None:
            return self._add_first(key, record, stamp)
        if order_fold.is_left_behind(record, current, stamp.source):
            ids, times = order_fold.record_replaced(
                current.earlier_ids, current.earlier_at, record.order_id, stamp.update_at
            )
            self.rows[key] = msgspec.structs.replace(current, earlier_ids=ids, earlier_at=times)
            if key in self._visible:
                self._visible[key] = self.rows[key]
            return key
        track = self._tracks[key]
        executed = order_fold.parse_executed(record)
        if current.state not in LOCAL_STATES and not self._is_newer(record, stamp, current, track):
            if stamp.source is Source.QUERY and current.conflict and current.state == record.order_state:
                self._settle_conflict(key)
            return key
        if current.state in LOCAL_STATES and stamp.update_at < current.stamp.update_at:
            return key
        wrong = order_fold.impossible(record, executed, track.executed, current.qty)
        if wrong:
            self._mark_conflict(key, wrong, stamp)
            return key
        if self._contradicts(current, record) and stamp.source is not Source.QUERY:
            self._mark_conflict(key, f"was {current.state_word}, now {state_word(record.order_state)}", stamp)
            return key
        self._fold_next(key, current, record, stamp, track)
        return key

    def _add_first(self, key: str, record: OrderRecord, stamp: Stamp) -> str:
        by_hand = not order_fold.algo_id_of(record) and record.origin in order_texts.BY_TRADERS
        external = by_hand and not self._is_ours(record.client_order_id)
        track = self._tracks[key] = _Track()
        executed = order_fold.parse_executed(record)
        wrong = order_fold.impossible(record, executed, decimals.ZERO)
        row = order_fold.build_row(record, key, stamp, None, external=external)
        track.executed = decimals.ZERO if executed is None or wrong else executed
        track.rank = order_fold.rank(record, track.executed)
        if wrong:
            # What is not possible is not believed, so that each record that is possible follows it.
            track.rank = None
            row = msgspec.structs.replace(row, executed="0")
        track.action = record.action
        track.pending, _ = order_fold.pending_after(record, None, stamp.received)
        if track.pending is not None:
            row = msgspec.structs.replace(row, overlay=track.pending.overlay)
        row = order_fold.mark_guard(row, self.guard_ended)
        other = self._by_client.get(record.client_order_id, "")
        twin = bool(other) and other != key
        if twin:
            row = msgspec.structs.replace(row, conflict=f"{SAME_CLIENT_ID}{self.rows[other].order_id}")
            self.change(other, conflict=f"{SAME_CLIENT_ID}{record.order_id}")
            self._notify(Level.ALERT, f"CONFLICT: {self.text_of(row)}: one client order id, two orders", key)
        self._by_order[record.order_id] = key
        if record.client_order_id:
            self._by_client.setdefault(record.client_order_id, key)
        self._put(row)
        if wrong:
            self._mark_conflict(key, wrong, stamp)
        if stamp.source is Source.PUSH and not self._is_ours(record.client_order_id):
            level, who, effect = self._tell_fired(row) if row.algo_id else (*order_texts.origin_text(row), "")
            self._notify(level, f"{who} {self.text_of(row)}: {row.state_word}{effect}", key)
        if twin or row.state not in order_fold.KNOWN_STATES:
            self._query(key)
        return key

    def _fold_next(self, key: str, current: OrderRow, record: OrderRecord, stamp: Stamp, track: _Track) -> None:
        self._bind(key, record.order_id)
        executed = order_fold.parse_executed(record) or decimals.ZERO
        flipped = self._contradicts(current, record)
        track.executed = executed
        track.rank = order_fold.rank(record, executed)
        track.action = record.action
        track.pending, ended = order_fold.pending_after(record, track.pending, stamp.received)
        row = order_fold.build_row(record, key, stamp, current, external=False)
        overlay = PendingAction.NOTHING if track.pending is None else track.pending.overlay
        changes: dict[str, Any] = {"overlay": overlay}
        if track.pending is None:
            changes.update(requested_price="", requested_qty="")
        if current.overlay in _LOST:
            # Why a change is unsure holds for as long as it is, whatever the state.
            changes["reason"] = order_fold.reason_of(record) or (current.reason if overlay in _LOST else "")
        if flipped:
            changes["conflict"] = f"was {current.state_word}, the venue answers {state_word(record.order_state)}"
        elif stamp.source is Source.QUERY and not current.conflict.startswith(SAME_CLIENT_ID):
            changes["conflict"] = ""
        if track.pending is not None or overlay is not current.overlay:
            changes["since"] = stamp.received if track.pending is None else track.pending.began
        if stamp.source is Source.PUSH and current.push_ms is None:
            changes["push_ms"] = _compute_elapsed_ms(track, stamp)
        row = msgspec.structs.replace(row, **changes)
        if track.hidden:
            self._reopen(row, track, worth_showing=row.executed != current.executed or row.state != current.state)
        self._put(row)
        if row.final and row.conflict.startswith(SAME_CLIENT_ID):
            self._settle_conflict(key)
        self._notify_change(current, row, stamp, ended)
        if row.state not in order_fold.KNOWN_STATES and row.state != current.state:
            self._query(key)

    def _is_newer(self, record: OrderRecord, stamp: Stamp, current: OrderRow, track: _Track) -> bool:
        if stamp.update_at != current.stamp.update_at:
            return stamp.update_at > current.stamp.update_at
        executed = order_fold.parse_executed(record)
        if executed is None or track.rank is None:
            return True
        new = order_fold.rank(record, executed)
        return new > track.rank or (new == track.rank and record.action != track.action)

    @staticmethod
    def _contradicts(current: OrderRow, record: OrderRecord) -> bool:
        return current.final and not order_fold.is_same_end(current.state, record.order_state)

    def _mark_conflict(self, key: str, text: str, stamp: Stamp) -> None:
        row = self.rows[key]
        track = self._tracks[key]
        if track.hidden:
            self._reopen(row, track, worth_showing=True)
        if row.conflict == text:
            return
        self.change(key, conflict=text, since=stamp.received if row.final else row.since)
        self._notify(Level.ALERT, f"CONFLICT: {self.text_of(row)}: {text}", key)
        if stamp.source is not Source.QUERY:
            self._query(key)

    def _settle_conflict(self, key: str) -> None:
        """Clear the conflict of a row, unless two open orders still share one client order id."""
        row = self.rows[key]
        # The text of another conflict contains no order id, so it names no other row.
        other = self.rows.get(self.find(row.conflict.removeprefix(SAME_CLIENT_ID), ""))
        if other is not None:
            if not row.final and not other.final:
                return
            if other.conflict.startswith(SAME_CLIENT_ID):
                self.change(other.key, conflict="")
        self.change(key, conflict="")

    def _reopen(self, row: OrderRow, track: _Track, *, worth_showing: bool) -> None:
        if track.dismissed:
            self._notify(Level.ALERT, f"dismissed order is back: {self.text_of(row)}: {row.state_word}", row.key)
        if worth_showing:
            track.hidden = False
            self._visible = {key: row for key, row in self.rows.items() if not self._tracks[key].hidden}
        track.dismissed = False

    def _notify_change(self, before: OrderRow, row: OrderRow, stamp: Stamp, ended: str) -> None:
        executed, told = (decimals.optional(order.executed) or decimals.ZERO for order in (row, before))
        if row.state == before.state and executed == told:
            if ended:
                self._notify(Level.INFO if ended == "amended" else Level.WARN, f"{self.text_of(row)}: {ended}", row.key)
            return
        resolved = "resolved: " if before.state == LocalOrderState.UNKNOWN else ""
        away = ""
        if row.state == "FILLED" and resolved and stamp.source is not Source.PUSH:
            away = " while disconnected" if stamp.epoch != before.stamp.epoch else " while its answer was missing"
        why = f" ({row.reason})" if row.reason and row.final else ""
        # A fill of a stop or target is reported by its own line, with its realised result.
        filled_level = Level.WARN if row.forced else Level.INFO if row.from_algo else Level.GOOD
        level = filled_level if executed > told else Level.WARN if row.state in BAD_ENDS else Level.INFO
        if ended and ended != "amended":
            level = Level.WARN
        end = f"; {ended}" if ended else ""
        closed, what = self._find_result(row), order_texts.state_text(row, self._tick_of(row.sym))
        result = f", {closed.text}" if closed is not None else ""
        if closed is not None and closed.result < 0 and level is Level.GOOD:
            level = Level.INFO  # a loss is no good news
        # It ended with its position: how that ended is what is read first.
        follows = not executed and row.record is not None and row.record.cancel_type == CancelType.REDUCE_ONLY
        text = f"{resolved}{self.text_of(row)}: {what}{away}{why}{result}{end}"
        self._notify(level, text, "" if follows else row.key, passes=follows)

    def _find_key(self, record: OrderRecord, source: Source) -> str:
        known = self._by_order.get(record.order_id)
        if known is not None and not order_fold.is_namesake(record, self.rows[known]):
            return known
        key = self._find_by_client(record, source)
        return key if known is None else self._part_from(known, key, record)

    def _find_by_client(self, record: OrderRecord, source: Source) -> str:
        key = self._by_client.get(record.client_order_id)
        if key is not None:
            row = self.rows[key]
            if not row.order_id or row.order_id == record.order_id:
                return key
            if order_fold.is_left_behind(record, row, source):
                return key
            if record.order_id not in row.earlier_ids and order_fold.follows(record, row.create_at):
                self._rebind(key, record)
                return key
            return record.order_id
        return record.client_order_id if self._is_ours(record.client_order_id) else record.order_id

    def _part_from(self, known: str, key: str, record: OrderRecord) -> str:
        """Return a separate row key for an order whose order id the service had already given to another order.

        Args:
            known: Row that had the id.
            key: Row of the client order id, or empty.
            record: The order.
        """
        own = self.rows.get(key)
        if own is not None and record.order_id in own.earlier_ids:
            return key
        if key == known or (own is not None and own.order_id not in ("", record.order_id)):
            # The client order id was reused as well: neither row belongs to this order.
            key = f"{record.order_id}/{record.client_order_id}"
        self._by_order[record.order_id] = key
        row = self.rows[known]
        if not row.final:
            text = (
                f"order id {record.order_id} is of another order now: the service may have gone back to an older state"
            )
            if row.conflict != text:
                self.change(known, conflict=text)
                self._notify(Level.ALERT, f"CONFLICT: {self.text_of(row)}: {text}", known)
        return key

    def _rebind(self, key: str, record: OrderRecord) -> None:
        """Continue a row under a new order id, because the service amended by cancelling and creating a new order."""
        old = self.rows[key]
        self._by_order.pop(old.order_id, None)
        self._by_order[record.order_id] = key
        track = self._tracks[key]
        track.executed, track.rank = decimals.ZERO, None
        stamp = msgspec.structs.replace(old.stamp, update_at=min(old.stamp.update_at, millis(record.update_at)))
        self.change(
            key,
            order_id=record.order_id,
            earlier_ids=(*old.earlier_ids, old.order_id),
            earlier_at=(*old.earlier_at, old.stamp.update_at),
            executed="0",
            known_fills="0",
            final=False,
            state=LocalOrderState.SENT.value,
            stamp=stamp,
        )

    def _hide(self, key: str) -> None:
        self._tracks[key].hidden = True
        self._visible.pop(key, None)
        self._updates.put(Table.ORDERS, key, None)

    def _bind(self, key: str, order_id: str) -> None:
        if order_id:
            self._by_order[order_id] = key

    def _put(self, row: OrderRow) -> None:
        self.rows[row.key] = row
        if not self._tracks[row.key].hidden:
            self._visible[row.key] = row
            self._updates.put(Table.ORDERS, row.key, row)
