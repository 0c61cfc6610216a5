"""A screen of lists that are read on demand: its tabs, what is asked, and how far it has been read, in one title line."""

from __future__ import annotations

from abc import abstractmethod

from tui.engine.history import ReadState
from tui.engine.rows import Table
from tui.workstation.render.palette import Piece
from tui.workstation.render.strips import pieces_width
from tui.workstation.render.text import width as text_width
from tui.workstation.table.live_table import LiveTable
from tui.workstation.widgets.full_screen import BACK, FullScreen
from tui.workstation.widgets.list_screen import ScreenParts, arrangement
from tui.workstation.widgets.lists.pane import ReadPane
from tui.workstation.widgets.tabs import BETWEEN, Tab, join_tabs

_APART: Piece = (" · ", "frame")


class ReadScreen(FullScreen):
    """Asks for a list when it is looked at and was not asked for yet."""

    def __init__(self, parts: ScreenParts, pane: ReadPane) -> None:
        self.lists = pane
        super().__init__(parts, pane)

    # What a subclass does

    @abstractmethod
    def read_list(self, *, again: bool) -> None:
        """Have the list that is shown read, unless it was for this question. `again`: in any case."""

    @abstractmethod
    def read_more(self) -> None:
        """Go on with the list that is shown."""

    @abstractmethod
    def stop_reading(self) -> None:
        """End what is being read of the list that is shown."""

    # When

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
        self.read_list(again=again)
        self.live_table.rearrange()
        self._draw_words()

    def next_page(self) -> None:
        """Go on with the list; one of which nothing could be read is asked for anew."""
        read = self.lists.reading()
        if read is not None and read.state is ReadState.FAILED and not self.lists.keys():
            self.look(again=True)
        else:
            self.read_more()

    def feed(self, changed: dict[Table, list[str]], new_events: bool) -> None:
        super().feed(changed, new_events)
        if not self.lists.feeds.isdisjoint(changed):
            self._draw_words()
            if self.lists.reading() is None:
                # The engine was built anew and has read nothing yet.
                self.look()

    # The title

    def _draw_words(self) -> None:
        """What stands around the rows, and in their place when there is none."""
        self.live_table.refresh_title()
        if not self.live_table.row_count:
            self.live_table.refresh()
        self.key_bar.redraw_all()

    def _said(self, table: LiveTable, *, whole: bool) -> list[Piece]:
        """The question, and how far it has been answered; not whole: without what the lowest line says too."""
        pane = self.lists
        words, role = pane.progress()
        question = pane.asked_words()
        asked: list[Piece] = [*([_APART, (question, "text")] if question else []), *arrangement(table)]
        read = pane.reading()
        if not words or (read is not None and read.state is ReadState.PART and not whole):
            return asked
        return [*asked, _APART, (words, role)]

    def _tabs_fit(self, table: LiveTable, tabs: list[Tab]) -> bool:
        return self._fits(table, tabs, whole=True)

    def _line(self, table: LiveTable, tabs: list[Tab], *, whole: bool) -> list[Piece]:
        return [self._heading(table), BETWEEN, *join_tabs(tabs), *self._said(table, whole=whole)]

    def _fits(self, table: LiveTable, tabs: list[Tab], *, whole: bool) -> bool:
        beside = [_APART, (text, "dim")] if (text := self._shortest_beside()) else []
        return pieces_width([*self._line(table, tabs, whole=whole), *beside, BACK]) <= table.title_room

    def _shortest_beside(self) -> str:
        return next(reversed(self.lists.beside()), "")

    def titles(self, table: LiveTable) -> list[Piece]:
        """Tabs, question and progress; what is said elsewhere too leaves first where there is little room."""
        tabs = self._tabs(table)
        found = self._line(table, tabs, whole=self._fits(table, tabs, whole=True))
        left = table.title_room - pieces_width([*found, BACK, _APART])
        beside = next((text for text in self.lists.beside() if text_width(text) <= left), "")
        return [*found, _APART, (beside, "dim"), BACK] if beside else [*found, BACK]
