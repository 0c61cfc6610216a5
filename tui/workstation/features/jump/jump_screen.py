"""Jump: a letter over each pane, tab and field; pressing it moves the focus there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from textual.app import ComposeResult
from textual.events import Key, Paste, Resize
from textual.geometry import Region, Size
from textual.strip import Strip

from tui.workstation.input.keymap import write_key
from tui.workstation.input.scopes import Scope
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece
from tui.workstation.render.strips import line
from tui.workstation.widgets.list_modal import BoxModal, ModalBody
from tui.workstation.widgets.list_screen import ListScreen
from tui.workstation.widgets.main_screen import MainScreen
from tui.workstation.widgets.tabs import TITLE_STARTS, tab_starts

LETTERS = "asdfghjklqwertyuiopzxcvbnm"
"""Letters in the order in which they are given away: the home row first."""
CELLS = 3
"""Width of a label."""


class JumpTarget(NamedTuple):
    """Place on the screen to which a jump letter moves the focus."""

    name: str
    """Id of the pane or field."""
    x: int
    y: int
    go: Callable[[], object]
    """Move the focus there."""
    title: str = ""
    """Shown behind the letter where nothing beside it says what it is."""

    @property
    def cells(self) -> int:
        """Width of the label."""
        return CELLS + (len(self.title) + 1 if self.title else 0)


def find_targets(screen: ListScreen) -> list[JumpTarget]:
    """List what can be jumped to on a screen: fields of an open ticket, shown panes, and tabs of hidden ones."""
    if not isinstance(screen, MainScreen):
        shown = [box for box in screen.boxes.values() if box.display]
        return [JumpTarget(box.pane.id, box.region.x, box.region.y, partial(screen.set_focus, box)) for box in shown]
    targets = []
    if screen.panel.open and screen.panel.display:
        targets += [
            JumpTarget(str(stop.id), stop.region.x, stop.region.y, partial(screen.set_focus, stop))
            for stop in screen.panel.stops()
        ]
    shown_panes = screen.visible_panes()
    for name, box in screen.boxes.items():
        if name not in shown_panes:
            continue
        x, y, _, _ = box.region
        targets.append(JumpTarget(name, x, y, partial(screen.show_pane, name)))
        starts = tab_starts(screen.tabs(box))
        away = [pane for pane in screen.panes_in_title(box) if pane.id != name]
        for line_no, pane in enumerate((pane for pane in away if starts.get(pane.id, 0) < CELLS), start=1):
            # Its tab had no room, or it is the first: its name stands below the title.
            width = CELLS + len(pane.title) + 1
            targets.append(
                JumpTarget(
                    pane.id, box.region.right - width - 1, y + line_no, partial(screen.show_pane, pane.id), pane.title
                )
            )
        # The label of any other stands on the separator before its tab.
        targets += [
            JumpTarget(pane.id, x + TITLE_STARTS + starts[pane.id] - CELLS, y, partial(screen.show_pane, pane.id))
            for pane in away
            if starts.get(pane.id, 0) >= CELLS
        ]
    return targets


class JumpLabel(ModalBody):
    """Letter over a jump target."""

    def __init__(self, letter: str, title: str, palette: Palette) -> None:
        super().__init__(f"jump-{letter}", palette)
        self.letter, self.title = letter, title

    def title_pieces(self) -> list[Piece]:
        return [(f" {self.letter} ", "badge"), (f"{self.title} ", "text")]

    def build_lines(self) -> list[list[Piece]]:
        return [self.title_pieces()]

    def render_line(self, y: int) -> Strip:
        return line(self.title_pieces() if y == 0 else [], self.size.width, self.palette)


class JumpScreen(BoxModal[JumpLabel, None]):
    """Overlay with a letter on each jump target of the screen below."""

    scope = Scope.JUMP

    def __init__(self, targets: Sequence[JumpTarget], palette: Palette, ended: Callable[[str], None]) -> None:
        """Show a label over each target; `ended` is called once the labels are gone, with a key that is on none."""
        self._ended = ended
        self.targets = dict(zip(LETTERS, targets, strict=False))
        self._labels = {letter: JumpLabel(letter, target.title, palette) for letter, target in self.targets.items()}
        super().__init__(next(iter(self._labels.values())))
        self._opened_at: Size | None = None

    def compose(self) -> ComposeResult:
        yield from self._labels.values()

    def placements(self, size: Size) -> dict[str, Region]:
        del size
        return {
            f"jump-{letter}": Region(target.x, target.y, target.cells, 1) for letter, target in self.targets.items()
        }

    def on_key(self, event: Key) -> None:
        """Go to the target of a letter; any other key ends the jump, and one with a letter or digit is reported."""
        event.stop()
        target = self.targets.get(event.character or "")
        self.dismiss(None)
        if target is not None:
            target.go()
        self._ended(write_key(event) if target is None and event.is_printable else "")

    def on_paste(self, event: Paste) -> None:
        event.stop()

    def on_resize(self, event: Resize) -> None:
        """End the jump when the terminal is resized, because the targets have moved."""
        if self._opened_at not in (None, event.size):
            self.dismiss(None)
            self._ended("")
        self._opened_at = event.size
