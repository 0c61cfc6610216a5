"""Replay of what other processes sent: the outcome of each command by its id, so that none is carried out twice."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

import msgspec

from tui.engine.intents import Decision, Intent, Outcome, Place, Verdict
from tui.engine.rows import LocalOrderState, OrderRow
from tui.interface.families.orders import BAD_ENDS
from tui.protocols import JournalEntry

OUTCOME = "outcome"
"""Kind of the entry with the outcome of a command of another process."""
NOT_SENT = "not_sent"
KEPT_S = 86_400.0
MOST_KEPT = 20_000
"""Time for which the commands of other processes are known in later runs, s, and most of them: denials go first."""
NEWEST = 100
"""Commands among which the one is searched that was not sent after all: its intent is one of the newest entries."""
_TELLS_NOTHING = frozenset(LocalOrderState)
"""States of an order that this program gave it, which the venue has not told."""
NO_OUTCOME = "the desk ended before the outcome was known; the order list shows what is known"


class SentCommand(msgspec.Struct):
    """Command that another process sent, read from the journal: its order, and its outcome if known."""

    intent_id: str
    wall_ms: int
    key: str = ""
    """Row key of the order that it placed; empty: it placed none."""
    outcome: Outcome | None = None
    """None: the desk ended before."""


SentCommands = dict[str, SentCommand]
"""Commands of other processes, the oldest first; keys as `name_command` makes them."""


class _Subject(msgspec.Struct):
    decision: Decision


class _Meant(msgspec.Struct):
    """Payload of the journal entry of an intent, or of a denied one with the guard and reason of the denial."""

    intent: _Subject
    guard: str = ""
    text: str = ""


class OutcomeEntry(msgspec.Struct):
    """Payload of a journal entry of kind `outcome`: what became of a sender's command."""

    sender: str
    command: str
    outcome: Outcome


def name_command(sender: str, command: str) -> str:
    """Return the key of a command: its sender and its id (which has no space), joined by a space."""
    return f"{sender} {command}"


def add_outcome(commands: SentCommands, intent: Intent, outcome: Outcome, wall_ms: int) -> None:
    """Store the outcome of an intent of this run by sender and command id, without the service's answer."""
    if len(commands) >= 2 * MOST_KEPT:
        _forget_oldest(commands)
    told = msgspec.structs.replace(outcome, answer=None)
    # An order that works tells that it was placed, not whether a replace or cancel of it arrived.
    key = outcome.key if isinstance(intent, Place) else ""
    commands[name_command(intent.decision.sender, intent.decision.command)] = SentCommand("", wall_ms, key, told)


def write_outcome(decision: Decision, outcome: Outcome) -> OutcomeEntry:
    """Build the journal payload of an outcome, without the service's answer, which may hold a secret."""
    return OutcomeEntry(decision.sender, decision.command, msgspec.structs.replace(outcome, answer=None))


def apply_sent_entry(commands: SentCommands, entry: JournalEntry) -> None:
    """Update the commands of other processes by a journal entry: intent, denial, outcome or not sent; ignore others."""
    if entry.kind in ("intent", "denied"):
        _apply_intent(commands, entry)
    elif entry.kind == OUTCOME:
        told = msgspec.json.decode(entry.payload, type=OutcomeEntry)
        command = commands.get(name_command(told.sender, told.command))
        if command is not None:
            command.outcome = told.outcome
    elif entry.kind == NOT_SENT:
        newest = islice(reversed(commands.values()), NEWEST)
        command = next((command for command in newest if command.intent_id == entry.intent_id), None)
        if command is not None:
            why = msgspec.json.decode(entry.payload, type=str)
            command.outcome = Outcome(verdict=Verdict.DENIED, key=command.key, guard="LINK", text=why)


def _apply_intent(commands: SentCommands, entry: JournalEntry) -> None:
    if '"sender":"' not in entry.payload or '"sender":""' in entry.payload:
        return  # of the desk itself, as most are
    meant = msgspec.json.decode(entry.payload, type=_Meant)
    decision = meant.intent.decision
    if not (decision.sender and decision.command):
        return
    name = name_command(decision.sender, decision.command)
    if len(commands) >= 2 * MOST_KEPT:
        _forget_oldest(commands)
    if entry.kind == "denied":
        denied = Outcome(verdict=Verdict.DENIED, guard=meant.guard, text=meant.text)
        command = commands.setdefault(name, SentCommand(entry.intent_id, entry.wall_ms))
        command.outcome = command.outcome or denied
    elif (before := commands.get(name)) is None or _is_denied(before):
        # A cancel of all orders has an entry for each venue; what was denied may be sent later by the same id.
        commands.pop(name, None)
        commands[name] = SentCommand(entry.intent_id, entry.wall_ms, entry.client_order_id)


def keep_newest(commands: SentCommands, wall: float) -> SentCommands:
    """Return the commands of the last `KEPT_S` seconds, at most `MOST_KEPT`."""
    oldest = (wall - KEPT_S) * 1000
    kept = {name: command for name, command in commands.items() if command.wall_ms > oldest}
    _forget_oldest(kept)
    return kept


def _forget_oldest(commands: SentCommands) -> None:
    """Delete commands beyond `MOST_KEPT`: denied ones first (a repeat is only checked again), then the oldest."""
    spare = max(len(commands) - MOST_KEPT, 0)
    for name in sorted(commands, key=lambda name: not _is_denied(commands[name]))[:spare]:
        del commands[name]


def _is_denied(command: SentCommand) -> bool:
    return command.outcome is not None and command.outcome.verdict is Verdict.DENIED


def tell_outcome(command: SentCommand, orders: Mapping[str, OrderRow]) -> Outcome:
    """Return the outcome of a command; an unknown one is derived from the present state of the order it placed."""
    outcome = command.outcome or Outcome(verdict=Verdict.UNKNOWN, key=command.key, text=NO_OUTCOME)
    row = orders.get(command.key)
    if outcome.verdict is not Verdict.UNKNOWN or row is None or row.state in _TELLS_NOTHING:
        return outcome
    verdict = Verdict.REJECTED if row.state in BAD_ENDS else Verdict.ACCEPTED
    return msgspec.structs.replace(outcome, verdict=verdict, text=f"{row.state_word} (seen at the venue)")
