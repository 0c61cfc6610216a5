"""Key handlers of ticket fields; typed values are validated, never corrected."""

from __future__ import annotations

import re
from functools import partial

import msgspec
from textual.widget import Widget

from tui.engine.event_line import Level
from tui.interface.families.orders import OrderType, TimeInForce
from tui.workstation.commands.context import Context
from tui.workstation.features.trading.order_keys import OrderKeys
from tui.workstation.input.actions import format_key
from tui.workstation.input.fresh_press import IN_A_BURST, describe_ignored
from tui.workstation.input.handlers import Handlers
from tui.workstation.input.line_editor import MOST_TYPED
from tui.workstation.input.scopes import LETTERS_FREE, QUESTIONS, TICKET, Scope
from tui.workstation.model.event_levels import Stay
from tui.workstation.table.line_field import PASTED
from tui.workstation.tickets.fields import MAX_TYPED, Chooser, Mode, NumberField
from tui.workstation.tickets.order import sizing
from tui.workstation.tickets.order.checks import Problem
from tui.workstation.tickets.order.terms import UNSIDED, PositionEffect
from tui.workstation.tickets.order.ticket import NOT_SHOWN, Ticket
from tui.workstation.tickets.panel import TicketPanel
from tui.workstation.tickets.panel_hints import name_stepped

TOO_LONG = f"the pasted text has more than {MAX_TYPED} characters: nothing was inserted"
JOINED_LINES = "pasted lines joined: write ; between commands"
REFUSED = "A letter was refused"
"""Begin of what a field says once a key came behind a letter; it names the field."""
_NO_FIGURE = "use digits, one dot, and k or m for thousands or millions"
_TYPED_FIGURE = re.compile(r"[0-9._]*[kKmM]?")


