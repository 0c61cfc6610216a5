"""Dialog that shows the secret of a new API key once."""

from __future__ import annotations

from textual.geometry import Region, Size

from tui.interface.families.portfolios import NewApiKey
from tui.workstation.input.scopes import Scope
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece
from tui.workstation.render.text import wrap
from tui.workstation.widgets.list_modal import EDGES, BoxModal, ModalBody
from tui.workstation.widgets.question import Beside

WIDTH = 66


class SecretBody(ModalBody):
    """Dialog body with access key and secret; the secret is stored nowhere else."""

    def __init__(self, key: NewApiKey, portfolio: str, palette: Palette, keys: str) -> None:
        """Initialize the body; `keys` says which keys copy."""
        super().__init__("secret", palette)
        self.key = key
        self._portfolio = portfolio
        self._keys = keys
        self.message = ""
        """Result of the last key."""

    def title_pieces(self) -> list[Piece]:
        return [(f"API key {self.key.api_name} of {self._portfolio}", "title-focus")]

    def lines_needed(self, cells: int) -> int:
        """Return the height for a width, borders included."""
        return EDGES + len(self._rows(cells))

    def build_lines(self) -> list[list[Piece]]:
        return self._rows(self.size.width)

    def say(self, text: str) -> None:
        """Show what a key did, such as copying."""
        self.message = text
        self.refresh()

    def _rows(self, cells: int) -> list[list[Piece]]:
        inside = max(8, cells - EDGES - 2)
        rows: list[list[Piece]] = []
        for name, text, role in (
            ("access key", self.key.access_key, "text"),
            ("secret, shown only now", self.key.secret_key, "strong"),
        ):
            rows.append([(f" {name}", "dim")])
            rows += [[(f" {part}", role)] for part in wrap(text, inside)]
        notes = (
            "The service does not show it again, and this program does not store it. If it is lost, create another key."
        )
        rows += [[], *[[(f" {part}", "dim")] for part in wrap(notes, inside)]]
        message = self.message or self._keys
        rows += [[(f" {part}", "accent")] for part in wrap(message, inside)]
        return rows


class SecretScreen(BoxModal[SecretBody, None]):
    """Dialog in the middle of the screen, because it belongs to no row."""

    scope = Scope.SECRET
    beside = Beside.DESK

    def placements(self, size: Size) -> dict[str, Region]:
        width = min(WIDTH, size.width)
        height = self.body.lines_needed(width)
        return self.place(size, width, height, height)
