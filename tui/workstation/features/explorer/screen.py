"""Full screen of the explorer."""

from __future__ import annotations

from tui.engine.rows import Table
from tui.engine.service_query import ServiceQuery
from tui.workstation.features.explorer.pane import ANSWER, ANSWERED, ExplorerPane
from tui.workstation.widgets.list_screen import ScreenParts
from tui.workstation.widgets.lists.query_screen import QueryScreen


class ExplorerScreen(QueryScreen):
    """Full screen of the API explorer, which sends the queries of endpoint forms."""

    def __init__(self, parts: ScreenParts, pane: ExplorerPane) -> None:
        self.explorer = pane
        super().__init__(parts, pane)

    def ask(self, query: ServiceQuery) -> None:
        """Send a query and show its answer."""
        pane = self.explorer
        pane.asked = query
        self.cycle_views(pane.tabs.index(ANSWERED) - pane.view_at)
        self.refresh_list(again=True)

    def read_list(self, *, again: bool) -> None:
        """Read the shown list only if `again`: a form or a key has requested it."""
        if again:
            super().read_list(again=True)

    def cycle_views(self, steps: int) -> None:
        super().cycle_views(steps)
        self._follow_answer()

    def feed(self, changed: dict[Table, list[str]], *, new_events: bool) -> None:
        super().feed(changed, new_events=new_events)
        if ANSWER in changed.get(Table.ANSWERS, ()):
            self._follow_answer()

    def _follow_answer(self) -> None:
        """Rebuild the columns after an answer arrived."""
        self.explorer.build_columns()
        self.live_table.rearrange()
        self.live_table.flush()
