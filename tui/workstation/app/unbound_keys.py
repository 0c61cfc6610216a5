"""Keys without effect: what is said about them, and what they block."""

from __future__ import annotations

import re
from collections.abc import Callable

from textual import events

from tui.workstation.commands.context import Context
from tui.workstation.input.action import Risk
from tui.workstation.input.actions import ACTIONS, format_key
from tui.workstation.input.fresh_press import add_way_on
from tui.workstation.input.keymap import Keymap, write_key
from tui.workstation.input.scopes import QUESTIONS, READ_BOXES, SCREENS, TICKET, VIEWS, Scope
from tui.workstation.tickets.order.ticket_factory import SHARES
from tui.workstation.widgets.footer import Hint
from tui.workstation.widgets.main_screen import MainScreen

_DOES = {"back": "go back", "yes, send": "send"}
"""Verbs for hints of answers."""
IN_A_LIST = "has no function in this box; Esc closes it"
_FUNCTION_KEY = re.compile(r"f\d+")
_PLACES = {
    Scope.FIELD: "in a field",
    Scope.FILTER: "in the filter",
    Scope.LINE: "on the command line",
    Scope.FORM: "in a form",
    Scope.FORM_END: "in a form",
    **dict.fromkeys(QUESTIONS | {Scope.PART}, "in a question"),
}
"""Where a function key has no effect; elsewhere it is a box."""
NO_SHARE = f"is no share: press {', '.join(f'⟦part.{key}⟧ for {percent} %' for key, percent in SHARES.items())}, or Esc"
_SAYS_WHERE = VIEWS | SCREENS | TICKET
"""Scopes in which the desk says where a key works that has no effect here."""
_LIST_BOXES = READ_BOXES - {Scope.JUMP}
"""Boxes in which a letter without a function is explained."""
_QUESTIONS = QUESTIONS - {Scope.WORD}
"""Scopes in which a letter that is no answer is explained."""


def opens_line(event: events.Key, keymap: Keymap) -> bool:
    """Return whether a key opens the command line."""
    return write_key(event) in keymap.of("line.open")


def _find_view_action(main_screen: MainScreen, view: str | None, here: str) -> str:
    """Return the id of the action that moves from pair view `here` to another view: to the next pane or the next tab."""
    area = main_screen.plan.area_of(here)
    if area is None or view not in area.panes:
        return "pane.next"
    return "ladder.right" if here == "ladder" and not main_screen.boxes[here].pane.sends_to else "view.next"


