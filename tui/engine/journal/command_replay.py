"""Replay of journaled account commands: those that nothing settled are open again."""

from __future__ import annotations

import msgspec

from tui.engine.intents import AccountCommand, Verdict
from tui.engine.rows import AccountCommandRow, CommandState
from tui.engine.state.call_expiry import EXPIRED_S, LATE_S
from tui.protocols import JournalEntry

KIND = AccountCommand.__name__
"""Under which they are journaled."""


class _CommandPayload(msgspec.Struct):
    kind: str
    intent: msgspec.Raw
    sent_ms: int = 0
    subject: str = ""
    """What it changes; empty: commands of its kind do not disturb each other."""
    waits_for: tuple[str, ...] = ()
    """Rows of the catalogue whose commands were settled when it left."""


class _CommandReply(msgspec.Struct):
    verdict: Verdict
    goes_on: bool = False


class ReplayedCommand(msgspec.Struct):
    """An account command that no entry settles."""

    intent: AccountCommand
    sent_ms: int
    accepted: bool = False
    """The service took it and works on it."""
    subject: str = ""


def begin_command(commands: dict[str, ReplayedCommand], entry: JournalEntry) -> None:
    """Take up a journaled intent, if it is an account command.

    A change leaves only when those that it could hide are settled, also where the disk lost the entry of that: what the
    service shows from now on says nothing about them.
    """
    payload = msgspec.json.decode(entry.payload, type=_CommandPayload)
    if payload.kind != KIND:
        return
    intent = msgspec.json.decode(payload.intent, type=AccountCommand)
    same = (intent.endpoint, payload.subject)
    for key, one in list(commands.items()):
        endpoint = one.intent.endpoint
        if endpoint in payload.waits_for or (payload.subject and (endpoint, one.subject) == same):
            del commands[key]
    commands[entry.intent_id] = ReplayedCommand(intent, payload.sent_ms, subject=payload.subject)


def apply_command_entry(commands: dict[str, ReplayedCommand], entry: JournalEntry) -> None:
    """Apply an entry about an open command: what settles it ends it."""
    if entry.kind in ("command_settled", "not_sent", "dismiss"):
        del commands[entry.intent_id]
    elif entry.kind == "reply":
        reply = msgspec.json.decode(entry.payload, type=_CommandReply)
        if reply.goes_on:
            commands[entry.intent_id].accepted = True
        elif reply.verdict in (Verdict.ACCEPTED, Verdict.REJECTED):
            del commands[entry.intent_id]


def open_command(key: str, found: ReplayedCommand, now: float) -> AccountCommandRow:
    """A command as it stands at the start; its call counts as sent now, because the wall clock may have been set."""
    intent = found.intent
    return AccountCommandRow(
        id=key, endpoint=intent.endpoint, title=intent.title, args=intent.args,
        state=CommandState.RUNNING if found.accepted else CommandState.UNKNOWN,
        text="" if found.accepted else "no answer in an earlier session",
        sent_ms=found.sent_ms, changed_ms=found.sent_ms, proven_from=now + (LATE_S if found.accepted else EXPIRED_S),
    )  # fmt: skip
