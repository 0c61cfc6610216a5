"""The journal loses nothing it promised, notices damage, and never writes what it cannot keep."""

from __future__ import annotations

import asyncio
import resource
import shutil
import sqlite3
import stat
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.client.fakes import FakeClock, until
from tests.engine.conftest import StateRig
from tui.engine.event_line import Level
from tui.engine.journal import high_water
from tui.engine.journal import writer as journal_module
from tui.engine.journal.high_water import HighWater, Mark
from tui.engine.journal.journal_file import TAILS, JournalFile, read
from tui.engine.journal.journal_rows import Entry, chain_hash
from tui.engine.journal.memory_journal import MemoryJournal
from tui.engine.journal.writer import SqliteJournal
from tui.host import HostClock
from tui.protocols import Journal, JournalUnwritable


async def filled(path: Path, count: int = 5) -> None:
    journal = SqliteJournal(path, FakeClock())
    for number in range(count):
        await journal.record("intent", f'{{"n":{number}}}', intent_id=f"i{number}", client_order_id=f"c{number}")
    await journal.close()


async def test_journal_entries_are_read_back_in_order(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path, FakeClock())
    assert await journal.record("intent", "{}", intent_id="a", client_order_id="c", order_id="o", epoch=3) == 1
    journal.enqueue("note", "later")
    modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()}
    assert set(modes.values()) == {0o600}
    await journal.close()
    again = SqliteJournal(path, FakeClock())
    entries = await again.entries()
    assert [(entry.seq, entry.kind, entry.payload) for entry in entries] == [(1, "intent", "{}"), (2, "note", "later")]
    assert (entries[0].client_order_id, entries[0].order_id) == ("c", "o")
    assert again.error == ""
    await again.close()
    await again.close()


async def test_i9_an_acknowledged_journal_entry_is_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path, FakeClock())
    numbers = await asyncio.gather(*(journal.record("intent", str(number)) for number in range(50)))
    with sqlite3.connect(path) as reader:
        (count,) = reader.execute("SELECT count(*) FROM journal").fetchone()
    assert (numbers, count) == (list(range(1, 51)), 50)
    await journal.close()


