"""The workstation's journal: deaths, flipped bytes and cuts never lose a record in silence."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.conftest import Writers
from tui.engine.journal import SqliteJournal
from tui.host import HostClock

HEADER, PAGE = 100, 4096

Found = tuple[list[tuple[int, str, str]], str, str]
"""Entries (number, payload, client id), what was set aside, trouble."""


async def read(path: Path) -> Found:
    journal = SqliteJournal(path, HostClock())
    try:
        entries = await journal.entries()
        return [(one.seq, one.payload, one.client_order_id) for one in entries], journal.set_aside, journal.trouble
    except Exception as error:
        assert journal.trouble, f"unreadable without a word: {error}"
        return [], journal.set_aside, journal.trouble
    finally:
        await journal.close()


def cycles(writers: Writers, folder: Path, count: int) -> int:
    acknowledged = 0
    for number in range(count):
        path = folder / f"journal{number // 10}.db"
        lines = writers.run_and_kill(f"journal {path}", random.Random(number))
        found, aside = next(line.split(" ", 2)[1:] for line in lines if line.startswith("found"))
        assert aside == "-", f"cycle {number}: a death is no damage, but: {aside}"
        least = acknowledged if number % 10 else 0
        assert int(found) >= least, f"cycle {number}: {least} acknowledged, {found} there"
        acknowledged = max(int(line.split()[1]) for line in lines if line.startswith("ack"))
    return acknowledged


@pytest.mark.xdist_group("tty")
async def test_no_acknowledged_record_is_lost(writers: Writers, tmp_path: Path) -> None:
    cycles(writers, tmp_path, 100)
    entries, aside, trouble = await read(tmp_path / "journal9.db")
    assert (aside, trouble) == ("", "")
    assert [seq for seq, _, _ in entries] == list(range(1, len(entries) + 1))
    assert all(payload.startswith(f"payload {seq} ") and client == f"c{seq}" for seq, payload, client in entries)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_no_acknowledged_record_is_lost_all_night(writers: Writers, tmp_path: Path) -> None:
    cycles(writers, tmp_path, 500)


async def written(path: Path, count: int = 40) -> Found:
    journal = SqliteJournal(path, HostClock())
    for number in range(count):
        await journal.record("place", f"payload {number} " + "y" * (number * 7 % 300), client_order_id=f"c{number}")
    await journal.close()
    return await read(path)


def damages(whole: bytes, step: int) -> Iterator[tuple[str, bytes]]:
    """Every `step`-th byte flipped, and the file cut there."""
    for position in range(0, len(whole), step):
        yield f"flip {position}", whole[:position] + bytes([whole[position] ^ 0x5A]) + whole[position + 1 :]
        yield f"cut {position}", whole[:position]


async def judged(folder: Path, whole: bytes, step: int, entries: list[tuple[int, str, str]]) -> tuple[int, list[str]]:
    """How many damages were tried, and those after which records were missing or different without a word."""
    tried, silent = 0, []
    for name, content in damages(whole, step):
        place = folder / "case"
        place.mkdir()
        path = place / "journal.db"
        path.write_bytes(content)
        found, aside, trouble = await read(path)
        if not aside and not trouble and found != entries:
            silent.append(f"{name}: {len(found)} of {len(entries)} entries")
        if aside:
            # Opening counts in the header and fills up a torn page; every whole page behind it must still be there.
            kept = [one.read_bytes() for one in place.iterdir() if ".bad." in one.name]
            pages = slice(HEADER, len(content) // PAGE * PAGE)
            assert content[pages] in [one[pages] for one in kept], f"{name}: the file was not kept"
        shutil.rmtree(place)
        tried += 1
    return tried, silent


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A place in memory where there is one: a thousand files are made and synced."""
    if not Path("/dev/shm").is_dir():
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        yield Path(place)


async def test_flipped_bytes_and_cuts_are_noticed(folder: Path) -> None:
    entries, _, _ = await written(folder / "journal.db")
    whole = (folder / "journal.db").read_bytes()
    tried, silent = await judged(folder, whole, max(1, len(whole) // 500), entries)
    assert tried >= 1000
    assert silent == []


@pytest.mark.nightly
@pytest.mark.timeout(3600)
async def test_every_flipped_byte_and_every_cut_is_noticed(folder: Path) -> None:
    entries, _, _ = await written(folder / "journal.db", 120)
    whole = (folder / "journal.db").read_bytes()
    _, silent = await judged(folder, whole, 1, entries)
    assert silent == []
