"""Help pages: all keys from the action table, and cards with everything about one row."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events
from textual.geometry import Region, Size

from tui.interface.text import clean
from tui.workstation.input.action import Action
from tui.workstation.input.actions import ACTIONS, GROUPS, format_key
from tui.workstation.input.key_table import list_scopes
from tui.workstation.input.keymap import Keymap
from tui.workstation.input.scopes import Scope
from tui.workstation.model.display_context import name_keys
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece, pieces_width
from tui.workstation.render.text import wrap
from tui.workstation.widgets.list_modal import EDGES, LEAST_LINES, BoxModal, ModalBody

KEYS_WIDTH = 19
TITLE_WIDTH = 44
MAX_TEXT = 2000

NOTES = (
    "Orders stay live at the venue when this program ends or crashes, unless they are cancelled.",
    "VIEW sends only what is confirmed in the kill prompt. ARMED sends orders after preview and Enter.",
    "HOT (:hot 60s) sends by one key without a preview: ⟦stage.take_buy⟧ or ⟦stage.take_sell⟧, on a position "
    "⟦position.flatten⟧ or ⟦position.part⟧ or ⟦position.exit⟧. Esc twice ends it (as does ⟦state.arm⟧).",
    "Enter sends a staged order, also from its size field, but from no other field.",
    "Questions are answered by y; Enter confirms only in the kill prompt and after a typed word.",
)


OWN_SCOPES = 5
"""Number of scopes up to which an action belongs to the places where it works."""


def help_lines(
    keymap: Keymap, here: str, cells: int = 1000, *, place: str = "", actions: Sequence[Action] = ()
) -> list[list[Piece]]:
    """Build the lines of the help page: first the actions given for a place, then notes and all actions by group.

    Args:
        keymap: Keys by action.
        here: Scope whose actions are marked.
        cells: Width.
        place: Name of the place that comes first.
        actions: Actions that work in that place, the most important first.
    """
    rows: list[list[Piece]] = [[(f" {place}", "title")]] if place else []
    own = [action for action in actions if len(action.scopes) <= OWN_SCOPES]
    for action in (*own, *(action for action in actions if action.hint and action not in own)):
        rows += _action_lines(action, keymap, " ", "", cells)
    rows += [[]] * bool(rows)
    notes = (name_keys(note, keymap.key_of) for note in NOTES)
    rows += [[(" " + text, "text")] for note in notes for text in wrap(note, cells - 2)]
    for group, name in GROUPS.items():
        rows += [[], [(f" {name}", "title")]]
        for action in ACTIONS:
            if action.group == group:
                about = list_scopes(action) + (f" · {action.why}" if action.why else "")
                rows += _action_lines(action, keymap, "▸" if here in action.scopes else " ", about, cells)
    return [*rows, *sign_lines(cells)]


def _action_lines(action: Action, keymap: Keymap, mark: str, about: str, cells: int) -> list[list[Piece]]:
    """Build the help lines of an action: mark, keys, title, and a description after or below it."""
    keys = " ".join(format_key(key) for key in keymap.of(action.id))
    first: list[Piece] = [(mark, "accent"), (f"{keys:<{KEYS_WIDTH}} ", "key")]
    used = pieces_width(first)
    if used + max(TITLE_WIDTH, len(action.title)) + 1 + len(about) < cells:
        return [[*first, (f"{action.title:<{TITLE_WIDTH}}", "text"), (f" {about}", "faint")]]
    below = 3 if used + len(action.title) >= cells else used
    if below == 3:
        title = wrap(action.title, cells - below - 1)
        rows: list[list[Piece]] = [first, *([(" " * below, "text"), (part, "text")] for part in title)]
    else:
        rows = [[*first, (action.title, "text")]]
    return rows + [[(" " * below, "text"), (text, "faint")] for text in wrap(about, cells - below - 1) if text]


def sign_lines(cells: int) -> list[list[Piece]]:
    """Build the lines that explain the signs used in lists."""
    from tui.workstation.widgets.signs import SIGNS

    rows: list[list[Piece]] = [[], [(" Signs", "title")]]
    for sign in SIGNS:
        first: Piece = (f" {sign.sign:<{KEYS_WIDTH}} ", "key")
        for count, text in enumerate(wrap(f"{sign.means} ({sign.where})", max(1, cells - KEYS_WIDTH - 3))):
            rows.append([first if not count else (" " * (KEYS_WIDTH + 2), "text"), (text, "text")])
    return rows


Lines = Callable[[int], list[list[Piece]]]
"""Build the lines of a page for a width in cells."""


def card_lines(facts: list[tuple[str, str]], cells: int) -> list[list[Piece]]:
    """Build the lines of a card: names and texts, wrapped and never cut."""
    widest = max((len(name) for name, _ in facts), default=0) + 2
    rows: list[list[Piece]] = []
    for name, text in facts:
        for count, part in enumerate(wrap(clean(text, MAX_TEXT), cells - widest - 2)):
            rows.append([(f" {name if not count else '':<{widest}}", "dim"), (part, "text")])
    return rows


class HelpBody(ModalBody):
    """Page of text that scrolls."""

    def __init__(self, title: str, lines: Lines, palette: Palette) -> None:
        super().__init__("help", palette)
        self._title = title
        self._build = lines
        self._lines: list[list[Piece]] = []
        self._first = 0

    def on_resize(self, event: events.Resize) -> None:
        self._lines = self._build(event.size.width - 2)
        self.move(0)

    def follow(self) -> None:
        """Rebuild the lines if their content has changed."""
        fresh = self._build(self.size.width - 2) if self.size.width > 2 else self._lines
        if fresh != self._lines:
            self._lines = fresh
            self.move(0)

    def move(self, by: int) -> None:
        """Scroll by most of a page."""
        step = max(1, self.size.height - 4)
        last = max(0, len(self._lines) - self.size.height + 2)
        self._first = max(0, min(self._first + by * step, last))
        self.refresh()

    def on_mouse_scroll_down(self) -> None:
        self.move(1)

    def on_mouse_scroll_up(self) -> None:
        self.move(-1)

    def title_pieces(self) -> list[Piece]:
        return [(self._title, "title-focus")]

    def title_end(self) -> list[Piece]:
        height = self.size.height - EDGES
        shown = min(len(self._lines), self._first + height)
        return [(f"{shown} of {len(self._lines)}" if len(self._lines) > height else "Esc closes", "dim")]

    def build_lines(self) -> list[list[Piece]]:
        return self._lines[self._first : self._first + self.inner_height]


class HelpScreen(BoxModal[HelpBody, None]):
    """Help page or card over the panes; the status lines stay visible."""

    scope = Scope.HELP

    def __init__(self, title: str, lines: Lines, palette: Palette, name: str, *, whole: bool = True) -> None:
        super().__init__(HelpBody(title, lines, palette))
        self._place_name = name
        """What it is, in a word, before the keys of the last line."""
        self._lines = lines
        self._whole = whole
        """Whether it takes the full height."""
        self.spares_events = not whole
        self.is_card = not whole
        """Whether it shows one row; then a key for that row closes it and acts."""

    @property
    def place_name(self) -> str:
        return self._place_name

    def follow(self) -> None:
        self.body.follow()

    def placements(self, size: Size) -> dict[str, Region]:
        if not self._whole:
            return self.place(size, size.width, len(self._lines(size.width - 2)) + EDGES)
        top = min(self.surroundings.status, max(0, size.height - LEAST_LINES))
        return {"help": Region(0, top, size.width, max(1, size.height - top))}
