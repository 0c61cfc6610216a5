"""Table of algo orders that may still be open, with their unsettled commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal

import msgspec

from tui.engine.conflating_queue import TableSink
from tui.engine.intents import AlgoIntent, CancelAlgo, PlaceAlgo, Protection, ReplaceAlgo
from tui.engine.rows import AlgoRow, CommandState, LocalOrderState, OrderRow, PendingAction, Source, Stamp, Table
from tui.engine.state.closing_orders import Positions, meets_first_position
from tui.engine.state.command_table import AnyCommand
from tui.engine.state.facts import SnapshotRequest, is_newer
from tui.interface import decimals
from tui.interface.families.algo import (
    CONDITIONAL,
    OPEN_ALGO_STATES,
    STOP_LOSS,
    TAKE_PROFIT,
    AlgoRecord,
    AlgoType,
    Condition,
    TriggerName,
    TriggerType,
)
from tui.interface.symbols import amount_text, pair_name, try_parse
from tui.interface.times import millis

MOST_ENDED = 2_000
"""Ended algo orders whose last message is remembered, so that an older list does not restore them."""
HAD_POSITION = "algo_position"
"""Kind of the journal entry that says that an algo order which can open had a position to reduce."""
_SHOWN: dict[str, LocalOrderState] = {
    CommandState.SENDING: LocalOrderState.SENDING,
    CommandState.RUNNING: LocalOrderState.SENT,
    CommandState.UNKNOWN: LocalOrderState.UNKNOWN,
}
"""State of a new order not shown by the service yet, by the state of its command."""
_SOURCES = {TriggerType.MARK_PRICE.value: "mark", TriggerType.LAST_PRICE.value: "last"}
"""Words for the price that a trigger is compared with."""


def pending_action_of(command: AnyCommand) -> PendingAction:
    """Return the pending action to show on an algo order while a command for it is open."""
    if isinstance(command.intent, ReplaceAlgo):
        return PendingAction.AMEND_LOST if command.is_lost else PendingAction.AMEND
    if isinstance(command.intent, CancelAlgo):
        return PendingAction.CANCEL_LOST if command.is_lost else PendingAction.CANCEL
    return PendingAction.NOTHING


class AlgoTable:
    """Algo orders by row key: the client order id for our own orders, the algo order id for all others.

    Attributes:
        rows: Orders not known to have ended, including new ones without an answer.
        dismissed: Keys of new orders that the trader dismissed; they may still arrive.
        had_position: Keys of orders that had a position to reduce although they are not made to close one.
    """

    def __init__(
        self,
        updates: TableSink,
        is_ours: Callable[[str], bool],
        tick_of: Callable[[str], Decimal | None],
        commands: dict[str, AnyCommand],
    ) -> None:
        """Initialize an empty table.

        Args:
            updates: Queue for the rows.
            is_ours: Whether a client order id belongs to this installation.
            tick_of: Tick of a pair, None while it is not known.
            commands: Unsettled commands, at most one per row; a record may settle one.
        """
        self.rows: dict[str, AlgoRow] = {}
        self._commands = commands
        self.dismissed: set[str] = set()
        self.had_position: set[str] = set()
        self._updates = updates
        self._is_ours = is_ours
        self._tick_of = tick_of
        self._ended: dict[str, tuple[Stamp, AlgoRecord]] = {}
        """Newest message of each order that has ended, the newest last."""

    def text_of(self, record: AlgoRecord) -> str:
        """Describe an algo order briefly, with prices rounded to the tick."""
        return algo_text(record, self._tick_of(record.sym))

    def name(self, command: AnyCommand) -> str:
        """Describe a command for an algo order: `cancel of stop SELL 1 …`."""
        intent = command.intent
        if command.title:
            return command.title
        if isinstance(intent, PlaceAlgo):
            return self.text_of(build_requested_record(intent, command.key, ""))
        row = self.rows.get(command.key)
        record = apply_change(row.record, intent) if row is not None else None
        what = self.text_of(record) if record is not None else f"algo order {command.key}"
        return f"{'cancel' if isinstance(intent, CancelAlgo) else 'change'} of {what}"

    def can_restore(self, key: str) -> bool:
        """Return whether to restore an algo command of an earlier session: not if its order is known here or has ended."""
        return key not in self.rows and key not in self._ended

    def key_of(self, record: AlgoRecord) -> str:
        """Return the row key of a record: the client order id of our own orders, the algo order id of all others."""
        ours = record.client_order_id and self._is_ours(record.client_order_id)
        return record.client_order_id if ours else record.algo_order_id

    def find(self, algo_order_id: str) -> AlgoRecord | None:
        """Find the record of an algo order by the id of the service, also if it has ended."""
        known = [*(row.record for row in self.rows.values()), *(record for _, record in self._ended.values())]
        return next((record for record in known if record.algo_order_id == algo_order_id), None)

    # Records of the service

    def fold(self, record: AlgoRecord, stamp: Stamp, asked_at: float | None = None) -> bool:
        """Apply one record; return whether it changed anything. `asked_at` as in `is_newer`."""
        key = self.key_of(record)
        row = self.rows.get(key)
        known = row.stamp if row is not None else self._ended[key][0] if key in self._ended else None
        if known is not None and known.source is not Source.LOCAL and not is_newer(stamp, known, asked_at=asked_at):
            return False
        self._settle(key, record)
        if record.order_state not in OPEN_ALGO_STATES:
            self._end(key, stamp, record)
            return True
        self._ended.pop(key, None)
        command = self._commands.get(key)
        overlay = PendingAction.NOTHING if command is None else pending_action_of(command)
        is_pending, since = overlay is not PendingAction.NOTHING, stamp.received
        if row is not None and row.overlay is overlay and (is_pending or row.state == record.order_state):
            since = row.since
        had_position = key in self.had_position
        self._put(AlgoRow(key=key, record=record, overlay=overlay, since=since, had_position=had_position, stamp=stamp))
        return row is None or row.record != record

    def fold_list(
        self, records: Iterable[AlgoRecord], asked: SnapshotRequest, portfolio: str, now: float
    ) -> list[AlgoRow]:
        """Apply a complete list of open algo orders; return the known rows missing from it."""
        listed: dict[str, None] = {}
        for record in records:
            listed[self.key_of(record)] = None
            stamp = Stamp(portfolio, asked.epoch, millis(record.update_at), Source.SNAPSHOT, now)
            self.fold(record, stamp, asked.at)
        return [
            row for key, row in self.rows.items() if key not in listed and row.seen and row.stamp.received < asked.at
        ]

    def drop(self, row: AlgoRow) -> None:
        """Remove a row that is missing from a complete list."""
        if self.rows.get(row.key) is row:
            self._end(row.key, row.stamp, row.record)

    def _settle(self, key: str, record: AlgoRecord) -> None:
        """Settle the command of a row when a record proves its outcome."""
        command = self._commands.get(key)
        if command is not None and settles(command.intent, record):
            del self._commands[key]

    # Own commands

    def draw(self, command: AnyCommand, stamp: Stamp, since: float) -> None:
        """Show the state of a command on its algo order's row; remove the row of a new order that was not created.

        Args:
            command: Command.
            stamp: Origin of the row.
            since: Monotonic time at which the command was sent, s.
        """
        key, row = command.key, self.rows.get(command.key)
        if command.state is CommandState.DISMISSED:
            self.dismissed.add(key)
        if row is not None and row.seen:
            overlay = pending_action_of(command)
            if not command.state.is_open:
                overlay, since = PendingAction.NOTHING, row.stamp.received
            self._put(msgspec.structs.replace(row, overlay=overlay, since=since))
        elif not command.state.is_open:
            self._remove(key)
        elif isinstance(command.intent, PlaceAlgo):
            algo_id = row.record.algo_order_id if row is not None else ""
            record = build_requested_record(command.intent, key, _SHOWN[command.state])
            record = msgspec.structs.replace(record, algo_order_id=algo_id)
            self._put(AlgoRow(key=key, record=record, since=since, stamp=stamp))

    def take_id(self, key: str, algo_order_id: str) -> None:
        """Set the service's id of a new order, from the reply to its placement."""
        row = self.rows.get(key)
        if row is not None and not row.record.algo_order_id:
            record = msgspec.structs.replace(row.record, algo_order_id=algo_order_id)
            self._put(msgspec.structs.replace(row, record=record))

    def set_cancelling(self, key: str, *, pending: bool) -> None:
        """Mark the cancel of a new algo order as pending, before the service has reported the order."""
        row = self.rows.get(key)
        if row is not None and not row.seen:
            self._put(msgspec.structs.replace(row, overlay=PendingAction.CANCEL if pending else PendingAction.NOTHING))

    def record_not_found(self, key: str, now: float) -> None:
        """Count a not-found reply for a new algo order; `now` is monotonic, in s."""
        row = self.rows.get(key)
        if row is None or row.seen:
            return
        first = row.not_found == 0
        self._put(
            msgspec.structs.replace(
                row,
                not_found=row.not_found + 1,
                not_found_first=now if first else row.not_found_first,
                not_found_last=now,
                answered=frozenset() if first else row.answered,
            )
        )

    def record_answer(self, key: str, source: str, asked_at: float) -> None:
        """Record that a list requested at this monotonic time does not contain a new algo order."""
        row = self.rows.get(key)
        if row is not None and not row.seen and row.not_found and asked_at >= row.not_found_first:
            self._put(msgspec.structs.replace(row, answered=row.answered | {source}))

    def note_positions(self, positions: Positions) -> list[str]:
        """Mark the algo orders that for the first time have an open position to reduce; return their keys."""
        keys = [key for key, row in self.rows.items() if meets_first_position(row, positions)]
        for key in keys:
            self.had_position.add(key)
            self._put(msgspec.structs.replace(self.rows[key], had_position=True))
        return keys

    # Common

    def _end(self, key: str, stamp: Stamp, record: AlgoRecord) -> None:
        self.had_position.discard(key)
        self._commands.pop(key, None)
        self._ended.pop(key, None)
        self._ended[key] = stamp, record
        if len(self._ended) > MOST_ENDED:
            del self._ended[next(iter(self._ended))]
        self._remove(key)

    def _remove(self, key: str) -> None:
        if self.rows.pop(key, None) is not None:
            self._updates.put(Table.ALGOS, key, None)

    def _put(self, row: AlgoRow) -> None:
        if self.rows.get(row.key) != row:
            self.rows[row.key] = row
            self._updates.put(Table.ALGOS, row.key, row)