class FieldKeys:
    """Key handlers of the text fields and choosers in the open ticket."""

    def __init__(self, context: Context, orders: OrderKeys) -> None:
        self._context = context
        self._orders = orders
        self._converted: tuple[str, object] | None = None
        """Typed size in another unit, or as a percentage, as it was converted last, and the ticket that took it."""
        self.panel.on_keys_change = context.refresh_keys
        for field in (self.panel.size_field, self.panel.price_field, self.panel.rest_field):
            field.refuse_letter = lambda text, field=field: self._letter_refused(field, text)  # type: ignore[misc]
        for field in self.panel.fields.values():
            field.on_touch = self._orders.ticket.touch
            field.changed = partial(self.apply_typed, field)
            field.explain_lock = lambda field=field: self._tell_shut(field)  # type: ignore[misc]
            field.refuse_edit = context.refuse_sent
            field.refuse_paste = partial(self._shut, field, TOO_LONG)
            field.tell_refused = partial(self._tell_refused, field)

    @property
    def panel(self) -> TicketPanel:
        return self._context.main_screen.panel

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {
            "field.next": self.field_next,
            "field.back": self.field_back,
            "field.restore": self.field_restore,
            "field.up": partial(self._step_field, 1),
            "field.down": partial(self._step_field, -1),
            "field.up10": partial(self._step_price, 10),
            "field.down10": partial(self._step_price, -10),
            "choice.next": partial(self._cycle_choice, 1),
            "choice.previous": partial(self._cycle_choice, -1),
            "stop.next": partial(self._stop, 1),
            "stop.enter": partial(self._stop, 1, needed=True),
            "stop.back": partial(self._stop, -1),
        }

    def field_next(self) -> None:
        """Validate the field and move to the next; in a staged order's size field, Enter or `y` sends the order instead."""
        field, context = self._context.main_screen.focused, self._context
        if not isinstance(field, NumberField):
            return
        if context.guard.burst:
            self._take_field(field)
            self._refuse_key(field, describe_ignored(format_key(context.key), IN_A_BURST))
            return
        # A size that was converted is sent as it is shown: converted again now it may be another one.
        if field.id != "size" or self._converted != (field.value, self.panel.subject):
            self._take_field(field)
        if self._refuse_value(field):
            return
        if field.id == "size" and self.panel.ticket is not None and field.value != self.panel.ticket.qty:
            field.put(self.panel.ticket.qty)
        self._keep(field)
        entered = context.key in ("enter", "y")
        if not entered or self.panel.mode is not Mode.STAGED:
            self._stop(1, needed=entered)
        elif context.guard.is_joined:
            context.main_screen.set_focus(self.panel)
            context.refuse(self.panel.refuse_enter())
        else:
            self._orders.sending.field_send()

    def _letter_refused(self, field: NumberField, text: str) -> bool:
        """Refuse a letter that is invalid in a field and explain what is accepted; return whether it was refused."""
        ticket = self.panel.ticket
        if ticket is None:
            return False
        accepted = _NO_FIGURE if _TYPED_FIGURE.fullmatch(text) is None else ""
        why = f"'{text[-1:]}' isn't valid here: {accepted}"
        if field.id == "size":
            accepted = sizing.check_letters(text, ticket)
            why = f"size {accepted}"
        if accepted:
            self._refuse_key(field, why, accepted=accepted)
        return bool(accepted)

    def _refuse_key(self, field: NumberField, why: str, accepted: str = "") -> None:
        """Refuse a key in a field, and all further keys until Backspace, which then only ends the refusing.

        Args:
            field: The field.
            why: The reason.
            accepted: What the field accepts, if the key was a letter.
        """
        field.refused, field.accepted = True, accepted
        self.panel.refuse_key(why)
        self._tell_refused(field)

    def refuse_at_focus(self, why: str) -> None:
        """Say why a key did nothing; a ticket or field that has the focus says it too, and takes no keys behind it."""
        main_screen = self._context.main_screen
        if not self.panel.open or self.panel.sending or self._context.list_screen is not main_screen:
            self._context.refuse(why)
        elif isinstance(main_screen.focused, NumberField):
            self._refuse_key(main_screen.focused, why)
        elif main_screen.is_at_ticket:
            self._orders.ticket.block(why)
        else:
            self._context.refuse(why)

    def _tell_refused(self, field: NumberField) -> None:
        """Show why a field refused a key; the event line counts repeated keys."""
        self._context.guard.refuse(self.panel.subject)
        said = self.panel.refused_key
        self._context.refuse(said if said.startswith((REFUSED, f"{field.id} ")) else f"{field.id}: {said}")

    def _refuse_value(self, field: NumberField) -> bool:
        """Refuse to leave a field with an invalid value, and lock it until it is corrected; return whether refused."""
        own = [error for error in self.panel.problems if error.field == field.id]
        if own and field.value.strip():
            self._shut(field, own[0].text)
        elif own:
            self._context.refuse(own[0].text)
            self._context.guard.refuse(self.panel.subject)
        return bool(own)

    def _shut(self, field: NumberField, why: str) -> None:
        """Lock a field and refuse further typing until the trader corrects the value."""
        field.locked = True
        self.panel.refuse_key(why)
        self._context.guard.refuse(self.panel.subject)
        self._context.refuse(why)

    def _tell_shut(self, field: NumberField) -> None:
        own = [error.text for error in self.panel.problems if error.field == field.id]
        self._shut(field, own[0] if own else f"the {field.id} stays {field.value}: ⟦edit.erase⟧ changes it")

    def take_paste(self, text: str) -> bool:
        """Handle a paste where no text field has the keyboard; return False where one has it.

        On a ticket it is the size, as typed digits are; a text that is no size blocks the ticket.
        """
        context, scope = self._context, self._context.scope
        line = context.main_screen.line_field
        if scope in TICKET:
            self._paste_size(text)
        elif scope in QUESTIONS and scope is not Scope.WORD:
            context.guard.record_move()
            context.refuse("a pasted text is no answer here: type the answer")
        elif scope in LETTERS_FREE and scope is not Scope.FORM_END:
            context.refuse("the pasted text was ignored: open a field first")
        elif scope is Scope.LINE and not line.refused and len(line.editor.preview(text)) > MOST_TYPED:
            # What was typed before is another command without the pasted text: it must not be carried out.
            line.select_all()
            line.type("")
            context.refuse(f"the line would have more than {MOST_TYPED} characters: it is empty now")
        else:
            if scope is Scope.LINE and len(text.strip().splitlines()) > 1:
                context.say(JOINED_LINES, Level.WARN, stay=Stay.NEXT_KEY)
            return False
        return True

    def _paste_size(self, text: str) -> None:
        """Put a pasted text into the size field of the open ticket; block the ticket if the text is no size."""
        context, panel = self._context, self.panel
        if context.refuse_sent(PASTED):
            return
        if panel.ticket is None or panel.blocked:
            context.guard.refuse(panel.subject)
            context.refuse(panel.refused_key)
        elif why := self._check_paste(text, panel.ticket):
            self._orders.ticket.block(why)
        else:
            context.key = "paste"
            self._orders.edits.size_type()
            if not panel.blocked:
                panel.size_field.start(text.strip())

    def _check_paste(self, text: str, ticket: Ticket) -> str:
        """Return why a pasted text is no size of a ticket; empty if it is one."""
        if len(text) > MAX_TYPED:
            return TOO_LONG
        try:
            sizing.parse(text, ticket, self.panel.quote, self._context.mirror)
        except sizing.BadSize as error:
            return f"the pasted text is no size: {error}"
        return ""

    def field_back(self) -> None:
        if isinstance(self._context.main_screen.focused, NumberField):
            self._stop(-1)

    def field_restore(self) -> None:
        """Undo the typing in a field and leave it; close a sent ticket, an unchanged replace or a changed staged order."""
        field = self._context.main_screen.focused
        if isinstance(field, NumberField):
            if self.panel.sending:
                self._orders.ticket.drop()
                return
            if field.value == field.initial_text and self.panel.mode is Mode.REPLACE and self._is_unchanged():
                self._orders.ticket.drop()
                return
            if field.value != field.initial_text:
                if self.panel.mode is Mode.STAGED:
                    self._orders.ticket.drop()
                    return
                self.panel.typed = False
                self._context.guard.take_back(self.panel.subject)
            self._orders.ticket.touch()
            self._restore(field)
            self._context.main_screen.set_focus(self.panel)
            self._context.guard.record_move()

    def _is_unchanged(self) -> bool:
        """Return whether the replace ticket still has the price and total quantity of its order."""
        ticket = self.panel.ticket
        order = ticket.order if ticket is not None else None
        if ticket is None or order is None:
            return False
        return (ticket.price, ticket.qty) == (order.requested_price or order.price, order.requested_qty or order.qty)

    def _keep(self, field: NumberField) -> None:
        """Remember the field's value and the ticket values that it sets, so that Esc can restore them."""
        ticket = self.panel.ticket
        field.keep({} if ticket is None else ticket.parts_of_field(str(field.id)))

    def _restore(self, field: NumberField) -> None:
        """Restore the field and ticket values from before typing; a price that followed the market follows it again."""
        ticket = self.panel.ticket
        field.value = field.initial_text
        if ticket is None or not field.initial_parts:
            self._take_field(field)
            return
        self._set_ticket(field, msgspec.structs.replace(ticket, **field.initial_parts))
        self.panel.follow()

    def _step_field(self, steps: int) -> None:
        field = self._context.main_screen.focused
        ticket = self.panel.ticket
        if not isinstance(field, NumberField) or ticket is None:
            return
        if field in (self.panel.profit_field, self.panel.stop_field):
            self._shut(field, f"{format_key(self._context.key)} only steps price or size: type the {field.id}")
            return
        if self.panel.mode is Mode.STAGED and name_stepped(self.panel) != "size":
            # As on the line without the cursor in it: a size that was typed is not another one behind a step.
            self._step_price(steps)
            return
        self._orders.ticket.touch()
        self._take_field(field)
        ticket = self.panel.ticket or ticket
        if self.panel.mode is Mode.STAGED:
            # Held, it would go on from the corrected size to the price.
            self._context.guard.record_done()
        step = ticket.step_price if field.id == "price" else ticket.step_size
        changed = step(steps, self.panel.quote)
        self._orders.ticket.change(changed)

    def _step_price(self, ticks: int) -> None:
        """Step the order's price by ticks from the focused field; refuse in the profit and stop fields and at market."""
        panel, key = self.panel, format_key(self._context.key)
        field = self._context.main_screen.focused
        if not isinstance(field, NumberField) or panel.ticket is None:
            return
        if field in (panel.profit_field, panel.stop_field):
            self._shut(field, f"{key} only steps the order's price: type the {field.id}")
            return
        self._take_field(field)
        if self._refuse_value(field):
            return
        changed = panel.ticket.step_price(ticks, panel.quote)
        if panel.ticket.at_market or changed is panel.ticket:
            self._shut(field, f"{key} steps the price, but this order has none")
            return
        self._keep(field)
        self._context.main_screen.set_focus(panel if panel.mode is Mode.STAGED else panel.price_field)
        self._orders.ticket.change(changed)

    def _take_field(self, field: NumberField) -> None:
        """Copy a typed value into the ticket, even an invalid one, and validate the ticket."""
        panel = self.panel
        ticket = panel.ticket
        if ticket is None:
            return
        if field.id == "size":
            self._take_size(field, ticket)
            return
        if field.id in ("tp", "sl"):
            name = "profit" if field.id == "tp" else "stop"
            changed = msgspec.structs.replace(ticket, **{name: field.value})
        elif field.id == "rest" and ticket.order is not None:
            changed = ticket
            if field.value != ticket.remaining_text():
                changed = msgspec.structs.replace(ticket, rest=field.value).follow_order(ticket.order)
                panel.size_field.put(changed.qty)
        elif field.value == ticket.limit_text(panel.quote):
            changed = ticket
        else:
            changed = ticket.with_price(field.value)
        self._set_ticket(field, changed)

    def _take_size(self, field: NumberField, ticket: Ticket) -> None:
        """Convert a typed size to the venue's unit; the field keeps the typed text until it is left."""
        panel = self.panel
        self._converted = None
        try:
            typed = sizing.parse(field.value, ticket, panel.quote, self._context.mirror)
        except sizing.BadSize as error:
            # The answer was about the size that stood there before.
            panel.refusal = ""
            panel.drop_question()
            panel.ticket = msgspec.structs.replace(ticket, qty="", rest="", part=None)
            panel.show_problems([Problem("size", f"size: {error}")])
            return
        spends = (typed.quote, typed.quantity) if typed.quote else ticket.spends
        unrounded = (typed.unrounded, typed.quantity) if typed.unrounded is not None else ticket.unrounded
        preset = "" if typed.converted else ticket.preset
        shared = ticket
        if typed.share:
            shared = ticket.with_share(typed.share, typed.quantity, whole=typed.whole, percent=typed.percent)
        changed = msgspec.structs.replace(
            shared,
            qty=typed.quantity,
            rest="",
            spends=spends,
            unrounded=unrounded,
            preset=preset,
            part=None,
            opposite=ticket.opposite if typed.quantity == ticket.qty else NOT_SHOWN,
        )
        if ticket.order is not None:
            panel.rest_field.put(changed.remaining_text())
        self._set_ticket(field, changed)
        self._converted = (field.value, panel.subject) if typed.converted else None

    def _set_ticket(self, field: NumberField, changed: Ticket) -> None:
        panel = self.panel
        panel.ticket = changed = changed.note_change(panel.ticket)
        panel.ask, panel.refusal = None, ""
        panel.follow_price()
        self._context.guard.clear_refusals(panel.subject)
        panel.show_problems([problem for problem in changed.problems(panel.quote) if problem.field == field.id])
        self._orders.ticket.show_preview()

    def apply_typed(self, field: NumberField) -> None:
        """Apply what is being typed in a field at once; dependent values are recomputed."""
        panel = self.panel
        if panel.open and not panel.sending:
            could_send, panel.typed, panel.failure = panel.can_send, True, ""
            with panel.contain_errors():
                self._take_field(field)
            if panel.can_send is not could_send:
                self._context.refresh_keys()

    def _cycle_choice(self, steps: int) -> None:
        if isinstance(self._context.main_screen.focused, Chooser):
            self._context.main_screen.focused.cycle(steps)

    def apply_choice(self, chooser: Chooser) -> None:
        """Copy a changed choice (intent, order type or time in force) into the ticket."""
        ticket = self.panel.ticket
        if ticket is None or self.panel.sending:
            return
        if chooser.value == UNSIDED:
            self.panel.put(ticket)
            return
        if chooser.id == "intent":
            changed = msgspec.structs.replace(ticket, effect=PositionEffect(chooser.value), sided=True)
        elif chooser.id == "type":
            changed = ticket.with_type(OrderType(chooser.value))
        else:
            changed = msgspec.structs.replace(ticket, tif=TimeInForce(chooser.value), tif_chosen=True)
        self._orders.ticket.change(changed)

    def _stop(self, steps: int, *, needed: bool = False) -> None:
        """Move the focus by a number of fields in the ticket; `needed` skips empty optional fields and requires a side."""
        main_screen = self._context.main_screen
        if needed and self._lacks_side(main_screen.focused):
            return
        there = self.panel.neighbour_stop(main_screen.focused, steps, needed=needed)
        main_screen.set_focus(there)
        if there is self.panel.size_field and self.panel.mode is Mode.STAGED and self.panel.typed:
            there.locked = True
        self._context.guard.record_walk(self.panel.subject)

    def _lacks_side(self, focused: Widget | None) -> bool:
        """Return whether Enter would leave the side unchosen; if so, explain how to choose it."""
        ticket = self.panel.ticket
        if focused is not self.panel.intent_choice or ticket is None or ticket.sided:
            return False
        self.panel.show_problems(ticket.problems(self.panel.quote))
        self._context.refuse(self.panel.problems[0].text)
        self._context.guard.record_walk(self.panel.subject)
        return True
