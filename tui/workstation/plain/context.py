"""Context of plain mode: questions are printed and answered by a typed line, outcomes come to the loop of the desk."""

from __future__ import annotations

import queue
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from tui.engine.event_line import EventLine, Level
from tui.engine.modes import TradingState
from tui.workstation.commands.desk_context import DeskContext, read_outcome

if TYPE_CHECKING:
    from tui.engine.intents import Intent, Outcome
    from tui.engine.port import EnginePort
    from tui.workstation.model.display_context import DisplayContext
    from tui.workstation.model.event_levels import Stay
    from tui.workstation.widgets.question import Option, Question

Print = Callable[[str], None]
YES, NO = "yes", "no"
LATE_S = 2.0
"""Seconds after a question closed by itself in which an answer may still be meant for it, and not for the next one."""


class OpenQuestion(msgspec.Struct):
    """Question that has been printed and waits for an answer, or that waits in the queue to be printed."""

    question: Question
    answer: Callable[[str | None], None]
    renew: Callable[[], Question] | None
    by_key: bool
    """Whether a typed line opened it; else the engine did."""
    is_asked: bool = False
    """Whether it was printed."""
    answerable: float = 0.0
    """Monotonic time from which a line answers it, s."""
    until: float = 0.0
    """Monotonic time at which it ends unanswered, s."""


HOW_TO_ARM = "type arm"
HOW_TO_LEAVE_MODE = "resume"


