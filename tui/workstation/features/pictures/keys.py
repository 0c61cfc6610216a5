"""Handler of the key that keeps a picture of the screen."""

from __future__ import annotations

from tui.crossdesk_error import CrossdeskError
from tui.engine.rows import Level
from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import Context
from tui.workstation.commands.launcher_services import SavePicture
from tui.workstation.input.handlers import Handlers


class PictureKeys:
    """Key handler of pictures of the screen."""

    def __init__(self, context: Context, save: SavePicture) -> None:
        self._context = context
        self._save = save

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        return {"picture.save": self.picture_save}

    def blocks(self) -> Blocks:
        """Return the block reasons by action id."""
        return {}

    def picture_save(self) -> None:
        """Write the screen as it stands to a file, and say where."""
        from tui.workstation.features.pictures.svg import export_svg

        context = self._context
        try:
            path = self._save(export_svg(context.app, context.list_screen.palette.theme.colors))
        except CrossdeskError as problem:
            context.refuse(f"{problem.title}: {problem}")
            return
        folder, _, name = path.rpartition("/")
        context.say(f"picture {name} written to {folder}; it shows your balances and orders", Level.GOOD)
