"""Handlers of the keys that choose a keymap."""

from __future__ import annotations

from collections.abc import Callable

from tui.engine.event_line import Level
from tui.workstation.commands.availability import Blocks, no_room
from tui.workstation.commands.context import Context
from tui.workstation.commands.keymap_switch import KeymapSwitch
from tui.workstation.features.keymaps.keymap_list import KeymapList, KeymapScreen
from tui.workstation.input.handlers import Handlers
from tui.workstation.input.keymap import KeymapError, ReadKeymaps
from tui.workstation.model.event_levels import Stay
from tui.workstation.model.screen_preferences import ScreenPreferences
from tui.workstation.table.live_table import LiveTable


class KeymapKeys:
    """Key handlers of the list of keymaps; the chosen keymap is kept for the next start."""

    def __init__(
        self,
        context: Context,
        keymaps: KeymapSwitch,
        preferences: ScreenPreferences,
        read_changed: Callable[[], ReadKeymaps | None],
    ) -> None:
        self._context = context
        self._keymaps = keymaps
        self._preferences = preferences
        self._read_changed = read_changed
        self._waiting: ReadKeymaps | None = None
        """Changed files that are taken once no ticket and no box is open."""

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {"keymaps.open": self.keymaps_open, "keymaps.take": self.keymaps_take}

    def blocks(self) -> Blocks:
        """Return the block reasons by action id."""
        return {"keymaps.open": self._open_block}

    def _open_block(self, table: LiveTable | None) -> str:
        del table
        if self._context.main_screen.panel.open:
            return "keys do not change while a ticket is open: send or drop it first"
        return no_room(self._context)

    def keymaps_open(self) -> None:
        """Read the keymap files and open the list with the cursor on the keymap in use."""
        self._say_wrong(self._keymaps.read_files())
        palette = self._context.list_screen.palette
        self._context.open_modal(KeymapScreen(KeymapList(self._keymaps.files, self._keymaps.in_use.name, palette)))

    def keymaps_take(self) -> None:
        """Use the keymap under the cursor, also at the next start."""
        screen = self._context.modal(KeymapScreen)
        if screen is None:
            return
        chosen = screen.body.chosen
        try:
            self._keymaps.use(chosen)
        except KeymapError as error:
            self._context.refuse(f"keymap {chosen.name} and [workstation.keys] do not go together: {error}")
            return
        self._preferences.keymap = chosen.name
        self._preferences.save()
        screen.dismiss(None)
        self._context.refresh_keys()
        self._context.say(f"keymap {chosen.name}, also at the next start; ? lists its keys", Level.GOOD)

    def follow_files(self) -> None:
        """Reload the trader's keymap files that have changed; called once a second.

        While a ticket or a box is open, and in HOT, the keys stay as they are: a key must not change under the finger.
        """
        self._waiting = self._read_changed() or self._waiting
        context = self._context
        if self._waiting is None or context.main_screen.panel.open or context.has_box or context.hot:
            return
        (files, errors), self._waiting = self._waiting, None
        self._say_wrong(errors)
        try:
            changed = self._keymaps.follow(files)
        except KeymapError as error:
            self._say_wrong([str(error)])
            return
        if changed:
            context.refresh_keys()
            context.say(f"keymap {self._keymaps.in_use.name} read again: ? lists its keys", Level.GOOD)

    def _say_wrong(self, errors: list[str]) -> None:
        for error in errors:
            for line in error.splitlines():
                self._context.say(f"keymap not usable: {line}", Level.WARN, stay=Stay.PUSHED_OUT)
