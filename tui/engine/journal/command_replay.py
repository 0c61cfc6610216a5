"""Replay of REST commands from the journal; those without a settlement become open commands again."""

from __future__ import annotations

import msgspec

from tui.client.call_expiry import EXPIRED_S, LATE_S
from tui.engine.intents import (
    AccountCommand,
    AlgoIntent,
    CancelAlgo,
    CommandIntent,
    PlaceAlgo,
    ReplaceAlgo,
    SetLeverage,
    SetMarginLeverage,
    SetPositionMode,
    Verdict,
)
from tui.engine.rows import CommandState
from tui.engine.state.algo_table import settles
from tui.engine.state.command_table import AnyCommand, OpenCommand, name_of
from tui.interface.families.algo import AlgoRecord
from tui.protocols import JournalEntry

ACCOUNT = AccountCommand.__name__
SETTINGS = frozenset(kind.__name__ for kind in (SetLeverage, SetMarginLeverage, SetPositionMode))
ALGOS = frozenset(kind.__name__ for kind in (PlaceAlgo, ReplaceAlgo, CancelAlgo))
KINDS: dict[str, type[CommandIntent]] = {
    kind.__name__: kind
    for kind in (AccountCommand, SetLeverage, SetMarginLeverage, SetPositionMode, PlaceAlgo, ReplaceAlgo, CancelAlgo)
}
"""Intent types by their name in the journal."""
ENDS = frozenset(["setting", "algo_settled", "command_settled", "not_sent", "dismiss"])
"""Kinds of entries that end a command."""


class _Args(msgspec.Struct, rename="camel"):
    algo_order_id: str = ""


class _Payload(msgspec.Struct):
    kind: str
    intent: msgspec.Raw
    args: _Args = msgspec.field(default_factory=_Args)
    sent_ms: int = 0
    subject: str = ""
    """Object it changes; empty: commands of its kind do not conflict."""
    waits_for: tuple[str, ...] = ()
    """Endpoints whose commands were settled when it was sent."""


class _Reply(msgspec.Struct):
    verdict: Verdict
    goes_on: bool = False
    """Whether the service works on an account command; other commands always continue."""


class ReplayedCommand(msgspec.Struct):
    """Command replayed from the journal, which has no final outcome of it yet."""

    intent: msgspec.Raw
    """Intent as journaled."""
    kind: str = ACCOUNT
    """Name of its intent."""
    sent_ms: int = 0
    accepted: bool = False
    """Whether the service accepted it; its completion was not read yet."""
    subject: str = ""
    algo_order_id: str = ""

    @property
    def decoded(self) -> CommandIntent:
        """Decoded intent of the command.

        Raises:
            MsgspecError: it cannot be decoded.
        """
        intent: CommandIntent = msgspec.json.decode(self.intent, type=KINDS[self.kind])
        return intent


ReplayedCommands = dict[str, ReplayedCommand]


def begin_command(commands: ReplayedCommands, entry: JournalEntry) -> None:
    """Start replaying a command from its journaled intent.

    An account command is sent only after commands that it could hide are settled, even if their settlement is missing
    in
    the journal, because later reads prove nothing about them.
    """
    payload = msgspec.json.decode(entry.payload, type=_Payload)
    command = ReplayedCommand(
        payload.intent,
        payload.kind,
        payload.sent_ms or entry.wall_ms,
        subject=payload.subject,
        algo_order_id=payload.args.algo_order_id,
    )
    intent = command.decoded
    if isinstance(intent, AccountCommand):
        for key, earlier in list(commands.items()):
            other = earlier.decoded
            assert isinstance(other, AccountCommand)
            same = payload.subject and (other.endpoint, earlier.subject) == (intent.endpoint, payload.subject)
            if same or other.endpoint in payload.waits_for:
                del commands[key]
    commands[entry.intent_id] = command


def apply_command_entry(commands: ReplayedCommands, entry: JournalEntry) -> None:
    """Apply a later journal entry to its open command; a settlement removes the command."""
    command = commands[entry.intent_id]
    ends = entry.kind in ENDS
    if entry.kind == "algo":
        intent = command.decoded
        ends = isinstance(intent, AlgoIntent) and settles(intent, msgspec.json.decode(entry.payload, type=AlgoRecord))
    elif entry.kind == "reply":
        reply = msgspec.json.decode(entry.payload, type=_Reply)
        taken = reply.verdict is Verdict.ACCEPTED
        goes_on = taken and (reply.goes_on or command.kind != ACCOUNT)
        command.accepted = command.accepted or goes_on
        ends = reply.verdict is Verdict.REJECTED or (taken and not goes_on)
    if ends:
        del commands[entry.intent_id]


def open_command(key: str, replayed: ReplayedCommand, now: float) -> AnyCommand:
    """Build an open command at startup; its request counts as sent just now, because the wall clock may have changed."""
    intent = replayed.decoded
    state = CommandState.RUNNING if replayed.accepted else CommandState.UNKNOWN
    return OpenCommand(
        key=key, intent=intent, title=name_of(intent), state=state,
        since=now, proven_from=now + (LATE_S if replayed.accepted else EXPIRED_S), sent_ms=replayed.sent_ms,
        changed_ms=replayed.sent_ms, text="" if replayed.accepted else "no answer in an earlier session",
        algo_order_id=replayed.algo_order_id,
    )  # fmt: skip
