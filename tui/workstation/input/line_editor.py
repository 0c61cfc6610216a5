"""Line editor for all typed text: form and ticket fields, confirmation words, filters, the command palette."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tui.interface.text import clean

MOST_TYPED = 200
"""Most characters of a line."""


class LineEditor:
    """Line of text with a cursor; typing replaces a text that the program had filled in."""

    def __init__(self, text: str = "", most: int = MOST_TYPED, *, selects: bool = False) -> None:
        """Initialize with a text.

        Args:
            text: Initial text.
            most: Most characters it accepts.
            selects: Whether text set by the program is selected, so that an erasing key removes all of it.
        """
        self._most = most
        self._selects = selects
        self.put(text)

    def put(self, text: str, *, typed: bool = False) -> None:
        """Set the text, put the cursor at its end, and let the next typing replace it.

        Args:
            text: New text.
            typed: Whether it stands for what was typed: then an erasing key removes what it removes from typed text.
        """
        self.text, self.at, self.replaces, self._typed = text, len(text), bool(text), typed

    @property
    def selected(self) -> bool:
        """Whether the whole text is selected."""
        return self._selects and self.replaces

    def go_to(self, at: int) -> None:
        """Move the cursor to a position in the text."""
        self.at, self.replaces = max(0, min(len(self.text), at)), False

    def preview(self, text: str) -> str:
        """Return the line as it would be after inserting a text at the cursor, without control characters."""
        typed = clean(" ".join(text.splitlines()), self._most + 1)
        kept = not self.replaces or (text == " " and not self._selects)
        return f"{self.text[: self.at]}{typed}{self.text[self.at :]}" if kept else typed

    def type(self, text: str) -> bool:
        """Insert typed or pasted text; return False and change nothing if the line would become too long."""
        line = self.preview(text)
        if len(line) > self._most:
            return False
        behind = 0 if self.replaces else len(self.text) - self.at
        self.text, self.at, self.replaces = line, len(line) - behind, False
        return True

    def press(self, key: str) -> bool:
        """Handle an editing key, such as Backspace; return False if the key does not edit."""
        edit = _EDITS.get(key)
        if edit is None:
            return False
        all_of_it = self.selected and not self._typed and key in ERASES
        self.text, self.at = ("", 0) if all_of_it else edit(self.text, self.at)
        self.replaces = False
        return True

    def first_shown(self, cells: int) -> int:
        """Return the index of the first visible character when this many cells are available."""
        return max(0, self.at + 1 - cells)

    def visible_text(self, cells: int, mask: str = "") -> str:
        """Return the visible part of the text around the cursor, with `_` as the cursor.

        Args:
            cells: Width.
            mask: Sign that stands for each character of a secret; empty: the text is shown.
        """
        shown = mask * len(self.text) if mask else self.text
        text = f"{shown[: self.at]}_{shown[self.at :]}"
        return text[self.first_shown(cells) :][:cells]


class TypedLine:
    """Widget or dialog in which text can be typed."""

    @property
    def editor(self) -> LineEditor | None:
        """Line editor that has the cursor; None when nothing can be typed now."""
        return None

    def take_key(self, key: str, letter: str | None) -> bool:
        """Handle a key; return False when it has no effect.

        Args:
            key: Name of the key.
            letter: Its character; None without one.
        """
        return self.type(letter) if letter else self.edit(key)

    def type(self, text: str) -> bool:
        """Insert typed text; return False when nothing can be typed now."""
        editor = self.editor
        if editor is not None and editor.type(text):
            self.handle_edit()
        return editor is not None

    def paste(self, text: str) -> bool:
        """Insert pasted text like typed text; return False when nothing can be typed now."""
        return self.type(text)

    def edit(self, key: str) -> bool:
        """Handle an editing key; return False if the key does not edit."""
        editor = self.editor
        if editor is None or not editor.press(key):
            return False
        if key in ERASES:
            self.handle_edit()
        self.handle_cursor_move()
        return True

    def handle_edit(self) -> None:
        """React to a changed text."""

    def handle_cursor_move(self) -> None:
        """React to a moved cursor."""


def _word_start(text: str, at: int) -> int:
    """Return the start of the word before the cursor."""
    before = text[:at].rstrip()
    return len(before) - len(before.split(" ")[-1])


def _word_end(text: str, at: int) -> int:
    """Return the end of the word after the cursor."""
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
"""Keys that erase text."""
