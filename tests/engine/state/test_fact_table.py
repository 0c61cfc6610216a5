"""One table of facts, message by message: what is kept, what goes, and what the screen is told."""

from __future__ import annotations

import pytest

from tests.client.fakes import PORTFOLIO
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.rows import Fact, Source, Stamp, Table
from tui.engine.state.facts import FactTable, SnapshotRequest, asset_key, position_key
from tui.interface.families.assets import AssetRecord
from tui.interface.families.positions import PositionRecord
from tui.interface.times import millis

NOW = 9.0


def position(qty: str, sym: str = "S") -> PositionRecord:
    return PositionRecord(sym=sym, position_qty=qty)


class Told:
    """A table of positions, and what it told the screen."""

    def __init__(self) -> None:
        self.updates = ConflatingQueue()
        self.table: FactTable[PositionRecord] = FactTable(Table.POSITIONS, self.updates)

    def push(
        self, qty: str, at: int = 20, *, epoch: int = 2, received: float = 1.0, key: str = "a", gone: bool = False
    ) -> bool:
        stamp = Stamp(PORTFOLIO, epoch, at, Source.PUSH, received)
        return self.table.push(key, position(qty), stamp, gone=gone)

    def listed(self, *rows: tuple[str, str, int], asked: float = 5.0, epoch: int = 2) -> int:
        records = [(key, position(qty), at) for key, qty, at in rows]
        return len(self.table.snapshot(records, SnapshotRequest(asked, epoch), PORTFOLIO, NOW))

    def held(self) -> dict[str, str]:
        return {key: fact.record.position_qty for key, fact in self.table.rows.items()}

    def screen(self) -> dict[str, object]:
        return dict(self.updates.take().changed.get(Table.POSITIONS, {}))


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("1700000000000", 1_700_000_000_000),
        ("9" * 15, 10**15 - 1),
        ("1" + "0" * 15, 0),
        ("1" + "0" * 16, 0),
        ("", 0),
        ("-1", 0),
        ("1.5", 0),
        ("²", 0),
        ("١٢", 0),
        ("never", 0),
    ],
)
def test_server_times_are_parsed_from_ascii_digits_only(text: str, at: int) -> None:
    assert millis(text) == at


@pytest.mark.parametrize(
    ("side", "leg"),
    [("", "NONE"), ("NET", "NONE"), ("NONE", "NONE"), ("LONG", "LONG"), ("SHORT", "SHORT")],
)
def test_position_key_is_the_pair_and_the_side(side: str, leg: str) -> None:
    assert position_key(PositionRecord(sym="S", position_qty="1", position_side=side)) == f"S/{leg}"


def test_asset_key_is_the_venue_and_the_coin() -> None:
    assert asset_key(AssetRecord(exchange_type="OKX", coin="BTC", balance="1")) == "OKX/BTC"


def test_a_pushed_row_is_stored_with_its_stamp_and_published(told: Told) -> None:
    stamp = Stamp(PORTFOLIO, 2, 20, Source.PUSH, 1.0)
    assert told.table.push("a", position("1"), stamp)
    assert told.table.rows == {"a": Fact(position("1"), stamp)}
    assert told.screen() == told.table.rows


@pytest.mark.parametrize(
    ("at", "epoch", "taken"),
    [
        (21, 2, True),
        (20, 2, True),
        (19, 2, False),
        (0, 2, True),
        (20, 1, False),
        (19, 1, False),
        (0, 1, False),
        (20, 3, True),
        (19, 3, False),
        (0, 3, True),
    ],
)
def test_i20_a_push_is_applied_if_it_is_newer(told: Told, at: int, epoch: int, taken: bool) -> None:
    told.push("1")
    told.screen()
    assert told.push("2", at, epoch=epoch) is taken
    assert told.held() == {"a": "2" if taken else "1"}
    assert (told.screen() != {}) is taken


@pytest.mark.parametrize(("at", "taken"), [(21, True), (20, True), (1, True), (0, True)])
def test_any_later_push_replaces_a_row_without_a_time(told: Told, at: int, taken: bool) -> None:
    told.push("1", 0)
    assert told.push("2", at) is taken


def test_a_removed_row_is_not_restored_by_older_messages(told: Told) -> None:
    told.push("1")
    told.screen()
    assert told.push("0", 21, gone=True)
    assert (told.held(), told.screen()) == ({}, {"a": None})
    assert not told.push("0", 22, gone=True)
    assert not told.push("1", 21)
    assert (told.held(), told.screen()) == ({}, {})
    assert told.push("3", 23)
    assert told.held() == {"a": "3"}
    assert told.listed(asked=5.0) == 1
    assert told.push("4", 21), "what a list lacks was not said to be gone"


@pytest.mark.parametrize(
    ("at", "asked", "epoch", "taken"),
    [
        (21, 0.5, 2, True),
        (19, 5.0, 2, False),
        (20, 5.0, 2, True),
        (20, 1.0, 2, False),
        (20, 0.5, 2, False),
        (0, 5.0, 2, True),
        (0, 1.0, 2, False),
        (20, 5.0, 1, False),
    ],
)
def test_f35_a_listed_row_replaces_an_older_one(told: Told, at: int, asked: float, epoch: int, taken: bool) -> None:
    told.push("1")
    told.screen()
    assert told.listed(("a", "2", at), asked=asked, epoch=epoch) == int(taken)
    fact = Fact(position("2"), Stamp(PORTFOLIO, epoch, at, Source.SNAPSHOT, NOW))
    assert (told.table.rows["a"] == fact) is taken
    assert told.screen() == ({"a": fact} if taken else {})


