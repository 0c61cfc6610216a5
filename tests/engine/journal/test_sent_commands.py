"""Commands of other processes in the journal: each outcome is known to the next run, by sender and id."""

from __future__ import annotations

import msgspec
import pytest

from tests.engine.conftest import Rig, buy
from tests.engine.journal.test_restore import WALL, entry, read, text
from tui.engine.intents import Cancel, CancelAll, Decision, Intent, Outcome, Replace, Verdict
from tui.engine.journal import sent_commands
from tui.engine.journal.journal_rows import Entry
from tui.engine.journal.sent_commands import NO_OUTCOME, SentCommands, name_command, tell_outcome, write_outcome
from tui.engine.journal.session_replay import JournalReplay


def sent(intent: Intent, command: str = "c-1", sender: str = "name maker") -> Intent:
    return msgspec.structs.replace(
        intent, decision=msgspec.structs.replace(intent.decision, command=command, sender=sender)
    )


def meant(intent: Intent) -> str:
    return text({"kind": type(intent).__name__, "intent": intent, "args": {}})


def known(*entries: Entry) -> SentCommands:
    return read(list(entries)).sent


PLACE = sent(buy())
DECISION: Decision = PLACE.decision
NAME = name_command("name maker", "c-1")
ACCEPTED = Outcome(verdict=Verdict.ACCEPTED, key="c", text="")


def test_the_outcome_of_a_command_is_found_by_sender_and_id() -> None:
    told = text(write_outcome(DECISION, msgspec.structs.replace(ACCEPTED, answer={"secret": "x"})))
    assert "secret" not in told
    commands = known(entry(1, "intent", meant(PLACE)), entry(2, "outcome", told, ""))
    assert list(commands) == [NAME] and tell_outcome(commands[NAME], {}) == ACCEPTED


def test_a_journaled_command_without_outcome_has_the_order_state() -> None:
    session = read([entry(1, "intent", meant(PLACE))])
    lost = tell_outcome(session.sent[NAME], {row.key: row for row in session.rows})
    assert (lost.verdict, lost.key, lost.text) == (Verdict.UNKNOWN, "c", NO_OUTCOME)
    [row] = session.rows
    for state, verdict in (("OPEN", Verdict.ACCEPTED), ("REJECTED", Verdict.REJECTED)):
        shown = tell_outcome(session.sent[NAME], {"c": msgspec.structs.replace(row, state=state)})
        assert (shown.verdict, shown.key) == (verdict, "c")


def test_an_outcome_journaled_unknown_follows_the_order_later() -> None:
    lost = Outcome(verdict=Verdict.UNKNOWN, key="c", text="no answer", entry=1)
    session = read([entry(1, "intent", meant(PLACE)), entry(2, "outcome", text(write_outcome(DECISION, lost)), "")])
    [row] = session.rows
    assert tell_outcome(session.sent[NAME], {}) == lost
    for state, verdict in (("UNKNOWN", Verdict.UNKNOWN), ("NOT SENT", Verdict.UNKNOWN), ("FILLED", Verdict.ACCEPTED)):
        told = tell_outcome(session.sent[NAME], {"c": msgspec.structs.replace(row, state=state)})
        assert (told.verdict, told.key, told.entry) == (verdict, "c", 1)


def test_a_command_journaled_as_not_sent_counts_as_denied() -> None:
    commands = known(entry(1, "intent", meant(PLACE)), entry(2, "not_sent", text("the link was cut")))
    assert tell_outcome(commands[NAME], {}) == Outcome(
        verdict=Verdict.DENIED, key="c", guard="LINK", text="the link was cut"
    )


def test_a_journaled_denial_replaces_no_earlier_outcome() -> None:
    denied = entry(1, "denied", text({"guard": "BAND", "text": "too far", "intent": PLACE}), "")
    outcome = tell_outcome(known(denied)[NAME], {})
    assert (outcome.verdict, outcome.guard, outcome.text) == (Verdict.DENIED, "BAND", "too far")
    told = entry(2, "outcome", text(write_outcome(DECISION, ACCEPTED)), "")
    assert tell_outcome(known(entry(1, "intent", meant(PLACE)), told, denied)[NAME], {}) == ACCEPTED


