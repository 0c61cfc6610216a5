"""`crossdesk watch`: alerts without a screen, against the paper venue of a home; nothing is sent."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.forking import run_command
from tests.workstation.alerts.test_book import Watch
from tui.cli.commands.watch import EXAMPLE, _follow_kept, _open_book
from tui.cli.desks.shell_desk import ShellDesk
from tui.cli.preferences_file import PreferencesFile
from tui.workstation.model.screen_preferences import ALERTS_AT_FIRST, AlertState, ScreenPreferences

ETH = "BINANCE_PERP_ETH_USDT"


def watch(home: Path, *words: str) -> tuple[int, str, str]:
    """Run the command in a home; return its exit code and what it printed."""
    done = run_command("watch", *words, CROSSDESK_HOME=str(home))
    return done.returncode, done.stdout, done.stderr


def test_watch_once_prints_the_first_alert_that_comes_true(tmp_path: Path) -> None:
    code, shown, said = watch(tmp_path, "alert when BINANCE_PERP_BTC_USDT bid > 1", "--once", "--seconds", "60")
    assert code == 0 and "BINANCE BTC perp bid > 1: now " in shown
    assert "watching: BINANCE BTC perp bid > 1" in said
    code, shown, said = watch(tmp_path, "alert when BINANCE_PERP_BTC_USDT bid < 1", "--once", "--seconds", "1")
    assert (code, shown) == (4, "")


def test_watch_follows_the_alerts_that_the_desk_keeps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One that was set later needed a new watch, and one that was deleted rang on."""
    rig = Watch()
    file, window = (PreferencesFile(tmp_path / "screen.json") for _ in range(2))
    preferences = ScreenPreferences({}, [], window.read())
    watched: list[tuple[str, ...]] = []
    desk = cast(ShellDesk, SimpleNamespace(view=rig.view, engine=SimpleNamespace(watch=watched.append)))
    book = _open_book((), file.read(), desk)
    assert capsys.readouterr().err.count("watching: ") == len(ALERTS_AT_FIRST)
    preferences.alerts = [*preferences.alerts[1:], f"alert when {ETH} mark < 1"]
    window.write(preferences.encode())
    changed = file.read_changed()
    assert changed is not None
    _follow_kept(book, changed, desk)
    said = capsys.readouterr().err.splitlines()
    assert said == ["no longer watching: alert when fill", "watching: BINANCE ETH perp mark < 1"]
    assert ETH in watched[-1] and f"alert when {ETH} mark < 1" in book.texts()


def test_watch_does_not_repeat_an_alert_that_the_desk_has_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second terminal told an alert that the desk had told, and that was still true, once more."""
    rig, file = Watch(), PreferencesFile(tmp_path / "screen.json")
    preferences = ScreenPreferences({}, [], file.read())
    alerts = [f"alert when {pair} mark > 1" for pair in ("BINANCE_PERP_BTC_USDT", ETH)]
    preferences.alerts = alerts
    preferences.alert_states = {alerts[0]: AlertState(1_764_482_705_000, 1, True)}
    file.write(preferences.encode())
    desk = cast(ShellDesk, SimpleNamespace(view=rig.view, engine=SimpleNamespace(watch=list)))
    book = _open_book((), file.read(), desk)
    said = capsys.readouterr().err
    assert (
        "BTC perp mark > 1 (told 2025-11-30 at 06:05:05, again once it has been left)" in said
        and said.count("(told") == 1
    )
    assert [told.text.split(":")[0] for told in book.check()] == ["BINANCE ETH perp mark > 1"]


def test_watch_refuses_lines_and_figures_that_it_cannot_watch(tmp_path: Path) -> None:
    code, shown, said = watch(tmp_path, "alert when NOSUCH mark < 1")
    assert code != 0 and shown == "" and "NOSUCH" in said and "saved" not in said
    code, _, said = watch(tmp_path, "c last", "--seconds", "1")
    assert code == 2 and "'c last' is no alert; one is 'alert when BINANCE_PERP" in said
    code, _, said = watch(tmp_path, "alert when pnl < 0", "--seconds", "1")
    assert code != 0 and "pnl" in said


def test_the_help_example_of_command_watch_works(tmp_path: Path) -> None:
    code, _, said = watch(tmp_path, EXAMPLE, "--seconds", "0.1")
    assert code == 4 and "watching: BINANCE BTC perp mark < 60,000" in said
    assert EXAMPLE in run_command("watch", "--help").stdout.replace("\n  ", " ")
