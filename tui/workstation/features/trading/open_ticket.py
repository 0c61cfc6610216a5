"""Ticket on the desk: how it opens, changes, refuses keys, pauses and closes."""

from __future__ import annotations

import msgspec

from tui.engine.rows import OrderRow
from tui.workstation.command_line.order_descriptions import describe_row
from tui.workstation.commands.context import Context
from tui.workstation.features.trading.order_blocks import ChosenShare
from tui.workstation.input.fresh_press import Rule
from tui.workstation.model.display_context import ReplacePreview
from tui.workstation.model.instruments import full_name
from tui.workstation.tickets.fields import Mode
from tui.workstation.tickets.order import ticket_factory
from tui.workstation.tickets.order.terms import PriceMode
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.panel_follow import note_opposite_position


class OpenTicket:
    """Order ticket open on the desk, if any, with what opening, editing and sending have in common."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.panel = context.main_screen.panel
        self.share: ChosenShare | None = None
        """Newest share of a position that was chosen."""
        context.close_ticket = self.close_for_kill

    # Opening. The focus is set before these return, so that keys typed ahead reach the ticket.

    def open(self, ticket: Ticket, mode: Mode, *, at_row: bool = False) -> None:
        """Show a ticket and move the focus to it.

        One at the price of a row, or of a post-only order, is not meant to take: while it would, only `y` sends it.
        """
        main_screen = self._context.main_screen
        self.tell_replaced()
        self._drop_preview()
        if main_screen.table is not None:
            main_screen.home = main_screen.table.pane.id
        self.panel.show(ticket, mode)
        self._context.guard.record_opener(self.panel.subject)
        if (at_row and ticket.takes(self.panel.live_quote)) or (ticket.order is not None and ticket.post_only):
            self._context.guard.record_taking(self.panel.subject, self._takes)
        main_screen.arrange_panes()
        main_screen.set_focus(self.panel)
        main_screen.key_bar.redraw_all()

    def tell_replaced(self) -> None:
        """Say that a paused ticket, or one being sent, is dropped because another takes its place."""
        if self.panel.away or self.panel.sending:
            self._say_closed(f"{self.paused_text} dropped for another ticket")

    def _takes(self) -> bool:
        """Return whether the order of the open ticket would take liquidity at the present quote."""
        ticket = self.panel.ticket
        return ticket is not None and bool(ticket.takes(self.panel.live_quote))

    def open_replace(self) -> bool:
        """Open a replace ticket for the selected order; return whether it opened.

        While an amend is under way, the replace starts from its outcome and waits for the answer.
        """
        order = None if self._context.main_screen.table is None else self._find_selected_order()
        if order is not None:
            self.open(ticket_factory.replacement(order, self._context.view), Mode.REPLACE)
        return order is not None

    def _find_selected_order(self) -> OrderRow | None:
        """Return the selected order; None if there is none, or the cursor was just moved there by the program."""
        key = self._context.target()
        order = self._context.mirror.orders.get(key) if key is not None else None
        if order is None or self._context.refuse_after_cursor_move(describe_row(order, self._context.view)):
            return None
        return order

    # Focus

    def follow_focus(self) -> None:
        """React to a focus change: a pane or filter with the focus closes a replace ticket and pauses a new order.

        A paused ticket goes on when the focus comes back to it.
        """
        context, panel, ticket = self._context, self.panel, self.panel.ticket
        if context.app.screen is not context.main_screen or context.main_screen.focused is None:
            return
        if context.main_screen.is_at_ticket:
            if panel.away:
                context.guard.record_move()
                panel.resume()
        elif ticket is not None and ticket.order is not None and not panel.sending:
            self._say_closed(f"replace of {full_name(ticket.sym)} dropped")
            self.close()
        else:
            self.pause()

    def resume(self, wanted: Ticket) -> bool:
        """Resume a ticket that lost the focus if it equals the ticket that a key would open; return whether it did.

        A post-only price that was stepped or typed in it is kept.
        """
        ticket = self.panel.ticket
        same = ticket is not None and (ticket.sym, ticket.side, ticket.sided) == (wanted.sym, wanted.side, True)
        if not self.panel.away or not same or not (self.panel.sending or self._keeps_terms(wanted)):
            return False
        self._context.main_screen.set_focus(self.panel)
        self._context.guard.record_move()
        if self.panel.sending:
            self._context.say(f"{self.paused_text} was sent; its answer has not come yet, Esc closes the ticket")
        else:
            self._context.say(f"{self.paused_text} resumed; its price follows the market again")
        return True

    def _keeps_terms(self, wanted: Ticket) -> bool:
        """Return whether the open ticket's terms equal those a key would open, ignoring a price typed into it."""
        ticket = self.panel.ticket
        if ticket is None:
            return False
        chosen = wanted.post_only and ticket.price_mode is PriceMode.TYPED and ticket.painted is None
        joins = msgspec.structs.replace(ticket, price_mode=wanted.price_mode, price="") if chosen else ticket
        return joins.priced_as == wanted.priced_as

    @property
    def paused_text(self) -> str:
        """Short description of the open ticket for event lines: side, size and pair."""
        ticket = self.panel.ticket
        if ticket is None:
            return ""
        side = f"{ticket.side.value} " if ticket.sided else ""
        return f"{side}{ticket.qty} {full_name(ticket.sym)}"

    def pause(self) -> None:
        """Pause the ticket when another screen or dialog takes the keyboard; it sends nothing until resumed."""
        if self.panel.open and not self.panel.away and Rule.PAUSE in self._context.guard.rules:
            self.panel.pause()

    # Changes

    def change(self, ticket: Ticket) -> None:
        """Replace the open ticket by a changed version; drop questions and refusals about the old one."""
        if self.panel.sending:
            return
        self.panel.ask = None
        self.panel.refusal = ""
        self.panel.follow_price()
        self._context.guard.clear_refusals(self.panel.subject)
        self.panel.put(ticket.note_change(self.panel.ticket))
        self.show_preview()

    def touch(self) -> None:
        """Unlock the ticket after a refused key, because the trader has edited it."""
        self.panel.touch()
        self._context.guard.clear_refusals(self.panel.subject)

    def block(self, text: str) -> None:
        """Refuse a key in the ticket, and all further keys until the trader edits it."""
        self.panel.refuse_key(text)
        self._context.guard.refuse(self.panel.subject)
        self.refuse(self.panel.refused_key)

    def refuse(self, text: str) -> None:
        """Show in the ticket and in the events why a key did nothing."""
        self.panel.refusal = text
        self.panel.redraw_all()
        self._context.refuse(text)

    def show_preview(self) -> None:
        """Show in the order's row the price that the replace would set, and whether the replace was sent."""
        ticket = self.panel.ticket
        if ticket is not None:
            note_opposite_position(self.panel, ticket)
        if ticket is not None and ticket.order is not None:
            preview = ReplacePreview(ticket.limit_text(self.panel.quote), sent=bool(self.panel.sending))
            self._context.view.replace_previews[ticket.order.key] = preview
            self._touch_order(ticket.order.key)

    def _drop_preview(self) -> None:
        ticket = self.panel.ticket
        if ticket is not None and ticket.order is not None:
            self._context.view.replace_previews.pop(ticket.order.key, None)
            self._touch_order(ticket.order.key)

    def _touch_order(self, key: str) -> None:
        orders = self._context.main_screen.tables["orders"]
        orders.touch(key)
        orders.flush()

    # Closing

    def drop(self) -> None:
        """Drop the ticket without sending anything; the focus stays where it is if it is not in the ticket."""
        if self.panel.away:
            self.drop_paused()
            return
        if self.panel.sending:
            self._say_closed("")
        self.close()

    def drop_paused(self) -> str:
        """Drop a ticket that has lost the focus, and return what was said of it; empty if there is none."""
        if not self.panel.away:
            return ""
        said = self._say_closed(f"paused ticket {self.paused_text} dropped")
        self._drop_preview()
        self.panel.close()
        self._context.main_screen.arrange_panes()
        self._context.refresh_keys()
        return said

    def _say_closed(self, dropped: str) -> str:
        """Report that the ticket closes: with `dropped`, or that its order was sent; return the report."""
        panel = self.panel
        if panel.sending:
            said = f"the ticket is closed; its {panel.noun} was sent, the reply will be shown here"
        else:
            sent = f"the ticket's {panel.noun} was sent and rejected" if panel.rejected else "nothing was sent"
            said = f"{dropped}; {sent}"
        self._context.say(said)
        return said

    def close_for_kill(self) -> list[str]:
        """Close the command line and the ticket; return names of what is lost, none if anything was sent."""
        main_screen, panel, names = self._context.main_screen, self.panel, list[str]()
        has_line, typed = main_screen.line_field.display, main_screen.line_field.value.strip()
        if panel.sending or panel.rejected:
            self._say_closed(f"ticket {self.paused_text} dropped")
        elif has_line:
            names.append(f"line '{typed}'" if typed else "the command line, which was empty")
        elif panel.open:
            names.append(f"ticket {self.paused_text}")
        if has_line:
            main_screen.hide_line()
            main_screen.focus_list()
        if panel.open:
            self.close()
        return names

    def close(self) -> None:
        """Close the ticket and return the focus to the list."""
        self._drop_preview()
        self.panel.close()
        self._context.main_screen.arrange_panes()
        self._context.main_screen.focus_list()
        self._context.main_screen.key_bar.redraw_all()
