"""Handlers of keys in a question: confirm or decline, choose an option, type a confirmation word."""

from __future__ import annotations

from functools import partial

from tui.workstation.commands.context import Context
from tui.workstation.input.actions import format_key
from tui.workstation.input.handlers import Handlers
from tui.workstation.input.scopes import Scope
from tui.workstation.model.event_levels import Stay
from tui.workstation.widgets.prompts import PromptScreen

REFUSED_LETTERS = "does nothing behind letters that are no answer: ⟦edit.erase⟧ continues, Esc closes"


class PromptKeys:
    """Keys of all questions; the controller that asked handles the answer."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {
            "prompt.yes": self.confirm,
            "prompt.no": self.decline,
            "prompt.page_down": partial(self.turn_page, 1),
            "prompt.page_up": partial(self.turn_page, -1),
            "kill.go": self.take_row,
            "word.take": self.take_word,
        }

    def _prompt(self) -> PromptScreen | None:
        return self._context.modal(PromptScreen)

    def confirm(self) -> None:
        """Confirm the selected option, unless the question opened too recently, refused a letter or needs a word."""
        prompt = self._prompt()
        if prompt is None or self._comes_early(prompt):
            return
        if prompt.body.refused:
            self._context.refuse_key(self._context.key, REFUSED_LETTERS)
            return
        if prompt.body.word and prompt.scope is Scope.PROMPT:
            self.take_word()
            return
        if not prompt.chosen.enabled:
            self._context.say("there is no order or position for this choice", stay=Stay.NEXT_KEY)
            return
        self._answer(prompt)

    def _answer(self, prompt: PromptScreen) -> None:
        """Close the question with the selected option, unless the key press may not send or the subject has ended."""
        question = prompt.question
        if not prompt.closes_itself() and (question.only_cancels or question.opens or self._is_fresh(prompt)):
            prompt.dismiss(prompt.chosen.id)

    def _comes_early(self, prompt: PromptScreen, *, leaves: bool = False) -> bool:
        """Return whether the question opened too recently to accept an answer; tell the trader if so.

        Args:
            prompt: The question.
            leaves: Whether the key would leave the question unanswered.
        """
        context = self._context
        if not prompt.ready:
            prompt.wait_again()
        if not prompt.ready and not context.guard.is_repeated and not context.guard.is_held_opener(prompt.body):
            key = format_key(context.key)
            context.refuse(
                f"{key} ignored: the question has just opened; Esc closes it"
                if leaves
                else f"{key} not sent: the question has just opened; read it, then press {key}"
            )
        return not prompt.ready

    def _is_fresh(self, prompt: PromptScreen) -> bool:
        """Return whether the key press is allowed to send; explain if not."""
        why = self._context.may_send(prompt.body.written)
        if why:
            self._context.refuse(why)
        return why is None

    def decline(self) -> None:
        """Close the question unanswered; Enter instead confirms where options open a form, or checks the typed word."""
        prompt = self._prompt()
        if prompt is not None and prompt.question.opens and self._context.key == "enter":
            self.confirm()
        elif prompt is not None and prompt.body.word and self._context.key == "enter":
            self.take_word()
        elif prompt is not None and (self._context.key == "escape" or not self._comes_early(prompt, leaves=True)):
            if self._context.key == "enter":
                verb = prompt.question.yes or ("cancels" if prompt.question.only_cancels else "confirms")
                done = "cancelled" if verb == "cancels" else "done"
                # It is about this question: the key that opens the next one takes it off the line.
                self._context.say(f"nothing was {done}: y {verb}, Enter goes back", stay=Stay.NEXT_KEY)
            prompt.dismiss(None)

    def turn_page(self, by: int) -> None:
        """Scroll the orders that the question names by pages."""
        if (prompt := self._prompt()) is not None:
            prompt.body.turn_page(by)

    def take_row(self) -> None:
        """Handle Enter in the kill prompt: the first row is confirmed at once, other rows need their typed word."""
        prompt = self._prompt()
        if prompt is not None and prompt.body.word and not prompt.body.refused:
            self.take_word()
        else:
            self.confirm()

    def take_word(self) -> None:
        """Confirm on Enter if the required word was typed; otherwise explain what to type."""
        prompt = self._prompt()
        if prompt is None or self._comes_early(prompt):
            return
        if prompt.body.is_word_typed:
            # The word of the kill prompt is typed in a hurry, and on a screen that stands still.
            self._answer(prompt)
        elif prompt.body.typed:
            self._context.ignore(f"{prompt.body.typed!r} is not the word: type {prompt.body.word}, or Esc")
        else:
            self._context.ignore(f"type {prompt.body.word} to confirm this row, or Esc")
