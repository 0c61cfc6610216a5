"""Full screen of queried lists: tabs, query and progress in one title line.

To add one: its tabs, a subclass of `QueryPane` that names them, a row in `FULL_SCREENS` and an action that opens it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from tui.engine.rows import CommandState, Table
from tui.engine.service_query import MoreRows, ReadState, ServiceQuery, StopQuery
from tui.workstation.render.pieces import Piece, pieces_width
from tui.workstation.render.text import width as text_width
from tui.workstation.table.pane_box import PaneBox
from tui.workstation.widgets.full_screen import BACK, FullScreen
from tui.workstation.widgets.list_screen import ScreenParts
from tui.workstation.widgets.lists.query_pane import QueryPane
from tui.workstation.widgets.lists.tab import QueryTab
from tui.workstation.widgets.tabs import BETWEEN, Tab, arrangement, join_tabs

_APART: Piece = (" · ", "frame")


class QueryScreen(FullScreen):
    """Screen that queries a list when it opens, when the query changes, and after a command that affects the list."""

    def __init__(self, parts: ScreenParts, pane: QueryPane) -> None:
        self.lists = pane
        self._request = parts.request_read
        self._asked: dict[str, Hashable] = {}
        """Cache key with which each list was read last, by list key."""
        self._paged: set[str] = set()
        """Lists of which further pages were requested."""
        super().__init__(parts, pane)

    # Reading

    def on_mount(self) -> None:
        super().on_mount()
        self.refresh_list()

    def catch_up(self) -> None:
        # Changes meanwhile were missed, so lists are read again, except those read page by page that no command changes.
        followed = {self.lists.key_of(tab) for tab in self.lists.tabs if isinstance(tab, QueryTab) and tab.follows}
        kept = (self._paged - followed) & self._asked.keys() & self.view.mirror.answers.keys()
        self._asked = {key: self._asked[key] for key in kept}
        super().catch_up()
        self.refresh_list()

    def cycle_views(self, steps: int) -> None:
        super().cycle_views(steps)
        self.live_table.selected = None
        self.live_table.select_first()
        self.refresh_list()

    def refresh_list(self, *, again: bool = False) -> None:
        """Query the shown list unless it was read with the same query (`again`: in any case), and redraw it."""
        self.read_list(again=again)
        self.live_table.rearrange()
        self._draw_titles()

    def read_list(self, *, again: bool) -> None:
        """Query the shown list unless it was read with the same query, and lists it takes names from; `again`: always."""
        tab = self.lists.tab
        if not isinstance(tab, QueryTab):
            return
        cache_key, query = self.lists.cache_key(tab), self.lists.query(tab)
        if query is not None and (again or self._asked.get(query.key) != cache_key):
            self._ask(query, cache_key)
            for further in self.lists.also(tab):
                self._request(further)
        for names in tab.names:
            if again or names.key not in self._asked:
                self._ask(names, names)

    def _ask(self, query: ServiceQuery, cache_key: Hashable) -> None:
        self._asked[query.key] = cache_key
        self._paged.discard(query.key)
        self._request(query)

    def next_page(self) -> None:
        """Load the next page; if the first query failed, repeat it."""
        if self.lists.state is ReadState.FAILED and not self.lists.keys():
            self.refresh_list(again=True)
        else:
            key = self.lists.key_of(self.lists.tab)
            self._paged.add(key)
            self._request(MoreRows(key=key))

    def stop_reading(self) -> None:
        """Ask the engine to stop loading the shown list; the rows read so far stay."""
        self._request(StopQuery(key=self.lists.key_of(self.lists.tab)))

    def feed(self, changed: dict[Table, list[str]], *, new_events: bool) -> None:
        super().feed(changed, new_events=new_events)
        # A restarted engine has read nothing yet.
        for key in set(changed.get(Table.ANSWERS, ())) - self.view.mirror.answers.keys():
            self._asked.pop(key, None)
        self._follow_commands(changed.get(Table.COMMANDS, ()))
        if not self.lists.feeds.isdisjoint(changed):
            self.read_list(again=False)
            self._draw_titles()

    def _follow_commands(self, keys: Sequence[str]) -> None:
        """Mark the lists affected by a finished command, so that they are queried again."""
        commands = self.view.mirror.commands
        rows = [row for key in keys if (row := commands.get(key)) is not None]
        changed = {row.endpoint for row in rows if row.state is not CommandState.SENDING}
        for tab in self.lists.tabs:
            if isinstance(tab, QueryTab) and not changed.isdisjoint(tab.follows):
                self._asked.pop(self.lists.key_of(tab), None)

    # Title

    def _draw_titles(self) -> None:
        """Redraw title, empty text and footer."""
        self.live_table.refresh_title()
        if not self.live_table.row_count:
            self.live_table.refresh()
        self.key_bar.redraw_all()

    def _describe_progress(self, box: PaneBox, *, whole: bool) -> list[Piece]:
        """Build the title texts of query and reading progress; unless `whole`, without progress shown in the footer."""
        pane = self.lists
        text, role = pane.progress()
        question = pane.describe_query()
        asked: list[Piece] = [*([_APART, (question, "text")] if question else []), *arrangement(box)]
        if not text or (pane.state is ReadState.PART and not whole):
            return asked
        return [*asked, _APART, (text, role)]

    def _tabs_fit(self, box: PaneBox, tabs: list[Tab]) -> bool:
        return pieces_width([*self._line(box, tabs, whole=False), BACK]) <= box.title_room

    def _line(self, box: PaneBox, tabs: list[Tab], *, whole: bool) -> list[Piece]:
        return [self._heading(box), BETWEEN, *join_tabs(tabs), *self._describe_progress(box, whole=whole)]

    def _fits_whole(self, box: PaneBox, tabs: list[Tab]) -> bool:
        beside = [_APART, (text, "dim")] if (text := self._shortest_beside()) else []
        return pieces_width([*self._line(box, tabs, whole=True), *beside, BACK]) <= box.title_room

    def _shortest_beside(self) -> str:
        return next(reversed(self.lists.tab.notes(self.view)), "")

    def titles(self, box: PaneBox) -> list[Piece]:
        """Build the title line: tabs, query, progress; in little space, parts that are also shown elsewhere go first."""
        tabs = self._tabs(box)
        pieces = self._line(box, tabs, whole=self._fits_whole(box, tabs))
        left = box.title_room - pieces_width([*pieces, BACK, _APART])
        beside = next((text for text in self.lists.tab.notes(self.view) if text_width(text) <= left), "")
        return [*pieces, _APART, (beside, "dim"), BACK] if beside else [*pieces, BACK]
