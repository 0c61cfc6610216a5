"""Key handlers of the history: change the query, and show the fills or the order of a row."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import msgspec

from tui.workstation.commands.availability import Blocks, block_elsewhere
from tui.workstation.commands.context import no_row
from tui.workstation.commands.form_openers import BuildForm, FormOpeners
from tui.workstation.features.history.form import HistoryForm
from tui.workstation.features.history.history_query import HistoryQuery, parse
from tui.workstation.features.history.screen import HistoryScreen
from tui.workstation.features.history.trade_tabs import FILLS, ORDERS
from tui.workstation.input.handlers import Handlers
from tui.workstation.model import number_format
from tui.workstation.table.live_table import LiveTable

OTHER_SCREEN = "only on the history (⟦screen.history⟧)"


class HistoryKeys(FormOpeners):
    """Key handlers of the history; one instance per app, while the screen is built when first opened."""

    def openers(self) -> Mapping[str, BuildForm]:
        return {"history.ask": self._build}

    def handlers(self) -> Handlers:
        return {
            **super().handlers(),
            "history.window": self.next_window,
            "history.executed": self.only_executed,
            "history.order": self.show_order,
        }

    def blocks(self) -> Blocks:
        elsewhere = partial(block_elsewhere, self._context, HistoryScreen, OTHER_SCREEN)
        return {
            **super().blocks(),
            "history.window": elsewhere(),
            "history.executed": elsewhere(_block_executed),
            "history.order": elsewhere(_block_order),
        }

    @property
    def _screen(self) -> HistoryScreen | None:
        return self._context.find_screen(HistoryScreen)

    # Query

    def _change_query(self, **changes: object) -> None:
        if (screen := self._screen) is not None:
            screen.set_query(msgspec.structs.replace(screen.history.history_query, **changes))

    def next_window(self) -> None:
        if (screen := self._screen) is not None:
            screen.set_query(screen.history.history_query.next_window())

    def only_executed(self) -> None:
        if (screen := self._screen) is not None:
            self._change_query(executed=not screen.history.history_query.executed)

    def show_order(self) -> None:
        """Show the fills of the selected order; if a fill is selected, show its order."""
        screen, table = self._screen, self._context.table
        if screen is None or table is None or table.selected is None:
            return
        order = screen.history.order_id(table.selected)
        screen.history.history_query = msgspec.structs.replace(screen.history.history_query, order=order)
        screen.show_list(ORDERS if screen.history.tab is FILLS else FILLS)

    # Form

    def _build(self, table: LiveTable | None) -> HistoryForm | str:
        del table
        screen = self._screen
        return (
            OTHER_SCREEN
            if screen is None
            else HistoryForm(screen.history.history_query, self._parse_line, screen.set_query)
        )

    def _parse_line(self, line: str) -> HistoryQuery:
        today = number_format.day(int(self._context.mirror.server_wall * 1000), utc=True)
        return parse(line, self._context.mirror.symbols, today)


def _block_executed(screen: HistoryScreen, table: LiveTable | None) -> str:
    del table
    if screen.history.tab is ORDERS:
        return ""
    return "only the orders list can show executed orders alone: ⟦view.back⟧ and ⟦view.next⟧ go to it"


def _block_order(screen: HistoryScreen, table: LiveTable | None) -> str:
    if no_row(table) or table is None or table.selected is None:
        return no_row(None)
    return "" if screen.history.order_id(table.selected) else "this row belongs to no order"
