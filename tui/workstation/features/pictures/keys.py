"""Handler of the key that keeps a picture of the screen."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.geometry import Region

from tui.crossdesk_error import CrossdeskError
from tui.engine.event_line import Level
from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import Context
from tui.workstation.commands.launcher_services import SavePicture
from tui.workstation.input.handlers import Handlers

if TYPE_CHECKING:
    from tui.workstation.features.pictures.svg import Change


class PictureKeys:
    """Key handler of pictures of the screen."""

    def __init__(self, context: Context, save: SavePicture) -> None:
        self._context = context
        self._save = save

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {"picture.save": self.picture_save, "picture.save_blank": self.picture_save_blank}

    def blocks(self) -> Blocks:
        """Return the block reasons by action id."""
        return {}

    def picture_save(self) -> None:
        """Save a picture of the whole screen to a file, and say where."""
        self._write("it shows your balances and orders")

    def picture_save_blank(self) -> None:
        """Save a picture of the screen without figures and ids of the account, after the palette has closed."""
        self._context.app.call_after_refresh(self._write_blank)

    def _write_blank(self) -> None:
        """Save a picture of the screen without figures and ids of the account, and say where."""
        from tui.workstation.features.pictures.blanking import blank_figures

        main_screen = self._context.main_screen
        tables = main_screen.tables.values() if self._context.app.screen is main_screen else ()
        kept, hidden = list[Region](), list[Region]()
        for table in tables:
            market, account = table.split_regions()
            kept += market
            hidden += account
        self._write("figures and ids of the account are blank", partial(blank_figures, kept=kept, hidden=hidden))

    def _write(self, shows: str, change: Change | None = None) -> None:
        """Save a picture of the screen to a file; `shows` says in the message what is on it."""
        from tui.workstation.features.pictures.svg import export_svg

        context = self._context
        try:
            path = self._save(export_svg(context.app, context.list_screen.palette.theme.colors, change))
        except CrossdeskError as problem:
            context.refuse(f"{problem.title}: {problem}")
            return
        folder, _, name = path.rpartition("/")
        context.say(f"picture {name} written to {folder}; {shows}", Level.GOOD)
