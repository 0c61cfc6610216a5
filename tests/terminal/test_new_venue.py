"""The real program on a paper venue that is begun anew, or put back: what is traded is told, journaled and counted."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.terminal.conftest import STILL, Venue
from tests.terminal.journal import exported_journal
from tests.terminal.terminal import TOP, Terminal

Start = Callable[..., Terminal]


def take_one(desk: Terminal) -> None:
    """Buy the smallest size at the opposite touch."""
    desk.press("1")
    desk.until(lambda shown: any(re.search(r"▸[ ›]*BINANCE", line) for line in shown) or None, "the first pair")
    desk.press("b")
    desk.see("Staged", "BUY BINANCE BTC perp")
    desk.press("T")
    desk.see("would take")
    desk.press("enter")
    desk.see("FILL BUY")


def traded(start: Start, home: Path) -> tuple[str, list[dict[str, Any]]]:
    """One day of the program: arm, one fill, quit; the account id of its venue, and the fills of its journal."""
    desk = start(*STILL, home=home)
    desk.see("no open orders")
    account = Venue(home).line["account_id"]
    desk.press("a")
    desk.see("ARMED")
    take_one(desk)
    assert Venue(home).open_orders() == []
    desk.press("ctrl+q")
    if desk.process.poll() is None:
        desk.press("y")
    assert desk.wait() == 0
    return account, journaled(home, "fill")


def journaled(home: Path, kind: str) -> list[dict[str, Any]]:
    """What the journal of a home says of a kind."""
    return [row for row in exported_journal(home) if row["kind"] == kind]


def test_after_deleting_its_data_a_paper_venue_is_a_new_account(tmp_path: Path, start: Start) -> None:
    home = tmp_path / "home"
    first, fills = traded(start, home)
    assert len(fills) == 1
    assert [json.loads(row["payload"])["account_id"] for row in journaled(home, "account")] == [first]
    shutil.rmtree(home / "data")
    second, again = traded(start, home)
    assert second != first and len(again) == 1
    names = [json.loads(row["payload"])["transactionId"] for row in fills + again]
    assert names[0] == names[1], "the new venue counts from the same base: the ids come again"


def test_a_paper_venue_restored_from_backup_is_another_account(tmp_path: Path, start: Start) -> None:
    home = tmp_path / "home"
    first, _ = traded(start, home)
    shutil.copytree(home / "data", tmp_path / "kept")
    same, fills = traded(start, home)
    assert same == first and len(fills) == 2, "a state that goes on is the same account"
    shutil.rmtree(home / "data")
    shutil.copytree(tmp_path / "kept", home / "data")
    put_back, again = traded(start, home)
    assert put_back != first and len(again) == 1, "its one fill is told although its id was given before"


def test_a_relative_home_path_puts_the_paper_data_in_that_home(tmp_path: Path, start: Start) -> None:
    home = Path(os.path.relpath(tmp_path / "home", TOP))
    _, fills = traded(start, home)
    assert len(fills) == 1 and (tmp_path / "home" / "data" / "paper.db").exists()
