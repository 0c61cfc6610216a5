"""Commands of the line that need no list and no field: cancels, closes, states, answers, names and limits."""

from __future__ import annotations

from tui.engine.modes import TradingState
from tui.interface.text import how_many
from tui.workstation.command_line.desk_outlook import MODES, hot_seconds
from tui.workstation.command_line.grammar.canonical import write_command
from tui.workstation.command_line.grammar.syntax import (
    WHOLE_SCOPES,
    Answer,
    AnswerWord,
    Cancel,
    Close,
    Keep,
    Quit,
    SetAlias,
    SetLimit,
    SetState,
)
from tui.workstation.command_line.limit_change import change_limit
from tui.workstation.command_line.outlook import Outlook
from tui.workstation.commands.desk_context import DeskContext
from tui.workstation.features.command_line.services import Act, CancelSender, RiskDesk
from tui.workstation.model.instruments import full_name
from tui.workstation.model.screen_preferences import ScreenPreferences


class LineActions:
    """Executor of the commands that need no order ticket, such as cancels, closes, states, limits and aliases."""

    _act: Act
    _preferences: ScreenPreferences

    def __init__(self, context: DeskContext, cancels: CancelSender, risk: RiskDesk) -> None:
        self._context = context
        self._cancels = cancels
        self._risk = risk

    def connect(self, act: Act) -> None:
        """Connect the function that runs an action by id; called once, before the first line."""
        self._act = act

    def connect_preferences(self, preferences: ScreenPreferences) -> None:
        """Connect the stored preferences; called once, before the first line."""
        self._preferences = preferences
        self._context.view.kept = preferences.kept

    def carry_out(self, outlook: Outlook) -> bool:
        """Carry out a command; return False if it is of a kind that this class does not handle."""
        command = outlook.command
        if isinstance(command, Cancel):
            self._cancel(command, outlook.keys)
        elif isinstance(command, Close):
            flatten = self._risk.flatten_all if command.leg.word == "all" else self._risk.flatten_marked
            flatten(list(outlook.keys), f"command {write_command(command)}")
        elif isinstance(command, SetState):
            self._set_state(command)
        elif isinstance(command, Answer):
            self._answer(command, outlook.keys)
        elif isinstance(command, SetAlias):
            self._set_alias(command)
        elif isinstance(command, Keep):
            self._keep(command)
        elif isinstance(command, SetLimit):
            self._set_limit(command)
        elif isinstance(command, Quit):
            self._act("quit.ask", "q")
        else:
            return False
        return True

    def _answer(self, command: Answer, keys: tuple[str, ...]) -> None:
        port = self._context.port
        if command.word is AnswerWord.ACCEPT:
            self._cancels.cancel_keys(list(keys), command.key)
        elif command.word is AnswerWord.DECLINE:
            port.decline(command.key)
        elif command.word is AnswerWord.GRANT:
            port.grant(command.key)
        else:
            port.revoke(command.key)

    def _cancel(self, command: Cancel, keys: tuple[str, ...]) -> None:
        if command.scope is None:
            self._cancels.cancel_keys(list(keys))
        elif command.scope.word in WHOLE_SCOPES:
            kind = {"pf": "portfolio", "everything": "portfolio"}.get(command.scope.word, command.scope.word)
            self._cancels.ask_scope(kind, command.scope.name)
        else:
            title = f"Cancel {how_many(len(keys), 'order')} of {self._context.portfolio_text}"
            self._cancels.ask_orders(list(keys), title, sym=command.scope.name)

    def _set_alias(self, command: SetAlias) -> None:
        """Store an alias for a command line."""
        self._preferences.aliases[command.name] = command.line
        self._preferences.save()
        self._context.say(f"{command.name} stands for: {command.line}")

    def _keep(self, command: Keep) -> None:
        """Exclude a pair from `close all` and `flat all`, or include it again; store the choice."""
        kept = self._preferences.kept
        if command.kept:
            kept.add(command.sym)
        else:
            kept.discard(command.sym)
        self._preferences.save()
        names = ", ".join(full_name(sym) for sym in sorted(kept)) or "no pair"
        self._context.say(f"flat all and F leave out: {names}")

    def _set_limit(self, command: SetLimit) -> None:
        status = self._context.mirror.engine_status
        if status is not None:
            limits, said = change_limit(command, status.limits)
            self._context.port.set_limits(limits, said)

    def _set_state(self, command: SetState) -> None:
        context, word = self._context, command.word
        status = context.mirror.engine_status
        if status is None:
            return
        if word == "hot":
            context.port.enter_hot(hot_seconds(command))
            return
        if word == "view":
            context.port.set_trading_state(TradingState.VIEW)
            return
        if word == "arm":
            if status.trading_state is not TradingState.ARMED:
                self._act("state.arm", "a")
            return
        if word == "resume":
            self._risk.ask_resume()
            return
        if status.risk_mode.is_stricter_than(MODES[word]):
            context.refuse(f"{status.risk_mode.value} is stricter: type resume to leave it, which asks for a word")
            return
        context.port.set_risk_mode(MODES[word])
