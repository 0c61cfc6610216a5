"""The palette: a few letters find every screen, pane, action and pair; each line says its key, or why it cannot be done."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from textual.geometry import Region, Size

from tui.interface.text import clean
from tui.workstation.input.actions import Reach
from tui.workstation.input.line_editor import LineEditor
from tui.workstation.input.scopes import Scope
from tui.workstation.input.search import OTHER_WORD, Hit, SearchableTitle, find
from tui.workstation.render.palette import Palette, Piece
from tui.workstation.render.placement import Beside
from tui.workstation.render.text import cut, width
from tui.workstation.widgets.list_modal import LEAST_LINES, BoxModal, ListBody

MOST_TYPED = 60
MOST_SHOWN = 300
"""Lines found that are kept; more letters find the others."""
WIDEST = 110
KEY_CELLS, GROUP_CELLS = 10, 8
MOST_LINES = 20
"""Height of the box where the screen has more."""
OWN_LINES = 2
"""Lines of the box that are no entries: what is typed, and what is said of the line under the cursor."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """Something that can be found."""

    id: str
    title: str
    group: str
    keys: str
    """As people write them; empty: it has none."""
    searched: SearchableTitle
    reason: Callable[[], str]
    """Why it cannot be done now, or an empty text."""
    about: Callable[[], str]
    """What doing it means now."""
    do: Callable[[], None]
    reach: Reach = Reach.NONE
    """How much is lost where it was not the one meant."""
    reachable: bool = True
    """Whether there was a place for it when the list was opened; what is not reachable is found last."""
    names_pair: bool = False
    """Whether it goes to the pair that its title names."""


class PaletteList(ListBody):
    """What is typed, what it finds, and what is said of the line under the cursor.

    Which lines there are, and their order, changes with the typed letters alone: no row that arrives puts another line
    under the cursor. Only the reasons follow the rows.
    """

    def __init__(self, entries: Sequence[Entry], recent: Sequence[str], palette: Palette) -> None:
        """
        Args:
            entries: Everything, in the order in which it stands while nothing is typed.
            recent: Ids of what was used before, the newest first.
            palette: Colours.
        """
        super().__init__("palette", palette)
        self._line = LineEditor(most=MOST_TYPED)
        self._entries = entries
        self._names = {word for entry in entries if entry.names_pair for word in _list_words(entry)}
        """Coins, venues and kinds of pairs: a typed one is what an action would be about."""
        self._verbs = {word for entry in entries if not entry.names_pair for word in _list_words(entry)}
        self._recent = {name: at for at, name in enumerate(recent)}
        self._standing = [0 if not entry.reason() else 1 if entry.reachable else 2 for entry in entries]
        self.found: list[Entry] = []
        self._drawn: list[str] = []
        self._search()

    @property
    def count(self) -> int:
        return len(self.found)

    @property
    def rows(self) -> int:
        return max(1, self.inner_height - OWN_LINES)

    @property
    def chosen(self) -> Entry | None:
        """The entry under the cursor."""
        return self.found[self.at] if self.found else None

    @property
    def editor(self) -> LineEditor:
        """What is searched for."""
        return self._line

    @property
    def typed(self) -> str:
        """The letters that are typed."""
        return self._line.text

    def handle_edit(self) -> None:
        """Search again; the cursor goes to what is found best."""
        self.at = 0
        self._search()
        self.refresh()

    def _search(self) -> None:
        """Put the best hit first, and of hits that are as good the one that does the least where it was not meant.

        What belongs to a place that cannot be reached, such as another dialog, stands behind all words that can be; then
        goes what was used last, then what could be done when the list was opened. While nothing is typed, nothing is a
        match for a word and what was used last goes before all.
        """
        typed = bool(self.typed.strip())
        hits = []
        for at, entry in enumerate(self._entries):
            hit = self._find(entry)
            if hit is not None:
                away, reach = (not entry.reachable, entry.reach) if typed else (False, Reach.NONE)
                recent = self._recent.get(entry.id, len(self._recent))
                loose = hit.worst > OTHER_WORD
                hits.append(((loose, away, hit.worst, reach, recent, self._standing[at], hit, at), entry))
        hits.sort(key=lambda found: found[0])
        self.found = [entry for _, entry in hits[:MOST_SHOWN]]

    def _find(self, entry: Entry) -> Hit | None:
        """How an entry is found. Where a coin, a venue or a kind is typed, only what is about it is: an action would
        take the row under the cursor, whatever is typed, so `sell eth` goes to the pairs of ETH."""
        typed = self.typed.casefold().split()
        named = [word for word in typed if word in self._names]
        if not all(entry.searched.has_word(word) for word in named):
            return None
        if not named or not entry.names_pair:
            return find(self.typed, entry.searched)
        verbs = [word for word in typed if find(word, entry.searched) is None]
        if not all(any(known.startswith(word) for known in self._verbs) for word in verbs):
            return None
        return find(" ".join(word for word in typed if word not in verbs), entry.searched)

    def follow(self) -> None:
        """Draw again when another reason stands beside a line."""
        now = self._describe_entry()
        if now != self._drawn:
            self._drawn = now
            self.refresh()

    def _describe_entry(self) -> list[str]:
        chosen = self.chosen
        shown = self.found[self._first : self._first + self.rows]
        return [*(entry.reason() for entry in shown), chosen.about() if chosen is not None else ""]

    def title_pieces(self) -> list[Piece]:
        return [("Find a screen, a pane, an action or a pair", "title-focus")]

    def title_end(self) -> list[Piece]:
        return [(f"{self.count} of {len(self._entries)}", "dim")]

    def line(self, y: int) -> list[Piece]:
        if y == 0:
            before, after = self.typed[: self._line.at], self.typed[self._line.at :]
            return [(" > ", "accent"), (before, "strong"), ("_", "title-focus"), (after, "strong")]
        if y == self.inner_height - 1 and self.inner_height > OWN_LINES:
            return self._last_line()
        return super().line(y - 1)

    def _last_line(self) -> list[Piece]:
        entry = self.chosen
        if entry is None:
            return [(f" nothing found for {self.typed!r}: try another word, or ? for all keys", "warn")]
        reason = entry.reason()
        return [(f" not now: {reason}", "warn")] if reason else [(f" {entry.about()}", "dim")]

    def item(self, at: int) -> list[Piece]:
        entry, inside = self.found[at], self.size.width - 2
        reason = entry.reason()
        pointer = "▸ " if at == self.at else "  "
        room = max(8, inside - len(pointer) - KEY_CELLS - GROUP_CELLS - 1)
        title = cut(clean(entry.title), room - 1)
        left = room - width(title)
        why = cut(reason, left - 4) if reason and left > 8 else ""
        role = "dim" if reason else "strong" if at == self.at else "text"
        gap = " " * (left - (width(why) + 3 if why else 0))
        return [
            (pointer, "accent"),
            (title, role),
            (f" – {why}" if why else "", "faint"),
            (gap, "text"),
            (f"{cut(entry.group, GROUP_CELLS):<{GROUP_CELLS}} ", "dim"),
            (cut(entry.keys, KEY_CELLS), "dim" if reason else "key"),
        ]


def _list_words(entry: Entry) -> tuple[str, ...]:
    return *entry.searched.words, *entry.searched.others


class PaletteScreen(BoxModal[PaletteList, None]):
    """Below the status, at the right; bid and ask of the pair, events and keys stay in sight."""

    scope = Scope.PALETTE
    beside = Beside.STATUS

    def placements(self, size: Size) -> dict[str, Region]:
        lines = min(MOST_LINES, max(14, size.height // 2))
        return self.place(size, min(WIDEST, size.width), LEAST_LINES, wanted=lines)

    def follow(self) -> None:
        self.body.follow()
