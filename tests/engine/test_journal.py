"""The journal loses nothing it promised, notices damage, and never writes what it cannot keep."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
from pathlib import Path

import pytest

from tests.client.fakes import FakeClock
from tui.engine.journal import SqliteJournal
from tui.engine.memory_journal import MemoryJournal
from tui.host import HostClock
from tui.seams import Journal, JournalUnwritable


async def filled(path: Path, count: int = 5) -> None:
    journal = SqliteJournal(path, FakeClock())
    for number in range(count):
        await journal.record("intent", f'{{"n":{number}}}', intent_id=f"i{number}", client_order_id=f"c{number}")
    await journal.close()


async def test_entries_come_back_in_order_and_private(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path, FakeClock())
    assert await journal.record("intent", "{}", intent_id="a", client_order_id="c", order_id="o", epoch=3) == 1
    journal.note("note", "later")
    modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()}
    assert set(modes.values()) == {0o600}
    await journal.close()
    again = SqliteJournal(path, FakeClock())
    entries = await again.entries()
    assert [(entry.seq, entry.kind, entry.payload) for entry in entries] == [(1, "intent", "{}"), (2, "note", "later")]
    assert (entries[0].client_order_id, entries[0].order_id) == ("c", "o")
    assert again.trouble == ""
    await again.close()
    await again.close()


async def test_i9_what_was_acknowledged_is_on_disk_at_once(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path, FakeClock())
    numbers = await asyncio.gather(*(journal.record("intent", str(number)) for number in range(50)))
    with sqlite3.connect(path) as reader:
        (count,) = reader.execute("SELECT count(*) FROM journal").fetchone()
    assert (numbers, count) == (list(range(1, 51)), 50)
    await journal.close()


@pytest.mark.parametrize("damage", ["flipped bit", "garbage", "half", "directory", "missing row", "empty"])
async def test_f96_a_damaged_file_is_set_aside_and_a_new_one_begun(tmp_path: Path, damage: str) -> None:
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


_FLIP = "UPDATE journal SET payload = '{\"n\":9}' WHERE seq = 3"


async def test_f98_a_newer_journal_is_neither_written_nor_moved(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    await filled(path)
    with sqlite3.connect(path) as writer:
        writer.execute("PRAGMA user_version = 99")
    writer.close()
    journal = SqliteJournal(path, FakeClock())
    with pytest.raises(JournalUnwritable, match="newer version"):
        await journal.record("intent", "{}")
    assert "newer version" in journal.trouble
    assert not list(tmp_path.glob("*.bad.*"))
    await journal.close()


async def test_f99_a_place_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "nowhere" / "journal.db", FakeClock())
    with pytest.raises(JournalUnwritable, match="cannot be opened"):
        await journal.record("intent", "{}")
    journal.note("note", "lost")
    await journal.close()


async def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "journal.db").symlink_to(victim)
    journal = SqliteJournal(tmp_path / "journal.db", FakeClock())
    with pytest.raises(JournalUnwritable):
        await journal.record("intent", "{}")
    assert victim.read_text() == "precious"
    await journal.close()


async def test_s39_texts_are_never_sql(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "journal.db", FakeClock())
    await journal.record("intent", "'); DROP TABLE journal; --", client_order_id="' OR 1=1", order_id="\x00\ud800")
    assert len(await journal.entries()) == 1
    await journal.close()


async def test_the_memory_journal_keeps_the_contract() -> None:
    journal = MemoryJournal(FakeClock())
    kept: Journal = journal
    assert await kept.record("intent", "a") == 1
    kept.note("note", "b")
    assert [entry.payload for entry in await kept.entries()] == ["a", "b"]
    assert [entry.payload for entry in journal.after_crash().lines] == ["a"]
    journal.failure = "disk full"
    with pytest.raises(JournalUnwritable):
        await kept.record("intent", "c")
    assert kept.trouble == "disk full"


async def test_i9_a_steady_trickle_of_notes_reaches_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path, HostClock())
    for number in range(40):
        journal.note("push", str(number))
        await asyncio.sleep(0.01)
    with sqlite3.connect(path) as reader:
        (count,) = reader.execute("SELECT count(*) FROM journal").fetchone()
    assert count >= 15
    await journal.close()
