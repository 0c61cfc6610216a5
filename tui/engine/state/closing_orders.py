"""Orders that can only close a position, what protects one, and what its end leaves behind.

Engine, screen and web page share these rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from enum import Enum
from typing import NamedTuple

from tui.engine.rows import AlgoRow, Fact, OrderRow
from tui.interface import decimals
from tui.interface.families.algo import WHOLE_OR_PART, AlgoRecord, AlgoState, Condition
from tui.interface.families.orders import PositionSide, Side
from tui.interface.families.positions import PositionRecord
from tui.interface.figures import leg_of, name_side, net_size_of
from tui.interface.symbols import try_parse

Positions = Mapping[str, Fact[PositionRecord]]
"""Open legs by `sym/positionSide`."""


def order_only_closes(sym: str, side: str, position_side: str, *, reduce_only: bool) -> bool:
    """Return whether an order can never open a position: reduce-only, or opposite to its leg in hedge mode.

    Perpetuals alone have positions: what an order on another pair calls itself does not keep it from buying.
    """
    pair = try_parse(sym)
    return pair is not None and pair.is_perp and (reduce_only or (side, position_side) in _CLOSING)


_CLOSING = frozenset([(Side.SELL.value, PositionSide.LONG.value), (Side.BUY.value, PositionSide.SHORT.value)])


def algo_only_closes(record: AlgoRecord) -> bool:
    """Return whether an algo order can only reduce a position."""
    return record.reduce_only == "true" or record.condition_type in WHOLE_OR_PART


def protects(record: AlgoRecord, position: PositionRecord) -> bool:
    """Return whether an algo order can only reduce a position and, once triggered, would reduce this one."""
    return algo_only_closes(record) and _is_against(record.sym, record.side, record.position_side, position)


def ends_with_position(record: AlgoRecord) -> bool:
    """Return whether the service itself ends a protecting algo order when its position is closed."""
    return record.condition_type in WHOLE_OR_PART or bool(record.attached_order_id)


def list_protecting(position: PositionRecord, algos: Iterable[AlgoRow]) -> list[AlgoRow]:
    """List the algo orders that would close a position: first the stops, then the others, each in order of firing.

    Those attached to an order without a fill are left out.
    """
    rows = [row for row in algos if row.seen and protects(row.record, position) and not _waits_for_parent(row)]
    return rows if len(rows) < 2 else sorted(rows, key=lambda row: _rank(row, position))


def _rank(row: AlgoRow, position: PositionRecord) -> tuple[int, Decimal]:
    """Return the sort key for `list_protecting`: stops before other algo orders, each in the order of firing."""
    record, fall = row.record, -1 if _is_long(position) else 1
    if stop := decimals.optional(_stop_of(row, position)):
        return 0, stop * fall
    other = decimals.optional(record.tp_trigger_price) or decimals.optional(record.conditional_trigger_price)
    return (1, -other * fall) if other else (2, decimals.ZERO)


def list_closing(position: PositionRecord, orders: Iterable[OrderRow]) -> list[OrderRow]:
    """List the working orders that can only close this position; the venue cancels them when it has ended."""
    return [
        row
        for row in orders
        if order_only_closes(row.sym, row.side, row.position_side, reduce_only=row.reduce_only)
        and _is_against(row.sym, row.side, row.position_side, position)
    ]


LATE_S = 10.0
"""Longest time by which the positions may be behind the fill of an order, s: a key that gets no pushes has them read."""


def may_have_opened(sym: str, side: str, leg: str, orders: Iterable[OrderRow], now: float) -> bool:
    """Return whether an opposite order filled so recently that the position it opened may not be known yet.

    Args:
        sym: Pair of the order that closes.
        side: Its side.
        leg: Its position side.
        orders: All known orders, the ended ones too.
        now: Monotonic time, s.
    """
    opens = (Side.SELL if side == Side.BUY else Side.BUY).value
    return any(
        (row.sym, row.side) == (sym, opens) and leg in (PositionSide.NONE, row.position_side)
        and now - row.stamp.received < LATE_S and decimals.optional(row.filled) != 0
        for row in orders
    )  # fmt: skip


def has_reducible(sym: str, side: str, positions: Positions) -> bool:
    """Return whether a pair has a position, on any leg, that a reduce-only order of this side would reduce."""
    here = [fact.record for fact in positions.values() if fact.record.sym == sym]
    sizes = [(decimals.optional(record.position_qty), _is_long(record)) for record in here]
    # A size that cannot be read may be one that it closes.
    return any(size is None or (size != 0 and is_long is (side == Side.SELL)) for size, is_long in sizes)


def _waits_for_parent(row: AlgoRow) -> bool:
    return bool(row.record.attached_order_id) and decimals.optional(row.record.order_qty) == 0


def list_stops(position: PositionRecord, algos: Iterable[AlgoRow]) -> list[AlgoRow]:
    """List a position's stops: closing algo orders with a stop price, or a conditional trigger on the losing side.

    A conditional order that closes on the losing side counts as the stop that it is shown as.
    """
    return [row for row in list_protecting(position, algos) if decimals.optional(_stop_of(row, position))]


def closing_size(row: AlgoRow) -> Decimal | None:
    """Return the size that an algo order closes; None: the whole position."""
    if row.record.condition_type == Condition.ENTIRE_CLOSE_POSITION:
        return None
    return decimals.optional(row.record.order_qty) or None


def compute_clipped_size(row: AlgoRow | OrderRow, positions: Positions) -> Decimal | None:
    """Return the size of the position that an order closes if the order is larger, as after a partial close; else None."""
    if isinstance(row, OrderRow):
        size = None if row.final else size_left(row)
        closing = _find_closed(row, positions)
    else:
        size, fact = closing_size(row), positions.get(f"{row.record.sym}/{name_side(row.record.position_side)}")
        closing = fact.record if fact is not None and protects(row.record, fact.record) else None
    if closing is None or size is None:
        return None
    held = abs(decimals.optional(closing.position_qty) or decimals.ZERO)
    return held if decimals.ZERO < held < size else None


def _find_closed(order: OrderRow, positions: Positions) -> PositionRecord | None:
    """Return the open position that a closing order would reduce, whatever the order's size; None if there is none."""
    if not order_only_closes(order.sym, order.side, order.position_side, reduce_only=order.reduce_only):
        return None
    fact = positions.get(f"{order.sym}/{name_side(order.position_side)}")
    is_against = fact is not None and _is_against(order.sym, order.side, order.position_side, fact.record)
    return fact.record if fact is not None and is_against else None


