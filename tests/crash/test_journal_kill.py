"""The workstation's journal: deaths, flipped bytes and cuts never lose a record in silence."""

from __future__ import annotations

import asyncio
import random
import shutil
import sqlite3
import time
from pathlib import Path

import msgspec
import pytest

from tests.busy import limit
from tests.crash.conftest import Writers
from tests.crash.damage import damages
from tests.figures import measured
from tui.engine.journal.journal_file import JournalFile, read
from tui.engine.journal.journal_rows import Entry
from tui.engine.journal.writer import SqliteJournal
from tui.host import HostClock

CYCLES_PER_FILE = 10
WALL = 1_700_000_000.0
DATA = ("", "-wal", "-mark")
"""Files whose content counts; SQLite makes the `-shm` anew after a death."""


@pytest.mark.parametrize(
    ("size", "count"),
    [("commit", 100), pytest.param("nightly", 500, marks=[pytest.mark.nightly, pytest.mark.timeout(1800)])],
)
def test_i9_f85_no_crash_loses_an_acknowledged_journal_entry(
    writers: Writers, tmp_path: Path, size: str, count: int
) -> None:
    acknowledged, all_acknowledged, lost = 0, 0, 0
    for number in range(count):
        path = tmp_path / f"journal{number // CYCLES_PER_FILE}.db"
        lines = writers.run_and_kill(f"journal {path}", random.Random(number))
        found, aside = next(line.split(" ", 2)[1:] for line in lines if line.startswith("found"))
        assert aside == "-", f"cycle {number}: a death is no damage, but: {aside}"
        lost += max(0, acknowledged - int(found)) if number % CYCLES_PER_FILE else 0
        numbers = [int(line.split()[1]) for line in lines if line.startswith("ack")]
        all_acknowledged += len(numbers)
        acknowledged = max(numbers)
    measured.keep("journal", size, cycles=count, acknowledged=all_acknowledged, lost=lost)
    assert lost == 0
    file = JournalFile(path, lambda: WALL)
    assert not file.set_aside
    assert [one.seq for one in file.entries()] == list(range(1, len(file.entries()) + 1))
    for one in file.entries():
        assert (one.payload.split(" ")[1], one.client_order_id) == (str(one.seq), f"c{one.seq}")
    file.close()
    assert all_acknowledged >= 5 * count


# -- damage -------------------------------------------------------------------------------------------------------------


class Case(msgspec.Struct):
    """What a journal left behind: the bytes of its files by the ends of their names, and what is in it."""

    files: dict[str, bytes]
    entries: list[Entry]

    def put(self, place: Path, tail: str, content: bytes) -> Path:
        """Lay the files out, one of them changed."""
        place.mkdir()
        for one, whole in {**self.files, tail: content}.items():
            (place / f"journal.db{one}").write_bytes(whole)
        return place / "journal.db"


def written(folder: Path, count: int, *, closed: bool) -> Case:
    """A journal in its two states: closed as it should be, and as a kill -9 leaves it, with the log beside it."""
    path = folder / "journal.db"
    file = JournalFile(path, lambda: WALL)
    # Half of it is in the database, the other half only in the log.
    for batch in (
        range(count // 2),
        range(count // 2, count - 2),
        range(count - 2, count - 1),
        range(count - 1, count),
    ):
        file.append([_draft(number) for number in batch])
        if 0 in batch and not closed:
            file.close()
            file = JournalFile(path, lambda: WALL)
    entries = file.entries()
    if closed:
        file.close()
    files = {one.name.removeprefix("journal.db"): one.read_bytes() for one in folder.iterdir()}
    if not closed:
        file.close()
    assert bool(files.get("-wal")) is not closed
    return Case(files, entries)


def _draft(number: int) -> Entry:
    return Entry(
        seq=0, wall_ms=number, mono=number / 7, epoch=1, kind="intent", intent_id=f"i{number}",
        client_order_id=f"c{number}", order_id="", payload=f"payload {number} " + "y" * (number * 7 % 300),
    )  # fmt: skip


def outcome(path: Path, case: Case) -> str:
    """What becomes of a damaged journal: `set aside`, `refused`, `harmless`, or what went wrong without a word."""
    before = {one.name: one.read_bytes() for one in path.parent.iterdir() if not one.name.endswith("-shm")}
    try:
        file = JournalFile(path, lambda: WALL)
    except (OSError, sqlite3.Error) as error:
        after = {one.name: one.read_bytes() for one in path.parent.iterdir() if not one.name.endswith("-shm")}
        return "refused" if str(error) and before == after else f"changed, then refused: {error}"
    found = file.entries()
    file.close()
    if file.set_aside:
        aside = path.with_name(f"{path.name}.bad.{WALL:.0f}")
        kept = {one: aside.with_name(aside.name + one) for one in DATA}
        same = all(
            kept[one].exists() and kept[one].read_bytes() == before[f"journal.db{one}"]
            for one in DATA
            if f"journal.db{one}" in before
        )
        return "set aside" if same and not found and aside.name in file.set_aside else "set aside, but not as found"
    return "harmless" if found == case.entries else f"{len(found)} of {len(case.entries)} entries"


def positions(case: Case, count: int) -> dict[str, int]:
    """The step from place to place in each file, so that each has its share of `count` places; 0: every byte."""
    share = len(case.files) / count if count else 0
    return {tail: max(1, int(len(whole) * share)) for tail, whole in case.files.items()}


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "killed"])
@pytest.mark.parametrize(
    ("size", "places"),
    [
        ("commit", 500),
        pytest.param("nightly", 0, marks=[pytest.mark.nightly, pytest.mark.timeout(7200)]),
    ],
)
def test_i9_f96_journal_damage_is_detected_or_harmless(folder: Path, size: str, places: int, closed: bool) -> None:
    # At night every byte of 65,536 and more: a closed journal has these with 150 entries, one with its log with 60.
    entries = 150 if closed and not places else 60
    whole = folder / "whole"
    whole.mkdir()
    case = written(whole, entries, closed=closed)
    counts = {"set aside": 0, "refused": 0, "harmless": 0}
    silent, tried = list[str](), 0
    steps = positions(case, places)
    for tail, content in case.files.items():
        for name, damaged in damages(content, steps[tail]):
            place = folder / "case"
            result = outcome(case.put(place, tail, damaged), case)
            shutil.rmtree(place)
            tried += 1
            if result in counts:
                counts[result] += 1
            else:
                silent.append(f"{name} of journal.db{tail}: {result}")
    which = "closed" if closed else "killed"
    figures = {
        "flip_positions": tried // 2, "cases": tried, "silent": len(silent),
        "set_aside": counts["set aside"], "refused": counts["refused"], "harmless": counts["harmless"],
    }  # fmt: skip
    measured.keep("journal", size, **{f"{which}_{name}": figure for name, figure in figures.items()})
    assert silent == []
    assert tried >= 2 * (places or 65_536)
    assert counts["set aside"] > tried / 4


