"""Outlook of commands about the desk itself: the sentence that says what a state, a limit or an export would do."""

from __future__ import annotations

from tui.engine.modes import MOST_HOT_S, RiskMode, TradingState
from tui.workstation.command_line.grammar.refusals import Code, LineRefused
from tui.workstation.command_line.grammar.syntax import Export, Keep, Quit, SetLimit, SetState, Show, Use
from tui.workstation.command_line.limit_change import change_limit
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name

DeskWord = SetState | Show | Quit | Keep | Export | Use | SetLimit
MODES = {"halt": RiskMode.HALT, "reduce": RiskMode.REDUCING}
"""Risk modes by the words that ask for them."""
HOT_S = 60.0
"""Time of HOT where a line names none, s."""
ELSEWHERE = {
    "journal": "the shell command crossdesk journal export writes the journal",
    "pnl": "the history (⟦screen.history⟧) has the closed positions; ⟦list.export⟧ there exports them",
}
"""Where an export is made that the line does not make."""


def describe_desk_word(command: DeskWord, view: DisplayContext) -> str:
    """Describe what a command about the workstation would do: set state, risk mode, limit or portfolio, show, export, quit.

    Raises:
        LineRefused: It cannot be done, or not in the present state.
    """
    if isinstance(command, Keep | Export | Use | SetLimit):
        return _describe_setting(command, view)
    if isinstance(command, Show):
        return f"show {command.view}"
    if isinstance(command, Quit):
        return "quit; asks first while orders or positions are open"
    texts = {
        "arm": "sets ARMED: orders are sent after a preview and a fresh Enter",
        "view": "sets VIEW: nothing is sent then, except by the kill prompt",
        "halt": "sets HALT: only cancels, size cuts and orders that can only close are sent",
        "reduce": "sets REDUCING: nothing that raises exposure is sent",
        "resume": "sets risk mode NORMAL, after the typed word",
    }
    return texts[command.word] if command.word in texts else _describe_hot(command, view)


def _describe_setting(command: Keep | Export | Use | SetLimit, view: DisplayContext) -> str:
    """Describe what `keep`, `export`, `use` or `limit` would do.

    Raises:
        LineRefused: It cannot be done, or not in the present state.
    """
    if isinstance(command, Use):
        return f"would ask, then trade portfolio {command.portfolio}; the state becomes VIEW"
    if isinstance(command, Keep):
        verb = "leaves out" if command.kept else "closes"
        return view.name_keys(f"flat all (⟦position.flatten_all⟧) {verb} {full_name(command.sym)}")
    if isinstance(command, Export):
        return _describe_export(command, view)
    status = view.mirror.engine_status
    if status is None or status.trading_state is not TradingState.VIEW:
        raise LineRefused(Code.STATE, view.name_keys("limits change only in the state VIEW: ⟦state.arm⟧ disarms"))
    return change_limit(command, status.limits)[1]


def _describe_export(command: Export, view: DisplayContext) -> str:
    """Describe which list `export` would write to a CSV file.

    Raises:
        LineRefused: It is no list of the desk, or not as CSV.
    """
    if command.what in ELSEWHERE:
        raise LineRefused(Code.NOT_YET, view.name_keys(f"export {command.what}: {ELSEWHERE[command.what]}"))
    if command.seconds is not None:
        raise LineRefused(
            Code.NOT_YET,
            view.name_keys(
                "export writes only the rows shown; the history (⟦screen.history⟧) has the past; "
                "⟦list.export⟧ there exports it"
            ),
        )
    if command.form != "csv":
        raise LineRefused(Code.NOT_YET, f"{command.form} is not a format that export writes; csv is")
    return f"writes {command.what or 'the list shown'} to a CSV file, with all fields"


def _describe_hot(command: SetState, view: DisplayContext) -> str:
    """Describe how many seconds the trading state HOT would last, and which keys would send orders in it without a preview.

    Raises:
        LineRefused: The state is not ARMED, or the time is too long.
    """
    status, seconds = view.mirror.engine_status, hot_seconds(command)
    if status is None or status.trading_state is not TradingState.ARMED:
        state = "not known yet" if status is None else status.trading_state.value
        raise LineRefused(Code.STATE, f"hot can only begin in ARMED; the state is {state}")
    if not 0 < seconds <= MOST_HOT_S:
        raise LineRefused(Code.TOO_MUCH, f"hot lasts up to {MOST_HOT_S / 60:g}m, such as hot 60s")
    price = view.settings.hot_send
    keys = f"⟦stage.take_buy⟧ and ⟦stage.take_sell⟧ on a quote send the smallest size at {price} without a preview"
    return view.name_keys(f"HOT for {seconds:g} s: {keys}")


def hot_seconds(command: SetState) -> float:
    """Return the duration of the trading state HOT that a `hot` command asks for, s; the default if it names none."""
    return HOT_S if command.seconds is None else float(command.seconds)
