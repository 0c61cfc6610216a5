"""The journal's file: what is in it, what is noticed when it is not, and in which words."""

from __future__ import annotations

import hashlib
import re
import shutil
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.engine.full_disk import raise_full_disk
from tests.engine.journal.test_journal import first_version
from tui.engine.journal import high_water, journal_file
from tui.engine.journal.high_water import Mark
from tui.engine.journal.journal_file import JournalFile, read, read_all
from tui.engine.journal.journal_rows import Entry, chain_hash

AT = 7.9
"""When damage is found, Unix s."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def draft(number: int, **changes: Any) -> Entry:
    values: dict[str, Any] = {
        "seq": 99,
        "wall_ms": 1_700_000_000_000 + number,
        "mono": number / 7,
        "epoch": 3,
        "kind": "intent",
        "intent_id": f"i{number}",
        "client_order_id": f"c{number}",
        "order_id": f"o{number}",
        "payload": f'{{"n":{number}}}',
    }
    return Entry(**{**values, **changes})


def numbered(*numbers: int) -> list[Entry]:
    return [msgspec.structs.replace(draft(number), seq=number) for number in numbers]


def opened(path: Path) -> JournalFile:
    return JournalFile(path, lambda: AT)


def filled(path: Path, count: int = 5) -> None:
    file = opened(path)
    for number in range(1, count + 1):
        assert file.append([draft(number)]) == [number]
    file.close()


def sql(path: Path, *statements: str) -> list[Any]:
    with sqlite3.connect(path) as database:
        found = [database.execute(statement).fetchall() for statement in statements]
    database.close()
    return found[-1]


def digest(previous: str, one: Entry) -> str:
    """The chain as it is promised: SHA-256 of the previous hash and all fields, joined by unit separators."""
    fields = (previous, one.seq, one.wall_ms, repr(one.mono), one.epoch, one.kind, one.intent_id)
    texts = (*fields, one.client_order_id, one.order_id, one.payload)
    return hashlib.sha256("\x1f".join(map(str, texts)).encode("utf-8", "replace")).hexdigest()


def hashes(*numbers: int) -> list[str]:
    last, found = "", []
    for one in numbered(*numbers):
        last = digest(last, one)
        found.append(last)
    return found


def mark_of(path: Path) -> Mark | None:
    return high_water.read(path.with_name("journal.db-mark"))


# -- what is kept -------------------------------------------------------------------------------------------------------


def test_every_journal_row_is_hash_chained(path: Path) -> None:
    file = opened(path)
    assert (file.entries(), mark_of(path), file.set_aside) == ([], Mark(0, ""), "")
    assert file.append([draft(1), draft(2)]) == [1, 2]
    assert file.append([]) == []
    assert file.append([draft(3)]) == [3]
    one, two, three = hashes(1, 2, 3)
    assert (file.entries(), mark_of(path)) == (numbered(1, 2, 3), Mark(3, three))
    file.close()
    rows = sql(path, "SELECT * FROM journal ORDER BY seq")
    assert [row[:3] for row in rows] == [(1, "", one), (2, one, two), (3, two, three)]
    assert rows[1][3:] == (1_700_000_000_002, 2 / 7, 3, "intent", "i2", "c2", "o2", '{"n":2}')
    again = opened(path)
    assert (again.append([draft(4)]), again.entries()) == ([4], numbered(1, 2, 3, 4))
    again.close()


@pytest.mark.parametrize(
    "field", ["wall_ms", "mono", "epoch", "kind", "intent_id", "client_order_id", "order_id", "payload"]
)
def test_journal_hash_covers_every_field(field: str) -> None:
    (one,) = numbered(1)
    other = msgspec.structs.replace(one, **{field: getattr(draft(2, epoch=4, kind="note"), field)})
    assert chain_hash("", one) == digest("", one) == hashes(1)[0]
    assert chain_hash("", other) == digest("", other) != chain_hash("", one)
    assert chain_hash("0", one) == digest("0", one) != chain_hash("", one)
    odd = msgspec.structs.replace(one, payload="\ud800é")
    assert chain_hash("", odd) == digest("", odd)


def test_a_new_journal_file_is_private_versioned_and_empty(path: Path) -> None:
    opened(path).close()
    assert {one.name: stat.S_IMODE(one.stat().st_mode) for one in path.parent.iterdir()} == dict.fromkeys(
        ("journal.db", "journal.db-mark"), 0o600
    )
    assert (sql(path, "PRAGMA user_version"), sql(path, "SELECT * FROM base")) == ([(2,)], [(0, "")])
    assert sql(path, "PRAGMA journal_mode") == [("wal",)]


def test_a_readable_journal_file_is_made_private(path: Path) -> None:
    filled(path)
    path.chmod(0o644)
    file = opened(path)
    file.append([draft(6)])
    assert {stat.S_IMODE(one.stat().st_mode) for one in path.parent.iterdir()} == {0o600}
    file.close()


def test_journal_commits_are_synced_to_disk(path: Path) -> None:
    file = opened(path)
    asked = [
        file._database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("synchronous", "fullfsync", "journal_mode")
    ]
    assert asked == [2, 1, "wal"]
    file.close()


def test_a_closed_journal_file_takes_no_entry(path: Path) -> None:
    file = opened(path)
    file.close()
    with pytest.raises(sqlite3.Error, match="closed"):
        file.append([draft(1)])
    with pytest.raises(sqlite3.Error, match="closed"):
        file.entries()


def test_a_lagging_high_water_mark_is_no_damage(path: Path) -> None:
    filled(path)
    high_water.create(path.with_name("journal.db-mark"), Mark(3, hashes(1, 2, 3)[2]))
    file = opened(path)
    assert (file.set_aside, file.append([draft(6)]), mark_of(path)) == ("", [6], Mark(6, hashes(*range(1, 7))[5]))
    file.close()


def test_a_first_version_journal_keeps_its_numbering(path: Path) -> None:
    first_version(path, 3)
    file = opened(path)
    assert (file.set_aside, file.append([draft(4)])) == ("", [4])
    file.close()
    assert (sql(path, "SELECT * FROM base"), sql(path, "PRAGMA user_version")) == ([(0, "")], [(2,)])
    again = opened(path)
    assert (again.set_aside, len(again.entries())) == ("", 4)
    again.close()


# -- damage -------------------------------------------------------------------------------------------------------------


def rewritten(path: Path) -> None:
    """Entry 5 replaced by another one with a chain of its own."""
    *_, before, _ = hashes(*range(1, 6))
    other = msgspec.structs.replace(draft(8), seq=5)
    sql(
        path,
        f"UPDATE journal SET hash = '{digest(before, other)}', payload = '{other.payload}', intent_id = 'i8',"
        f" client_order_id = 'c8', order_id = 'o8', mono = {other.mono!r}, wall_ms = {other.wall_ms} WHERE seq = 5",
    )


def statement(text: str) -> Callable[[Path], object]:
    return lambda path: sql(path, text)


def beside(tail: str, raw: bytes | None) -> Callable[[Path], object]:
    def spoil(path: Path) -> None:
        one = path.with_name(f"journal.db{tail}")
        one.unlink(missing_ok=True)
        if raw is None:
            one.mkdir()
        elif raw:
            one.write_bytes(raw)

    return spoil


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def gone(path: Path) -> None:
    path.unlink()


def only_a_log(path: Path) -> None:
    path.unlink()
    path.with_name("journal.db-mark").unlink()
    path.with_name("journal.db-wal").write_bytes(b"something")


NO_MARK = "its high-water mark is missing or unreadable"
MISFIT = "entry {} does not fit the one before"


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (emptied, "the file is empty"),
        (gone, "the database is missing"),
        (only_a_log, "the database is missing"),
        (beside("", None), "journal.db is not a file"),
        (beside("-mark", None), "journal.db-mark is not a file"),
        (beside("-wal", None), "journal.db-wal is not a file"),
        (beside("", b"no database at all" * 99), "file is not a database"),
        (beside("-mark", b""), NO_MARK),
        (beside("-mark", b"\1" * 1024), NO_MARK),
        (statement("PRAGMA user_version = 0"), "it is not a journal"),
        (statement("PRAGMA user_version = 1"), "it is not a journal"),
        (statement("CREATE TABLE more (n INTEGER)"), "it is not a journal"),
        (statement("DROP TABLE base"), "it is not a journal"),
        (statement("DELETE FROM base"), "nothing says where it begins"),
        (statement("INSERT INTO base VALUES (1, '')"), "nothing says where it begins"),
        (statement("UPDATE base SET hash = x'00'"), "nothing says where it begins"),
        (statement("UPDATE base SET seq = 'x'"), "nothing says where it begins"),
        (statement("UPDATE base SET seq = 1"), MISFIT.format(2)),
        (statement("UPDATE base SET hash = 'x'"), MISFIT.format(1)),
        (statement("DELETE FROM journal WHERE seq = 1"), MISFIT.format(1)),
        (statement("DELETE FROM journal WHERE seq = 3"), MISFIT.format(3)),
        (statement("UPDATE journal SET payload = '' WHERE seq = 4"), MISFIT.format(4)),
        (statement("UPDATE journal SET hash = '' WHERE seq = 4"), MISFIT.format(4)),
        (statement("UPDATE journal SET previous = '' WHERE seq = 2"), MISFIT.format(2)),
        (statement("UPDATE journal SET epoch = '3x' WHERE seq = 2"), MISFIT.format(2)),
        (statement("UPDATE journal SET payload = x'7b22ff' WHERE seq = 2"), MISFIT.format(2)),
        (statement("UPDATE journal SET payload = CAST(x'7b22ff' AS TEXT) WHERE seq = 2"), MISFIT.format(2)),
        (statement("DELETE FROM journal WHERE seq > 3"), "2 of 5 entries are missing"),
        (statement("DELETE FROM journal"), "5 of 5 entries are missing"),
        (rewritten, "entry 5 is not the one that was written"),
    ],
)
def test_f96_a_damaged_journal_is_named_and_set_aside(path: Path, spoil: Callable[[Path], object], words: str) -> None:
    filled(path)
    spoil(path)
    found = {one.name: one.read_bytes() if one.is_file() else None for one in path.parent.iterdir()}
    file = opened(path)
    whole = f"the journal was damaged ({words}) and set aside as journal.db.bad.7; a new one was begun"
    assert (file.set_aside, file.entries(), file.append([draft(1)])) == (whole, [], [1])
    file.close()
    aside = {one.name: one for one in path.parent.iterdir() if ".bad.7" in one.name}
    kept = {name.replace(".bad.7", ""): one.read_bytes() if one.is_file() else None for name, one in aside.items()}
    assert kept == found
    modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in path.parent.iterdir()}
    assert modes == {name: 0o700 if (path.parent / name).is_dir() else 0o600 for name in modes}


def test_f96_sqlite_page_errors_are_reported(path: Path) -> None:
    filled(path)
    raw = bytearray(path.read_bytes())
    raw[36:40] = (5).to_bytes(4, "big")
    path.write_bytes(raw)
    file = opened(path)
    file.close()
    words = r"\(\*\*\* in database main \*\*\* (Main f|F)reelist: size is 0 but should be 5\)"
    assert re.fullmatch(f"the journal was damaged {words} and set aside as .*", file.set_aside)


@pytest.mark.parametrize("hashed", [0, 1])
def test_f96_high_water_mark_before_the_first_entry_is_damage(path: Path, hashed: int) -> None:
    filled(path)
    opened(path).close()
    both = hashes(1, 2)
    sql(path, f"UPDATE base SET seq = 2, hash = '{both[1]}'", "DELETE FROM journal WHERE seq <= 2")
    high_water.create(path.with_name("journal.db-mark"), Mark(1, both[hashed]))
    file = opened(path)
    assert "(entry 1 is not the one that was written)" in file.set_aside
    file.close()


@pytest.mark.parametrize("hashed", ["right", "wrong"])
def test_high_water_mark_at_the_base_entry_is_compared_by_hash(path: Path, hashed: str) -> None:
    filled(path, 2)
    _, two = hashes(1, 2)
    sql(path, f"UPDATE base SET seq = 2, hash = '{two}'", "DELETE FROM journal")
    if hashed == "wrong":
        high_water.create(path.with_name("journal.db-mark"), Mark(2, "ab" * 32))
    file = opened(path)
    assert ("entry 2 is not the one" in file.set_aside) is (hashed == "wrong")
    assert file.append([draft(3)]) == [1 if file.set_aside else 3]
    file.close()


def test_a_high_water_mark_without_entries_begins_a_journal(path: Path) -> None:
    high_water.create(path.with_name("journal.db-mark"), Mark(0, ""))
    path.with_name("journal.db-wal").write_bytes(b"")
    file = opened(path)
    assert (file.set_aside, file.append([draft(1)])) == ("", [1])
    file.close()


def test_f98_a_newer_journal_version_is_named_and_left_alone(path: Path) -> None:
    filled(path)
    sql(path, "PRAGMA user_version = 3")
    with pytest.raises(OSError, match=r"^it was written by a newer version \(3\); this one reads 2$"):
        opened(path)
    assert sorted(one.name for one in path.parent.iterdir()) == ["journal.db", "journal.db-mark"]


def test_a_write_ahead_log_left_by_a_crash_is_recovered(path: Path) -> None:
    filled(path)
    file = opened(path)
    file.append([draft(6)])
    alive = {one.name: one.read_bytes() for one in path.parent.iterdir()}
    file.close()
    for name, raw in alive.items():
        (path.parent / name).write_bytes(raw)
    path.with_name("journal.db-shm").unlink()
    again = opened(path)
    assert (again.entries(), again.set_aside) == (numbered(*range(1, 7)), "")
    again.close()


def test_a_write_ahead_log_is_checked_without_a_journal_copy(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening after a kill wanted the journal's own size once more."""
    filled(path)
    file = opened(path)
    file.append([draft(6)])
    alive = {one.name: one.read_bytes() for one in path.parent.iterdir()}
    file.close()
    for name, raw in alive.items():
        (path.parent / name).write_bytes(raw)
    path.with_name("journal.db-wal").write_bytes(alive["journal.db-wal"])

    monkeypatch.setattr(shutil, "copyfileobj", raise_full_disk)
    before = {name: (path.parent / name).read_bytes() for name in ("journal.db", "journal.db-wal")}
    with journal_file._open_read_only(path) as database:
        assert database.execute("SELECT count(*) FROM journal").fetchone() == (6,)
        assert before == {name: (path.parent / name).read_bytes() for name in before}, "nothing of it is written to"
    assert before == {name: (path.parent / name).read_bytes() for name in before}
    again = opened(path)
    assert (len(again.entries()), again.set_aside) == (6, "")
    again.close()


