"""What a restart makes of the journal, row for row: the newest word about each order that had no end."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.client.fakes import PORTFOLIO, order
from tests.engine.conftest import SYM, buy
from tui.engine.intents import Place
from tui.engine.journal import session_replay
from tui.engine.journal.journal_rows import Entry
from tui.engine.rows import LocalOrderState, OrderRow, Source, Stamp
from tui.engine.state.order_table import DISMISSED_COUNTS
from tui.interface.families.orders import OrderType, PositionSide, Side, TimeInForce
from tui.rules.day_result import DayResult

NOW = 50.0
WALL = 1_700_000_000.0
MEANT_MS = 1_699_999_000_000
"""Wall time of the first entry; each entry is a second later than the one before."""
SENT_AT = NOW - (WALL - MEANT_MS / 1000)
"""Monotonic time of the first entry: an UNKNOWN order is so since it was sent."""
EARLIER = "no answer in an earlier session"
ID, OTHER, THIRD = "2000000000000001", "2000000000000002", "2000000000000003"

Told = tuple[str, object]


def entry(number: int, kind: str, payload: str, cid: str = "c") -> Entry:
    return Entry(
        seq=number, wall_ms=MEANT_MS + (number - 1) * 1000, mono=float(number), epoch=1, kind=kind, intent_id="i",
        client_order_id=cid, order_id="", payload=payload,
    )  # fmt: skip


def text(what: object) -> str:
    return msgspec.json.encode(what).decode()


def meant(place: Place | None = None, kind: str = "Place") -> str:
    return text({"kind": kind, "intent": place or buy(), "args": {}})


def journal(*told: Told) -> list[Entry]:
    """An order that was meant, and what was told of it afterwards."""
    return [entry(1, "intent", meant()), *(entry(at, kind, text(what)) for at, (kind, what) in enumerate(told, 2))]


def read(entries: list[Entry], wall: float = WALL) -> session_replay.ReplayedSession:
    return session_replay.replay_entries(entries, portfolio=PORTFOLIO, now=NOW, wall=wall)


def reply(code: object = 200000, **data: str) -> Told:
    return "reply", {"code": code, "text": "why", "data": data or None}


def push(at: int, state: str, executed: str = "0", kind: str = "push", **changes: Any) -> Told:
    raw = {"orderState": state, "executedQty": executed, "updateAt": str(at), "createAt": "5", "clientOrderId": "c"}
    return kind, order(**{**raw, **changes})


def the_row(state: str, at: int, **changes: Any) -> OrderRow:
    """The order of `meant` as it comes back."""
    values: dict[str, Any] = {
        "key": "c",
        "client_order_id": "c",
        "sym": SYM,
        "side": "BUY",
        "position_side": "NONE",
        "order_type": "LIMIT",
        "time_in_force": "GTC",
        "price": "60000",
        "qty": "0.01",
        "state": state,
        "since": SENT_AT if state == "UNKNOWN" else NOW,
        "create_at": 5 if at else MEANT_MS,
        "stamp": Stamp(PORTFOLIO, 0, at, Source.JOURNAL, NOW),
    }
    return OrderRow(**{**values, **changes})


UNKNOWN = the_row("UNKNOWN", 0, reason=EARLIER)
NEW = the_row("NEW", 0, order_id=ID)
OK = reply(orderId=ID, clientOrderId="c")


@pytest.mark.parametrize(
    ("told", "rows"),
    [
        ([], [UNKNOWN]),
        ([("sent", "place_order")], [UNKNOWN]),
        ([("query_failed", "x")], [UNKNOWN]),
        ([("not_sent", "x")], []),
        ([OK], [NEW]),
        ([("reply", {"code": "200000", "data": {"orderId": ID}})], [NEW]),
        ([reply(orderId=ID, orderState="OPEN")], [the_row("OPEN", 0, order_id=ID)]),
        ([reply(orderId=ID, orderState="HALF_OPEN")], [the_row("HALF_OPEN", 0, order_id=ID)]),
        ([reply(orderId=ID, orderState="CANCELLED")], []),
        ([reply(401013)], []),
        ([reply(401009)], [UNKNOWN]),
        ([reply(400013)], [UNKNOWN]),
        ([reply(200000)], [UNKNOWN]),
        ([reply(401013, orderId=ID)], [UNKNOWN]),
        ([reply("no number")], [UNKNOWN]),
        ([("reply", {})], [UNKNOWN]),
        ([("reply", {"code": None, "data": {"orderId": ID}})], [UNKNOWN]),
        ([("reply", {"text": "", "data": None})], [UNKNOWN]),
        ([("reply", "no object")], [UNKNOWN]),
        ([("reply", "no object"), OK], [NEW]),
    ],
)
def test_f85_replay_restores_orders_by_their_replies(told: list[Told], rows: list[OrderRow]) -> None:
    assert read(journal(*told)).rows == rows


OPEN = the_row("OPEN", 10, order_id=ID)
PART = the_row("PARTIALLY_FILLED", 20, order_id=ID, executed="0.004")
SECOND = the_row("OPEN", 30, order_id=OTHER, price="60001", qty="0.02", origin="REPLACE", create_at=6)


def after(at: int, **changes: object) -> OrderRow:
    """The second order, made by an amend of the first one, of which the newest word is stamped so."""
    return msgspec.structs.replace(SECOND, earlier_ids=(ID,), earlier_at=(at,), **changes)


AMENDED = {"orderId": OTHER, "orderType": "REPLACE", "limitPrice": "60001", "orderQty": "0.02", "createAt": "6"}


@pytest.mark.parametrize(
    ("told", "rows"),
    [
        ([push(10, "OPEN")], [OPEN]),
        ([push(10, "OPEN", kind="query")], [OPEN]),
        ([push(10, "OPEN", kind="snapshot")], [OPEN]),
        ([push(10, "OPEN", kind="fact")], [UNKNOWN]),
        ([push(10, "OPEN"), push(20, "PARTIALLY_FILLED", "0.004")], [PART]),
        ([push(20, "PARTIALLY_FILLED", "0.004"), push(10, "OPEN")], [PART]),
        ([push(20, "OPEN"), push(19, "NEW")], [the_row("OPEN", 20, order_id=ID)]),
        ([push(20, "PARTIALLY_FILLED", "0.004"), push(20, "PARTIALLY_FILLED", "0.005")],
         [the_row("PARTIALLY_FILLED", 20, order_id=ID, executed="0.005")]),
        ([push(20, "PARTIALLY_FILLED", "0.004"), push(30, "OPEN", "0.003")], [PART]),
        ([push(20, "PARTIALLY_FILLED", "0.004"), push(30, "OPEN", "0.011")], [PART]),
        ([push(20, "PARTIALLY_FILLED", "0.004"), push(30, "OPEN", "many")], [PART]),
        ([push(10, "OPEN", "")], [OPEN]),
        ([push(10, "OPEN", "-1")], [UNKNOWN]),
        ([push(10, "OPEN", limitPrice="0", orderQty="")], [the_row("OPEN", 10, order_id=ID, price="")]),
        ([push(10, "OPEN", limitPrice="60001", orderQty="0.02")],
         [the_row("OPEN", 10, order_id=ID, price="60001", qty="0.02")]),
        ([push(10, "OPEN"), OK], [OPEN]),
        ([push(10, "OPEN"), reply(401013)], [OPEN]),
        ([push(1, "OPEN"), reply(401013)], [the_row("OPEN", 1, order_id=ID)]),
        ([push(10, "OPEN"), push(20, "FILLED", "0.01")], []),
        ([push(20, "FILLED", "0.01"), push(10, "OPEN")], []),
        ([reply(401013), push(10, "OPEN")], [OPEN]),
        ([("not_sent", "x"), push(10, "OPEN")], [OPEN]),
        ([push(10, "OPEN"), push(30, "OPEN", orderId=OTHER)], [OPEN]),
        ([push(1, "OPEN"), push(30, "OPEN", orderId=OTHER)], [the_row("OPEN", 1, order_id=ID)]),
        ([OK, push(10, "OPEN", orderId=OTHER)], [the_row("OPEN", 10, order_id=OTHER)]),
        ([push(10, "OPEN"), push(30, "OPEN", **AMENDED)], [after(10)]),
        ([push(20, "PARTIALLY_FILLED", "0.004"), push(30, "OPEN", "0.001", **AMENDED)],
         [after(20, executed="0.001")]),
        ([push(20, "PARTIALLY_FILLED", "0.004"), push(30, "OPEN", **AMENDED)], [after(20)]),
        ([push(10, "OPEN"), push(30, "OPEN", **AMENDED), push(40, "OPEN", orderType="REPLACE", createAt="7")],
         [after(40)]),
        ([push(10, "OPEN"), push(30, "OPEN", **AMENDED),
          push(50, "OPEN", **{**AMENDED, "orderId": THIRD, "createAt": "7"})],
         [the_row("OPEN", 50, order_id=THIRD, price="60001", qty="0.02", origin="REPLACE", create_at=7,
                  earlier_ids=(ID, OTHER), earlier_at=(10, 30))]),
        # The end of the old order is stamped behind the beginning of the new one.
        ([push(10, "OPEN"), push(31, "CANCELLED"), push(30, "OPEN", **AMENDED)], [after(31)]),
        # Two orders under one id: the second lives on after the first, and late words of the first end nothing.
        ([push(10, "OPEN"), push(20, "CANCELLED"), push(30, "OPEN", orderId=OTHER)],
         [the_row("OPEN", 30, order_id=OTHER)]),
        ([push(10, "OPEN"), push(20, "CANCELLED"), push(30, "OPEN", orderId=OTHER, sym="BINANCE_SPOT_ETH_USDT")], []),
        ([push(10, "OPEN"), push(20, "CANCELLED"), push(30, "OPEN", orderId=OTHER, side="SELL")], []),
        ([push(10, "OPEN"), push(30, "OPEN", **AMENDED, sym="BINANCE_SPOT_ETH_USDT")], [OPEN]),
        ([push(10, "OPEN"), push(20, "CANCELLED"), push(19, "OPEN", orderId=OTHER)], []),
        ([push(10, "OPEN"), push(20, "CANCELLED"), push(30, "CANCELLED", orderId=OTHER)], []),
        ([push(10, "OPEN"), push(30, "FILLED", "0.01", **AMENDED), push(40, "OPEN")], []),
        ([push(30, "OPEN", **AMENDED), push(40, "OPEN")], [SECOND]),
        ([push(30, "OPEN", **AMENDED), push(40, "OPEN", orderType="REPLACE")], [SECOND]),
        ([push(30, "OPEN", **AMENDED), push(40, "OPEN", "-0.004", **AMENDED)], [SECOND]),
        ([push(10, "FILLED", "0.01"), push(20, "OPEN", "0.01", kind="query")],
         [the_row("OPEN", 20, order_id=ID, executed="0.01")]),
        ([push(10, "OPEN", "0.01", orderQty="0.02"),
          push(20, "CANCELLED", "0.01", orderQty="0.005", amendType="USER")], []),
        ([push(10, "OPEN", "0.01", orderQty="0.02"), push(20, "CANCELLED", "0.01", orderQty="0.005")],
         [the_row("OPEN", 10, order_id=ID, executed="0.01", qty="0.02")]),
        ([push(10, "OPEN", "0.01", orderQty="0.02"),
          push(20, "CANCELLED", "0.021", orderQty="0.005", amendType="USER")],
         [the_row("OPEN", 10, order_id=ID, executed="0.01", qty="0.02")]),
        ([("push", "no record"), push(10, "OPEN")], [OPEN]),
    ],
)  # fmt: skip
def test_f85_replay_restores_the_newest_valid_order_record(told: list[Told], rows: list[OrderRow]) -> None:
    assert read(journal(*told)).rows == rows


def test_replay_restores_an_order_with_all_its_fields() -> None:
    place = buy(
        "",
        "3",
        side=Side.SELL,
        order_type=OrderType.MARKET,
        time_in_force=TimeInForce.IOC,
        position_side=PositionSide.LONG,
        reduce_only=True,
        sym="OKX_PERP_ETH_USDT",
    )
    assert read([entry(3, "intent", meant(place), "d")]).rows == [
        the_row(
            "UNKNOWN",
            0,
            key="d",
            client_order_id="d",
            sym="OKX_PERP_ETH_USDT",
            side="SELL",
            order_type="MARKET",
            time_in_force="IOC",
            position_side="LONG",
            reduce_only=True,
            price="",
            qty="3",
            reason=EARLIER,
            create_at=MEANT_MS + 2000,
            since=SENT_AT + 2,
        )
    ]


# -- dismissed ----------------------------------------------------------------------------------------------------------

GONE: Told = ("dismiss", "x")
DAY = DISMISSED_COUNTS
DISMISSED_AT = MEANT_MS / 1000 + 1
"""When the second entry of a journal was made, Unix s."""


@pytest.mark.parametrize(
    ("told", "age", "kept"),
    [
        ([GONE], 0.0, [(UNKNOWN, NOW)]),
        ([GONE], 3_600.0, [(UNKNOWN, NOW - 3_600)]),
        ([GONE], DAY - 1, [(UNKNOWN, NOW - DAY + 1)]),
        ([GONE], DAY, []),
        ([GONE, push(10, "OPEN")], 10.0, []),
        ([GONE, push(10, "FILLED", "0.01")], 10.0, []),
        ([GONE, OK], 10.0, []),
        ([GONE, reply(401013)], 10.0, []),
        ([GONE, reply(400013)], 10.0, [(UNKNOWN, NOW - 10)]),
        ([("not_sent", "x")], 10.0, []),
    ],
)
def test_f85_replay_keeps_a_dismissed_order_for_a_day(
    told: list[Told], age: float, kept: list[tuple[OrderRow, float]]
) -> None:
    rows = [(msgspec.structs.replace(row, since=NOW - age - 1), at) for row, at in kept]
    assert read(journal(*told), DISMISSED_AT + age).dismissed == rows


@pytest.mark.parametrize(
    ("told", "rows"),
    [
        ([GONE], []),
        ([GONE, OK], [NEW]),
        ([GONE, reply(401013)], []),
        ([GONE, reply(400013)], []),
        ([GONE, push(10, "OPEN")], [OPEN]),
        ([GONE, push(10, "FILLED", "0.01")], []),
    ],
)
def test_f85_replay_restores_a_dismissed_order_found_later(told: list[Told], rows: list[OrderRow]) -> None:
    assert read(journal(*told)).rows == rows


@pytest.mark.parametrize("late", [OK, reply(401013), push(10, "OPEN"), push(10, "FILLED", "0.01")])
def test_a_restored_dismissed_order_is_as_if_never_dismissed(late: Told) -> None:
    stories = [session_replay.JournalReplay(), session_replay.JournalReplay()]
    for story, between in zip(stories, (GONE, ("sent", "x")), strict=True):
        for one in journal(between, late):
            story.apply(one)
    assert stories[0] == stories[1] and stories[0].orders["c"].dismissed_ms == 0


# -- several, fills, what cannot be read --------------------------------------------------------------------------------


def fill(number: str, at: str) -> str:
    return text({"transactionId": number, "orderId": "1", "sym": SYM, "side": "BUY", "quantity": "1", "price": "1",
                 "createAt": at})  # fmt: skip


def test_replay_restores_order_states_and_when_pairs_were_traded() -> None:
    past = read(
        [
            entry(1, "intent", meant(), "a"),
            entry(2, "intent", meant(), "b"),
            entry(3, "intent", meant(buy(sym="OKX_PERP_ETH_USDT")), "c"),
            entry(4, "not_sent", '"x"', "a"),
            entry(5, "push", text(push(10, "OPEN")[1]), "b"),
            entry(6, "push", text(push(10, "OPEN")[1]), "stranger"),
            entry(7, "reply", "{", ""),
        ]
    )
    assert [(row.key, row.state) for row in past.rows] == [("b", "OPEN"), ("c", LocalOrderState.UNKNOWN)]
    assert past.traded == {SYM: MEANT_MS + 1000, "OKX_PERP_ETH_USDT": MEANT_MS + 2000}
    assert (past.fills, past.unreadable, past.dismissed) == ({}, 0, [])


def test_replay_restores_fills_of_all_orders_with_their_times() -> None:
    fills = [entry(1, "fill", fill("7", "1700000000123"), ""), entry(2, "fill", fill("8", "never"), "c")]
    assert read([*fills, entry(3, "fill", "{", "")]).fills == {"7": 1_700_000_000_123, "8": 0}


@pytest.mark.parametrize(
    ("kind", "payload", "cid", "unreadable"),
    [
        ("intent", "{", "c", 1),
        ("intent", "no json", "c", 1),
        ("intent", '{"kind": "Place", "intent": {}}', "c", 1),
        ("intent", '{"kind": "Cancel", "intent": {}}', "c", 0),
        ("intent", "{", "", 1),
        ("intent", '{"kind": "AccountCommand", "intent": {}}', "", 1),
        ("intent", '{"kind": "CancelAllAlgos", "intent": {"kill": true}, "args": {}}', "", 0),
        ("intent", '{"kind": "CancelAll", "intent": {}, "endpoint": "cancel_all_algos", "args": {}}', "", 0),
        ("push", "{", "c", 0),
        ("fill", "{", "c", 0),
        ("fill", "{", "", 0),
        ("note", "{", "", 0),
    ],
)
def test_replay_counts_unreadable_intents_and_no_other_entries(
    kind: str, payload: str, cid: str, unreadable: int
) -> None:
    past = read([entry(1, kind, payload, cid), entry(2, "intent", meant(), "d")])
    assert past.unreadable == unreadable
    assert [row.key for row in past.rows] == ["d"]


def test_replay_counts_every_unreadable_intent() -> None:
    assert read([entry(1, "intent", "{", "a"), entry(2, "intent", "{", "b")]).unreadable == 2


def test_replay_makes_no_order_row_of_a_replace_intent() -> None:
    only = entry(1, "intent", meant(kind="Replace"))
    assert read([only]) == session_replay.ReplayedSession([], [], {}, DayResult(), 0, 0, {}, first_ms=only.wall_ms)


# -- accounts ----------------------------------------------------------------------------------------------------------


def account(number: int, name: str) -> Entry:
    return entry(number, "account", text({"account_id": name, "portfolio": PORTFOLIO}), "")


def test_replay_assigns_earlier_entries_to_the_first_account() -> None:
    past = read([*journal(), entry(2, "fill", fill("1", "9")), account(3, "a")])
    assert (past.account_id, [row.key for row in past.rows], list(past.fills)) == ("a", ["c"], ["1"])


def test_replay_for_another_account_restores_nothing() -> None:
    told = [account(1, "a"), entry(2, "intent", meant()), entry(3, "fill", fill("1", "9")), account(4, "b")]
    past = read(told)
    assert (past.account_id, past.rows, past.fills, past.day) == ("b", [], {}, DayResult())
    again = read([*told, entry(5, "intent", meant(), "d"), account(6, "b")])
    assert [row.key for row in again.rows] == ["d"]
    foreign = session_replay.replay_entries(told[:3], portfolio=PORTFOLIO, now=NOW, wall=WALL, account_id="b")
    assert (foreign.account_id, foreign.rows, foreign.fills) == ("a", [], {})


# -- checkpoints --------------------------------------------------------------------------------------------------------


def through_a_checkpoint(entries: list[Entry], at: int, wall: float) -> list[Entry]:
    """The entries with all before one of them replaced by a checkpoint."""
    story = session_replay.JournalReplay()
    for one in entries[:at]:
        story.apply(one)
    mark = msgspec.structs.replace(
        entries[0], seq=at, kind="checkpoint", client_order_id="", payload=story.checkpoint(wall)
    )
    return [mark, *entries[at:]]


LONG_PAST = [
    entry(1, "intent", meant(), "a"),
    entry(2, "push", text(push(10, "OPEN")[1]), "a"),
    entry(3, "intent", meant(), "b"),
    entry(4, "not_sent", '"x"', "b"),
    entry(5, "intent", meant(), "c"),
    entry(6, "dismiss", '"x"', "c"),
    entry(7, "fills", '{"begin": 5, "since": 0, "complete": 86400000}'),
    entry(8, "fill", '{"transactionId":"1","orderId":"7","sym":"BINANCE_PERP_BTC_USDT","side":"BUY","quantity":"1",'
                     '"price":"2","rpnl":"5","createAt":"86400001"}'),
    entry(9, "intent", meant(), "d"),
    entry(10, "reply", text(OK[1]), "d"),
]  # fmt: skip


@pytest.mark.parametrize("at", range(1, len(LONG_PAST) + 1))
@pytest.mark.parametrize("later_s", [0.0, 3_600.0])
def test_replay_from_a_checkpoint_equals_full_replay(at: int, later_s: float) -> None:
    wall = LONG_PAST[-1].wall_ms / 1000 + later_s
    whole = session_replay.replay_entries(LONG_PAST, portfolio="p", now=50.0, wall=wall)
    assert (
        session_replay.replay_entries(through_a_checkpoint(LONG_PAST, at, wall), portfolio="p", now=50.0, wall=wall)
        == whole
    )
    assert whole.day.net == 5 and whole.complete_ms == 86_400_000 and len(whole.dismissed) == 1


def test_a_checkpoint_drops_old_orders_after_a_grace_time() -> None:
    entries = LONG_PAST[2:4]
    ended = entries[-1].wall_ms / 1000
    story = session_replay.JournalReplay()
    for one in entries:
        story.apply(one)
    kept = msgspec.json.decode(story.checkpoint(ended + 600), type=session_replay.JournalReplay)
    assert list(kept.orders) == ["b"]
    assert not msgspec.json.decode(story.checkpoint(ended + 600.01), type=session_replay.JournalReplay).orders


def test_a_checkpoint_keeps_a_dismissed_order_for_a_day() -> None:
    story = session_replay.JournalReplay()
    for one in journal(GONE):
        story.apply(one)
    for age, kept in ((DAY - 1, ["c"]), (DAY, [])):
        payload = story.checkpoint(DISMISSED_AT + age)
        assert list(msgspec.json.decode(payload, type=session_replay.JournalReplay).orders) == kept


MIDNIGHT = 20_000 * 86_400_000


def fill_entry(at: int, dated: int, written: int) -> Entry:
    return msgspec.structs.replace(entry(at, "fill", fill(str(at), str(dated)), ""), wall_ms=written)


@pytest.mark.parametrize(
    ("dated", "written", "day", "counted"),
    [
        ([-5, 86_400_000, 7], [-5, 6, 7], 20_000, ["1", "2"]),
        ([5, 6], [5, 86_400_006], 20_000, ["0", "1"]),
        ([-5, 1, 2], [-5, -1, 3], 20_000, ["1", "2"]),
    ],
    ids=["a wrong date", "a clock ahead", "a clock behind"],
)
def test_replay_starts_no_new_day_for_a_fill_dated_tomorrow(
    dated: list[int], written: list[int], day: int, counted: list[str]
) -> None:
    """A fill dated tomorrow began tomorrow: nothing of today counted for the loss limit after a restart."""
    story = session_replay.JournalReplay()
    for at, (date, wall) in enumerate(zip(dated, written, strict=True)):
        story.apply(fill_entry(at, MIDNIGHT + date, MIDNIGHT + wall))
    kept = msgspec.json.decode(story.checkpoint(WALL), type=session_replay.JournalReplay).day
    assert (kept.day, list(kept.counted), kept) == (day, counted, story.day)


@pytest.mark.parametrize(
    ("complete", "times", "kept"),
    [
        (300_000, [-300_001, -300_000, 1], ["1", "2"]),
        (3_600_000, [-1, 0, 3_599_999], ["1", "2"]),
        (3_600_000, [0, 1, 3_599_999], ["0", "1", "2"]),
    ],
    ids=["the last ten minutes", "today, not yesterday", "today"],
)
def test_a_checkpoint_keeps_the_fills_of_the_day(complete: int, times: list[int], kept: list[str]) -> None:
    """Later sessions must not report a fill twice, nor leave one out of the day's result."""
    reading = f'{{"begin": 5, "since": 0, "complete": {MIDNIGHT + complete}}}'
    fills = [fill_entry(at, MIDNIGHT + time, MIDNIGHT + time) for at, time in enumerate(times)]
    story = session_replay.JournalReplay()
    for one in (entry(9, "fills", reading, ""), *fills):
        story.apply(one)
    assert list(msgspec.json.decode(story.checkpoint(WALL), type=session_replay.JournalReplay).fills) == kept


def test_fills_count_as_complete_only_over_adjoining_readings() -> None:
    readings = [
        entry(1, "fills", '{"begin": 5, "since": 0, "complete": 1000}'),
        entry(2, "fills", '{"begin": 5, "since": 1000, "complete": 2000}'),
        entry(3, "fills", '{"begin": 5, "since": 2001, "complete": 3000}'),
    ]
    assert [read(readings[:count]).complete_ms for count in (1, 2, 3)] == [1000, 2000, 2000]


def test_fills_lost_with_dropped_notes_are_read_again() -> None:
    def read_up_to(number: int, since: int, complete: int) -> Entry:
        return entry(number, "fills", f'{{"begin": 5, "since": {since}, "complete": {complete}}}')

    told = [read_up_to(1, 0, 1_000_000), entry(2, "gap", "3 notes were not written"), read_up_to(3, 940_000, 2_000_000)]
    assert read(told).complete_ms == 880_000, "the reading behind the gap began behind it"
    assert read([*told, read_up_to(4, 820_000, 3_000_000)]).complete_ms == 3_000_000
