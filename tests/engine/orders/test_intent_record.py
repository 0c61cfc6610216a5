"""What is told of an intent that is not on disk in time, and of an id that cannot be stored."""

from __future__ import annotations

import json

import pytest

from tests.client.fakes import FakeClock
from tests.engine.conftest import buy
from tests.engine.full_disk import raise_full_disk
from tui.engine.journal.memory_journal import MemoryJournal
from tui.engine.orders.intent_record import describe_unrecorded, record_intent, refuse_unrecorded, reserve_id
from tui.engine.orders.pre_trade_checks import Refusal
from tui.host import OrderIds

pytestmark = pytest.mark.hurried


@pytest.fixture
def journal() -> MemoryJournal:
    return MemoryJournal(FakeClock())


async def record(journal: MemoryJournal, **changes: str) -> int | str:
    return await record_intent(
        journal, buy(), {"args": {"sym": "x"}}, within_s=1.5, epoch=3, intent_id="i", client_order_id="c", **changes
    )


@pytest.mark.parametrize(("changes", "kind"), [({}, "Place"), ({"kind": "Other"}, "Other")])
async def test_a_recorded_intent_names_its_kind_and_ids(
    journal: MemoryJournal, changes: dict[str, str], kind: str
) -> None:
    number = await record(journal, **changes)
    [entry] = journal.lines
    assert number == entry.seq
    assert (entry.kind, entry.intent_id, entry.client_order_id, entry.epoch) == ("intent", "i", "c", 3)
    payload = json.loads(entry.payload)
    assert (payload["kind"], payload["intent"]["price"], payload["args"]) == (kind, "60000", {"sym": "x"})


async def test_an_intent_that_could_not_be_recorded_has_a_reason(journal: MemoryJournal) -> None:
    journal.failure = "no space left"
    assert await record(journal) == "no space left"
    journal.latency = 5.0
    assert await record(journal) == "the disk took longer than 1.5 s"
    assert refuse_unrecorded("no space left") == Refusal("JOURNAL", "cannot record: no space left")
    assert describe_unrecorded("cancel", "disk full") == "the cancel could not be recorded (disk full); it is sent"


def test_an_order_id_that_cannot_be_stored_is_a_refusal() -> None:
    text = "cannot record: no id can be stored (No space left on device)"
    assert reserve_id(OrderIds(FakeClock(), "abc123", 0, raise_full_disk)) == Refusal("JOURNAL", text)
    assert str(reserve_id(OrderIds(FakeClock(), "abc123", 0, lambda _bound: None))).startswith("cdabc123")