def test_i9_a_missing_journal_file_is_detected(folder: Path) -> None:
    for number, (closed, gone) in enumerate(
        ((True, ""), (True, "-mark"), (False, ""), (False, "-wal"), (False, "-mark"))
    ):
        whole = folder / f"whole{number}"
        whole.mkdir()
        case = written(whole, 20, closed=closed)
        path = case.put(folder / f"case{number}", gone, b"")
        path.with_name(path.name + gone).unlink()
        assert outcome(path, case) == "set aside", f"journal.db{gone}"


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "killed"])
@pytest.mark.parametrize("size", range(4))
def test_i9_a_truncated_journal_keeps_its_write_ahead_log(folder: Path, size: int, closed: bool) -> None:
    """SQLite takes a file of one byte for empty, as one of none, and deletes the log beside it."""
    whole = folder / "whole"
    whole.mkdir()
    case = written(whole, 20, closed=closed)
    path = case.put(folder / "case", "", case.files[""][:size])
    with pytest.raises(sqlite3.DatabaseError):
        read(path)
    assert outcome(path, case) == "set aside"


def test_an_unacknowledged_journal_entry_is_whole_or_absent(folder: Path) -> None:
    """Death between the database and the mark, and a log whose last frames never reached the disk."""
    whole = folder / "whole"
    whole.mkdir()
    early = written(whole, 20, closed=False)
    shutil.rmtree(whole)
    whole.mkdir()
    late = written(whole, 21, closed=False)
    unmarked = Case({**late.files, "-mark": early.files["-mark"]}, late.entries)
    wal = late.files["-wal"]
    assert outcome(unmarked.put(folder / "ahead", "-shm", b""), unmarked) == "harmless"
    torn = Case({**early.files, "-wal": early.files["-wal"] + wal[-1_000:]}, early.entries)
    assert outcome(torn.put(folder / "torn", "-shm", b""), torn) == "harmless"


@pytest.mark.parametrize(("size", "count"), [("commit", 300), pytest.param("nightly", 3000, marks=pytest.mark.nightly)])
async def test_a_journal_write_is_fast_while_others_read(tmp_path: Path, size: str, count: int) -> None:
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path, HostClock())
    await journal.record("intent", "first")
    took = list[float]()
    with sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True) as reader:
        held = reader.execute("SELECT * FROM journal")
        held.fetchone()
        for number in range(count):
            began = time.perf_counter()
            async with asyncio.timeout(limit(5)):
                await journal.record("intent", "x" * 400, client_order_id=f"c{number}")
            took.append((time.perf_counter() - began) * 1000)
        held.close()
    reader.close()
    await journal.close()
    took.sort()
    half, most = took[count // 2], took[count * 99 // 100]
    measured.keep("journal", size, write_p50_ms=round(half, 3), write_p99_ms=round(most, 3))
    assert half < 100
