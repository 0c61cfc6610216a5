"""Key dispatch: runs a key's action after safety checks that depend on its risk."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from textual import events

from tui.workstation.app.key_hints import STEPS, TICKET_KEYS, TICKET_SCOPES, TOUCHES, KeyHints
from tui.workstation.app.keys.field_keys import REFUSED
from tui.workstation.app.unbound_keys import UnboundKeys, opens_line
from tui.workstation.commands.availability import Availability
from tui.workstation.commands.context import Context
from tui.workstation.features.trading.order_blocks import NUDGES
from tui.workstation.input.action import Action, Risk
from tui.workstation.input.actions import ACTIONS, BY_ID, format_key
from tui.workstation.input.fresh_press import (
    IN_A_BURST,
    MANY_TIMES,
    Rule,
    describe_ignored,
    describe_joined,
    describe_refused_enter,
)
from tui.workstation.input.handlers import Handler
from tui.workstation.input.input_order import key_time
from tui.workstation.input.keymap import Keymap, write_key
from tui.workstation.input.scopes import READ_BOXES, SCREENS, TICKET, TYPED, VIEWS, Scope
from tui.workstation.terminal.output import OutputBacklog
from tui.workstation.terminal.terminal_probe import TerminalProbe
from tui.workstation.tickets.fields import Mode, NumberField
from tui.workstation.tickets.order.sizing import is_no_part_of_size
from tui.workstation.widgets.footer import KILL_OPENERS

_STRAY_PLACES = VIEWS | SCREENS | {Scope.NOWHERE}
_FIGURE = frozenset("0123456789.$")
_FORM_FIGURE = _FIGURE | {"%"}
_MOVES = frozenset(["field.restore", "stop.next", "stop.back", "stop.enter", "field.back"])
"""Actions of a ticket that only move in it or close it."""
_SIDES = frozenset(["side.buy", "side.sell"])
"""Actions that choose the side that a refused size waits for."""
_CANCELS = frozenset(["order.cancel", "cancel.last", "cancel.scope", "algo.cancel"])
"""Actions that cancel orders."""

STEP_LEFT = "after the replace that this key sent"
TOGGLED = "after this key armed or disarmed"
CORRECTED = "after this key corrected the size"
_TOGGLES = frozenset(["state.arm"])
"""Actions that switch to and fro: one press switches once, however long the key is held."""
_OPENS_ROW = frozenset(["ticket.open", "order.details", "fills.open", "row.card", "event.details", "screen.open"])
"""Actions of Enter on a row of a list."""
SENT_BEFORE = "What was asked has just been carried out: this Enter opens nothing; press it again after 2 s"
NO_FIELD = "No field for these digits: Enter, orders and arming wait 1 s"
BEHIND_A_DIGIT = "a comma right behind a digit: press it again to sort the list"
BEHIND_DIGITS = "ignored: pressed within 1 s of digits that no field took; press it again"
IN_REFUSED_TEXT = "was typed behind refused letters: ignored; wait 1 s, then keys act again"
BEHIND_FORM = "was typed for a ticket or form that did not open: ignored; wait 1 s, then keys act again"
_BEGIN_COMMANDS = ("program.yes", "program.no")
"""Actions that only open the command line with a line about the row."""
_MARKS = frozenset(["row.mark"])
"""Actions that choose the rows on which later keys act."""
_KILLS = tuple(action for action in ACTIONS if action.risk is Risk.KILL)


class _CapitalX(Enum):
    """Meaning of the key X in a text field: open the kill prompt, type a letter, or do what X does elsewhere."""

    PANIC = auto()
    """Kill prompt: the text accepts no x, or its order is on its way."""
    LETTER = auto()
    """Letter of the text."""
    ELSEWHERE = auto()
    """Key as in its scope: no number is being typed."""


class Dispatch:
    """Dispatcher of key presses to the handlers of actions; one instance for the lifetime of the app."""

    def __init__(
        self,
        context: Context,
        keymap: Keymap,
        backlog: OutputBacklog,
        probe: TerminalProbe,
        handlers: Mapping[str, Handler],
        availability: Availability,
    ) -> None:
        self._context = context
        self._keymap = keymap
        self._backlog = backlog
        self._probe = probe
        self._handlers = handlers
        self._availability = availability
        self.hints = KeyHints(context, keymap, availability)
        self.unbound = UnboundKeys(context, keymap, self.hints.list_hints)
        self.key_waited = 0.0
        """Age of the present key when it was handled, s."""

    def handle_key(self, event: events.Key, scope: Scope) -> bool:
        """Run the action bound to a key in a scope, or in the list below an open row card; return whether it was handled."""
        return self._comes_too_late(event, scope) or self.press(event, scope) or self._closes_box(event, scope)

    def _comes_too_late(self, event: events.Key, scope: Scope) -> bool:
        """Refuse a key meant for a question that just closed by itself, except kill switch keys; Esc ends such refusals."""
        if event.key == "escape":
            self._context.take_keys_again()
        if self.kills(event, scope) or not (event.is_printable or event.key == "enter"):
            return False
        meant = self._keymap.meanings.get((scope, event.key))
        action = BY_ID[meant[0]] if meant is not None else None
        harmless = action is not None and (action.risk is Risk.LOOK or action.id in _CANCELS)
        return self._context.swallow_late_answer(event.key, waited_s=self.key_waited, harmless=harmless)

    def _closes_box(self, event: events.Key, scope: Scope) -> bool:
        """Close an open row card, or for the command line key any list or page, then run the key's action; return whether.

        The key of the command line closes every box that is only read or chosen from.
        """
        if scope not in READ_BOXES or event.key in ("enter", "escape"):
            return False
        from tui.workstation.widgets.help import HelpScreen
        from tui.workstation.widgets.list_modal import BoxModal

        context = self._context
        box = context.modal(BoxModal)
        is_card = isinstance(box, HelpScreen) and box.is_card
        acts = is_card and self._acts_on_row(event, context.scope_below(HelpScreen))
        if box is None or not (acts or self.opens_line(event)):
            return False
        box.dismiss(None)
        context.refresh_keys()
        return self.press(event, context.scope)

    def press(self, event: events.Key, scope: Scope) -> bool:
        """Run the action bound to a key in a scope; return False if nothing is bound to it."""
        if event.character == "X" and self._opens_kill(scope):
            self.act("kill.open_text", "X")
            return True
        if self._is_in_refused_text(event, scope):
            return True
        if scope is Scope.FIELD and self._is_y_behind_size(event):
            self.act("field.next", "y")
            return True
        if scope is Scope.FIELD and self._is_leg_behind_size(event):
            self.act("flag.leg", write_key(event))
            return True
        if scope in _STRAY_PLACES:
            if event.character == "," and self._context.guard.typing.continues_digits():
                self._context.refuse(NO_FIELD if self._context.guard.typing.is_figure else BEHIND_A_DIGIT)
                return True
            self._note_digit(event, scope)
        meant = self._keymap.meanings.get((scope, event.key))
        if meant is not None:
            self.act(*meant)
        return meant is not None

    def _is_y_behind_size(self, event: events.Key) -> bool:
        """Return whether a key is `y` in the size field of a staged order, where `y` sends the order."""
        main_screen = self._context.main_screen
        panel, field = main_screen.panel, main_screen.panel.size_field
        sends = event.character == "y" and panel.mode is Mode.STAGED and panel.takes_y
        return sends and main_screen.focused is field and not (field.refused or field.locked)

    def _is_leg_behind_size(self, event: events.Key) -> bool:
        """Return whether a key in the size field of a new order chooses open or close, as no size goes on with it."""
        main_screen = self._context.main_screen
        panel, field = main_screen.panel, main_screen.panel.size_field
        if (
            write_key(event) not in self._keymap.of("flag.leg")
            or not event.character
            or main_screen.focused is not field
        ):
            return False
        if panel.ticket is None or panel.ticket.order is not None or field.refused or field.locked:
            return False
        is_wrong = bool(field.value.strip()) and any(problem.field == "size" for problem in panel.problems)
        return not is_wrong and is_no_part_of_size(event.character, field.value, panel.ticket)

    def _acts_on_row(self, event: events.Key, scope: Scope) -> bool:
        """Return whether a key's action in a scope does more than change the view, or begins a command about the row."""
        meant = self._keymap.meanings.get((scope, event.key))
        return meant is not None and (BY_ID[meant[0]].risk is not Risk.LOOK or meant[0] in _BEGIN_COMMANDS)

    def opens_line(self, event: events.Key) -> bool:
        """Return whether a key opens the command line."""
        return opens_line(event, self._keymap)

    def _is_in_refused_text(self, event: events.Key, scope: Scope) -> bool:
        """Refuse a key that continues a text typed where no field takes it, except kill switch keys; return True if so."""
        typed = event.is_printable or event.key == "enter"
        stopped = scope is Scope.KILL or self._context.is_question_stopped
        if not typed or scope in TYPED or stopped or self.kills(event, scope):
            return False
        if event.character in _FORM_FIGURE and self._context.guard.typing.continues_figure():
            self._context.ignore(f"{event.character} {BEHIND_FORM}")
            return True
        if self.opens_line(event) or not self._context.guard.typing.continues_text():
            return False
        self._context.refuse_key(write_key(event), IN_REFUSED_TEXT)
        return True

    def _opens_kill(self, scope: Scope) -> bool:
        """Return whether X in a text field opens the kill prompt; where it is a letter of the text, name Ctrl+G instead."""
        if Rule.PANIC not in self._context.guard.rules:
            return False
        meaning = self._judge_x(scope)
        if meaning is _CapitalX.LETTER:
            self._context.refuse("X is a letter here: Ctrl+G opens the kill prompt")
        return meaning is _CapitalX.PANIC

    def _judge_x(self, scope: Scope) -> _CapitalX:
        """Return what the key X means in the focused field: kill prompt, letter, or its meaning elsewhere."""
        from tui.workstation.tickets.order.sizing import holds_letter
        from tui.workstation.widgets.forms.body import FormScreen

        context = self._context
        if scope is Scope.LINE and self.hints.is_sent(scope):
            return _CapitalX.PANIC
        if scope is Scope.FORM and (form := context.modal(FormScreen)) is not None:
            if form.body.accepts_x:
                return _CapitalX.ELSEWHERE
            return _CapitalX.LETTER if form.body.is_inside_word else _CapitalX.PANIC
        panel, field = context.main_screen.panel, context.main_screen.focused
        if scope is not Scope.FIELD or panel.ticket is None or not isinstance(field, NumberField):
            return _CapitalX.ELSEWHERE
        is_letter = holds_letter("x", panel.ticket) or field.value[-1:].isalpha()
        return _CapitalX.LETTER if is_letter else _CapitalX.PANIC

    def _is_refused(self, event: events.Key, scope: Scope) -> bool:
        """Return whether a key has no effect in a scope, or its action is unavailable."""
        meant = self._keymap.meanings.get((scope, event.key))
        return meant is None or bool(self._availability.reason(BY_ID[meant[0]], self._context.table))

    def _note_digit(self, event: events.Key, scope: Scope) -> None:
        """Record a digit, dot or `$` pressed on a list; warn when several look like a figure meant for a field."""
        if not event.is_printable or event.character not in _FIGURE:
            return
        table = self._context.table
        stays = event.character == "0" or (table is not None and str(table.pane.number) == event.character)
        if self._context.guard.typing.note_digit(
            jumped=not stays, refused=self._is_refused(event, scope), repeats=event.character == "."
        ):
            self._context.refuse(NO_FIELD)

    def act(self, action_id: str, key: str) -> None:
        """Run an action, unless a safety check refuses the key or the action is not available now.

        Args:
            action_id: Id of the action.
            key: Key that was pressed, for the journal and for messages.
        """
        action, context = BY_ID[action_id], self._context
        context.key = key
        if self._refuse_for_safety(action) or self._refuse_sent(action):
            return
        if key == "escape" and context.main_screen.panel.away and context.scope in VIEWS | SCREENS:
            self._carry_out(BY_ID["ticket.drop"])
            context.clear_ignored()
            return
        reason = self._availability.reason(action, context.table)
        if reason and context.scope in TICKET and action.id.startswith(("price.", "step.")):
            self.unbound.refuse(reason, context.scope, letter=False)
            return
        if reason:
            if action.opens_form or action.opens_ticket:
                context.refuse_opener(reason, takes_figure=action.opens_form)
                return
            context.refuse(reason)
            if action.id == "line.open":
                context.guard.typing.refuse_letter(opens_line=True)
            return
        if not self._carry_out(action):
            return
        if action.id in _TOGGLES:
            # Held, it would go to and fro, and where it ends would be chance.
            context.guard.record_done()
        context.clear_ignored()
        context.refresh_keys()

    def _carry_out(self, action: Action) -> bool:
        """Run the handler of an action; on an internal error close questions, forms and ticket, and return False."""
        try:
            self._handlers[action.id]()
        except Exception as error:
            self._context.report_failure(f"{action.id}; look at the orders", error)
            with self._context.contain_errors(f"the end of {action.id}"):
                self._context.close_unsent()
            return False
        return True

    def _refuse_for_safety(self, action: Action) -> bool:
        """Refuse the current key if a safety check forbids it, as for stray, stale or repeated keys; return True if so."""
        looks = action.risk is Risk.LOOK and action.id != "prompt.yes"
        if self._refuse_stray(action) or self._refuse_blocked(action) or self._refuse_unseen(action, looks=looks):
            return True
        if action.risk is Risk.KILL:
            return self._is_kill_unmeant(action)
        if self._refuse_repeated(action):
            return True
        if action.id in _MARKS and self._context.guard.is_joined:
            # Spaces of a text that a terminal pastes as keys would leave marks, on which a later key acts.
            self._refuse_joined(action)
            return True
        return not looks and (self._refuse_burst() or (self._sends(action) and self._refuse_to_send(action)))

    def _refuse_unseen(self, action: Action, *, looks: bool) -> bool:
        """Refuse a key that does more than look while the screen is stuck or the terminal silent; return whether refused.

        A slow connection must not block the kill switch.
        """
        if looks or action.id in KILL_OPENERS:
            return False
        if self._backlog.stuck:
            self._backlog.unseen += 1
            self._block_form("came while the screen was not updating")
            return True
        is_silent = action.risk is not Risk.KILL and bool(self._probe.silent_s)
        if is_silent:
            self._say_silent()
        return is_silent

    def _is_kill_unmeant(self, action: Action) -> bool:
        """Return whether a kill switch key came in a burst or paste, or its confirmation is too old or from a held key."""
        guard = self._context.guard
        if action.id == "kill.open_text":
            # A control byte in a paste arrives as a key; by hand it never comes together with another key.
            return guard.is_joined or guard.burst
        return action.id == "kill.go" and (self._too_old or guard.held)

    def _refuse_repeated(self, action: Action) -> bool:
        """Refuse a key that is held, or the second press of one that has just sent; return whether it was refused."""
        guard = self._context.guard
        opens = action.id in _OPENS_ROW
        is_second = guard.is_pressed_twice and (opens or guard.held or self.hints.is_sent(self._context.scope))
        if is_second:
            # Also one that does nothing as it is: the time counts from the last of them.
            guard.record_second()
        if guard.held:
            # A step of a working order: in HOT the one before has left by itself.
            step = CORRECTED if action.id in STEPS else STEP_LEFT
            why = step if action.group == "ticket" else TOGGLED if action.id in _TOGGLES else ""
            if why:
                key = format_key(self._context.key)
                soon = f"came without a pause of {guard.rearm_s:g} s {why}"
                self._context.ignore(f"{describe_ignored(key, soon)}; press it again")
            return True
        if is_second and opens:
            self._context.refuse(SENT_BEFORE)
        elif opens and guard.typing.continues_form():
            # The reason stays on the screen, with one more key that it has refused.
            self._context.refuse(self._context.unopened or f"{format_key(self._context.key)} {BEHIND_FORM}")
            return True
        return is_second and opens

    def _refuse_burst(self) -> bool:
        """Refuse a key of a burst that is faster than a hand can type; return whether it was refused."""
        guard = self._context.guard
        if guard.burst and not self._block_form(IN_A_BURST):
            key = format_key(self._context.key)
            many = f"{describe_ignored(key, MANY_TIMES)}; press it again"
            self._context.ignore(many if guard.repeats_at_once else "too many keys at once: ignored")
        return guard.burst

    def _sends(self, action: Action) -> bool:
        """Return whether an action can send a request at once in the present trading state."""
        return action.risk is Risk.SEND or (action.hot and self._context.hot)

    def _refuse_stray(self, action: Action) -> bool:
        """Refuse Enter or a staging action right after digits typed on a list by mistake; return whether it was refused."""
        context = self._context
        if not context.guard.typing.is_figure or context.scope not in _STRAY_PLACES or action.id in _CANCELS:
            return False
        if context.key != "enter" and action.risk is not Risk.STAGE:
            return False
        if not context.guard.is_repeated:
            context.refuse_key(context.key, BEHIND_DIGITS)
        return True

    def _refuse_blocked(self, action: Action) -> bool:
        """Refuse an action in a ticket that is blocked since it refused an earlier key; return whether it was refused."""
        context = self._context
        panel = context.main_screen.panel
        ticket = action.group == "ticket" or action.id in TICKET_KEYS
        if ticket and self._is_behind_refused_enter():
            panel.refuse_key(describe_joined(format_key(context.key)))
        if not panel.blocked or not ticket or action.id in TOUCHES:
            return False
        if context.scope not in TICKET_SCOPES:
            return False
        field = context.main_screen.focused
        if action.id == "ticket.fields" and panel.offers_fields:
            return False
        if action.id in _SIDES and panel.ticket is not None and not panel.ticket.sided:
            return False
        steps = action.id in STEPS and isinstance(field, NumberField) and field.locked
        if steps and not context.guard.is_repeating:
            return False
        context.guard.refuse(panel.subject)
        if len(context.key) == 1:
            context.guard.typing.refuse_letter()
        if isinstance(field, NumberField) and field.refused and field.accepted:
            stands = f"the {field.id} reads {field.value}" if field.value else f"the {field.id} is empty"
            panel.refuse_key(f"{REFUSED}: {stands}; {field.accepted}")
        context.refuse(panel.refused_key)
        return True

    def _refuse_sent(self, action: Action) -> bool:
        """Refuse an action that would change or resend a ticket whose order is being sent; return whether it was refused."""
        context = self._context
        panel = context.main_screen.panel
        changes = action.group == "ticket" or action.id in TICKET_KEYS or action.id == "ticket.unblock"
        # Steps that send by themselves in HOT wait for the answer, or say themselves that they do not.
        if not (changes and panel.sending and context.scope in TICKET_SCOPES) or action.id in _MOVES | NUDGES:
            return False
        return context.refuse_sent(context.key)

    def _is_behind_refused_enter(self) -> bool:
        """Return whether a key other than Enter came in the same burst as an Enter that the ticket refused."""
        context, panel = self._context, self._context.main_screen.panel
        behind = context.key != "enter" and context.guard.is_behind_refused_enter(panel.subject)
        return behind and context.scope in TICKET_SCOPES and not panel.blocked

    def _block_form(self, why: str) -> bool:
        """Refuse the current key in an open form, which then takes no key until Backspace; return whether a form is open.

        In the command line the next Enter counts, and only characters are refused.
        """
        from tui.workstation.widgets.forms.body import FormScreen

        ignored = describe_ignored(format_key(self._context.key), why)
        if (form := self._context.modal(FormScreen)) is not None:
            form.body.refuse_key(ignored)
        elif self._context.scope is Scope.LINE:
            line = self._context.main_screen.line_field
            line.refused, line.refused_why = True, ignored
        return form is not None

    def _say_silent(self) -> None:
        key, seconds = format_key(self._context.key), int(self._probe.silent_s)
        why = f"the terminal has not responded for {seconds} s, so the screen may be out of date"
        if not self._block_form(f"came while {why}"):
            self._context.ignore(f"{key} ignored: {why}")

    @property
    def _too_old(self) -> bool:
        return self.key_waited > self._context.settings.key_max_age_ms / 1000

    def _refuse_to_send(self, action: Action) -> bool:
        """Refuse a key that is too old to send, or came in one burst with other keys; return whether it was."""
        if self._too_old:
            why = f"was {int(self.key_waited * 1000)} ms old"
            if not self._block_form(why):
                self._context.ignore(describe_ignored(format_key(self._context.key), why))
            return True
        if not self._context.guard.is_joined:
            return False
        if not self._block_form(IN_A_BURST):
            self._refuse_joined(action)
        return True

    def _refuse_joined(self, action: Action) -> None:
        """Show that a key was ignored because it came in a burst; if its action sends at once in HOT, end HOT."""
        context, key = self._context, self._context.key
        came, panel = context.guard.how_joined, context.main_screen.panel
        said = panel.refuse_enter() if action.id == "ticket.send" else describe_refused_enter(came)
        if action.hot:
            context.end_hot("several keys came in one burst")
        context.ignore(said if key == "enter" else f"{describe_ignored(format_key(key), came)}; press it again")

    def kills(self, event: events.Key, scope: Scope) -> bool:
        """Return whether a key belongs to the kill switch in a scope."""
        key = write_key(event)
        return any(scope in action.scopes and key in self._keymap.of(action.id) for action in _KILLS)

    def run_clicked_hint(self, action_id: str, scope: Scope) -> None:
        """Run the action of a clicked key hint, unless it sends something: the mouse never sends."""
        action = BY_ID[action_id]
        if scope not in action.scopes:
            return
        key = self._keymap.of(action.id)[0]
        sends = action.id == "field.next" and self._context.main_screen.panel.mode is Mode.STAGED
        if self._sends(action) or action.id == "kill.go" or sends:
            self._context.refuse(f"the mouse sends nothing: press {format_key(key)}")
            return
        self._context.guard.acted_at = key_time()
        self.act(action.id, key)
