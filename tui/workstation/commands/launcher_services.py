"""Services that the launcher passes to the workstation, besides the engine port."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tui.crossdesk_error import CrossdeskError
from tui.workstation.render.themes import ReadThemes

if TYPE_CHECKING:
    from tui.workstation.commands.connection import ConnectionService
    from tui.workstation.input.keymap import ReadKeymaps

SaveTable = Callable[[str, Sequence[str], Sequence[Sequence[str]]], str]
"""Write a table under a name, with its header and its records; return the path. Raises CrossdeskError."""

SavePicture = Callable[[str], str]
"""Write a picture of the screen as SVG; return the path. Raises CrossdeskError."""


class Practice(NamedTuple):
    """Fault of the paper venue that the trader can switch on for practice."""

    name: str
    states: tuple[str, ...]
    """Labels of the states; the first is the normal state."""
    turn: Callable[[int], None]
    """Set the venue to the state of this index; must not block."""


class PortfolioChoice(NamedTuple):
    """Functions of the launcher to switch to another portfolio, and to say why that is not possible."""

    trade: Callable[[str], None]
    """Trade the portfolio of this name from now on; returns at once."""
    why_fixed: Callable[[], str]
    """Reason why it cannot be changed now, or an empty text."""
    main: str = "main"
    """Name under which the main portfolio is found at any time, also if the list was never read."""


FIXED_PORTFOLIO = PortfolioChoice(
    lambda _: None, lambda: "the portfolio is fixed by the profile: quit, then start with another profile"
)


_NO_HOME = "this program has no home directory to write to"


def refuse_to_save(name: str, header: Sequence[str], records: Sequence[Sequence[str]]) -> str:
    """Raise CrossdeskError, because there is no home directory to write to."""
    del name, header, records
    raise CrossdeskError(_NO_HOME)


def refuse_to_save_picture(svg: str) -> str:
    """Raise CrossdeskError, because there is no home directory to write to."""
    del svg
    raise CrossdeskError(_NO_HOME)


class LauncherServices(NamedTuple):
    """Functions that the launcher provides to the workstation; the defaults do nothing, or refuse to save."""

    practices: Callable[[], Sequence[Practice]] = tuple
    """List the faults to practise with; empty unless the venue is our paper venue. Called after the first frame."""
    save_table: SaveTable = refuse_to_save
    """Write rows to a file of the trader."""
    save_picture: SavePicture = refuse_to_save_picture
    """Write a picture of the screen to a file of the trader."""
    portfolio_choice: PortfolioChoice = FIXED_PORTFOLIO
    """Trade another portfolio."""
    read_themes: Callable[[], ReadThemes] = lambda: ([], [])
    """Read the themes."""
    read_changed_themes: Callable[[], ReadThemes | None] = lambda: None
    """Read the themes again; None if no file has changed. Called once a second."""
    read_keymaps: Callable[[], ReadKeymaps] = lambda: ([], [])
    """Read the keymaps."""
    read_changed_keymaps: Callable[[], ReadKeymaps | None] = lambda: None
    """Read the keymaps again; None if no file has changed. Called once a second."""
    read_changed_preferences: Callable[[], bytes | None] = lambda: None
    """Read the preferences again; None if no other window has changed them. Called once a second."""
    connection: Callable[[], ConnectionService | None] = lambda: None
    """Build what connects a service; None where there is no config file to write to."""
    greets: bool = False
    """Whether the welcome opens at a start whose preferences do not rule it out."""
    look_only: Callable[[], None] | None = None
    """Start the engine again without the right to send, until the program ends; None where that needs another start."""
