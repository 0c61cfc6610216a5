"""Line editor for every typed text: fields of forms and tickets, words of questions, filters, the palette."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tui.interface.text import clean

MOST_TYPED = 200
"""Characters of a line."""


class LineEditor:
    """One line of text with a cursor.

    Text that the program put there is replaced by the first typed character.
    """

    def __init__(self, text: str = "", most: int = MOST_TYPED, *, selects: bool = False) -> None:
        """
        Args:
            text: What stands there at first.
            most: Characters that it holds.
            selects: Whether a text of the program is selected, so that a key that erases takes all of it.
        """
        self._most = most
        self._selects = selects
        self.put(text)

    def put(self, text: str) -> None:
        """Show a text of the program, the cursor behind it."""
        self.text, self.at, self.replaces = text, len(text), bool(text)

    @property
    def selected(self) -> bool:
        """Whether all of it is selected."""
        return self._selects and self.replaces

    def go_to(self, at: int) -> None:
        """Put the cursor before a character."""
        self.at, self.replaces = max(0, min(len(self.text), at)), False

    def after(self, text: str) -> str:
        """The whole line once a text is typed at the cursor; control characters are left out."""
        typed = clean(" ".join(text.splitlines()), self._most + 1)
        kept = not self.replaces or (text == " " and not self._selects)
        return f"{self.text[: self.at]}{typed}{self.text[self.at :]}" if kept else typed

    def type(self, text: str) -> bool:
        """Take typed or pasted text; False: it is longer than the line may be, and all of it is left out."""
        line = self.after(text)
        if len(line) > self._most:
            return False
        behind = 0 if self.replaces else len(self.text) - self.at
        self.text, self.at, self.replaces = line, len(line) - behind, False
        return True

    def press(self, key: str) -> bool:
        """Edit by a key that is no character; False: the key edits nothing."""
        edit = _EDITS.get(key)
        if edit is None:
            return False
        all_of_it = self.selected and key in ERASES
        self.text, self.at = ("", 0) if all_of_it else edit(self.text, self.at)
        self.replaces = False
        return True

    def first_shown(self, cells: int) -> int:
        """The first character that is shown where so many cells are there, the cursor among them."""
        return max(0, self.at + 1 - cells)

    def shown(self, cells: int) -> str:
        """The part around the cursor that fits, with `_` for the cursor."""
        text = f"{self.text[: self.at]}_{self.text[self.at :]}"
        return text[self.first_shown(cells) :][:cells]


class TypedLine:
    """What a line is typed into: a field, or a box with fields."""

    @property
    def editor(self) -> LineEditor | None:
        """The line with the cursor; None: nothing is typed here now."""
        return None

    def take_key(self, key: str, letter: str | None) -> bool:
        """Take a key of the keyboard; False: it means nothing here.

        Args:
            key: Its name.
            letter: Its character; None where it is none.
        """
        return self.type(letter) if letter else self.edit(key)

    def type(self, text: str) -> bool:
        """Take typed text; False: it means nothing here."""
        editor = self.editor
        if editor is not None and editor.type(text):
            self.edited()
        return editor is not None

    def paste(self, text: str) -> bool:
        """Take pasted text as if it was typed; False: it means nothing here."""
        return self.type(text)

    def edit(self, key: str) -> bool:
        """Edit by a key that is no character; False: it edits nothing."""
        editor = self.editor
        if editor is None or not editor.press(key):
            return False
        if key in ERASES:
            self.edited()
        self.cursor_moved()
        return True

    def edited(self) -> None:
        """Follow a change of the text."""

    def cursor_moved(self) -> None:
        """Draw the cursor where it stands now."""


def _word_start(text: str, at: int) -> int:
    """Where the word before the cursor begins."""
    before = text[:at].rstrip()
    return len(before) - len(before.split(" ")[-1])


def _word_end(text: str, at: int) -> int:
    """Where the word behind the cursor ends."""
    after = text[at:].lstrip()
    return len(text) - len(after) + len(after.split(" ")[0])


_Edit = Callable[[str, int], tuple[str, int]]
_EDITS: Mapping[str, _Edit] = {
    "backspace": lambda text, at: (text[: max(0, at - 1)] + text[at:], max(0, at - 1)),
    "delete": lambda text, at: (text[:at] + text[at + 1 :], at),
    "ctrl+u": lambda text, at: (text[at:], 0),
    "ctrl+k": lambda text, at: (text[:at], at),
    "ctrl+w": lambda text, at: (text[: _word_start(text, at)] + text[at:], _word_start(text, at)),
    "left": lambda text, at: (text, max(0, at - 1)),
    "right": lambda text, at: (text, min(len(text), at + 1)),
    "ctrl+left": lambda text, at: (text, _word_start(text, at)),
    "ctrl+right": lambda text, at: (text, _word_end(text, at)),
    "home": lambda text, _: (text, 0),
    "end": lambda text, _: (text, len(text)),
}
ERASES = frozenset(["backspace", "delete", "ctrl+u", "ctrl+w", "ctrl+k"])
"""Keys that take something away."""
