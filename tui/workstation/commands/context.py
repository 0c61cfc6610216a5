"""Context of the key handlers: screens, engine port, key press guard, dialogs, sending and messages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from tui.engine.event_line import EventLine, Level
from tui.engine.modes import SENDS, TradingState
from tui.engine.rows import Table
from tui.workstation.commands.desk_context import DeskContext, read_outcome
from tui.workstation.input.actions import BY_ID, format_key
from tui.workstation.input.fresh_press import (
    IN_A_BURST,
    STOOD_S,
    FreshPress,
    PressFacts,
    PressVerdict,
    Rule,
    WrittenLine,
)
from tui.workstation.input.input_order import key_time
from tui.workstation.input.scopes import QUESTIONS, TYPED, Scope
from tui.workstation.model.event_levels import Stay
from tui.workstation.widgets.list_screen import ListScreen

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen

    from tui.engine.intents import Intent, Outcome
    from tui.engine.port import EnginePort
    from tui.workstation.model.display_context import DisplayContext
    from tui.workstation.table.live_table import LiveTable
    from tui.workstation.widgets.help import Lines
    from tui.workstation.widgets.main_screen import MainScreen
    from tui.workstation.widgets.prompts import PromptScreen
    from tui.workstation.widgets.question import Question

NO_ROW = "no row selected: ⟦list.down⟧ selects one"
NO_PAIR_OPEN = "no pair is open: ⟦pair.open⟧ on a row opens its ladder, chart and trades"
EMPTY = "no row selected: the list is empty"
SEVERAL_VENUES = "select the row of one venue: this one is the best of several"
MOVED_BY_ITSELF = "the cursor moved by itself"
ANSWERS = frozenset(["y", "n", "enter"])
"""Keys that answer questions without a word."""
SETTLE_S = 0.3
"""Seconds after the program moved the cursor in which a cancel or replace key only names the row it would take."""
SWALLOW_S = 2.0
"""Seconds after a question closed by itself, or after the last key of its word, in which what may answer it does nothing."""
SEEN_S = 0.5
"""Seconds in which a person may not have seen that it closed: then no character is a key of the desk."""


def needs_no_press(intent: Intent) -> bool:
    """Return whether an intent may be sent without a guarded key press: it only cancels, or was confirmed as a kill."""
    from tui.engine.intents import CANCELS, Place

    return intent.kill if isinstance(intent, Place) else isinstance(intent, CANCELS)


def name_press(intent: Intent, facts: PressFacts | None) -> Intent:
    """Return an intent with the facts of the key press that sends it, which the gateway checks again; unchanged without."""
    if facts is None:
        return intent
    import msgspec

    from tui.engine.intents import Press

    again, stood, moved = (None if time is None or time == inf else round(time * 1000) for time in facts[2:])
    press = Press(key=facts.key, at=facts.at, again_ms=again, stood_ms=stood, moved_ms=moved)
    return msgspec.structs.replace(intent, decision=msgspec.structs.replace(intent.decision, press=press))


def why_no_row(table: LiveTable | None) -> str:
    """Return why a list has no selected row."""
    return NO_ROW if table is None or table.row_count else EMPTY


def no_row(table: LiveTable | None) -> str:
    """Return why no row can be used, or an empty text when at least one is selected."""
    return "" if table is not None and table.targets else why_no_row(table)


def why_no_pair(table: LiveTable) -> str:
    """Return why a row without a single pair has none (never empty): no pair at all, or the best of several venues."""
    key = table.targets[0]
    return NO_ROW if table.pane.touch_sym(key, bid=True) is None else SEVERAL_VENUES


def no_single_row(table: LiveTable | None, verb: str) -> str:
    """Return why an action lacks its single row, or an empty text when exactly one row is selected."""
    rows = table.targets if table is not None else []
    if len(rows) > 1:
        return f"{len(rows)} rows are marked, and {verb} needs one: ⟦pane.close⟧ clears the marks"
    return "" if rows else why_no_row(table)


S = TypeVar("S", bound="Screen[Any]")
L = TypeVar("L", bound=ListScreen)


class HeldQuestion(NamedTuple):
    """Question that waits until the kill prompt is closed."""

    question: Question
    answer: Callable[[str | None], None]
    renew: Callable[[], Question] | None


def _scope_of(screen: Screen[Any] | None) -> Scope:
    if isinstance(screen, ListScreen):
        return screen.scope
    from tui.workstation.widgets.list_modal import BoxModal

    return screen.scope if isinstance(screen, BoxModal) else Scope.NOWHERE


class Context(DeskContext):
    """Shared state and services of all key handlers on the screen; one instance per app."""

    unopened = ""
    """Why the newest refused key of a ticket or form opened none; empty if the key itself said something else."""

    def __init__(
        self, app: App[None], port: EnginePort, view: DisplayContext, main_screen: MainScreen, guard: FreshPress
    ) -> None:
        super().__init__(port, view)
        self.app = app
        view.asks = lambda: self.scope in QUESTIONS
        view.in_line = lambda: self.scope is Scope.LINE
        view.works_here = lambda action: self.scope in BY_ID[action].scopes
        self.main_screen = main_screen
        self.guard = guard
        self.loop: asyncio.AbstractEventLoop | None = None
        self._ended_hot = float("-inf")
        """End of the HOT that was ended here."""
        self._expired = ""
        """Sentence about the newest question that expired."""
        self._closed_at = float("-inf")
        """Time at which it closed."""
        self._swallows_until = float("-inf")
        self._closed_over: Scope | None = None
        """Scope below it; None: it was no single question."""
        self._answers = ANSWERS
        """Keys that may have been typed for it at any time."""
        self._named: tuple[str, str | None] | None = None
        """Pane and row of the newest key that was refused because the cursor moved by itself."""
        self.thaw: Callable[[], None] = lambda: None
        """Unfreeze the screen and repaint it with current data."""
        self.close_ticket: Callable[[], list[str]] = list
        """Close the ticket and the command line because of a kill; return the names of what was not sent."""
        self._held: list[HeldQuestion] = []
        """Questions of the engine that came while a kill prompt was open."""

    # Screens

    @property
    def list_screen(self) -> ListScreen:
        """Visible list screen: the main screen or a full screen, even while a dialog covers it."""
        shown = (screen for screen in reversed(self.app.screen_stack) if isinstance(screen, ListScreen))
        return next(shown, self.main_screen)

    def find_screen(self, kind: type[L]) -> L | None:
        """Return the visible list screen if it is of this kind, even while a dialog covers it, else None."""
        screen = self.list_screen
        return screen if isinstance(screen, kind) else None

    @property
    def _top(self) -> Screen[Any] | None:
        """Top screen; None while the program ends."""
        stack = self.app.screen_stack
        return stack[-1] if stack else None

    @property
    def table(self) -> LiveTable | None:
        """List that has the focus."""
        return self.list_screen.table

    @property
    def scope(self) -> Scope:
        """Scope that receives the next key."""
        return _scope_of(self._top)

    def scope_below(self, kind: type[Screen[Any]]) -> Scope:
        """Return the scope of the screen below the top one if the top one is of this kind, else the current scope."""
        stack = self.app.screen_stack
        return _scope_of(stack[-2] if isinstance(stack[-1], kind) else stack[-1])

    def feed(self, changed: dict[Table, list[str]], *, new_events: bool) -> None:
        """Pass a batch of changed rows to the main screen and to a full screen in front of it."""
        self.main_screen.feed(changed, new_events=new_events)
        if self.list_screen is not self.main_screen:
            self.list_screen.feed(changed, new_events=new_events)
        for follow in list(self.followers):
            follow()

    def show_desk(self) -> None:
        """Return to the main screen: close pages and the full screen; questions stay open."""
        from tui.workstation.widgets.full_screen import FullScreen

        self.close_pages()
        if isinstance(self.app.screen, FullScreen):
            self.app.pop_screen()

    def close_pages(self) -> None:
        """Close help pages and side lists over the list screen; questions stay open."""
        from tui.workstation.widgets.help import HelpScreen
        from tui.workstation.widgets.list_modal import SideList

        while isinstance(self.app.screen, (HelpScreen, SideList)):
            self.app.screen.dismiss(None)

    def unmark(self, pane: str) -> None:
        """Remove the trader's marks from all rows of a pane."""
        self.main_screen.tables[pane].marked.unmark_all()

    def leave(self) -> None:
        """End the app."""
        self.app.exit()

    # Facts

    @property
    def armed(self) -> bool:
        status = self.mirror.engine_status
        return status is not None and status.trading_state in SENDS and not status.read_only

    @property
    def hot(self) -> bool:
        """Whether trading is HOT and not read-only, so that a single key press sends an order."""
        status = self.mirror.engine_status
        if status is None or status.trading_state is not TradingState.HOT or status.hot_until == self._ended_hot:
            return False
        return not status.read_only and self.clock.mono() < status.hot_until

    def end_hot(self, why: str) -> None:
        """Return from HOT to ARMED; from now on no single key sends, even before the engine has answered."""
        status = self.mirror.engine_status
        if status is not None and status.trading_state is TradingState.HOT:
            self._ended_hot = status.hot_until
            self.guard.hot = False
            self.port.end_hot(why)

    @property
    def is_on_desk(self) -> bool:
        """Whether the desk has the keyboard, with no dialog, screen or field over it."""
        return self._top is self.main_screen and self.main_screen.table is not None

    # Target row of an action

    def target(self) -> str | None:
        """Return the row key of the only marked row, or without marks of the row at the cursor; None unless one row."""
        keys = self.table.targets if self.table is not None else []
        return keys[0] if len(keys) == 1 else None

    def refuse_after_cursor_move(self, what: str, again: str = "") -> bool:
        """Refuse a key once if the program moved the cursor, naming the row it would act on; return whether it was refused.

        Within `SETTLE_S` of any such move, and at any time after the row under the cursor ended. A key that is still held
        when it is refused stays refused.

        Args:
            what: Row that the key would act on.
            again: Key to press again; empty: the same.
        """
        table, guard = self.table, self.guard
        if Rule.NAMED not in guard.rules or table is None or table.marked:
            return False
        row, held = (table.pane.id, table.selected), guard.is_repeated
        slid = self.clock.mono() - table.cursor.moved_at <= SETTLE_S or table.cursor.slid
        if not slid and not (held and self._named == row):
            return False
        key = format_key(self.key)
        if held:
            self.ignore(f"release {key}, then press {again or key} for {what}: {MOVED_BY_ITSELF}")
            return True
        table.cursor.slid, self._named = False, row
        guard.record_move()
        self.refuse(f"press {again or key} again for {what}: {MOVED_BY_ITSELF}")
        return True

    # Messages

    def show_event(self, event: EventLine, stay: Stay | None) -> None:
        if event.sticky:
            self.mirror.event_log.sticky.append(event)
        alert = event.level is Level.ALERT
        self.mirror.event_log.note_stay(stay or (Stay.PUSHED_OUT if alert else Stay.NEWS), self.guard.number)
        self.feed({}, new_events=True)

    def ignore(self, text: str, kind: str = "") -> None:
        """Show why a key did nothing, without ringing the bell."""
        self.say(text, Level.WARN, stay=Stay.NEXT_KEY, kind=kind)

    def refuse(self, text: str) -> None:
        """Show why a key did nothing, and ring the bell."""
        self.ring()
        self.ignore(text)

    def refuse_opener(self, text: str, *, takes_figure: bool = True) -> None:
        """Show why a key opened no ticket or form; Enter, and digits if `takes_figure`, right after it are then ignored."""
        self.refuse(text)
        self.unopened = text
        self.guard.typing.refuse_form(takes_figure=takes_figure)

    def refuse_key(self, key: str, why: str) -> None:
        """Show why a key was refused, after the key's name, and ring the bell; repetitions are counted in one line."""
        self.ring()
        self.ignore(f"{format_key(key)} {why}", why)

    def refuse_sent(self, key: str) -> bool:
        """Refuse a key, or a pasted text, while the ticket is on its way; return whether it is."""
        why = self.main_screen.panel.sent_reason
        if why:
            self.refuse_key(key, why)
        return bool(why)

    def ring(self) -> None:
        """Ring the bell if the settings allow it."""
        if self.settings.bell:
            self.app.bell()

    def show_notice(self, text: str) -> None:
        """Show a notice on the desktop of the operating system if the settings ask for it."""
        from tui.workstation.terminal.direct_output import DirectOutput

        if self.settings.notify != "off" and isinstance(self.app, DirectOutput):
            self.app.notify_desktop(text, self.settings.notify)

    def clear_ignored(self) -> None:
        """Remove messages about ignored keys from the event bar, because the current key did something."""
        if not self.guard.typing.is_figure and self.mirror.event_log.accept_key(self.guard.number):
            self.main_screen.event_bar.redraw_all()
            self.list_screen.event_bar.redraw_all()

    def refresh_keys(self) -> None:
        """Redraw the footer, because other actions may be available now."""
        self.main_screen.key_bar.redraw_all()
        self.list_screen.key_bar.redraw_all()
        if self.mirror.event_log.sticky:
            # Beside a warning stands what its key does, where it does something.
            self.list_screen.event_bar.redraw_all()

    def prompt(
        self,
        question: Question,
        answer: Callable[[str | None], None],
        renew: Callable[[], Question] | None = None,
        *,
        by_key: bool = True,
    ) -> None:
        """Open a question; `answer` gets the id of the confirmed choice, or None; one of the engine waits for a kill prompt.

        Args:
            question: Question to show.
            answer: Callback for the answer.
            renew: Rebuild the question while it is open, for one with counts that can change.
            by_key: Whether the present key opens it and must not answer it; False when the engine caused it.
        """
        from tui.workstation.widgets.prompts import PromptScreen

        if not by_key and self._is_kill_open:
            # Keys that are pressed for the kill must not reach it.
            self._held.append(HeldQuestion(question, answer, renew))
            return
        screen = PromptScreen(
            question,
            self.main_screen.palette,
            self.clock,
            self.settings.confirm_arm_ms / 1000,
            self.settings.confirm_expiry_s,
            renew,
            lambda why: self._report_end(screen, why),
        )
        if by_key and not question.word:
            self.guard.record_opener(screen.body)
        self.app.push_screen(screen, partial(self._answer_kill, answer) if question.kill else answer)

    @property
    def _is_kill_open(self) -> bool:
        from tui.workstation.widgets.prompts import PromptScreen

        return any(isinstance(screen, PromptScreen) and screen.question.kill for screen in self.app.screen_stack)

    def _answer_kill(self, take: Callable[[str | None], None], answer: str | None) -> None:
        """Pass on the answer of a kill prompt, then open the questions that waited for it and were not dropped by a kill."""
        take(answer)
        held, self._held = self._held, []
        for question in held:
            self.prompt(*question, by_key=False)

    def _report_end(self, screen: PromptScreen, why: str) -> None:
        """Report that a question closed unanswered, and for a moment refuse keys still typed for it."""
        words = "".join((screen.question.word, *(choice.word for choice in screen.question.choices)))
        self._answers, self._closed_over = ANSWERS | frozenset(words), self.scope_below(type(screen))
        # Its name stands last: the reason is what is read where there is no room for both.
        self._refuse_answers(f"question {why} ('{screen.name_text}')")

    def _refuse_answers(self, why: str) -> None:
        """Show why a question or form closed by itself, and refuse for `SWALLOW_S` keys that may still be meant for it."""
        self._expired, self._closed_at = why, self.clock.mono()
        self._swallows_until = self._closed_at + SWALLOW_S
        self.say(why, Level.WARN, stay=Stay.ANSWERED, kind=why)

    def close_unsent(self) -> list[str]:
        """Close questions (except kill prompts), forms, command line and ticket; return the names of those not sent."""
        from tui.workstation.widgets.forms.body import FormScreen
        from tui.workstation.widgets.list_modal import BoxModal
        from tui.workstation.widgets.prompts import PromptScreen

        names = []
        for screen in reversed(list(self.app.screen_stack)):
            if isinstance(screen, BoxModal) and screen.closes:
                continue
            if isinstance(screen, PromptScreen) and not screen.question.kill:
                names.append(screen.name_text)
                screen.close_unanswered()
            elif isinstance(screen, FormScreen) and screen.body.can_send:
                title = screen.body.current_view.title
                if screen.body.sending:
                    self.say(f"{title}: the form closed by itself; it was sent, the reply will be shown here")
                else:
                    names.append(title)
                screen.close_unanswered()
        held, self._held = self._held, []
        for waiting in held:
            names.append(waiting.question.title)
            waiting.answer(None)
        return [*names, *self.close_ticket()]

    def report_closed(self, text: str, *, by_key: bool) -> None:
        """Show what a kill has closed; unless confirmed by a key here, refuse for a moment keys that may be meant for it."""
        self._answers, self._closed_over = ANSWERS, None
        self._refuse_answers(text)
        if by_key:
            # Whoever killed here has seen it go: the next key is for the desk.
            self.take_keys_again()

    def take_keys_again(self) -> None:
        """Stop refusing keys that may be meant for a question that closed by itself."""
        self._swallows_until = float("-inf")

    def swallow_late_answer(self, key: str, *, waited_s: float, harmless: bool) -> bool:
        """Refuse a key that was typed for a question that has just closed by itself; return whether it was.

        Args:
            key: Key that types a character, or Enter.
            waited_s: Time since it was read from the terminal.
            harmless: Whether it only moves or cancels: it acts once the end of the question could be seen.
        """
        now, scope = self.clock.mono(), self.scope
        opened = self._closed_over is not None and scope in TYPED and scope is not self._closed_over
        if now >= self._swallows_until or opened:
            # A field that was opened since is what is typed for.
            return False
        is_answer = key in self._answers
        if harmless and not is_answer and now - max(waited_s, 0.0) >= self._closed_at + SEEN_S:
            return False
        if is_answer and self._answers != ANSWERS:
            # The rest of a word that is being typed is no key of the desk either.
            self._swallows_until = now + SWALLOW_S
        self.ring()
        self.ignore(f"{self._expired}. Esc continues", self._expired)
        return True

    # Dialogs

    @property
    def is_question_stopped(self) -> bool:
        """Whether the open question takes no answer, because letters that are no answer were typed."""
        from tui.workstation.widgets.prompts import PromptScreen

        prompt = self.modal(PromptScreen)
        return self.main_screen.panel.blocked if self.scope is Scope.ASK else bool(prompt and prompt.body.refused)

    def modal(self, kind: type[S]) -> S | None:
        """Return the dialog on top if it is of this kind, else None."""
        top = self._top
        return top if isinstance(top, kind) else None

    @property
    def has_box(self) -> bool:
        """Whether a dialog is open."""
        return not isinstance(self._top, ListScreen)

    def open_modal(self, screen: Screen[None]) -> None:
        """Show a dialog that returns no answer."""
        self.app.push_screen(screen)

    def open_page(self, title: str, lines: Lines, name: str, *, whole: bool = True) -> None:
        """Show a scrolling page of text, over the full height if `whole`; `name` is what messages call it."""
        from tui.workstation.widgets.help import HelpScreen

        screen = self.list_screen
        self.open_modal(HelpScreen(title, lines, screen.palette, name, whole=whole))

    def open_card(self, title: str, facts: Callable[[], list[tuple[str, str]]], name: str = "Card") -> None:
        """Show a card of names and values, which are computed again on each repaint."""
        from tui.workstation.widgets.help import card_lines

        self.open_page(title, lambda cells: card_lines(facts(), cells), name, whole=False)

    # Sending

    def may_send(self, line: WrittenLine, again: Callable[[], None] | None = None) -> str | None:
        """Return None if the current key press may send the line, else why not; empty if it says nothing or is retried soon.

        Args:
            line: Line to send, and the time since it is shown unchanged.
            again: Send callback; given where the key before typed a part of the line, so that an early press is kept.
        """
        if self.view.frozen and Rule.FROZEN in self.guard.rules:
            # The frozen figures are old: show current ones instead of sending.
            self.thaw()
            self.guard.record_move()
            return f"you had frozen the screen: {format_key(self.key)} ended that and sent nothing; check the current values"
        decision = self.guard.decide(
            line.subject, line.since, typed=again is not None, moved=line.is_moved_by_market, sends=line.find_key()
        )
        if decision.verdict is PressVerdict.SEND:
            return None
        if decision.verdict is PressVerdict.WAIT and again is not None:
            self._remember(self.guard.number, line, again, decision.wait_s)
            return ""
        self.guard.record_move()
        return f"{format_key(self.key)} not sent: {decision.why}" if decision.why else ""

    def may_send_after(self, line: WrittenLine, number: int) -> str | None:
        """Return None if an earlier key press may send a line now, else the reason; empty after another key or when frozen.

        Args:
            line: Line to send.
            number: Number of the key.
        """
        guard = self.guard
        if guard.number != number or self.view.frozen:
            return ""
        if guard.burst or guard.is_joined:
            return IN_A_BURST
        if line.since + STOOD_S > key_time():
            return f"the preview was shown for less than {STOOD_S:g} s"
        guard.accept_press(line.since, key_time())
        return None

    def _remember(self, number: int, line: WrittenLine, again: Callable[[], None], seconds: float) -> None:
        """Repeat a key press that came too early once its line was shown long enough, unless another key comes first."""

        def press_again() -> None:
            if self.guard.number != number:
                return
            left = min(line.since + STOOD_S - key_time(), STOOD_S)
            if left > 0:
                self._remember(number, line, again, left)
            else:
                self.guard.accept_press(line.since, key_time())
                again()

        asyncio.get_running_loop().call_later(seconds, press_again)

    def submit(
        self, intent: Intent, on_outcome: Callable[[Outcome], None], *, by_answer: bool = False
    ) -> Outcome | None:
        """Submit an intent if an accepted key press caused it; return the outcome if known at once, else None.

        Args:
            intent: Intent to send.
            on_outcome: Called on the screen's loop with the outcome; UNKNOWN when the engine gave no answer.
            by_answer: Whether an earlier accepted press confirmed it, as a later step of a question.
        """
        if not (by_answer or self.guard.passed or needs_no_press(intent)):
            self.refuse("not sent: the key press was not accepted; press again")
            return None
        self.guard.record_send()
        loop, hear = self.loop, self.hear_outcome(on_outcome)

        def deliver(done: Future[Outcome]) -> None:
            if loop is not None and not loop.is_closed():
                loop.call_soon_threadsafe(hear, read_outcome(done))

        intent = intent if by_answer or needs_no_press(intent) else name_press(intent, self.guard.accepted)
        return self.submit_and_read(intent, deliver)
