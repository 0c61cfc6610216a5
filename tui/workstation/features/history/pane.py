"""History pane: six lists that share one query; each is read when it is opened."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

import msgspec

from tui.engine.service_query import QuerySource, ReadState, ServiceQuery
from tui.workstation.features.history.algo_tab import ALGOS
from tui.workstation.features.history.booked_tabs import (
    CLOSED,
    STATEMENT,
    USER_VOLUME,
    VOLUME,
    build_other_queries,
)
from tui.workstation.features.history.history_query import HistoryQuery
from tui.workstation.features.history.tab import HistoryTab
from tui.workstation.features.history.trade_tabs import FILLS, ORDERS
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.widgets.lists.query_pane import QueryPane
from tui.workstation.widgets.lists.tab import ListTab, QueryTab


class HistoryPane(QueryPane):
    """Pane with the lists of the history."""

    id: ClassVar[str] = "history"
    title: ClassVar[str] = "History"
    tabs: ClassVar[tuple[ListTab, ...]] = (ORDERS, FILLS, CLOSED, STATEMENT, ALGOS, VOLUME)
    shares_filter: ClassVar[bool] = True

    def __init__(self, view: DisplayContext) -> None:
        super().__init__(view)
        self.history_query = HistoryQuery()
        """Present query; each list is read for it when it is opened."""

    def cache_key(self, tab: QueryTab) -> Hashable:
        return self.history_query, tab.name

    def query(self, tab: QueryTab) -> ServiceQuery | None:
        now_ms = int(self.view.server_wall * 1000)
        return tab.build_query(self.key_of(tab), self.history_query, now_ms) if isinstance(tab, HistoryTab) else None

    def also(self, tab: QueryTab) -> Sequence[ServiceQuery]:
        """Return further queries of a list: transfers and loans for the statement, the user's total for the volume."""
        query = self.query(tab)
        if tab is STATEMENT and query is not None:
            return build_other_queries(query)
        if tab is not VOLUME or query is None:
            return ()
        params = tuple((name, text) for name, text in query.sources[0].params if name != VOLUME.past.sym_param)
        source = QuerySource("user_trading_stats", params, QuerySource("user_trading_stats_old", params))
        return (msgspec.structs.replace(query, key=USER_VOLUME, sources=(source,)),)

    def describe_query(self) -> str:
        return self.tab.describe_query(self.history_query) if isinstance(self.tab, HistoryTab) else ""

    def progress(self) -> tuple[str, str]:
        user = self.view.mirror.answers.get(USER_VOLUME)
        if self.tab is VOLUME and self.state is ReadState.WHOLE and user is not None and user.text:
            return f"all portfolios: {user.text}", "dim"
        return super().progress()