def test_a_journal_changed_while_opening_is_not_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(path)
    connected = journal_file._connect_database

    def late(one: Path) -> sqlite3.Connection:
        sql(path, "DELETE FROM journal WHERE seq = 5")
        return connected(one)

    with monkeypatch.context() as racing:
        racing.setattr(journal_file, "_connect_database", late)
        with pytest.raises(OSError, match=r"^it changed while it was opened$"):
            opened(path)
    assert not path.with_name("journal.db-wal").exists(), "it is closed"


def test_a_set_aside_journal_never_takes_an_existing_name(path: Path) -> None:
    path.with_name("journal.db.bad.7-mark").symlink_to("nowhere")
    path.with_name("journal.db.bad.8").write_bytes(b"older")
    path.write_bytes(b"")
    file = opened(path)
    file.close()
    assert "set aside as journal.db.bad.9;" in file.set_aside
    assert path.with_name("journal.db.bad.9").read_bytes() == b""


# -- what the disk refuses ----------------------------------------------------------------------------------------------


def test_journal_entries_of_a_batch_are_written_all_or_none(path: Path) -> None:
    file = opened(path)
    file.append([draft(1)])
    with pytest.raises(OverflowError):
        file.append([draft(2), draft(3, wall_ms=2**70)])
    assert (file.entries(), mark_of(path), file.append([draft(2)])) == (numbered(1), Mark(1, hashes(1)[0]), [2])
    file.close()


