"""Rows that a line means: the order or the positions that it names, or those that a cursor and marks stand for."""

from __future__ import annotations

import msgspec

from tui.engine.rows import AlgoRow, OrderRow
from tui.interface.families.positions import PositionRecord
from tui.interface.figures import leg_of, size_of
from tui.interface.symbols import is_in_scope, try_parse
from tui.workstation.command_line.grammar.canonical import write_command
from tui.workstation.command_line.grammar.refusals import Code, LineRefused
from tui.workstation.command_line.grammar.syntax import (
    WHOLE_SCOPES,
    BreakEven,
    Close,
    Command,
    Leg,
    MoveTrigger,
    OneOrder,
    Protect,
    Reverse,
    Scope,
)
from tui.workstation.command_line.levels import list_positions
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name

SEVERAL_LEGS = ("all", "longs", "shorts")
"""Words for positions of several pairs."""
LegCommand = Close | Reverse | BreakEven | MoveTrigger | Protect
"""Commands about positions."""
NO_ROW = "no order is under the cursor"
NO_CURSOR = (
    "here means the row under the cursor, and there is no cursor: write last, or # and the beginning or end of an id"
)
NO_LAST = (
    "none of your orders is working: last is one that works already while you type, not one that the same line places"
)


class Cursor(msgspec.Struct, frozen=True):
    """Rows that a command line can mean without naming them, such as the order under the cursor."""

    sym: str = ""
    order: str = ""
    """Row key of the order under the cursor."""
    position: str = ""
    """Row key of the position under the cursor."""
    last: str = ""
    """Row key of the newest own working order."""
    newest: str = ""
    """Row key of the newest own order, one that has ended included."""
    marked: tuple[str, ...] = ()
    """Row keys of the marked orders that work."""
    has_rows: bool = False
    """Whether there are rows to point at: the workstation has them, a shell and plain mode have none."""


def find_order(named: OneOrder, view: DisplayContext, cursor: Cursor) -> OrderRow:
    """Return the order that a command refers to: under the cursor, last sent, or by the beginning or end of its id.

    Raises:
        LineRefused: It names none, or several.
    """
    orders = view.mirror.orders
    if named.word:
        key = cursor.order if named.word == "here" else cursor.last
        if key not in orders:
            no_row = NO_ROW if cursor.has_rows else NO_CURSOR
            raise LineRefused(Code.NO_ORDER, no_row if named.word == "here" else NO_LAST)
        return orders[key]
    matching = [
        order
        for order in orders.values()
        if any(
            part.startswith(named.part) or part.endswith(named.part) for part in (order.client_order_id, order.order_id)
        )
    ]
    if not matching:
        raise LineRefused(Code.NO_ORDER, f"no order has an id that begins or ends with {named.part}")
    if len(matching) > 1:
        raise LineRefused(
            Code.SEVERAL_ORDERS, f"{len(matching)} orders have {named.part} in their id; write more of it"
        )
    return matching[0]


def find_legs(command: LegCommand, view: DisplayContext, cursor: Cursor) -> list[PositionRecord]:
    """Return the open positions that a command refers to: all, all longs or shorts, or a single one.

    Raises:
        LineRefused: There is none, or a symbol has two legs and the line names neither.
    """
    leg = command.leg
    if leg.word in SEVERAL_LEGS:
        wanted = {"longs": "LONG", "shorts": "SHORT"}.get(leg.word, "")
        records = [fact.record for fact in view.mirror.positions.values() if size_of(fact.record)]
        legs = [record for record in records if wanted in ("", leg_of(record))]
        if not legs:
            raise LineRefused(Code.LEG_EMPTY, "there is no such position")
        return legs
    if leg.word == "here":
        fact = view.mirror.positions.get(cursor.position)
        if fact is not None and size_of(fact.record):
            return [fact.record]
        if not cursor.sym:
            why = "no position is under the cursor" if cursor.has_rows else _ask_for_position(command, view)
            raise LineRefused(Code.LEG_EMPTY, why)
    sym = leg.sym or cursor.sym
    legs = [record for record in list_positions(sym, view) if leg.side.upper() in ("", leg_of(record))]
    if not legs:
        raise LineRefused(
            Code.LEG_EMPTY, f"there is no {leg.side + ' ' if leg.side else ''}position in {full_name(sym)}"
        )
    if len(legs) > 1:
        raise LineRefused(Code.TWO_READINGS, f"{full_name(sym)} has a long and a short leg: add long or short")
    return legs


def _ask_for_position(command: LegCommand, view: DisplayContext) -> str:
    """Say that a command needs a pair, with an open position as example, or that no position is open."""
    open_now = (fact.record for fact in view.mirror.positions.values() if size_of(fact.record))
    record = next(open_now, None)
    if record is None:
        return "no position is open"
    several = len(list_positions(record.sym, view)) > 1
    named = Leg(sym=full_name(record.sym), side=leg_of(record).lower() if several else "")
    example = write_command(msgspec.structs.replace(command, leg=named))
    return f"which position? there is no cursor to choose it: write its pair, such as {example}"


def list_scope(scope: Scope, view: DisplayContext, cursor: Cursor) -> list[OrderRow]:
    """List the working orders that belong to a scope, such as a side, pair, coin or venue."""
    orders = view.mirror.working()
    if scope.word == "marks":
        return [order for order in orders if order.key in cursor.marked]
    if scope.word in ("bids", "asks"):
        side = "BUY" if scope.word == "bids" else "SELL"
        return [order for order in orders if order.sym == scope.name and order.side == side]
    return [order for order in orders if _is_in(scope, order.sym)]


def list_algo_scope(scope: Scope, view: DisplayContext) -> list[AlgoRow]:
    """List the algo orders that belong to the scope of a cancel: a pair, coin, venue or portfolio; none for other scopes."""
    if scope.word not in WHOLE_SCOPES:
        return []
    return [row for row in view.mirror.algos.values() if _is_in(scope, row.record.sym)]


def _is_in(scope: Scope, sym: str) -> bool:
    """Return whether a pair belongs to a scope of a pair, a coin, a venue or the portfolio."""
    if scope.word == "coin":
        parts = try_parse(sym)
        return parts is not None and parts.base == scope.name
    return is_in_scope(sym, scope.name if scope.word == "venue" else "", scope.name if scope.word == "sym" else "")


def closes_several(command: Command) -> bool:
    """Return whether a command closes all positions, all longs or all shorts."""
    return isinstance(command, Close) and command.leg.word in SEVERAL_LEGS
