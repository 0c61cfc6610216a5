"""Dialog with the keymaps, and the keys of the one under the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from textual.geometry import Region, Size

from tui.interface.text import how_many
from tui.workstation.commands.keymap_switch import list_differences
from tui.workstation.input.actions import format_key
from tui.workstation.input.keymap import KeymapFile
from tui.workstation.input.scopes import Scope
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece
from tui.workstation.widgets.list_modal import EDGES, ListBody, SideList
from tui.workstation.widgets.question import Beside

_KEY_CELLS = 16


class KeymapList(ListBody):
    """List of keymaps, and below it the keys that the one under the cursor changes."""

    def __init__(self, files: Sequence[KeymapFile], in_use: str, palette: Palette) -> None:
        super().__init__("keymaps", palette)
        self.files = files
        self._in_use = in_use
        self.at = next((at for at, file in enumerate(files) if file.name == in_use), 0)

    @property
    def count(self) -> int:
        return len(self.files)

    @property
    def rows(self) -> int:
        return max(1, min(self.count, self.inner_height - 2))

    @property
    def chosen(self) -> KeymapFile:
        """Keymap under the cursor."""
        return self.files[self.at]

    @property
    def most_lines(self) -> int:
        """Number of lines for the list and the longest table of changed keys."""
        return self.count + 1 + max(len(_list_changed(file)) for file in self.files)

    def title_pieces(self) -> list[Piece]:
        return [("Keymaps", "title-focus")]

    def item(self, at: int) -> list[Piece]:
        file, here = self.files[at], at == self.at
        used = "in use" if file.name == self._in_use else ""
        return [
            ("▸ " if here else "  ", "accent"),
            (f"{file.name:<13}", "strong" if here else "text"),
            (f"{used:<8}", "good"),
            (file.about, "dim"),
        ]

    def build_lines(self) -> list[list[Piece]]:
        changed, room = _list_changed(self.chosen), self.inner_height - self.rows - 1
        words = f"{how_many(len(changed), 'key')} differ" if changed else "no key differs"
        shown = changed if len(changed) <= room else changed[: max(0, room - 1)]
        lines: list[list[Piece]] = [
            *super().build_lines(),
            [(f"  {self.chosen.name}: {words} from the standard ones", "dim")],
            *([(f"  {keys:<{_KEY_CELLS - 1}} ", "accent"), (title, "text")] for keys, title in shown),
        ]
        if len(shown) < len(changed):
            lines.append([(f"  and {len(changed) - len(shown)} more: ? lists all keys", "dim")])
        return lines


@lru_cache(maxsize=64)
def _lines_of(name: str, keys: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    changed = list_differences(KeymapFile(name=name, keys=dict(keys)))
    return tuple((" ".join(map(format_key, own)) or "no key", action.title) for action, own in changed)


def _list_changed(file: KeymapFile) -> tuple[tuple[str, str], ...]:
    """Return keys and title of each action to which a keymap assigns keys."""
    return _lines_of(file.name, tuple(file.keys.items()))


class KeymapScreen(SideList[KeymapList]):
    """Dialog with the keymaps."""

    scope = Scope.KEYMAPS
    beside = Beside.STATUS

    cells = 74

    def placements(self, size: Size) -> dict[str, Region]:
        return self.place(size, self.cells, self.body.most_lines + EDGES)
