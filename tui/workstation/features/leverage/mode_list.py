"""The list of what stands against another position mode of a venue: a small box over the panes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.geometry import Region, Size

from tui.interface.text import how_many
from tui.workstation.features.leverage.forecast import Standing
from tui.workstation.input.scopes import Scope
from tui.workstation.render.palette import Palette, Piece
from tui.workstation.render.text import cut, wrap
from tui.workstation.widgets.list_modal import EDGES, ListBody, SideList


class ModeList(ListBody):
    """What stands against another position mode, each line a way to its row."""

    def __init__(
        self,
        exchange: str,
        heading: Callable[[], str],
        change: Callable[[], str],
        standing: Callable[[], Sequence[Standing]],
        palette: Palette,
    ) -> None:
        """
        Args:
            exchange: The venue.
            heading: The mode, and what Enter would make of it.
            change: How far a change is that is not settled, as of now, or an empty text.
            standing: What stands against a change, as of now.
            palette: Colours.
        """
        super().__init__("modes", palette)
        self.exchange = exchange
        self._heading = heading
        self._change = change
        self._standing = standing
        self.answer = ""

    @property
    def standing(self) -> Sequence[Standing]:
        """What stands against it now."""
        return self._standing()

    @property
    def count(self) -> int:
        return len(self.standing)

    @property
    def rows(self) -> int:
        return max(1, self.inner_height - len(self._head(self.size.width)))

    @property
    def chosen(self) -> Standing | None:
        """The line under the cursor."""
        standing = self.standing
        return standing[min(self.at, len(standing) - 1)] if standing else None

    def say(self, answer: str) -> None:
        """Show an answer below the heading."""
        self.answer = answer
        self.refresh()
        if self.is_attached:
            self.refresh(layout=True)

    def title_pieces(self) -> list[Piece]:
        return [(f"Position mode of {self.exchange}", "title-focus")]

    def lines_needed(self, cells: int) -> int:
        """Height at a width, edges included."""
        return EDGES + len(self._head(cells)) + self.count

    def line(self, y: int) -> list[Piece]:
        head = self._head(self.size.width)
        if y < len(head):
            return head[y]
        self.at = max(0, min(self.at, self.count - 1))
        return super().line(y - len(head))

    def _head(self, cells: int) -> list[list[Piece]]:
        """The lines above the list: a change that is not settled, or the last answer, or how many rows stand against it."""
        count, inside = self.count, max(8, cells - EDGES - 2)
        if open_change := self._change():
            self.answer = ""
            return [[(f" {text}", "warn")] for text in wrap(open_change, inside)]
        rows = how_many(count, "row stands", "rows stand")
        told = f"{rows} against it (406012): Enter goes there" if count else "nothing stands against it"
        role = "warn" if self.answer or count else "dim"
        heading: list[list[Piece]] = [[(f" {text}", "text")] for text in wrap(self._heading(), inside)]
        return heading + [[(f" {text}", role)] for text in wrap(self.answer or told, inside)]

    def item(self, at: int) -> list[Piece]:
        pointer, role = ("▸ ", "strong") if at == self.at else ("  ", "text")
        return [(pointer, "accent"), (cut(self.standing[at].text, max(1, self.size.width - 4)), role)]


class ModeScreen(SideList[ModeList]):
    """The mode of one venue beside the panes."""

    scope = Scope.MODES

    cells = 62

    def placements(self, size: Size) -> dict[str, Region]:
        width = min(self.cells, size.width)
        return self.place(size, width, self.body.lines_needed(width))

    def follow(self) -> None:
        self.body.refresh()
        if self.body.lines_needed(self.body.size.width) != self.body.size.height:
            self.refresh(layout=True)
