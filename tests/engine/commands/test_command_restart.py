"""What a restart makes of journaled commands: of every kind those that nothing settled are open again, and no others."""

from __future__ import annotations

import msgspec
import pytest

from tests.client.fakes import PORTFOLIO
from tests.engine.command_rig import open_command
from tests.engine.conftest import DECISION, SYM, StateRig
from tests.engine.journal.test_restore import entry, journal, through_a_checkpoint
from tui.client.call_expiry import EXPIRED_S, LATE_S
from tui.engine.intents import (
    AccountCommand,
    CancelAlgo,
    CommandIntent,
    PlaceAlgo,
    Protection,
    ReplaceAlgo,
    SetLeverage,
    SetMarginLeverage,
    SetPositionMode,
    Verdict,
)
from tui.engine.journal import session_replay
from tui.engine.journal.journal_rows import Entry
from tui.engine.rows import AlgoRow, CommandState, PendingAction, SettingChange, Source, Table
from tui.engine.state.algo_table import HAD_POSITION
from tui.engine.state.order_fold import GUARD_ENDED
from tui.engine.sync.session_recovery import SessionRecovery
from tui.interface.families.algo import AlgoRecord, Condition
from tui.interface.families.orders import OrderRecord, Side
from tui.interface.symbols import pair_name

NOW, WALL = 50.0, 1_700_000_000.0
OURS = "abc123k"
STOP = Protection(trigger="59000", source="MARK_PRICE")
LEVERAGE = SetLeverage(decision=DECISION, sym=SYM, leverage="10", before="20")
DEBT = SetMarginLeverage(decision=DECISION, exchange="BINANCE", coin="SOL", leverage="5", before="3")
MODE = SetPositionMode(decision=DECISION, exchange="BINANCE", mode="BOTH", before="NET")
PLACE = PlaceAlgo(decision=DECISION, sym=SYM, side=Side.SELL, condition=Condition.ENTIRE_CLOSE_POSITION, stop_loss=STOP)
REPLACE = ReplaceAlgo(decision=DECISION, key="7001", stop_loss=STOP)
CANCEL = CancelAlgo(decision=DECISION, key="7002")
MOVE = AccountCommand(
    decision=DECISION, endpoint="transfer", args=(("amount", "500"),), title="transfer 500 USDT BINANCE → OKX"
)
KEYS: dict[CommandIntent, str] = {
    LEVERAGE: LEVERAGE.setting, DEBT: DEBT.setting, MODE: MODE.setting, PLACE: OURS, REPLACE: "7001", CANCEL: "7002",
    MOVE: "abc1",
}  # fmt: skip

Told = tuple[str, object]
SENT: Told = ("sent", "row")
ACCEPTED: Told = ("reply", {"code": 200000, "text": "", "verdict": Verdict.ACCEPTED})
RUNS: Told = ("reply", {"code": 200000, "text": "", "verdict": Verdict.ACCEPTED, "goes_on": True})
REJECTED: Told = ("reply", {"code": 401917, "text": "no", "verdict": Verdict.REJECTED})
LOST: Told = ("reply", {"code": 0, "text": "HTTP 502", "verdict": Verdict.UNKNOWN})
SETTLED: dict[type, Told] = {
    SetLeverage: ("setting", {"now": "10", "done": True}),
    SetMarginLeverage: ("setting", {"now": "5", "done": True}),
    SetPositionMode: ("setting", {"now": "BOTH", "done": True}),
    PlaceAlgo: ("algo_settled", {"done": True}),
    ReplaceAlgo: ("algo_settled", {"done": False}),
    CancelAlgo: ("algo_settled", {"done": True}),
    AccountCommand: ("command_settled", {"state": "DONE"}),
}
"""What ends a command of each kind."""


def about(key: str, kind: str, what: object) -> Entry:
    return msgspec.structs.replace(entry(1, kind, msgspec.json.encode(what).decode(), ""), intent_id=key)


