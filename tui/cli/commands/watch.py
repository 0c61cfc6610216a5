"""`crossdesk watch`: the alerts of this home without a screen, one line each time one comes true."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from tui import paths
from tui.cli.credentials import protect_memory
from tui.cli.desks.folded_lines import echo_folded
from tui.crossdesk_error import CrossdeskError
from tui.settings import read

if TYPE_CHECKING:
    from tui.cli.desks.shell_desk import ShellDesk
    from tui.cli.preferences_file import PreferencesFile
    from tui.workstation.command_line.grammar.syntax import Alert
    from tui.workstation.features.alerts.book import AlertBook
    from tui.workstation.model.display_context import DisplayContext

EXAMPLE = "alert when BINANCE_PERP_BTC_USDT mark < 60000"
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
def command(alerts: tuple[str, ...], profile: str | None, seconds: float | None, *, once: bool) -> None:
    """Print alerts as they come true, such as "alert when BINANCE_PERP_BTC_USDT mark < 60000".

    Without one, those kept by the desk, also those set or deleted meanwhile. Nothing is sent. Ctrl+C ends it.
    """
    from tui.cli.desks.shell_desk import open_desk
    from tui.cli.launcher import open_preferences
    from tui.interface import decimals

    protect_memory()
    decimals.setup()
    config = read(paths.config_file())
    with open_desk(profile, config, name="watch", looks_only=True) as desk:
        kept = open_preferences(profile, config)
        book = _open_book(alerts, kept.read(), desk)
        with suppress(KeyboardInterrupt):
            if not _watch(book, desk, None if alerts else kept, once=once, seconds=seconds):
                raise SystemExit(4)


def _open_book(lines: tuple[str, ...], stored: bytes, desk: ShellDesk) -> AlertBook:
    """Return the alerts of the command line, or without any those stored by the desk; subscribe to their pairs' quotes.

    Raises:
        NothingToWatch: There is no alert, or a line is none.
    """
    from tui.workstation.features.alerts.book import AlertBook

    book = AlertBook(desk.view)
    if lines:
        for alert in _read_typed(lines, desk.view):
            book.add(alert)
        _name_watched(book, set(), desk)
    else:
        _follow_kept(book, stored, desk)
    if not book.active:
        raise NothingToWatch(f'there is no alert: crossdesk watch "{EXAMPLE}"')
    return book


def _follow_kept(book: AlertBook, stored: bytes, desk: ShellDesk) -> None:
    """Replace the watched alerts by those that the desk stores, print which were added or removed, subscribe to quotes."""
    from tui.workstation.features.alerts.kept import read_alerts
    from tui.workstation.model.screen_preferences import ScreenPreferences

    before = set(book.texts())
    preferences = ScreenPreferences({}, [], stored)
    alerts, _ = read_alerts(preferences.alerts, desk.view.mirror.symbols)
    # At its start it takes over what the desk has told; later both tell a new one when it comes true.
    book.follow(alerts, {} if before else preferences.alert_states, preferences.alert_numbers)
    for text in before - set(book.texts()):
        echo_folded(f"no longer watching: {text}", err=True)
    _name_watched(book, before, desk)


def _name_watched(book: AlertBook, before: set[str], desk: ShellDesk) -> None:
    """Print each watched alert that is not in `before`, and subscribe to the quotes of all alerts and positions."""
    for active in book.active.values():
        if active.text not in before:
            told = (
                f" (told {_name_time(active.fired_ms, desk.view)}, again once it has been left)" if active.true else ""
            )
            echo_folded(f"watching: {book.describe(active)}{told}", err=True)
    syms = {test.sym for active in book.active.values() for test in active.alert.tests if test.sym}
    desk.engine.watch(tuple(sorted(syms | {fact.record.sym for fact in desk.view.mirror.positions.values()})))


def _name_time(at_ms: int, view: DisplayContext) -> str:
    """Format a time as the time of day, with the date before it unless it is today."""
    day, today = view.day_of(at_ms), view.day_of(int(view.server_wall * 1000))
    return f"{'' if day == today else f'{day} '}at {view.moment(at_ms)}"


def _read_typed(lines: Sequence[str], view: DisplayContext) -> list[Alert]:
    """Parse the alerts given on the command line.

    Raises:
        NothingToWatch: A line is none.
    """
    from tui.workstation.command_line.grammar.parser import parse
    from tui.workstation.command_line.grammar.refusals import LineRefused
    from tui.workstation.command_line.grammar.scene import Scene
    from tui.workstation.command_line.grammar.syntax import Alert

    alerts: list[Alert] = []
    for line in lines:
        try:
            commands = [step.command for step in parse(line, Scene(view.mirror.symbols)).steps]
        except LineRefused as refused:
            raise NothingToWatch(f"{line!r}: {refused}") from None
        if len(commands) != 1 or not isinstance(commands[0], Alert):
            raise NothingToWatch(f"{line!r} is no alert; one is {EXAMPLE!r}")
        alerts.append(commands[0])
    return alerts


def _watch(
    book: AlertBook, desk: ShellDesk, kept: PreferencesFile | None, *, once: bool, seconds: float | None
) -> bool:
    """Print alerts as they come true, until the time is over or, with `once`, until the first; return whether one ended it.

    Args:
        book: The alerts.
        desk: The desk.
        kept: File of the alerts of the desk, which are followed; None: the alerts were typed.
        once: Whether the first alert ends it.
        seconds: Time, s; None: without end.

    Raises:
        NotDone: No more rows come: the engine has stopped, or the desk that holds the account is silent.
    """
    view = desk.view
    pause, until = threading.Event(), view.now + seconds if seconds is not None else float("inf")
    while view.now < until:
        if kept is not None and (changed := kept.read_changed()) is not None:
            _follow_kept(book, changed, desk)
        view.mirror.apply(desk.engine.updates.take())
        desk.check()
        told = book.check()
        for alert in told:
            echo_folded(f"{view.moment(int(view.clock.wall() * 1000))} {alert.text}")
        if told and once:
            return True
        pause.wait(CHECK_S)
    return False
