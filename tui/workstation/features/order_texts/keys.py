"""Handlers of the keys that copy an order as a text."""

from __future__ import annotations

from tui.engine.rows import OrderRow
from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import Context, no_single_row
from tui.workstation.features.order_texts.text_list import OrderTextList, OrderTextScreen
from tui.workstation.input.handlers import Handlers
from tui.workstation.table.live_table import LiveTable
from tui.workstation.tickets.order.proposal import why_no_line


class OrderTextKeys:
    """Key handlers of the list of texts that reproduce an order."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {"texts.open": self.texts_open, "texts.take": self.texts_take}

    def blocks(self) -> Blocks:
        """Return the block reasons by action id."""
        return {"texts.open": self._open_block}

    def _order(self, table: LiveTable | None) -> OrderRow | None:
        if table is None or table.selected is None:
            return None
        return self._context.mirror.orders.get(table.selected) or table.pane.order_of(table.selected)

    def _open_block(self, table: LiveTable | None) -> str:
        if reason := no_single_row(table, "a text"):
            return reason
        order = self._order(table)
        return "no order is under the cursor" if order is None else why_no_line(order)

    def texts_open(self) -> None:
        """Open the list of texts (command line, Python, REST, stream) that would place the order under the cursor."""
        if (order := self._order(self._context.table)) is not None:
            self._context.open_modal(OrderTextScreen(OrderTextList(order, self._context.list_screen.palette)))

    def texts_take(self) -> None:
        """Copy the text under the cursor to the clipboard, and close the list."""
        screen = self._context.modal(OrderTextScreen)
        if screen is None:
            return
        name, text = screen.body.chosen
        screen.dismiss(None)
        self._context.app.copy_to_clipboard(text)
        self._context.say(f"copied to the clipboard of the terminal as {name}: {text}")
