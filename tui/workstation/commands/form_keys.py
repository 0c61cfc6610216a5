"""Key handlers of forms: open a form, move in it, send it and show the reply."""

from __future__ import annotations

import re
from functools import partial
from typing import Any, TypeAlias

from msgspec.structs import replace

from tui.engine.intents import GUARD_JOINT, AccountCommand, Outcome, PlaceAlgo, SetPositionMode, Verdict
from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import Context
from tui.workstation.commands.order_outcome import refusal_text, report_outcome
from tui.workstation.input.actions import format_key
from tui.workstation.input.handlers import Handlers
from tui.workstation.model.algo_figures import describe_condition
from tui.workstation.model.instruments import full_name
from tui.workstation.model.number_format import figure
from tui.workstation.widgets.forms.body import FormBody, FormDesk, FormScreen
from tui.workstation.widgets.forms.view import AskedCommand, FieldSpec, FormCommand, FormSubject
from tui.workstation.widgets.list_modal import BoxModal
from tui.workstation.widgets.question import Option, Question

_FIGURE = re.compile(r"\s*[+-]?\s*\$?(\d+([.,]\d*)?|[.,]\d+)\s*[A-Za-z%$]*\s*")
Box: TypeAlias = BoxModal[Any, Any]
WAIT = "the form was already sent; wait for the reply"
UNCONFIRMED = "not confirmed: nothing was sent"


