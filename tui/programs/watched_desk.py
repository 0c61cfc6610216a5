"""Desk as the web page reads it: with the stops of each position, which no record of programs has."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import msgspec

from tui.engine.rows import AlgoRow, Table
from tui.engine.state.algo_table import record_triggers
from tui.engine.state.closing_orders import protects
from tui.interface.decimals import ZERO, optional
from tui.interface.families.algo import STOP_LOSS, Condition
from tui.interface.families.positions import PositionRecord
from tui.programs.desk_reader import DeskReader
from tui.programs.records import Position, read_position


class Stops(msgspec.Struct, frozen=True):
    """Stops of a position, as the desk shows them."""

    prices: tuple[Decimal, ...] = ()
    """Trigger prices, without repetition."""
    is_part: bool = False
    """Whether they close only a part of the position."""


class WatchedDesk(DeskReader):
    """Connection to a desk that is only watched."""

    def stops_of(self, position: Position) -> Stops:
        """Return the stops of a position: of algo orders, of the record itself, and attached to orders with a fill."""
        for fact in self._tables[Table.POSITIONS].values():
            held = read_position(fact)
            if (held.sym, held.side) == (position.sym, position.side) and held.size:
                prices = dict.fromkeys(price for text in self._stop_texts(fact.record) if (price := optional(text)))
                return Stops(tuple(prices), self._close_part(fact.record, abs(held.size)))
        return Stops()

    def _protecting(self, record: PositionRecord) -> list[AlgoRow]:
        """List the algo orders that would close a position, except those that wait for the first fill of their order."""
        algos: list[AlgoRow] = list(self._tables[Table.ALGOS].values())
        return [row for row in algos if row.seen and protects(row.record, record) and not _waits(row)]

    def _stop_texts(self, record: PositionRecord) -> Iterator[str]:
        for entry in record.tpsl_order:
            if isinstance(entry, dict):
                yield str(entry.get("slTriggerPrice") or "")
        for row in self._protecting(record):
            yield _stop_of(row, record)
        for order in self._tables[Table.ORDERS].values():
            if (order.sym, order.position_side) == (record.sym, record.position_side) and order.working:
                yield order.sl_trigger if optional(order.executed) else ""

    def _close_part(self, record: PositionRecord, held: Decimal) -> bool:
        """Return whether the algo orders with a stop close less than the whole position."""
        rows = [row for row in self._protecting(record) if STOP_LOSS in record_triggers(row.record)]
        sizes = [
            None
            if row.record.condition_type == Condition.ENTIRE_CLOSE_POSITION
            else optional(row.record.order_qty) or None
            for row in rows
        ]
        covered = sum((size for size in sizes if size is not None), ZERO)
        return None not in sizes and ZERO < covered < held


def _waits(row: AlgoRow) -> bool:
    return bool(row.record.attached_order_id) and optional(row.record.order_qty) == 0


def _stop_of(row: AlgoRow, position: PositionRecord) -> str:
    """Return an algo order's stop price; a closing conditional order on the losing side counts as a stop."""
    record = row.record
    trigger, entry = optional(record.conditional_trigger_price), optional(position.avg_price)
    if trigger is None or entry is None:
        return record.sl_trigger_price
    return record.conditional_trigger_price if (trigger < entry) == (record.side == "SELL") else ""
