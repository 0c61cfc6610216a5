"""Typed lines of plain mode: each answers, reads, or goes through the language of the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from tui.engine.modes import RiskMode, TradingState
from tui.interface.text import find_near
from tui.workstation.command_line.desk_outlook import MODES
from tui.workstation.command_line.grammar.parser import ELSEWHERE, OFFERED, VERBS, expand, parse
from tui.workstation.command_line.grammar.refusals import Code, LineRefused
from tui.workstation.command_line.grammar.syntax import (
    Alert,
    AlertChange,
    Answer,
    AnswerWord,
    Command,
    Export,
    OneOrder,
    Orphans,
    SetState,
    Show,
    Use,
    Why,
)
from tui.workstation.command_line.levels import build_scene
from tui.workstation.command_line.named_rows import Cursor, find_order
from tui.workstation.command_line.outlook import LineOutlook, Outlook, look_ahead
from tui.workstation.command_line.requests import foresee_requests, list_requests
from tui.workstation.commands.launcher_services import Practice
from tui.workstation.features.command_line.line_actions import LineActions
from tui.workstation.features.command_line.sequence import RequestSequence
from tui.workstation.features.trading.cancel_orders import OrderCancels
from tui.workstation.features.trading.kill_keys import KillKeys
from tui.workstation.features.trading.quit_keys import QuitKeys
from tui.workstation.features.trading.risk_keys import RiskKeys
from tui.workstation.model.screen_preferences import ScreenPreferences
from tui.workstation.plain.announcer import Announcer, Loudness
from tui.workstation.plain.context import NO, YES, PlainContext
from tui.workstation.plain.first_sync import explain_early, explain_unknown, needs_account
from tui.workstation.plain.help_words import HINT, explain
from tui.workstation.plain.input_lines import LONGEST, ReadLine
from tui.workstation.plain.practice_words import PracticeWords
from tui.workstation.plain.preview_lines import describe_order
from tui.workstation.plain.readings import Readings
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.widgets.question import Beside, Option, Question

TOO_LONG = f"a line has at most {LONGEST} characters"
NO_WARNING = "no warning waits: there is nothing to clear"
TOO_MANY = "too many lines at once: this one and all after it are not carried out"
_OWN_WORDS = ("say", "kill", "quit", "exit")
"""Commands that plain mode has beside the command line."""
_BEGINS = ("dry", "pf")
"""Words that stand before a command."""
_NEARLY = ("y", "n", YES)
"""Words typed for an answer that are none where the question wants another word."""
_LISTS = {"o": "orders", "p": "positions", "a": "assets", "adl": "adl", "fills": "fills", "pnl": "fills",
          "quotes": "quotes", "orders": "orders", "positions": "positions", "assets": "assets", "events": "events",
          "risk": "assets"}  # fmt: skip
"""Words that read a list, by what the command line calls it."""
LONGEST_CHANGE_S = 3.0
"""Longest time for which a line of a pipe waits for the state that the line before asked for, s."""
_CHANGES: dict[str, TradingState | RiskMode] = {"view": TradingState.VIEW, **MODES}
"""States that lines ask for by their word."""
_ELSEWHERE: dict[type, str] = {
    Alert: "alerts are told on the full screen, and by the shell command crossdesk watch",
    AlertChange: "alerts are told on the full screen, and by the shell command crossdesk watch",
    Export: "the shell command crossdesk export writes lists",
    Use: "the portfolio is chosen at the start, by --portfolio or --profile",
}
"""Commands that are not carried out in plain mode, with what does."""


class LineRunner:
    """Executor of lines typed in plain mode: answers, lists to read, and commands."""

    _wanted: TradingState | RiskMode | None = None
    """State that the newest line asked for, which a line of a pipe waits for until a time, monotonic s."""
    _wanted_until = 0.0

    def __init__(
        self,
        context: PlainContext,
        announcer: Announcer,
        preferences: ScreenPreferences,
        practices: Callable[[], Sequence[Practice]],
    ) -> None:
        self._context = context
        self._announcer = announcer
        self._out = context.write_line
        self._preferences = preferences
        self.readings = Readings(context.view, preferences.quotes)
        self._cancels = OrderCancels(context)
        self._risk = RiskKeys(context)
        self._quit = QuitKeys(context, self._cancels)
        self._kill = KillKeys(context, self._cancels, self._risk)
        self._actions = LineActions(context, self._cancels, self._risk)
        self._actions.connect(self._act)
        self._actions.connect_preferences(preferences)
        read = self.readings
        self._words: dict[str, Callable[[str], list[str]]] = {
            "quotes": read.quotes,
            "pairs": read.pairs,
            "order": self._order,
            "practice": PracticeWords(lambda: () if context.view.is_attached else practices()).run,
            "clear": partial(self._whole, "clear", self._clear),
            **{
                name: partial(self._whole, name, function)
                for name, function in (
                    ("orders", read.orders),
                    ("positions", read.positions),
                    ("assets", read.assets),
                    ("adl", read.adl),
                    ("fills", read.fills),
                    ("events", read.events),
                    ("status", read.status),
                )
            },
        }

    @staticmethod
    def _whole(name: str, function: Callable[[], list[str]], rest: str) -> list[str]:
        return [f"{name} takes no word behind it: {rest} is too much"] if rest else function()

    def _clear(self) -> list[str]:
        """Clear waiting warnings as the key of the full screen does; return their texts and a summary."""
        if not self._context.mirror.event_log.sticky:
            return [NO_WARNING]
        cleared, done = self._context.clear_warnings()
        return [*(text for _, text in cleared), done]

    def _act(self, action: str, key: str) -> None:
        """Run `state.arm` or `quit.ask`, the actions of the full screen that a typed line can run."""
        del key
        if action == "state.arm" and (reason := self._risk.blocks()[action](None)):
            self._context.refuse(reason)
            return
        {"state.arm": self._risk.state_arm, "quit.ask": self._quit.quit_ask}[action]()
        if action == "state.arm" and not self._context.questions:
            self._expect(TradingState.ARMED)

    def _order(self, part: str) -> list[str]:
        if not part:
            return ["which order? order and the end of its id, as orders names it"]
        named = OneOrder(word=part) if part == "last" else OneOrder(part=part.removeprefix("#"))
        cursor = self._cursor
        last = self._context.mirror.recall_order(cursor.last or cursor.newest)
        if named.word:
            return (
                self.readings.order_card(last)
                if last is not None
                else ["there is no last order: none of yours is listed, working or ended"]
            )
        try:
            return self.readings.order_card(find_order(named, self._context.view, cursor))
        except LineRefused as refused:
            return [str(refused)]

    @property
    def _cursor(self) -> Cursor:
        newest, any_newest = self._cancels.newest_own(), self._cancels.newest_own(ended=True)
        return Cursor(
            last=newest.key if newest is not None else "", newest=any_newest.key if any_newest is not None else ""
        )

    # Lines

    def run_line(self, line: ReadLine) -> None:
        """Carry out a typed line as an answer, a list to read or a command; an empty line does nothing."""
        context, text = self._context, line.text.strip()
        if line.too_long or line.dropped:
            self._out(f"not done: {TOO_LONG if line.too_long else TOO_MANY}")
            return
        if not text:
            if context.questions:
                self._out("an empty line answers nothing; the question is open")
            return
        if context.questions and self._answer(text, line.at):
            return
        word, _, rest = text.partition(" ")
        if word == "help" or word in self._words:
            self._tell(word, rest.strip())
        elif not context.questions and self._is_answer(text):
            self._out("no question is open: nothing is done")
        elif context.questions and not self._is_command(text):
            context.repeat_answers(f"{text} is no command, nothing is done")
        else:
            self._command(word, rest.strip(), text)

    def _tell(self, word: str, rest: str) -> None:
        """Print the list or help that a word asks for; then repeat an open question, because the next line answers it."""
        if word == "help":
            for said in explain(rest):
                self._context.tell_exactly(said)
        else:
            for said in self._read(word, rest):
                self._out(said)
        if self._context.questions:
            self._context.repeat_answers(f"{word} was read")

    def _answer(self, text: str, at: float) -> bool:
        """Treat a line as the answer to the open question; return False if it is no answer."""
        context = self._context
        chosen = context.find_choice(text)
        if chosen is not None:
            kind = context.questions[0].question.kind
            context.take_answer(chosen, at)
            if kind == "arm":
                self._expect(TradingState.ARMED)
        elif text.lower() == NO:
            context.decline(NO)
        elif self._is_answer(text):
            context.repeat_answers(f"{text} is not an answer to this question, nothing is done")
        else:
            return False
        return True

    def _is_answer(self, text: str) -> bool:
        word = text.split()[0].lower()
        return word in (YES, NO) or (text.lower() in _NEARLY and text not in self._preferences.aliases)

    def _is_command(self, text: str) -> bool:
        """Return whether a line begins like a command, even if its further words would be refused."""
        word = text.split()[0].lower()
        if word in _OWN_WORDS or word in _BEGINS or word in VERBS or word in self._preferences.aliases:
            return True
        try:
            parse(expand(text, self._preferences.aliases), build_scene(self._context.view))
        except LineRefused:
            return False
        return True

    def is_changing(self) -> bool:
        """Return whether a state or mode that an earlier line asked for has not come yet; False after a moment."""
        status, mode = self._context.mirror.engine_status, self._wanted
        if self._context.questions or self._context.clock.mono() > self._wanted_until or status is None:
            return False
        if isinstance(mode, TradingState):
            return status.trading_state is not mode
        return mode is not None and mode.is_stricter_than(status.risk_mode)

    def _expect(self, mode: TradingState | RiskMode) -> None:
        self._wanted, self._wanted_until = mode, self._context.clock.mono() + LONGEST_CHANGE_S

    def must_wait(self, text: str) -> bool:
        """Return whether a line should wait until the account is known."""
        mirror, context = self._context.mirror, self._context
        return bool(explain_unknown(mirror)) and needs_account(text) and not context.questions

    def _read(self, word: str, rest: str) -> list[str]:
        """Return the lines of a list that a word asks for; before the account is known, only that it is not."""
        unknown = explain_unknown(self._context.mirror)
        if unknown and needs_account(word) and word != "status":
            return [f"{word}: {unknown}"]
        return self._words[word](rest)

    def _command(self, word: str, rest: str, text: str) -> None:
        context = self._context
        if context.questions:
            context.drop_questions("another line was typed")
        context.key = text
        if word == "say":
            self._set_loudness(rest)
        elif text == "kill":
            self._kill.open()
        elif text in ("quit", "exit"):
            self._quit.quit_ask()
        elif word not in ELSEWHERE and not self._is_command(text):
            near = find_near(word, [*self._words, *_OWN_WORDS, *OFFERED])
            meant = f"did you mean {near[0]}? " if near else ""
            context.tell_exactly(f"not done: {word} is no word here; {meant}{HINT}")
        elif needs_account(text) and (early := explain_early(context.mirror)):
            context.refuse(early)
        else:
            self._carry_out(text)

    def _set_loudness(self, word: str) -> None:
        if word not in list(Loudness):
            self._out(f"say {', '.join(Loudness)}; now {self._announcer.loudness.value}")
            return
        self._announcer.loudness = Loudness(word)
        self._out(f"says {word} from now on")

    # The language of the command line

    def _carry_out(self, text: str) -> None:
        context, scene = self._context, build_scene(self._context.view)
        try:
            outlook = look_ahead(parse(expand(text, self._preferences.aliases), scene), context.view, self._cursor)
            for step in outlook.steps:
                self._check(step.command)
        except LineRefused as refused:
            # Not read out: what it quotes and suggests is what is typed.
            context.tell_exactly(f"not done: {refused} ({refused.code.value})")
            return
        if any(step.tickets or step.algos for step in outlook.steps) or len(outlook.steps) > 1:
            self._send(outlook)
        elif outlook.dry:
            self._out(f"dry, nothing is sent: {outlook.text}")
        else:
            self._do(outlook.steps[0])

    @staticmethod
    def _check(command: Command) -> None:
        """Raise LineRefused for a command that needs the full screen.

        Raises:
            LineRefused: It does.
        """
        why = _ELSEWHERE.get(type(command), "")
        if isinstance(command, SetState) and command.word == "hot":
            why = "hot is for keys of the full screen"
        if isinstance(command, Show) and command.view not in _LISTS:
            why = f"{command.view} is a screen; read {', '.join(dict.fromkeys(_LISTS.values()))}"
        if why:
            raise LineRefused(Code.NOT_YET, why)

    def _send(self, outlook: LineOutlook) -> None:
        """Print the orders that a command line would send, then ask for confirmation; a dry run ends before asking."""
        context = self._context
        before: list[Ticket] = []
        for order in foresee_requests(dict(enumerate(list_requests(outlook))), context.view):
            for said in describe_order(order.asked, context.view, before):
                self._out(said)
            before.append(order.ticket)
        if outlook.dry:
            self._out(f"dry, nothing is sent: {outlook.text}")
            return
        if reason := context.not_armed_reason():
            self._out(f"not done: {reason}")
            return
        RequestSequence(context, outlook).ask()

    def _ask_grant(self, step: Outlook, key: str) -> None:
        """Ask whether to grant a program's mandate to send by itself, repeating the terms of the request."""

        def renew() -> Question:
            mandate = self._context.mirror.mandates.get(key)
            waits = mandate is not None and not mandate.granted
            return Question(
                kind="grant",
                beside=Beside.DESK,
                title=f"Grant mandate {key}",
                choices=(Option("grant", step.text.removeprefix("Enter ")),),
                ended="" if waits else f"request {key} for a mandate no longer waits",
            )

        self._context.prompt(renew(), lambda answer: self._grant(step) if answer else None, renew)

    def _grant(self, step: Outlook) -> None:
        self._actions.carry_out(step)

    def _do(self, step: Outlook) -> None:
        command = step.command
        if isinstance(command, SetState) and command.word in _CHANGES:
            self._expect(_CHANGES[command.word])
        if isinstance(command, Answer) and command.word is AnswerWord.GRANT:
            self._ask_grant(step, command.key)
            return
        if self._actions.carry_out(step):
            return
        if isinstance(command, Why):
            order = self._context.mirror.recall_order(step.keys[0])
            for said in self.readings.order_card(order) if order is not None else ():
                self._out(said)
        elif isinstance(command, Orphans | Show):
            name = "orders" if isinstance(command, Orphans) else _LISTS[command.view]
            for said in self._read(name, ""):
                self._out(said)
