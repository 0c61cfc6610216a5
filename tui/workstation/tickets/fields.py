"""Fields of a ticket: a text field that repairs nothing, and a chooser of a few values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType

from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.workstation.input.line_editor import ERASES
from tui.workstation.render.palette import Palette, Piece
from tui.workstation.render.strips import line
from tui.workstation.table.line_field import LineField


class Mode(StrEnum):
    """What the ticket shows."""

    IDLE = "idle"
    """The rules of the selected symbol."""
    STAGED = "staged"
    FORM = "form"
    REPLACE = "replace"


FORMS = frozenset([Mode.FORM, Mode.REPLACE])
DOT: Piece = (" · ", "frame")
FORM_LINES = 8
"""Lines inside the ticket while all its fields are open."""
FIELD_X = 10
"""Column of the text fields, the side bar counted."""
FIELD_WIDTH = 16
SHORT_X = 7
SHORT_FIELD = 8
"""Place and width of the field where the whole ticket is one line."""

STOP_X = 30
"""Column of the stop-loss field, beside the take-profit."""
PROTECTION_WIDTH = 13
REST_X = 42
"""Column of the field for what is to remain of an order."""

NARROW = 50
WIDE = 76
ROOMY = 140
"""Width from which on a staged ticket says its price in words beside the size, and figures below alone."""
MAX_TYPED = 80
"""More than any number needs; what is longer than the ticket accepts is said, not cut."""

NOTHING: Mapping[str, object] = MappingProxyType({})
_OPENS = ERASES | {"left", "right", "home", "end"}
"""Keys that touch a field on purpose, or show where in it one is."""


class NumberField(LineField):
    """Takes printable characters but for letters that no value of it can hold; the ticket judges the whole value.

    Nothing is corrected: a refused letter is said and not entered, and a paste stays whole.
    """

    def __init__(self, name: str, palette: Palette) -> None:
        super().__init__(name, palette, most=MAX_TYPED)
        self.kept = ""
        """The value to which Esc goes back."""
        self.meant: Mapping[str, object] = {}
        """The parts of the ticket that `kept` stands for; empty: they are read from its text."""
        self.shown = ""
        """What the ticket put here itself."""
        self.refused = False
        """A letter was refused; until the field is changed on purpose nothing more is typed into it."""
        self.shut = False
        """What it holds was refused, or is finished: nothing is typed behind it until it is changed on purpose."""
        self.refuses: Callable[[str], bool] = lambda _: False
        """Whether the value must not become this by a typed letter; whoever answers yes tells the trader why."""
        self.tells: Callable[[], None] = lambda: None
        """Tells why nothing is typed behind what it holds."""
        self.touched: Callable[[], None] = lambda: None
        """Told when it is changed on purpose after a refusal."""

    def take_key(self, key: str, letter: str | None) -> bool:
        """Take a key, but for a letter that no value can hold, and what is typed behind it.

        Digits behind a refused letter would make another figure: `1e5` must not become 15. Backspace takes the
        refused letter back.
        """
        if self.shut and letter:
            self.tells()
            return True
        if self.shut and key in _OPENS:
            self.shut = False
            self.touched()
        elif self.refused and (letter or key in ERASES):
            self.refused = bool(letter)
            if not letter:
                self.touched()
            return bool(letter) or key == "backspace" or super().take_key(key, letter)
        elif letter and letter.isalpha() and self.refuses(self.editor.preview(letter)):
            self.refused = True
            return True
        return super().take_key(key, letter)

    def paste(self, text: str) -> bool:
        """Take a paste whole, where nothing was refused before."""
        if self.shut:
            self.tells()
        return self.shut or super().paste(text)

    def keep(self, meant: Mapping[str, object]) -> None:
        """Let Esc go back to the value of now; `meant`: the parts of the ticket that it stands for."""
        self.kept, self.meant = self.value, meant

    def put(self, text: str, meant: Mapping[str, object] = NOTHING) -> None:
        """Show a value of the ticket; what is typed next takes its place."""
        self.value = self.shown = text
        self.keep(meant)
        self.refused = self.shut = False

    def start(self, text: str) -> None:
        """Begin with a first typed character, in place of the old value."""
        self.refused = self.shut = False
        self.value = ""
        self.type(text)


class Chooser(Widget, can_focus=True):
    """`‹ value ›`, changed by the arrow keys."""

    DEFAULT_CSS = "Chooser { width: 1fr; height: 1; }"

    class Changed(Message):
        """Another value was chosen."""

        def __init__(self, chooser: Chooser) -> None:
            super().__init__()
            self.chooser = chooser

    def __init__(self, name: str, palette: Palette, words: Callable[[str], str] = str) -> None:
        super().__init__(id=name)
        self.palette = palette
        self._words = words
        self.values: Sequence[str] = ()
        self.value = ""

    def offer(self, values: Sequence[str], value: str) -> None:
        """Set what can be chosen and what is."""
        self.values, self.value = values, value
        self.refresh()

    def cycle(self, steps: int) -> None:
        """The next or previous value, round and round."""
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
        pieces: list[Piece] = [("‹ ", marks), (self._words(self.value), "strong"), (" ›", marks)]
        return line(pieces, self.size.width, self.palette, ground=ground)
