"""Hints of keys in the footer: which keys work where the focus is, and what they would do now."""

from __future__ import annotations

from tui.workstation.commands.availability import Availability
from tui.workstation.commands.context import Context
from tui.workstation.input.action import Action
from tui.workstation.input.actions import ACTIONS, BY_ID, format_key
from tui.workstation.input.keymap import Keymap
from tui.workstation.input.scopes import SCREENS, Scope
from tui.workstation.tickets.fields import Mode, NumberField
from tui.workstation.tickets.panel_hints import build_hints, name_stepped
from tui.workstation.widgets.footer import KILL_OPENERS, Hint

TICKET_SCOPES = frozenset([Scope.PREVIEW, Scope.CHOOSER, Scope.FIELD, Scope.ASK])
TICKET_KEYS = frozenset(["ticket.send", "ticket.send_form", "ticket.fields", "ticket.confirm"])
_IF_POSSIBLE = frozenset([
    "state.arm", "loan.repay", "loan.pay_back", "list.more", "list.stop", "history.executed", "history.order", "algo.new",
    "ladder.put",
])  # fmt: skip
"""Actions that are named as the way on only where they can do something: something to arm, a loan, a venue with stops,
an order that was picked up."""
TOUCHES = frozenset(["field.restore", "ticket.unblock", "ticket.drop"])
"""Actions that take back a refused key, or drop the ticket with it."""
STEPS = frozenset(["field.up", "field.down"])
"""Actions that step from a refused figure to the next accepted one."""
_BESIDE_SENT = frozenset(["ticket.drop", "field.restore", "line.close", "cancel.last", *KILL_OPENERS])
"""Actions named beside an order that is on its way."""


def _waits_for_touch(action: Action) -> bool:
    """Return whether an action has no effect while a refused key blocks the ticket, form or question."""
    if action.id in ("form.close", "prompt.no", "kill.close", "ticket.unask"):
        return False
    return action.group in ("ticket", "form") or action.id in TICKET_KEYS or action.id in ("prompt.yes", "kill.go")


class KeyHints:
    """Hints of the keys that work where the focus is; one instance for the lifetime of the app."""

    def __init__(self, context: Context, keymap: Keymap, availability: Availability) -> None:
        self._context = context
        self._keymap = keymap
        self._availability = availability

    def _key_of_hint(self, action: Action) -> str:
        """Return the key to show for an action; where Enter opens the selected option, it is not shown for going back."""
        keys = self._keymap.of(action.id)
        if action.id == "kill.open_text" and self._context.scope is Scope.LINE and self.is_sent(Scope.LINE):
            return "X"
        if action.id == "prompt.no" and self._name_opened():
            return next((key for key in keys if key != "enter"), keys[0])
        return "enter" if action.id == "prompt.yes" and self._name_opened() else keys[0]

    def _name_opened(self) -> str:
        """Return the word for what the options of the open question open, such as a form; empty if they open nothing."""
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
        """Return the hint for Enter: `after typing WORD` until the confirmation word is typed, then the usual hint."""
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

    def list_hints(self, scope: Scope) -> list[Hint]:
        """Return the hints of the keys that work in a scope, the most important first."""
        here = [action for action in self.list_actions(scope) if action.hint]
        if self.is_sent(scope):
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

    def is_sent(self, scope: Scope) -> bool:
        """Return whether an order is being sent and a scope belongs to its ticket or is the command line."""
        return bool(self._context.main_screen.panel.sending) and scope in TICKET_SCOPES | {Scope.LINE}

    def compose(self, scope: Scope) -> list[Hint]:
        """Return the key hints for the footer; their titles say what the keys do in the open ticket or form."""
        panel = self._context.main_screen.panel
        hints = [hint for hint in self.list_hints(scope) if hint.action != "ticket.send" or panel.can_send]
        if self._is_stopped(scope):
            return self._list_ways_on(hints, scope)
        if scope in (Scope.FORM, Scope.FORM_END):
            return self._form_hints(hints, scope)
        if scope not in TICKET_SCOPES:
            return hints
        if panel.end_reason:
            # A replace of an order that has ended takes no key but those that close it.
            return [hint for hint in hints if hint.action in TOUCHES or not _waits_for_touch(BY_ID[hint.action])]
        titles, table = build_hints(panel), self._context.table
        hints = [
            hint
            for hint in hints
            if BY_ID[hint.action].group != "ticket" or not self._availability.reason(BY_ID[hint.action], table)
        ]
        if panel.size_field.has_focus and panel.mode is Mode.STAGED and hints:
            hints.insert(1, Hint("stop.next", "Tab", ""))
        hints = [hint._replace(title=titles.get(hint.action, hint.title)) for hint in hints]
        hints = [hint for hint in hints if hint.title or hint.action not in ("field.up", "step.up")]
        sends = {"ticket.send", "field.next"} if panel.sends_from_size else {"ticket.send"}
        return [hint._replace(key=format_key(panel.send_key)) if hint.action in sends else hint for hint in hints]

    def _is_stopped(self, scope: Scope) -> bool:
        """Return whether the form, ticket or question of a scope takes no keys because it refused one."""
        from tui.workstation.widgets.forms.body import FormScreen

        if scope in (Scope.FORM, Scope.FORM_END):
            form = self._context.modal(FormScreen)
            return form is not None and bool(form.body.refused_key)
        if scope in TICKET_SCOPES:
            return self._context.main_screen.panel.blocked
        return scope in (Scope.PROMPT, Scope.KILL) and self._context.is_question_stopped

    def _list_ways_on(self, hints: list[Hint], scope: Scope) -> list[Hint]:
        """Return the hints while a refused key blocks a ticket, form or question: the unblocking key, and keys that work."""
        field, named = self._context.main_screen.focused, name_stepped(self._context.main_screen.panel)
        steps = STEPS if isinstance(field, NumberField) and field.locked and named else frozenset[str]()
        kept = [hint for hint in hints if hint.action in TOUCHES | steps or not _waits_for_touch(BY_ID[hint.action])]
        both = "/".join(format_key(self._keymap.of(action)[0]) for action in sorted(STEPS, reverse=True))
        kept = [hint._replace(key=both, title=named) if hint.action in steps else hint for hint in kept]
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
