"""Start of plain mode: the lines of standard input and output, on the engine that the launcher has built."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from tui.cli.desks.folded_lines import fold, read_columns
from tui.cli.preferences_file import PreferencesFile
from tui.engine.port import EnginePort
from tui.host import HostClock
from tui.interface import decimals
from tui.workstation.commands.launcher_services import Practice
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.mirror import Mirror
from tui.workstation.model.screen_preferences import ScreenPreferences
from tui.workstation.plain.plain_desk import PlainDesk
from tui.workstation.settings import WorkstationSettings


def run_plain(
    engine: EnginePort,
    settings: WorkstationSettings,
    stored: PreferencesFile,
    begin: Callable[[], None],
    practices: Callable[[], Sequence[Practice]],
) -> int:
    """Run the line-based desk without a screen until the trader leaves it; return the exit code of the process."""
    decimals.setup()
    clock = HostClock()
    view = DisplayContext(Mirror(clock), clock, settings)
    preferences = ScreenPreferences({}, settings.quotes, stored.read(), stored.write)
    desk = PlainDesk(engine, view, _write, preferences, practices, stored.read_changed)
    begin()
    return desk.run(sys.stdin.fileno())


def _write(line: str) -> bool:
    """Print a line at once, wrapped at the terminal's width; return False when standard output cannot be written."""
    encoding = sys.stdout.encoding or "ascii"
    try:
        text = fold(line, read_columns(sys.stdout.fileno()))
        sys.stdout.write(text.encode(encoding, "replace").decode(encoding) + "\n")
        sys.stdout.flush()
    except (OSError, ValueError):
        return False
    return True
