"""The pane of the history: six lists over one question, each read when it is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tui.engine.history import HistoryKind, HistoryRead
from tui.engine.rows import Table
from tui.workstation.features.history.algo_tab import ALGOS
from tui.workstation.features.history.asked import HistoryAsk
from tui.workstation.features.history.booked_tabs import CLOSED, STATEMENT, VOLUME
from tui.workstation.features.history.trade_tabs import FILLS, ORDERS
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.widgets.lists.pane import ReadPane
from tui.workstation.widgets.lists.tab import ListTab, number

TABS: tuple[ListTab, ...] = (ORDERS, FILLS, CLOSED, STATEMENT, ALGOS, VOLUME)


class HistoryPane(ReadPane):
    """Shows what was read of the history."""

    id: ClassVar[str] = "history"
    title: ClassVar[str] = "History"
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.HISTORY])
    views: ClassVar[tuple[str, ...]] = tuple(tab.name for tab in TABS)
    tabs: ClassVar[tuple[ListTab, ...]] = TABS
    one_filter: ClassVar[bool] = True

    def __init__(self, view: DisplayContext) -> None:
        super().__init__(view)
        self.ask = HistoryAsk()
        """The question that stands; every list is read for it when it is looked at."""

    @property
    def kind(self) -> HistoryKind:
        """The list that is looked at."""
        return HistoryKind(self.tab.name)

    def reading(self) -> HistoryRead | None:
        return self.view.mirror.history.get(self.kind.value)

    def source(self) -> Sequence[Any]:
        read = self.reading()
        return () if read is None else read.rows

    def asked_words(self) -> str:
        return self.ask.words(self.kind)

    def none_words(self) -> str:
        noun = self.tab.noun if self.kind is not HistoryKind.VOLUME else "whole days with trades"
        return f"no {noun}: {self.asked_words()}"

    def beside(self) -> tuple[str, ...]:
        """Of the volume that of all portfolios."""
        read = self.reading()
        if read is None or read.user is None:
            return ()
        spot, perp = (self.view.money(text) for text in (read.user.all_spot, read.user.all_perp))
        both = self.view.amount(number(read.user.all_spot) + number(read.user.all_perp))
        return (f"all portfolios: spot {spot}, perp {perp}", f"all portfolios {both}")
