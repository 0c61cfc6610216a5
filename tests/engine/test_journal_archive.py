"""The journal keeps to the days it needs: what is older stands in archives, the chain goes on, nothing open moves."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from tests.client.fakes import FakeClock
from tests.engine.conftest import buy
from tui.engine import journal_file, restore
from tui.engine.journal import SqliteJournal
from tui.engine.journal_file import Entry, JournalFile, read, read_all
from tui.interface import decimals

DAY_MS = 86_400_000
NOW_MS = 1_700_000_000_000


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive is worth while from ten entries on."""
    decimals.setup()
    monkeypatch.setattr(journal_file, "LEAST_ARCHIVED", 10)


def entry(number: int, *, days: float = 0, kind: str = "note", payload: str = "{}", cid: str = "") -> Entry:
    return Entry(
        seq=0, wall_ms=NOW_MS - int(days * DAY_MS), mono=number / 7, epoch=1, kind=kind, intent_id=f"i{number}",
        client_order_id=cid, order_id="", payload=payload,
    )  # fmt: skip


def filled(path: Path, *entries: Entry) -> None:
    file = JournalFile(path, lambda: 7.0)
    for one in entries:
        file.append([one])
    file.close()


def opened(path: Path, first: int) -> JournalFile:
    return JournalFile(path, lambda: 7.0, lambda _: first)


def kept(file: JournalFile) -> list[int]:
    numbers = [one.seq for one in file.entries()]
    file.close()
    assert not file.set_aside
    return numbers


def test_old_entries_move_to_an_archive_and_the_chain_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    filled(path, *(entry(number) for number in range(30)))
    whole = read(path)[0]
    file = opened(path, 21)
    assert [one.seq for one in file.entries()] == list(range(21, 31))
    assert file.append([entry(30)]) == [31]
    file.close()
    names = {one.name: stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()}
    assert names == dict.fromkeys(("journal.db", "journal.db-mark", "journal-1-20.sqlite"), 0o600)
    assert kept(opened(path, 21)) == list(range(21, 32)), "what is little stays"
    assert (len(read(path)[0]), read(path)[1]) == (11, "")
    assert (read_all(path)[0][:30], read_all(path)[1]) == (whole, "")
    assert kept(opened(path, 32)) == []
    assert (len(read_all(path)[0]), read_all(path)[1]) == (31, "")
    file = opened(path, 0)
    assert file.append([entry(31)]) == [32]
    file.close()
    assert [one.seq for one in read_all(path)[0]] == list(range(1, 33))


@pytest.mark.parametrize("damage", ["row", "base", "archive", "archive gone"])
def test_i9_damage_around_an_archive_is_noticed(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "journal.db"
    filled(path, *(entry(number) for number in range(30)))
    opened(path, 21).close()
    archive = tmp_path / "journal-1-20.sqlite"
    if damage == "archive gone":
        archive.unlink()
    else:
        statement = {
            "row": "DELETE FROM journal WHERE seq = 21",
            "base": "UPDATE base SET seq = 22, hash = (SELECT hash FROM journal WHERE seq = 22)",
            "archive": "UPDATE journal SET payload = '' WHERE seq = 7",
        }[damage]
        with sqlite3.connect(archive if damage == "archive" else path) as writer:
            writer.execute(statement)
        writer.close()
    words = {
        "row": "entry 21 does not fit",
        "base": "entry 23 does not fit",
        "archive": "entry 7 does not fit",
        "archive gone": "archived entries up to 20 are missing",
    }[damage]
    assert words in read_all(path)[1]
    file = JournalFile(path, lambda: 7.0)
    assert bool(file.set_aside) == (damage in ("row", "base"))
    file.close()


@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_i9_a_death_while_archiving_loses_nothing_and_is_done_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    path = tmp_path / "journal.db"
    filled(path, *(entry(number) for number in range(30)))
    calls = 0
    before = (journal_file._make, Path.rename)

    class Died(BaseException):
        pass

    def counted(what: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            nonlocal calls
            calls += 1
            if calls == step:
                raise Died
            return what(*arguments)

        return call

    with monkeypatch.context() as broken:
        broken.setattr(journal_file, "_make", counted(before[0]))
        broken.setattr(Path, "rename", counted(before[1]))
        with pytest.raises(Died):
            opened(path, 21)
    assert (len(read_all(path)[0]), read_all(path)[1]) == (30, "")
    assert kept(opened(path, 21)) == list(range(21, 31))
    assert (len(read_all(path)[0]), read_all(path)[1]) == (30, "")


def test_a_disk_without_room_for_an_archive_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.db"
    filled(path, *(entry(number) for number in range(30)))

    def full(*_: object) -> None:
        raise OSError("no space")

    monkeypatch.setattr(journal_file, "_make", full)
    file = opened(path, 21)
    assert file.append([entry(30)]) == [31]
    assert kept(file) == list(range(1, 32))


def test_while_somebody_reads_nothing_is_archived(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    filled(path, *(entry(number) for number in range(30)))
    with sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True) as reader:
        rows = reader.execute("SELECT * FROM journal")
        rows.fetchone()
        file = opened(path, 21)
        assert file.append([entry(30)]) == [31]
        assert kept(file) == list(range(1, 32))
        assert len(rows.fetchall()) == 29
    reader.close()


# -- what must stay -----------------------------------------------------------------------------------------------------


def place(number: int, days: float) -> Entry:
    meant = msgspec.json.encode({"kind": "Place", "intent": buy(), "args": {}}).decode()
    return entry(number, days=days, kind="intent", payload=meant, cid=f"c{number}")


def numbered(entries: Sequence[Entry]) -> list[Entry]:
    return [msgspec.structs.replace(one, seq=number) for number, one in enumerate(entries, 1)]


ENDED = '"x"'


@pytest.mark.parametrize(
    ("entries", "first"),
    [
        ([], 0),
        ([entry(1, days=9), entry(2, days=8), entry(3, days=6), entry(4)], 3),
        ([entry(1, days=9), entry(2, days=8)], 3),
        ([entry(1, days=9), place(2, 8.5), entry(3, days=8), entry(4)], 2),
        ([place(1, 9), entry(2, days=9, kind="not_sent", payload=ENDED, cid="c1"), place(3, 8), entry(4, days=8)], 3),
        ([place(1, 9), entry(2, days=8, kind="dismiss", payload=ENDED, cid="c1"), entry(3)], 3),
    ],
)  # fmt: skip
def test_the_last_days_and_every_order_without_an_end_stay(entries: list[Entry], first: int) -> None:
    assert restore.first_needed(numbered(entries), NOW_MS / 1000) == first


async def test_the_journal_archives_at_its_start_and_what_is_open_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    old = [entry(number, days=9) for number in range(15)]
    filled(path, *old, place(15, 8), *(entry(number, days=8) for number in range(16, 40)), entry(40))
    journal = SqliteJournal(path, FakeClock(wall=NOW_MS / 1000))
    entries = await journal.entries()
    assert (entries[0].seq, entries[0].client_order_id, journal.set_aside, journal.trouble) == (16, "c15", "", "")
    past = restore.read(entries, portfolio="", now=0.0, wall=NOW_MS / 1000)
    assert [row.client_order_id for row in past.rows] == ["c15"]
    await journal.close()
    assert (tmp_path / "journal-1-15.sqlite").exists()
