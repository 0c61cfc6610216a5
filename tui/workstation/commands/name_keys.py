"""Handlers of the keys in the line of a list in which a name is typed."""

from __future__ import annotations

from tui.workstation.commands.context import Context
from tui.workstation.input.handlers import Handlers
from tui.workstation.widgets.name_list import NameScreen


class NameKeys:
    """Key handlers shared by the dialogs that list names, such as layouts and watchlists."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {"name.take": self.name_take, "name.leave": self.name_leave}

    def name_take(self) -> None:
        """Confirm the name typed in the open dialog."""
        if (screen := self._context.modal(NameScreen)) is not None:
            screen.body.take_name()
            self._context.refresh_keys()

    def name_leave(self) -> None:
        """Close the name line of the open dialog without using a name."""
        if (screen := self._context.modal(NameScreen)) is not None:
            screen.body.leave_name()
            self._context.refresh_keys()
