"""The line in which a question about the history is typed, with what is accepted and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable

from textual.events import Key, Paste
from textual.geometry import Region, Size

from tui.interface.text import clean
from tui.workstation.features.history.asked import MOST_TYPED, BadAsk, HistoryAsk
from tui.workstation.input.scopes import Scope
from tui.workstation.render.palette import Palette, Piece
from tui.workstation.render.text import wrapped
from tui.workstation.widgets.list_modal import EDGES, BoxModal, ModalBody

NOTES = (
    "window: today, 7d, 90d, 2026-10-01..2026-10-31 or 2026-10-01.. (UTC days)",
    "filters: sym:okx_perp_btc (several with commas), venue:OKX, kind:PERP; only = only executed orders",
    "of the statement: type:FUNDING_FEE, coin:USDT",
    "one order: its order id, or its client order id",
)


class AskForm(ModalBody):
    """One line of words; what it means, or what is wrong, stands below it."""

    def __init__(self, line: str, read: Callable[[str], HistoryAsk], palette: Palette) -> None:
        """
        Args:
            line: What stands there at first; the first letter typed replaces it.
            read: Reads the line, or raises BadAsk.
            palette: Colours.
        """
        super().__init__("ask", palette)
        self.text = line
        self._read = read
        self._untouched = True

    def put(self, text: str) -> None:
        """Another line."""
        self.text = clean(text)[:MOST_TYPED]
        self._untouched = False
        self.refresh()
        if self.is_attached:
            self.refresh(layout=True)

    def type(self, text: str) -> None:
        """Letters are typed or pasted."""
        self.put(text if self._untouched and text != " " else self.text + text)

    def asked(self) -> HistoryAsk | str:
        """The question, or why it is none."""
        try:
            return self._read(self.text)
        except BadAsk as problem:
            return str(problem)

    def title_pieces(self) -> list[Piece]:
        return [("Ask the history", "title-focus")]

    def title_end(self) -> list[Piece]:
        return [("Enter asks, Esc goes back", "dim")]

    def lines_needed(self, cells: int) -> int:
        """Height at a width, edges included."""
        return EDGES + len(self._rows(cells - 2))

    def line(self, y: int) -> list[Piece]:
        rows = self._rows(self.size.width - 2)
        return rows[y] if y < len(rows) else []

    def _rows(self, inside: int) -> list[list[Piece]]:
        typed = f"{self.text}_"
        rows: list[list[Piece]] = [[("▸ ", "accent"), (typed[-max(1, inside - 3) :], "title-focus")]]
        found = self.asked()
        if isinstance(found, str):
            rows += [[(f"  {text}", "warn")] for text in wrapped(found, max(8, inside - 3))]
        else:
            rows.append([("  Enter asks this", "good")])
        for note in NOTES:
            rows += [[(f"  {text}", "dim")] for text in wrapped(note, max(8, inside - 3))]
        return rows


class AskScreen(BoxModal[AskForm, None]):
    """Beside the row under the cursor."""

    scope = Scope.HISTORY

    def placements(self, size: Size) -> dict[str, Region]:
        width = min(84, size.width)
        return self.place(size, width, self.body.lines_needed(width))

    def on_key(self, event: Key) -> None:
        """A typed letter is text."""
        if event.is_printable and event.character:
            event.stop()
            self.body.type(event.character)

    def on_paste(self, event: Paste) -> None:
        """A paste is typed text."""
        event.stop()
        self.body.type(event.text.replace("\n", " "))
