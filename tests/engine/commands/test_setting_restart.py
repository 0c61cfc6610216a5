"""What a restart makes of journaled changes of settings: those that nothing settled are open again, and no others."""

from __future__ import annotations

import msgspec
import pytest

from tests.client.fakes import PORTFOLIO
from tests.engine.conftest import DECISION, SYM, StateRig
from tests.engine.journal.test_restore import entry, journal, through_a_checkpoint
from tui.engine.intents import Intent, SetLeverage, SetMarginLeverage, SetPositionMode, SettingIntent, Verdict
from tui.engine.journal import session_replay
from tui.engine.journal.journal_rows import Entry
from tui.engine.rows import SettingChange, SettingState, Table
from tui.engine.state.call_expiry import EXPIRED_S, LATE_S
from tui.engine.state.open_settings import OpenChange
from tui.engine.sync.session_recovery import SessionRecovery
from tui.interface.symbols import pair_name

NOW, WALL = 50.0, 1_700_000_000.0
LEVERAGE = SetLeverage(decision=DECISION, sym=SYM, leverage="10", before="20")
DEBT = SetMarginLeverage(decision=DECISION, exchange="BINANCE", coin="SOL", leverage="5", before="3")
MODE = SetPositionMode(decision=DECISION, exchange="BINANCE", mode="BOTH", before="NET")

Told = tuple[str, object]
SENT: Told = ("sent", "set_leverage")
ACCEPTED: Told = ("reply", {"code": 0, "text": "", "verdict": Verdict.ACCEPTED})
REJECTED: Told = ("reply", {"code": 401908, "text": "no", "verdict": Verdict.REJECTED})
LOST: Told = ("reply", {"code": 0, "text": "HTTP 502", "verdict": Verdict.UNKNOWN})
SETTLED: Told = ("setting", {"now": "10", "done": True})


def about(setting: str, kind: str, what: object, number: int = 1) -> Entry:
    payload = msgspec.json.encode(what).decode()
    return msgspec.structs.replace(entry(number, kind, payload, ""), intent_id=setting)


def meant(intent: SettingIntent) -> Entry:
    return about(intent.setting, "intent", {"kind": type(intent).__name__, "intent": intent, "args": {}})


def story(intent: SettingIntent, *told: Told) -> list[Entry]:
    return [meant(intent), *(about(intent.setting, kind, what) for kind, what in told)]


def left(entries: list[Entry]) -> list[tuple[Intent, SettingState, float]]:
    session = session_replay.replay_entries(entries, portfolio=PORTFOLIO, now=NOW, wall=WALL)
    return [(one.intent, one.row.state, one.row.proven_from) for one in session.settings]


@pytest.mark.parametrize("intent", [LEVERAGE, DEBT, MODE])
@pytest.mark.parametrize(
    ("told", "state"),
    [
        ([], SettingState.UNKNOWN),
        ([SENT], SettingState.UNKNOWN),
        ([SENT, LOST], SettingState.UNKNOWN),
        ([SENT, ("reply", "no object")], SettingState.UNKNOWN),
        ([SENT, ("reply", {"code": 200000, "text": ""})], SettingState.UNKNOWN),
        ([SENT, ACCEPTED], SettingState.ACCEPTED),
        ([SENT, REJECTED], None),
        ([SENT, LOST, SETTLED], None),
        ([SENT, ACCEPTED, SETTLED], None),
        ([("not_sent", "cannot record")], None),
    ],
)
def test_what_nothing_settled_is_open_again(
    intent: SettingIntent, told: list[Told], state: SettingState | None
) -> None:
    wait = LATE_S if state is SettingState.ACCEPTED else EXPIRED_S
    assert left(story(intent, *told)) == ([] if state is None else [(intent, state, NOW + wait)])


def test_the_next_change_of_a_setting_stands_for_itself_and_orders_do_not_touch_it() -> None:
    later = msgspec.structs.replace(LEVERAGE, leverage="5", before="10")
    entries = [*story(LEVERAGE, SENT, ACCEPTED, SETTLED), *story(later, SENT), *story(MODE, SENT)]
    assert [one for one, _, _ in left(entries)] == [later, MODE]
    assert [one for one, _, _ in left([*entries, *journal(("not_sent", "x"))])] == [later, MODE]


def test_a_change_that_cannot_be_read_keeps_no_start_from_its_orders_and_other_changes() -> None:
    broken = about(LEVERAGE.setting, "intent", {"kind": "SetLeverage", "intent": {"leverage": 10}, "args": {}})
    assert left([broken, *story(MODE, SENT)]) == [(MODE, SettingState.UNKNOWN, NOW + EXPIRED_S)]


PAST = [*story(LEVERAGE, SENT, LOST), *story(DEBT, SENT, ACCEPTED), *story(MODE, SENT, ACCEPTED, ("setting", {}))]


@pytest.mark.parametrize("at", range(1, len(PAST) + 1))
def test_a_checkpoint_keeps_what_is_not_settled(at: int) -> None:
    assert left(through_a_checkpoint(PAST, at, WALL)) == left(PAST)
    assert len(left(PAST)) == 2


def test_a_checkpoint_of_a_version_without_settings_opens() -> None:
    kept = msgspec.json.decode(session_replay.JournalReplay().checkpoint(WALL))
    del kept["settings"]
    mark = entry(1, "checkpoint", msgspec.json.encode(kept).decode(), "")
    assert left([mark]) == [] and left([mark, *story(MODE, SENT)]) == [(MODE, SettingState.UNKNOWN, NOW + EXPIRED_S)]


async def test_each_is_named_at_the_start_and_one_of_this_session_keeps_its_place(bare: StateRig) -> None:
    for one in [*story(LEVERAGE, SENT), *story(DEBT, ACCEPTED), *story(MODE, LOST)]:
        await bare.journal.record(one.kind, one.payload, intent_id=one.intent_id)
    own = bare.state.settings_open.begin(MODE, NOW)
    await SessionRecovery(bare.state, lambda sym, wall_ms: None).run()
    assert bare.state.settings_open.changes[MODE.setting] is own
    rows = bare.screen.look().tables[Table.SETTINGS]
    states = {key: row.state for key, row in rows.items() if isinstance(row, SettingChange)}
    assert states == {
        LEVERAGE.setting: SettingState.UNKNOWN,
        DEBT.setting: SettingState.ACCEPTED,
        MODE.setting: SettingState.SENDING,
    }
    assert [one.text for one in bare.screen.events] == [
        f"leverage of {pair_name(SYM)}: UNKNOWN whether 20 → 10 was carried out: no answer in an earlier session; "
        "it is being read back"
    ]


def test_what_has_ended_does_not_come_back_on_the_screen(bare: StateRig) -> None:
    table = bare.state.settings_open
    first = table.begin(LEVERAGE, NOW)
    table.end(first)
    table.enter(first, SettingState.UNKNOWN, NOW)
    assert bare.screen.look().tables[Table.SETTINGS] == {} and table.changes == {}
    second = table.begin(LEVERAGE, NOW)
    table.end(first)
    assert table.changes == {LEVERAGE.setting: second}
    assert table.restore(OpenChange.of(LEVERAGE, SettingState.UNKNOWN, NOW)) is False
