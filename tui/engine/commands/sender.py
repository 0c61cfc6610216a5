"""Sender of REST commands: gate, journal, one request that is never retried, then queries for its outcome.

A command with a lost answer is UNKNOWN. If the service shows its effect, it was carried out. Its absence proves the
contrary only once the call has expired; commands that move money, and new algo orders, stay UNKNOWN until the service
shows them or the trader dismisses them, like orders.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from tui.client.call_expiry import EXPIRED_S, LATE_S
from tui.client.rest import CallFailed, Reply, Rest
from tui.engine.commands.command_kind import CommandKind, QueryPace
from tui.engine.commands.gate import CommandGate, Kinds
from tui.engine.commands.proofs import Finding
from tui.engine.doer_names import BY
from tui.engine.event_line import Level
from tui.engine.intents import CommandIntent, Intent, IntentHandlers, Outcome, Verdict
from tui.engine.orders import intent_record
from tui.engine.orders.pre_trade_checks import Refusal
from tui.engine.orders.reply_class import refuse_unsent
from tui.engine.orders.unknown_resolver import OLD_AFTER, OLD_WAIT
from tui.engine.rows import CommandState
from tui.engine.state.command_table import AnyCommand, OpenCommand, describe_doubt
from tui.engine.state.engine_state import EngineState


class CommandSender:
    """Sender of all REST commands of a trading session."""

    def __init__(self, state: EngineState, gate: CommandGate, rest: Rest, kinds: Kinds) -> None:
        """Initialize the sender.

        Args:
            state: State of the engine.
            gate: Gate for all commands.
            rest: Client for commands and queries.
            kinds: Kinds of commands, with their checks and settlement.
        """
        self._state = state
        self._gate = gate
        self._rest = rest
        self._kinds = kinds
        self._table = state.commands
        self._late: set[str] = set()
        """Keys of commands in flight whose answer is late."""

    def _kind_of(self, command: AnyCommand) -> CommandKind[Any]:
        return self._kinds[type(command.intent)]

    def _name(self, command: AnyCommand) -> str:
        return command.title or self._kind_of(command).name(command)

    def handlers(self) -> IntentHandlers:
        """Return the function that handles each kind of command."""
        return dict.fromkeys(self._kinds, self.send)

    async def send(self, intent: CommandIntent) -> Outcome:
        """Send one command through the gate; return after the first reply."""
        refusal = self._gate.check(intent)
        if refusal is not None:
            return self.deny(intent, refusal)
        state, kind = self._state, self._kinds[type(intent)]
        key = kind.key(intent) or intent_record.reserve_id(state.services.ids)
        if isinstance(key, Refusal):
            return self.deny(intent, key)
        self._gate.record(intent)
        now, server_ms = state.clock.mono(), state.server_ms()
        command = OpenCommand(
            key=key,
            intent=intent,
            state=CommandState.SENDING,
            since=now,
            proven_from=now + EXPIRED_S,
            sent_ms=server_ms,
            changed_ms=server_ms,
        )
        command.title = kind.name(command)
        self._table.add(command)
        try:
            return await self._journal_and_call(command)
        except BaseException:
            # The call may have been sent: the command is UNKNOWN, not unsent.
            self._table.enter(command, CommandState.UNKNOWN, proven_from=state.call_expires_at())
            raise

    async def _journal_and_call(self, command: AnyCommand) -> Outcome:
        kind = self._kind_of(command)
        endpoint, args = kind.call(command)
        name = type(command.intent).__name__
        refusal = await self.journal(command.intent, name, command.key, {"args": args, **kind.journal_fields(command)})
        if refusal is not None:
            return self._report_not_sent(command, refusal)
        self._state.write_journal("sent", endpoint.name, intent_id=command.key)
        try:
            reply = await self._rest.call(endpoint, args, late=partial(self._doubt, command))
        except CallFailed as failure:
            return self._handle_failure(command, failure)
        finally:
            was_late = command.key in self._late
            self._late.discard(command.key)
        if was_late and not self._is_open(command):
            # A list has told its end before this late answer.
            self._journal_reply(command, reply.code, reply.text, Verdict.ACCEPTED)
            return Outcome(verdict=Verdict.ACCEPTED, key=command.key, code=reply.code, answer=reply.data)
        return self._handle_answer(command, reply)

    def _doubt(self, command: AnyCommand) -> None:
        """Mark a command without a timely answer as UNKNOWN and notify it; query its outcome and still await the answer."""
        if command.state is not CommandState.SENDING:
            return
        self._late.add(command.key)
        kind, text = self._kind_of(command), "no answer in time"
        expires = self._state.call_expires_at()
        self._table.enter(command, CommandState.UNKNOWN, text, proven_from=expires)
        if self._is_open(command):
            message = f"{describe_doubt(command)}: {text}; it is {kind.describe_asking(command)}"
            self._state.notify_deed(
                command.intent.decision, Level.ALERT, message, command.key if kind.has_row else "", unsure=kind.has_row
            )

    def _is_open(self, command: AnyCommand) -> bool:
        return self._table.open.get(command.key) is command

    async def journal(
        self, intent: CommandIntent, name: str, intent_id: str, more: dict[str, object]
    ) -> Refusal | None:
        """Journal an intent durably and check it again; return why it must not be sent, or None.

        Args:
            intent: Intent to send.
            name: Kind of the journal entry.
            intent_id: Id that connects the entries.
            more: Further fields of the entry.
        """
        state, kind = self._state, self._kinds[type(intent)]
        epoch = state.epoch
        entry = await intent_record.record_intent(
            state.journal, intent, more, within_s=kind.journal_s, epoch=epoch, intent_id=intent_id, kind=name
        )
        if isinstance(entry, str):
            if not kind.sends_unrecorded:
                return intent_record.refuse_unrecorded(entry)
            state.notify(Level.WARN, intent_record.describe_unrecorded(kind.noun, entry))
        return self._gate.recheck(intent, epoch)

    def _handle_answer(self, command: AnyCommand, reply: Reply) -> Outcome:
        kind = self._kind_of(command)
        goes_on = kind.goes_on(command)
        self._journal_reply(command, reply.code, reply.text, Verdict.ACCEPTED, goes_on=goes_on)
        left = kind.take_answer(command, reply.data)
        if left is not None:
            self._end(command, left)
        elif goes_on:
            self._table.enter(command, CommandState.RUNNING, proven_from=self._state.clock.mono() + LATE_S)
            self._report(command, Level.INFO, self._tell(command, kind.describe_acceptance(command)))
        else:
            self._table.enter(command, CommandState.DONE)
            self._report(command, Level.GOOD, self._tell(command, ": done"))
        return Outcome(verdict=Verdict.ACCEPTED, key=command.key, code=reply.code, answer=reply.data)

    def _handle_failure(self, command: AnyCommand, failure: CallFailed) -> Outcome:
        text = str(failure)
        self._journal_reply(command, failure.code, text, Verdict.UNKNOWN if failure.unsure else Verdict.REJECTED)
        if failure.unsure:
            return self._handle_lost(command, failure)
        refusal = refuse_unsent(failure)
        if refusal is not None:
            return self._report_not_sent(command, refusal)
        self._table.enter(command, CommandState.REJECTED, text)
        self._report(command, Level.WARN, self._tell(command, f": REJECTED {text}"), away=False)
        return Outcome(verdict=Verdict.REJECTED, key=command.key, code=failure.code, text=text)

    def _handle_lost(self, command: AnyCommand, failure: CallFailed) -> Outcome:
        kind, text, is_told = self._kind_of(command), str(failure), command.key in self._late
        asking = kind.describe_asking(command)
        shown = text if kind.is_shown(command) else f"{text}; {asking}"
        expires = self._state.call_expires_at(failure.nonce)
        self._table.enter(command, CommandState.UNKNOWN, shown, proven_from=expires)
        if not self._is_open(command):
            return Outcome(verdict=Verdict.ACCEPTED, key=command.key, text="seen at the venue; the reply is missing")
        if not is_told:
            message = f"{describe_doubt(command)}: {text}; it is {asking}"
            self._state.notify_deed(
                command.intent.decision, Level.ALERT, message, command.key if kind.has_row else "", unsure=kind.has_row
            )
        text = f"{text}; {asking}, never sent again"
        return Outcome(verdict=Verdict.UNKNOWN, key=command.key, code=failure.code, text=text)

    def _journal_reply(
        self, command: AnyCommand, code: int, text: str, verdict: Verdict, *, goes_on: bool = False
    ) -> None:
        """Journal a reply with its verdict but without its data, which may contain a secret."""
        payload = {"code": code, "text": text, "verdict": verdict, "goes_on": goes_on}
        self._state.write_journal("reply", payload, intent_id=command.key)

    # Queries

    def waits(self, pace: QueryPace, passed: float) -> bool:
        """Return whether a query is due by `pace`, `passed` seconds after the last one, and a command waits for it."""
        return passed >= pace.every_s and bool(self._due(pace))

    async def settle(self, pace: QueryPace) -> None:
        """Query the outcome of the commands that were queried longest ago; a command whose query fails stays open."""
        waiting = self._due(pace)
        if not pace.is_ready(self._state):
            return
        for command in sorted(waiting, key=lambda entry: entry.asked)[: pace.most]:
            command.asked = asked = self._state.clock.mono()
            try:
                findings = await self._kind_of(command).read(command, waiting)
            except CallFailed as failure:
                self._report_unread(command, str(failure))
                continue
            for other, finding in findings:
                self._take_finding(other, finding, asked)

    def _due(self, pace: QueryPace) -> list[AnyCommand]:
        """List the commands due for a query; old commands are queried less often."""
        now = self._state.clock.mono()
        return [
            command
            for command in self._table.open.values()
            if command.state is not CommandState.SENDING
            and (now - command.since < OLD_AFTER or now - command.asked >= OLD_WAIT)
            and self._kind_of(command).pace is pace
            and self._kind_of(command).is_shown(command)
        ]

    def _take_finding(self, command: AnyCommand, finding: Finding, asked: float) -> None:
        """Apply the result of an outcome query, begun at the monotonic time `asked` (s), to a command still open."""
        if self._table.open.get(command.key, command) is not command or not command.state.is_open:
            # Replaced by another command, or dismissed meanwhile.
            return
        command.asked = asked
        if finding.state is CommandState.UNKNOWN:
            self._report_unread(command, finding.text)
            return
        command.unread = ""
        if finding.state is CommandState.RUNNING:
            if command.is_lost:
                self._table.enter(command, CommandState.RUNNING, finding.text)
                self._report(command, Level.INFO, self._tell(command, ": it was accepted and runs"))
        elif finding.state is not CommandState.NOT_DONE or asked >= command.proven_from:
            self._end(command, finding)

    def _report_unread(self, command: AnyCommand, why: str) -> None:
        """Notify, once per reason, that the outcome of a command cannot be queried."""
        if why != command.unread:
            command.unread = why
            asking = self._kind_of(command).asking
            text = self._tell(command, f": cannot be {asking} yet: {why}")
            self._state.notify_deed(command.intent.decision, Level.WARN, text)

    # Outcomes

    def _end(self, command: AnyCommand, finding: Finding) -> None:
        """Settle a command: set its final state, journal it and notify the trader."""
        kind, lost = self._kind_of(command), command.is_lost
        done = finding.state is CommandState.DONE
        self._table.enter(command, finding.state, finding.text)
        entry, payload = kind.settlement_entry(finding)
        self._state.write_journal(entry, payload, intent_id=command.key)
        if done and not lost and not kind.reports_done:
            return
        messages = {
            CommandState.DONE: "it was carried out" if lost else "done",
            CommandState.NOT_DONE: "was not carried out",
        }
        message = messages.get(finding.state, finding.state.value)
        text = f"{message}: {finding.text}" if finding.text else message
        told = self._tell(command, f": {finding.message or text}")
        self._report(command, Level.INFO if done else Level.ALERT, told)

    def dismiss(self, key: str) -> None:
        """Dismiss an UNKNOWN command on the trader's request; refused until it was searched for long enough."""
        command = self._table.open.get(key)
        if command is None or not command.is_lost or not self._kind_of(command).can_be_dismissed:
            return
        state, name = self._state, self._name(command)
        early = self._kind_of(command).dismissal_block(command)
        if early:
            self._report(command, Level.WARN, f"not dismissed: {name}: {early}", away=False)
            return
        state.write_journal("dismiss", {"not_found": command.not_found}, intent_id=key)
        self._table.enter(command, CommandState.DISMISSED)
        self._report(command, Level.WARN, f"dismissed: {name}; it may still arrive", away=False)

    def _tell(self, command: AnyCommand, result: str) -> str:
        """Return the event line about a result, with the place for the name of who sent the command."""
        return self._kind_of(command).describe_result(f"{self._name(command)}{BY}", result)

    def _report(self, command: AnyCommand, level: Level, text: str, *, away: bool | None = None) -> None:
        """Notify the outcome of a command as an answer, which the line of events shows before older answers."""
        self._state.notify_deed(command.intent.decision, level, text, away=away, answers=True)

    def _report_not_sent(self, command: AnyCommand, refusal: Refusal) -> Outcome:
        name = f"{self._name(command)}{BY}"
        self._table.enter(command, CommandState.NOT_SENT, refusal.text)
        self._state.write_journal("not_sent", refusal.text, intent_id=command.key)
        self._report(command, Level.WARN, f"NOT SENT: {name}: {refusal.text}", away=False)
        return Outcome(verdict=Verdict.DENIED, key=command.key, guard=refusal.guard, text=refusal.text)

    def deny(self, intent: Intent, refusal: Refusal) -> Outcome:
        """Build the outcome of an intent that the gate refused, or that needs a confirmation."""
        if not refusal.ask:
            self._state.deny(refusal.guard, refusal.text, intent)
        return refusal.outcome(getattr(intent, "key", ""))
