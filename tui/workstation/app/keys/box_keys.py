"""Handlers of the keys that all dialogs share: close, move, edit typed text."""

from __future__ import annotations

from functools import partial
from typing import Any

from tui.workstation.commands.context import Context
from tui.workstation.input.handlers import Handlers
from tui.workstation.input.line_editor import TypedLine
from tui.workstation.widgets.list_modal import BoxModal

_CLOSERS = (
    "columns.close", "form.close", "help.close", "jump.close", "keymaps.close", "kill.close", "modes.close",
    "palette.close", "practice.close", "secret.close", "texts.close", "welcome.close", "word.leave",
)  # fmt: skip
EVERY_LINE = 100_000
_LISTS = (
    "columns",
    "keymaps",
    "modes",
    "palette",
    "practice",
    "texts",
    "themes",
    "layouts",
    "watchlists",
    "welcome",
    "help",
)


class BoxKeys:
    """Keys shared by all dialogs; the controller that opened a dialog handles its other keys."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
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
        """Close the top dialog without an answer."""
        if (box := self._box) is not None:
            box.dismiss(None)

    def _move(self, by: int) -> None:
        """Move the cursor in a dialog: by lines of a list, pages of a text, or choices of a question."""
        if (box := self._box) is not None:
            box.body.move(by)

    def _edit(self, key: str) -> None:
        """Edit the text line that has the cursor, in the top dialog or in the focused field."""
        line = self._box.body if self._box is not None else self._context.list_screen.focused
        if isinstance(line, TypedLine):
            line.take_key(key, None)