def story(intent: CommandIntent, *told: Told, key: str = "", **more: object) -> list[Entry]:
    """The journal of one command."""
    key = key or KEYS[intent]
    args = {"algoOrderId": key} if isinstance(intent, ReplaceAlgo | CancelAlgo) else {}
    meant = {"kind": type(intent).__name__, "intent": intent, "args": args, "sent_ms": 1700, **more}
    return [about(key, "intent", meant), *(about(key, kind, what) for kind, what in told)]


def record(key: str, state: str = "NEW", stop: str = "59000") -> AlgoRecord:
    return AlgoRecord(
        algo_order_id=key, client_order_id=key, sym=SYM, side="SELL", order_state=state,
        condition_type="ENTIRE_CLOSE_POSITION", sl_trigger_price=stop, sl_trigger_type="MARK_PRICE", sl_price="0",
        update_at="7",
    )  # fmt: skip


Left = list[tuple[str, CommandIntent, CommandState, float]]


def left(entries: list[Entry]) -> Left:
    session = session_replay.replay_entries(entries, portfolio=PORTFOLIO, now=NOW, wall=WALL)
    assert all(one.since == NOW and one.sent_ms == one.changed_ms for one in session.commands)
    return [(one.key, one.intent, one.state, one.proven_from) for one in session.commands]


def waiting(intent: CommandIntent, state: CommandState, key: str = "") -> Left:
    return [(key or KEYS[intent], intent, state, NOW + (EXPIRED_S if state is CommandState.UNKNOWN else LATE_S))]


def keys(entries: list[Entry]) -> list[str]:
    return [key for key, *_ in left(entries)]


@pytest.mark.parametrize("intent", KEYS)
@pytest.mark.parametrize(
    ("told", "state"),
    [
        ([], CommandState.UNKNOWN),
        ([SENT], CommandState.UNKNOWN),
        ([SENT, LOST], CommandState.UNKNOWN),
        ([SENT, ("reply", "no object")], CommandState.UNKNOWN),
        ([SENT, ("reply", {"code": 200000, "text": ""})], CommandState.UNKNOWN),
        ([SENT, RUNS], CommandState.RUNNING),
        ([SENT, REJECTED], None),
        ([SENT, LOST, "settled"], None),
        ([SENT, RUNS, "settled"], None),
        ([SENT, LOST, ("dismiss", {"not_found": 3})], None),
        ([("not_sent", "cannot record")], None),
    ],
)
def test_unsettled_commands_are_open_again_after_a_restart(
    intent: CommandIntent, told: list[Told | str], state: CommandState | None
) -> None:
    entries = story(intent, *(one if isinstance(one, tuple) else SETTLED[type(intent)] for one in told))
    wanted = [] if state is None else waiting(intent, state)
    assert left(entries) == wanted
    for at in range(len(entries) + 1):
        assert left(through_a_checkpoint(entries, at, WALL)) == wanted


@pytest.mark.parametrize("intent", KEYS)
def test_only_account_commands_are_settled_by_their_reply(intent: CommandIntent) -> None:
    """Settings and algo commands are read back also where their answer was written before it said so."""
    wanted = [] if intent is MOVE else waiting(intent, CommandState.RUNNING)
    assert left(story(intent, SENT, ACCEPTED)) == wanted


def test_a_restart_reopens_each_command_left_unsettled() -> None:
    later = msgspec.structs.replace(LEVERAGE, leverage="5", before="10")
    entries = [*story(LEVERAGE, SENT, ACCEPTED, SETTLED[SetLeverage]), *story(later, SENT, key=LEVERAGE.setting)]
    entries += [*story(MODE, SENT), *story(MOVE, SENT, LOST), *story(MOVE, SENT, key="abc2")]
    assert [intent for _, intent, *_ in left(entries)] == [later, MODE, MOVE, MOVE]
    assert left([*entries, *journal(("not_sent", "x"))]) == left(entries)


