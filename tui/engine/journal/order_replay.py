"""Replay of orders from the journal: place intents with the newest state of their orders, and unanswered replaces."""

from __future__ import annotations

import msgspec

from tui.engine.intents import Place, Replace
from tui.engine.orders import reply_class
from tui.engine.orders.reply_class import ReplyClass
from tui.engine.rows import LocalOrderState, OrderRow, Source, Stamp
from tui.engine.state import order_fold
from tui.interface import decimals
from tui.interface.envelope import ActionReply, parse_code
from tui.interface.families.orders import Action, OrderRecord, Origin, is_final
from tui.interface.times import millis
from tui.protocols import JournalEntry

NO_ANSWER = "no answer in an earlier session"
NO_ANSWER_TO_REPLACE = "cancelled, and its replace got no answer in an earlier session"


class OpenReplace(msgspec.Struct):
    """Replace request with an unknown outcome: the service may have ended the order and created another one for it."""

    intent_id: str
    price: str
    qty: str
    since: int
    """updateAt of its order when it was sent; later records concern this replace."""
    wall_ms: int = 0
    """Wall time at which it was sent, ms."""


class ReplayedOrder(msgspec.Struct):
    """Replayed order: its place intent and its newest known state."""

    place: Place
    wall_ms: int
    price: str
    qty: str
    created: int = 0
    """createAt of the order at the venue, ms."""
    state: str = LocalOrderState.UNKNOWN.value
    order_id: str = ""
    earlier_ids: tuple[str, ...] = ()
    """Former order ids, before amendments that created the present order."""
    earlier_at: tuple[int, ...] = ()
    """Newest known updateAt of each former id."""
    origin: str = ""
    executed: str = "0"
    update_at: int = 0
    ended: bool = False
    dismissed_ms: int = 0
    """Wall time at which the trader dismissed it, or 0."""
    touched_ms: int = 0
    """Wall time of the newest entry about it, or 0."""
    replace: OpenReplace | None = None
    """Its newest replace, until the outcome is known."""

    @property
    def is_over(self) -> bool:
        """Whether the order needs no more queries: it ended, and no replace of it may have created another order."""
        return self.ended and not self.is_replace_lost

    @property
    def is_replace_lost(self) -> bool:
        """Whether the order was cancelled while a replace was unanswered, so that another order may exist."""
        return self.ended and self.replace is not None and order_fold.is_same_end(self.state, "CANCELLED")


class IntentPayload(msgspec.Struct):
    """Payload of a journaled intent."""

    kind: str
    """Name of its class."""
    intent: msgspec.Raw


class _ReplyPayload(msgspec.Struct):
    code: int | str | None = None
    text: str = ""
    data: ActionReply | None = None


def begin_order(orders: dict[str, ReplayedOrder], entry: JournalEntry) -> str:
    """Start replaying an order if the journaled intent places one; return its pair, or an empty text."""
    meant = msgspec.json.decode(entry.payload, type=IntentPayload)
    if meant.kind != "Place":
        return ""
    place = msgspec.json.decode(meant.intent, type=Place)
    orders[entry.client_order_id] = ReplayedOrder(place, entry.wall_ms, place.price, place.qty)
    return place.sym


def begin_replace(orders: dict[str, ReplayedOrder], replaces: dict[str, str], entry: JournalEntry) -> None:
    """Start replaying a replace if the journaled intent replaces a known order that has not ended.

    Args:
        orders: Orders by client order id.
        replaces: Client order id of the order, by id of the replace.
        entry: The intent.
    """
    meant = msgspec.json.decode(entry.payload, type=IntentPayload)
    if meant.kind != "Replace":
        return
    replace = msgspec.json.decode(meant.intent, type=Replace)
    order = orders.get(replace.key)
    if order is not None and not order.ended:
        order.replace = OpenReplace(entry.intent_id, replace.price, replace.qty, order.update_at, entry.wall_ms)
        replaces[entry.intent_id] = replace.key


def apply_replace_entry(orders: dict[str, ReplayedOrder], replaces: dict[str, str], entry: JournalEntry) -> None:
    """Apply a journal entry about a replace; the replace is settled once it certainly created no other order."""
    order = orders.get(replaces[entry.intent_id])
    if order is None or order.replace is None or order.replace.intent_id != entry.intent_id:
        return
    if entry.kind == "not_sent":
        order.replace = None
    elif entry.kind == "reply":
        reply = msgspec.json.decode(entry.payload, type=_ReplyPayload)
        if _is_settled_by(reply, order.order_id):
            order.replace = None


def _is_settled_by(reply: _ReplyPayload, order_id: str) -> bool:
    """Return whether a reply proves that the replace created no new order: it was refused, or has the same order id."""
    data = reply.data or ActionReply()
    code = -1 if reply.code is None else parse_code(reply.code)
    meaning = reply_class.classify_change(
        code, reply.text, order_id=data.order_id, state=data.order_state, replace=True
    ).meaning
    return data.order_id == order_id if meaning is ReplyClass.ACCEPTED else meaning is not ReplyClass.UNSURE


