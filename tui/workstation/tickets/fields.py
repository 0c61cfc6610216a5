"""Fields of a ticket: a text field that repairs nothing, and a chooser of a few values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType

from textual.events import Key, Paste
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input
from textual.widgets.input import Selection

from tui.interface.text import clean
from tui.workstation.render.palette import Palette, Piece
from tui.workstation.render.strips import line


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

MAX_PASTED = 60
NOTHING: Mapping[str, object] = MappingProxyType({})
_ERASES = frozenset(["backspace", "delete", "ctrl+u", "ctrl+w", "ctrl+k"])
"""Keys that touch a field on purpose."""
_CARET = frozenset(["left", "right", "home", "end"])
"""Keys that only show where in a field one is."""


class NumberField(Input):
    """Takes printable characters but for letters that no value of it can hold; the ticket judges the whole value.

    Nothing is corrected: a refused letter is said and not entered, and a paste stays whole.
    """

    DEFAULT_CSS = """
    NumberField { height: 1; border: none; padding: 0 1; background: $panel; color: $foreground; }
    NumberField:focus { border: none; background: $cursor; color: $foreground; }
    NumberField.-wrong { color: $alert; }
    """

    def __init__(self, name: str) -> None:
        super().__init__(id=name, compact=True, select_on_focus=False, max_length=MAX_TYPED)
        self.cursor_blink = False
        self.kept = ""
        """The value to which Esc goes back."""
        self.meant: Mapping[str, object] = {}
        """The parts of the ticket that `kept` stands for; empty: they are read from its text."""
        self.shown = ""
        """What the ticket put here itself."""
        self.taken = ""
        """What the ticket has taken over last."""
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

    def restricted(self) -> None:
        """A full field does not ring: the setting `bell` decides what does."""

    async def _on_key(self, event: Key) -> None:
        if self._is_refused(event):
            event.stop()
            event.prevent_default()
            return
        await super()._on_key(event)

    def _is_refused(self, event: Key) -> bool:
        """Whether a key must not reach the value: a letter no value can hold, and what is typed behind it.

        Digits behind a refused letter would make another figure: `1e5` must not become 15. Backspace takes the
        refused letter back.
        """
        letter = event.character or ""
        start, end = sorted(self.selection)
        if self.shut:
            return self._is_shut_to(event)
        if self.refused:
            if event.key in _ERASES:
                self.refused = False
                self.touched()
            return event.is_printable or event.key == "backspace"
        if letter.isalpha() and self.refuses(self.value[:start] + letter + self.value[end:]):
            self.refused = True
        return self.refused

    def _is_shut_to(self, event: Key) -> bool:
        """Whether a key is refused because nothing is typed behind what stands here; what erases opens it."""
        if event.key in _ERASES or event.key in _CARET:
            self.shut = False
            self.touched()
        elif event.is_printable:
            self.tells()
        return event.is_printable

    def _on_paste(self, event: Paste) -> None:
        """A paste goes in whole, so that what is wrong with it is refused and not cut away."""
        event.stop()
        event.prevent_default()
        if self.shut:
            self.tells()
            return
        self.replace(clean(" ".join(event.text.splitlines()), MAX_PASTED), *self.selection)

    def keep(self, meant: Mapping[str, object]) -> None:
        """Let Esc go back to the value of now; `meant`: the parts of the ticket that it stands for."""
        self.kept, self.meant = self.value, meant

    def put(self, text: str, meant: Mapping[str, object] = NOTHING) -> None:
        """Show a value of the ticket; what is typed next takes its place."""
        self.value = self.shown = self.taken = text
        self.keep(meant)
        self.refused = self.shut = False
        self.selection = Selection(0, len(text))

    def start(self, text: str) -> None:
        """Begin with a first typed character, in place of the old value."""
        self.value = text
        self.refused = self.shut = False
        self.cursor_position = len(text)


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
