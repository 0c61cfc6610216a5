"""Desk as the web page reads it: with the stops of each position, which no record of programs has."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from tui.engine.rows import AlgoRow, Fact, OrderRow, Table
from tui.engine.state.closing_orders import compute_covered_size, list_triggers, sort_triggers
from tui.interface.families.positions import PositionRecord
from tui.programs.desk_reader import DeskReader
from tui.programs.records import Position, read_position


class Stops(msgspec.Struct, frozen=True):
    """Stop prices that protect a position, and whether they cover only a part of it."""

    prices: tuple[Decimal, ...] = ()
    """Trigger prices, without repetition, the first to fire first."""
    is_part: bool = False
    """Whether they close only a part of the position."""


class WatchedDesk(DeskReader):
    """Read-only connection to a desk, which also knows the stops of positions."""

    def stops_of(self, position: Position) -> Stops:
        """Return a position's stops: of algo orders, its own record, and attached to orders with a fill; empty if closed."""
        facts: list[Fact[PositionRecord]] = list(self._tables[Table.POSITIONS].values())
        for fact in facts:
            held = read_position(fact)
            if (held.sym, held.side) == (position.sym, position.side) and held.size:
                return self._read_stops(fact.record)
        return Stops()

    def _read_stops(self, record: PositionRecord) -> Stops:
        algos: list[AlgoRow] = list(self._tables[Table.ALGOS].values())
        orders: list[OrderRow] = list(self._tables[Table.ORDERS].values())
        working = (order for order in orders if order.sym == record.sym and order.working)
        prices = sort_triggers(record, list_triggers(record, algos, working)).stops
        return Stops(prices, compute_covered_size(record, algos) is not None)