def test_an_unreadable_journaled_command_does_not_block_startup() -> None:
    broken = about(LEVERAGE.setting, "intent", {"kind": "SetLeverage", "intent": {"leverage": 10}, "args": {}})
    assert left([broken, *story(MODE, SENT)]) == waiting(MODE, CommandState.UNKNOWN)


def test_an_algo_order_record_settles_only_the_command_it_shows() -> None:
    assert left(story(PLACE, SENT, ("algo", record(OURS)))) == []
    assert left(story(REPLACE, SENT, ("algo", record("7001", stop="58000")))) != []
    assert left(story(REPLACE, SENT, ("algo", record("7001")))) == []
    assert left(story(CANCEL, SENT, ("algo", record("7002")))) != []
    assert left(story(CANCEL, SENT, ("algo", record("7002", state="CANCELLED")))) == []


@pytest.mark.parametrize(
    ("second", "waits_for", "open_again"),
    [
        ("7", (), ["abc2"]),
        ("8", (), ["abc1", "abc2"]),
        ("", (), ["abc1", "abc2"]),
        ("8", ("transfer",), ["abc2"]),
        ("8", ("withdraw",), ["abc1", "abc2"]),
    ],
)
def test_a_later_command_for_a_portfolio_settles_its_earlier_one(
    second: str, waits_for: tuple[str, ...], open_again: list[str]
) -> None:
    """The campaign's seed 13160: the disk lost the end of a rename, and the next name was taken for its failure."""
    entries = [*story(MOVE, SENT, subject="7")]
    entries += story(MOVE, SENT, key="abc2", subject=second, waits_for=waits_for)
    assert keys(entries) == open_again
    for at in range(len(entries) + 1):
        assert keys(through_a_checkpoint(entries, at, WALL)) == open_again


@pytest.mark.parametrize("table", ["settings", "algos", "commands"])
def test_a_journal_checkpoint_that_lacks_a_table_opens(table: str) -> None:
    kept = msgspec.json.decode(session_replay.JournalReplay().checkpoint(WALL))
    del kept[table]
    mark = entry(1, "checkpoint", msgspec.json.encode(kept).decode(), "")
    assert left([mark]) == []
    for intent in KEYS:
        assert left([mark, *story(intent, SENT)]) == waiting(intent, CommandState.UNKNOWN)


def test_a_checkpoint_in_the_former_format_is_fully_read() -> None:
    """Each table as it was written at 53d1c6f: account commands without the name of their kind."""
    kept = msgspec.json.decode(session_replay.JournalReplay().checkpoint(WALL))
    mode = {"kind": "SetPositionMode", "intent": MODE, "accepted": False}
    debt = {"kind": "SetMarginLeverage", "intent": DEBT, "accepted": True}
    place = {"kind": "PlaceAlgo", "intent": PLACE, "algo_order_id": "", "accepted": False}
    cancel = {"kind": "CancelAlgo", "intent": CANCEL, "algo_order_id": "7002", "accepted": True}
    kept["settings"] = {MODE.setting: mode, DEBT.setting: debt}
    kept["algos"] = {OURS: place, "7002": cancel}
    kept["commands"] = {
        "abc1": {"intent": MOVE, "sent_ms": 1700, "accepted": False, "subject": "7"},
        "abc2": {"intent": MOVE, "sent_ms": 1700, "accepted": True, "subject": "8"},
    }
    mark = entry(1, "checkpoint", msgspec.json.encode(kept).decode(), "")
    unknown, running = CommandState.UNKNOWN, CommandState.RUNNING
    assert left([mark]) == [
        *waiting(MODE, unknown), *waiting(DEBT, running), *waiting(PLACE, unknown), *waiting(CANCEL, running),
        *waiting(MOVE, unknown), *waiting(MOVE, running, "abc2"),
    ]  # fmt: skip
    assert keys([mark, *story(MOVE, key="abc3", subject="7")])[-2:] == ["abc2", "abc3"], "the subject is kept"
    session = session_replay.replay_entries([mark], portfolio=PORTFOLIO, now=NOW, wall=WALL)
    assert session.unreadable == 0
    assert {one.key: one.algo_order_id for one in session.commands}["7002"] == "7002"