def triggers_of(intent: PlaceAlgo | ReplaceAlgo) -> dict[TriggerName, Protection]:
    """Return the triggers of an intent."""
    named = ((CONDITIONAL, intent.conditional), (TAKE_PROFIT, intent.take_profit), (STOP_LOSS, intent.stop_loss))
    return {name: trigger for name, trigger in named if trigger is not None}


def record_triggers(record: AlgoRecord) -> dict[TriggerName, Protection]:
    """Return the triggers of a record."""
    triggers = (
        (CONDITIONAL, record.conditional_trigger_price, _conditional_type(record), record.conditional_price),
        (TAKE_PROFIT, record.tp_trigger_price, record.tp_trigger_type, record.tp_price),
        (STOP_LOSS, record.sl_trigger_price, record.sl_trigger_type, record.sl_price),
    )
    return {
        name: Protection(trigger=price, source=source or TriggerType.LAST_PRICE.value, price=limit or "0")
        for name, price, source, limit in triggers
        if decimals.optional(price)
    }


def _conditional_type(record: AlgoRecord) -> str:
    return record.conditional_trigger_type or record.conditional_trigger_price_type


def settles(intent: AlgoIntent, record: AlgoRecord) -> bool:
    """Return whether a record of the service proves the outcome of a command."""
    if isinstance(intent, PlaceAlgo) or record.order_state not in OPEN_ALGO_STATES:
        return True
    return isinstance(intent, ReplaceAlgo) and carries(record, intent)


