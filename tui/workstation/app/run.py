"""Run of the app on a real terminal: signals, runtime tuning, and the report after the end."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import traceback

import msgspec
from rich.color import ColorSystem

from tui.interface import decimals
from tui.interface.text import traceback_lines
from tui.workstation.app.app import CrossdeskApp
from tui.workstation.terminal.output import WITHOUT_COLOURS, Terminal, disable_colours, match_colours
from tui.workstation.terminal.signals import Signals

log = logging.getLogger("tui.workstation")

COLLECT_AFTER_S = 0.1
FREEZE_AFTER_S = 2.0


class RunResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a run of the workstation."""

    code: int
    """Exit status: 0, 1 after a crash, 128 + signal."""
    signal: int = 0
    left: str = ""
    """Orders and positions that stay at the venue, as text for the shell."""
    crash: list[str] = []
    """Traceback without locals, for the log."""


def fit_colours(app: CrossdeskApp) -> None:
    """Adapt the palette to the colours of the terminal: none, 16, 256 or all."""
    without = os.environ.get("TERM", "").lower() in WITHOUT_COLOURS
    if without or os.environ.get("NO_COLOR"):
        disable_colours(app)
        app.palette.mark_by_reversal()
    elif app.colours is ColorSystem.STANDARD:
        app.palette.use_16_colors()
    elif app.colours is ColorSystem.EIGHT_BIT:
        match_colours(app)


def _is_in_gnu_screen() -> bool:
    """Return whether the program runs in GNU screen, which delays Esc until the next key while it reports the mouse."""
    return bool(os.environ.get("STY"))


def run(app: CrossdeskApp) -> RunResult:
    """Run the app until the trader quits, a signal arrives or the terminal is lost; must be called in the main thread."""
    decimals.setup()
    terminal = Terminal()
    fit_colours(app)

    def give_up() -> None:
        report = ""
        with contextlib.suppress(Exception):
            report = app.describe_left_at_venue().replace("\n", "\r\n")
        terminal.restore(report)

    signals = Signals(app.exit_from_signal, give_up)
    signals.install()
    app.run_after_start(COLLECT_AFTER_S, gc.enable)
    app.run_after_start(FREEZE_AFTER_S, gc.freeze)
    crash: list[str] = []
    try:
        app.run(mouse=app.settings.mouse and not _is_in_gnu_screen())
    except Exception as error:
        log.error("the screen stopped", exc_info=error)
        crash = traceback_lines("".join(traceback.format_exception(error)), 300)
    finally:
        signals.uninstall()
        terminal.restore(left=app.left_screen)
    crash = [*app.crash_lines, *crash]
    code = 128 + signals.received if signals.received else (app.return_code or int(bool(crash)))
    return RunResult(code=code, signal=signals.received, left=app.describe_left_at_venue(), crash=crash)
