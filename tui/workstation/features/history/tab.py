"""Lists of the history: which filters each supports, and what is read for a query."""

from __future__ import annotations

from tui.engine.service_query import Lookup, QuerySource, ServiceQuery
from tui.engine.service_reading.past_lists import PastList
from tui.interface.parameters import ID_DIGITS
from tui.interface.request import CLIENT_ORDER_ID, ORDER_ID
from tui.interface.symbols import BusinessType
from tui.interface.text import how_many
from tui.workstation.features.history.history_query import HistoryQuery, Window
from tui.workstation.widgets.lists.tab import QueryTab

FILTERS = {
    "exchange": "exchange", "business": "businessType", "statement_type": "statementType", "coin": "coin",
    "executed": "filterExecuted",
}  # fmt: skip
"""Parameter of the service by field of the query."""


class HistoryTab(QueryTab, frozen=True, kw_only=True):
    """List over a time window."""

    past: PastList
    """Sources of its rows."""
    filters: tuple[str, ...]
    """Fields of the query that it takes as filters."""
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
        begin, end = query.span(now_ms, whole_days=self.whole_days, of_order=self.takes_order(query))
        syms = (query.sym,) if self.whole_days else tuple(query.sym.split(","))
        return ServiceQuery(
            key=key, sources=tuple(self.past.sources(begin, end, now_ms, syms, self.filter_values(query))),
            row_id=self.past.row_id, own_only=not self.whole_days, missing=missing, lookup=lookup,
        )  # fmt: skip


def _order_source(order: str) -> QuerySource:
    """Return the query of an order by either id; sixteen digits are tried as the service's order id first."""
    by_client_id = QuerySource("order_detail", ((CLIENT_ORDER_ID, order),))
    if len(order) != ID_DIGITS or not order.isdecimal():
        return by_client_id
    return QuerySource("order_detail", ((ORDER_ID, order),), fallback=by_client_id)
