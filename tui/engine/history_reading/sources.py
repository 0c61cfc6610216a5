"""Where a list of the history is read: recent rows from one endpoint, those older than a week from its archive."""

from __future__ import annotations

from typing import Any, NamedTuple

from tui.engine.history import HistoryKind, HistoryQuery
from tui.interface.endpoint import Endpoint
from tui.interface.families.algo import ALGO_HISTORY
from tui.interface.families.history import EXECUTIONS_ARCHIVE, EXECUTIONS_PAGED, STATEMENT
from tui.interface.families.orders import ORDER_ARCHIVE, ORDER_HISTORY
from tui.interface.families.positions import POSITION_HISTORY
from tui.interface.requests import history_filters

DAY_MS = 86_400_000
RECENT_MS = 7 * DAY_MS
REACH_MS = 90 * DAY_MS
"""How far back the lists reach."""
SLACK_MS = 60_000
"""A window of seven days may begin that much before them: screen and engine read their clocks one after the other."""

_RECENT = {HistoryKind.ORDERS: ORDER_HISTORY, HistoryKind.FILLS: EXECUTIONS_PAGED}
_ARCHIVES = {HistoryKind.ORDERS: ORDER_ARCHIVE, HistoryKind.FILLS: EXECUTIONS_ARCHIVE}
_WHOLE = {HistoryKind.CLOSED: POSITION_HISTORY, HistoryKind.STATEMENT: STATEMENT, HistoryKind.ALGOS: ALGO_HISTORY}
_ID_OF = {
    HistoryKind.ORDERS: "order_id",
    HistoryKind.FILLS: "transaction_id",
    HistoryKind.STATEMENT: "statement_id",
    HistoryKind.ALGOS: "algo_order_id",
}


class HistorySource(NamedTuple):
    """One endpoint with its parameters, page and size left out."""

    endpoint: Endpoint
    params: dict[str, str]

    @property
    def is_archive(self) -> bool:
        return "/archive/" in self.endpoint.path

    @property
    def key(self) -> str:
        """What it is told apart by from the other sources of its list."""
        return f"{self.endpoint.name} {self.params.get('sym', '')}"


def sources_of(query: HistoryQuery, order_id: str, now_ms: int) -> list[HistorySource]:
    """What is read for a query, the newest rows of all its pairs first.

    Args:
        query: The list.
        order_id: The service's id of the order it asks for, or empty.
        now_ms: The service's time.
    """
    by_pair = [_sources_of_pair(query, sym, order_id, now_ms) for sym in query.sym.split(",")]
    return sorted((one for sources in by_pair for one in sources), key=lambda source: source.is_archive)


def _sources_of_pair(query: HistoryQuery, sym: str, order_id: str, now_ms: int) -> list[HistorySource]:
    filters = history_filters(
        query.kind.value, sym=sym, exchange=query.exchange, word=query.word, coin=query.coin,
        executed=query.executed, order_id=order_id,
    )  # fmt: skip
    begin, border = max(query.begin_ms, now_ms - REACH_MS), now_ms - RECENT_MS
    if query.kind in _WHOLE:
        return [HistorySource(_WHOLE[query.kind], {**filters, **_window(query.kind, begin, query.end_ms)})]
    found = []
    if not query.end_ms or query.end_ms >= border:
        # A window must begin before it ends, also one that ends at the very border by another clock.
        since = min(max(begin, border), query.end_ms - 1) if query.end_ms else max(begin, border)
        found.append(HistorySource(_RECENT[query.kind], {**filters, **_window(query.kind, since, query.end_ms)}))
    if begin < border - SLACK_MS:
        found.append(HistorySource(_ARCHIVES[query.kind], {**filters, **_window(query.kind, begin, query.end_ms)}))
    return found


def _window(kind: HistoryKind, begin: int, end: int) -> dict[str, str]:
    names = ("startTime", "endTime") if kind is HistoryKind.STATEMENT else ("begin", "end")
    return {names[0]: str(begin)} | ({names[1]: str(end)} if end else {})


def row_id(kind: HistoryKind, row: Any) -> str:
    """What a row is known by, so that one that two pages or two endpoints list is shown once."""
    if kind is HistoryKind.CLOSED:
        # A position that was closed in parts has a row for each of them.
        return f"{row.position_id}/{row.update_at}"
    return str(getattr(row, _ID_OF[kind]))
