"""Ends of orders that a login finds missing from the list of open orders; they are read before the desk is in step."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence

from tui.client.rest import CallFailed, Rest
from tui.engine.orders.unknown_resolver import HISTORY_BACK_MS, HISTORY_MS, since
from tui.engine.rows import OrderRow, Source
from tui.engine.state import order_fold, order_requests
from tui.engine.state.engine_state import EngineState
from tui.interface.errors import ErrorClass
from tui.interface.families.orders import ORDER_DETAIL, ORDER_HISTORY

MOST_SINGLE = 5
"""Most ends that are read one by one; of more, the history of their pairs is read first."""
MOST_S = 2.0
"""Longest time for which the ends keep the desk out of step, s."""


class OrderEnds:
    """Reader that finds out how orders ended that are missing from the list of open orders."""

    def __init__(self, state: EngineState, rest: Rest, query_now: Callable[[str], None]) -> None:
        """Initialize the reader; `query_now` is called with the row key of an order to query soon."""
        self._state = state
        self._rest = rest
        self._query_now = query_now

    async def read(self, missing: Sequence[OrderRow]) -> None:
        """Read and apply how missing orders ended; one whose end cannot be read becomes UNKNOWN and is queried further."""
        left = {row.key: row for row in missing}
        why = f"no longer in the list of open orders, and its end could not be read within {MOST_S:g} s"
        try:
            async with asyncio.timeout(MOST_S):
                if len(left) > MOST_SINGLE:
                    await self._read_history(left)
                await asyncio.gather(*(self._read_one(row, left) for row in list(left.values())))
        except TimeoutError:
            pass
        else:
            why = "no longer in the list of open orders, and its end could not be read"
        for row in left.values():
            self._lose(row, why)

    def _lose(self, row: OrderRow, why: str) -> None:
        """Mark an order as UNKNOWN and query it, unless a record of it has arrived meanwhile."""
        orders = self._state.orders
        if orders.rows[row.key].stamp is row.stamp:
            orders.mark_unknown(row.key, why, self._state.clock.mono(), vanished=True)
            self._query_now(row.key)

    async def _read_history(self, left: dict[str, OrderRow]) -> None:
        """Read the order histories of the missing orders' pairs; remove from `left` the orders whose end is listed."""
        now_ms = int(self._state.clock.wall() * 1000)
        pairs: dict[str, list[OrderRow]] = defaultdict(list)
        for row in left.values():
            pairs[row.sym].append(row)
        for sym, rows in pairs.items():
            begin = max(min(row.create_at for row in rows) - HISTORY_BACK_MS, now_ms - HISTORY_MS, 0)
            ours = {row.order_id: row for row in rows}
            try:
                records, _ = await self._rest.read_all_pages(ORDER_HISTORY, since(sym, begin), reserved=True)
            except CallFailed:
                continue  # they are read one by one
            for record in records:
                listed = ours.get(record.order_id)
                if listed is not None and not order_fold.is_namesake(record, listed):
                    self._state.fold_order(record, Source.QUERY)
                    left.pop(listed.key, None)

    async def _read_one(self, row: OrderRow, left: dict[str, OrderRow]) -> None:
        wanted = order_requests.find_order(row.order_id, row.client_order_id)
        try:
            record = (await self._rest.call(ORDER_DETAIL, wanted, reserved=True)).data
        except CallFailed as failure:
            if failure.kind is ErrorClass.GONE:
                self._lose(left.pop(row.key), "no longer found at the venue")
            return
        self._state.fold_order(record, Source.QUERY, asked=row)
        if not order_fold.is_namesake(record, row):
            left.pop(row.key, None)