def compute_covered_size(position: PositionRecord, algos: Iterable[AlgoRow]) -> Decimal | None:
    """Return the total size of a position's stops if it is above 0 and less than the position, else None."""
    held, covered = decimals.optional(position.position_qty), decimals.ZERO
    for row in list_stops(position, algos):
        size = closing_size(row)
        if size is None:
            return None
        covered += size
    return covered if held is not None and decimals.ZERO < covered < abs(held) else None


class Triggers(NamedTuple):
    """Trigger prices of a position's stops and targets, without repetition, each in the order of firing."""

    stops: tuple[Decimal, ...]
    """Highest first for a long leg, lowest first for a short one."""
    targets: tuple[Decimal, ...]
    """Lowest first for a long leg, highest first for a short one."""


def sort_triggers(position: PositionRecord, pairs: Iterable[tuple[str, str]]) -> Triggers:
    """Split (stop, target) pairs of trigger prices into sorted stops and targets, each in the order of firing."""
    listed, is_long = list(pairs), _is_long(position)
    stops = {price for stop, _ in listed if (price := decimals.optional(stop))}
    targets = {price for _, target in listed if (price := decimals.optional(target))}
    return Triggers(tuple(sorted(stops, reverse=is_long)), tuple(sorted(targets, reverse=not is_long)))


def list_algo_triggers(position: PositionRecord, algos: Iterable[AlgoRow]) -> Iterator[tuple[str, str]]:
    """Yield (stop, target) pairs of trigger prices of the algo orders that would close a position."""
    for row in list_protecting(position, algos):
        yield _stop_of(row, position), row.record.tp_trigger_price


