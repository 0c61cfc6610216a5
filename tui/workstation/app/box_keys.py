"""Handlers of keys that mean the same in every box over the lists: close it, move in it, edit what is typed."""

from __future__ import annotations

from functools import partial
from typing import Any

from tui.workstation.commands.context import Context
from tui.workstation.input.handlers import Handlers
from tui.workstation.input.line_editor import TypedLine
from tui.workstation.widgets.list_modal import BoxModal

_CLOSERS = (
    "columns.close", "form.close", "help.close", "kill.close", "modes.close", "palette.close", "practice.close",
    "secret.close", "word.leave",
)  # fmt: skip
EVERY_LINE = 100_000
_LISTS = ("columns", "modes", "palette", "practice", "help")


class BoxKeys:
    """One for all boxes: what is special about one is known to the controller that opened it."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def handlers(self) -> Handlers:
        """Handlers by action id."""
        down, up = partial(self._move, 1), partial(self._move, -1)
        return {
            **dict.fromkeys(_CLOSERS, self._close),
            **{f"{name}.down": down for name in _LISTS},
            **{f"{name}.up": up for name in _LISTS},
            "prompt.next": down,
            "prompt.previous": up,
            "help.first": partial(self._move, -EVERY_LINE),
            "help.last": partial(self._move, EVERY_LINE),
            "edit.erase": partial(self._edit, "backspace"),
            "edit.clear": partial(self._edit, "ctrl+u"),
        }

    @property
    def _box(self) -> BoxModal[Any, Any] | None:
        return self._context.modal(BoxModal)

    def _close(self) -> None:
        """Close the box on top without an answer."""
        if (box := self._box) is not None:
            box.dismiss(None)

    def _move(self, by: int) -> None:
        """Move by lines of a list, by pages of a text, or by choices of a question."""
        if (box := self._box) is not None:
            box.body.move(by)

    def _edit(self, key: str) -> None:
        """Edit the line with the cursor: that of the box on top, else of the field with the focus."""
        line = self._box.body if self._box is not None else self._context.list_screen.focused
        if isinstance(line, TypedLine):
            line.take_key(key, None)
