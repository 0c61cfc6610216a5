"""Handlers of the keys that choose a theme."""

from __future__ import annotations

from functools import partial

from tui.engine.event_line import Level
from tui.workstation.commands.availability import Blocks, no_room
from tui.workstation.commands.context import Context
from tui.workstation.commands.launcher_services import LauncherServices
from tui.workstation.commands.theme_switch import ThemeSwitch
from tui.workstation.features.themes.theme_list import ThemeList, ThemeScreen
from tui.workstation.input.handlers import Handlers
from tui.workstation.model.screen_preferences import ScreenPreferences
from tui.workstation.render.themes import ReadThemes


class ThemeKeys:
    """Key handlers of the list of themes; the chosen theme is kept for the next start."""

    def __init__(
        self,
        context: Context,
        themes: ThemeSwitch,
        preferences: ScreenPreferences,
        services: LauncherServices,
    ) -> None:
        self._context = context
        self._themes = themes
        self._preferences = preferences
        self._services = services
        self._before = themes.name
        """Theme in use when the list was opened."""

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {"themes.open": self.themes_open, "themes.take": self.themes_take, "themes.close": self.themes_close}

    def blocks(self) -> Blocks:
        """Return the block reasons by action id."""
        return {"themes.open": partial(no_room, self._context)}

    def themes_open(self) -> None:
        """Read the theme files and open the list of themes with the cursor on the theme in use."""
        self._take(self._services.read_themes())
        self._before = self._themes.name
        palette = self._context.list_screen.palette
        self._context.open_modal(ThemeScreen(ThemeList(self._themes.themes, palette, self._themes.use)))

    def follow_files(self) -> None:
        """Reload the trader's theme files that have changed; called once a second."""
        read = self._services.read_changed_themes()
        if read is not None:
            self._take(read)

    def _take(self, read: ReadThemes) -> None:
        themes, errors = read
        self._themes.follow(themes)
        for error in errors:
            self._context.say(f"theme not usable: {error}", Level.WARN)

    def themes_take(self) -> None:
        """Use the theme under the cursor, also at the next start, and close the list."""
        screen = self._context.modal(ThemeScreen)
        if screen is None:
            return
        self._preferences.theme = screen.body.chosen.name
        self._preferences.save()
        screen.dismiss(None)
        self._context.say(f"theme {self._themes.name}, also at the next start")

    def themes_close(self) -> None:
        """Close the list of themes and restore the theme used before."""
        screen, before = self._context.modal(ThemeScreen), self._themes.find(self._before)
        if screen is None:
            return
        screen.dismiss(None)
        if before is not None and before.name != self._themes.name:
            self._themes.use(before)