def carries(record: AlgoRecord, intent: ReplaceAlgo) -> bool:
    """Return whether a record shows all values that a change requested."""
    triggers = record_triggers(record)
    for name, wanted in triggers_of(intent).items():
        now = triggers.get(name)
        same = now is not None and now.source == wanted.source and _same(now.trigger, wanted.trigger)
        if now is None or not same or not _same(now.price, wanted.price):
            return False
    return not intent.qty or _same(record.order_qty, intent.qty)


def _same(text: str, other: str) -> bool:
    return (decimals.optional(text) or decimals.ZERO) == (decimals.optional(other) or decimals.ZERO)


def build_requested_record(intent: PlaceAlgo, key: str, state: str) -> AlgoRecord:
    """Build the record of a new algo order from its intent, before the service reports one."""
    texts: dict[str, str] = {}
    for prefix, trigger in (("conditional", intent.conditional), ("tp", intent.take_profit), ("sl", intent.stop_loss)):
        if trigger is not None:
            texts[f"{prefix}_trigger_price"], texts[f"{prefix}_trigger_type"] = trigger.trigger, trigger.source
            texts[f"{prefix}_price"] = trigger.price
    return AlgoRecord(
        algo_order_id="",
        algo_order_type=AlgoType.TPSL.value,
        client_order_id=key,
        sym=intent.sym,
        side=intent.side.value,
        order_qty=intent.qty,
        position_side=intent.position_side.value,
        reduce_only="true" if intent.closes else "false",
        order_state=state,
        condition_type=intent.condition.value,
        **texts,
    )