def apply_order_entry(order: ReplayedOrder, entry: JournalEntry) -> None:
    """Apply a journal entry to its replayed order."""
    order.touched_ms = entry.wall_ms
    if entry.kind == "not_sent":
        order.ended = True
    elif entry.kind == "dismiss":
        order.ended, order.dismissed_ms, order.replace = True, entry.wall_ms, None
    elif entry.kind in ("push", "query", "snapshot"):
        record = msgspec.json.decode(entry.payload, type=OrderRecord)
        _apply_record(order, record)
        if _is_newest(entry, record) or _is_amended_in_place(order, record):
            order.replace = None
    elif entry.kind == "reply" and order.update_at == 0:
        _apply_reply(order, msgspec.json.decode(entry.payload, type=_ReplyPayload))


def _is_newest(entry: JournalEntry, record: OrderRecord) -> bool:
    """Return whether a record is final and from a query by client order id, and so of the newest order with that id."""
    return entry.kind == "query" and not entry.order_id and is_final(record.order_state)


def _is_amended_in_place(order: ReplayedOrder, record: OrderRecord) -> bool:
    """Return whether a record shows that the open replace has ended and the same order continues."""
    if order.replace is None or record.order_id != order.order_id or millis(record.update_at) <= order.replace.since:
        return False
    return record.action in (Action.AMEND_COMPLETED, Action.AMEND_FAILED) and not is_final(record.order_state)


def _apply_record(order: ReplayedOrder, record: OrderRecord) -> None:
    """Apply an order record of the service to the replayed order; ignore an impossible or outdated one.

    So are those of another pair or side under the same client order id: an order keeps both, whatever is done to it.
    """
    before, executed = decimals.optional(order.executed) or decimals.ZERO, order_fold.parse_executed(record)
    another = order.update_at > 0 and order.order_id != record.order_id
    if another and (record.sym, record.side) != (order.place.sym, order.place.side):
        return
    follows = another and record.order_id not in order.earlier_ids and order_fold.follows(record, order.created)
    if follows or (another and _is_second(order, record)):
        # A new order after an amend, or a second one under the same id: its executed quantity starts at 0.
        before = decimals.ZERO
    elif another:
        if record.order_id in order.earlier_ids:
            order.earlier_ids, order.earlier_at = order_fold.record_replaced(
                order.earlier_ids, order.earlier_at, record.order_id, millis(record.update_at)
            )
        return
    # Times of two orders are not comparable: the old one may end after the new one began.
    older = not follows and millis(record.update_at) < order.update_at
    if older or order_fold.impossible(record, executed, before, order.qty):
        return
    if follows:
        order.earlier_ids += (order.order_id,)
        order.earlier_at += (order.update_at,)
    order.state, order.order_id, order.origin = record.order_state, record.order_id, record.origin
    order.executed, order.update_at = record.executed_qty or "0", millis(record.update_at)
    order.created = millis(record.create_at)
    order.price, order.qty = order_fold.price_of(record), record.order_qty or order.qty
    order.ended, order.dismissed_ms = is_final(record.order_state), 0
    if another:
        order.replace = None


def _is_second(order: ReplayedOrder, record: OrderRecord) -> bool:
    """Return whether a record shows another open order with the same client order id after the known one ended."""
    alive = order.ended and not is_final(record.order_state)
    return alive and record.order_id not in order.earlier_ids and millis(record.update_at) > order.update_at


def _apply_reply(order: ReplayedOrder, reply: _ReplyPayload) -> None:
    data = reply.data or ActionReply()
    code = -1 if reply.code is None else parse_code(reply.code)
    reading = reply_class.classify_place(code, reply.text, order_id=data.order_id)
    if reading.meaning is ReplyClass.ACCEPTED:
        order.state, order.order_id = data.order_state or "NEW", data.order_id
        order.ended, order.dismissed_ms = is_final(order.state), 0
    elif reading.meaning is ReplyClass.REFUSED:
        order.ended, order.dismissed_ms = True, 0


def compute_sent(wall_ms: int, now: float, wall: float) -> float:
    """Convert the wall time at which an earlier session sent a request to monotonic time, s; may lie before startup.

    Args:
        wall_ms: Wall time at which it was sent, ms; 0: not told.
        now: Monotonic time, s.
        wall: Unix time, s.
    """
    return now - max(0.0, wall - wall_ms / 1000) if wall_ms else now


def open_order(cid: str, order: ReplayedOrder, portfolio: str, now: float, wall: float) -> OrderRow:
    """Build the row of a replayed order at startup; an UNKNOWN order counts as unknown since it was sent.

    For an order possibly created by a lost replace only the request is known; it is searched by client id.
    """
    lost = order.state == LocalOrderState.UNKNOWN
    row = msgspec.structs.replace(
        order_fold.row_of(
            order.place,
            cid,
            state=order.state,
            since=compute_sent(order.wall_ms, now, wall) if lost else now,
            create_at=order.created or order.wall_ms,
            stamp=Stamp(portfolio, 0, order.update_at, Source.JOURNAL, now),
        ),
        order_id=order.order_id,
        price=order.price,
        qty=order.qty,
        executed=order.executed,
        reason=NO_ANSWER if lost else "",
        origin=order.origin or Origin.DMA.value,
        earlier_ids=order.earlier_ids,
        earlier_at=order.earlier_at,
    )
    if order.replace is None or not order.is_replace_lost:
        return row
    return msgspec.structs.replace(
        row,
        state=LocalOrderState.UNKNOWN.value,
        since=compute_sent(order.replace.wall_ms, now, wall),
        final=False,
        stamp=Stamp(portfolio, 0, 0, Source.JOURNAL, now),
        order_id="",
        price=order.replace.price,
        qty=order.replace.qty,
        executed="0",
        reason=NO_ANSWER_TO_REPLACE,
    )
