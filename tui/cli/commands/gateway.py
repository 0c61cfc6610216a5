"""`crossdesk gateway`: the engine without a screen, for desks and programs of this machine."""

from __future__ import annotations

import signal
import sys
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from tui import paths
from tui.cli.credentials import protect_memory
from tui.settings import read

if TYPE_CHECKING:
    from tui.engine.life.thread import EngineThread
    from tui.engine.rows import EventLine

LOOK_S = 0.1
"""Seconds between two looks at the event lines."""
WORD = "quit"


@click.command()
@click.option("--profile", metavar="NAME", help="A configured service instead of the paper venue of this home.")
def command(profile: str | None) -> None:
    """Hold the account without a screen; desks and programs that are started meanwhile attach to it.

    It prints its event lines. The word quit, Ctrl+C or SIGTERM ends it; orders stay at the venue.
    """
    from tui.cli.launcher import open_engine
    from tui.interface import decimals

    protect_memory()
    decimals.setup()
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: ended.set())
    with open_engine(profile, read(paths.config_file()), name="gateway", looks_only=False, holds=True) as engine:
        engine.start()
        click.echo(f"crossdesk gateway: {profile or 'paper'}; desks attach by themselves; the word {WORD} ends it")
        if sys.stdin.isatty():
            threading.Thread(target=_wait_for_word, args=(ended,), name="words", daemon=True).start()
        _print_events(engine, ended)
    click.echo("crossdesk gateway: ended; orders stay at the venue")


def _wait_for_word(ended: threading.Event) -> None:
    for line in sys.stdin:
        if line.strip() == WORD:
            ended.set()
            return
        click.echo(f"{WORD} ends the gateway")


def _print_events(engine: EngineThread, ended: threading.Event) -> None:
    while not ended.wait(LOOK_S):
        for line in engine.updates.take().events:
            click.echo(_describe(line))


def _describe(line: EventLine) -> str:
    at = datetime.fromtimestamp(line.wall_ms / 1000, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%SZ} {line.level.value:<5} {line.text}"