# -- a session takes them up -----------------------------------------------------------------------------------


async def started_again(bare: StateRig, *stories: list[Entry]) -> list[str]:
    """What is said when a session takes up a journal."""
    for one in (line for lines in stories for line in lines):
        await bare.journal.record(one.kind, one.payload, intent_id=one.intent_id)
    await SessionRecovery(bare.state).run()
    return [one.text for one in bare.screen.look().events]


async def test_unsettled_commands_are_listed_at_startup(bare: StateRig) -> None:
    own = open_command(MODE, MODE.setting, CommandState.SENDING)
    bare.state.commands.add(own)
    lost = "no answer in an earlier session"
    wait = "being queried, do not send it again"
    assert await started_again(
        bare, story(LEVERAGE, SENT), story(DEBT, ACCEPTED), story(MODE, LOST), story(MOVE, SENT),
        story(PLACE, SENT), story(REPLACE, SENT, LOST),
    ) == [
        f"leverage of {pair_name(SYM)}: UNKNOWN whether 20 → 10 was carried out: {lost}; it is being read back",
        f"{MOVE.title}: UNKNOWN whether it was carried out: {lost}; it is being asked about",
        f"UNKNOWN: stop SELL all BINANCE BTC perp at 59,000 mark: {lost}; {wait}",
        f"UNKNOWN: change of algo order 7001: {lost}; {wait}",
    ]  # fmt: skip
    assert bare.state.commands.open[MODE.setting] is own
    rows = bare.screen.tables[Table.SETTINGS]
    assert {key: row.state for key, row in rows.items() if isinstance(row, SettingChange)} == {
        LEVERAGE.setting: CommandState.UNKNOWN,
        DEBT.setting: CommandState.RUNNING,
        MODE.setting: CommandState.SENDING,
    }
    kept = dict(bare.state.commands.open)
    await SessionRecovery(bare.state).run()
    assert bare.state.commands.open == kept, "once"


async def test_lost_algo_orders_and_changes_are_shown_after_a_restart(bare: StateRig) -> None:
    await started_again(bare, story(PLACE, SENT), story(REPLACE, SENT, LOST))
    table, commands = bare.state.algos, bare.state.commands
    table.fold(record("7001", stop="58000"), bare.state.stamp(Source.SNAPSHOT, 7))
    table.fold(record(OURS, state="CANCELLED"), bare.state.stamp(Source.QUERY, 7))
    found = [row for row in bare.screen.look().tables[Table.ALGOS].values() if isinstance(row, AlgoRow)]
    assert [(row.key, row.overlay) for row in found] == [("7001", PendingAction.AMEND_LOST)]
    assert list(commands.open) == ["7001"]
    table.fold(record("7001"), bare.state.stamp(Source.PUSH, 8))
    assert commands.open == {} and table.rows["7001"].overlay is PendingAction.NOTHING
    table.fold(record("7001", state="EXPIRED"), bare.state.stamp(Source.PUSH, 9))
    assert not table.fold(record("7001"), bare.state.stamp(Source.PUSH, 8)) and table.rows == {}


DISMISSED: Told = ("dismiss", {"not_found": 3})


@pytest.mark.parametrize("at", [0, 2, 4])
def test_a_dismissed_algo_order_is_remembered_for_a_day(at: int) -> None:
    def kept(entries: list[Entry], wall: float) -> frozenset[str]:
        through = through_a_checkpoint(entries, at, wall) if at else entries
        return session_replay.replay_entries(through, portfolio=PORTFOLIO, now=NOW, wall=wall).dismissed_algos

    told = story(PLACE, SENT, LOST, DISMISSED)
    assert kept(told, told[-1].wall_ms / 1000) == {OURS}
    seen = [*told, *story(PLACE, ("algo", {"algoOrderId": "9", "sym": SYM}))[1:]]
    assert kept(seen, told[-1].wall_ms / 1000) == frozenset()
    if at == 4:
        assert kept(told, told[-1].wall_ms / 1000 + 90_000) == frozenset()


