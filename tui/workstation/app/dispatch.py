"""Key dispatch: runs a key's action after safety checks that depend on its risk; also lists the footer's key hints."""

from __future__ import annotations

from collections.abc import Mapping

from textual import events

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
from tui.workstation.tickets.panel_hints import build_hints, name_stepped
from tui.workstation.widgets.footer import KILL_OPENERS, Hint

_STRAY_PLACES = VIEWS | SCREENS | {Scope.NOWHERE}
_FIGURE = frozenset("0123456789.$")
_FORM_FIGURE = _FIGURE | {"%"}
_TICKET_SCOPES = frozenset([Scope.PREVIEW, Scope.CHOOSER, Scope.FIELD, Scope.ASK])
_TICKET_KEYS = frozenset(["ticket.send", "ticket.send_form", "ticket.fields", "ticket.confirm"])
_IF_POSSIBLE = frozenset([
    "state.arm", "loan.repay", "loan.pay_back", "list.more", "list.stop", "history.executed", "history.order",
])  # fmt: skip
"""Actions that are named as the way on only where they can do something: something to arm, a loan, further rows."""
_TOUCHES = frozenset(["field.restore", "ticket.unblock", "ticket.drop"])
_MOVES = frozenset(["field.restore", "stop.next", "stop.back", "stop.enter", "field.back"])
"""Actions of a ticket that only move in it or close it."""
_STEPS = frozenset(["field.up", "field.down"])
"""Actions that step from a refused figure to the next accepted one."""
_SIDES = frozenset(["side.buy", "side.sell"])
"""Actions that choose the side that a refused size waits for."""
_CANCELS = frozenset(["order.cancel", "cancel.last", "cancel.scope", "algo.cancel"])
"""Actions that cancel orders."""

STEP_LEFT = "came soon after the replace that it sent"
TOGGLED = "came soon after it armed or disarmed"
_TOGGLES = frozenset(["state.arm"])
"""Actions that switch to and fro: one press switches once, however long the key is held."""
_OPENS_ROW = frozenset(["ticket.open", "order.details", "fills.open", "row.card", "event.details", "screen.open"])
"""Actions of Enter on a row of a list."""
SENT_BEFORE = "What was asked has just been carried out: this Enter opens nothing; press it again after 2 s"
NO_FIELD = "No field is open for these digits: Enter, orders and arming wait 1 s"
BEHIND_A_DIGIT = ", came right behind a digit: press it again to sort the list"
BEHIND_DIGITS = "ignored: it came within 1 s of digits that no field took; press it again"
IN_REFUSED_TEXT = "was typed behind refused letters: ignored; after a pause of 1 s keys act again"
BEHIND_FORM = "was typed for a form that did not open: ignored; after a pause of 1 s keys act again"
_BEGIN_COMMANDS = ("program.yes", "program.no")
"""Actions that only open the command line with a line about the row."""
_BESIDE_SENT = frozenset(["ticket.drop", "field.restore", "line.close", "cancel.last", *KILL_OPENERS])
"""Actions named beside an order that is on its way."""
_KILLS = tuple(action for action in ACTIONS if action.risk is Risk.KILL)


def _waits_for_touch(action: Action) -> bool:
    """Return whether an action does nothing in what a refused key has stopped."""
    if action.id in ("form.close", "prompt.no", "kill.close", "ticket.unask"):
        return False
    return action.group in ("ticket", "form") or action.id in _TICKET_KEYS or action.id in ("prompt.yes", "kill.go")


