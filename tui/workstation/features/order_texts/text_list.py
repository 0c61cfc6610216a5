"""Dialog with the texts of an order; the one under the cursor can be copied."""

from __future__ import annotations

from tui.engine.rows import OrderRow
from tui.workstation.features.order_texts.texts import ORDER_TEXTS
from tui.workstation.input.scopes import Scope
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece
from tui.workstation.widgets.list_modal import ListBody, SideList


class OrderTextList(ListBody):
    """List of the notations of an order, such as command line or REST request, each with its text."""

    def __init__(self, order: OrderRow, palette: Palette) -> None:
        super().__init__("texts", palette)
        self._texts = [(way.name, way.write(order)) for way in ORDER_TEXTS]

    @property
    def count(self) -> int:
        return len(self._texts)

    @property
    def chosen(self) -> tuple[str, str]:
        """Name and text of the notation under the cursor."""
        return self._texts[self.at]

    def title_pieces(self) -> list[Piece]:
        return [("Copy the order as", "title-focus")]

    def item(self, at: int) -> list[Piece]:
        (name, text), here = self._texts[at], at == self.at
        return [("▸ " if here else "  ", "accent"), (f"{name:<13}", "strong" if here else "text"), (text, "dim")]


class OrderTextScreen(SideList[OrderTextList]):
    """Dialog with the notations of an order, beside the order's row."""

    scope = Scope.TEXTS

    cells = 78
