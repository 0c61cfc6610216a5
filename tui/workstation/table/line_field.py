"""One-line text field of tickets and of the filter over a list."""

from __future__ import annotations

from collections.abc import Callable

from textual.events import Key, Paste
from textual.strip import Strip
from textual.widget import Widget

from tui.workstation.input.line_editor import MOST_TYPED, LineEditor, TypedLine
from tui.workstation.render.palette import Palette, Piece
from tui.workstation.render.strips import line, merged, runs_of
from tui.workstation.render.text import width


class LineField(TypedLine, Widget, can_focus=True):
    """Text field that shows its line and reports each change at once."""

    DEFAULT_CSS = "LineField { width: 1fr; height: 1; }"

    def __init__(self, name: str, palette: Palette, hint: str = "", most: int = MOST_TYPED) -> None:
        """
        Args:
            name: Its id.
            palette: Colours.
            hint: Shown while it is empty.
            most: Characters that it holds.
        """
        super().__init__(id=name)
        self.palette = palette
        self.hint = hint
        self.changed: Callable[[], None] = lambda: None
        """Told when something was typed or erased."""
        self._line = LineEditor(most=most, selects=True)
        self._wrong = False

    @property
    def editor(self) -> LineEditor:
        return self._line

    @property
    def value(self) -> str:
        """Its text."""
        return self._line.text

    @value.setter
    def value(self, text: str) -> None:
        self._line.put(text)
        self.refresh()

    def select_all(self) -> None:
        """What is typed next takes the place of its text."""
        self.value = self._line.text

    def mark(self, *, wrong: bool) -> None:
        """Show whether its text is refused."""
        if wrong != self._wrong:
            self._wrong = wrong
            self.refresh()

    # Keys and the mouse

    def on_key(self, event: Key) -> None:
        """Take characters and keys of the cursor."""
        if self.take_key(event.key, event.character if event.is_printable else None):
            event.stop()

    def on_paste(self, event: Paste) -> None:
        """Take a paste whole, so that what is wrong with it is refused and not cut away."""
        event.stop()
        self.paste(event.text)

    def press_mouse(self, x: int, y: int) -> None:
        """Put the cursor where the mouse was pressed."""
        del y
        self._line.go_to(self._line.first_shown(self.size.width) + x)
        self.refresh()

    def edited(self) -> None:
        self.refresh()
        self.changed()

    def cursor_moved(self) -> None:
        self.refresh()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    # Drawing

    def render_line(self, y: int) -> Strip:
        del y
        editor, cells, role = self._line, self.size.width, "alert" if self._wrong else "text"
        if not self.has_focus:
            piece: Piece = (editor.text, role) if editor.text else (self.hint, "faint")
            return line([piece], cells, self.palette, ground="field")
        text, at = editor.text[editor.first_shown(cells) :], editor.at - editor.first_shown(cells)
        ground = "selected" if editor.selected else "cursor"
        before, under = text[:at], text[at : at + 1] or (self.hint[:1] if not text else "") or " "
        rest: Piece = (text[at + 1 :], role) if text else (self.hint[1:], "faint")
        runs = runs_of([(before, role)], min(cells, width(before)), self.palette, ground)
        runs += runs_of([(under, "caret"), rest], max(0, cells - width(before)), self.palette, "cursor")
        return merged(runs, cells)
