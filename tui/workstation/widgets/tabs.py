"""Title lines of panes: clickable tabs in a fixed order, and warnings about doubtful rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from tui.engine.status_rows import EngineStatusRow
from tui.interface.text import clean
from tui.workstation.model import number_format
from tui.workstation.model.mirror import Mirror
from tui.workstation.render.pieces import Piece, pieces_width
from tui.workstation.render.text import cut
from tui.workstation.table.pane import AnyPane
from tui.workstation.widgets.status_bar import account_status

BETWEEN: Piece = (" │ ", "frame")
CLOSE: Piece = ("│", "frame")
"""Narrow separator, where full names would not fit otherwise."""
TITLE_STARTS = 2
"""Cells of the frame before the text of a title line."""
ERROR_CELLS = 40
SHORT_NAME = 3
"""Letters of a hidden pane's tab where its name does not fit."""


class Tab(msgspec.Struct, frozen=True):
    """Tab for one pane, or one view, in a title line."""

    pane: str
    pieces: list[Piece]
    before: Piece = BETWEEN
    """Separator to the tab on its left."""


def tabs_of(panes: Sequence[AnyPane], shown: AnyPane, role: str, room: int) -> list[Tab]:
    """Return the tabs in their order, in the longest form that fits.

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
    """Yield the tabs in shorter and shorter forms."""

    def form(text: str, *, counts: bool = False, short: bool = False, before: Piece = BETWEEN) -> list[Tab]:
        return [_tab(pane, pane is shown, role, text, counts=counts, short=short, before=before) for pane in panes]

    yield form(shown.long(), counts=True)
    yield form(shown.long())
    yield form(shown.short(), counts=True)
    yield form(shown.short())
    yield (close := form(shown.short(), before=CLOSE))
    # One tab less is easier to read than all names cut.
    yield _drop_farthest(close, shown.id)
    yield form(shown.short(), short=True)


def _drop_farthest(tabs: list[Tab], shown: str) -> list[Tab]:
    """Leave out the tab farthest from the shown one, so that the order stays."""
    at = next(index for index, tab in enumerate(tabs) if tab.pane == shown)
    return tabs[1:] if at > len(tabs) - 1 - at else tabs[:-1]


def _tab(pane: AnyPane, shown: bool, role: str, text: str, *, counts: bool, short: bool, before: Piece) -> Tab:
    title = pane.title if shown or not short else pane.title[:SHORT_NAME]
    name = f"{pane.number} {title}" if pane.number else title
    if shown:
        return Tab(pane.id, [(f"{name} {text}", role)], before)
    return Tab(pane.id, [(name, "dim"), *([(f" {pane.short()}", "faint")] if counts else [])], before)


def join_tabs(tabs: Sequence[Tab]) -> list[Piece]:
    """Join the tabs to the texts of a title line."""
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


def alarms_of(mirror: Mirror, pane: AnyPane) -> list[Piece]:
    """Return warnings about doubtful rows of a pane, and about an account whose status is not normal."""
    engine_status = mirror.engine_status
    if pane.id == "events" or engine_status is None:
        return []
    word, role = account_status(mirror)
    account: list[Piece] = [(f" · {word}", role)] if role not in ("dim", "faint") and pane.id != "risk" else []
    return [*_row_warnings(mirror, pane, engine_status), *account]


def _row_warnings(mirror: Mirror, pane: AnyPane, engine_status: EngineStatusRow) -> list[Piece]:
    name = "public" if pane.id == "quotes" else "private"
    link = mirror.links.get(name)
    if mirror.synced_once and not mirror.proven(name) and link is not None:
        silent = mirror.silent_for(name)
        if not mirror.link_up(name) or pane.id == "quotes":
            return [(f" · STALE {number_format.whole_age(silent)}", "stale")]
    if pane.id == "quotes":
        return []
    if not engine_status.synced and mirror.synced_once:
        return [(" · RECONCILING", "warn")]
    if link is not None and link.error and pane.id in ("orders", "positions"):
        return [(f" · ! {cut(clean(link.error), ERROR_CELLS)}", "alert")]
    return []