def list_triggers(
    position: PositionRecord, algos: Iterable[AlgoRow], orders: Iterable[OrderRow]
) -> Iterator[tuple[str, str]]:
    """Yield (stop, target) trigger prices of a position, its algo orders and filled orders; empty or 0 for none.

    Args:
        position: The position.
        algos: Algo orders.
        orders: Working orders of the pair; those with a fill contribute the triggers that went with them.
    """
    for entry in position.tpsl_order:
        if isinstance(entry, dict):
            yield str(entry.get("slTriggerPrice") or ""), str(entry.get("tpTriggerPrice") or "")
    yield from list_algo_triggers(position, algos)
    for order in orders:
        against = _is_against(order.sym, order.side, order.position_side, position)
        in_leg = name_side(order.position_side) == name_side(position.position_side)
        if in_leg and not against and decimals.optional(order.filled):
            yield order.sl_trigger, order.tp_trigger


def _stop_of(row: AlgoRow, position: PositionRecord) -> str:
    """Return an algo order's stop price; a closing conditional order on the losing side counts as a stop."""
    record = row.record
    trigger, entry = decimals.optional(record.conditional_trigger_price), decimals.optional(position.avg_price)
    if trigger is None or entry is None:
        return record.sl_trigger_price
    return record.conditional_trigger_price if (trigger < entry) == (record.side == "SELL") else ""


def reduces_leg(order: OrderRow, positions: Positions) -> bool:
    """Return whether an order can only reduce an open position: it is closing, and no larger than the position."""
    closed = _find_closed(order, positions)
    held = decimals.optional(closed.position_qty) if closed is not None else None
    if held is None or decimals.optional(order.qty) is None:
        return False
    return size_left(order) <= abs(held)


class Owner(Enum):
    """Position or order with which an algo order ends; decides whether a kill of opening orders cancels the algo order."""

    POSITION = "position"
    """It can only reduce an open position: a kill of the entries spares it."""
    ENTRY = "entry"
    """A working order without a fill, to which it is attached: it ends with that, and is not cancelled by itself."""
    NOBODY = "nobody"
    """It can open a position, or what it would close is gone: a kill of the entries cancels it."""


def find_owner(row: AlgoRow, positions: Positions, working: Iterable[OrderRow]) -> Owner:
    """Return whether an algo order ends with an open position, with the order it is attached to, or with neither.

    Args:
        row: The algo order.
        positions: Open legs by `sym/positionSide`.
        working: Working orders.
    """
    if _waits_for_parent(row) and find_parent(row, working) is not None:
        return Owner.ENTRY
    fact = positions.get(f"{row.record.sym}/{name_side(row.record.position_side)}")
    reduces = row.seen and fact is not None and protects(row.record, fact.record) and not _waits_for_parent(row)
    return Owner.POSITION if reduces else Owner.NOBODY


def find_parent(row: AlgoRow, working: Iterable[OrderRow]) -> OrderRow | None:
    """Find the working order to which an algo order is attached; None if there is none."""
    parent = row.record.attached_order_id
    return next((order for order in working if parent and parent in (order.order_id, *order.earlier_ids)), None)


class ReversingOrders(NamedTuple):
    """Orders that stay when a position is closed, and the opposite position that they would then open."""

    algos: list[AlgoRow]
    orders: list[OrderRow]
    leg: str
    """LONG or SHORT."""
    size: Decimal


