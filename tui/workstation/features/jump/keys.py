"""Handler of the key that shows a letter over whatever can have the focus."""

from __future__ import annotations

from collections.abc import Callable

from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import Context
from tui.workstation.features.jump.jump_screen import JumpScreen, find_targets
from tui.workstation.input.actions import format_key
from tui.workstation.input.handlers import Handlers


class JumpKeys:
    """Key handlers of the jump."""

    def __init__(self, context: Context, refuse: Callable[[str], None]) -> None:
        """Initialize with the context; `refuse` says where the focus is why a key did nothing."""
        self._context = context
        self._refuse = refuse

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {"jump.open": self.jump_open}

    def blocks(self) -> Blocks:
        """Return the block reasons by action id."""
        return {}

    def jump_open(self) -> None:
        """Show a letter over each pane, tab and field."""
        screen = self._context.list_screen
        if targets := find_targets(screen):
            self._context.open_modal(JumpScreen(targets, screen.palette, self._end))

    def _end(self, unknown: str) -> None:
        """Redraw the key hints behind a jump; `unknown` is the key that ended it without being on a label, if one did."""
        self._context.refresh_keys()
        if unknown:
            self._refuse(f"no label has {format_key(unknown)}: the jump has ended")
