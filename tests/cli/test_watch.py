"""`crossdesk watch`: alerts without a screen, against the paper venue of a home; nothing is sent."""

from __future__ import annotations

from pathlib import Path

from tests.forking import run_command
from tui.cli.commands.watch import EXAMPLE


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


def test_watch_of_the_desks_alerts_takes_no_later_one(tmp_path: Path) -> None:
    code, _, said = watch(tmp_path, "--seconds", "0.1")
    first, *listed = said.splitlines()
    assert code == 4 and first.endswith("not one that is set from now on: that needs a new watch"), said
    assert listed and all(line.startswith("watching: ") for line in listed), said
    assert "from now on" not in watch(tmp_path, EXAMPLE, "--seconds", "0.1")[2]


def test_watch_names_what_it_cannot_watch(tmp_path: Path) -> None:
    code, shown, said = watch(tmp_path, "alert when NOSUCH mark < 1")
    assert code != 0 and shown == "" and "NOSUCH" in said and "saved" not in said
    code, _, said = watch(tmp_path, "c last", "--seconds", "1")
    assert code == 2 and "'c last' is no alert; one is 'alert when BINANCE_PERP" in said
    code, _, said = watch(tmp_path, "alert when pnl < 0", "--seconds", "1")
    assert code != 0 and "pnl" in said


def test_the_example_of_watch_works_without_a_cursor(tmp_path: Path) -> None:
    code, _, said = watch(tmp_path, EXAMPLE, "--seconds", "0.1")
    assert code == 4 and "watching: BINANCE BTC perp mark < 60000" in said
    assert EXAMPLE in run_command("watch", "--help").stdout.replace("\n  ", " ")