def find_reversing_orders(
    position: PositionRecord, left: Decimal, algos: Iterable[AlgoRow], orders: Iterable[OrderRow]
) -> ReversingOrders | None:
    """Find the orders that stay when a position is closed and would open the opposite one; None if none would.

    Args:
        position: The position; a leg of hedge mode has no such orders.
        left: Size that is left of it.
        algos: Algo orders.
        orders: Working orders.
    """
    waiting = [row for row in algos if row.state != AlgoState.PROCESSING and would_open(row.record, position)]
    working = [
        row
        for row in orders
        if _is_against(row.sym, row.side, row.position_side, position)
        and not order_only_closes(row.sym, row.side, row.position_side, reduce_only=row.reduce_only)
    ]
    sizes = [decimals.optional(row.record.order_qty) or decimals.ZERO for row in waiting]
    sizes += [size_left(row) for row in working]
    opened = sum(sizes, decimals.ZERO) - left
    if opened <= 0:
        return None
    return ReversingOrders(waiting, working, "SHORT" if _is_long(position) else "LONG", opened)


def find_opened(order: OrderRow, position: Fact[PositionRecord] | None) -> Decimal:
    """Return the quantity by which an order on a perpetual opens a position, fills included; 0 if it only closes.

    Args:
        order: The order.
        position: Newest record of its position, which may already include its fills; None: there was none.
    """
    pair = try_parse(order.sym)
    closes = order_only_closes(order.sym, order.side, order.position_side, reduce_only=order.reduce_only)
    if closes or pair is None or not pair.is_perp:
        return decimals.ZERO
    executed, sign = decimals.optional(order.executed) or decimals.ZERO, 1 if order.side == Side.BUY else -1
    held = decimals.ZERO
    if position is not None:
        held = net_size_of(position.record) or decimals.ZERO
        if position.stamp.update_at >= order.stamp.update_at:
            held -= sign * executed
    total = executed if order.final else decimals.optional(order.qty) or decimals.ZERO
    return max(decimals.ZERO, total - max(decimals.ZERO, -held * sign))


def size_left(order: OrderRow) -> Decimal:
    """Return the size that an order can still fill; 0 where it cannot be read."""
    return (decimals.optional(order.qty) or decimals.ZERO) - (decimals.optional(order.filled) or decimals.ZERO)


def would_open(record: AlgoRecord, position: PositionRecord) -> bool:
    """Return whether an algo order reduces this position now, but would open the opposite one once it is closed."""
    return can_open(record) and _is_against(record.sym, record.side, record.position_side, position)


def can_open(record: AlgoRecord) -> bool:
    """Return whether an algo order can open a position."""
    return not algo_only_closes(record) and not order_only_closes(
        record.sym, record.side, record.position_side, reduce_only=False
    )


def _is_against(sym: str, side: str, position_side: str, position: PositionRecord) -> bool:
    """Return whether an order of this pair, side and leg is opposite to an open position."""
    held = decimals.optional(position.position_qty)
    if (sym, name_side(position_side)) != (position.sym, name_side(position.position_side)) or not held:
        return False
    return (side == "SELL") == _is_long(position)


def _is_long(position: PositionRecord) -> bool:
    """Return whether a position is long: by its leg, or by the sign of its size."""
    return leg_of(position) == "LONG"


def is_orphan(row: AlgoRow, positions: Positions, working: Iterable[OrderRow]) -> bool:
    """Return whether an open algo order is an orphan: the position that it closes, or once would have reduced, is gone.

    Args:
        row: The algo order.
        positions: Open legs by `sym/positionSide`.
        working: Working orders; the parent of an attached algo order may still open its position.
    """
    record = row.record
    parts = try_parse(record.sym)
    if not row.seen or record.order_state == "PROCESSING" or parts is None or not parts.is_perp:
        return False
    if not algo_only_closes(record) and not row.had_position:
        return False
    if faces_position(record, positions):
        return False
    return find_parent(row, working) is None


def meets_first_position(row: AlgoRow, positions: Positions) -> bool:
    """Return whether an algo order that can also open has, for the first time, an open position that it would reduce."""
    return (
        row.seen and not row.had_position and not algo_only_closes(row.record) and faces_position(row.record, positions)
    )


def faces_position(record: AlgoRecord, positions: Positions) -> bool:
    """Return whether a position is open that an algo order would reduce."""
    fact = positions.get(f"{record.sym}/{name_side(record.position_side)}")
    return fact is not None and _is_against(record.sym, record.side, record.position_side, fact.record)
