"""Context of plain mode: questions are printed and answered by a typed line, outcomes come to the loop of the desk."""

from __future__ import annotations

import queue
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from tui.engine.modes import TradingState
from tui.engine.rows import EventLine
from tui.workstation.commands.desk_context import DeskContext, read_outcome

if TYPE_CHECKING:
    from tui.engine.intents import Intent, Outcome
    from tui.engine.port import EnginePort
    from tui.workstation.model.display_context import DisplayContext
    from tui.workstation.model.event_levels import Stay
    from tui.workstation.widgets.question import Option, Question

Print = Callable[[str], None]
YES, NO = "yes", "no"


class OpenQuestion(msgspec.Struct):
    """Question that waits for its answer."""

    question: Question
    answer: Callable[[str | None], None]
    renew: Callable[[], Question] | None
    printed: float
    """Monotonic time at which it was last printed, or at which an answer came too early, s."""
    until: float
    """Monotonic time at which it ends unanswered, s."""


class PlainContext(DeskContext):
    """State and services of a desk without a screen."""

    how_to_arm = "type arm"
    how_to_resume = "the words arm and resume"
    how_to_leave_mode = "resume"
    how_to_cancel = "c all pf"
    cause = "line"

    def __init__(self, port: EnginePort, view: DisplayContext, out: Print, exact: Print) -> None:
        super().__init__(port, view)
        self.tell_exactly = exact
        """Print a line that shows what to type, as it is."""
        self.tell = out
        """Print a line."""
        self.calls: queue.SimpleQueue[tuple[str, Callable[[], None]]] = queue.SimpleQueue()
        """Row key and handling of outcomes from the engine's thread, for the loop of the desk; a key may be empty."""
        self.wake: Callable[[], None] = lambda: None
        """Wakes the loop; called from any thread."""
        self.questions: list[OpenQuestion] = []
        """Open questions, the newest last."""
        self.has_left = False

    # Sending

    def submit(self, intent: Intent, on_outcome: Callable[[Outcome], None], *, by_answer: bool = False) -> None:
        """Submit an intent to the engine; its outcome is handled on the loop."""
        del by_answer

        def deliver(done: Future[Outcome]) -> None:
            outcome = read_outcome(done)
            self.calls.put((outcome.key, partial(on_outcome, outcome)))
            self.wake()

        self.port.submit(intent).add_done_callback(deliver)

    def end_hot(self, why: str) -> None:
        """Return from HOT to ARMED; another window of this sender may have entered it."""
        status = self.mirror.engine_status
        if status is not None and status.trading_state is TradingState.HOT:
            self.port.end_hot(why)

    def unmark(self, pane: str) -> None:
        """Do nothing: there are no marks."""

    def leave(self) -> None:
        """End the desk after the present line."""
        self.has_left = True

    # Messages

    def show_event(self, event: EventLine, stay: Stay | None) -> None:
        del stay
        self.tell(event.text)

    def refuse(self, text: str) -> None:
        """Print why nothing was done."""
        self.tell(f"not done: {self.view.name_keys(text)}")

    # Questions

    def prompt(
        self,
        question: Question,
        answer: Callable[[str | None], None],
        renew: Callable[[], Question] | None = None,
        *,
        by_key: bool = True,
    ) -> None:
        """Print a question and keep it open; a later line answers it."""
        del by_key
        now = self.clock.mono()
        opened = OpenQuestion(question, answer, renew, now, now + self.settings.confirm_expiry_s)
        self.questions.append(opened)
        self._ask(opened)

    def _ask(self, opened: OpenQuestion) -> None:
        """Print a question with its options, everything that it names, and how it is answered."""
        question = opened.question
        self.tell(f"question: {question.title}")
        many = len(question.choices) > 1
        for number, choice in enumerate(question.choices, 1):
            label = choice.word or (YES if question.kill else f"{YES} {number}" if many else question.word or YES)
            self.tell(f"{label}: {choice.text}" if choice.enabled else f"not possible: {choice.text}")
        for line in question.named:
            self.tell(line.forms[0])
        for note in question.notes:
            self.tell(f"note: {note}")
        opened.printed = self.clock.mono()
        opened.until = opened.printed + self.settings.confirm_expiry_s
        self.tell(
            f"{self._how_to_answer(question)}. Without an answer in {self.settings.confirm_expiry_s} s nothing is done"
        )

    def repeat_answers(self, why: str) -> None:
        """Say again what the newest question asks and which lines answer it; it stays open as long as before."""
        question = self.questions[-1].question
        self.tell(f"{why}, nothing is done; the question stays open: {question.title}")
        self.tell(self._how_to_answer(question))

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
        """Return the option of the newest question that a line confirms; None if it is not its answer."""
        if not self.questions:
            return None
        question = self.questions[-1].question
        for word, choice in zip(
            self._list_answers(question), [choice for choice in question.choices if choice.enabled], strict=True
        ):
            if text == word:
                return choice
        return None

    def take_answer(self, chosen: Option, at: float) -> None:
        """Confirm the newest question by a line that was read at a time; one that came too early confirms nothing."""
        opened = self.questions[-1]
        if at < opened.printed + self.settings.confirm_arm_ms / 1000:
            opened.printed = self.clock.mono()
            self.tell("that answer came before the question could be read: nothing is done; answer again")
            return
        question = opened.renew() if opened.renew is not None else opened.question
        if question.ended or chosen.id not in (choice.id for choice in question.choices if choice.enabled):
            self.questions.pop()
            self.tell(f"{question.ended or 'that is no longer possible'}: nothing is done")
            opened.answer(None)
            return
        self.questions.pop()
        opened.answer(chosen.id)

    def drop_questions(self, why: str) -> None:
        """End all open questions without an answer."""
        while self.questions:
            opened = self.questions.pop()
            self.tell(f"{opened.question.title}: {why}, nothing is done")
            opened.answer(None)

    def expire_questions(self) -> None:
        """End the newest question once nobody answered it in time."""
        if self.questions and self.clock.mono() >= self.questions[-1].until:
            self.drop_questions("no answer came")
