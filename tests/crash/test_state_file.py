"""The venue's state file when the disk or somebody else harms it: refused with a reason, or whole; reads go on."""

from __future__ import annotations

import random
import resource
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.conftest import Writers
from tests.crash.damage import damages
from tests.venue.core.drive import PERP, Desk
from tests.venue.core.seeded import Seeded
from tests.venue.shell.conftest import STILL, Venue
from tui.interface import decimals
from tui.venue.core.events import Durable
from tui.venue.core.exchange import Exchange
from tui.venue.core.switches import Switches
from tui.venue.shell.storage.store import StateUnreadable, Store

ORDER = "/api/v1/trading/order"
LIMIT = {"sym": PERP, "side": "BUY", "orderType": "LIMIT", "orderQty": "0.01", "limitPrice": "50000"}


def written(path: Path) -> str:
    """A closed state file; the hash of its state."""
    decimals.setup()
    desk = Desk()
    for number in range(12):
        desk.place("BUY", "0.01", str(61_000 + number))
        desk.sub_place("SELL", "0.005", str(61_000 + number))
    store = Store(path)
    store.commit(list(desk.durable.values()))
    store.close()
    return desk.exchange.state_hash()


def restored(path: Path) -> str:
    """The hash of the state in a file."""
    store = Store(path)
    try:
        exchange = Exchange.restore(
            store.load(), random_source=Seeded("x"), now_ms=2_000_000_000_000, switches=Switches({"agents": "off"})
        )
        return exchange.state_hash()
    finally:
        store.close()


