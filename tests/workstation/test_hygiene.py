"""What may be imported before the first frame, and what a lost terminal costs."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from textual.drivers._writer_thread import WriterThread

from tui.workstation.terminal import job_control
from tui.workstation.terminal.job_control import JobControl
from tui.workstation.terminal.output import RESTORE, writer_backlog
from tui.workstation.terminal.signals import Signals

ROOT = Path(__file__).parents[2]

NOT_YET = [
    "aiohttp", "websockets", "pydantic", "sqlite3", "json", "importlib.metadata", "tui.client", "tui.venue", "tui.cli",
    "tui.interface.families", "tui.interface.endpoint", "tui.rules.account", "tui.rules.pnl", "tui.engine.state",
    "tui.engine.intents", "tui.engine.service_query", "tui.workstation.tickets.order", "tui.workstation.tickets.preview",
    *(f"tui.workstation.widgets.{name}" for name in ("full_screen", "help", "list_modal", "prompts", "forms", "lists")),
    *(f"tui.workstation.app.{name}" for name in ("controller_registry", "dispatch", "frames", "keys", "unbound_keys")),
    "tui.workstation.commands.connection", "tui.workstation.commands.form_keys", "tui.workstation.commands.list_keys",
    "tui.workstation.app.screen_registry",
    *(f"tui.workstation.features.{name}" for name in (
        "algo_orders", "connection", "explorer", "fees", "funds", "history", "leverage", "liquidation", "loans", "overview",
        "portfolios", "practice", "tour", "trading", "welcome",
    )),
]  # fmt: skip
"""What the first frame does not need: the network, records and arithmetic of rows, tickets, and what keys do."""
MOST_MODULES = 537
"""Modules that are imported for the first frame, those of textual and of the interpreter among them."""


def test_nothing_heavy_is_imported_before_the_first_frame() -> None:
    code = (
        "import sys, os; import tui.workstation.app.app, tui.workstation.app.run;"
        f"bad = [m for m in {NOT_YET} if m in sys.modules]; print(bad, os.environ['TEXTUAL_FPS'], len(sys.modules))"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    env.pop("TEXTUAL_FPS", None)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    bad, fps, modules = done.stdout.rsplit(maxsplit=2)
    assert (bad, fps) == ("[]", "240")
    assert int(modules) <= MOST_MODULES


def test_a_plain_start_imports_no_argument_parser() -> None:
    code = "import sys; import tui.cli.start, tui.cli.launcher; print('click' in sys.modules, 'json' in sys.modules)"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_the_backlog_of_the_output_thread_of_textual_is_read() -> None:
    writer = WriterThread(sys.stdout)
    assert writer._queue.qsize() == 0

    class Driver:
        _writer_thread = writer

    class App:
        _driver = Driver()

    writer._queue.put("x")
    assert writer_backlog(App()) == (1, 0)  # type: ignore[arg-type]
    writer._queue.get()
    assert writer_backlog(App()) == (0, 1)  # type: ignore[arg-type]


def test_terminal_restore_exits_the_alternate_screen() -> None:
    assert RESTORE.endswith("\x1b[?1049l") and "\x1b[?25h" in RESTORE and "\x1b[<u" in RESTORE


def test_repeated_sigterm_quits_once_and_handlers_are_restored() -> None:
    asked: list[int] = []
    before = signal.getsignal(signal.SIGTERM)
    signals = Signals(lambda: asked.append(1), lambda: None)
    signals.install()
    try:
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        assert asked == [1] and signals.received == signal.SIGTERM
    finally:
        signals.uninstall()
    assert signal.getsignal(signal.SIGTERM) is before


def test_sigcont_during_sigterm_does_not_stop_the_process_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both signals come at once; the end is not noted yet, and nobody would continue a process that stops again."""
    stops: list[str] = []
    monkeypatch.setattr(job_control, "is_in_background", lambda: True)
    monkeypatch.setattr(job_control, "stop_in_background", lambda: stops.append("stopped"))
    jobs = JobControl(lambda: None, lambda: None, lambda: False)
    loop = asyncio.new_event_loop()
    monkeypatch.setattr(jobs, "_loop", loop)
    before = signal.signal(signal.SIGCONT, jobs.handle_continue)
    signals = Signals(lambda: signal.raise_signal(signal.SIGCONT), lambda: None)
    signals.install()
    try:
        signal.raise_signal(signal.SIGTERM)
        assert stops == []
        signal.raise_signal(signal.SIGCONT)
        assert stops == ["stopped"], "without an end it waits in the background"
    finally:
        signals.uninstall()
        signal.signal(signal.SIGCONT, before)
        loop.close()
