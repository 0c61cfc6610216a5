"""Handlers of the keys that choose, save and delete layouts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import msgspec

from tui.engine.event_line import Level
from tui.workstation.commands.availability import Blocks, no_room
from tui.workstation.commands.context import Context
from tui.workstation.input.handlers import Handlers
from tui.workstation.input.scopes import Scope
from tui.workstation.layouts.presets import MOST_NAME, PRESETS, Layouts, preset_of
from tui.workstation.layouts.tree import Layout
from tui.workstation.model.screen_preferences import ScreenPreferences
from tui.workstation.widgets.name_list import NamedEntry, NameList, NameScreen, find_name_fault
from tui.workstation.widgets.pair_views import pair_of

MOST_LAYOUTS = 30
"""Most layouts, presets among them."""


class _Before(NamedTuple):
    """State of the desk when the list of layouts was opened, to return to it."""

    layout: Layout
    pair: str
    """Pair whose views were open; empty: none."""
    pair_by_layout: bool
    """Whether they close with the layout."""
    near: str
    """Pair under the cursor."""
    front: Sequence[str]
    home: str


class LayoutKeys:
    """Key handlers of the list of layouts; the layout in use is stored for the next start."""

    def __init__(
        self,
        context: Context,
        layouts: Layouts,
        preferences: ScreenPreferences,
    ) -> None:
        self._context = context
        self._layouts = layouts
        self._preferences = preferences
        self._before: _Before | None = None

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {
            "layouts.open": self.layouts_open,
            "layouts.take": self.layouts_take,
            "layouts.new": self.layouts_new,
            "layouts.delete": self.layouts_delete,
            "layouts.close": self.layouts_close,
        }

    def blocks(self) -> Blocks:
        """Return the block reasons by action id."""
        return {"layouts.open": partial(no_room, self._context)}

    @property
    def _screen(self) -> NameScreen | None:
        return self._context.modal(NameScreen)

    # List

    def layouts_open(self) -> None:
        """Open the list of layouts with the cursor on the layout in use."""
        main = self._context.main_screen
        near = pair_of(main.box) if main.box is not None else ""
        opened = main.pair.by_layout
        self._before = _Before(main.layout_in_use, main.pair.sym, opened, near, tuple(main.front), main.home)
        body = NameList("Layouts", main.palette, MOST_NAME, self._preview)
        body.show(self._lines(), main.layout_in_use.name)
        self._context.open_modal(NameScreen(Scope.LAYOUTS, body))

    def _lines(self) -> list[NamedEntry]:
        lines = []
        for name in self._layouts.names:
            layout, own = self._layouts.find(name), self._layouts.is_changed(name)
            about = layout.about if layout is not None else ""
            changed = "changed: " if own and preset_of(name) is not None else ""
            lines.append(NamedEntry(name, f"{changed}{about}", own))
        return lines

    def _preview(self, name: str) -> None:
        """Show a layout on the desk behind the list; it is not kept yet."""
        layout, before, main = self._layouts.find(name), self._before, self._context.main_screen
        if layout is None or before is None:
            return
        stays = "" if before.pair_by_layout else before.pair
        if not layout.shows_pair and main.pair.sym != stays:
            main.pair.show(stays)
        main.use_layout(layout, sym=before.pair or before.near)

    def layouts_take(self) -> None:
        """Use the layout under the cursor from now on and at the next start; close the list."""
        screen, main = self._screen, self._context.main_screen
        if screen is None:
            return
        screen.dismiss(None)
        self._save()
        self._context.say(f"layout {main.layout_in_use.name}, also at the next start")

    @property
    def names(self) -> list[str]:
        """Names of all layouts."""
        return self._layouts.names

    def use(self, name: str) -> None:
        """Arrange the desk by a layout, from now on and at the next start."""
        layout = self._layouts.find(name)
        if layout is not None:
            self._context.main_screen.use_layout(layout)
            self._save()
            self._context.say(f"layout {name}, also at the next start")

    def layouts_close(self) -> None:
        """Close the list of layouts and restore the layout used before."""
        screen, before, main = self._screen, self._before, self._context.main_screen
        if screen is None or before is None:
            return
        screen.dismiss(None)
        layout = self._layouts.find(before.layout.name) or PRESETS[0]
        if main.layout_in_use == layout and main.pair.sym == before.pair:
            return
        main.home = before.home
        main.use_layout(layout, before.front)
        if main.pair.sym != before.pair:
            main.pair.show(before.pair)
            main.focus_list()
        main.pair.by_layout = before.pair_by_layout

    # Own layouts

    def layouts_new(self) -> None:
        """Ask for a name under which to store the present arrangement of the desk as a layout."""
        if (screen := self._screen) is not None:
            screen.body.ask_name("save as", "", self._take_name)

    def _take_name(self, name: str) -> str:
        screen, main = self._screen, self._context.main_screen
        if fault := find_name_fault(name, self._layouts.names, MOST_LAYOUTS):
            return fault
        own = msgspec.structs.replace(main.layout_in_use, name=name, about=f"from {main.layout_in_use.name}")
        self._layouts.put(own)
        main.use_layout(own, main.front)
        self._save()
        if screen is not None:
            screen.body.show(self._lines(), name)
            screen.refresh(layout=True)
        self._context.say(f"layout {name} saved")
        return ""

    def layouts_delete(self) -> None:
        """Delete the trader's own layout under the cursor, or restore a preset that was changed."""
        screen, main = self._screen, self._context.main_screen
        line = screen.body.chosen if screen is not None else None
        if screen is None or line is None:
            return
        if not line.own:
            screen.body.say("an unchanged shipped layout cannot be deleted")
            return
        self._layouts.drop(line.name)
        shown = self._layouts.find(line.name) or PRESETS[0]
        main.use_layout(shown)
        self._save()
        screen.body.show(self._lines(), shown.name)
        screen.refresh(layout=True)
        gone = preset_of(line.name) is None
        self._context.say(
            f"layout {line.name} deleted" if gone else f"layout {line.name} is again as it was shipped", Level.GOOD
        )

    def keep_changes(self) -> None:
        """Store the changed layout in use; a changed preset can be restored later."""
        layout = self._context.main_screen.layout_in_use
        if not self._layouts.is_changed(layout.name):
            self._context.say(f"layout {layout.name} changed; ⟦layouts.delete⟧ in the list of layouts undoes it")
        self._layouts.put(layout)
        self._save()

    def is_changed(self, name: str) -> bool:
        """Return whether a layout is the trader's own, or a changed preset."""
        return self._layouts.is_changed(name)

    def undo_changes(self, layout: Layout) -> None:
        """Restore a preset to its original arrangement."""
        self._layouts.drop(layout.name)
        self._save()

    def _save(self) -> None:
        self._preferences.layout = self._context.main_screen.layout_in_use.name
        self._preferences.save()
