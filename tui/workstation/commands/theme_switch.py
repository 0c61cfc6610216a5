"""Theme of the app: chosen at the start, changed at once, and read again when a file of the trader's changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from textual.app import App

from tui.workstation.render.palette import PLAIN, Palette, textual_theme
from tui.workstation.render.themes import ThemeFile, turn_rise_red
from tui.workstation.widgets.list_screen import ListScreen


class ThemeSwitch:
    """Themes that can be chosen, and the one in use."""

    def __init__(self, app: App[Any], read: Callable[[str], Sequence[ThemeFile]], name: str, *, red_up: bool) -> None:
        """Choose the theme of a name before the first styling of the app.

        Args:
            app: App.
            read: Reads the theme of a name, and maybe others; the first counts where none has the name.
            name: Name of the theme.
            red_up: Whether rising prices, gains and buys are red.
        """
        self._app = app
        self._red_up = red_up
        self.themes = tuple(read(name)) or (PLAIN,)
        chosen = self._in_use = self.find(name) or self.themes[0]
        self.palette = Palette(self._turn(chosen))
        theme = textual_theme(self.palette.theme)
        app.register_theme(theme)
        # Set before the first styling, it avoids a second parse of all style sheets.
        app.set_reactive(App.theme, theme.name)
        app.set_reactive(App.ansi_color, theme.ansi)
        app._watch_ansi_color(theme.ansi)
        app.stylesheet.set_variables(app.get_css_variables())

    def find(self, name: str) -> ThemeFile | None:
        """Return the theme of a name, or None."""
        return next((theme for theme in self.themes if theme.name == name), None)

    @property
    def name(self) -> str:
        """Name of the theme in use."""
        return self._in_use.name

    def use(self, theme: ThemeFile) -> None:
        """Draw everything in a theme from now on."""
        app, self._in_use = self._app, theme
        self.palette.use(self._turn(theme))
        registered = textual_theme(self.palette.theme)
        app.register_theme(registered)
        if app.theme == registered.name:
            app.refresh_css(animate=False)
        app.theme, app.ansi_color = registered.name, registered.ansi
        for screen in (*app._installed_screens.values(), *app.screen_stack):
            if isinstance(screen, ListScreen):
                screen.repaint_all()
            elif not callable(screen):
                screen.refresh()

    def follow(self, themes: Sequence[ThemeFile]) -> None:
        """Update the themes after their files were read again; the one in use stays if its file is invalid or gone."""
        self.themes = tuple(themes) or self.themes
        now = self.find(self.name)
        if now is not None and now != self._in_use:
            self.use(now)

    def _turn(self, theme: ThemeFile) -> ThemeFile:
        return turn_rise_red(theme) if self._red_up else theme
