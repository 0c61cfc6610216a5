"""What a restart makes of journaled algo commands: those that nothing settled are open again, and no others."""

from __future__ import annotations

import msgspec
import pytest

from tests.client.fakes import PORTFOLIO
from tests.engine.conftest import DECISION, SYM, StateRig
from tests.engine.journal.test_restore import entry, through_a_checkpoint
from tui.engine.intents import AlgoIntent, CancelAlgo, PlaceAlgo, Protection, ReplaceAlgo, Verdict
from tui.engine.journal import session_replay
from tui.engine.journal.journal_rows import Entry
from tui.engine.rows import AlgoRow, LocalOrderState, PendingAction, Source, Table
from tui.engine.state import algo_table
from tui.engine.state.algo_table import AlgoChange
from tui.engine.state.facts import Asked
from tui.engine.sync.session_recovery import SessionRecovery
from tui.interface.families.algo import AlgoRecord, Condition
from tui.interface.families.orders import Side

NOW, WALL = 50.0, 1_700_000_000.0
OURS = "abc123k"
STOP = Protection(trigger="59000", source="MARK_PRICE")
PLACE = PlaceAlgo(decision=DECISION, sym=SYM, side=Side.SELL, condition=Condition.ENTIRE_CLOSE_POSITION, stop_loss=STOP)
REPLACE = ReplaceAlgo(decision=DECISION, key="7001", stop_loss=STOP)
CANCEL = CancelAlgo(decision=DECISION, key="7002")
KEYS = {PLACE: OURS, REPLACE: "7001", CANCEL: "7002"}

Told = tuple[str, object]
SENT: Told = ("sent", "place_algo")
ACCEPTED: Told = ("reply", {"code": 200000, "text": "", "verdict": Verdict.ACCEPTED})
REJECTED: Told = ("reply", {"code": 401917, "text": "no", "verdict": Verdict.REJECTED})
LOST: Told = ("reply", {"code": 0, "text": "HTTP 502", "verdict": Verdict.UNKNOWN})


def record(key: str, state: str = "NEW", stop: str = "59000") -> AlgoRecord:
    return AlgoRecord(
        algo_order_id=key, client_order_id=key, sym=SYM, side="SELL", order_state=state,
        condition_type="ENTIRE_CLOSE_POSITION", sl_trigger_price=stop, sl_trigger_type="MARK_PRICE", sl_price="0",
        update_at="7",
    )  # fmt: skip


def story(intent: AlgoIntent, *told: Told) -> list[Entry]:
    key = KEYS[intent]
    meant = ("intent", {"kind": type(intent).__name__, "intent": intent, "args": {"algoOrderId": key}})
    entries = [entry(1, kind, msgspec.json.encode(what).decode(), "") for kind, what in (meant, *told)]
    return [msgspec.structs.replace(one, intent_id=key) for one in entries]


def left(entries: list[Entry]) -> list[tuple[AlgoIntent, LocalOrderState, float]]:
    session = session_replay.replay_entries(entries, portfolio=PORTFOLIO, now=NOW, wall=WALL)
    return [(one.intent, one.state, one.since) for one in session.algos]


@pytest.mark.parametrize("intent", [PLACE, REPLACE, CANCEL])
@pytest.mark.parametrize(
    ("told", "state"),
    [
        ([], LocalOrderState.UNKNOWN),
        ([SENT], LocalOrderState.UNKNOWN),
        ([SENT, LOST], LocalOrderState.UNKNOWN),
        ([SENT, ("reply", "no object")], LocalOrderState.UNKNOWN),
        ([SENT, ACCEPTED], LocalOrderState.SENT),
        ([SENT, REJECTED], None),
        ([SENT, LOST, ("algo_settled", {"done": True})], None),
        ([SENT, LOST, ("algo", record("7", "CANCELLED"))], None),
        ([SENT, LOST, ("dismiss", {"not_found": 3})], None),
        ([("not_sent", "cannot record")], None),
    ],
)
def test_what_nothing_settled_is_open_again(
    intent: AlgoIntent, told: list[Told], state: LocalOrderState | None
) -> None:
    assert left(story(intent, *told)) == ([] if state is None else [(intent, state, NOW)])


def test_a_record_settles_what_it_shows_and_nothing_else() -> None:
    assert left(story(PLACE, SENT, ("algo", record(OURS)))) == []
    assert left(story(REPLACE, SENT, ("algo", record("7001", stop="58000")))) != []
    assert left(story(REPLACE, SENT, ("algo", record("7001")))) == []
    assert left(story(CANCEL, SENT, ("algo", record("7002")))) != []


PAST = [*story(PLACE, SENT, LOST), *story(REPLACE, SENT, ACCEPTED), *story(CANCEL, SENT, REJECTED)]


@pytest.mark.parametrize("at", range(1, len(PAST) + 1))
def test_a_checkpoint_keeps_what_is_not_settled(at: int) -> None:
    assert left(through_a_checkpoint(PAST, at, WALL)) == left(PAST)
    assert len(left(PAST)) == 2