@pytest.mark.parametrize("damage", ["flipped bit", "garbage", "half", "directory", "missing row", "empty"])
async def test_f96_a_damaged_journal_is_set_aside_and_a_new_one_begun(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "journal.db"
    await filled(path)
    if damage == "directory":
        path.unlink()
        path.mkdir()
    elif damage == "garbage":
        path.write_bytes(b"not a database at all" * 100)
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "half":
        raw = path.read_bytes()
        path.write_bytes(raw[: len(raw) // 2])
    else:
        statement = "DELETE FROM journal WHERE seq = 2" if damage == "missing row" else _FLIP
        with sqlite3.connect(path) as writer:
            writer.execute(statement)
        writer.close()
    journal = SqliteJournal(path, FakeClock())
    assert await journal.entries() == []
    assert "set aside" in journal.set_aside
    assert await journal.record("intent", "{}") == 1
    assert list(tmp_path.glob("journal.db.bad.*"))
    await journal.close()


async def test_f96_two_damaged_journals_in_one_second_are_both_kept(tmp_path: Path) -> None:
    for text in (b"one", b"two"):
        (tmp_path / "journal.db").write_bytes(text)
        file = JournalFile(tmp_path / "journal.db", lambda: 7.0)
        file.close()
    kept = {one.name: one.read_bytes() for one in tmp_path.glob("journal.db.bad.?")}
    assert kept == {"journal.db.bad.7": b"one", "journal.db.bad.8": b"two"}
    assert {stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()} == {0o600}


def first_version(path: Path, count: int) -> None:
    """A journal as the first version wrote it."""
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = WAL")
    columns = "seq INTEGER PRIMARY KEY, previous TEXT NOT NULL, hash TEXT NOT NULL, wall_ms INTEGER NOT NULL,"
    database.execute(
        f"""
CREATE TABLE IF NOT EXISTS journal (
    {columns} mono REAL NOT NULL,
    epoch INTEGER NOT NULL, kind TEXT NOT NULL, intent_id TEXT NOT NULL, client_order_id TEXT NOT NULL,
    order_id TEXT NOT NULL, payload TEXT NOT NULL)
"""
    )
    database.execute("PRAGMA user_version = 1")
    last = ""
    for seq in range(1, count + 1):
        entry = Entry(seq=seq, wall_ms=5, mono=1.5, epoch=1, kind="intent", intent_id="i", client_order_id=f"c{seq}",
                      order_id="", payload="{}")  # fmt: skip
        hashed = chain_hash(last, entry)
        row = (seq, last, hashed, 5, 1.5, 1, "intent", "i", f"c{seq}", "", "{}")
        database.execute("INSERT INTO journal VALUES (?,?,?,?,?,?,?,?,?,?,?)", row)
        last = hashed
    database.commit()
    for tail in ("", "-wal"):
        shutil.copyfile(f"{path}{tail}", f"{path}.kept{tail}")
    database.close()
    for tail in ("", "-wal"):
        path.with_name(f"{path.name}.kept{tail}").replace(f"{path}{tail}")


async def test_a_first_version_journal_is_migrated(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    first_version(path, 5)
    journal = SqliteJournal(path, FakeClock())
    assert [entry.client_order_id for entry in await journal.entries()] == ["c1", "c2", "c3", "c4", "c5"]
    assert (journal.set_aside, journal.error) == ("", "")
    assert await journal.record("intent", "{}") == 6
    await journal.close()
    (tmp_path / "journal.db-mark").unlink()
    again = SqliteJournal(path, FakeClock())
    assert await again.entries() == []
    assert "high-water mark is missing" in again.set_aside
    await again.close()


async def test_a_half_migrated_journal_is_opened_whole(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    first_version(path, 5)
    with sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True) as reader:
        newest = Mark(*reader.execute("SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1").fetchone())
    reader.close()
    high_water.create(tmp_path / "journal.db-mark", newest)
    again = SqliteJournal(path, FakeClock())
    assert (len(await again.entries()), again.set_aside) == (5, "")
    await again.close()


def test_a_journal_append_fails_without_its_high_water_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = JournalFile(tmp_path / "journal.db", lambda: 7.0)
    draft = Entry(seq=0, wall_ms=5, mono=1.5, epoch=1, kind="intent", intent_id="i", client_order_id="c",
                  order_id="", payload="{}")  # fmt: skip

    def refuse(_self: HighWater, _mark: Mark) -> None:
        raise OSError("no space")

    with monkeypatch.context() as broken:
        broken.setattr(HighWater, "write", refuse)
        with pytest.raises(OSError, match="no space"):
            file.append([draft])
    number = file.append([draft])[-1]
    file.close()
    again = JournalFile(tmp_path / "journal.db", lambda: 7.0)
    assert (len(again.entries()), again.set_aside) == (number, "")
    again.close()


@pytest.mark.usefixtures("writes_no_bytecode")
def test_a_full_disk_is_reported_until_there_is_room(tmp_path: Path) -> None:
    file = JournalFile(tmp_path / "journal.db", lambda: 7.0)
    draft = Entry(seq=0, wall_ms=5, mono=1.5, epoch=1, kind="intent", intent_id="i", client_order_id="c",
                  order_id="", payload="{}")  # fmt: skip
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        with pytest.raises((OSError, sqlite3.Error)):
            file.append([draft])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert file.append([draft]) == [1]
    file.close()


async def test_journal_inspection_counts_missing_entries(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    await filled(path)
    assert (len(read(path)[0]), read(path)[1]) == (5, "")
    with sqlite3.connect(path) as writer:
        writer.execute("DELETE FROM journal WHERE seq > 3")
    writer.close()
    assert (len(read(path)[0]), read(path)[1]) == (3, "2 entries behind number 3 are missing")


@pytest.mark.parametrize("name", ["journal.db-journal", "journal.db.new-journal", "journal.db.look-wal"])
async def test_f96_leftover_files_of_a_crash_do_not_harm_the_journal(tmp_path: Path, name: str) -> None:
    path = tmp_path / "journal.db"
    (tmp_path / name).write_bytes(b"left behind " * 500)
    first = SqliteJournal(path, FakeClock())
    assert await first.record("intent", "{}") == 1
    await first.close()
    assert bool(first.set_aside) == (name == "journal.db-journal")
    again = SqliteJournal(path, FakeClock())
    assert (len(await again.entries()), again.set_aside, again.error) == (1, "", "")
    await again.close()


class Full:
    """A disk that takes nothing until there is room."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.full = True
        write = JournalFile.commit

        def commit(file: JournalFile, drafts: Sequence[Entry]) -> list[int]:
            if self.full:
                raise OSError("no space left")
            return write(file, drafts)

        patch.setattr(JournalFile, "commit", commit)
        patch.setattr(journal_module, "RETRY", 0.01)


async def test_f94_journal_notes_wait_for_disk_space_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Full(monkeypatch)
    monkeypatch.setattr(journal_module, "MAX_BATCH", 7)
    journal = SqliteJournal(tmp_path / "journal.db", HostClock())
    for number in range(20):
        journal.enqueue("push", str(number))
    with pytest.raises(JournalUnwritable, match="no space left"):
        await journal.record("intent", "refused")
    journal.enqueue("push", "20")
    assert "no space left" in journal.error
    disk.full = False
    await until(lambda: not journal.error)
    assert await journal.record("intent", "kept") == 22
    payloads = [entry.payload for entry in await journal.entries()]
    assert payloads == [*(str(number) for number in range(21)), "kept"]
    await journal.close()


async def test_f94_dropped_journal_notes_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Full(monkeypatch)
    monkeypatch.setattr(journal_module, "MAX_WAITING", 3)
    journal = SqliteJournal(tmp_path / "journal.db", HostClock())
    for number in range(8):
        journal.enqueue("push", str(number))
        with pytest.raises(JournalUnwritable):
            await journal.record("intent", "refused")
    disk.full = False
    assert await journal.record("intent", "kept") == 5
    assert [entry.payload for entry in await journal.entries()] == ["5 notes were not written", "5", "6", "7", "kept"]
    assert await journal.record("intent", "more") == 6
    await journal.close()


_FLIP = "UPDATE journal SET payload = '{\"n\":9}' WHERE seq = 3"


async def test_f98_a_journal_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    await filled(path)
    with sqlite3.connect(path) as writer:
        writer.execute("PRAGMA user_version = 99")
    writer.close()
    journal = SqliteJournal(path, FakeClock())
    with pytest.raises(JournalUnwritable, match="newer version"):
        await journal.record("intent", "{}")
    assert "newer version" in journal.error
    assert not list(tmp_path.glob("*.bad.*"))
    await journal.close()


async def test_f99_an_unwritable_journal_path_is_reported(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "nowhere" / "journal.db", FakeClock())
    with pytest.raises(JournalUnwritable, match="cannot be opened"):
        await journal.record("intent", "{}")
    journal.enqueue("note", "lost")
    await journal.close()


@pytest.mark.parametrize("name", [f"journal.db{tail}" for tail in TAILS])
async def test_s41_a_symbolic_link_as_journal_is_refused(tmp_path: Path, name: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / name).symlink_to(victim)
    journal = SqliteJournal(tmp_path / "journal.db", FakeClock())
    with pytest.raises(JournalUnwritable, match=f"{name} is a link; accepted is a plain file"):
        await journal.record("intent", "{}")
    assert victim.read_text() == "precious"
    await journal.close()


async def test_s39_text_in_journal_entries_is_never_run_as_sql(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "journal.db", FakeClock())
    await journal.record("intent", "'); DROP TABLE journal; --", client_order_id="' OR 1=1", order_id="\x00\ud800")
    assert len(await journal.entries()) == 1
    await journal.close()


async def test_the_memory_journal_behaves_like_the_file_journal() -> None:
    clock = FakeClock(wall=1_700_000_000.25)
    clock.advance(3.5)
    journal = MemoryJournal(clock)
    kept: Journal = journal
    assert await kept.record("intent", "a") == 1
    kept.enqueue("note", "b")
    assert await kept.record("reply", "c", intent_id="i", client_order_id="x", order_id="7", epoch=2) == 3
    kept.enqueue("push", "d", intent_id="j", client_order_id="y", order_id="8", epoch=3)
    plain = Entry(
        seq=1, wall_ms=1_700_000_003_750, mono=3.5, epoch=0, kind="intent", intent_id="", client_order_id="",
        order_id="", payload="a",
    )  # fmt: skip
    told: dict[str, Any] = {"intent_id": "i", "client_order_id": "x", "order_id": "7", "epoch": 2}
    late: dict[str, Any] = {"intent_id": "j", "client_order_id": "y", "order_id": "8", "epoch": 3}
    entries = [
        plain,
        msgspec.structs.replace(plain, seq=2, kind="note", payload="b"),
        msgspec.structs.replace(plain, seq=3, kind="reply", payload="c", **told),
        msgspec.structs.replace(plain, seq=4, kind="push", payload="d", **late),
    ]
    assert await kept.entries() == entries
    assert journal.after_crash().lines == entries[:3], "nobody waited for the last one"
    journal.failure = "disk full"
    with pytest.raises(JournalUnwritable, match="disk full"):
        await kept.record("intent", "e")
    kept.enqueue("note", "f")
    assert (kept.error, await kept.entries()) == ("disk full", entries)
    await kept.close()
    assert journal.after_crash().lines == entries, "what is closed is on disk"


async def test_i9_a_steady_stream_of_notes_is_written_without_a_pause(tmp_path: Path) -> None:
    """There is never a pause in which to write them; they are written all the same."""
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path, HostClock())
    await journal.entries()
    count = 0
    async with asyncio.timeout(45):
        while count < 15:
            journal.enqueue("push", str(count))
            await asyncio.sleep(0.01)
            with sqlite3.connect(path) as reader:
                (count,) = reader.execute("SELECT count(*) FROM journal").fetchone()
    await journal.close()


def test_an_event_has_one_time_on_the_screen_and_in_the_journal(
    bare: StateRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that compares what it saw with what the journal kept found them a millisecond apart."""
    times = count(1_700_000_000.0, 0.001)
    monkeypatch.setattr(bare.clock, "wall", lambda: next(times))
    bare.state.notify(Level.INFO, "resumed")
    [line] = bare.screen.look().events
    assert bare.journal.lines[-1].wall_ms == line.wall_ms