class UnboundKeys:
    """Handler of keys that have no effect where they are pressed; it tells the trader why."""

    def __init__(self, context: Context, keymap: Keymap, list_hints: Callable[[Scope], list[Hint]]) -> None:
        """Initialize with the screens, the keymap and a function that lists key hints.

        Args:
            context: Screens, guard and messages.
            keymap: Keys of the user.
            list_hints: Return the hints of the keys that work in a scope, the most important first.
        """
        self._context = context
        self._keymap = keymap
        self._list_hints = list_hints

    def explain(self, event: events.Key, scope: Scope) -> None:
        """Tell the trader why a key has no effect: where it works, or that it has no function.

        A question lists its answers instead. Keys without a letter that only look or go back (Esc, Tab, arrows) are
        pressed by habit and stay silent.
        """
        key, letter = write_key(event), event.is_printable
        if letter:
            self._context.guard.typing.refuse_letter(opens_line=opens_line(event, self._keymap))
        if scope not in _SAYS_WHERE:
            self._explain_in_box(key, scope, letter=letter)
            return
        actions = [action for action in ACTIONS if key in self._keymap.of(action.id)]
        if any(scope in action.scopes for action in actions):
            return
        if scope is Scope.CHOOSER and key in self._keymap.of("ticket.send_form"):
            self._say_what_lacks(key)
            return
        actions = [action for action in actions if letter or action.risk > Risk.LOOK]
        if scope is Scope.PREVIEW and self._context.guard.is_opener(self._context.main_screen.panel.subject):
            self._explain_opener(scope, letter=letter)
            return
        if letter:
            # In HOT a letter behind one without a function is typing: it sends nothing for a moment.
            self._context.guard.record_move()
        if actions:
            from tui.workstation.input.where_keys_work import explain_key, find_view

            main_screen = self._context.main_screen
            beside = _find_view_action(main_screen, find_view(actions, scope), scope)
            views_open = main_screen.plan.area_of(Scope.LADDER) is not None
            text = explain_key(
                format_key(key), actions, self._keymap.of, here=scope, beside=beside, views_open=views_open
            )
            self.refuse(text, scope, letter=letter)
        elif letter:
            self.refuse(f"{format_key(key)} has no function; press ? for all keys", scope, letter=True)

    def _explain_in_box(self, key: str, scope: Scope, *, letter: bool) -> None:
        """Say which keys answer a question, or that a function key or a letter has no effect in a box."""
        context = self._context
        if _FUNCTION_KEY.fullmatch(key) and any(key in self._keymap.of(action.id) for action in ACTIONS):
            context.refuse(f"{format_key(key)} does not work {_PLACES.get(scope, 'in this box')}: Esc goes back first")
        if letter and scope in _LIST_BOXES:
            context.refuse_key(key, IN_A_LIST)
        if letter and scope is Scope.PART:
            context.refuse_key(key, NO_SHARE)
            # The question holds the line on which the refusal would be read.
            context.main_screen.event_bar.question = context.view.name_keys(f"{format_key(key)} {NO_SHARE}")
            context.main_screen.event_bar.redraw_all()
        enter = scope is Scope.ASK and key == "enter" and not context.guard.is_repeated
        asked = letter or enter or key in self._keymap.of("quit.ask")
        if scope not in _QUESTIONS or not asked:
            return
        answers = " or ".join(
            f"{hint.key} to {_DOES.get(hint.title, hint.title)}" for hint in self._list_hints(scope)[:2]
        )
        if letter:
            context.guard.record_move()
            self._stop_question(key, scope)
        # Behind letters that are no answer, the key that answers does nothing.
        ways = "⟦ticket.unblock⟧ continues, Esc closes" if context.is_question_stopped else f"press {answers}"
        context.refuse_key(key, f"is not an answer here: {ways}")

    def _stop_question(self, key: str, scope: Scope) -> None:
        """Block answers to a question after a letter that is none; not the kill prompt, nor for opening or held keys."""
        from tui.workstation.widgets.prompts import PromptScreen

        context, panel = self._context, self._context.main_screen.panel
        prompt = context.modal(PromptScreen)
        subject = panel.subject if prompt is None else prompt.body
        if scope is Scope.KILL or context.guard.is_opener(subject) or context.guard.is_repeated:
            return
        if prompt is not None:
            prompt.body.refuse_letter(key)
            return
        panel.refuse_key(f"{format_key(key)} is not an answer here: y does nothing")
        context.guard.refuse(subject)
        context.refresh_keys()

    def _say_what_lacks(self, key: str) -> None:
        """Show why a key does not send from a choice field: no side is chosen, or it sends only from the last line."""
        panel = self._context.main_screen.panel
        ticket = panel.ticket
        text = f"{format_key(key)} sends only from the last line of the ticket: Enter or ⟦stop.next⟧ goes there"
        if ticket is not None and not ticket.sided:
            text = "choose buy or sell first: ⟦side.buy⟧ or ⟦side.sell⟧"
        panel.refusal = text
        panel.redraw_all()
        self._context.refuse(text)

    def refuse(self, text: str, scope: Scope, *, letter: bool) -> None:
        """Show why a key has no effect; an open ticket shows it too and then refuses further keys.

        A letter on a choice cannot be meant for a field and blocks nothing.
        """
        context = self._context
        panel = context.main_screen.panel
        if context.guard.is_held_opener(panel.subject):
            return  # the key that opened the ticket is still held
        if (scope is Scope.PREVIEW or (scope is Scope.CHOOSER and not letter)) and not panel.sending:
            # The first refusal stays, because it names what further keys wait for.
            panel.refused_key = panel.refused_key or context.view.name_keys(add_way_on(text, "ticket.unblock"))
            panel.redraw_all()
            context.guard.refuse(panel.subject)
            context.refresh_keys()
        context.refuse(text)

    def _explain_opener(self, scope: Scope, *, letter: bool) -> None:
        """Show that the ticket is already open when its opening key is pressed again, and which keys send and close it.

        A ticket that has another price or time in force by now is not what the key means: it refuses the key.
        """
        from tui.workstation.input.where_keys_work import explain_opener

        context, panel = self._context, self._context.main_screen.panel
        ticket = panel.ticket
        if letter:
            context.guard.record_move()
        if ticket is None or context.guard.is_held_opener(panel.subject):
            return  # the key is still held
        noun = "replace" if ticket.order is not None else "close" if ticket.closes else "order"
        sends = "ticket.send" if panel.send_key == "enter" else "ticket.send_form"
        if panel.sending:
            context.refuse_sent(context.key)
        elif panel.is_repriced:
            from tui.workstation.tickets.preview.price import name_terms

            self.refuse(name_terms(ticket, panel.quote, context.view), scope, letter=letter)
        else:
            context.refuse(explain_opener(noun, sends if panel.can_send else "", self._keymap.of))
