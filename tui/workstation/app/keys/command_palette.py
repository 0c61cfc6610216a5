"""Command palette: search for screens, panes, actions and pairs; shows each one's key, or why it cannot run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from textual.geometry import Region, Size

from tui.interface.text import clean
from tui.workstation.input.action import Reach
from tui.workstation.input.line_editor import LineEditor
from tui.workstation.input.scopes import Scope
from tui.workstation.input.search import OTHER_WORD, Hit, SearchableTitle, match_query, split_query
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece
from tui.workstation.render.text import cut, width
from tui.workstation.widgets.list_modal import LEAST_LINES, BoxModal, ListBody
from tui.workstation.widgets.question import Beside

MOST_TYPED = 60
MOST_SHOWN = 400
"""Most results kept."""
WIDEST = 110
KEY_CELLS, GROUP_CELLS = 10, 8
MOST_LINES = 20
"""Highest box."""
OWN_LINES = 2
"""Lines of the box besides entries: the query, and the description of the selected line."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """Entry of the command palette."""

    id: str
    title: str
    group: str
    keys: str
    """Keys as people write them; empty: none."""
    index: SearchableTitle
    reason: Callable[[], str]
    """Return why the action cannot run now, or an empty text."""
    about: Callable[[], str]
    """Return what the action would do now."""
    do: Callable[[], None]
    reach: Reach = Reach.NONE
    """Size of the loss when it is started by mistake."""
    reachable: bool = True
    """Whether its scope was reachable when the palette opened; others are listed last."""
    names_pair: bool = False
    """Whether it goes to the pair in its title."""


class PaletteList(ListBody):
    """Body of the command palette: query line, results, and description of the selected result.

    Results and their order change only with the query, so no arriving row moves another line under the cursor. Only the
    reasons follow the rows.
    """

    def __init__(self, entries: Sequence[Entry], recent: Sequence[str], palette: Palette) -> None:
        """Start with an empty query.

        Args:
            entries: All entries in their order without a query.
            recent: Ids of recently used entries, newest first.
            palette: Colours.
        """
        super().__init__("palette", palette)
        self._line = LineEditor(most=MOST_TYPED)
        self._entries = entries
        self._names = {word for entry in entries if entry.names_pair for word in _list_search_terms(entry)}
        """Coins, venues and kinds of pairs; a query with one of them is about pairs."""
        self._verbs = {word for entry in entries if not entry.names_pair for word in _list_search_terms(entry)}
        self._recent = {name: at for at, name in enumerate(recent)}
        self._standing = [0 if not entry.reason() else 1 if entry.reachable else 2 for entry in entries]
        self.matches: list[Entry] = []
        self._drawn: list[str] = []
        self._search()

    @property
    def count(self) -> int:
        return len(self.matches)

    @property
    def head_lines(self) -> int:
        return 1

    @property
    def rows(self) -> int:
        return max(1, self.inner_height - OWN_LINES)

    @property
    def chosen(self) -> Entry | None:
        """Selected entry."""
        return self.matches[self.at] if self.matches else None

    @property
    def editor(self) -> LineEditor:
        """Query line."""
        return self._line

    @property
    def typed(self) -> str:
        """Query text."""
        return self._line.text

    def handle_edit(self) -> None:
        """Search again after the query changed, and select the best match."""
        self.at = 0
        self._search()
        self.refresh()

    def _search(self) -> None:
        """Find and rank the entries that match the query.

        Order: exact before loose matches, reachable before unreachable entries, better matches, smaller loss by
        mistake,
        recently used, available when the palette opened. Without a query only recent use and availability count.
        """
        typed = split_query(self.typed)
        named = [word for word in typed if word in self._names]
        hits = []
        for at, entry in enumerate(self._entries):
            hit = self._find(entry, typed, named)
            if hit is not None:
                away, reach = (not entry.reachable, entry.reach) if typed else (False, Reach.NONE)
                recent = self._recent.get(entry.id, len(self._recent))
                loose = hit.worst > OTHER_WORD
                hits.append(((loose, away, hit.worst, reach, recent, self._standing[at], hit, at), entry))
        hits.sort(key=lambda matches: matches[0])
        self.matches = [entry for _, entry in hits[:MOST_SHOWN]]

    def _find(self, entry: Entry, typed: Sequence[str], named: Sequence[str]) -> Hit | None:
        """Match an entry with the query; return the match quality, or None.

        Args:
            entry: Entry.
            typed: Words of the query.
            named: Those of them that are a coin, venue or instrument kind: each must be a whole word of the entry.
        """
        for word in named:
            if not entry.index.has_word(word):
                return None
        if not named or not entry.names_pair:
            return match_query(typed, entry.index)
        verbs = [word for word in typed if match_query([word], entry.index) is None]
        if not all(any(known.startswith(word) for known in self._verbs) for word in verbs):
            return None
        hit = match_query([word for word in typed if word not in verbs], entry.index)
        # A pair found without some of the words stands behind an entry that has them all.
        return hit and Hit(hit.worst, hit.all_kinds + OTHER_WORD * len(verbs), hit.span)

    def follow(self) -> None:
        """Redraw if the description of the selected entry changed."""
        now = self._describe_entry()
        if now != self._drawn:
            self._drawn = now
            self.refresh()

    def _describe_entry(self) -> list[str]:
        chosen = self.chosen
        shown = self.matches[self._first : self._first + self.rows]
        return [*(entry.reason() for entry in shown), chosen.about() if chosen is not None else ""]

    def title_pieces(self) -> list[Piece]:
        return [("Find a screen, a pane, an action or a pair", "title-focus")]

    def title_end(self) -> list[Piece]:
        return [(f"{self.count} of {len(self._entries)}", "dim")]

    def build_lines(self) -> list[list[Piece]]:
        before, after = self.typed[: self._line.at], self.typed[self._line.at :]
        query: list[Piece] = [(" > ", "accent"), (before, "strong"), ("_", "title-focus"), (after, "strong")]
        return [query, *super().build_lines(), self._last_line()]

    def _last_line(self) -> list[Piece]:
        entry = self.chosen
        if entry is None:
            return [(f" nothing found for {self.typed!r}: try another word, or ? for all keys", "warn")]
        reason = entry.reason()
        return [(f" not now: {reason}", "warn")] if reason else [(f" {entry.about()}", "dim")]

    def item(self, at: int) -> list[Piece]:
        entry, inside = self.matches[at], self.size.width - 2
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


def _list_search_terms(entry: Entry) -> tuple[str, ...]:
    return *entry.index.words, *entry.index.others


class PaletteScreen(BoxModal[PaletteList, None]):
    """Command palette at the right below the status lines, where it covers no bid, ask, events or key hints."""

    scope = Scope.PALETTE
    beside = Beside.STATUS

    def placements(self, size: Size) -> dict[str, Region]:
        lines = min(MOST_LINES, max(14, size.height // 2))
        return self.place(size, min(WIDEST, size.width), LEAST_LINES, wanted=lines)

    def follow(self) -> None:
        self.body.follow()
