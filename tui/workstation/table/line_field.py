"""One-line text field, used in tickets and as the filter above a list."""

from __future__ import annotations

from collections.abc import Callable

from textual.events import Key, Paste
from textual.strip import Strip

from tui.workstation.input.line_editor import ERASES, MOST_TYPED, LineEditor, TypedLine
from tui.workstation.render.line_widget import Unscrolled
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece, pieces_width
from tui.workstation.render.strips import Run, merge_runs, runs_of
from tui.workstation.render.text import width

LEAST_TEXT = 24
"""Cells of a text below which nothing else stands in its line."""
PASTED = "the pasted text"
"""Name of a pasted text where it is refused as a key is."""


class LineField(TypedLine, Unscrolled, can_focus=True):
    """Text field that reports each change at once."""

    DEFAULT_CSS = "LineField { width: 1fr; height: 1; }"

    def __init__(self, field_id: str, palette: Palette, hint: str = "", most: int = MOST_TYPED) -> None:
        """Initialize an empty field.

        Args:
            field_id: Id of the widget.
            palette: Colours.
            hint: Text shown while the field is empty.
            most: Most characters it accepts.
        """
        super().__init__(id=field_id)
        self.palette = palette
        self.hint = hint
        self.kept = ""
        """Text that stays at its end while it is typed into."""
        self.changed: Callable[[], None] = lambda: None
        """Callback after typing or erasing."""
        self.refused = False
        """Whether a key was refused; until the field is edited on purpose, it takes no characters."""
        self.refused_why = ""
        """Why it was refused."""
        self.tell_refused: Callable[[], None] = lambda: None
        """Report again why a key was refused, as another one came behind it."""
        self.refuse_edit: Callable[[str], bool] = lambda _key: False
        """Refuse an edit by a key, or by `PASTED`, while the text must stay, and say why; return whether it did."""
        self.on_touch: Callable[[], None] = lambda: None
        """Called when it is edited on purpose after a refusal."""
        self._line = LineEditor(most=most, selects=True)
        self._invalid = False

    @property
    def editor(self) -> LineEditor:
        return self._line

    @property
    def value(self) -> str:
        """Text of the field."""
        return self._line.text

    @value.setter
    def value(self, text: str) -> None:
        self._line.put(text)
        self.refresh()

    def select_all(self) -> None:
        """Select the whole text, so that typing replaces it; Backspace still erases one character."""
        self._line.put(self._line.text, typed=True)
        self.refresh()

    def mark(self, *, invalid: bool) -> None:
        """Set whether the text is shown as invalid."""
        if invalid != self._invalid:
            self._invalid = invalid
            self.refresh()

    # Keys and the mouse

    def on_key(self, event: Key) -> None:
        """Handle characters and cursor keys."""
        if self.take_key(event.key, event.character if event.is_printable else None):
            event.stop()

    def take_key(self, key: str, letter: str | None) -> bool:
        """Handle a key, unless an edit of the text must be refused now; return whether it was handled."""
        return bool((letter or key in ERASES) and self.refuse_edit(letter or key)) or self.take_edit(key, letter)

    def take_edit(self, key: str, letter: str | None) -> bool:
        """Handle a key; after a refused key, further characters are refused until Backspace, which then erases nothing."""
        if not self.refused or not (letter or key in ERASES):
            return super().take_key(key, letter)
        self.refused = bool(letter)
        if letter:
            self.tell_refused()
            return True
        self.on_touch()
        return key == "backspace" or super().take_key(key, letter)

    def on_paste(self, event: Paste) -> None:
        """Insert a pasted text as a whole, so that an invalid one is refused and not shortened."""
        event.stop()
        self.paste(event.text)

    def paste(self, text: str) -> bool:
        """Insert a pasted text, unless an edit of the text must be refused now."""
        return self.refuse_edit(PASTED) or self.take_paste(text)

    def take_paste(self, text: str) -> bool:
        """Insert a pasted text; after a refused key, refuse the paste and show why."""
        if not self.refused:
            return super().paste(text)
        self.tell_refused()
        return True

    def press_mouse(self, x: int, y: int) -> None:
        """Move the cursor to the place of a mouse press."""
        del y
        self._line.go_to(self._line.first_shown(self._text_cells) + x)
        self.refresh()

    def handle_edit(self) -> None:
        self.refresh()
        self.changed()

    def handle_cursor_move(self) -> None:
        self.refresh()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    # Drawing

    @property
    def _text_cells(self) -> int:
        """Cells of the text and the cursor."""
        left = self.size.width - width(self.kept)
        return left if left >= LEAST_TEXT else self.size.width

    def render_line(self, y: int) -> Strip:
        del y
        text, kept = self._render_text(), self.size.width - self._text_cells
        return merge_runs([*text, *runs_of([(self.kept, "dim")], kept, self.palette, "cursor")], self.size.width)

    def _render_text(self) -> list[Run]:
        """Build the part that is typed."""
        editor, cells, role = self._line, self._text_cells, "alert" if self._invalid else "text"
        if not self.has_focus:
            piece: Piece = (editor.text, role) if editor.text else (self.hint, "faint")
            return runs_of([piece], cells, self.palette, "field")
        text, at = editor.text[editor.first_shown(cells) :], editor.at - editor.first_shown(cells)
        ground = "selected" if editor.selected else "cursor"
        if not text and self.hint:
            # Not on the ground of what is typed: where that is a reversed bar, the hint would read as typed.
            hint: list[Piece] = [(self.hint[:1], "caret"), (f"{self.hint[1:]} ", "faint")]
            shown = min(cells, pieces_width(hint))
            runs = runs_of(hint, shown, self.palette, "hint")
            return [*runs, *runs_of([], cells - shown, self.palette, "cursor")]
        before, under = text[:at], text[at : at + 1] or " "
        runs = runs_of([(before, role)], min(cells, width(before)), self.palette, ground)
        after: list[Piece] = [(under, "caret"), (text[at + 1 :], role)]
        return [*runs, *runs_of(after, max(0, cells - width(before)), self.palette, "cursor")]
