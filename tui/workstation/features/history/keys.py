"""Handlers of keys on the history: its question, and the order of a row."""

from __future__ import annotations

import msgspec

from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import Context, no_row
from tui.workstation.features.history.asked import HistoryAsk, parse
from tui.workstation.features.history.form import AskForm, AskScreen
from tui.workstation.features.history.screen import HistoryScreen
from tui.workstation.features.history.trade_tabs import FILLS, ORDERS
from tui.workstation.input.handlers import Handlers
from tui.workstation.model import number_format
from tui.workstation.table.live_table import LiveTable

OTHER_SCREEN = "only on the history (H)"


class HistoryKeys:
    """One for the life of the app; the screen is made when it is entered."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def handlers(self) -> Handlers:
        """Handlers by action id."""
        return {
            "history.ask": self.open_form,
            "history.window": self.next_window,
            "history.executed": self.only_executed,
            "history.order": self.show_order,
            "history.take": self.take,
            "history.erase": self.erase,
            "history.clear": self.clear,
            "history.leave": self.leave,
        }

    def blocks(self) -> Blocks:
        """Why an action cannot be done, by action id."""
        return {
            **dict.fromkeys(("history.ask", "history.window"), self._screen_block),
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

    def open_form(self) -> None:
        screen = self._screen
        if screen is None:
            return
        form = AskForm(screen.history.ask.line(), self._read_line, screen.palette)
        self._context.open_modal(AskScreen(form))

    def _read_line(self, line: str) -> HistoryAsk:
        today = number_format.day(int(self._context.mirror.server_wall * 1000), True)
        return parse(line, self._context.mirror.symbols, today)

    @property
    def _form(self) -> AskForm | None:
        top = self._context.modal(AskScreen)
        return None if top is None else top.body

    def take(self) -> None:
        """Ask what is typed; what cannot be read stays there with the reason."""
        form, screen = self._form, self._screen
        found = form.asked() if form is not None else ""
        if isinstance(found, HistoryAsk) and screen is not None:
            self.leave()
            screen.put_ask(found)
        elif form is not None and self._context.settings.bell:
            self._context.app.bell()

    def erase(self) -> None:
        if (form := self._form) is not None:
            form.put(form.text[:-1])

    def clear(self) -> None:
        if (form := self._form) is not None:
            form.put("")

    def leave(self) -> None:
        if (top := self._context.modal(AskScreen)) is not None:
            top.dismiss(None)
