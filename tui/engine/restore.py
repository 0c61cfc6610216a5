"""What the journal says about earlier sessions: orders without an end come back as rows, fills are not told twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from tui.engine import order_fold, outcomes
from tui.engine.facts import millis
from tui.engine.intents import Place
from tui.engine.orders import DISMISSED_COUNTS
from tui.engine.outcomes import Meaning
from tui.engine.rows import OrderRow, Shown, Source, Stamp
from tui.interface import decimals
from tui.interface.envelope import ActionReply, code_number
from tui.interface.families.history import TradeRecord
from tui.interface.families.orders import OrderRecord, is_final
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


class _Story(msgspec.Struct):
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
    traded: dict[str, int]
    """Pair -> wall time of the last order that left for it, ms."""
    unreadable: int = 0
    """Place intents that could not be read back."""


def read(entries: Iterable[JournalEntry], *, portfolio: str, now: float, wall: float) -> Past:
    """Go through the journal once. An entry that cannot be read is skipped (a lost intent is counted): the venue decides.

    Args:
        entries: All of them, oldest first.
        portfolio: Whose orders they are.
        now: Monotonic time, s.
        wall: Unix time, s.
    """
    stories, fills, unreadable = _told(entries)
    rows = [_row(cid, story, portfolio, now) for cid, story in stories.items() if not story.ended]
    dismissed = [
        (_row(cid, story, portfolio, now), now - (wall - story.dismissed_ms / 1000))
        for cid, story in stories.items()
        if story.dismissed_ms and wall - story.dismissed_ms / 1000 < DISMISSED_COUNTS
    ]
    traded = {story.place.sym: story.wall_ms for story in stories.values()}
    return Past(rows, dismissed, fills, traded, unreadable)


def first_needed(entries: Sequence[JournalEntry], wall: float) -> int:
    """The number of the first entry that a session still needs: all of the last days, and all since an order whose end
    nobody knows was meant. One behind the newest when none is needed.
    """
    if not entries:
        return 0
    young = (wall - ARCHIVED_AFTER) * 1000
    stories, _, _ = _told(entries)
    open_still = [story.first for story in stories.values() if not story.ended]
    return min([*open_still, next((one.seq for one in entries if one.wall_ms >= young), entries[-1].seq + 1)])


def _told(entries: Iterable[JournalEntry]) -> tuple[dict[str, _Story], dict[str, int], int]:
    """Every place intent's story, the fills, and how many intents could not be read."""
    stories: dict[str, _Story] = {}
    fills: dict[str, int] = {}
    unreadable = 0
    for entry in entries:
        try:
            _entry(entry, stories, fills)
        except (msgspec.MsgspecError, ValueError):
            unreadable += entry.kind == "intent" and bool(entry.client_order_id)
    return stories, fills, unreadable


def _entry(entry: JournalEntry, stories: dict[str, _Story], fills: dict[str, int]) -> None:
    if entry.kind == "intent" and entry.client_order_id:
        meant = msgspec.json.decode(entry.payload, type=_Meant)
        if meant.kind == "Place":
            place = msgspec.json.decode(meant.intent, type=Place)
            stories[entry.client_order_id] = _Story(place, entry.wall_ms, entry.seq, place.price, place.qty)
        return
    if entry.kind == "fill":
        fill = msgspec.json.decode(entry.payload, type=TradeRecord)
        fills[fill.transaction_id] = millis(fill.create_at)
        return
    story = stories.get(entry.client_order_id)
    if story is None:
        return
    if entry.kind == "not_sent":
        story.ended = True
    elif entry.kind == "dismiss":
        story.ended, story.dismissed_ms = True, entry.wall_ms
    elif entry.kind in ("push", "query", "snapshot"):
        _recorded(story, msgspec.json.decode(entry.payload, type=OrderRecord))
    elif entry.kind == "reply" and story.update_at == 0:
        _replied(story, msgspec.json.decode(entry.payload, type=_Replied))


def _recorded(story: _Story, record: OrderRecord) -> None:
    """A record as it came. What could not be true was not believed then and is not now."""
    before, executed = decimals.optional(story.executed) or decimals.ZERO, order_fold.executed_of(record)
    another = story.update_at > 0 and story.order_id != record.order_id
    follows = another and record.order_id not in story.earlier_ids and order_fold.follows(record, story.created)
    if follows or (another and _is_second(story, record)):
        # An amend made a new order, or there are two under one id: it counts from nothing.
        before = decimals.ZERO
    elif another:
        return
    # Two orders have no common time: the end of the old one may be stamped behind the beginning of the new one.
    older = not follows and millis(record.update_at) < story.update_at
    if older or order_fold.impossible(record, executed, before, story.qty):
        return
    if follows:
        story.earlier_ids += (story.order_id,)
    story.state, story.order_id, story.origin = record.order_state, record.order_id, record.order_type
    story.executed, story.update_at = record.executed_qty or "0", millis(record.update_at)
    story.created = millis(record.create_at)
    story.price, story.qty = order_fold.price_of(record), record.order_qty or story.qty
    story.ended, story.dismissed_ms = is_final(record.order_state), 0


def _is_second(story: _Story, record: OrderRecord) -> bool:
    """Whether another order of the same client id lives on after the one that was known has ended."""
    alive = story.ended and not is_final(record.order_state)
    return alive and record.order_id not in story.earlier_ids and millis(record.update_at) > story.update_at


def _replied(story: _Story, reply: _Replied) -> None:
    data = reply.data or ActionReply()
    code = -1 if reply.code is None else code_number(reply.code)
    reading = outcomes.of_place(code, reply.text, order_id=data.order_id)
    if reading.meaning is Meaning.ACCEPTED:
        story.state, story.order_id = data.order_state or "NEW", data.order_id
        story.ended, story.dismissed_ms = is_final(story.state), 0
    elif reading.meaning is Meaning.REFUSED:
        story.ended, story.dismissed_ms = True, 0


def _row(cid: str, story: _Story, portfolio: str, now: float) -> OrderRow:
    place = story.place
    lost = story.state == Shown.UNKNOWN
    return OrderRow(
        key=cid,
        client_order_id=cid,
        order_id=story.order_id,
        sym=place.sym,
        side=place.side.value,
        position_side=place.position_side.value,
        order_type=place.order_type.value,
        time_in_force=place.time_in_force.value,
        price=story.price,
        qty=story.qty,
        executed=story.executed,
        reduce_only=place.reduce_only,
        state=story.state,
        reason="no answer in an earlier session" if lost else "",
        since=now,
        origin=story.origin or "DMA",
        earlier_ids=story.earlier_ids,
        create_at=story.created or story.wall_ms,
        stamp=Stamp(portfolio, 0, story.update_at, Source.JOURNAL, now),
    )