def test_a_damaged_venue_state_is_refused_or_harmless(folder: Path) -> None:
    before = written(folder / "state.db")
    whole = (folder / "state.db").read_bytes()
    refused, silent = 0, []
    for number, (name, content) in enumerate(damages(whole, max(1, len(whole) // 500))):
        path = folder / f"{number}.db"
        path.write_bytes(content)
        try:
            if restored(path) != before:
                silent.append(name)
        except StateUnreadable as error:
            refused += 1
            assert path.name in str(error)
            assert "\n" not in str(error)
        for left in folder.glob(f"{number}.db*"):
            left.unlink()
    assert silent == []
    assert number >= 999
    assert refused > number / 4


def test_an_empty_or_foreign_venue_state_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    (tmp_path / "folder.db").mkdir()
    with sqlite3.connect(tmp_path / "foreign.db") as foreign:
        foreign.execute("CREATE TABLE notes (text TEXT)")
    for name, why in (
        ("empty", "is empty"),
        ("folder", "is a directory"),
        ("foreign", "is a database, but not a state"),
    ):
        with pytest.raises(StateUnreadable, match=rf"{name}\.db {why}"):
            Store(tmp_path / f"{name}.db")
    assert (tmp_path / "empty.db").read_bytes() == b""


def test_opening_an_empty_venue_state_keeps_its_sqlite_journal(tmp_path: Path) -> None:
    (tmp_path / "state.db").write_bytes(b"S")
    (tmp_path / "state.db-journal").write_bytes(b"what was there before a transaction")
    with pytest.raises(StateUnreadable, match=r"state\.db is empty"):
        Store(tmp_path / "state.db")
    assert (tmp_path / "state.db-journal").exists()


def test_venue_state_rows_changed_from_outside_are_detected(tmp_path: Path) -> None:
    for number, statement in enumerate((
        "UPDATE durable SET value='1' WHERE tbl='balance'",
        "UPDATE durable SET value=CAST('1' AS BLOB) WHERE tbl='balance'",
        "DELETE FROM durable WHERE tbl='fill'",
        "DELETE FROM durable",
        "INSERT INTO durable VALUES ('mode', 'x|OKX', CAST('BOTH' AS BLOB), 5)",
    )):  # fmt: skip
        path = tmp_path / f"{number}.db"
        written(path)
        with sqlite3.connect(path) as outside:
            outside.execute(statement)
        outside.close()
        with pytest.raises(StateUnreadable, match="damaged"):
            Store(path)


def test_a_venue_state_of_the_first_schema_is_migrated(tmp_path: Path) -> None:
    before = written(tmp_path / "new.db")
    new = sqlite3.connect(tmp_path / "new.db")
    old = sqlite3.connect(tmp_path / "old.db")
    old.execute("CREATE TABLE durable (tbl TEXT, key TEXT, value BLOB, PRIMARY KEY (tbl, key)) WITHOUT ROWID")
    old.executemany("INSERT INTO durable VALUES (?,?,?)", new.execute("SELECT tbl, key, value FROM durable"))
    old.execute("PRAGMA user_version=1")
    old.commit()
    old.close()
    new.close()
    assert restored(tmp_path / "old.db") == before
    assert restored(tmp_path / "old.db") == before


def test_venue_state_damage_after_a_crash_is_refused_or_harmless(writers: Writers, folder: Path) -> None:
    """The file and the rollback journal beside it, each flipped and cut at many places, or not there at all."""
    decimals.setup()
    refused = 0
    for seed in range(3):
        path = folder / f"state{seed}.db"
        lines = writers.run_and_kill(f"venue {path} cut{seed}", random.Random(seed))
        known = {line.split()[1] for line in lines if line.startswith("about")} | {
            next(line.split()[1] for line in lines if line.startswith("restored"))
        }
        beside = path.with_name(f"{path.name}-journal")
        left = {"": path.read_bytes(), "-journal": beside.read_bytes() if beside.exists() else b""}
        for number, (tail, content) in enumerate(_cases(left)):
            place = folder / f"case{seed}-{number}"
            place.mkdir()
            for name, whole in {**left, tail: content}.items():
                if whole or not name:
                    (place / f"state.db{name}").write_bytes(whole)
            try:
                assert restored(place / "state.db") in known
            except StateUnreadable:
                refused += 1
            shutil.rmtree(place)
    assert refused > 50


def _cases(left: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    for tail, whole in left.items():
        yield from ((tail, content) for _, content in damages(whole, max(1, len(whole) // 60)))
    yield "-journal", b""


@pytest.mark.usefixtures("writes_no_bytecode")
@pytest.mark.parametrize("full", ["nothing can be written", "nothing can grow"])
def test_with_a_full_disk_the_venue_rejects_orders_until_room(tmp_path: Path, full: str) -> None:
    state = tmp_path / "paper.db"
    options = (*STILL, "--set", "rate_profile=off", "--state", str(state))
    venue = Venue(*options)
    try:
        first = venue.data("POST", ORDER, {**LIMIT, "clientOrderId": "before"})
        most = 4096 if full == "nothing can be written" else state.stat().st_size
        _, hard = resource.prlimit(venue.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(venue.process.pid, resource.RLIMIT_FSIZE, (most, hard))
        for number in range(100):
            _, answer = venue.call("POST", ORDER, {**LIMIT, "clientOrderId": f"full{number}"})
            if answer["code"] != 200000:
                break
        assert answer["code"] == 500
        assert "paper.db" in answer["message"]
        assert venue.call("POST", ORDER, {**LIMIT, "clientOrderId": "refused"})[1]["code"] == 401921
        assert venue.data("GET", ORDER, {"orderId": first["orderId"]})["orderState"] == "OPEN"
        assert venue.call("GET", "/api/v1/trading/portfolio/assets")[0] == 200
        assert venue.call("GET", ORDER, {"clientOrderId": "refused"})[1]["code"] == 401018
        resource.prlimit(venue.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
        assert venue.call("POST", ORDER, {**LIMIT, "clientOrderId": "after"})[1]["code"] == 200000
        uncertain = venue.call("GET", ORDER, {"clientOrderId": f"full{number}"})[1]["code"]
    finally:
        venue.process.kill()
        venue.process.wait()
    again = Venue(*options)
    try:
        kept = {name: again.call("GET", ORDER, {"clientOrderId": name})[1]["code"] for name in ("before", "after")}
        assert kept == {"before": 200000, "after": 200000}
        assert again.call("GET", ORDER, {"clientOrderId": f"full{number}"})[1]["code"] == uncertain
        assert again.call("GET", ORDER, {"clientOrderId": "refused"})[1]["code"] == 401018
    finally:
        assert again.stop() == 0


@pytest.mark.usefixtures("writes_no_bytecode")
def test_a_venue_state_write_that_fails_leaves_no_trace(tmp_path: Path) -> None:
    store = Store(tmp_path / "state.db")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(Exception, match=r"state\.db"):
            store.commit([Durable("balance", str(number), b"9" * 500) for number in range(50)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert store.empty
    store.commit([Durable("balance", "a", b"1")])
    store.close()
    again = Store(tmp_path / "state.db")
    assert [row.key for row in again.load()] == ["a"]
    again.close()


def identified(path: Path, fresh: str) -> str:
    """The account id of a state after one more opening."""
    store = Store(path)
    store.identify(lambda: fresh, path.parent)
    store.commit([Durable("balance", "a", fresh.encode())])
    store.close()
    return store.account_id


def test_a_restored_copy_of_a_venue_state_gets_a_new_account_id(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    assert identified(path, "00aa") == "00aa"
    kept = path.read_bytes()
    assert identified(path, "00bb") == "00aa"
    path.write_bytes(kept)
    assert identified(path, "00cc") == "00cc"
    assert identified(path, "00dd") == "00cc"


def test_a_venue_state_of_schema_2_gets_an_account_id(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    before = written(path)
    with sqlite3.connect(path) as old:
        old.execute("ALTER TABLE total DROP COLUMN commits")
        old.execute("PRAGMA user_version=2")
    assert restored(path) == before
    assert identified(path, "00aa") == "00aa" == identified(path, "00bb")


def test_venue_account_id_is_kept_if_its_mark_is_unwritable(tmp_path: Path) -> None:
    path, nowhere = tmp_path / "state.db", tmp_path / "nowhere"
    for _ in range(2):
        store = Store(path)
        store.identify(lambda: "00aa", nowhere)
        store.commit([Durable("balance", "a", b"1")])
        store.close()
        assert store.account_id == "00aa"
