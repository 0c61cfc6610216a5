"""The mark beside the journal: its bytes, its two slots, and what a torn write leaves."""

from __future__ import annotations

import fcntl
import os
import stat
import struct
import sys
from hashlib import blake2b
from pathlib import Path

import pytest

from tui.engine.journal import high_water
from tui.engine.journal.high_water import HighWater, Mark, create, read

SLOT = 512


def mark(seq: int) -> Mark:
    return Mark(seq, f"{seq:064x}")


def slot(one: Mark) -> bytes:
    """One slot as it stands in a file: number, digest, checksum."""
    fields = struct.pack(">Q32s", one.seq, bytes.fromhex(one.hash))
    return (fields + blake2b(fields, digest_size=16).digest()).ljust(SLOT, b"\0")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db-mark"


def written(path: Path, *marks: Mark) -> None:
    file = HighWater(path)
    for one in marks:
        file.write(one)
    file.close()


@pytest.mark.parametrize("one", [Mark(0, ""), mark(1), mark(2**40), Mark(7, "ab" * 32)])
def test_a_new_high_water_mark_file_holds_its_mark_twice(path: Path, one: Mark) -> None:
    create(path, one)
    assert (read(path), path.read_bytes()) == (one, slot(one) * 2)
    assert (stat.S_IMODE(path.stat().st_mode), [found.name for found in path.parent.iterdir()]) == (0o600, [path.name])


def test_a_new_high_water_mark_file_replaces_leftover_files(path: Path) -> None:
    path.write_bytes(b"old")
    path.with_name("journal.db-mark.new").write_bytes(b"left behind")
    create(path, mark(3))
    assert (read(path), [found.name for found in path.parent.iterdir()]) == (mark(3), [path.name])


def test_a_missing_high_water_mark_file_is_no_mark(path: Path) -> None:
    assert read(path) is None
    with pytest.raises(FileNotFoundError):
        HighWater(path)


def test_high_water_marks_are_written_over_the_older_of_two(path: Path) -> None:
    create(path, mark(5))
    file = HighWater(path)
    seen = []
    for seq in (6, 7, 8):
        file.write(mark(seq))
        seen.append(path.read_bytes())
    file.close()
    firsts = [slot(mark(5)) + slot(mark(6)), slot(mark(7)) + slot(mark(6)), slot(mark(7)) + slot(mark(8))]
    assert (seen, read(path)) == (firsts, mark(8))


@pytest.mark.parametrize("count", [1, 2])
def test_a_reopened_high_water_mark_file_overwrites_the_older(path: Path, count: int) -> None:
    create(path, mark(5))
    written(path, *(mark(5 + step) for step in range(1, count + 1)))
    written(path, mark(9))
    assert (read(path), slot(mark(5 + count)) in (path.read_bytes()[:SLOT], path.read_bytes()[SLOT:])) == (
        mark(9),
        True,
    )


@pytest.mark.parametrize("at", [0, 7, 8, 39, 40, 55])
@pytest.mark.parametrize("half", [0, 1])
def test_a_torn_high_water_mark_leaves_the_other_copy_valid(path: Path, at: int, half: int) -> None:
    create(path, mark(5))
    written(path, mark(6))
    raw = bytearray(path.read_bytes())
    raw[half * SLOT + at] ^= 1
    path.write_bytes(raw)
    kept = mark(5) if half else mark(6)
    assert read(path) == kept
    written(path, mark(7))
    halves = [slot(kept), slot(mark(7))]
    assert (read(path), path.read_bytes()) == (mark(7), b"".join(halves if half else halves[::-1]))


def test_two_torn_high_water_marks_are_no_mark(path: Path) -> None:
    path.write_bytes(b"\1" * 2 * SLOT)
    assert read(path) is None
    written(path, mark(4))
    assert (read(path), path.read_bytes()[:SLOT][:56]) == (mark(4), slot(mark(4))[:56])


@pytest.mark.parametrize("size", [0, 1, SLOT, 2 * SLOT - 1, 2 * SLOT + 1])
def test_a_high_water_mark_file_of_wrong_size_is_no_mark(path: Path, size: int) -> None:
    path.write_bytes((slot(mark(5)) * 3)[:size])
    assert read(path) is None


def test_a_symbolic_link_as_high_water_mark_file_is_refused(path: Path) -> None:
    create(path.with_name("other"), mark(5))
    path.symlink_to(path.with_name("other"))
    for look in (read, HighWater):
        with pytest.raises(OSError, match="symbolic link"):
            look(path)


def test_a_partly_written_high_water_mark_is_not_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create(path, mark(5))
    file = HighWater(path)
    with monkeypatch.context() as short:
        short.setattr(os, "pwrite", lambda descriptor, raw, at: len(raw) - 1)
        with pytest.raises(OSError, match=r"^the high-water mark was not written whole$"):
            file.write(mark(6))
    file.write(mark(7))
    assert path.read_bytes() == slot(mark(5)) + slot(mark(7))
    file.close()


def test_high_water_marks_are_synced_to_disk_together(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them is read by the next process at once; only a loss of power asks for the sync."""
    create(path, mark(5))
    synced: list[tuple[int, Mark | None]] = []
    inode = path.stat().st_ino
    monkeypatch.setattr(high_water, "_to_disk", lambda one: synced.append((os.fstat(one).st_ino, read(path))))
    file = HighWater(path)
    file.sync()
    for seq in (6, 7):
        file.write(mark(seq))
        assert (read(path), synced) == (mark(seq), [])
    file.sync()
    file.sync()
    file.close()
    assert synced == [(inode, mark(7))]


def test_disk_sync_uses_f_fullfsync_only_on_macos(monkeypatch: pytest.MonkeyPatch) -> None:
    assert high_water._full_sync() is os.fdatasync
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", lambda descriptor, command: asked.append((descriptor, command)))
    high_water._full_sync()(7)
    assert asked == [(7, 51)]


def test_a_new_high_water_mark_file_is_synced_around_its_rename(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[tuple[bool, bool]] = []

    def fsync(descriptor: int) -> None:
        synced.append((stat.S_ISDIR(os.fstat(descriptor).st_mode), path.exists()))

    monkeypatch.setattr(os, "fsync", fsync)
    create(path, mark(5))
    assert synced == [(False, False), (True, True)]


def test_the_high_water_mark_leaves_no_file_open(path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    create(path, mark(5))
    read(path)
    written(path, mark(6))
    high_water.sync_folder(path.parent)
    assert len(os.listdir("/proc/self/fd")) == before


def test_writing_a_closed_high_water_mark_file_is_an_error(path: Path) -> None:
    create(path, mark(5))
    file = HighWater(path)
    file.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        file.write(mark(6))
