"""All keys on one screen, from the action table."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.geometry import Region, Size
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget

from tui.workstation.actions import ACTIONS, GROUPS, shown_key, where
from tui.workstation.keymap import Keymap
from tui.workstation.palette import Palette, Piece
from tui.workstation.placed import Placing
from tui.workstation.strips import Frame

KEYS_WIDTH = 18
TITLE_WIDTH = 40

NOTES = (
    "Orders stay live at the venue if this program ends or dies; a cancel is needed to end them.",
    "VIEW sends nothing but the kill prompt's cancel-all. ARMED sends after preview and Enter.",
    "Enter never sends from a text field, and never answers a question: that is y.",
)


def help_lines(keymap: Keymap, here: str) -> list[list[Piece]]:
    """Every action, those of the present place marked."""
    rows: list[list[Piece]] = [[(" " + note, "text")] for note in NOTES]
    for group, title in GROUPS.items():
        rows += [[], [(f" {title}", "title")]]
        for action in ACTIONS:
            if action.group != group:
                continue
            keys = " ".join(shown_key(key) for key in keymap.of(action.id))
            mark = "▸" if here in action.scopes else " "
            rows.append(
                [
                    (mark, "accent"),
                    (f"{keys:<{KEYS_WIDTH}} "[: max(KEYS_WIDTH, len(keys)) + 1], "key"),
                    (f"{action.title:<{TITLE_WIDTH}}", "text"),
                    (" " + where(action), "faint"),
                    (f" · {action.why}" if action.why else "", "faint"),
                ]
            )
    return rows


class HelpBody(Widget, can_focus=True):
    """A long page that scrolls."""

    DEFAULT_CSS = "HelpBody { width: 1fr; height: 1fr; }"

    def __init__(self, lines: list[list[Piece]], palette: Palette) -> None:
        super().__init__(id="help")
        self._lines = lines
        self.palette = palette
        self._first = 0
        self._frame = Frame()

    def move(self, pages: int) -> None:
        """Scroll by most of a page."""
        step = max(1, self.size.height - 4)
        self._first = max(0, min(self._first + pages * step, len(self._lines) - self.size.height + 2))
        self.refresh()

    def on_mouse_scroll_down(self) -> None:
        self.move(1)

    def on_mouse_scroll_up(self) -> None:
        self.move(-1)

    def render_line(self, y: int) -> Strip:
        width, height = self.size.width, self.size.height
        if y == 0:
            shown = min(len(self._lines), self._first + height - 2)
            right: list[Piece] = [(f"{shown} of {len(self._lines)}", "dim")]
            return self._frame.title([("Keys", "title-focus")], width, self.palette, True, True, right)
        if y == height - 1:
            return self._frame.bottom(width, self.palette)
        at = self._first + y - 1
        return self._frame.inside(self._lines[at] if at < len(self._lines) else [], width, self.palette)


class HelpScreen(Placing, ModalScreen[None]):
    """Keys, over the desk; the status lines stay free."""

    DEFAULT_CSS = "HelpScreen { background: transparent; }"
    ESCAPE_TO_MINIMIZE = False

    def __init__(self, keymap: Keymap, here: str, palette: Palette, covered: int) -> None:
        super().__init__()
        self.body = HelpBody(help_lines(keymap, here), palette)
        self._covered = covered

    def compose(self) -> ComposeResult:
        yield self.body

    def on_mount(self) -> None:
        self.body.focus()

    def placements(self, size: Size) -> dict[str, Region]:
        width = min(size.width, 124)
        top = self._covered
        return {"help": Region((size.width - width) // 2, top, width, max(1, size.height - top))}
