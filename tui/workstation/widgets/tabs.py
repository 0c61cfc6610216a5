"""Title lines of panes: names, clickable tabs in a fixed order, warnings about doubtful rows, and what is arranged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

import msgspec

from tui.engine.status_rows import EngineStatusRow
from tui.interface.text import clean
from tui.workstation.model import number_format
from tui.workstation.model.mirror import Mirror
from tui.workstation.render.pieces import Piece, pieces_width
from tui.workstation.render.text import cut
from tui.workstation.table.pane import AnyPane
from tui.workstation.table.pane_box import PaneBox
from tui.workstation.widgets.status_bar import account_status

BETWEEN: Piece = (" │ ", "frame")
CLOSE: Piece = ("│", "frame")
"""Narrow separator, where full names would not fit otherwise."""
TITLE_STARTS = 2
"""Cells of the frame before the text of a title line."""
ERROR_CELLS = 40
FILTER_CELLS = 24
"""Cells of the filter shown in a title."""
SHORT_NAME = 3
"""Letters of a hidden pane's tab where its name does not fit."""


class AlarmForm(Enum):
    """Form of an error text in a title, from the longest to the shortest."""

    WHOLE = "whole"
    SUBJECT = "subject"
    """What failed, without the reason."""
    SIGN = "sign"


class Tab(msgspec.Struct, frozen=True):
    """Tab for one pane, or one view, in a title line."""

    pane: str
    pieces: list[Piece]
    before: Piece = BETWEEN
    """Separator to the tab on its left."""


def tabs_of(panes: Sequence[AnyPane], shown: AnyPane, role: str, room: int) -> list[Tab]:
    """Return the tabs of panes in their order, in the longest form that fits; if none fits, the farthest are dropped.

    Args:
        panes: Panes of the place.
        shown: Pane on the screen; its name is never cut.
        role: Colour role of its name.
        room: Width of the title line, cells.
    """
    left: list[Tab] = []
    for left in _forms(panes, shown, role):
        if pieces_width(join_tabs(left)) <= room:
            return left
    while len(left) > 1 and pieces_width(join_tabs(left)) > room:
        left = _drop_farthest(left, shown.id)
    return left


def _forms(panes: Sequence[AnyPane], shown: AnyPane, role: str) -> Iterator[list[Tab]]:
    """Yield the tabs of all panes in shorter and shorter forms."""

    def form(
        text: str, *, counts: bool = False, at_risk: bool = False, short: bool = False, before: Piece = BETWEEN
    ) -> list[Tab]:
        return [
            _tab(
                pane,
                role,
                text,
                shown=pane is shown,
                counts=counts or (at_risk and pane.at_risk),
                short=short,
                before=before,
            )
            for pane in panes
        ]

    yield form(shown.title_long, counts=True)
    yield form(shown.title_long, at_risk=True)
    yield form(shown.title_short, counts=True)
    yield form(shown.title_short, at_risk=True)
    yield form(shown.title_short, at_risk=True, before=CLOSE)
    # What is live counts more than the names of tabs far from the shown one.
    yield (fewer := _drop_farthest(form(shown.title_short, at_risk=True, before=CLOSE), shown.id))
    yield _drop_farthest(fewer, shown.id)
    yield (close := form(shown.title_short, before=CLOSE))
    # One tab less is easier to read than all names cut.
    yield _drop_farthest(close, shown.id)
    yield form(shown.title_short, short=True)


def name_of(pane: AnyPane, letters: int | None = None) -> str:
    """Return a pane's number and title as its tab shows them; of the title at most `letters` letters."""
    title = pane.title[:letters]
    return f"{pane.number} {title}" if pane.number else title


def _drop_farthest(tabs: list[Tab], shown: str) -> list[Tab]:
    """Return the tabs without the first or last, whichever is farther from the shown one."""
    at = next(index for index, tab in enumerate(tabs) if tab.pane == shown)
    return tabs[1:] if at > len(tabs) - 1 - at else tabs[:-1]


def _tab(pane: AnyPane, role: str, text: str, *, shown: bool, counts: bool, short: bool, before: Piece) -> Tab:
    name = name_of(pane) if shown or not short else name_of(pane, SHORT_NAME)
    if shown:
        return Tab(pane.id, [(f"{name} {text}", role)], before)
    return Tab(pane.id, [(name, "dim"), *([(f" {pane.title_short}", "faint")] if counts else [])], before)


def join_tabs(tabs: Sequence[Tab]) -> list[Piece]:
    """Join the pieces of all tabs, with their separators, for a title line."""
    pieces: list[Piece] = []
    for tab in tabs:
        pieces += [tab.before, *tab.pieces] if pieces else tab.pieces
    return pieces


def tab_at(tabs: Sequence[Tab], x: int) -> str:
    """Return the id of the pane whose tab covers a cell of the line, or an empty text.

    Args:
        tabs: Tabs as drawn.
        x: Cells from the first tab.
    """
    starts = tab_starts(tabs)
    return next((tab.pane for tab in tabs if 0 <= x - starts[tab.pane] < pieces_width(tab.pieces)), "")


