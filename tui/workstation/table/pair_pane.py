"""Base of the panes that show one pair: ladder, chart, trades."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name
from tui.workstation.render.pieces import Piece
from tui.workstation.table.pane import Pane

R = TypeVar("R")


class PairPane(Pane[R]):
    """Pane for the pair that was opened; every row belongs to it."""

    def __init__(self, view: DisplayContext) -> None:
        super().__init__(view)
        self.shown_sym = ""
        """Pair shown; empty: none."""
        self.alone = False
        """Whether no other view names the pair: the pane takes the space of all, or the ladder is pinned to another."""
        self.pinned = False
        """Whether the pane stays with its pair when the cursor goes to another."""
        self.on_bars: Callable[[str, str], None] = lambda _, __: None
        """Called with interval and price of the bars after they were changed here, so that the engine follows them."""
        self.on_books: Callable[[tuple[str, ...]], None] = lambda _: None
        """Called with the other pairs whose order book is shown here, so that the engine follows them."""

    @property
    def can_be_pinned(self) -> bool:
        """Whether the pane can be fixed to a pair: its rows are an order book, of which the engine follows several."""
        return False

    def show(self, sym: str) -> None:
        """Show another pair, or none if `sym` is empty."""
        self.shown_sym = sym

    @property
    def title_pair(self) -> list[Piece]:
        """Pair name for the title if no other view beside names it, else nothing."""
        return [(full_name(self.shown_sym), "text")] if self.alone and self.shown_sym else []

    @property
    def books(self) -> tuple[str, ...]:
        """Pairs other than the open one whose order book the pane shows."""
        return ()

    def touch_keys(self) -> tuple[str, ...]:
        """Return the keys of the rows with best bid and ask, if the pane has such rows."""
        return ()

    def go_to_market(self) -> None:
        """React to the key that opens the pair, even if the pair was shown already."""

    def sym(self, key: str) -> str:
        del key
        return self.shown_sym


AnyPairPane = PairPane[Any]
