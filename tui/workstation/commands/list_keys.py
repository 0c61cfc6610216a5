"""Handlers of keys on query screens: load the next page, stop, reload and export."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tui.crossdesk_error import CrossdeskError
from tui.engine.event_line import Level
from tui.engine.service_query import UNDER_WAY, ReadState
from tui.workstation.commands.availability import Blocks, block_elsewhere
from tui.workstation.commands.context import Context
from tui.workstation.commands.launcher_services import SaveTable
from tui.workstation.input.handlers import Handlers
from tui.workstation.table.live_table import LiveTable
from tui.workstation.widgets.lists.query_screen import QueryScreen
from tui.workstation.widgets.lists.table_file import header_of, record_of

OTHER_SCREEN = "only on a screen that queries lists, such as the history (⟦screen.history⟧)"


class ListKeys:
    """Key handlers for the visible query screen; one instance per app."""

    def __init__(self, context: Context, save: SaveTable) -> None:
        self._context = context
        self._save = save

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {
            "list.more": self.next_page,
            "list.stop": self.stop_reading,
            "list.again": self.read_again,
            "list.export": self.export,
        }

    def blocks(self) -> Blocks:
        """Return the block reasons by action id."""
        elsewhere = partial(block_elsewhere, self._context, QueryScreen, OTHER_SCREEN)
        return {
            "list.more": elsewhere(_block_more),
            "list.stop": elsewhere(_block_stop),
            "list.again": elsewhere(),
            "list.export": elsewhere(_block_export),
        }

    @property
    def _screen(self) -> QueryScreen | None:
        return self._context.find_screen(QueryScreen)

    # Reading

    def read_again(self) -> None:
        if (screen := self._screen) is not None:
            screen.refresh_list(again=True)

    def next_page(self) -> None:
        if (screen := self._screen) is not None:
            screen.next_page()

    def stop_reading(self) -> None:
        if (screen := self._screen) is not None:
            screen.stop_reading()

    # The file

    def export(self) -> None:
        """Export the shown rows to a file, with all fields."""
        screen = self._screen
        if screen is None:
            return
        pane = screen.lists
        rows, shown = pane.list_shown_rows(), pane.tab.shown
        part = "" if pane.state is ReadState.WHOLE else ", from a list that is not fully loaded"
        part += "".join(f"; {gap}" for gap in pane.tab.gaps(self._context.view)[:1])
        self.write(
            f"{pane.id}-{pane.tab.name}",
            header_of(rows, shown),
            [record_of(row, shown) for row in rows],
            pane.row_count_text(),
            part,
        )

    def write(
        self, name: str, header: Sequence[str], records: Sequence[Sequence[str]], told: str, part: str = ""
    ) -> None:
        """Write rows to a file and show its path; `told` names the rows, `part` is appended to say which are missing."""
        try:
            path = self._save(name, header, records)
        except CrossdeskError as problem:
            self._context.refuse(f"{problem.title}: {problem}")
            return
        self._context.say(f"{told} written to {path}{part}", Level.GOOD)


def _block_more(screen: QueryScreen, table: LiveTable | None) -> str:
    del table
    match screen.lists.state:
        case ReadState.PART | ReadState.STOPPED | ReadState.FAILED:
            return ""
        case ReadState.READING | ReadState.ARCHIVE:
            return "a page of the list is loading; ⟦list.stop⟧ stops it"
        case ReadState.FULL:
            return "the list is full; a shorter time window or a filter shows the other rows"
    return "all rows of the list are loaded"


def _block_stop(screen: QueryScreen, table: LiveTable | None) -> str:
    del table
    return "" if screen.lists.state in UNDER_WAY else "nothing is loading"


def _block_export(screen: QueryScreen, table: LiveTable | None) -> str:
    del table
    return "" if screen.lists.keys() else "there are no rows to export"
