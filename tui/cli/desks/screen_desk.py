"""Start of the full screen, on the engine that the launcher has built, and what is said on the shell at its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tui import paths
from tui.private_files import write_private

if TYPE_CHECKING:
    from tui.cli.log_file import LogHandler
    from tui.cli.preferences_file import PreferencesFile
    from tui.engine.life.thread import EngineThread
    from tui.workstation.app.run import RunResult
    from tui.workstation.commands.connection import ConnectionService
    from tui.workstation.commands.launcher_services import LauncherServices
    from tui.workstation.settings import WorkstationSettings


def run_screen(
    engine: EngineThread,
    settings: WorkstationSettings,
    stored: PreferencesFile,
    begin: Callable[[], None],
    services: LauncherServices,
    log: LogHandler,
) -> RunResult:
    """Run the full-screen desk until the trader leaves it; return its exit code, final messages and crash, if any."""
    from tui.workstation.app.app import CrossdeskApp  # isort: skip  # sets up textual's environment
    from tui.cli.named_files import keymap_files, theme_files
    from tui.host import HostClock
    from tui.workstation.app.run import run

    themes, keymaps = theme_files(), keymap_files()
    app = CrossdeskApp(
        engine,
        HostClock(),
        settings,
        themes.read_at_start,
        begin,
        watch_terminal=True,
        preferences=stored.read(),
        save_preferences=stored.write,
        services=services._replace(
            save_table=_save_table,
            save_picture=_save_picture,
            read_themes=themes.read,
            read_changed_themes=themes.read_changed,
            read_keymaps=keymaps.read,
            read_changed_keymaps=keymaps.read_changed,
            read_changed_preferences=stored.read_changed,
            connection=partial(_build_connection, log),
        ),
    )
    return run(app)


def report_end(state: Path, ended: RunResult) -> int:
    """Write a crash report if needed, print the final messages on the shell, and return the exit code."""
    from tui.cli.desks.folded_lines import fold_lines, read_columns
    from tui.workstation.terminal.output import write_without_blocking

    write_crash_report(state / "crash.log", ended.crash)
    write_without_blocking(fold_lines(ended.left, read_columns(1) or read_columns(2)))
    return ended.code


def _save_table(name: str, header: Sequence[str], records: Sequence[Sequence[str]]) -> str:
    """Save a table as a file in the exports folder and return its path."""
    from tui.cli.exporting import write_table
    from tui.host import HostClock

    return write_table(paths.exports_dir(), name, header, records, wall_s=HostClock().wall())


def _save_picture(svg: str) -> str:
    """Save a picture of the screen in the exports folder and return its path."""
    from tui.cli.exporting import write_picture
    from tui.host import HostClock

    return write_picture(paths.exports_dir(), svg, wall_s=HostClock().wall())


def _build_connection(log: LogHandler) -> ConnectionService:
    from tui.cli.connecting.connector import ServiceConnector

    return ServiceConnector(log.hide).service()


def write_crash_report(path: Path, lines: Sequence[str]) -> None:
    """Write a crash report and print its path, or print the report itself where it cannot be written."""
    from tui.workstation.terminal.output import write_without_blocking

    if not lines:
        return
    try:
        write_private(path, ("\n".join(lines) + "\n").encode("utf-8", "replace"))
    except OSError as error:
        text = "\n".join(lines)
        write_without_blocking(f"crossdesk crashed; the report cannot be written ({error}):\n{text}\n")
    else:
        write_without_blocking(f"crossdesk crashed; the report is {path}\n")
