"""What a restart makes of journaled account commands: those that nothing settled are open again, and no others."""

from __future__ import annotations

import msgspec
import pytest

from tests.client.fakes import PORTFOLIO
from tests.engine.conftest import DECISION, StateRig
from tests.engine.journal.test_restore import entry, journal, through_a_checkpoint
from tui.engine.intents import AccountCommand, Verdict
from tui.engine.journal import session_replay
from tui.engine.journal.journal_rows import Entry
from tui.engine.rows import CommandState
from tui.engine.state.call_expiry import EXPIRED_S, LATE_S
from tui.engine.sync.session_recovery import SessionRecovery

NOW, WALL = 50.0, 1_700_000_000.0
MOVE = AccountCommand(
    decision=DECISION, endpoint="transfer", args=(("amount", "500"),), title="transfer 500 USDT BINANCE → OKX"
)
Told = tuple[str, object]
SENT: Told = ("sent", "transfer")
RUNS: Told = ("reply", {"code": 200, "text": "", "verdict": Verdict.ACCEPTED, "goes_on": True})
DONE: Told = ("reply", {"code": 200, "text": "", "verdict": Verdict.ACCEPTED, "goes_on": False})
REJECTED: Told = ("reply", {"code": 404904, "text": "no", "verdict": Verdict.REJECTED})
LOST: Told = ("reply", {"code": 0, "text": "HTTP 502", "verdict": Verdict.UNKNOWN})
SETTLED: Told = ("command_settled", {"state": "DONE"})


def about(kind: str, what: object, number: int = 1, key: str = "abc1") -> Entry:
    payload = msgspec.json.encode(what).decode()
    return msgspec.structs.replace(entry(number, kind, payload, ""), intent_id=key)


def story(*told: Told, key: str = "abc1", subject: str = "", waits_for: tuple[str, ...] = ()) -> list[Entry]:
    intent = {"kind": "AccountCommand", "intent": MOVE, "args": {}, "sent_ms": 1700, "subject": subject}
    intent["waits_for"] = waits_for
    meant = about("intent", intent, key=key)
    return [meant, *(about(kind, what, key=key) for kind, what in told)]


def left(entries: list[Entry]) -> list[tuple[str, CommandState, float]]:
    session = session_replay.replay_entries(entries, portfolio=PORTFOLIO, now=NOW, wall=WALL)
    assert all((one.title, one.args, one.sent_ms) == (MOVE.title, MOVE.args, 1700) for one in session.commands)
    return [(one.id, one.state, one.proven_from) for one in session.commands]


@pytest.mark.parametrize(
    ("told", "state"),
    [
        ([], CommandState.UNKNOWN),
        ([SENT], CommandState.UNKNOWN),
        ([SENT, LOST], CommandState.UNKNOWN),
        ([SENT, ("reply", "no object")], CommandState.UNKNOWN),
        ([SENT, RUNS], CommandState.RUNNING),
        ([SENT, DONE], None),
        ([SENT, REJECTED], None),
        ([SENT, LOST, SETTLED], None),
        ([SENT, RUNS, SETTLED], None),
        ([SENT, LOST, ("dismiss", {"not_found": 3})], None),
        ([("not_sent", "cannot record")], None),
    ],
)
def test_what_nothing_settled_is_open_again(told: list[Told], state: CommandState | None) -> None:
    wait = LATE_S if state is CommandState.RUNNING else EXPIRED_S
    wanted = [] if state is None else [("abc1", state, NOW + wait)]
    assert left(story(*told)) == wanted
    for at in range(len(told) + 2):
        assert left(through_a_checkpoint(story(*told), at, WALL)) == wanted


def test_two_commands_stand_for_themselves_and_orders_do_not_touch_them() -> None:
    entries = [*story(SENT, LOST), *story(SENT, key="abc2"), *journal(("not_sent", "x"))]
    assert [key for key, _, _ in left(entries)] == ["abc1", "abc2"]


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
def test_a_later_change_of_the_same_left_when_the_one_before_was_settled(
    second: str, waits_for: tuple[str, ...], open_again: list[str]
) -> None:
    """The campaign's seed 13160: the disk lost the end of a rename, and the next name was taken for its failure."""
    entries = [*story(SENT, subject="7"), *story(SENT, key="abc2", subject=second, waits_for=waits_for)]
    assert [key for key, _, _ in left(entries)] == open_again
    for at in range(len(entries) + 1):
        assert [key for key, _, _ in left(through_a_checkpoint(entries, at, WALL))] == open_again


async def test_a_session_takes_them_up_once_and_says_so(bare: StateRig) -> None:
    for one in story(SENT):
        await bare.journal.record(one.kind, one.payload, intent_id=one.intent_id)
    recovery = SessionRecovery(bare.state, lambda sym, at: None)
    await recovery.run()
    assert list(bare.state.commands.open) == ["abc1"]
    assert bare.screen.said(f"{MOVE.title}: UNKNOWN whether it was carried out: no answer in an earlier session")
    kept = bare.state.commands.open["abc1"]
    await recovery.run()
    assert bare.state.commands.open["abc1"] is kept
