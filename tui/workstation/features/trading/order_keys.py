"""Keys that open the order ticket; it is edited and sent by the keys of its parts."""

from __future__ import annotations

from functools import partial

import msgspec
from textual.geometry import Size

from tui.interface.families.orders import Side
from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import Context
from tui.workstation.features.trading.open_ticket import OpenTicket
from tui.workstation.features.trading.order_blocks import order_blocks, sym_to_trade
from tui.workstation.features.trading.ticket_edits import TicketEdits
from tui.workstation.features.trading.ticket_sending import TicketSending
from tui.workstation.input.fresh_press import Rule
from tui.workstation.input.handlers import Handlers
from tui.workstation.model.instruments import full_name
from tui.workstation.table.live_table import LiveTable
from tui.workstation.tickets.fields import FORMS, Mode
from tui.workstation.tickets.order import ticket_factory
from tui.workstation.tickets.order.terms import PriceMode
from tui.workstation.tickets.order.ticket import Ticket


class OrderKeys:
    """Key handlers that open a ticket; they hold the handlers that edit and send it."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.ticket = OpenTicket(context)
        self.edits = TicketEdits(context, self.ticket)
        self.sending = TicketSending(context, self.ticket)

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {
            "stage.buy": partial(self.stage, Side.BUY),
            "stage.sell": partial(self.stage, Side.SELL),
            "stage.again": self.stage_again,
            "ticket.open": self.ticket_open,
            "ticket.fields": self.ticket_fields,
            "ticket.drop": self.ticket.drop,
            "order.edit": self.order_edit,
            **self.edits.handlers(),
            **self.sending.handlers(),
        }

    def blocks(self) -> Blocks:
        """Return the block reasons by action id."""
        return {**order_blocks(self._context), "stage.again": self._again_block}

    def _again_block(self, table: LiveTable | None) -> str:
        del table
        return "" if self.sending.last is not None else "no ticket was sent in this session yet"

    def stage_again(self) -> None:
        """Open a ticket like the last sent order, without sending; a price that joins follows the present best price."""
        if (last := self.sending.last) is not None:
            self.ticket.open(msgspec.structs.replace(last, info=self._context.view.info(last.sym)), Mode.STAGED)

    def stage(self, side: Side, price_mode: PriceMode = PriceMode.JOIN) -> None:
        """Open a ticket for an order of the smallest size on the selected row, without sending."""
        ticket = self._new_ticket(side, price_mode)
        if ticket is not None and price_mode is not PriceMode.JOIN:
            ticket = ticket.with_price_mode(price_mode)
        if ticket is not None and not self.ticket.resume(ticket):
            self.ticket.open(ticket, Mode.STAGED)

    def ticket_open(self) -> None:
        """Open the full ticket form for the pair; the trader has to choose a side."""
        if (ticket := self._new_ticket(Side.BUY)) is None:
            return
        screen, panel = self._context.main_screen, self.ticket.panel
        sided = Rule.SIDE not in self._context.guard.rules
        self.ticket.open(msgspec.structs.replace(ticket, sided=sided), Mode.FORM)
        box = screen.plan.ticket
        placed = panel.placements(Size(box.width, box.height)) if box is not None else {}
        screen.set_focus(panel.intent_choice if "intent" in placed else panel)

    def _new_ticket(self, side: Side, price_mode: PriceMode = PriceMode.JOIN) -> Ticket | None:
        context = self._context
        table = context.main_screen.table
        key = context.target()
        sym = sym_to_trade(table, side, price_mode) if table is not None and key is not None else ""
        if table is None or key is None or not sym:
            return None
        if sym != table.pane.sym(key):
            word = "bid" if (side is Side.BUY) != (price_mode is PriceMode.TAKE) else "ask"
            context.say(f"staged on {full_name(sym)}: the best {word} is there")
        leg = ""
        if table.pane.id == "positions":
            fact = context.mirror.positions.get(key)
            leg = fact.record.position_side if fact is not None else ""
        return ticket_factory.new_order(sym, side, context.view, leg)

    def ticket_fields(self) -> None:
        """Turn the open preview ticket into the full form; if a size was typed, focus the price, else the size."""
        screen, panel = self._context.main_screen, self.ticket.panel
        if panel.ticket is not None and panel.mode is Mode.STAGED and not panel.sending:
            typed = panel.typed
            panel.show(panel.ticket, Mode.FORM)
            panel.typed = typed
            self._context.guard.record_opener(panel.subject)
            screen.arrange_panes()
            price_next = typed and panel.price_field in panel.stops()
            screen.set_focus(panel.price_field if price_next else panel.size_field)
        elif panel.mode in FORMS:
            screen.set_focus(panel.stops()[0])

    def order_edit(self) -> None:
        if self.ticket.open_replace():
            self._context.main_screen.set_focus(self.ticket.panel.price_field)
