"""Handlers of keys that make things go wrong at the paper venue, on purpose."""

from __future__ import annotations

from tui.engine.rows import Level
from tui.interface.text import how_many
from tui.workstation.commands.availability import TOO_SMALL, Blocks
from tui.workstation.commands.context import Context
from tui.workstation.features.practice.practice_list import PracticeBook, PracticeScreen
from tui.workstation.input.handlers import Handlers
from tui.workstation.table.live_table import LiveTable


class PracticeKeys:
    """Only the paper venue of this workstation can be made to fail; everywhere else the key says so."""

    def __init__(self, context: Context, book: PracticeBook) -> None:
        self._context = context
        self._book = book

    def handlers(self) -> Handlers:
        """Handlers by action id."""
        return {
            "practice.open": self.practice_open,
            "practice.turn": self.practice_turn,
            "practice.heal": self.practice_heal,
        }

    def blocks(self) -> Blocks:
        """Return why an action is not possible, by action id."""
        return {"practice.open": self._open_block}

    def _open_block(self, table: LiveTable | None) -> str:
        del table
        if not self._book.lines:
            return "practice: only on the paper venue that this workstation started"
        return TOO_SMALL if self._context.list_screen.plan.tiny else ""

    def practice_open(self) -> None:
        screen = self._context.list_screen
        self._context.open_modal(PracticeScreen(self._book, screen.palette))

    @property
    def _screen(self) -> PracticeScreen | None:
        return self._context.modal(PracticeScreen)

    def practice_turn(self) -> None:
        if (screen := self._screen) is not None:
            self._context.say(f"practice: {self._book.next(screen.body.at)}", Level.WARN)
            screen.body.refresh()
            self._show()

    def practice_heal(self) -> None:
        if (screen := self._screen) is not None:
            ended = self._book.heal()
            self._context.say(f"practice: {how_many(ended, 'fault')} ended")
            screen.body.refresh()
            self._show()

    def _show(self) -> None:
        """Name the running faults in the first line of every screen: the desk must not look healthy on purpose."""
        self._context.view.practice = self._book.running
        self._context.list_screen.status.redraw_all()
