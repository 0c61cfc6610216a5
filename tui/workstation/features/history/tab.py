"""Lists of the history: which filters each supports, and from which endpoint it is read."""

from __future__ import annotations

from collections.abc import Iterator

from tui.engine.service_query import Lookup, QuerySource, ServiceQuery
from tui.interface.parameters import ID_DIGITS
from tui.interface.request import CLIENT_ORDER_ID, ORDER_ID
from tui.interface.symbols import BusinessType
from tui.interface.text import how_many
from tui.workstation.features.history.history_query import WEEK_MS, HistoryQuery, Window
from tui.workstation.widgets.lists.tab import QueryTab

FILTERS = {
    "exchange": "exchange", "business": "businessType", "statement_type": "statementType", "coin": "coin",
    "executed": "filterExecuted",
}  # fmt: skip
"""Parameter of the service by field of the query."""


class HistoryTab(QueryTab, frozen=True, kw_only=True):
    """List over a time window; rows older than a week are read from the archive endpoint, if there is one."""

    filters: tuple[str, ...]
    """Fields of the query that it takes as filters."""
    archive: str = ""
    """Catalogue name of the archive; empty: its endpoint lists all rows."""
    row_id: tuple[str, ...] = ()
    """Fields that identify a row."""
    window: tuple[str, str] = ("begin", "end")
    """Parameters of the first and last time, ms."""
    sym_param: str = "sym"
    whole_days: bool = False
    """Whether it covers whole days, without the present one."""
    lists_orders: bool = False
    """Whether its rows are orders, found by id."""
    of_orders: bool = False
    """Whether it can list the rows of one order."""

    def takes_order(self, query: HistoryQuery) -> bool:
        """Return whether the query is for a single order, and the list supports that."""
        return bool(query.order) and (self.lists_orders or self.of_orders)

    def filter_values(self, query: HistoryQuery) -> dict[str, str]:
        """Return the list's filters, by request parameter."""
        values = {FILTERS[name]: str(getattr(query, name) or "") for name in self.filters}
        if self.whole_days and values["businessType"] == BusinessType.MARGIN:
            values["businessType"] = BusinessType.SPOT
        return {name: value.replace("True", "true") for name, value in values.items() if value}

    def describe_query(self, query: HistoryQuery) -> str:
        """Describe the part of the query that applies to this list."""
        if self.takes_order(query):
            return f"order {query.order}"
        window = f"{query.first_day}..{query.last_day}" if query.window is Window.OWN else query.window.value
        if self.whole_days and query.window in (Window.TODAY, Window.WEEK):
            window = f"{Window.WEEK.value} before today"
        pairs = query.sym.count(",") + 1
        sym = query.sym if pairs == 1 else how_many(pairs, "pair")
        values = self.filter_values(query)
        only = "only executed" if values.pop("filterExecuted", "") else ""
        return " · ".join(word for word in (window, sym, *values.values(), only) if word)

    def build_query(self, key: str, query: HistoryQuery, now_ms: int) -> ServiceQuery:
        """Build the service query of the list; `now_ms` is the service's time."""
        missing = f"no order has the id {query.order}"
        if self.lists_orders and query.order:
            return ServiceQuery(key=key, sources=(_order_source(query.order),), own_only=True, missing=missing)
        lookup = Lookup(_order_source(query.order), "order_id", ORDER_ID) if self.takes_order(query) else None
        return ServiceQuery(
            key=key, sources=tuple(self._sources(query, now_ms)), row_id=self.row_id, own_only=not self.whole_days,
            missing=missing, lookup=lookup,
        )  # fmt: skip

    def _sources(self, query: HistoryQuery, now_ms: int) -> Iterator[QuerySource]:
        """Yield the endpoints and archives to read for each pair; recent rows of all pairs come first."""
        begin, end = query.span(now_ms, whole_days=self.whole_days, of_order=self.takes_order(query))
        syms = (query.sym,) if self.whole_days else tuple(query.sym.split(","))
        border = now_ms - WEEK_MS if self.archive else 0
        if not end or end >= border:
            # A window must begin before it ends, even if by another clock it ends exactly at the border.
            since = min(max(begin, border), end - 1) if end else max(begin, border)
            yield from (self._source(self.endpoint, query, sym, since, end) for sym in syms)
        if begin < border:
            yield from (self._source(self.archive, query, sym, begin, end) for sym in syms)

    def _source(self, endpoint: str, query: HistoryQuery, sym: str, begin: int, end: int) -> QuerySource:
        times = {self.window[0]: str(begin), self.window[1]: str(end) if end else ""}
        params = {self.sym_param: sym, **self.filter_values(query), **times}
        return QuerySource(endpoint, tuple((name, text) for name, text in params.items() if text))


def _order_source(order: str) -> QuerySource:
    """Return the query of an order by either id; sixteen digits are tried as the service's order id first."""
    by_client_id = QuerySource("order_detail", ((CLIENT_ORDER_ID, order),))
    if len(order) != ID_DIGITS or not order.isdecimal():
        return by_client_id
    return QuerySource("order_detail", ((ORDER_ID, order),), fallback=by_client_id)
