"""The screen of the history: its tabs, what is asked, and how far it has been read, in one title line."""

from __future__ import annotations

from collections.abc import Callable

from tui.engine.history import HistoryKind, HistoryRequest, NextPage, ReadState, StopReading
from tui.engine.rows import Table
from tui.workstation.history.asked import HistoryAsk
from tui.workstation.history.pane import TABS, HistoryPane
from tui.workstation.render.palette import Piece
from tui.workstation.render.strips import pieces_width
from tui.workstation.render.text import width as text_width
from tui.workstation.screens.full_screen import BACK, FullScreen
from tui.workstation.screens.list_screen import ScreenParts, arrangement
from tui.workstation.screens.tabs import BETWEEN, Tab, joined
from tui.workstation.table.live_table import LiveTable

PLACE_CELLS = 17
"""Cells that the place in a long list takes at the right end of the title line."""
_APART: Piece = (" · ", "frame")


class HistoryScreen(FullScreen):
    """Asks for a list when it is looked at and was not asked for yet."""

    def __init__(self, parts: ScreenParts, request: Callable[[HistoryRequest], None]) -> None:
        self.history = HistoryPane(parts.view)
        self._request = request
        self._asked: dict[HistoryKind, HistoryAsk] = {}
        """The question for which each list was read last."""
        super().__init__(parts, self.history)

    def on_mount(self) -> None:
        super().on_mount()
        self.look()

    def catch_up(self) -> None:
        super().catch_up()
        self.look()

    def cycle_views(self, steps: int) -> None:
        super().cycle_views(steps)
        self.live_table.selected = None
        self.live_table.to_edge(False)
        self.look()

    def look(self, *, again: bool = False) -> None:
        """Have the list that is shown read, unless it was for this question. `again`: in any case."""
        kind = self.history.tab.kind
        lost = self.history.read() is None
        if again or lost or self._asked.get(kind) != self.history.ask:
            self._asked[kind] = self.history.ask
            self._request(self.history.ask.query(kind, int(self.view.server_wall * 1000)))
        self._draw()

    def put_ask(self, ask: HistoryAsk) -> None:
        """Another question; the list that is shown is read at once, the others when they are looked at."""
        self.history.ask = ask
        self.look()

    def show_kind(self, kind: HistoryKind) -> None:
        """Go to a list by its kind."""
        at = next(at for at, tab in enumerate(TABS) if tab.kind is kind)
        self.cycle_views(at - self.history.view_at)

    def next_page(self) -> None:
        """Go on with the list; one of which nothing could be read is asked for anew."""
        read = self.history.read()
        if read is not None and read.state is ReadState.FAILED and not read.rows:
            self.look(again=True)
        else:
            self._request(NextPage(kind=self.history.tab.kind))

    def stop_reading(self) -> None:
        self._request(StopReading(kind=self.history.tab.kind))

    def feed(self, changed: dict[Table, list[str]], new_events: bool) -> None:
        super().feed(changed, new_events)
        if Table.HISTORY in changed:
            self._draw_words()
            if self.history.read() is None:
                # The engine was built anew and has read nothing yet.
                self.look()

    def _draw_words(self) -> None:
        """What stands around the rows, and in their place when there is none."""
        self.live_table.refresh_title()
        if not self.live_table.row_count:
            self.live_table.refresh()
        self.key_bar.refresh()

    def _draw(self) -> None:
        self.live_table.rearrange()
        self._draw_words()

    def _said(self, table: LiveTable, *, whole: bool) -> list[Piece]:
        """The question, and how far it has been answered; not whole: without what the lowest line says too."""
        pane = self.history
        words, role = pane.progress()
        asked: list[Piece] = [(pane.ask.words(pane.tab.kind), "text"), *arrangement(table)]
        read = pane.read()
        if not words or (read is not None and read.state is ReadState.PART and not whole):
            return asked
        return [*asked, _APART, (words, role)]

    def _tabs(self, table: LiveTable) -> list[Tab]:
        """All tabs, or only that of the list that is shown where the question needs the room."""
        tabs = self._all_tabs()
        return tabs if self._fits(table, tabs, whole=True) else tabs[self.history.view_at : self.history.view_at + 1]

    def _all_tabs(self) -> list[Tab]:
        pane = self.history
        return [
            Tab(name, [(f"{name} {pane.short()}".rstrip(), "accent")] if at == pane.view_at else [(name, "dim")])
            for at, name in enumerate(pane.views)
        ]

    def _line(self, table: LiveTable, tabs: list[Tab], *, whole: bool) -> list[Piece]:
        return [self._heading(table), BETWEEN, *joined(tabs), _APART, *self._said(table, whole=whole)]

    def _fits(self, table: LiveTable, tabs: list[Tab], *, whole: bool) -> bool:
        beside = [_APART, (text, "dim")] if (text := self._shortest_beside()) else []
        return pieces_width([*self._line(table, tabs, whole=whole), *beside, BACK]) <= _room(table)

    def _shortest_beside(self) -> str:
        return next(reversed(self.history.beside()), "")

    def titles(self, table: LiveTable) -> list[Piece]:
        """Tabs, question and progress; what is said elsewhere too leaves first where there is little room."""
        tabs = self._tabs(table)
        found = self._line(table, tabs, whole=self._fits(table, tabs, whole=True))
        left = _room(table) - pieces_width([*found, BACK, _APART])
        beside = next((text for text in self.history.beside() if text_width(text) <= left), "")
        return [*found, _APART, (beside, "dim"), BACK] if beside else [*found, BACK]


def _room(table: LiveTable) -> int:
    """Cells of the title line that the place in the list leaves free."""
    return table.size.width - 4 - (PLACE_CELLS if table.row_count else 0)
