"""Handlers of keys inside the fields of a ticket: a typed value becomes the ticket's, and is judged, never repaired."""

from __future__ import annotations

from functools import partial

import msgspec
from textual.widgets import Input

from tui.interface.families.orders import OrderType, TimeInForce
from tui.workstation.context import IN_ONE_BURST, Context
from tui.workstation.controllers.order_keys import OrderKeys
from tui.workstation.input.handlers import Handlers
from tui.workstation.tickets import sizing
from tui.workstation.tickets.fields import Chooser, NumberField
from tui.workstation.tickets.panel import TicketPanel
from tui.workstation.tickets.ticket import PositionEffect, PriceMode, Problem, Ticket


class FieldKeys:
    """Text fields and choosers of the open ticket."""

    def __init__(self, context: Context, orders: OrderKeys) -> None:
        self._context = context
        self._orders = orders
        for field in (self.panel.size_field, self.panel.price_field, self.panel.rest_field):
            field.refuses = lambda text, field=field: self._letter_refused(field, text)  # type: ignore[misc]

    @property
    def panel(self) -> TicketPanel:
        return self._context.main_screen.panel

    def handlers(self) -> Handlers:
        """Handlers by action id."""
        return {
            "field.next": self.field_next,
            "field.back": self.field_back,
            "field.restore": self.field_restore,
            "field.up": partial(self._step_field, 1),
            "field.down": partial(self._step_field, -1),
            "choice.next": partial(self._cycle_choice, 1),
            "choice.previous": partial(self._cycle_choice, -1),
            "stop.next": partial(self._stop, 1),
            "stop.enter": partial(self._stop, 1, needed=True),
            "stop.back": partial(self._stop, -1),
        }

    def field_next(self) -> None:
        """Check the field; when it holds, go on. Only with the setting `send` does Enter send from a field."""
        field, context = self._context.main_screen.focused, self._context
        if not isinstance(field, NumberField):
            return
        if context.guard.burst:
            field.value = field.kept
            self._take_field(field)
            context.refuse("more keys at once than a hand types: the field is as it was")
            return
        if field.refused:
            field.refused = False
            context.refuse(f"{field.id}: a letter was refused; what stands there is {field.value!r}: press it again")
            return
        self._take_field(field)
        own = [problem for problem in self.panel.problems if problem.field == field.id]
        if own:
            context.refuse(own[0].text)
            return
        if field.id == "size" and self.panel.ticket is not None and field.value != self.panel.ticket.qty:
            field.put(self.panel.ticket.qty)
        field.kept = field.value
        entered = context.key == "enter"
        if entered and context.settings.enter_in_field == "send":
            if context.guard.joined:
                context.refuse(IN_ONE_BURST)
            else:
                self._orders.ticket_send()
            return
        self._stop(1, needed=entered)

    def _letter_refused(self, field: NumberField, text: str) -> bool:
        """Whether a letter makes no sense in a field; it is said which would."""
        ticket = self.panel.ticket
        if ticket is None:
            return False
        why = "digits and one dot only"
        if field.id == "size":
            why = sizing.letter_refused(text, ticket)
        if why:
            self._context.refuse(f"{field.id}: {text!r} refused, Backspace goes on: {why}")
        return bool(why)

    def field_back(self) -> None:
        if isinstance(self._context.main_screen.focused, NumberField):
            self._stop(-1)

    def field_restore(self) -> None:
        field = self._context.main_screen.focused
        if isinstance(field, NumberField):
            field.value = field.kept
            self._take_field(field)
            self._context.main_screen.set_focus(self.panel)

    def _step_field(self, steps: int) -> None:
        field = self._context.main_screen.focused
        ticket = self.panel.ticket
        if not isinstance(field, NumberField) or ticket is None:
            return
        self._take_field(field)
        ticket = self.panel.ticket or ticket
        changed = ticket.stepped_price(steps, self.panel.quote) if field.id == "price" else ticket.stepped_size(steps)
        self._orders.change(changed)

    def _take_field(self, field: NumberField) -> None:
        """The typed value becomes the ticket's, whatever it is; the whole ticket is judged again."""
        panel = self.panel
        ticket = panel.ticket
        if ticket is None:
            return
        field.taken = field.value
        if field.id == "size":
            self._take_size(field, ticket)
            return
        if field.id in ("tp", "sl"):
            name = "profit" if field.id == "tp" else "stop"
            changed = msgspec.structs.replace(ticket, **{name: field.value})
        elif field.id == "rest" and ticket.order is not None:
            changed = ticket
            if field.value != ticket.remaining_text():
                changed = msgspec.structs.replace(ticket, rest=field.value).following(ticket.order)
                panel.size_field.put(changed.qty)
        elif field.value == ticket.limit_text(panel.quote):
            changed = ticket
        else:
            changed = msgspec.structs.replace(ticket, price_mode=PriceMode.TYPED, price=field.value)
        self._took(field, changed)

    def _take_size(self, field: NumberField, ticket: Ticket) -> None:
        """Another unit becomes the venue's own; what is typed stays in the field until the next one is entered."""
        panel = self.panel
        try:
            typed = sizing.read(field.value, ticket, panel.quote, self._context.mirror)
        except sizing.BadSize as error:
            panel.ticket = msgspec.structs.replace(ticket, qty="", rest="", closes_exactly=False)
            panel.complain([Problem("size", f"size: {error}")])
            return
        share = (typed.share, typed.quantity) if typed.share else ticket.share
        spends = (typed.quote, typed.quantity) if typed.quote else ticket.spends
        changed = msgspec.structs.replace(
            ticket, qty=typed.quantity, rest="", share=share, spends=spends, closes_exactly=False
        )
        if ticket.order is not None:
            panel.rest_field.put(changed.remaining_text())
        self._took(field, changed)

    def _took(self, field: NumberField, changed: Ticket) -> None:
        panel = self.panel
        panel.ticket = changed
        panel.ask, panel.refusal = None, ""
        panel.complain([problem for problem in changed.problems(panel.quote) if problem.field == field.id])
        self._orders.show_replace_preview()

    def typed(self, event: Input.Changed) -> None:
        """A character arrived in a field: figures beside it follow, and nothing is repaired."""
        field = event.input
        if not isinstance(field, NumberField) or not self.panel.open or self.panel.sending:
            return
        if field.value not in (field.taken, field.shown):
            self._take_field(field)

    def _cycle_choice(self, steps: int) -> None:
        if isinstance(self._context.main_screen.focused, Chooser):
            self._context.main_screen.focused.cycle(steps)

    def chosen(self, chooser: Chooser) -> None:
        """A chooser of the form has another value."""
        ticket = self.panel.ticket
        if ticket is None or self.panel.sending:
            return
        if chooser.id == "intent":
            changed = msgspec.structs.replace(ticket, effect=PositionEffect(chooser.value))
        elif chooser.id == "type":
            changed = msgspec.structs.replace(ticket, order_type=OrderType(chooser.value))
        else:
            changed = msgspec.structs.replace(ticket, tif=TimeInForce(chooser.value), tif_chosen=True)
        self._orders.change(changed)

    def _stop(self, steps: int, *, needed: bool = False) -> None:
        """Go to the next stop; `needed` passes over fields that an order can do without and that are empty."""
        main_screen = self._context.main_screen
        main_screen.set_focus(self.panel.stop_beside(main_screen.focused, steps, needed=needed))
