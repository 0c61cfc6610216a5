"""Input fields of a ticket: a text field that corrects nothing, and a chooser among a few values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType

from textual.message import Message
from textual.strip import Strip

from tui.workstation.input.line_editor import ERASES
from tui.workstation.render.line_widget import Unscrolled
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece
from tui.workstation.render.strips import line
from tui.workstation.table.line_field import LineField


class Mode(StrEnum):
    """Display mode of the ticket panel: idle, preview line, full form or replace."""

    IDLE = "idle"
    """Rules of the selected symbol, without a ticket."""
    STAGED = "staged"
    FORM = "form"
    REPLACE = "replace"


FORMS = frozenset([Mode.FORM, Mode.REPLACE])
FORM_LINES = 8
"""Lines inside the ticket with all fields open."""
MAX_TYPED = 80
"""More characters than any number needs; a text too long for the ticket is reported, not cut."""
NOTHING: Mapping[str, object] = MappingProxyType({})
_OPENS = ERASES | {"left", "right", "home", "end"}
"""Editing and cursor keys, which unlock a field."""


class NumberField(LineField):
    """Number field that refuses letters no valid value can contain; the ticket validates the whole value.

    Nothing is corrected: a refused letter is reported and not entered, and a paste is kept whole.
    """

    def __init__(self, name: str, palette: Palette) -> None:
        super().__init__(name, palette, most=MAX_TYPED)
        self.initial_text = ""
        """Text to which Esc returns."""
        self.initial_parts: Mapping[str, object] = {}
        """Fields of the ticket that `initial_text` stands for; empty: they are parsed from the text."""
        self.ticket_text = ""
        """Text last set by the ticket rather than typed."""
        self.accepted = ""
        """What the field accepts, if the refused key was a letter."""
        self.typed = False
        """Whether its text stands for a value that was typed, so that Backspace erases one character and not all."""
        self.locked = False
        """Whether its value was refused or is complete; until it is edited on purpose, it takes no characters."""
        self.refuse_letter: Callable[[str], bool] = lambda _: False
        """Return whether a typed letter may not lead to this value, after reporting why."""
        self.explain_lock: Callable[[], None] = lambda: None
        """Report why the locked field takes no characters."""
        self.refuse_paste: Callable[[], None] = lambda: None
        """Report that a pasted text is too long, and lock the field."""

    def take_edit(self, key: str, letter: str | None) -> bool:
        """Handle a key; refuse letters that no number has, and all characters after a refused letter.

        Digits behind a refused letter would make another number: `1e5` must not become 15. Backspace removes the
        refused letter.
        """
        if self.locked and letter:
            self.explain_lock()
            return True
        if self.locked and key in _OPENS:
            self.locked = self.refused = False
            self.on_touch()
        elif not self.refused and letter and letter.isalpha() and self.refuse_letter(self.editor.preview(letter)):
            self.refused = True
            return True
        return super().take_edit(key, letter)

    def take_paste(self, text: str) -> bool:
        """Insert a pasted text whole; refuse it if the field is locked or the text would be too long."""
        if self.locked:
            self.explain_lock()
        elif not self.refused and len(self.editor.preview(text)) > MAX_TYPED:
            self.refuse_paste()
        else:
            super().take_paste(text)
        return True

    def handle_edit(self) -> None:
        self.typed = True
        super().handle_edit()

    def keep(self, initial_parts: Mapping[str, object]) -> None:
        """Record the current text for Esc to restore, with the ticket values that it stands for."""
        self.initial_text, self.initial_parts = self.value, initial_parts

    def follow(self, text: str, initial_parts: Mapping[str, object] = NOTHING) -> None:
        """Fill in a text from the ticket after the market moved; a refused letter stays refused."""
        self.ticket_text = text
        self.editor.put(text, typed=self.typed)
        self.refresh()
        self.keep(initial_parts)

    def put(self, text: str, initial_parts: Mapping[str, object] = NOTHING) -> None:
        """Fill in a text from the ticket; the next typed character replaces the whole text."""
        self.follow(text, initial_parts)
        self.refused = self.locked = False

    def start(self, text: str) -> None:
        """Replace the text by the first typed character."""
        self.refused = self.locked = False
        self.value = ""
        self.type(text)


class Chooser(Unscrolled, can_focus=True):
    """Chooser field `‹ value ›`; the arrow keys change the value."""

    DEFAULT_CSS = "Chooser { width: 1fr; height: 1; }"

    class Changed(Message):
        """Message that another value was chosen."""

        def __init__(self, chooser: Chooser) -> None:
            super().__init__()
            self.chooser = chooser

    def __init__(self, name: str, palette: Palette, label: Callable[[str], str] = str) -> None:
        super().__init__(id=name)
        self.palette = palette
        self._label = label
        self.values: Sequence[str] = ()
        self.value = ""

    def offer(self, values: Sequence[str], value: str) -> None:
        """Set the possible values and the chosen one."""
        self.values, self.value = values, value
        self.refresh()

    def cycle(self, steps: int) -> None:
        """Choose the next or previous value, wrapping around at the ends."""
        if self.values:
            at = self.values.index(self.value) if self.value in self.values else 0
            self.value = self.values[(at + steps) % len(self.values)]
            self.refresh()
            self.post_message(self.Changed(self))

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def render_line(self, y: int) -> Strip:
        del y
        ground = "cursor" if self.has_focus else ""
        marks = "accent" if self.has_focus else "faint"
        pieces: list[Piece] = [
            ("▸ " if self.has_focus else "‹ ", marks),
            (self._label(self.value), "strong"),
            (" ›", marks),
        ]
        return line(pieces, self.size.width, self.palette, ground=ground)
