"""Full screens: one list in place of all panes; status, newest events and key hints stay as on the main screen."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from textual.geometry import Size

from tui.engine.rows import Table
from tui.workstation.input.scopes import Scope
from tui.workstation.layouts.plan import full_plan
from tui.workstation.render.pieces import Piece, pieces_width
from tui.workstation.table.pane import AnyPane
from tui.workstation.table.pane_box import PaneBox
from tui.workstation.widgets.list_screen import ListScreen, ScreenParts
from tui.workstation.widgets.tabs import (
    BETWEEN,
    TITLE_STARTS,
    Tab,
    alarms_of,
    arrangement,
    join_tabs,
    tab_at,
    title_role,
)

BACK: Piece = (" · Esc: desk", "faint")


class FullScreen(ListScreen):
    """Full screen with one pane, built once and kept, so that cursor, filter and view survive leaving it.

    The views of its pane are its tabs. `follow_state` and `feed` are called only while it is shown; `catch_up` makes
    up for updates missed meanwhile.
    """

    list_scope = Scope.SCREEN

    def __init__(self, parts: ScreenParts, pane: AnyPane) -> None:
        super().__init__(parts, [pane])
        self.pane = pane
        self.live_table = self.tables[pane.id]
        self.live_table.top_corner = self.live_table.bottom = True
        self._arranged_for = Size()

    def on_screen_resume(self) -> None:
        """Rearrange if the terminal was resized meanwhile, because hidden screens get no resize event."""
        if self.app.size != self._arranged_for:
            self.arrange_panes(self.app.size)

    def arrange_panes(self, size: Size | None = None) -> None:
        self._arranged_for = size = size or self.size
        self.plan = full_plan(size.width, size.height, self.pane.id)
        area = self.plan.area_of(self.pane.id)
        self.live_table.display = area is not None
        self.live_table.bottom = area is not None and area.box.bottom
        self.place_bars()
        if self.filtered is None:
            self.focus_list()
        self.live_table.flush()
        self.refresh(layout=True)
        self.refresh()

    def visible_panes(self) -> set[str]:
        return {self.pane.id} if self.plan.areas else set()

    def focus_list(self) -> None:
        self.set_focus(None if self.plan.tiny else self.live_table)

    def cycle_views(self, steps: int) -> None:
        if self.pane.cycle_view(steps):
            self.live_table.rearrange()

    def catch_up(self) -> None:
        """Apply the updates missed while another screen was shown."""
        self.follow_state()
        self.live_table.reorder()
        self.live_table.flush()
        self.repaint_all()

    def titles(self, box: PaneBox) -> list[Piece]:
        name = self._heading(box)
        tabs = self._tabs(box)
        between: list[Piece] = [BETWEEN] if tabs else [(f" {self.pane.title_short}", "dim")]
        return [name, *between, *join_tabs(tabs), *self.alarms(box), *arrangement(box), BACK]

    def alarms(self, box: PaneBox) -> list[Piece]:
        """Return warnings about doubtful rows if the pane lists algo orders; else none, as other titles show their age."""
        return alarms_of(self.view.mirror, box.pane) if Table.ALGOS in box.pane.feeds else []

    def _heading(self, box: PaneBox) -> Piece:
        return self.pane.title, title_role(box)

    def _tabs(self, box: PaneBox) -> list[Tab]:
        """Return the tabs of the pane's views; if space is short, the farthest are left out."""
        whole = self._tabs_named()
        return whole if not whole or self._tabs_fit(box, whole) else self._nearest_tabs(box, whole)

    def _nearest_tabs(self, box: PaneBox, whole: list[Tab]) -> list[Tab]:
        """Return as many tabs around the shown one as fit, with `‹` or `›` where others are left out."""
        at = self.pane.view_at
        left = [whole[at]]
        for first, last in _widen(at, len(whole)):
            wider = whole[first : last + 1]
            if first:
                wider[0] = msgspec.structs.replace(wider[0], pieces=[("‹ ", "faint"), *wider[0].pieces])
            if last < len(whole) - 1:
                wider[-1] = msgspec.structs.replace(wider[-1], pieces=[*wider[-1].pieces, (" ›", "faint")])
            if not self._tabs_fit(box, wider):
                break
            left = wider
        return left

    def _tabs_fit(self, box: PaneBox, tabs: list[Tab]) -> bool:
        others = [self._heading(box), BETWEEN, *self.alarms(box), *arrangement(box), BACK]
        return pieces_width([*others, *join_tabs(tabs)]) <= box.title_room

    def _tabs_named(self) -> list[Tab]:
        """Return a tab for each view of the pane with its name; the shown one with its row count."""
        pane, count = self.pane, self.pane.title_short
        return [
            Tab(name, [(f"{name} {count}".rstrip(), "accent") if at == pane.view_at else (name, "dim")])
            for at, name in enumerate(pane.views)
        ]

    def press_title(self, box: PaneBox, x: int) -> None:
        """Show the view whose tab was clicked."""
        before = pieces_width([self._heading(box), BETWEEN])
        view = tab_at(self._tabs(box), x - TITLE_STARTS - before)
        if view:
            self.cycle_views(self.pane.views.index(view) - self.pane.view_at)


def _widen(at: int, count: int) -> Iterator[tuple[int, int]]:
    """Yield ranges (first, last) around an index, each wider by one neighbour, until they cover all `count` items."""
    first = last = at
    yield first, last
    while first > 0 or last < count - 1:
        behind = last < count - 1 and (last - at <= at - first or first == 0)
        first, last = (first, last + 1) if behind else (first - 1, last)
        yield first, last
