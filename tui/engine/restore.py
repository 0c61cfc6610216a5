"""What the journal says about earlier sessions: orders without an end come back as rows, fills are not told twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from tui.engine import order_fold, outcomes
from tui.engine.facts import millis
from tui.engine.fill_table import OVERLAP_MS
from tui.engine.intents import Place
from tui.engine.orders import DISMISSED_COUNTS
from tui.engine.outcomes import Meaning
from tui.engine.rows import OrderRow, Shown, Source, Stamp
from tui.interface import decimals
from tui.interface.envelope import ActionReply, code_number
from tui.interface.families.history import TradeRecord
from tui.interface.families.orders import OrderRecord, is_final
from tui.rules.day_result import DayResult, created_ms
from tui.seams import JournalEntry

ARCHIVED_AFTER = 7 * 86_400.0
"""Age (s) from which on entries may leave the journal for an archive: what the service's recent history reaches."""


class _Meant(msgspec.Struct):
    kind: str
    intent: msgspec.Raw


class _Replied(msgspec.Struct):
    code: int | str | None = None
    text: str = ""
    data: ActionReply | None = None


class _Order(msgspec.Struct):
    """One place intent and the last thing known about it."""

    place: Place
    wall_ms: int
    first: int
    """Number of the entry that meant it."""
    price: str
    qty: str
    created: int = 0
    """createAt of the order at the venue, ms."""
    state: str = Shown.UNKNOWN.value
    order_id: str = ""
    earlier_ids: tuple[str, ...] = ()
    """Orders from which amends made the present one."""
    earlier_at: tuple[int, ...] = ()
    """The newest updateAt known of each."""
    origin: str = ""
    executed: str = "0"
    update_at: int = 0
    ended: bool = False
    dismissed_ms: int = 0
    """Wall time at which the trader dismissed it, or 0."""


class Past(msgspec.Struct):
    """What a new session starts from."""

    rows: list[OrderRow]
    dismissed: list[tuple[OrderRow, float]]
    """Orders the trader dismissed lately, and when (monotonic s): they count in the limits, and may still arrive."""
    fills: dict[str, int]
    """transactionId -> createAt in ms."""
    day: DayResult
    """The fills of the newest day, since `begin_ms`."""
    begin_ms: int
    """Server time from which on the journal holds every fill; 0: it never did."""
    complete_ms: int
    """Server time up to which it does."""
    traded: dict[str, int]
    """Pair -> wall time of the last order that left for it, ms."""
    unreadable: int = 0
    """Place intents that could not be read back."""


class Story(msgspec.Struct):
    """What entries tell, one after the other: every place intent with the last thing known of it, and the fills."""

    orders: dict[str, _Order] = {}
    fills: dict[str, int] = {}
    day: DayResult = msgspec.field(default_factory=DayResult)
    begin_ms: int = 0
    complete_ms: int = 0
    unreadable: int = 0

    def tell(self, entry: JournalEntry) -> None:
        """Go on by one entry. One that cannot be read is skipped (a lost intent is counted): the venue decides."""
        try:
            self._tell(entry)
        except (msgspec.MsgspecError, ValueError):
            self.unreadable += entry.kind == "intent" and bool(entry.client_order_id)

    def _tell(self, entry: JournalEntry) -> None:
        if entry.kind == "intent" and entry.client_order_id:
            meant = msgspec.json.decode(entry.payload, type=_Meant)
            if meant.kind == "Place":
                place = msgspec.json.decode(meant.intent, type=Place)
                order = _Order(place, entry.wall_ms, entry.seq, place.price, place.qty)
                self.orders[entry.client_order_id] = order
        elif entry.kind == "fill":
            fill = msgspec.json.decode(entry.payload, type=TradeRecord)
            self.fills[fill.transaction_id] = created_ms(fill)
            self.day.add(fill)
        elif entry.kind == "fills":
            self._read_up_to(msgspec.json.decode(entry.payload, type=_FillsRead))
        elif entry.kind == "gap":
            # What was read until now may be among what was lost; only a reading from before it counts.
            self.complete_ms = max(self.begin_ms, self.complete_ms - 2 * OVERLAP_MS)
        elif entry.client_order_id in self.orders:
            _heard(self.orders[entry.client_order_id], entry)

    def _read_up_to(self, read: _FillsRead) -> None:
        if not self.begin_ms:
            self.begin_ms = self.complete_ms = read.begin
        if read.since <= self.complete_ms:
            self.complete_ms = max(self.complete_ms, read.complete)


class _FillsRead(msgspec.Struct):
    """A reading of fills: since when, and up to when none is missing now; server ms."""

    begin: int
    since: int
    complete: int


def read(entries: Iterable[JournalEntry], *, portfolio: str, now: float, wall: float) -> Past:
    """Go through the journal once.

    Args:
        entries: All of them, oldest first.
        portfolio: Whose orders they are.
        now: Monotonic time, s.
        wall: Unix time, s.
    """
    story = Story()
    for entry in entries:
        story.tell(entry)
    return past_of(story, portfolio=portfolio, now=now, wall=wall)