class PlainContext(DeskContext):
    """State and services of a desk without a screen."""

    how_to_resume = "the words arm and resume"
    how_to_cancel = "c all pf"
    cause = "line"

    def __init__(self, port: EnginePort, view: DisplayContext, out: Print, exact: Print) -> None:
        super().__init__(port, view)
        view.how_to_arm, view.how_to_leave_mode = HOW_TO_ARM, HOW_TO_LEAVE_MODE
        self.tell_exactly = exact
        """Print a line that shows what to type, as it is."""
        self.write_line = out
        """Print a line."""
        self.calls: queue.SimpleQueue[tuple[str, Callable[[], None]]] = queue.SimpleQueue()
        """Row key and handling of outcomes from the engine's thread, for the loop of the desk; a key may be empty."""
        self.wake: Callable[[], None] = lambda: None
        """Wakes the loop; called from any thread."""
        self.questions: list[OpenQuestion] = []
        """Question that is asked, then those that wait until it has ended: a line answers what was asked last."""
        self._ended = float("-inf")
        """Monotonic time at which the newest question closed without an answer, s."""
        self.has_left = False

    # Sending

    def submit(
        self, intent: Intent, on_outcome: Callable[[Outcome], None], *, by_answer: bool = False
    ) -> Outcome | None:
        """Submit an intent to the engine; return the outcome if known at once; the main loop handles the outcome."""
        del by_answer
        hear = self.hear_outcome(on_outcome)

        def deliver(done: Future[Outcome]) -> None:
            outcome = read_outcome(done)
            self.calls.put((outcome.key, partial(hear, outcome)))
            self.wake()

        return self.submit_and_read(intent, deliver)

    def end_hot(self, why: str) -> None:
        """Ask the engine to return from HOT to ARMED; another window of this desk may have entered HOT."""
        status = self.mirror.engine_status
        if status is not None and status.trading_state is TradingState.HOT:
            self.port.end_hot(why)

    def unmark(self, pane: str) -> None:
        """Do nothing: there are no marks."""

    def leave(self) -> None:
        """Mark the desk as left, so that it ends after the current line."""
        self.has_left = True

    # Messages

    def show_event(self, event: EventLine, stay: Stay | None) -> None:
        del stay
        self.write_line(event.text)

    def refuse(self, text: str) -> None:
        """Print why nothing was done."""
        self.write_line(f"not done: {self.view.name_keys(text)}")

    # Questions

    def prompt(
        self,
        question: Question,
        answer: Callable[[str | None], None],
        renew: Callable[[], Question] | None = None,
        *,
        by_key: bool = True,
    ) -> None:
        """Queue a question; it is printed once no other is open, and a later line answers it."""
        self.questions.append(OpenQuestion(question, answer, renew, by_key))
        self._ask_next()

    def _ask_next(self) -> None:
        """Print the first question of the queue unless printed already: options, named orders, and how to answer."""
        if not self.questions or self.questions[0].is_asked:
            return
        opened = self.questions[0]
        question = opened.question = opened.renew() if opened.renew is not None else opened.question
        if question.ended:
            self._end_first(question.ended)
            return
        self.write_line(f"question: {question.title}")
        many = len(question.choices) > 1
        for number, choice in enumerate(question.choices, 1):
            label = choice.word or (YES if question.kill else f"{YES} {number}" if many else question.word or YES)
            self.write_line(f"{label}: {choice.text}" if choice.enabled else f"not possible: {choice.text}")
        for line in question.named:
            self.write_line(line.forms[0])
        for note in question.notes:
            self.write_line(f"note: {note}")
        self._begin(opened)
        self.write_line(
            f"{self._how_to_answer(question)}. Without an answer in {self.settings.confirm_expiry_s} s nothing is done"
        )

    def _begin(self, opened: OpenQuestion) -> None:
        """Set from when and until when a question that was printed now can be answered."""
        now, opened.is_asked = self.clock.mono(), True
        is_late = not opened.by_key and now < self._ended + LATE_S
        opened.answerable = now + max(self.settings.confirm_arm_ms / 1000, LATE_S if is_late else 0.0)
        opened.until = now + self.settings.confirm_expiry_s

    def repeat_answers(self, why: str) -> None:
        """Say again what the open question asks and which lines answer it; it stays open as long as before."""
        question = self.questions[0].question
        self.write_line(f"{why}; the question stays open: {question.title}")
        self.write_line(self._how_to_answer(question))

    def _how_to_answer(self, question: Question) -> str:
        return f"type {', '.join(dict.fromkeys(self._list_answers(question)))}, or {NO}"

    @staticmethod
    def _list_answers(question: Question) -> list[str]:
        """List the lines that confirm a question."""
        words = []
        for number, choice in enumerate(question.choices, 1):
            plain = f"{YES} {number}" if len(question.choices) > 1 and not question.kill else YES
            if choice.enabled:
                words.append(choice.word or question.word or plain)
        return words

    def find_choice(self, text: str) -> Option | None:
        """Return the option of the open question that a line confirms; None if the line confirms none."""
        if not self.questions:
            return None
        question = self.questions[0].question
        for word, choice in zip(
            self._list_answers(question), [choice for choice in question.choices if choice.enabled], strict=True
        ):
            if text == word:
                return choice
        return None

    def take_answer(self, chosen: Option, at: float) -> None:
        """Confirm an option of the open question by a line read at time `at`; refuse a line that came too early."""
        opened = self.questions[0]
        if at < opened.answerable:
            opened.answerable = self.clock.mono() + self.settings.confirm_arm_ms / 1000
            self.write_line("that answer came before the question could be read: nothing is done; answer again")
            return
        question = opened.renew() if opened.renew is not None else opened.question
        if question.ended or chosen.id not in (choice.id for choice in question.choices if choice.enabled):
            self._end_first(question.ended or "this answer is no longer possible")
            return
        self.questions.pop(0)
        opened.answer(chosen.id)
        self._ask_next()

    def decline(self, why: str) -> None:
        """Close the open question without confirming it, print why, and ask the next one."""
        opened = self.questions.pop(0)
        self.write_line(f"{opened.question.title}: {why}, nothing is done")
        opened.answer(None)
        self._ask_next()

    def _end_first(self, why: str) -> None:
        """Close the first question because it has ended by itself, and ask the next one."""
        self._ended = self.clock.mono()
        self.decline(why)

    def drop_questions(self, why: str) -> None:
        """Close all questions without an answer, including those not printed yet."""
        dropped, self.questions = self.questions, []
        for opened in dropped:
            self.write_line(f"{opened.question.title}: {why}, nothing is done")
            opened.answer(None)

    def expire_questions(self) -> None:
        """Close the open question if its time for an answer is over."""
        if self.questions and self.clock.mono() >= self.questions[0].until:
            self._end_first("no answer came")

    # Kills

    def close_unsent(self) -> list[str]:
        """Close all questions except a kill prompt without an answer; return their titles."""
        dropped = [opened for opened in self.questions if not opened.question.kill]
        self.questions = [opened for opened in self.questions if opened.question.kill]
        if dropped:
            self._ended = self.clock.mono()
        for opened in dropped:
            opened.answer(None)
        return [opened.question.title for opened in dropped]

    def report_closed(self, text: str, *, by_key: bool) -> None:
        """Print what a kill has closed."""
        del by_key
        self.say(text, Level.WARN)
