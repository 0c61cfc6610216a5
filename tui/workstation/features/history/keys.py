"""Handlers of keys on the history: its question, and the order of a row."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import no_row
from tui.workstation.commands.form_openers import BuildForm, FormOpeners
from tui.workstation.features.history.asked import HistoryAsk, parse
from tui.workstation.features.history.form import AskForm
from tui.workstation.features.history.screen import HistoryScreen
from tui.workstation.features.history.trade_tabs import FILLS, ORDERS
from tui.workstation.input.handlers import Handlers
from tui.workstation.model import number_format
from tui.workstation.table.live_table import LiveTable

OTHER_SCREEN = "only on the history (H)"


class HistoryKeys(FormOpeners):
    """One for the life of the app; the screen is made when it is entered."""

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
        return {
            **super().blocks(),
            "history.window": self._screen_block,
            "history.executed": self._block_executed,
            "history.order": self._order_block,
        }

    # Whether

    @property
    def _screen(self) -> HistoryScreen | None:
        screen = self._context.list_screen
        return screen if isinstance(screen, HistoryScreen) else None

    def _screen_block(self, table: LiveTable | None) -> str:
        del table
        return "" if self._screen is not None else OTHER_SCREEN

    def _block_executed(self, table: LiveTable | None) -> str:
        if self._screen is None or self._screen.history.tab is ORDERS:
            return self._screen_block(table)
        return "only the list of orders can be narrowed to executed ones: ( and ) go to it"

    def _order_block(self, table: LiveTable | None) -> str:
        if self._screen is None:
            return self._screen_block(table)
        if no_row(table) or table is None or table.selected is None:
            return no_row(None)
        return "" if self._screen.history.order_id(table.selected) else "the row is about no order"

    # The question

    def _put(self, **changes: object) -> None:
        if (screen := self._screen) is not None:
            screen.put_ask(msgspec.structs.replace(screen.history.ask, **changes))

    def next_window(self) -> None:
        if (screen := self._screen) is not None:
            screen.put_ask(screen.history.ask.next_window())

    def only_executed(self) -> None:
        if (screen := self._screen) is not None:
            self._put(executed=not screen.history.ask.executed)

    def show_order(self) -> None:
        """The fills of the order that a row is about; of a fill its order."""
        screen, table = self._screen, self._context.table
        if screen is None or table is None or table.selected is None:
            return
        order = screen.history.order_id(table.selected)
        screen.history.ask = msgspec.structs.replace(screen.history.ask, order=order)
        screen.show_list(ORDERS if screen.history.tab is FILLS else FILLS)

    # The form

    def _build(self, table: LiveTable | None) -> AskForm | str:
        del table
        screen = self._screen
        return OTHER_SCREEN if screen is None else AskForm(screen.history.ask, self._read_line, screen.put_ask)

    def _read_line(self, line: str) -> HistoryAsk:
        today = number_format.day(int(self._context.mirror.server_wall * 1000), True)
        return parse(line, self._context.mirror.symbols, today)
