"""Facts fold by age, whichever road they come by; the journal's past comes back as rows."""

from __future__ import annotations

import json

import msgspec
import pytest

from tests.client.fakes import PORTFOLIO, order
from tests.engine.conftest import DECISION, SYM, StateRig, buy
from tui.client.decode import Reader
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.event_line import Level
from tui.engine.journal import session_replay
from tui.engine.rows import LocalOrderState, Source, Stamp, Table
from tui.engine.state.facts import SnapshotRequest, position_key
from tui.engine.state.quotes import Quotes
from tui.interface.families.history import TradeRecord
from tui.interface.families.market import Bbo, MarkPush
from tui.interface.families.orders import OrderRecord
from tui.interface.families.positions import PositionRecord


def position(qty: str, at: int, side: str = "NONE") -> PositionRecord:
    return PositionRecord(sym=SYM, position_qty=qty, position_side=side, update_at=str(at))


def push(bare: StateRig, qty: str, at: int, *, epoch: int = 0, received: float | None = None) -> bool:
    record = position(qty, at)
    when = bare.clock.mono() if received is None else received
    stamp = Stamp(PORTFOLIO, epoch, at, Source.PUSH, when)
    return bare.state.facts.positions.push(position_key(record), record, stamp, gone=qty == "0")


def snapshot(bare: StateRig, qty: str, at: int, asked: float, epoch: int = 0) -> int:
    record = position(qty, at)
    rows = [(position_key(record), record, at)]
    return len(bare.state.facts.positions.snapshot(rows, SnapshotRequest(asked, epoch), PORTFOLIO, bare.clock.mono()))


def test_f35_a_snapshot_never_overwrites_a_newer_push(bare: StateRig) -> None:
    push(bare, "2", 20)
    assert snapshot(bare, "1", 10, asked=5.0) == 0
    assert bare.held() == ["2"]
    assert snapshot(bare, "3", 30, asked=5.0) == 1
    assert bare.held() == ["3"]


def test_f22_older_and_repeated_position_pushes_change_nothing(bare: StateRig) -> None:
    push(bare, "2", 20)
    assert not push(bare, "1", 10)
    assert bare.held() == ["2"]


def test_i20_a_push_of_an_older_connection_does_not_overwrite(bare: StateRig) -> None:
    push(bare, "2", 20, epoch=2)
    assert not push(bare, "1", 20, epoch=1)
    assert bare.held() == ["2"]


def test_rows_missing_from_a_snapshot_are_removed(bare: StateRig) -> None:
    push(bare, "2", 20, received=1.0)
    assert bare.state.facts.positions.snapshot([], SnapshotRequest(0.5, 0), PORTFOLIO, 2.0) == []
    assert len(bare.state.facts.positions.snapshot([], SnapshotRequest(1.5, 0), PORTFOLIO, 2.0)) == 1
    assert bare.held() == []


def test_snapshot_rows_without_time_do_not_replace_newer_pushes(bare: StateRig) -> None:
    push(bare, "2", 20, received=1.0)
    assert snapshot(bare, "1", 0, asked=0.5) == 0
    assert snapshot(bare, "1", 0, asked=1.5) == 1


def test_a_position_of_size_zero_is_removed(bare: StateRig) -> None:
    push(bare, "2", 20)
    assert push(bare, "0", 30)
    assert bare.held() == []
    assert bare.screen.look().tables[Table.POSITIONS] == {}


def test_f35_an_older_list_does_not_restore_a_closed_position(bare: StateRig) -> None:
    push(bare, "1", 4)
    asked = bare.clock.mono()
    bare.clock.advance(0.1)
    push(bare, "0", 5)
    bare.clock.advance(0.1)
    assert snapshot(bare, "1", 4, asked) == 0
    assert not push(bare, "1", 4)
    assert bare.held() == []
    assert push(bare, "2", 6)
    assert bare.held() == ["2"]


def test_position_side_net_is_the_one_way_position() -> None:
    assert position_key(position("1", 1, "NET")) == f"{SYM}/NONE"


def test_i6_a_fill_counts_once_and_the_fills_table_is_bounded(bare: StateRig) -> None:
    for number in [*range(1_200), *range(1_200)]:
        record = TradeRecord(
            transaction_id=str(number), order_id="1", sym=SYM, side="BUY", quantity="1", price="1", create_at="5"
        )
        bare.state.fold_fill(record, Source.PUSH, 0.0)
    assert len(bare.screen.look().tables[Table.FILLS]) == 1_000


def test_a_reused_fill_id_gives_an_alert_that_stays(bare: StateRig) -> None:
    record = TradeRecord(
        transaction_id="7", order_id="1", sym=SYM, side="BUY", quantity="1", price="60000", create_at="5"
    )
    assert bare.state.fold_fill(record, Source.PUSH, 0.0)
    assert not bare.state.fold_fill(record, Source.SNAPSHOT, 1.0)
    assert not bare.screen.look().events, "the same fill, read again"
    assert bare.state.fold_fill(msgspec.structs.replace(record, order_id="2"), Source.PUSH, 2.0)
    [line] = bare.screen.look().events
    assert (line.level, line.sticky) == (Level.ALERT, True)
    assert line.text.startswith("the service gave transaction id 7 again, to another fill")
    assert "the day's result is partial" in line.text


def bbo(bid: str, ts: object) -> Bbo:
    raw = json.dumps({"bid": bid, "bidqty": "1", "ask": "2", "askqty": "1", "ts": ts}).encode()
    reader: Reader[Bbo] = Reader(Bbo)
    return reader.read(raw)