def algo_word(record: AlgoRecord) -> str:
    """Return the trader's name for the kind of algo order, such as stop or target."""
    if record.condition_type == Condition.CONDITIONAL:
        return "conditional"
    if record.condition_type == Condition.OCO:
        return "OCO"
    triggers = record_triggers(record)
    if TAKE_PROFIT in triggers and STOP_LOSS in triggers:
        return "target and stop"
    return "target" if TAKE_PROFIT in triggers else "stop"


def name_fired(record: AlgoRecord | None, order: OrderRow) -> str:
    """Return the trader's name for the algo order that sent an order; without its record, by the order's properties."""
    if record is None:
        pair = try_parse(order.sym)
        is_perp = pair is not None and pair.is_perp
        return "algo order" if is_perp and not order.reduce_only else "TP/SL"
    return algo_word(record) if record.condition_type in (Condition.CONDITIONAL, Condition.OCO) else "TP/SL"


def tell_fired(record: AlgoRecord) -> tuple[str, Protection | None]:
    """Return the trigger that fired, None if unclear, and ` target` or ` stop` if the algo order has both.

    The record does not say it: it is the one that is nearer to the fill.
    """
    triggers, price = record_triggers(record), decimals.positive(record.executed_avg_price)
    if len(triggers) == 1:
        return "", next(iter(triggers.values()))
    if price is None or not {TAKE_PROFIT, STOP_LOSS} <= triggers.keys():
        return "", None
    target, stop = (abs(price - Decimal(triggers[name].trigger)) for name in (TAKE_PROFIT, STOP_LOSS))
    if target == stop:
        return "", None
    return (" target", triggers[TAKE_PROFIT]) if target < stop else (" stop", triggers[STOP_LOSS])


def algo_text(record: AlgoRecord, tick: Decimal | None = None) -> str:
    """Describe an algo order: `stop SELL 0.5 BINANCE BTC perp at 58,000.0 mark`; `tick` is the pair's, if known."""
    at = " / ".join(
        f"{_price(trigger.trigger, tick)} {_SOURCES.get(trigger.source, '')}".rstrip()
        for trigger in record_triggers(record).values()
    )
    return f"{algo_word(record)} {record.side} {_size_text(record)} at {at or '?'}"


def describe_reached(trigger: Protection, tick: Decimal | None) -> str:
    """Say which price reached a trigger: `mark reached 58,000.0`."""
    return f"{_SOURCES.get(trigger.source, 'the price')} reached {_price(trigger.trigger, tick)}"


def _size_text(record: AlgoRecord) -> str:
    if not record.order_qty:
        return f"all {pair_name(record.sym)}"
    # An attached protection has the size of the fills: none without a fill.
    return amount_text(record.sym, record.order_qty) if decimals.optional(record.order_qty) else pair_name(record.sym)


def _price(text: str, tick: Decimal | None) -> str:
    number = decimals.optional(text)
    return text if number is None else decimals.format_grouped(number, tick)


def apply_change(record: AlgoRecord, intent: AlgoIntent) -> AlgoRecord:
    """Return the algo order as it would be after a change."""
    if not isinstance(intent, ReplaceAlgo):
        return record
    names = {STOP_LOSS: "sl_trigger_price", TAKE_PROFIT: "tp_trigger_price", CONDITIONAL: "conditional_trigger_price"}
    asked = {names[name]: trigger.trigger for name, trigger in triggers_of(intent).items()}
    return msgspec.structs.replace(record, **asked, **({"order_qty": intent.qty} if intent.qty else {}))