def tab_starts(tabs: Sequence[Tab]) -> dict[str, int]:
    """Return the cell at which each tab starts in the line, by the id of its pane."""
    starts, end = {}, 0
    for at, tab in enumerate(tabs):
        starts[tab.pane] = end + (pieces_width([tab.before]) if at else 0)
        end = starts[tab.pane] + pieces_width(tab.pieces)
    return starts


def alarms_of(mirror: Mirror, pane: AnyPane, form: AlarmForm = AlarmForm.WHOLE) -> list[Piece]:
    """Return warnings about doubtful rows of a pane, and about an account whose status is not NORMAL."""
    engine_status = mirror.engine_status
    if pane.id == "events" or engine_status is None:
        return []
    word, role = account_status(mirror)
    account: list[Piece] = [(f" · {word}", role)] if role not in ("dim", "faint") and pane.id != "risk" else []
    return [*_row_warnings(mirror, pane, engine_status, form), *account]


def _row_warnings(mirror: Mirror, pane: AnyPane, engine_status: EngineStatusRow, form: AlarmForm) -> list[Piece]:
    name = "public" if pane.id == "quotes" else "private"
    link = mirror.links.get(name)
    if mirror.synced_once and not mirror.proven(name) and link is not None:
        silent = mirror.silent_for(name)
        if pane.id == "quotes" or not link.is_logged_in:
            return [(f" · STALE {number_format.whole_age(silent)}", "stale")]
    if pane.id == "quotes":
        return []
    if not engine_status.synced and mirror.synced_once:
        return [(" · RECONCILING", "warn")]
    if link is not None and link.error and pane.id in ("orders", "positions"):
        error = clean(link.error)
        texts = {AlarmForm.WHOLE: error, AlarmForm.SUBJECT: error.partition(": ")[0], AlarmForm.SIGN: ""}
        return [(f" · ! {cut(texts[form], ERROR_CELLS)}".rstrip(), "alert")]
    return []


def build_title(box: PaneBox, tabs: Sequence[Tab], *, shares: bool) -> list[Piece]:
    """Build the title line of a pane on the main screen: the tabs, or without tabs the pane's own title.

    Args:
        box: Widget of the pane.
        tabs: Tabs of its place.
        shares: Whether other panes share its place, though it is shown alone.
    """
    if tabs:
        return [*join_tabs(tabs), *arrangement(box)]
    pane = box.pane
    name = name_of(pane), title_role(box)
    back: list[Piece] = [(" · [0] back", "faint")] if shares else []
    # Warnings come first: without room the last pieces are left out.
    alarms = alarms_of(pane.view.mirror, pane)
    return [name, *alarms, *arrangement(box), (" ─ ", "frame"), *pane.title_counts, *back]


def build_tabs(box: PaneBox, panes: Sequence[AnyPane]) -> list[Tab]:
    """Build the tabs of panes that share an area; the tab of the shown pane includes its warnings.

    The words of an error are left out where they would cut or hide the name of a tab.
    """
    room = box.title_room - pieces_width(arrangement(box))
    for form in AlarmForm:
        alarms = alarms_of(box.pane.view.mirror, box.pane, form)
        tabs = tabs_of(panes, box.pane, title_role(box), room - pieces_width(alarms))
        if _names_all(tabs, panes):
            break
    return [
        msgspec.structs.replace(tab, pieces=[*tab.pieces, *alarms]) if tab.pane == box.pane.id else tab for tab in tabs
    ]


def _names_all(tabs: Sequence[Tab], panes: Sequence[AnyPane]) -> bool:
    """Return whether every pane has a tab that shows its whole name."""
    texts = {tab.pane: tab.pieces[0][0] for tab in tabs}
    return all(texts.get(pane.id, "").startswith(name_of(pane)) for pane in panes)


def title_role(box: PaneBox) -> str:
    """Return the colour role of a pane's name."""
    return "title-focus" if box.has_focus else "title"


def arrangement(box: PaneBox) -> list[Piece]:
    """Build the title texts that tell how a pane differs from its default: frozen, view, sorting, filter, marks."""
    pane = box.pane
    pieces: list[Piece] = []
    if pane.view.frozen:
        pieces.append((f" · frozen {number_format.whole_age(pane.view.frozen_for)}", "warn"))
    if pane.view_at and not pane.names_views:
        pieces.append((f" · {pane.views[pane.view_at]}", "accent"))
    if pane.sorting is not None:
        pieces.append((f" · {pane.sorting.title} {'↓' if pane.sorting.descending else '↑'}", "accent"))
    if pane.filter.terms:
        hidden = pane.hidden()
        pieces.append((f" · /{cut(clean(pane.filter.text), FILTER_CELLS)}", "accent"))
        if hidden or pane.filtered_out:
            pieces.append(
                (f" {hidden} hidden" if hidden else f" {pane.filtered_out} hidden", "warn" if hidden else "dim")
            )
    if box.mark_count:
        pieces.append((f" · {box.mark_count} marked", "accent"))
    return pieces