async def test_algo_orders_dismissed_in_earlier_sessions_are_known(bare: StateRig) -> None:
    await started_again(bare, story(PLACE, SENT, LOST, DISMISSED))
    assert bare.state.algos.dismissed == {OURS}


@pytest.mark.parametrize("at", [0, 1, 2])
async def test_a_restart_remembers_which_algo_orders_had_a_position(bare: StateRig, at: int) -> None:
    ended = about("7002", "algo", {"algoOrderId": "7002", "sym": SYM, "orderState": "EXPIRED"})
    told = [about("7001", HAD_POSITION, {}), about("7002", HAD_POSITION, {}), ended]
    through = through_a_checkpoint(told, at, WALL) if at else told
    kept = session_replay.replay_entries(through, portfolio=PORTFOLIO, now=NOW, wall=WALL)
    assert kept.had_position == {"7001"}
    await started_again(bare, through)
    bare.state.algos.fold(record("7001"), bare.state.stamp(Source.PUSH, 8))
    bare.state.algos.fold(record("7003"), bare.state.stamp(Source.PUSH, 8))
    assert [row.had_position for row in bare.state.algos.rows.values()] == [True, False]


@pytest.mark.parametrize("at", [0, 1, 2])
async def test_a_restart_remembers_that_the_stop_of_an_order_ended(bare: StateRig, at: int) -> None:
    """After a restart its row named the stop, as if it still worked."""

    def told_of(number: str, state: str) -> OrderRecord:
        return OrderRecord(
            order_id=number, sym=SYM, side="BUY", limit_price="60000", order_qty="1", executed_qty="0.5",
            order_state=state, sl_trigger_price="59000", update_at="12", portfolio_id=PORTFOLIO,
        )  # fmt: skip

    end = msgspec.structs.replace(about("", "push", told_of("78", "CANCELLED")), order_id="78")
    told = [about("77", GUARD_ENDED, {}), about("78", GUARD_ENDED, {}), end]
    through = through_a_checkpoint(told, at, WALL) if at else told
    kept = session_replay.replay_entries(through, portfolio=PORTFOLIO, now=NOW, wall=WALL)
    assert kept.guard_ended == {"77"}
    await started_again(bare, through)
    for number in ("77", "79"):
        bare.state.orders.fold(told_of(number, "PARTIALLY_FILLED"), bare.state.stamp(Source.SNAPSHOT, 12))
    assert [row.guard_ended for row in bare.state.orders.rows.values()] == [True, False]


def test_an_ended_setting_change_is_not_reopened(bare: StateRig) -> None:
    table = bare.state.commands
    first, second = (open_command(LEVERAGE, LEVERAGE.setting, CommandState.SENDING) for _ in range(2))
    table.add(first)
    table.enter(first, CommandState.DONE)
    table.enter(first, CommandState.UNKNOWN)
    assert bare.screen.look().tables[Table.SETTINGS] == {} and table.open == {}
    table.add(second)
    table.enter(first, CommandState.DONE)
    assert table.open == {LEVERAGE.setting: second}


@pytest.mark.parametrize("intent", [PLACE, CANCEL])
async def test_an_algo_command_without_answer_ages_from_its_sending(bare: StateRig, intent: CommandIntent) -> None:
    """Each not-found, and each start of the desk, began its age anew."""
    key = KEYS[intent]
    bare.state.algos.fold(record("7002"), bare.state.stamp(Source.PUSH, 8))
    command = open_command(intent, key, CommandState.SENDING, sent_ms=bare.state.server_ms())
    bare.state.commands.add(command)
    sent_at = bare.clock.mono()
    for _ in range(2):
        bare.clock.now += 3.0
        bare.state.commands.enter(command, CommandState.UNKNOWN, "not found")
        assert bare.state.algos.rows[key].since == pytest.approx(sent_at, abs=0.01)
