"""Dialog with the themes; the desk behind it is drawn in the theme under the cursor."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui.workstation.input.scopes import Scope
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece
from tui.workstation.render.themes import ThemeFile
from tui.workstation.widgets.list_modal import ListBody, SideList
from tui.workstation.widgets.question import Beside

_SAMPLE: tuple[Piece, ...] = (("▲1.2 ", "up"), ("▼0.8 ", "down"), ("buy ", "buy"), ("sell ", "sell"), ("note", "warn"))


class ThemeList(ListBody):
    """List of themes with a sample of their colours on the line under the cursor."""

    def __init__(self, themes: Sequence[ThemeFile], palette: Palette, preview: Callable[[ThemeFile], None]) -> None:
        super().__init__("themes", palette)
        self.themes = themes
        self._preview = preview
        self.at = next((at for at, theme in enumerate(themes) if theme.name == palette.theme.name), 0)

    @property
    def count(self) -> int:
        return len(self.themes)

    @property
    def chosen(self) -> ThemeFile:
        """Theme under the cursor."""
        return self.themes[self.at]

    def move(self, by: int) -> None:
        before = self.at
        super().move(by)
        if self.at != before:
            self._preview(self.chosen)

    def title_pieces(self) -> list[Piece]:
        return [("Themes", "title-focus")]

    def item(self, at: int) -> list[Piece]:
        theme, here = self.themes[at], at == self.at
        pieces: list[Piece] = [("▸ " if here else "  ", "accent"), (f"{theme.name:<17}", "strong" if here else "text")]
        return [*pieces, *_SAMPLE] if here else [*pieces, (theme.about, "dim")]


class ThemeScreen(SideList[ThemeList]):
    """Dialog with the themes, at the edge of the desk so that the desk can be seen."""

    scope = Scope.THEMES
    beside = Beside.STATUS

    cells = 50
