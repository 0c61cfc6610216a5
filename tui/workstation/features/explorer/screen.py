"""The screen of the explorer."""

from __future__ import annotations

from collections.abc import Callable

from tui.engine.rows import Table
from tui.engine.service_query import MoreRows, ServiceQuery, ServiceRequest, StopQuery
from tui.workstation.features.explorer.pane import ANSWER, ANSWERED, ENDPOINTS, ExplorerPane
from tui.workstation.widgets.list_screen import ScreenParts
from tui.workstation.widgets.lists.screen import ReadScreen


class ExplorerScreen(ReadScreen):
    """Reads what is asked by the form of an endpoint."""

    def __init__(self, parts: ScreenParts, request: Callable[[ServiceRequest], None]) -> None:
        self.explorer = ExplorerPane(parts.view)
        self._request = request
        self._query: ServiceQuery | None = None
        super().__init__(parts, self.explorer)

    def ask(self, query: ServiceQuery) -> None:
        """Read something, and show its answer."""
        self._query = query
        self._request(query)
        pane = self.explorer
        self.cycle_views(pane.tabs.index(ANSWERED) - pane.view_at)

    def cycle_views(self, steps: int) -> None:
        super().cycle_views(steps)
        self._follow_answer()

    def feed(self, changed: dict[Table, list[str]], new_events: bool) -> None:
        super().feed(changed, new_events)
        if ANSWER in changed.get(Table.ANSWERS, ()):
            self._follow_answer()

    def _follow_answer(self) -> None:
        """Columns are made of what came."""
        self.explorer.make_columns()
        self.live_table.rearrange()
        self.live_table.flush()

    def read_list(self, *, again: bool) -> None:
        if again and self._query is not None and self.explorer.tab is not ENDPOINTS:
            self._request(self._query)

    def read_more(self) -> None:
        self._request(MoreRows(key=ANSWER))

    def stop_reading(self) -> None:
        self._request(StopQuery(key=ANSWER))
