"""Place of the command line on the desk: the field in the line of the events, and a sentence where the ticket stands."""

from __future__ import annotations

from tui.workstation.render.pieces import Piece
from tui.workstation.render.strips import wrap_pieces
from tui.workstation.render.text import cut
from tui.workstation.widgets.main_screen import MainScreen

HINT = ": a command"
"""Text of the empty field."""
KILL = "  Ctrl+G kill"
"""End of a field that covers the line of keys."""
MOST_NOTE_LINES = 5
"""Most lines of the sentence about a typed line."""


class LinePlace:
    """Field of the command line and the sentence about what is typed."""

    def __init__(self, main_screen: MainScreen) -> None:
        self._screen = main_screen

    def open(self) -> None:
        """Show the empty command line field in place of the event line."""
        field = self._screen.line_field
        field.value, field.refused = "", False
        # In a window with a single line at the bottom it covers that of the keys.
        field.hint, field.kept = HINT, "" if self._screen.plan.event is not None else KILL
        field.display = True
        self._screen.line_opened = self._screen.view.now
        self._screen.refresh(layout=True)
        self._screen.set_focus(field)

    def close(self) -> None:
        """Close the field and return the focus to the list."""
        self._screen.hide_line()
        self._screen.focus_list()

    def put_note(self, pieces: list[Piece], *, whole: bool = True) -> None:
        """Show a note, in place of the order ticket while none is open: what the typed line would do, or why it is refused.

        Args:
            pieces: The sentence.
            whole: Whether the box takes as many lines as it needs; else it is cut, while a word is being typed.
        """
        screen = self._screen
        panel, box = screen.panel, screen.plan.ticket
        panel.note = pieces
        if not whole and screen.note_lines == 1 and pieces:
            text = "".join(text for text, _ in pieces)
            panel.note = [(cut(text, panel.size.width - 3), pieces[-1][1])]
        elif box is not None:
            # The box does not shrink while a line is typed: the lists would jump with each key.
            lines = len(wrap_pieces(pieces, box.width - 2))
            if lines > screen.note_lines:
                screen.note_lines = min(lines, MOST_NOTE_LINES)
                screen.arrange_panes()
        panel.redraw_all()
