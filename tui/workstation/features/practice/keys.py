"""Handlers of keys that switch on faults of the paper venue for practice."""

from __future__ import annotations

from collections.abc import Callable

from tui.engine.event_line import Level
from tui.interface.text import how_many
from tui.workstation.commands.availability import Blocks, no_room
from tui.workstation.commands.context import Context
from tui.workstation.features.practice.practice_list import PracticeFaults, PracticeScreen
from tui.workstation.input.handlers import Handlers
from tui.workstation.table.live_table import LiveTable


class PracticeKeys:
    """Key handlers of the practice list; only a paper venue started by this workstation supports faults."""

    def __init__(self, context: Context, faults: PracticeFaults) -> None:
        self._context = context
        self._faults = faults

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {
            "practice.open": self.practice_open,
            "practice.turn": self.practice_turn,
            "practice.turn_back": self.practice_turn_back,
            "practice.heal": self.practice_heal,
        }

    def blocks(self) -> Blocks:
        """Return the block reasons by action id."""
        return {"practice.open": self._open_block}

    def _open_block(self, table: LiveTable | None) -> str:
        del table
        if not self._faults.lines:
            return "practice: only on the paper venue that this workstation started"
        if self._context.view.is_attached:
            return "practice works in the window that was started first: it runs the paper venue"
        return no_room(self._context)

    def practice_open(self) -> None:
        screen = self._context.list_screen
        self._context.open_modal(PracticeScreen(self._faults, screen.palette))

    @property
    def _screen(self) -> PracticeScreen | None:
        return self._context.modal(PracticeScreen)

    def practice_turn(self) -> None:
        self._switch(self._faults.next)

    def practice_turn_back(self) -> None:
        self._switch(self._faults.previous)

    def _switch(self, switch: Callable[[int], str]) -> None:
        if (screen := self._screen) is not None:
            self._context.say(f"practice: {switch(screen.body.at)}", Level.WARN)
            screen.body.refresh()
            self._show()

    def practice_heal(self) -> None:
        if (screen := self._screen) is not None:
            ended = self._faults.stop_all()
            done = f"{how_many(ended, 'fault')} ended" if ended else "no fault was set: nothing to end"
            self._context.say(f"practice: {done}")
            screen.body.refresh()
            self._show()

    def _show(self) -> None:
        """Show the active faults in the status line of every screen, so that nobody takes them for real ones."""
        self._context.view.practice = self._faults.running
        self._context.list_screen.status.redraw_all()
