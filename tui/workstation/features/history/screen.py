"""The screen of the history: one question over all its lists."""

from __future__ import annotations

from tui.workstation.features.history.asked import HistoryAsk
from tui.workstation.features.history.pane import HistoryPane
from tui.workstation.features.history.tab import HistoryTab
from tui.workstation.widgets.list_screen import ScreenParts
from tui.workstation.widgets.lists.query_screen import QueryScreen


class HistoryScreen(QueryScreen):
    """Takes questions about the history."""

    def __init__(self, parts: ScreenParts, pane: HistoryPane) -> None:
        self.history = pane
        super().__init__(parts, pane)

    def put_ask(self, ask: HistoryAsk) -> None:
        """Another question; the list that is shown is read at once, the others when they are looked at."""
        self.history.ask = ask
        self.refresh_list()

    def show_list(self, tab: HistoryTab) -> None:
        """Go to a list."""
        self.cycle_views(self.history.tabs.index(tab) - self.history.view_at)