# -- looking from outside -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spoil", "numbers", "words"),
    [
        (None, range(1, 6), ""),
        ("DELETE FROM journal WHERE seq > 3", range(1, 4), "2 entries behind number 3 are missing"),
        ("DELETE FROM journal WHERE seq = 2", (1, 3, 4, 5), MISFIT.format(2)),
        ("DELETE FROM journal WHERE seq IN (2, 4, 5)", (1, 3), MISFIT.format(2)),
    ],
)
def test_journal_inspection_finds_the_first_error(path: Path, spoil: str | None, numbers: range, words: str) -> None:
    filled(path)
    if spoil is not None:
        sql(path, spoil)
    assert read(path) == (numbered(*numbers), words)
    assert read_all(path) == read(path)


def test_inspection_reads_a_journal_without_high_water_mark(path: Path) -> None:
    filled(path)
    path.with_name("journal.db-mark").unlink()
    assert read(path) == (numbered(*range(1, 6)), "")


def test_journal_inspection_writes_no_file(path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError):
        read(path)
    assert list(path.parent.iterdir()) == []
    filled(path)
    path.chmod(0o400)
    assert read(path)[1] == ""


def test_a_journal_deleted_while_open_refuses_entries(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    file = JournalFile(path, lambda: 0.0)
    file.append([draft(1)])
    path.rename(tmp_path / "elsewhere.db")
    with pytest.raises(OSError, match="was removed or replaced while it was open"):
        file.append([draft(2)])
    file.close()
