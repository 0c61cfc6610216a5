"""Lists of the service that reach into the past, and the endpoints that hold their rows of a time window. Times in ms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from tui.engine.service_query import QuerySource
from tui.interface.endpoint import Endpoint
from tui.interface.families.algo import ALGO_HISTORY
from tui.interface.families.history import (
    EXECUTIONS_ARCHIVE,
    EXECUTIONS_PAGED,
    PORTFOLIO_TRADING_STATS,
    STATEMENT,
)
from tui.interface.families.orders import ORDER_ARCHIVE, ORDER_HISTORY
from tui.interface.families.positions import POSITION_HISTORY
from tui.rules.bookings import compute_booking_amount, compute_closed_net
from tui.rules.pnl import fill_net

DAY_MS = 86_400_000
WEEK_MS = 7 * DAY_MS
"""Age up to which endpoints list rows, ms; older rows are in the archives."""
REACH_DAYS = 90
REACH_MS = REACH_DAYS * DAY_MS
"""Age up to which a service lists rows, ms."""


class PastList(msgspec.Struct, frozen=True, kw_only=True):
    """List over a time window; rows older than a week are read from the archive endpoint, if there is one."""

    endpoint: Endpoint
    archive: Endpoint | None = None
    """Endpoint of the archive; None: its endpoint lists all rows."""
    row_id: tuple[str, ...] = ()
    """Fields that identify a row."""
    window: tuple[str, str] = ("begin", "end")
    """Parameters of the first and last time."""
    sym_param: str = "sym"
    computed: Mapping[str, Callable[[Any], Decimal]] = {}
    """Figures that files have behind the fields of a record, unrounded, by column."""

    def sources(
        self, begin: int, end: int, now_ms: int, syms: Sequence[str], filters: Mapping[str, str]
    ) -> Iterator[QuerySource]:
        """Yield the endpoints and archives to read for each pair; recent rows of all pairs come first.

        Args:
            begin: First time.
            end: Last time; 0: up to now.
            now_ms: Service time.
            syms: Pairs; one empty text: all pairs.
            filters: Further parameters.
        """
        border = now_ms - WEEK_MS if self.archive is not None else 0
        if not end or end >= border:
            # A window must begin before it ends, even if by another clock it ends exactly at the border.
            since = min(max(begin, border), end - 1) if end else max(begin, border)
            yield from (self._source(self.endpoint, sym, since, end, filters) for sym in syms)
        if self.archive is not None and begin < border:
            yield from (self._source(self.archive, sym, begin, end, filters) for sym in syms)

    def _source(self, endpoint: Endpoint, sym: str, begin: int, end: int, filters: Mapping[str, str]) -> QuerySource:
        times = {self.window[0]: str(begin), self.window[1]: str(end) if end else ""}
        params = {self.sym_param: sym, **filters, **times}
        return QuerySource(endpoint.name, tuple((name, text) for name, text in params.items() if text))


ORDERS = PastList(endpoint=ORDER_HISTORY, archive=ORDER_ARCHIVE, row_id=("order_id",))
# A live service gives transaction ids again, so a fill is known by its order too.
FILLS = PastList(
    endpoint=EXECUTIONS_PAGED, archive=EXECUTIONS_ARCHIVE, row_id=("transaction_id", "order_id"),
    computed={"net": fill_net},
)  # fmt: skip
CLOSED_POSITIONS = PastList(
    endpoint=POSITION_HISTORY, row_id=("position_id", "update_at"), computed={"net": compute_closed_net}
)
STATEMENT_ROWS = PastList(
    endpoint=STATEMENT, row_id=("statement_id",), window=("startTime", "endTime"),
    computed={"booked": compute_booking_amount},
)  # fmt: skip
ENDED_ALGOS = PastList(endpoint=ALGO_HISTORY, row_id=("algo_order_id",))
VOLUME = PastList(endpoint=PORTFOLIO_TRADING_STATS, sym_param="symList")
