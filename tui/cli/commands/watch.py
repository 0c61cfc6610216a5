"""`crossdesk watch`: the alerts of this home without a screen, one line each time one comes true."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from tui import paths
from tui.cli.credentials import protect_memory
from tui.crossdesk_error import CrossdeskError
from tui.settings import read

if TYPE_CHECKING:
    from tui.engine.life.thread import EngineThread
    from tui.workstation.features.alerts.book import AlertBook
    from tui.workstation.model.display_context import DisplayContext

READY_S = 30.0
"""Longest wait for the account, s."""
CHECK_S = 0.1
"""Seconds between two looks at the alerts."""


class NothingToWatch(CrossdeskError):
    """Error for a watch that has no alert or no account; its text contains the reason."""

    title = "Nothing to watch"


@click.command()
@click.argument("alerts", nargs=-1, metavar="[ALERT]...")
@click.option("--profile", metavar="NAME", help="A configured service instead of the paper venue of this home.")
@click.option("--once", is_flag=True, help="End with the first alert that comes true.")
@click.option("--seconds", type=click.FloatRange(min=0.1), metavar="N", help="End after this time with exit code 4.")
def command(alerts: tuple[str, ...], profile: str | None, once: bool, seconds: float | None) -> None:
    """Print alerts as they come true, such as "alert when BTC mark < 60000"; without one, those kept by the desk.

    Nothing is sent. Ctrl+C ends it.
    """
    from tui.cli.launcher import open_engine, read_preferences
    from tui.host import HostClock
    from tui.interface import decimals
    from tui.workstation.model.display_context import DisplayContext
    from tui.workstation.model.mirror import Mirror

    protect_memory()
    decimals.setup()
    config = read(paths.config_file())
    with open_engine(profile, config, name="watch", looks_only=True) as engine:
        view = DisplayContext(Mirror(HostClock()), HostClock(), config.workstation)
        engine.start()
        _wait_for_account(engine, view)
        book = _open_book(alerts, read_preferences(profile, config), engine, view)
        with suppress(KeyboardInterrupt):
            if not _watch(book, engine, view, once=once, seconds=seconds):
                raise SystemExit(4)


def _wait_for_account(engine: EngineThread, view: DisplayContext) -> None:
    """Take rows from the engine until the account and the pairs are known.

    Raises:
        NothingToWatch: They did not arrive in time.
    """
    pause, until = threading.Event(), view.now + READY_S
    while not (view.mirror.synced_once and view.mirror.symbols):
        if view.now > until:
            raise NothingToWatch(f"the account did not arrive within {READY_S:.0f} s")
        pause.wait(CHECK_S)
        view.mirror.apply(engine.updates.take())


def _open_book(lines: tuple[str, ...], stored: bytes, engine: EngineThread, view: DisplayContext) -> AlertBook:
    """Return the typed alerts, or without one the alerts stored by the desk; subscribe to the quotes they need.

    Raises:
        NothingToWatch: There is no alert, or a line is none.
    """
    from tui.workstation.features.alerts.book import AlertBook
    from tui.workstation.features.alerts.figures import READABLE
    from tui.workstation.features.alerts.kept import read_alerts
    from tui.workstation.model.screen_preferences import ScreenPreferences

    read_lines, warnings = read_alerts(lines or ScreenPreferences({}, [], stored).alerts, view.mirror.symbols)
    if warnings and lines:
        raise NothingToWatch(warnings[0])
    book = AlertBook(view)
    for alert in read_lines:
        unread = [test.field for test in alert.tests if test.sign and test.field not in READABLE]
        if unread:
            raise NothingToWatch(f"{unread[0]} is not watched; {', '.join(sorted(READABLE))} are")
        click.echo(f"watching: {book.add(alert).condition}", err=True)
    if not book.active:
        raise NothingToWatch('there is no alert: crossdesk watch "alert when BTC mark < 60000"')
    syms = {test.sym for active in book.active.values() for test in active.alert.tests if test.sym}
    engine.watch(tuple(sorted(syms | {fact.record.sym for fact in view.mirror.positions.values()})))
    return book


def _watch(book: AlertBook, engine: EngineThread, view: DisplayContext, *, once: bool, seconds: float | None) -> bool:
    """Print alerts as they come true, until the time is over or, with `once`, until the first; return if one ended it."""
    pause, until = threading.Event(), view.now + seconds if seconds is not None else float("inf")
    while view.now < until:
        view.mirror.apply(engine.updates.take())
        told = book.check()
        for alert in told:
            click.echo(f"{view.moment(int(view.clock.wall() * 1000))} {alert.text}")
        if told and once:
            return True
        pause.wait(CHECK_S)
    return False
