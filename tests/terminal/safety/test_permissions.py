"""Files of a session: only their owner can read them, whatever the machine's mask, its folders and planted links are."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.terminal.conftest import STILL, Venue
from tests.terminal.misbehaving import KEY_NAMES
from tests.terminal.terminal import Terminal
from tests.terminal.trader import at_the_desk

Start = Callable[..., Terminal]

FOLDERS = ("state", "state/paper", "data", "run")
"""Folders of a home that hold what is private, 0700."""
JOURNAL = ("journal.db", "journal.db-wal", "journal.db-shm", "journal.db-mark")
FILES = {
    *(f"state/paper/{name}" for name in (*JOURNAL, "desk.lock")),
    "data/paper.db",
    "run/paper.json",
}
"""Files of a running session, 0600."""
NAMES = (
    ("state/paper/journal.db",),
    ("state/paper/desk.lock",),
    ("state/paper/crossdesk.log",),
    ("data/paper.db",),
    (
        *(f"state/paper/{name}" for name in ("journal.db.new", "journal.db-mark.new", "journal.db.look", "crash.log")),
        *(f"state/paper/{name}" for name in ("ids", "ids.new", "screen.json", "screen.new")),
        "data/paper.db-journal",
        "run/paper.json",
    ),
)
"""Names that a session may write under; those of one group let it go on to the others. Unit tests try the rest."""


@pytest.fixture
def open_mask(as_users_start_it: None) -> Iterator[None]:
    """The worst mask: whatever is made without a mode of its own, everybody can write."""
    before = os.umask(0)
    yield
    os.umask(before)


def modes(home: Path) -> dict[str, int]:
    """Every name under a home and its mode."""
    return {str(one.relative_to(home)): stat.S_IMODE(one.lstat().st_mode) for one in home.rglob("*")}


def leave(desk: Terminal) -> None:
    desk.press("ctrl+q")
    desk.press("y")
    desk.wait(10)


def _answered(display: list[str]) -> bool:
    """In step, or refused with a reason."""
    text = "\n".join(display)
    return any(words in text for words in ("no open orders", "link", "crossdesk: "))


def wrong(home: Path) -> dict[str, str]:
    """Names whose mode is not that of the table; configuration and themes may be read by all."""
    table = {True: 0o700, False: 0o600}
    return {
        name: oct(mode)
        for name, mode in modes(home).items()
        if not name.startswith("config") and mode != table[(home / name).is_dir()]
    }


@pytest.mark.usefixtures("open_mask")
def test_s39_s41_all_session_files_are_private_with_umask_0(start: Start, tmp_path: Path) -> None:
    desk = start(*STILL, daily_ask=True)
    desk.see("no open orders")
    Venue(desk.home)
    found = modes(desk.home)
    assert set(found) >= FILES, FILES - set(found)
    assert set(FOLDERS) <= set(found)
    assert wrong(desk.home) == {}
    leave(desk)
    assert wrong(desk.home) == {}
    assert stat.S_IMODE(desk.home.lstat().st_mode) & 0o022 == 0


@pytest.mark.usefixtures("open_mask")
def test_s39_a_damaged_journal_is_set_aside_as_private_file(start: Start, tmp_path: Path) -> None:
    place = tmp_path / "home" / "state" / "paper"
    place.mkdir(parents=True)
    for folder in (place, place.parent):
        folder.chmod(0o700)
    (place / "journal.db").write_bytes(b"no journal" * 1000)
    desk = start(*STILL)
    (kept,) = desk.until(lambda _: list(place.glob("journal.db.bad.*")) or None, "the damaged file set aside")
    # The status line has only the newest word; the events keep all of them.
    desk.press("4", ")", ")")
    desk.see("the journal was damaged")
    assert kept.read_bytes() == b"no journal" * 1000
    assert wrong(tmp_path / "home") == {}


@pytest.mark.parametrize("folder", FOLDERS)
def test_s41_a_folder_that_others_can_write_to_is_refused(start: Start, tmp_path: Path, folder: str) -> None:
    place = tmp_path / "home" / folder
    place.mkdir(parents=True)
    place.chmod(0o777)
    desk = start(*STILL)
    desk.see("others can write to it; run: chmod 700")
    assert desk.wait(10) == 2
    assert [one for one in place.rglob("*") if one.is_file()] == []
    place.chmod(0o700)


def test_f100_a_second_instance_does_not_open_the_journal(start: Start, tmp_path: Path) -> None:
    with at_the_desk(start, tmp_path) as trader:
        trader.come_in()
        (journal,) = (tmp_path / "home").rglob("journal.db")
        key = trader.venue.ready["keys"][0]
        secrets = {KEY_NAMES["key_env"]: key["api_key"], KEY_NAMES["secret_env"]: key["api_secret"]}
        second = start("--profile", "desk", home=tmp_path / "home", environment=secrets)
        second.see("LIVE. Type the portfolio name")
        second.press("main", "enter")
        trader.desk.see("desk 2 attached")
        second.see("VIEW", "uniMMR")
        assert _holders(journal) == {trader.desk.process.pid}


def _holders(path: Path) -> set[int]:
    """Processes that have a file open."""
    found = set()
    for descriptor in Path("/proc").glob("[0-9]*/fd/*"):
        with suppress(OSError):
            if descriptor.readlink() == path:
                found.add(int(descriptor.parts[2]))
    return found


@pytest.mark.parametrize("names", NAMES, ids=lambda names: names[0].rpartition("/")[2])
def test_s41_planted_symbolic_links_are_never_followed(start: Start, tmp_path: Path, names: tuple[str, ...]) -> None:
    home, victims = tmp_path / "home", dict[str, Path]()
    for folder in FOLDERS:
        (home / folder).mkdir(parents=True, exist_ok=True)
        (home / folder).chmod(0o700)
    for name in names:
        victim = victims[name] = tmp_path / f"victim of {name.rpartition('/')[2]}"
        victim.write_text("precious")
        victim.chmod(0o644)
        (home / name).symlink_to(victim)
    desk = start(*STILL)
    desk.until(_answered, f"an answer with links at {names}")
    if desk.process.poll() is None:
        leave(desk)
    for name, victim in victims.items():
        assert (victim.read_text(), stat.S_IMODE(victim.lstat().st_mode)) == ("precious", 0o644), name
