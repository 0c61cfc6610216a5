"""Handlers of keys about programs: answer what is asked under the cursor, and end all mandates."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import Context, no_single_row
from tui.workstation.features.programs.pane import ProgramsPane
from tui.workstation.input.handlers import Handlers
from tui.workstation.table.live_table import LiveTable


class ProgramKeys:
    """Key handlers of programs; an answer is a line that the trader sees and sends with Enter."""

    def __init__(self, context: Context, open_line: Callable[[str, str], None]) -> None:
        self._context = context
        self._open_line = open_line

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {
            "program.yes": partial(self._answer, yes=True),
            "program.no": partial(self._answer, yes=False),
            "mandate.revoke_all": self.revoke_all,
        }

    def blocks(self) -> Blocks:
        """Return functions that explain why an action cannot run, by action id."""
        return {"program.yes": partial(self._why_not, yes=True), "program.no": partial(self._why_not, yes=False)}

    def _line(self, table: LiveTable | None, *, yes: bool) -> str:
        if table is None or len(table.targets) != 1 or not isinstance(table.pane, ProgramsPane):
            return ""
        return table.pane.answer_line(table.targets[0], yes=yes)

    def _why_not(self, table: LiveTable | None, *, yes: bool) -> str:
        return no_single_row(table, "this") or (
            ""
            if self._line(table, yes=yes)
            else "this row asks for nothing: there is nothing to grant"
            if yes
            else "this row asks for nothing and has no mandate to end"
        )

    def _answer(self, *, yes: bool) -> None:
        if line := self._line(self._context.table, yes=yes):
            self._context.show_desk()
            self._open_line(line, "Y" if yes else "N")

    def revoke_all(self) -> None:
        """End the mandates of all programs, or say that there is none."""
        if any(row.granted for row in self._context.mirror.mandates.values()):
            self._context.port.revoke()  # the engine's event says what has ended
        else:
            self._context.say("no mandate holds")
