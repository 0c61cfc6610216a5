"""Sending of the open ticket: by a fresh press, after its questions; each way ends in one intent and one `submit`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec
from textual.widget import Widget

from tui.engine.intents import GUARD_JOINT, Outcome, Place, Replace, Verdict
from tui.engine.rows import QuoteRow
from tui.workstation.commands.context import Context
from tui.workstation.commands.order_outcome import refusal_text, report_outcome
from tui.workstation.features.trading.open_ticket import OpenTicket
from tui.workstation.input.actions import format_key
from tui.workstation.input.handlers import Handlers
from tui.workstation.model.event_levels import Stay
from tui.workstation.tickets.fields import FORMS, NumberField
from tui.workstation.tickets.order import price_move, refusals
from tui.workstation.tickets.order.checks import Problem
from tui.workstation.tickets.order.terms import PriceMode
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.figures import journal_text

MOVED = "MOVED"
"""Guard name of the second question, asked when the market has left the price of the first."""
NOT_ASKED = "the question is closed: the ticket follows the market again, {} sends it"
FORESEEN = "FORESEEN"
"""Guard name of the question about a command line that the venue would refuse."""
REFILLED = "REFILLED"
"""Guard name of the question asked when an order filled further while its replace was prepared."""


def _explain_price(ticket: Ticket) -> str:
    """Return why the price in a question cannot be renewed."""
    if ticket.at_market:
        return "cannot update the price: a market order has none"
    if ticket.price_mode is PriceMode.TYPED:
        return "cannot update the price: the price was typed; Esc goes back to change it"
    return "cannot update the price: the market has not moved since the question"


class TicketSending:
    """Key handlers that send the open ticket and show the answer."""

    _confirmed: frozenset[str] = frozenset()
    """Guards that were confirmed for this ticket."""

    def __init__(self, context: Context, ticket: OpenTicket) -> None:
        self._context = context
        self.ticket = ticket
        self._panel = ticket.panel
        self.last: Ticket | None = None
        """Last new order that was sent."""

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {
            "ticket.send": self.ticket_send,
            "ticket.send_form": self.ticket_send,
            "ticket.confirm": self.ticket_confirm,
            "ticket.unask": self.ticket_unask,
            "ticket.requote": self.ticket_requote,
        }

    def ticket_send(self) -> None:
        """Send the ticket on Enter, or on `y` where Enter was refused."""
        panel = self._panel
        if panel.sending or panel.ticket is None:
            return
        if self._context.key == "y" and not panel.takes_y:
            self.ticket.refuse(panel.expect_refusal or "Enter sends this; y sends only where Enter was refused")
            return
        self._send_if_fresh(partial(self._send, frozenset()))

    def field_send(self, field: Widget | None = None) -> None:
        """Send the ticket on Enter in a text field; None: the size field of a preview ticket."""
        send, typed_in = partial(self._send, frozenset()), field or self._panel.size_field
        self._send_if_fresh(send, lambda: send() if typed_in.has_focus else None)

    def send_nudge(self) -> None:
        """Send a replace that was made only by stepping price or size, in HOT, without a key press."""
        self._send(hot=True)

    def _send_if_fresh(self, send: Callable[[], None], again: Callable[[], None] | None = None) -> None:
        """Send if the ticket is valid and the key press passes the guard; else show in the ticket why not."""
        problems = self._problems()
        if problems:
            self._refuse_send(problems)
            return
        panel = self._panel
        why = self._context.may_send(panel.written, again)
        if why is None:
            send()
        elif why:
            # What the desk would deny is sent by no key: none is named.
            refusal = panel.desk_refusal
            self.ticket.refuse(why if refusal is None else refusal.text)

    def _problems(self) -> list[Problem]:
        """Return the problems that prevent sending the ticket."""
        ticket = self._panel.ticket
        if ticket is None:
            return []
        if self._panel.failure:
            return [Problem("", f"{self._panel.failure}; nothing was sent")]
        return refusals.list_problems_now(ticket, self._panel.quote, self._context.view)

    def _refuse_send(self, problems: list[Problem]) -> None:
        """Show the problem and focus its field; the same key is refused until the field is changed."""
        context, panel = self._context, self._panel
        panel.show_problems(problems, refused=True)
        context.refuse(problems[0].text)
        context.guard.refuse(panel.subject)
        if panel.mode in FORMS or problems[0].field == "size":
            field = panel.fields.get(problems[0].field) or panel.choosers.get(problems[0].field)
            if field is not None and field in panel.stops():
                context.main_screen.set_focus(field)
                if isinstance(field, NumberField):
                    field.locked = bool(field.value)

    def _send(self, confirmed: frozenset[str] = frozenset(), *, hot: bool = False) -> None:
        context, panel = self._context, self._panel
        ticket, quote = panel.ticket, panel.quote
        if ticket is None or ticket.dry or panel.sending or panel.paused or panel.blocked:
            return
        reason = context.not_armed_reason()
        if reason:
            context.refuse(reason)
            return
        if ticket.order is not None and not self._check_fills(ticket, confirmed):
            return
        ticket = panel.ticket or ticket
        problems = self._problems()
        if problems:
            self._refuse_send(problems)
            return
        if panel.ask is None and self._refuse_foreseen():
            return
        if quote is panel.live_quote:
            panel.hold_price()
        intent = self._build_intent(ticket, quote, confirmed, hot=hot)
        panel.ask, panel.refusal, panel.sending = None, "", context.view.now
        panel.known_orders = frozenset(context.mirror.orders)
        self.ticket.show_preview()
        context.submit(intent, partial(self._handle_outcome, panel.token, confirmed, ticket))
        panel.refresh()

    def _refuse_foreseen(self) -> bool:
        """Refuse to send on Enter an order that the venue would probably refuse; return whether it was refused.

        It has the last word: `y` sends all the same, on the command line to a question. What the desk itself would deny
        goes to the gate, which denies it.
        """
        context, panel = self._context, self._panel
        why = "" if context.key == "y" or panel.desk_refusal else panel.venue_refusal
        if why and panel.in_line:
            self._confirmed = frozenset()
            panel.hold_price()
            self._ask(Outcome(verdict=Verdict.ASK, guard=FORESEEN, text=f"{why}: send all the same?"))
        elif why:
            context.refuse(f"{why}: y sends all the same")
            context.guard.name_y(panel.subject)
            context.guard.record_move()
        return bool(why)

    def _ask(self, question: Outcome) -> None:
        """Show a question of the desk (not of the gate) in the ticket."""
        panel = self._panel
        panel.ask = question
        self._context.main_screen.set_focus(panel)
        panel.refresh()
        self._context.main_screen.key_bar.redraw_all()

    def _build_intent(
        self, ticket: Ticket, quote: QuoteRow | None, confirmed: frozenset[str], *, hot: bool = False
    ) -> Place | Replace:
        """Build the order or replace that the ticket sends, with the preview figures shown."""
        build_decision = self._context.build_decision
        # Of a replace too: they stand still until its answer.
        shown = self._panel.figures(ticket)
        if ticket.order is not None:
            return msgspec.structs.replace(
                ticket.replacement(build_decision("replace form"), quote, confirmed), hot=hot
            )
        return ticket.place(build_decision("ticket"), quote, confirmed, journal_text(shown))

    def _check_fills(self, ticket: Ticket, confirmed: frozenset[str]) -> bool:
        """Update a replace after new fills of its order, and ask if there were any; return whether it may be sent."""
        panel = self._panel
        if panel.end_reason:
            panel.ask = None
            self._context.refuse(panel.end_reason)
            return False
        order = self._context.mirror.orders.get(ticket.order.key) if ticket.order is not None else None
        if order is None or ticket.order is None or not order.has_other_fills(ticket.order):
            return True
        before = ticket.order.filled
        panel.put(ticket.follow_order(order))
        if REFILLED in confirmed:
            return True
        text = f"filled {order.filled} now, {before} when this form opened; send the total {panel.ticket.qty}?"  # type: ignore[union-attr]
        self._confirmed = confirmed
        self._ask(Outcome(verdict=Verdict.ASK, key=order.key, guard=REFILLED, text=text))
        return False

    # Questions

    def ticket_confirm(self) -> None:
        if self._panel.ask is None:
            return
        if why := self._panel.denial:
            self.ticket.refuse(why)
        else:
            self._send_if_fresh(self._confirm)

    def _confirm(self) -> None:
        ask = self._panel.ask
        if ask is None:
            return
        confirmed = self._confirmed | frozenset(ask.guard.split(GUARD_JOINT))
        if not self._ask_if_moved(confirmed):
            self._send(confirmed)

    def _ask_if_moved(self, confirmed: frozenset[str]) -> bool:
        """Ask again if the market has moved too far from the price in the question; return whether it asked."""
        panel, moved = self._panel, self._panel.compute_move()
        ticket, status = panel.ticket, self._context.mirror.engine_status
        if moved is None or ticket is None or not price_move.is_far_move(ticket, moved, status):
            return False
        before, now = (self._context.view.price_of(ticket.sym, price) for price in moved)
        self._confirmed = confirmed
        panel.hold_price()
        panel.ask = Outcome(
            verdict=Verdict.ASK, guard=MOVED, text=f"the price moved from {before} to {now}: send at {now}?"
        )
        panel.redraw_all()
        self._context.main_screen.key_bar.redraw_all()
        return True

    def ticket_requote(self) -> None:
        """Update the question to the present price, with what the gate asks about that; nothing is sent."""
        panel, context = self._panel, self._context
        if panel.ticket is None or panel.ask is None:
            return
        if not panel.can_requote:
            context.refuse_key(context.key, _explain_price(panel.ticket))
            return
        panel.hold_price()
        if panel.ask.guard == MOVED:
            now = context.view.price_of(panel.ticket.sym, panel.ticket.reference(panel.quote))
            panel.ask = msgspec.structs.replace(panel.ask, text=f"send at {now}?")
        elif panel.ask.guard != REFILLED:
            answer = context.foresee_one(self._build_intent(panel.ticket, panel.quote, self._confirmed))
            if answer is None or answer.verdict is not Verdict.ASK:
                self.ticket_unask()
                denied = answer is not None and answer.verdict is Verdict.DENIED
                sends = NOT_ASKED.format(format_key(panel.name_send_key()))
                context.say(refusal_text(answer) if answer and denied else sends, stay=Stay.NEXT_KEY)
                context.guard.record_move()
                return
            panel.ask = answer
        context.guard.record_move()
        panel.redraw_all()
        context.main_screen.key_bar.redraw_all()

    def ticket_unask(self) -> None:
        self.ticket.touch()
        self._panel.drop_question()
        self._panel.refusal, self._panel.typed = "", False
        self._panel.refresh()
        self._context.main_screen.key_bar.redraw_all()

    # Outcome

    def _handle_outcome(self, token: int, confirmed: frozenset[str], ticket: Ticket, outcome: Outcome) -> None:
        """Report the outcome of a sent ticket in the events, and in the ticket while it is open."""
        panel = self._panel
        is_open = token == panel.token and panel.open
        if outcome.verdict not in (Verdict.DENIED, Verdict.ASK):
            self.remember(ticket)
        if not is_open or outcome.verdict is not Verdict.ASK:
            report_outcome(self._context, outcome)
        if is_open:
            panel.sending = 0.0
            # What changed meanwhile is not what ends the answer.
            panel.follow()
            self.show_outcome(outcome, confirmed)
        panel.refresh()
        self._context.main_screen.key_bar.redraw_all()

    def remember(self, ticket: Ticket) -> None:
        """Remember a sent new order, so that it can be staged again."""
        if ticket.order is None:
            # Sent again it is an order at a typed price, and the trader's own: no screen and no program shows it then.
            self.last = msgspec.structs.replace(ticket, preset="", painted=None, proposal=None)

    def show_outcome(self, outcome: Outcome, confirmed: frozenset[str]) -> None:
        """Show an outcome in the open ticket: ask a question, show a refusal, or close the ticket."""
        if outcome.verdict is Verdict.ASK:
            self._confirmed, self._panel.ask = confirmed, outcome
            if not self._panel.paused:
                self._context.main_screen.set_focus(self._panel)
        elif outcome.verdict in (Verdict.DENIED, Verdict.REJECTED):
            # Digits typed next begin another size, rather than extend the refused one.
            # A denial that is foreseen stands in the ticket already, with the figures of now.
            refusal = self._panel.desk_refusal if outcome.verdict is Verdict.DENIED else None
            is_foreseen = refusal is not None and refusal.guard == outcome.guard
            self._panel.refusal, self._panel.typed = "" if is_foreseen else refusal_text(outcome), False
            self._panel.rejected = outcome.verdict is Verdict.REJECTED or self._panel.rejected
            self._panel.size_field.select_all()
            if not self._panel.paused:
                self._panel.follow_price()
        else:
            self.ticket.close()
        self.ticket.show_preview()
