"""Dialog with the rows that block a position mode change of a venue."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.geometry import Region, Size

from tui.interface.text import how_many
from tui.workstation.features.leverage.forecast import ModeBlocker
from tui.workstation.input.scopes import Scope
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece
from tui.workstation.render.text import cut, wrap
from tui.workstation.widgets.list_modal import EDGES, ListBody, SideList


class ModeList(ListBody):
    """List of the rows that block a position mode change; Enter goes to a row."""

    def __init__(
        self,
        exchange: str,
        heading: Callable[[], str],
        change: Callable[[], str],
        list_blockers: Callable[[], Sequence[ModeBlocker]],
        palette: Palette,
    ) -> None:
        """Initialize the list.

        Args:
            exchange: Venue.
            heading: Return the present mode and the other one.
            change: Describe a change that is not settled, or return an empty text.
            list_blockers: List the rows that block a change.
            palette: Colours.
        """
        super().__init__("modes", palette)
        self.exchange = exchange
        self._heading = heading
        self._change = change
        self._list_blockers = list_blockers
        self.answer = ""

    @property
    def blockers(self) -> Sequence[ModeBlocker]:
        """Rows that block a mode change now."""
        return self._list_blockers()

    @property
    def count(self) -> int:
        return len(self.blockers)

    @property
    def head_lines(self) -> int:
        return len(self._head(self.size.width))

    @property
    def rows(self) -> int:
        return max(1, self.inner_height - self.head_lines)

    @property
    def chosen(self) -> ModeBlocker | None:
        """Blocking row at the cursor."""
        blockers = self.blockers
        return blockers[min(self.at, len(blockers) - 1)] if blockers else None

    def say(self, answer: str) -> None:
        """Show a message below the heading."""
        self.answer = answer
        self.refresh()
        if self.is_attached:
            self.refresh(layout=True)

    def title_pieces(self) -> list[Piece]:
        return [(f"Position mode of {self.exchange}", "title-focus")]

    def lines_needed(self, cells: int) -> int:
        """Return the height for a width, borders included."""
        return EDGES + len(self._head(cells)) + self.count

    def build_lines(self) -> list[list[Piece]]:
        self.at = max(0, min(self.at, self.count - 1))
        return [*self._head(self.size.width), *super().build_lines()]

    def _head(self, cells: int) -> list[list[Piece]]:
        """Build the lines above the list: an open change, else the last message, else the number of blocking rows."""
        count, inside = self.count, max(8, cells - EDGES - 2)
        if open_change := self._change():
            self.answer = ""
            return [[(f" {text}", "warn")] for text in wrap(open_change, inside)]
        rows = how_many(count, "row blocks", "rows block")
        summary = f"{rows} the change: Enter goes to the row" if count else "nothing blocks the change"
        role = "warn" if self.answer or count else "dim"
        heading: list[list[Piece]] = [[(f" {text}", "text")] for text in wrap(self._heading(), inside)]
        return heading + [[(f" {text}", role)] for text in wrap(self.answer or summary, inside)]

    def item(self, at: int) -> list[Piece]:
        pointer, role = ("▸ ", "strong") if at == self.at else ("  ", "text")
        return [(pointer, "accent"), (cut(self.blockers[at].text, max(1, self.size.width - 4)), role)]


class ModeScreen(SideList[ModeList]):
    """Dialog over the panes: the position mode of one venue, and the rows that block its change."""

    scope = Scope.MODES

    cells = 62

    def placements(self, size: Size) -> dict[str, Region]:
        width = min(self.cells, size.width)
        return self.place(size, width, self.body.lines_needed(width))

    def follow(self) -> None:
        self.body.refresh()
        if self.body.lines_needed(self.body.size.width) != self.body.size.height:
            self.refresh(layout=True)