def test_a_checkpoint_of_a_version_without_algo_commands_opens() -> None:
    kept = msgspec.json.decode(session_replay.JournalReplay().checkpoint(WALL))
    del kept["algos"]
    mark = entry(1, "checkpoint", msgspec.json.encode(kept).decode(), "")
    assert left([mark]) == [] and left([mark, *story(CANCEL, SENT)]) == [(CANCEL, LocalOrderState.UNKNOWN, NOW)]


async def test_a_lost_order_stands_on_the_screen_and_a_lost_change_on_its_order(bare: StateRig) -> None:
    for one in [*story(PLACE, SENT), *story(REPLACE, SENT, LOST)]:
        await bare.journal.record(one.kind, one.payload, intent_id=one.intent_id)
    await SessionRecovery(bare.state, lambda sym, wall_ms: None).run()
    table = bare.state.algos
    assert [one.text for one in bare.screen.look().events] == [
        "UNKNOWN: stop SELL all BINANCE BTC perp at 59,000 mark: no answer in an earlier session; being queried, "
        "do not send it again",
        "UNKNOWN: change of algo order 7001: no answer in an earlier session; being queried, do not send it again",
    ]
    table.fold(record("7001", stop="58000"), bare.state.stamp(Source.SNAPSHOT, 7))
    table.fold(record(OURS, state="CANCELLED"), bare.state.stamp(Source.QUERY, 7))
    found = [row for row in bare.screen.look().tables[Table.ALGOS].values() if isinstance(row, AlgoRow)]
    assert [(row.key, row.overlay) for row in found] == [("7001", PendingAction.AMEND_LOST)]
    assert list(table.changes) == ["7001"]
    table.fold(record("7001"), bare.state.stamp(Source.PUSH, 8))
    assert table.changes == {} and table.rows["7001"].overlay is PendingAction.NOTHING
    table.fold(record("7001", state="EXPIRED"), bare.state.stamp(Source.PUSH, 9))
    assert not table.fold(record("7001"), bare.state.stamp(Source.PUSH, 8)) and table.rows == {}


DISMISSED: Told = ("dismiss", {"not_found": 3})


@pytest.mark.parametrize("at", [0, 2, 4])
def test_a_dismissed_new_order_is_remembered_for_a_day_until_it_is_seen(at: int) -> None:
    def kept(entries: list[Entry], wall: float) -> frozenset[str]:
        through = through_a_checkpoint(entries, at, wall) if at else entries
        return session_replay.replay_entries(through, portfolio=PORTFOLIO, now=NOW, wall=wall).dismissed_algos

    told = story(PLACE, SENT, LOST, DISMISSED)
    assert kept(told, told[-1].wall_ms / 1000) == {OURS}
    seen = [*told, *story(PLACE, ("algo", {"algoOrderId": "9", "sym": SYM}))[1:]]
    assert kept(seen, told[-1].wall_ms / 1000) == frozenset()
    if at == 4:
        assert kept(told, told[-1].wall_ms / 1000 + 90_000) == frozenset()


async def test_a_session_knows_what_was_dismissed_before_it(bare: StateRig) -> None:
    for one in story(PLACE, SENT, LOST, DISMISSED):
        await bare.journal.record(one.kind, one.payload, intent_id=one.intent_id)
    await SessionRecovery(bare.state, lambda sym, at: None).run()
    assert bare.state.algos.dismissed == {OURS}


def test_what_ended_is_not_brought_back_by_an_older_list_as_far_as_it_is_remembered(
    bare: StateRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(algo_table, "MOST_ENDED", 2)
    table, asked = bare.state.algos, Asked(bare.clock.mono(), bare.state.epoch)
    bare.clock.advance(1)
    for key in ("1", "2", "3"):
        table.fold(record(key, state="CANCELLED"), bare.state.stamp(Source.PUSH, 9))
    table.fold_list([record(key) for key in ("1", "2", "3")], asked, PORTFOLIO, bare.clock.mono())
    assert list(table.rows) == ["1"], "of the third last nothing is known any more"
    ended = AlgoChange(CANCEL, "3", LocalOrderState.UNKNOWN, 0.0, 0.0)
    assert not table.restore(ended, bare.state.stamp(Source.LOCAL)) and table.changes == {}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"condition_type": "OCO", "tp_trigger_price": "63000", "order_qty": "0.5"}, "OCO SELL 0.5"),
        ({"condition_type": "ENTIRE_CLOSE_POSITION"}, "stop SELL all BINANCE BTC perp at 59,000 mark"),
        ({"tp_trigger_price": "63000", "sl_trigger_price": ""}, "target SELL all BINANCE BTC perp at 63,000 last"),
        ({"tp_trigger_price": "63000"}, "target and stop SELL all BINANCE BTC perp at 63,000 last / 59,000 mark"),
        ({"sl_trigger_price": ""}, "stop SELL all BINANCE BTC perp at ?"),
        ({"order_qty": "0"}, "stop SELL BINANCE BTC perp at 59,000 mark"),
        ({"order_qty": "0.000"}, "stop SELL BINANCE BTC perp at 59,000 mark"),
    ],
)
def test_an_algo_order_in_one_phrase(fields: dict[str, str], words: str) -> None:
    assert algo_table.algo_text(msgspec.structs.replace(record("1"), **fields)).startswith(words)
