"""Full screen of the history: one query for all its lists."""

from __future__ import annotations

from tui.workstation.features.history.history_query import HistoryQuery
from tui.workstation.features.history.pane import HistoryPane
from tui.workstation.features.history.tab import HistoryTab
from tui.workstation.widgets.list_screen import ScreenParts
from tui.workstation.widgets.lists.query_screen import QueryScreen


class HistoryScreen(QueryScreen):
    """Full screen that receives the history's query."""

    def __init__(self, parts: ScreenParts, pane: HistoryPane) -> None:
        self.history = pane
        super().__init__(parts, pane)

    def set_query(self, query: HistoryQuery) -> None:
        """Set the query; the shown list is read at once, the other lists when they are opened."""
        self.history.history_query = query
        self.refresh_list()

    def show_list(self, tab: HistoryTab) -> None:
        """Show another list of the history."""
        self.cycle_views(self.history.tabs.index(tab) - self.history.view_at)