def test_f43_the_newest_quote_is_kept_and_a_future_one_replaced() -> None:
    quotes = Quotes(ConflatingQueue())
    quotes.mark(SYM, MarkPush(mark="7", ts=1))
    quotes.bbo(SYM, bbo("1", "1000"), 0.0)
    quotes.bbo(SYM, bbo("2", 999), 0.1)
    assert (quotes.rows[SYM].bid, quotes.rows[SYM].mark, quotes.dropped) == ("1", "7", 1)
    quotes.bbo(SYM, bbo("3", 9_000_000), 0.2)
    quotes.bbo(SYM, bbo("4", 1001), 0.3)
    assert quotes.rows[SYM].bid == "4"


def test_f42_a_crossed_quote_is_shown_as_sent() -> None:
    quotes = Quotes(ConflatingQueue())
    quotes.bbo(SYM, bbo("9", 1), 0.0)
    assert (quotes.rows[SYM].bid, quotes.rows[SYM].ask) == ("9", "2")


async def _journalled(bare: StateRig, *after: tuple[str, object]) -> session_replay.ReplayedSession:
    meant = {"kind": "Place", "intent": buy(), "args": {}}
    await bare.journal.record("intent", msgspec.json.encode(meant).decode(), intent_id="c", client_order_id="c")
    for kind, what in after:
        bare.journal.enqueue(kind, msgspec.json.encode(what).decode(), intent_id="c", client_order_id="c")
    return session_replay.replay_entries(
        await bare.journal.entries(), portfolio=PORTFOLIO, now=0.0, wall=bare.clock.wall()
    )


OK = {"code": 200000, "text": "", "data": {"orderId": "1", "clientOrderId": "c"}}


@pytest.mark.parametrize(
    ("after", "states"),
    [
        ([], [LocalOrderState.UNKNOWN]),
        ([("sent", "place_order")], [LocalOrderState.UNKNOWN]),
        ([("reply", OK)], ["NEW"]),
        ([("reply", {"code": 401013, "text": "x", "data": None})], []),
        ([("reply", {"code": 400013, "text": "x", "data": None})], [LocalOrderState.UNKNOWN]),
        ([("not_sent", "x")], []),
        ([("dismiss", "x")], []),
        ([("query_failed", "x")], [LocalOrderState.UNKNOWN]),
        ([("reply", OK), ("push", order(orderState="PARTIALLY_FILLED", updateAt="9"))], ["PARTIALLY_FILLED"]),
        ([("push", order(orderState="FILLED", updateAt="9")), ("reply", OK)], []),
        ([("push", "not a record")], [LocalOrderState.UNKNOWN]),
        ([("reply", {**OK, "data": {"orderId": "1", "orderState": "FILLED"}})], []),
    ],
)
async def test_f85_order_states_after_a_restart_follow_the_journal(
    bare: StateRig, after: list[tuple[str, object]], states: list[str]
) -> None:
    past = await _journalled(bare, *after)
    assert [row.state for row in past.rows] == states


@pytest.mark.parametrize(
    ("after", "hours", "kept"),
    [
        ([("dismiss", "x")], 1, ["c"]),
        ([("dismiss", "x")], 25, []),
        ([("dismiss", "x"), ("push", order(orderState="FILLED", updateAt="9"))], 1, []),
        ([("dismiss", "x"), ("reply", OK)], 1, []),
        ([("not_sent", "x")], 1, []),
    ],
)
async def test_f85_a_restart_keeps_dismissed_orders_in_limits_a_day(
    bare: StateRig, after: list[tuple[str, object]], hours: int, kept: list[str]
) -> None:
    await _journalled(bare, *after)
    past = session_replay.replay_entries(
        await bare.journal.entries(), portfolio=PORTFOLIO, now=50.0, wall=bare.clock.wall() + hours * 3_600
    )
    assert [row.key for row, _ in past.dismissed] == kept
    assert [at for _, at in past.dismissed] == pytest.approx([50.0 - hours * 3_600] * len(kept))


async def test_s4_journal_intents_contain_no_signature(bare: StateRig) -> None:
    await _journalled(bare)
    assert "sign" not in bare.journal.lines[0].payload
    assert DECISION.portfolio in bare.journal.lines[0].payload


async def test_an_unreadable_journal_intent_is_counted(bare: StateRig) -> None:
    await bare.journal.record("intent", "{", intent_id="c", client_order_id="c")
    past = session_replay.replay_entries(await bare.journal.entries(), portfolio=PORTFOLIO, now=0.0, wall=0.0)
    assert (past.rows, past.unreadable) == ([], 1)


def test_f38_a_record_without_id_or_state_is_dropped_with_a_note(bare: StateRig) -> None:
    for changes in ({"orderId": ""}, {"orderState": ""}):
        assert bare.state.fold_order(msgspec.convert(order(**changes), OrderRecord), Source.PUSH) == ""
    assert not bare.state.orders.rows
    assert [event.text for event in bare.screen.look().events] == ["dropped an order record without its id or state"]


def test_the_first_quote_after_subscribing_is_always_kept() -> None:
    quotes = Quotes(ConflatingQueue())
    quotes.record_subscription(SYM, ok=True)
    quotes.bbo(SYM, bbo("1", 2_000), 0.0)
    quotes.record_subscription(SYM, ok=True)
    quotes.bbo(SYM, bbo("2", 1_000), 1.0)
    assert (quotes.rows[SYM].bid, quotes.dropped) == ("2", 0)
    quotes.bbo(SYM, bbo("3", 999), 2.0)
    assert (quotes.rows[SYM].bid, quotes.dropped) == ("2", 1)
