"""Handlers of the keys and of the mouse that change the layout in use."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from textual import events

from tui.workstation.commands.availability import TOO_SMALL, Blocks
from tui.workstation.commands.context import Context
from tui.workstation.features.layouts.keys import LayoutKeys
from tui.workstation.input.handlers import Handlers
from tui.workstation.layouts import changes
from tui.workstation.layouts.dividers import Divider, find_divider
from tui.workstation.layouts.tree import MOST_DEPTH, Layout, Node, Step
from tui.workstation.table.live_table import LiveTable

CELLS, LINES = 4, 2
"""Cells and lines that one key moves an edge."""

_SIZES = {
    "pane.wider": (CELLS, True),
    "pane.narrower": (-CELLS, True),
    "pane.taller": (LINES, False),
    "pane.shorter": (-LINES, False),
}
_WAYS = {"pane.to_left": (-1, 0), "pane.to_right": (1, 0), "pane.to_top": (0, -1), "pane.to_bottom": (0, 1)}


class _Drag:
    """Divider that is being dragged, and the layout before the drag."""

    def __init__(self, divider: Divider, layout: Layout, step: Step, tree: Node) -> None:
        self.divider, self.layout, self.step, self.tree = divider, layout, step, tree
        self.moved = False


class _Hidden(NamedTuple):
    """Pane that a key has just put among the tabs of another, with the layout before; the same key restores it."""

    pane: str
    layout: Layout
    was_changed: bool
    key_number: int


class PaneKeys:
    """Keys and mouse that change sizes and places of panes; every change is kept in the layout in use."""

    def __init__(self, context: Context, layouts: LayoutKeys) -> None:
        self._context = context
        self._layouts = layouts
        self._drag: _Drag | None = None
        self._grabbed = ""
        """Pane whose name is under the pressed button."""
        self._hidden: _Hidden | None = None

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        sizes = {name: partial(self._resize, cells, beside=beside) for name, (cells, beside) in _SIZES.items()}
        ways = {name: partial(self._swap, *way) for name, way in _WAYS.items()}
        return {**sizes, **ways, "pane.own": self.pane_own}

    def blocks(self) -> Blocks:
        """Return the block reasons by action id."""
        return dict.fromkeys((*_SIZES, *_WAYS, "pane.own"), self._block)

    def _block(self, table: LiveTable | None) -> str:
        del table
        main = self._context.main_screen
        if main.plan.tiny:
            return TOO_SMALL
        if main.zoomed:
            return "one pane is shown alone: ⟦pane.zoom⟧ shows the others"
        if main.plan.reduced:
            return "the window is too small for all panes of this layout: enlarge it to change them"
        return ""

    # Keys

    @property
    def _pane(self) -> str:
        box = self._context.main_screen.box
        return box.pane.id if box is not None else ""

    @property
    def _step(self) -> Step:
        main = self._context.main_screen
        return main.layout_in_use.step(main.size.width, main.size.height, pair=bool(main.pair.shown))

    @property
    def _tree(self) -> Node:
        """Layout tree shown at the present window size."""
        tree = self._context.main_screen.plan.tree
        return tree if tree is not None else self._step.tree

    def _resize(self, cells: int, *, beside: bool) -> None:
        """Move an edge of the focused pane."""
        shown = self._context.main_screen.plan
        changed = changes.resize(self._tree, self._pane, cells, shown, beside=beside)
        self._take(changed, "no edge of this pane can move that way")

    def _swap(self, right: int, down: int) -> None:
        """Swap the focused pane with its neighbour in a direction."""
        other = changes.find_neighbour(self._context.main_screen.plan, self._pane, right, down)
        changed = changes.swap(self._tree, self._pane, other) if other else None
        self._take(changed, "no pane stands on that side")

    def pane_own(self) -> None:
        """Give the focused pane a place of its own or, if it has one, make it a tab in another place."""
        main, pane = self._context.main_screen, self._pane
        hidden, self._hidden = self._hidden, None
        if hidden is not None and self._context.guard.number == hidden.key_number + 1:
            main.show_layout(hidden.layout)
            if hidden.was_changed:
                self._layouts.keep_changes()
            else:
                self._layouts.undo_changes(hidden.layout)
            main.show_pane(hidden.pane)
            return
        area = main.plan.area_of(pane)
        if area is None or len(area.panes) > 1:
            full = f"this layout is divided {MOST_DEPTH} times, the most: show the pane as a tab of another"
            self._take(changes.give_place(self._tree, pane), full)
            return
        self._hide(pane)

    def _hide(self, pane: str) -> None:
        """Make a pane a tab in another place."""
        main, context = self._context.main_screen, self._context
        before = main.layout_in_use
        hidden = _Hidden(pane, before, self._layouts.is_changed(before.name), context.guard.number)
        changed = changes.take_place(self._tree, pane)
        if changed is not None:
            main.front.remove(pane)
            main.front.append(pane)
        self._take(changed, "no other place could hold this pane")
        if changed is not None:
            self._hidden = hidden
            main.focus_list()
            context.say(f"{main.boxes[pane].pane.title} is now a tab; the same key, pressed next, shows it again")

    def _take(self, tree: Node | None, refusal: str) -> None:
        """Show and store a changed tree for the present window size; if None, say `refusal`."""
        if tree is None:
            self._context.ignore(refusal)
            return
        main = self._context.main_screen
        main.show_layout(changes.replace_tree(main.layout_in_use, self._step, tree))
        self._layouts.keep_changes()

    # Mouse

    def follow_mouse(self, event: events.MouseEvent) -> None:
        """Move a divider while the button is held; a pane dragged by its title swaps with the pane under the mouse."""
        if isinstance(event, events.MouseDown):
            self._press(event)
        elif self._grabbed and isinstance(event, events.MouseUp):
            self._drop(event)
        elif self._drag is not None and isinstance(event, events.MouseMove):
            self._move(self._drag, event)
        elif self._drag is not None and isinstance(event, events.MouseUp):
            if self._drag.moved:
                self._layouts.keep_changes()
            self._drag = None

    def _press(self, event: events.MouseDown) -> None:
        main = self._context.main_screen
        self._drag, self._grabbed = None, ""
        if self._context.app.screen is not main or self._block(None):
            return
        x, y = int(event.x), int(event.y)
        self._grabbed = main.name_at(x, y)
        divider = find_divider(main.plan, x, y) if not self._grabbed else None
        if divider is not None:
            self._drag = _Drag(divider, main.layout_in_use, self._step, self._tree)

    def _drop(self, event: events.MouseUp) -> None:
        """Swap the dragged pane with the pane under the mouse; do nothing if that is its own place."""
        main, pane, self._grabbed = self._context.main_screen, self._grabbed, ""
        area = main.plan.area_at(int(event.x), int(event.y))
        if self._context.app.screen is main and area is not None and pane not in area.panes:
            self._take(changes.swap(self._tree, pane, area.panes[0]), "there is no other pane to change places with")

    def _move(self, drag: _Drag, event: events.MouseMove) -> None:
        divider, main = drag.divider, self._context.main_screen
        if self._context.app.screen is not main or not event.button:
            self._drag = None
            return
        cells = int(event.x) - divider.x if divider.beside else int(event.y) - divider.y
        tree: Node | None = drag.tree
        if cells:
            tree = changes.resize(drag.tree, divider.pane, cells, divider.plan, beside=divider.beside, after=True)
        if tree is not None and (cells or drag.moved):
            drag.moved = True
            main.show_layout(changes.replace_tree(drag.layout, drag.step, tree))
