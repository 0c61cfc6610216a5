"""Availability of actions: why an action cannot run now, for key handlers, command palette and footer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tui.crossdesk_error import CrossdeskError
from tui.workstation.commands.context import Context, L
from tui.workstation.input.action import Action
from tui.workstation.input.actions import BY_ID
from tui.workstation.input.scopes import LISTS, Scope
from tui.workstation.layouts.plan import PANES
from tui.workstation.table.live_table import LiveTable

Block = Callable[[LiveTable | None], str]
"""Return why an action cannot be done with the rows of a list, or an empty text. It has no side effects."""
Blocks = Mapping[str, Block]
"""Blocks by action id; an action without one is always available in its scopes."""

TOO_SMALL = "the window is too small for this"
NO_LIST = "only on a list of rows: ⟦pane.next⟧ goes to the next pane"
NO_OTHER_VIEW = "no other view shares this pane: ⟦pane.next⟧ goes to the next pane"

_ONLY_IN = {
    Scope.PREVIEW: "no ticket is open",
    Scope.ASK: "no ticket has an open question",
    Scope.CHOOSER: "only on a choice field of a ticket",
    Scope.FIELD: "only in a field of a ticket",
    Scope.PART: "only while a part of a position is chosen",
    Scope.FILTER: "only while a filter is typed",
    Scope.LINE: "only in the command line",
    Scope.KILL: "only in the kill prompt",
    Scope.PROMPT: "only while a question is open",
    Scope.WORD: "only while a confirmation word is requested",
    Scope.HELP: "only on a page such as the help",
    Scope.COLUMNS: "only in the list of columns",
    Scope.PRACTICE: "only in the practice list",
    Scope.TEXTS: "only in the list of an order's texts",
    Scope.THEMES: "only in the list of themes",
    Scope.JUMP: "only during a jump",
    Scope.KEYMAPS: "only in the list of keymaps",
    Scope.WELCOME: "only in the welcome",
    Scope.LAYOUTS: "only in the list of layouts",
    Scope.WATCHLISTS: "only in the list of watchlists",
    Scope.NAME: "only while a name is typed",
    Scope.MODES: "only in the position mode dialog",
    Scope.FORM: "only in a form",
    Scope.FORM_END: "only on the last line of a form",
    Scope.SECRET: "only while the secret of a new key is shown",
    Scope.SCREEN: "only on a full screen such as the history (⟦screen.history⟧)",
    Scope.PALETTE: "only in this list",
}
"""Reason shown when none of an action's scopes can be reached; the first scope that matches counts."""


def no_room(context: Context, table: LiveTable | None = None) -> str:
    """Return that the window is too small for a list or dialog; empty if it is large enough."""
    del table
    return TOO_SMALL if context.list_screen.plan.tiny else ""


def block_elsewhere(
    context: Context, kind: type[L], reason: str, block: Callable[[L, LiveTable | None], str] = lambda *_: ""
) -> Block:
    """Build a block function that returns `reason` while no screen of this kind is shown, else the answer of `block`."""

    def why_not(table: LiveTable | None) -> str:
        screen = context.find_screen(kind)
        return reason if screen is None else block(screen, table)

    return why_not


class BlockError(CrossdeskError, ValueError):
    """Block reason registered under an unknown action id; the message contains the id."""

    title = "Actions and their reasons do not match"


class Availability:
    """Reasons why actions cannot run now; one instance per app."""

    def __init__(self, context: Context, tables: Iterable[Blocks]) -> None:
        self._context = context
        self._blocks: dict[str, Block] = {}
        for table in tables:
            self._blocks |= table
        unknown = sorted(self._blocks.keys() - BY_ID.keys())
        if unknown:
            raise BlockError(f"a block reason is registered for {unknown[0]!r}, but no action has that id")

    def state_reason(self, action: Action) -> str:
        """Return why an action that needs armed trading cannot run now; empty if trading is armed or need not be."""
        return self._context.not_armed_reason() if action.armed else ""

    def reason(self, action: Action, table: LiveTable | None) -> str:
        """Return why an action cannot run on the rows of a list, or an empty text."""
        if reason := self.state_reason(action):
            return reason
        block = self._blocks.get(action.id)
        try:
            return self._context.view.name_keys(block(table) if block is not None else "")
        except Exception as error:  # the line of keys asks for it with each frame
            return self._context.report_failure(action.id, error)

    # From anywhere

    def find_scope(self, action: Action, here: Scope) -> Scope | None:
        """Return the scope in which an action would run: `here` if possible, else its pane or the ticket.

        None: no scope of the action can be reached now.
        """
        main_screen = self._context.main_screen
        if here in action.scopes or action.anywhere:
            return here
        reached = () if main_screen.plan.tiny else (main_screen.home, *PANES)
        plan = main_screen.plan
        pane = next((name for name in reached if name in action.scopes and plan.area_of(name) is not None), None)
        if pane is not None:
            return Scope(pane)
        panel = main_screen.panel
        now = Scope.ASK if panel.ask is not None else Scope.PREVIEW
        return now if panel.open and panel.display and now in action.scopes else None

    def reason_from(self, action: Action, here: Scope) -> str:
        """Return why an action cannot run from here, even after moving to its own scope, or an empty text."""
        scope = self.find_scope(action, here)
        if scope is None:
            if action.scopes & LISTS:
                return TOO_SMALL
            text = next((text for only_in, text in _ONLY_IN.items() if only_in in action.scopes), "")
            return self._context.view.name_keys(text)
        return self.reason(action, self.table_at(scope, here))

    def table_at(self, scope: Scope, here: Scope) -> LiveTable | None:
        """Return the list that would have the focus after moving from scope `here` to `scope`."""
        if scope in LISTS:
            table = self._context.main_screen.tables[scope.value]
            table.settle()  # a hidden list takes its rows only when it is asked
            return table
        return self._context.table if scope is here else None
