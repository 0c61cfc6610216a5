"""The screen of the history: one question over all its lists."""

from __future__ import annotations

from collections.abc import Callable

from tui.engine.history import HistoryKind, HistoryRequest, NextPage, ReadState, StopReading
from tui.workstation.features.history.asked import HistoryAsk
from tui.workstation.features.history.pane import TABS, HistoryPane
from tui.workstation.widgets.list_screen import ScreenParts
from tui.workstation.widgets.lists.screen import ReadScreen


class HistoryScreen(ReadScreen):
    """Asks for a list when it is looked at and was not asked for yet."""

    def __init__(self, parts: ScreenParts, request: Callable[[HistoryRequest], None]) -> None:
        self.history = HistoryPane(parts.view)
        self._request = request
        self._asked: dict[HistoryKind, HistoryAsk] = {}
        """The question for which each list was read last."""
        super().__init__(parts, self.history)

    def read_list(self, *, again: bool) -> None:
        kind, ask = self.history.kind, self.history.ask
        if again or self.history.reading() is None or self._asked.get(kind) != ask:
            self._asked[kind] = ask
            self._request(ask.query(kind, int(self.view.server_wall * 1000)))

    def catch_up(self) -> None:
        # What was booked while the screen was not looked at is not in them; pages that were asked for one by one stay.
        for kind in HistoryKind:
            read = self.view.mirror.history.get(kind.value)
            if read is not None and read.state is ReadState.WHOLE:
                self._asked.pop(kind, None)
        super().catch_up()

    def read_more(self) -> None:
        self._request(NextPage(kind=self.history.kind))

    def stop_reading(self) -> None:
        self._request(StopReading(kind=self.history.kind))

    def put_ask(self, ask: HistoryAsk) -> None:
        """Another question; the list that is shown is read at once, the others when they are looked at."""
        self.history.ask = ask
        self.look()

    def show_kind(self, kind: HistoryKind) -> None:
        """Go to a list by its kind."""
        at = next(at for at, tab in enumerate(TABS) if tab.name == kind.value)
        self.cycle_views(at - self.history.view_at)
