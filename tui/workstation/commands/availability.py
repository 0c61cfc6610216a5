"""Whether an action can be done now, and why not: asked by keys before they act, by the palette and by the footer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tui.crossdesk_error import CrossdeskError
from tui.workstation.commands.context import Context
from tui.workstation.input.actions import BY_ID, Action
from tui.workstation.input.scopes import LISTS, Scope
from tui.workstation.table.live_table import LiveTable
from tui.workstation.widgets.screen_layout import PANES

Block = Callable[[LiveTable | None], str]
"""Why an action cannot be done with the rows of a list, or an empty text. Reads only: nothing is said or changed."""
Blocks = Mapping[str, Block]
"""By action id; an action that is not named can always be done where its scopes are."""

TOO_SMALL = "the window is too small for it"

_ONLY_IN = {
    Scope.PREVIEW: "no ticket is open",
    Scope.ASK: "no ticket asks anything",
    Scope.CHOOSER: "only on a choice in the form of a ticket",
    Scope.FIELD: "only in a field of a ticket",
    Scope.PART: "only after % on a position",
    Scope.FILTER: "only while a filter is typed",
    Scope.KILL: "only in the kill prompt",
    Scope.PROMPT: "only while a question is open",
    Scope.WORD: "only while a word is asked for",
    Scope.HELP: "only on a page such as the help",
    Scope.COLUMNS: "only in the list of columns",
    Scope.PRACTICE: "only in the practice list",
    Scope.MODES: "only in the list of a position mode",
    Scope.FORM: "only in a form",
    Scope.FORM_END: "only on the last line of a form",
    Scope.SECRET: "only while the secret of a new key is shown",
    Scope.SCREEN: "only on a screen beside the desk",
    Scope.PALETTE: "only in this list",
}
"""What is missing where none of an action's scopes can be reached, the nearest one first."""


class BlockError(CrossdeskError, ValueError):
    """Reasons that belong to no action; the text names it."""

    title = "Actions and their reasons do not match"


class Availability:
    """One for the life of the app."""

    def __init__(self, context: Context, tables: Iterable[Blocks]) -> None:
        self._context = context
        self._blocks: dict[str, Block] = {}
        for table in tables:
            self._blocks |= table
        unknown = sorted(self._blocks.keys() - BY_ID.keys())
        if unknown:
            raise BlockError(f"a reason is there for {unknown[0]!r}, and no action of that name")

    def state_reason(self, action: Action) -> str:
        """Why the trading state does not allow it, or an empty text."""
        return self._context.not_armed_reason() if action.armed else ""

    def reason(self, action: Action, table: LiveTable | None) -> str:
        """Why it cannot be done with the rows of a list, or an empty text."""
        block = self._blocks.get(action.id)
        return self.state_reason(action) or (block(table) if block is not None else "")

    # From anywhere

    def place(self, action: Action, here: Scope) -> Scope | None:
        """Where an action is done that is asked for from somewhere: here if it can be, else its pane or the ticket.

        None: nowhere now.
        """
        main_screen = self._context.main_screen
        if here in action.scopes or action.anywhere:
            return here
        panes = [pane for pane in (main_screen.home, *PANES) if Scope(pane) in action.scopes]
        found = next((pane for pane in panes if main_screen.plan.area_of(pane) is not None), None)
        if found is not None:
            return Scope(found)
        panel = main_screen.panel
        now = Scope.ASK if panel.ask is not None else Scope.PREVIEW
        return now if panel.open and panel.display and now in action.scopes else None

    def reason_from(self, action: Action, here: Scope) -> str:
        """Why it cannot be done now, wherever the keyboard would have to go for it; an empty text if it can."""
        place = self.place(action, here)
        if place is None:
            if action.scopes & LISTS:
                return TOO_SMALL
            return next((words for scope, words in _ONLY_IN.items() if scope in action.scopes), "")
        return self.reason(action, self.table_at(place, here))

    def table_at(self, place: Scope, here: Scope) -> LiveTable | None:
        """The list that has the focus once the keyboard has gone from one place to another."""
        if place in LISTS:
            return self._context.main_screen.tables[place.value]
        return self._context.table if place is here else None