def test_an_order_resent_under_a_denied_command_id_is_unknown() -> None:
    """The id of a denied command may be used again; its order then left, and the desk ended before it was answered."""
    denied = entry(1, "denied", text({"guard": "BAND", "text": "too far", "intent": PLACE}), "")
    session = read([denied, entry(2, "intent", meant(PLACE))])
    lost = tell_outcome(session.sent[NAME], {row.key: row for row in session.rows})
    assert (lost.verdict, lost.key) == (Verdict.UNKNOWN, "c")


def test_a_kill_over_several_venues_is_recalled_as_one_command() -> None:
    cancel = sent(CancelAll(decision=buy().decision, kill=True))
    entries = [entry(number, "intent", meant(cancel), "") for number in (1, 2, 3)]
    commands = known(*entries)
    assert len(commands) == 1 and tell_outcome(commands[NAME], {}).verdict is Verdict.UNKNOWN


def test_own_journaled_orders_are_not_recalled_for_programs() -> None:
    own = Cancel(decision=buy().decision, key="c")
    assert known(entry(1, "intent", meant(buy())), entry(2, "intent", meant(own), "")) == {}


async def test_the_outcome_of_a_program_order_of_this_run_is_recalled(rig: Rig) -> None:
    """A sender is forgotten behind a thousand others; its order was then said never to have been seen."""
    await rig.ready()
    outcome = await rig.engine.submit(PLACE)
    assert outcome.verdict is Verdict.ACCEPTED
    assert rig.engine.recall("name maker", "c-1") == outcome
    assert rig.engine.recall("name maker", "c-2") is None and rig.engine.recall("name other", "c-1") is None


@pytest.mark.hurried
@pytest.mark.parametrize("change", ["cancel", "replace"])
async def test_a_working_order_does_not_prove_that_a_change_arrived(rig: Rig, change: str) -> None:
    await rig.ready()
    key = (await rig.engine.submit(buy())).key
    rig.fake.on_action = lambda frame: None
    intent: Intent = Cancel(decision=buy().decision, key=key)
    if change == "replace":
        intent = Replace(decision=buy().decision, key=key, price="59999", qty="0.01")
    lost = await rig.engine.submit(sent(intent))
    assert (lost.verdict, lost.key) == (Verdict.UNKNOWN, key)
    assert not rig.screen.order(key).final
    assert rig.engine.recall("name maker", "c-1") == lost


def test_many_denials_of_a_sender_displace_no_order_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """An order that is forgotten is said never to have been seen, and would be sent again."""
    monkeypatch.setattr(sent_commands, "MOST_KEPT", 3)
    replay = JournalReplay()
    replay.apply(entry(1, "intent", meant(PLACE)))
    for number in range(2, 60):
        other = sent(buy(), f"d-{number}", "name flood")
        replay.apply(entry(number, "denied", text({"guard": "BAND", "text": "too far", "intent": other}), ""))
        assert len(replay.sent) <= 6
    again = JournalReplay()
    again.apply(entry(1, "checkpoint", replay.checkpoint(WALL), ""))
    assert list(again.sent) == [NAME, name_command("name flood", "d-58"), name_command("name flood", "d-59")]


def test_a_checkpoint_keeps_the_newest_commands_of_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sent_commands, "MOST_KEPT", 2)
    replay = JournalReplay()
    for number in range(1, 5):
        replay.apply(entry(number, "intent", meant(sent(buy(), f"c-{number}")), f"o{number}"))
    again = JournalReplay()
    again.apply(entry(1, "checkpoint", replay.checkpoint(WALL), ""))
    assert list(again.sent) == [name_command("name maker", name) for name in ("c-3", "c-4")]
    a_day_later = JournalReplay()
    a_day_later.apply(entry(1, "checkpoint", replay.checkpoint(WALL + sent_commands.KEPT_S), ""))
    assert a_day_later.sent == {}
