"""The lists of the history: what each takes of the question, and where it is read."""

from __future__ import annotations

from collections.abc import Iterator

from tui.engine.service_query import Lookup, QuerySource, ServiceQuery
from tui.interface.parameters import ID_DIGITS
from tui.interface.request import CLIENT_ORDER_ID, ORDER_ID
from tui.interface.symbols import BusinessType
from tui.interface.text import how_many
from tui.workstation.features.history.asked import WEEK_MS, HistoryAsk, Window
from tui.workstation.widgets.lists.tab import QueryTab

FILTERS = {
    "exchange": "exchange", "business": "businessType", "statement_type": "statementType", "coin": "coin",
    "executed": "filterExecuted",
}  # fmt: skip
"""Parameters of the service by the filters of the question."""


class HistoryTab(QueryTab, frozen=True, kw_only=True):
    """A list over a window of time; recent rows come from its endpoint, those older than a week from its archive."""

    filters: tuple[str, ...]
    """The filters that it takes, by their names in the question."""
    archive: str = ""
    """Row of the catalogue with the older rows; empty: its endpoint lists all of them."""
    row_id: tuple[str, ...] = ()
    """Fields that tell rows apart."""
    window: tuple[str, str] = ("begin", "end")
    """Parameters of the first and last time, ms."""
    sym_param: str = "sym"
    whole_days: bool = False
    """Whether it counts whole days, and not the present one."""
    lists_orders: bool = False
    """Whether its rows are orders, so that one is looked up by its id."""
    of_orders: bool = False
    """Whether the rows of one order can be asked for."""

    def takes_order(self, ask: HistoryAsk) -> bool:
        """Whether the question is about one order, and the list can answer it."""
        return bool(ask.order) and (self.lists_orders or self.of_orders)

    def filter_values(self, ask: HistoryAsk) -> dict[str, str]:
        """What the list is narrowed to, by parameter."""
        values = {FILTERS[name]: str(getattr(ask, name) or "") for name in self.filters}
        if self.whole_days and values["businessType"] == BusinessType.MARGIN:
            values["businessType"] = BusinessType.SPOT
        return {name: value.replace("True", "true") for name, value in values.items() if value}

    def describe(self, ask: HistoryAsk) -> str:
        """What of the question counts for the list, in words."""
        if self.takes_order(ask):
            return f"order {ask.order}"
        window = f"{ask.first_day}..{ask.last_day}" if ask.window is Window.OWN else ask.window.value
        if self.whole_days and ask.window in (Window.TODAY, Window.WEEK):
            window = f"{Window.WEEK.value} before today"
        pairs = ask.sym.count(",") + 1
        sym = ask.sym if pairs == 1 else how_many(pairs, "pair")
        values = self.filter_values(ask)
        only = "only executed" if values.pop("filterExecuted", "") else ""
        return " · ".join(word for word in (window, sym, *values.values(), only) if word)

    def build_query(self, key: str, ask: HistoryAsk, now_ms: int) -> ServiceQuery:
        """What has to be read of a list for a question. `now_ms`: the service's time."""
        missing = f"no order has the id {ask.order}"
        if self.lists_orders and ask.order:
            return ServiceQuery(key=key, sources=(_order_source(ask.order),), own_only=True, missing=missing)
        lookup = Lookup(_order_source(ask.order), "order_id", ORDER_ID) if self.takes_order(ask) else None
        return ServiceQuery(
            key=key, sources=tuple(self._sources(ask, now_ms)), row_id=self.row_id, own_only=not self.whole_days,
            missing=missing, lookup=lookup,
        )  # fmt: skip

    def _sources(self, ask: HistoryAsk, now_ms: int) -> Iterator[QuerySource]:
        """Endpoints and archives of each pair, the newest rows of all pairs first."""
        begin, end = ask.span(now_ms, whole_days=self.whole_days, of_order=self.takes_order(ask))
        syms = (ask.sym,) if self.whole_days else tuple(ask.sym.split(","))
        border = now_ms - WEEK_MS if self.archive else 0
        if not end or end >= border:
            # A window must begin before it ends, also one that ends at the very border by another clock.
            since = min(max(begin, border), end - 1) if end else max(begin, border)
            yield from (self._source(self.endpoint, ask, sym, since, end) for sym in syms)
        if begin < border:
            yield from (self._source(self.archive, ask, sym, begin, end) for sym in syms)

    def _source(self, endpoint: str, ask: HistoryAsk, sym: str, begin: int, end: int) -> QuerySource:
        times = {self.window[0]: str(begin), self.window[1]: str(end) if end else ""}
        params = {self.sym_param: sym, **self.filter_values(ask), **times}
        return QuerySource(endpoint, tuple((name, text) for name, text in params.items() if text))


def _order_source(order: str) -> QuerySource:
    """An order by either of its ids: sixteen digits are taken for the service's first."""
    by_client_id = QuerySource("order_detail", ((CLIENT_ORDER_ID, order),))
    if len(order) != ID_DIGITS or not order.isdecimal():
        return by_client_id
    return QuerySource("order_detail", ((ORDER_ID, order),), fallback=by_client_id)