def past_of(story: Story, *, portfolio: str, now: float, wall: float) -> Past:
    """What a session starts from."""
    rows = [_row(cid, order, portfolio, now) for cid, order in story.orders.items() if not order.ended]
    dismissed = [
        (_row(cid, order, portfolio, now), now - (wall - order.dismissed_ms / 1000))
        for cid, order in story.orders.items()
        if order.dismissed_ms and wall - order.dismissed_ms / 1000 < DISMISSED_COUNTS
    ]
    traded = {order.place.sym: order.wall_ms for order in story.orders.values()}
    day, begin, complete = story.day, story.begin_ms, story.complete_ms
    if not begin and story.fills:
        # A journal of a version that did not say how far fills were read: on from the newest one, the day anew.
        day, begin = DayResult(), max(story.fills.values())
        complete = begin
    return Past(rows, dismissed, story.fills, day, begin, complete, traded, story.unreadable)


def first_needed(entries: Sequence[JournalEntry], wall: float) -> int:
    """The number of the first entry that a session still needs: all of the last days, and all since an order whose end
    nobody knows was meant. One behind the newest when none is needed.
    """
    if not entries:
        return 0
    young = (wall - ARCHIVED_AFTER) * 1000
    story = Story()
    for entry in entries:
        story.tell(entry)
    open_still = [order.first for order in story.orders.values() if not order.ended]
    return min([*open_still, next((one.seq for one in entries if one.wall_ms >= young), entries[-1].seq + 1)])


def _heard(order: _Order, entry: JournalEntry) -> None:
    """One entry about an order that was meant."""
    if entry.kind == "not_sent":
        order.ended = True
    elif entry.kind == "dismiss":
        order.ended, order.dismissed_ms = True, entry.wall_ms
    elif entry.kind in ("push", "query", "snapshot"):
        _recorded(order, msgspec.json.decode(entry.payload, type=OrderRecord))
    elif entry.kind == "reply" and order.update_at == 0:
        _replied(order, msgspec.json.decode(entry.payload, type=_Replied))


def _recorded(order: _Order, record: OrderRecord) -> None:
    """A record as it came. What could not be true was not believed then and is not now."""
    before, executed = decimals.optional(order.executed) or decimals.ZERO, order_fold.executed_of(record)
    another = order.update_at > 0 and order.order_id != record.order_id
    follows = another and record.order_id not in order.earlier_ids and order_fold.follows(record, order.created)
    if follows or (another and _is_second(order, record)):
        # An amend made a new order, or there are two under one id: it counts from nothing.
        before = decimals.ZERO
    elif another:
        if record.order_id in order.earlier_ids:
            order.earlier_ids, order.earlier_at = order_fold.left_behind(
                order.earlier_ids, order.earlier_at, record.order_id, millis(record.update_at)
            )
        return
    # Two orders have no common time: the end of the old one may be stamped behind the beginning of the new one.
    older = not follows and millis(record.update_at) < order.update_at
    if older or order_fold.impossible(record, executed, before, order.qty):
        return
    if follows:
        order.earlier_ids += (order.order_id,)
        order.earlier_at += (order.update_at,)
    order.state, order.order_id, order.origin = record.order_state, record.order_id, record.order_type
    order.executed, order.update_at = record.executed_qty or "0", millis(record.update_at)
    order.created = millis(record.create_at)
    order.price, order.qty = order_fold.price_of(record), record.order_qty or order.qty
    order.ended, order.dismissed_ms = is_final(record.order_state), 0


def _is_second(order: _Order, record: OrderRecord) -> bool:
    """Whether another order of the same client id lives on after the one that was known has ended."""
    alive = order.ended and not is_final(record.order_state)
    return alive and record.order_id not in order.earlier_ids and millis(record.update_at) > order.update_at


def _replied(order: _Order, reply: _Replied) -> None:
    data = reply.data or ActionReply()
    code = -1 if reply.code is None else code_number(reply.code)
    reading = outcomes.of_place(code, reply.text, order_id=data.order_id)
    if reading.meaning is Meaning.ACCEPTED:
        order.state, order.order_id = data.order_state or "NEW", data.order_id
        order.ended, order.dismissed_ms = is_final(order.state), 0
    elif reading.meaning is Meaning.REFUSED:
        order.ended, order.dismissed_ms = True, 0


def _row(cid: str, order: _Order, portfolio: str, now: float) -> OrderRow:
    place = order.place
    lost = order.state == Shown.UNKNOWN
    return OrderRow(
        key=cid,
        client_order_id=cid,
        order_id=order.order_id,
        sym=place.sym,
        side=place.side.value,
        position_side=place.position_side.value,
        order_type=place.order_type.value,
        time_in_force=place.time_in_force.value,
        price=order.price,
        qty=order.qty,
        executed=order.executed,
        reduce_only=place.reduce_only,
        state=order.state,
        reason="no answer in an earlier session" if lost else "",
        since=now,
        origin=order.origin or "DMA",
        earlier_ids=order.earlier_ids,
        earlier_at=order.earlier_at,
        create_at=order.created or order.wall_ms,
        stamp=Stamp(portfolio, 0, order.update_at, Source.JOURNAL, now),
    )