class FormKeys:
    """Form key handlers; one instance per app, while forms are built each time they open."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {
            "form.take": self.take,
            "form.send": self.send,
            "form.next": partial(self._move, 1),
            "form.back": partial(self._move, -1),
            "form.turn": partial(self._turn, 1),
            "form.turn_back": partial(self._turn, -1),
        }

    def blocks(self) -> Blocks:
        """Return no block reasons."""
        return {}

    def open(self, subject: FormSubject) -> None:
        """Open a form; opening it sends nothing."""
        context, screen = self._context, self._context.list_screen
        desk = FormDesk(context.port.read, context.not_armed_reason, context.foresee_one, context.view.name_keys)
        body = FormBody(subject, screen.palette, desk)
        body.on_touch = partial(context.guard.clear_refusals, body)
        body.on_refuse = partial(self._tell_refused, body)
        if context.key != "y":
            # y answered a question that opened this form: after its release it may send, once the line was readable.
            context.guard.record_opener(body)
        context.open_modal(FormScreen(body))

    @property
    def _form(self) -> FormScreen | None:
        screen = self._context.modal(FormScreen)
        return None if screen is None or screen.closes else screen

    def _move(self, by: int) -> None:
        if (screen := self._form) is None:
            return
        if screen.body.refused_key and by > 0:
            screen.body.refuse_key(screen.body.refused_key)
            return
        screen.body.touch()
        screen.body.move(by)
        self._context.guard.record_walk(screen.body)

    def _turn(self, by: int) -> None:
        if (screen := self._form) is not None:
            screen.body.turn(by)

    def take(self, *, sends: bool = False) -> None:
        """Validate the field and go to the next; on the last line run the form's query or question, or send if `sends`."""
        screen = self._form
        if screen is None:
            return
        body = screen.body
        if body.sending:
            self._say(body, f"{WAIT}, or look at {body.subject.listed}" if body.subject.listed else WAIT)
            return
        if body.refused_key:
            body.refuse_key(body.refused_key)
            return
        body.foresee_again()
        view, field = body.current_view, body.field
        if field is not None and not body.asks_here:
            self._go_on(body, field)
        elif body.refusal:
            self._refuse(body)
            if (refused_field := body.refused_field) is not None:
                body.go_to(refused_field.name)
        elif view.ask is not None:
            if not view.stays:
                screen.dismiss(None)
            view.ask()
        elif view.question is not None and view.command is not None:
            self._ask_first(screen, view.question, view.command)
        elif not sends:
            self._context.refuse(f"Enter sends no form: {body.describe_sending()}")
        elif view.command is not None:
            why = self._context.may_send(body.written)
            if why is None:
                self._send(screen, view.command)
            elif why:
                self._say(body, why)

    def _go_on(self, body: FormBody, field: FieldSpec) -> None:
        """Move to the next field; if the value of this one is invalid, refuse the key instead."""
        if not body.is_refused(field):
            body.move(1)
            self._context.guard.record_walk(body)
        elif not field.choices and _FIGURE.fullmatch(body.values.get(field.name, "")):
            # Digits typed behind a refused figure would make another figure. The reason is shown below the field.
            body.refuse_key(f"{field.shown} is refused", keeps_text=False)
        else:
            self._refuse(body)

    def _refuse(self, body: FormBody) -> None:
        """Refuse a key for a reason that the form shows already; clear an older message in the form."""
        body.say("")
        self._context.guard.refuse(body)
        self._context.refuse(f"{format_key(self._context.key)} refused: the form says why")

    def _tell_refused(self, body: FormBody) -> None:
        """Record a key that the form refused; the last line shows the reason, with a count when it comes again."""
        self._context.guard.refuse(body)
        self._context.refuse(body.refused_key)

    def _say(self, body: FormBody, text: str) -> None:
        """Show why a key did nothing, in the form and in the event line, which counts repetitions."""
        body.say(text)
        self._context.refuse(text)

    def _ask_first(self, screen: FormScreen, question: Question, command: FormCommand) -> None:
        """Ask for confirmation of a form's command; the numbers follow the market as long as the command stays the same."""

        def renew() -> Question:
            now = screen.body.subject.view(screen.body.values)
            same = now.command is not None and replace(now.command, decision=command.decision) == command
            return now.question if same and now.question is not None else question

        def answer(chosen: str | None) -> None:
            if chosen:
                self._send(screen, command)

        self._context.prompt(question, answer, renew, by_key=self._context.key != "y")

    def send(self) -> None:
        """Send the form's command by `y`, or open its question first, which `y` then answers."""
        self.take(sends=True)

    def _send(self, screen: FormScreen, command: FormCommand) -> None:
        screen.body.sending = True
        self.send_from(screen, command, screen.body.subject)

    def send_from(self, box: Box, command: FormCommand | SetPositionMode, subject: FormSubject | None = None) -> None:
        """Send the command of a dialog; the dialog shows the reply, and closes if the command was accepted."""
        box.body.say("sending…")
        self._context.submit(command, partial(self._show_answer, box, command, subject))

    def _show_answer(
        self, box: Box, command: FormCommand | SetPositionMode, subject: FormSubject | None, answer: Outcome
    ) -> None:
        body = box.body
        if isinstance(body, FormBody):
            body.sending = False
        if answer.verdict is Verdict.ACCEPTED:
            if self._context.modal(BoxModal) is box:
                box.dismiss(None)
            elif box.is_attached:
                body.say("accepted")
            if subject is not None:
                subject.on_accepted(answer)
        elif not box.is_attached:
            report_outcome(self._context, answer)
        elif answer.verdict is Verdict.ASK and isinstance(box, FormScreen) and isinstance(command, AskedCommand):
            body.say(f"asks: {answer.text}")
            self._ask(box, command, answer)
        elif answer.verdict is Verdict.UNKNOWN:
            place = (
                f"; the list {subject.listed} will show whether it was carried out"
                if subject is not None and subject.listed
                else ""
            )
            body.say(f"UNKNOWN: {answer.text or 'being asked about'}{place}")
        else:
            body.say(refusal_text(answer))

    def _ask(self, screen: FormScreen, command: AskedCommand, outcome: Outcome) -> None:
        subject = screen.body.subject

        def build() -> Question:
            return Question(
                kind="form",
                title=f"Send anyway, {self._context.portfolio_text}",
                choices=(Option("send", f"{_describe(command)}: {outcome.text}"),),
                ended=subject.explain_end(command),
            )

        confirmed = command.confirmed | frozenset(outcome.guard.split(GUARD_JOINT))
        again = replace(command, confirmed=confirmed)
        screen.body.asked = True

        def take_answer(answer: str | None) -> None:
            screen.body.asked = False
            if answer:
                self._send(screen, again)
            else:
                # Its figures follow the market again with the next change: what was asked about is read once more.
                screen.body.answer = UNCONFIRMED
                screen.body.refresh()

        self._context.prompt(build(), take_answer, build, by_key=False)


def _describe(command: AskedCommand) -> str:
    """Return the text of a command to be sent: trigger prices of an algo order, or title of an account command."""
    if isinstance(command, AccountCommand):
        return command.title
    triggers = (("trigger", command.conditional), ("target", command.take_profit), ("stop", command.stop_loss))
    prices = [f"{name} {figure(leg.trigger)}" for name, leg in triggers if leg is not None]
    if command.conditional is not None and command.rises is not None:
        price = figure(command.conditional.trigger)
        prices = [describe_condition(command.conditional.source, price, rises=command.rises)]
    told = " and ".join(prices) if prices else "new size"
    if not isinstance(command, PlaceAlgo):
        return told
    return f"{command.side.value} {command.qty or 'all of'} {full_name(command.sym)}, {told}"