class Dispatch:
    """Key dispatch; one instance for the lifetime of the app."""

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
        self.unbound = UnboundKeys(context, keymap, self.hints)
        self.key_waited = 0.0
        """Age of the present key when it was handled, s."""

    def handle_key(self, event: events.Key, scope: Scope) -> bool:
        """Run the action that a key has in a scope, behind an open card that of its row; return False when it has none."""
        return self._comes_too_late(event, scope) or self.press(event, scope) or self._closes_box(event, scope)

    def _comes_too_late(self, event: events.Key, scope: Scope) -> bool:
        """Refuse a key that was typed for a question that has just expired, but no kill switch key."""
        if self.kills(event, scope):
            return False
        return self._context.swallow_late_answer(event.key, printable=event.is_printable)

    def _closes_box(self, event: events.Key, scope: Scope) -> bool:
        """Close an open row card when a key acts on its row, then run the key's action; return whether it did.

        The key of the command line closes every box that is only read or chosen from.
        """
        if scope not in READ_BOXES or event.key in ("enter", "escape"):
            return False
        from tui.workstation.widgets.help import HelpScreen
        from tui.workstation.widgets.list_modal import BoxModal

        context = self._context
        box = context.modal(BoxModal)
        is_card = isinstance(box, HelpScreen) and box.is_card
        acts = is_card and self._means(event, context.scope_below(HelpScreen))
        if box is None or not (acts or self.opens_line(event)):
            return False
        box.dismiss(None)
        context.refresh_keys()
        return self.press(event, context.scope)

    def press(self, event: events.Key, scope: Scope) -> bool:
        """Run the action that a key has in a scope; return False when it has none."""
        if event.character == "X" and self._panics(scope):
            self.act("kill.open_text", "X")
            return True
        if self._is_in_refused_text(event, scope):
            return True
        if scope is Scope.FIELD and self._is_y_behind_size(event):
            self.act("field.next", "y")
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
        """Return whether a key is the `y` that sends a staged order whose size was just typed."""
        main_screen = self._context.main_screen
        panel, field = main_screen.panel, main_screen.panel.size_field
        sends = event.character == "y" and panel.mode is Mode.STAGED and panel.takes_y
        return sends and main_screen.focused is field and not (field.refused or field.locked)

    def _means(self, event: events.Key, scope: Scope) -> bool:
        """Return whether a key in a scope acts on the row: it does more than change the view, or begins its command."""
        meant = self._keymap.meanings.get((scope, event.key))
        return meant is not None and (BY_ID[meant[0]].risk is not Risk.LOOK or meant[0] in _BEGIN_COMMANDS)

    def opens_line(self, event: events.Key) -> bool:
        """Return whether a key is that of the command line."""
        return opens_line(event, self._keymap)

    def _is_in_refused_text(self, event: events.Key, scope: Scope) -> bool:
        """Refuse a key inside a text whose letters were refused, a cancel included, but no kill switch key."""
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

    def _panics(self, scope: Scope) -> bool:
        """Return whether a capital X in a text opens the kill prompt: it accepts no x, or its order is on its way."""
        letter = self._is_letter_x(scope) if Rule.PANIC in self._context.guard.rules else None
        if letter:
            self._context.refuse("X is a letter here: Ctrl+G opens the kill prompt")
        return letter is False

    def _is_letter_x(self, scope: Scope) -> bool | None:
        """Return whether the focused field accepts x as a letter; None when no number is being typed."""
        from tui.workstation.tickets.order.sizing import holds_letter
        from tui.workstation.widgets.forms.body import FormScreen

        context = self._context
        if scope is Scope.LINE and self._is_sent(scope):
            return False
        if scope is Scope.FORM and (form := context.modal(FormScreen)) is not None:
            return None if form.body.accepts_x else form.body.is_inside_word
        panel, field = context.main_screen.panel, context.main_screen.focused
        if scope is not Scope.FIELD or panel.ticket is None or not isinstance(field, NumberField):
            return None
        return holds_letter("x", panel.ticket) or field.value[-1:].isalpha()

    def _is_refused(self, event: events.Key, scope: Scope) -> bool:
        """Return whether a key has no effect in a scope, or its action is unavailable."""
        meant = self._keymap.meanings.get((scope, event.key))
        return meant is None or bool(self._availability.reason(BY_ID[meant[0]], self._context.table))

    def _note_digit(self, event: events.Key, scope: Scope) -> None:
        """Record a digit pressed on a list, probably by a trader who believes that a field has the focus."""
        if not event.is_printable or event.character not in _FIGURE:
            return
        table = self._context.table
        stays = event.character == "0" or (table is not None and str(table.pane.number) == event.character)
        if self._context.guard.typing.note_digit(
            jumped=not stays, refused=self._is_refused(event, scope), repeats=event.character == "."
        ):
            self._context.refuse(NO_FIELD)

    def act(self, action_id: str, key: str) -> None:
        """Run an action if the safety checks for its risk allow it.

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
            context.refuse(reason)
            if action.id == "line.open":
                context.guard.typing.refuse_letter(opens_line=True)
            elif action.opens_form:
                context.guard.typing.refuse_form()
            return
        if not self._carry_out(action):
            return
        if action.id in _TOGGLES:
            # Held, it would go to and fro, and where it ends would be chance.
            context.guard.record_done()
        context.clear_ignored()
        context.refresh_keys()

    def _carry_out(self, action: Action) -> bool:
        """Run the handler of an action; return False on an internal error, after which nothing that could send stays."""
        try:
            self._handlers[action.id]()
        except Exception as error:
            self._context.report_failure(f"{action.id}; look at the orders", error)
            with self._context.outlive(f"the end of {action.id}"):
                self._context.close_unsent()
            return False
        return True

    def _refuse_for_safety(self, action: Action) -> bool:
        """Refuse the key for safety where it must be; return whether it was."""
        looks = action.risk is Risk.LOOK and action.id != "prompt.yes"
        if self._refuse_stray(action) or self._refuse_blocked(action) or self._refuse_unseen(action, looks):
            return True
        if action.risk is Risk.KILL:
            return self._is_kill_unmeant(action)
        if self._refuse_repeated(action):
            return True
        return not looks and (self._refuse_burst() or (self._sends(action) and self._refuse_to_send(action)))

    def _refuse_unseen(self, action: Action, looks: bool) -> bool:
        """Refuse a key pressed for a screen that may be out of date; return whether it was refused.

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
        """Return whether a key of the kill switch was not pressed on purpose."""
        guard = self._context.guard
        if action.id == "kill.open_text":
            # A control byte in a paste arrives as a key; by hand it never comes together with another key.
            return guard.is_joined or guard.burst
        return action.id == "kill.go" and (self._too_old or guard.held)

    def _refuse_repeated(self, action: Action) -> bool:
        """Refuse a key that is held, or pressed twice where the first press has sent; return whether it was refused."""
        guard = self._context.guard
        opens = action.id in _OPENS_ROW
        is_second = guard.is_pressed_twice and (opens or guard.held or self._is_sent(self._context.scope))
        if is_second:
            # Also one that does nothing as it is: the time counts from the last of them.
            guard.record_second()
        if guard.held:
            # A step of a working order: in HOT the one before has left by itself.
            why = STEP_LEFT if action.group == "ticket" else TOGGLED if action.id in _TOGGLES else ""
            if why:
                key = format_key(self._context.key)
                self._context.ignore(f"{describe_ignored(key, why)}; press it again after a pause")
            return True
        if is_second and opens:
            self._context.refuse(SENT_BEFORE)
        return is_second and opens

    def _refuse_burst(self) -> bool:
        """Refuse one of more keys than a hand presses at once; return whether it was refused."""
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
        """Refuse an action behind digits that were typed on a list by mistake; return whether it was refused."""
        context = self._context
        if not context.guard.typing.is_figure or context.scope not in _STRAY_PLACES or action.id in _CANCELS:
            return False
        if context.key != "enter" and action.risk is not Risk.STAGE:
            return False
        if not context.guard.is_repeated:
            context.refuse_key(context.key, BEHIND_DIGITS)
        return True

    def _refuse_blocked(self, action: Action) -> bool:
        """Refuse an action in a ticket that refused an earlier key and was not corrected since; return whether it was."""
        context = self._context
        panel = context.main_screen.panel
        ticket = action.group == "ticket" or action.id in _TICKET_KEYS
        if ticket and self._is_behind_refused_enter():
            panel.refuse_key(describe_joined(format_key(context.key)))
        if not panel.blocked or not ticket or action.id in _TOUCHES:
            return False
        if context.scope not in _TICKET_SCOPES:
            return False
        field = context.main_screen.focused
        if action.id == "ticket.fields" and panel.offers_fields:
            return False
        if action.id in _SIDES and panel.ticket is not None and not panel.ticket.sided:
            return False
        steps = action.id in _STEPS and isinstance(field, NumberField) and field.locked
        if steps and not context.guard.is_refused(panel.subject):
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
        """Refuse an action that would change or send a ticket that is on its way; return whether it was refused."""
        context = self._context
        panel = context.main_screen.panel
        changes = action.group == "ticket" or action.id in _TICKET_KEYS or action.id == "ticket.unblock"
        # Steps that send by themselves in HOT wait for the answer, or say themselves that they do not.
        if not (changes and panel.sending and context.scope in _TICKET_SCOPES) or action.id in _MOVES | NUDGES:
            return False
        return context.refuse_sent(context.key)

    def _is_behind_refused_enter(self) -> bool:
        """Return whether the key came in the burst in which the ticket refused Enter: it was meant for what follows."""
        context, panel = self._context, self._context.main_screen.panel
        behind = context.key != "enter" and context.guard.is_behind_refused_enter(panel.subject)
        return behind and context.scope in _TICKET_SCOPES and not panel.blocked

    def _block_form(self, why: str) -> bool:
        """Refuse the key in an open form, which then takes no other until Backspace; return whether one is open.

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
        """Say that a key came in one burst with other keys, and end HOT where one key sends."""
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

    def _key_of_hint(self, action: Action) -> str:
        """Return the key that a hint names; where Enter takes an option, it does not go back."""
        keys = self._keymap.of(action.id)
        if action.id == "kill.open_text" and self._context.scope is Scope.LINE and self._is_sent(Scope.LINE):
            return "X"
        if action.id == "prompt.no" and self._name_opened():
            return next((key for key in keys if key != "enter"), keys[0])
        return "enter" if action.id == "prompt.yes" and self._name_opened() else keys[0]

    def _name_opened(self) -> str:
        """Name what the options of the open question open; empty if they do what they say."""
        from tui.workstation.widgets.prompts import PromptScreen

        prompt = self._context.modal(PromptScreen)
        return prompt.question.opens if prompt is not None else ""

    def _hint_of(self, action: Action) -> str:
        if action.id == "prompt.yes" and (opened := self._name_opened()):
            return f"open the {opened}"
        if action.id in ("kill.go", "word.take"):
            return self._hint_of_word(action)
        if action.id == "result.view" and self._context.scope is Scope.PNL:
            return "grouping"
        if action.id != "state.arm" or not self._context.armed:
            return action.hint
        return "end HOT" if self._context.hot else "disarm"

    def _hint_of_word(self, action: Action) -> str:
        """Name what Enter does where a word is typed, as in some rows of the kill prompt: it needs that word first."""
        from tui.workstation.widgets.prompts import PromptScreen

        prompt = self._context.modal(PromptScreen)
        waits = prompt is not None and prompt.body.word and not prompt.body.is_word_typed
        return f"after typing {prompt.body.word}" if prompt is not None and waits else action.hint

    def list_actions(self, scope: Scope) -> list[Action]:
        """List the actions with a key that works in a scope, the most important first."""
        table = self._context.table
        lists = ("",) if table is None else ("", table.pane.id, *table.pane.kinds)
        # What it names is one of the screens; the scope of a pane of the desk is its own already.
        here = [
            action for action in ACTIONS if scope in action.scopes and (scope not in SCREENS or action.only_on in lists)
        ]
        return sorted((action for action in here if self._keymap.of(action.id)), key=lambda action: action.priority)

    def hints(self, scope: Scope) -> list[Hint]:
        """Return the hints of the keys that work in a scope, the most important first."""
        here = [action for action in self.list_actions(scope) if action.hint]
        if self._is_sent(scope):
            # Until the answer arrives the ticket can only be closed.
            here = [action for action in here if action.id in _BESIDE_SENT]
        if any(action.id == "kill.open" for action in here):
            here = [action for action in here if action.id != "kill.open_text"]
        table = self._context.table
        here = [
            action for action in here if action.id not in _IF_POSSIBLE or not self._availability.reason(action, table)
        ]
        return [
            Hint(action.id, format_key(self._key_of_hint(action)), self._hint_of(action))
            for action in here
            if not self._availability.state_reason(action)
        ]

    def _is_sent(self, scope: Scope) -> bool:
        """Return whether a scope shows an order that is on its way."""
        return bool(self._context.main_screen.panel.sending) and scope in _TICKET_SCOPES | {Scope.LINE}

    def compose_hints(self, scope: Scope) -> list[Hint]:
        """Return the hints as the footer shows them: with what the keys do in the open ticket or form."""
        panel = self._context.main_screen.panel
        hints = [hint for hint in self.hints(scope) if hint.action != "ticket.send" or panel.can_send]
        if self._is_stopped(scope):
            return self._list_ways_on(hints, scope)
        if scope in (Scope.FORM, Scope.FORM_END):
            return self._form_hints(hints, scope)
        if scope not in _TICKET_SCOPES:
            return hints
        if panel.end_reason:
            # A replace of an order that has ended takes no key but those that close it.
            return [hint for hint in hints if hint.action in _TOUCHES or not _waits_for_touch(BY_ID[hint.action])]
        titles = build_hints(panel)
        if panel.size_field.has_focus and panel.mode is Mode.STAGED and hints:
            hints.insert(1, Hint("stop.next", "Tab", ""))
        hints = [hint._replace(title=titles.get(hint.action, hint.title)) for hint in hints]
        hints = [hint for hint in hints if hint.title or hint.action not in ("field.up", "step.up")]
        sends = {"ticket.send", "field.next"} if panel.sends_from_size else {"ticket.send"}
        return [hint._replace(key=format_key(panel.send_key)) if hint.action in sends else hint for hint in hints]

    def _is_stopped(self, scope: Scope) -> bool:
        """Return whether a refused key stops what is open, until it is taken back."""
        from tui.workstation.widgets.forms.body import FormScreen

        if scope in (Scope.FORM, Scope.FORM_END):
            form = self._context.modal(FormScreen)
            return form is not None and bool(form.body.refused_key)
        if scope in _TICKET_SCOPES:
            return self._context.main_screen.panel.blocked
        return scope in (Scope.PROMPT, Scope.KILL) and self._context.is_question_stopped

    def _list_ways_on(self, hints: list[Hint], scope: Scope) -> list[Hint]:
        """Return the hints of what is stopped: the key that takes the refused one back, and what works beside it."""
        field, panel, guard = self._context.main_screen.focused, self._context.main_screen.panel, self._context.guard
        steps = frozenset(
            action
            for action in _STEPS
            if isinstance(field, NumberField)
            and field.locked
            # One that was refused as a step of the price is none of the size.
            and not any(guard.is_refused(panel.subject, key) for key in self._keymap.of(action))
        )
        kept = [hint for hint in hints if hint.action in _TOUCHES | steps or not _waits_for_touch(BY_ID[hint.action])]
        named = name_stepped(panel)
        kept = [hint._replace(title=named) if hint.action in steps else hint for hint in kept]
        erase = BY_ID["ticket.unblock" if scope in BY_ID["ticket.unblock"].scopes else "edit.erase"]
        return [Hint(erase.id, format_key(self._keymap.of(erase.id)[0]), "continue"), *kept]

    def _form_hints(self, hints: list[Hint], scope: Scope) -> list[Hint]:
        """Adapt the footer's key hints to an open form: name what its send key does, drop keys without effect."""
        from tui.workstation.widgets.forms.body import FormScreen

        form = self._context.modal(FormScreen)
        if form is not None and not form.body.turns:
            hints = [hint for hint in hints if hint.action != "form.turn"]
        if form is None or (scope is Scope.FORM and not form.body.asks_here):
            return hints
        named = {name: form.body.hint(name) for name in ("form.take", "form.send")}
        return [
            hint._replace(title=named.get(hint.action) or hint.title) for hint in hints if named.get(hint.action, "-")
        ]