def test_a_list_equal_to_the_table_repairs_nothing(told: Told) -> None:
    told.push("1")
    kept = dict(told.table.rows)
    told.screen()
    assert told.listed(("a", "1", 21)) == 0
    assert (told.table.rows, told.screen()) == (kept, {})


def test_each_list_row_is_compared_and_repairs_are_counted(told: Told) -> None:
    told.push("1", 30, key="newer")
    told.push("1", key="older")
    told.push("1", key="same")
    told.push("1", key="lacking")
    told.push("1", key="lacking too")
    told.push("1", key="late", received=5.0)
    told.screen()
    listed = [("newer", "2", 25), ("older", "2", 25), ("same", "1", 25), ("new", "2", 25), ("new too", "2", 25)]
    assert told.listed(*listed) == 5
    assert told.held() == {"newer": "1", "older": "2", "same": "1", "late": "1", "new": "2", "new too": "2"}
    shown = {key: None if row is None else "row" for key, row in told.screen().items()}
    assert shown == {"older": "row", "new": "row", "new too": "row", "lacking": None, "lacking too": None}


def test_a_newer_list_restores_a_removed_row(told: Told) -> None:
    told.push("0", 20, gone=True)
    assert told.listed(("a", "1", 20), asked=0.5) == 0
    assert told.listed(("a", "1", 19)) == 0
    assert told.listed(("a", "1", 21)) == 1
    assert told.listed() == 0, "received after it was asked for"
    assert told.listed(asked=NOW + 1) == 1
    assert told.push("2", 19), "the list took the word that it was gone back"


@pytest.mark.parametrize("listed", [False, True], ids=["pushed", "listed"])
@pytest.mark.parametrize(
    ("number", "opened", "taken"),
    [
        ("8", "20", True),
        ("8", "15", False),
        ("8", "14", False),
        ("8", "", False),
        ("7", "20", False),
        ("", "20", False),
    ],
)
def test_a_reopened_position_is_known_by_its_id_or_opening_time(
    told: Told, number: str, opened: str, taken: bool, listed: bool
) -> None:
    closed = PositionRecord(sym="S", position_id="7", position_qty="0", create_at="15")
    told.table.push("a", closed, Stamp(PORTFOLIO, 2, 21, Source.PUSH, 1.0), gone=True)
    row = PositionRecord(sym="S", position_id=number, position_qty="3", create_at=opened)
    if listed:
        told.table.snapshot([("a", row, 20)], SnapshotRequest(5.0, 2), PORTFOLIO, NOW)
    else:
        told.table.push("a", row, Stamp(PORTFOLIO, 2, 20, Source.PUSH, 2.0))
    assert told.held() == ({"a": "3"} if taken else {})


@pytest.mark.parametrize(("number", "opened"), [("", "15"), ("7", ""), ("7", "0")])
def test_only_a_later_push_replaces_a_closed_position_without_id(told: Told, number: str, opened: str) -> None:
    closed = PositionRecord(sym="S", position_id=number, position_qty="0", create_at=opened)
    told.table.push("a", closed, Stamp(PORTFOLIO, 2, 21, Source.PUSH, 1.0), gone=True)
    row = PositionRecord(sym="S", position_id="8", position_qty="3", create_at="20")
    assert not told.table.push("a", row, Stamp(PORTFOLIO, 2, 20, Source.PUSH, 2.0))
    assert told.table.push("a", row, Stamp(PORTFOLIO, 2, 22, Source.PUSH, 2.0))


def test_an_older_push_of_a_closed_position_is_ignored() -> None:
    table: FactTable[PositionRecord] = FactTable(Table.POSITIONS, ConflatingQueue())
    for number, at in (("7", 20), ("8", 30), ("7", 19)):
        row = PositionRecord(sym="S", position_id=number, position_qty="0", create_at=str(at - 10))
        table.push("S/NONE", row, Stamp(PORTFOLIO, 2, at, Source.PUSH, 1.0), gone=True)
    late = PositionRecord(sym="S", position_id="8", position_qty="1", create_at="20")
    assert not table.push("S/NONE", late, Stamp(PORTFOLIO, 2, 25, Source.PUSH, 2.0))


def test_a_repaired_row_reports_field_old_and_new_value() -> None:
    table: FactTable[PositionRecord] = FactTable(Table.POSITIONS, ConflatingQueue())
    pushed = PositionRecord(sym="S", position_qty="0.50", leverage="10", update_at="20")
    table.push("S/NONE", pushed, Stamp(PORTFOLIO, 2, 20, Source.PUSH, 1.0))
    asked = SnapshotRequest(5.0, 2)
    listed = PositionRecord(sym="S", position_qty="0.5", leverage="10", mark_price="61000", update_at="21")
    assert table.snapshot([("S/NONE", listed, 21)], asked, PORTFOLIO, NOW) == [], "one figure, and a field pushes lack"
    assert table.rows["S/NONE"].record == listed, "it is taken over all the same"
    other = PositionRecord(sym="S", position_qty="0.7", leverage="20", update_at="22")
    assert table.snapshot([("S/NONE", other, 22)], SnapshotRequest(10.0, 2), PORTFOLIO, NOW + 2) == [
        "S/NONE: position_qty 0.5 → 0.7, leverage 10 → 20"
    ]
    assert table.snapshot([], SnapshotRequest(20.0, 2), PORTFOLIO, NOW + 12) == ["S/NONE: gone"]
