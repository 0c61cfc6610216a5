"""Account commands: gate, journal, one call that is never repeated, and asking the service what became of it.

A lost answer leaves a command UNKNOWN. The reading named by its proof shows that it was carried out. Where it is not
found once its call cannot arrive any more, a command that moves no money was not carried out; one that moves money stays
UNKNOWN until the service shows it or the trader dismisses it, like an order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from tui.client.rest import CallFailed, Rest
from tui.engine.account_commands.gate import AccountCommandGate
from tui.engine.account_commands.kinds import AccountCommandKind, Finding, Proof, TwoStepProof
from tui.engine.intents import AccountCommand, Outcome, Verdict
from tui.engine.orders.pre_trade_checks import Refusal
from tui.engine.orders.reply_class import refuse_unsent
from tui.engine.orders.setting_changes import JOURNAL_TIMEOUT_S
from tui.engine.orders.unknown_resolver import OLD_AFTER, OLD_WAIT
from tui.engine.rows import AccountCommandRow, CommandState, Level
from tui.engine.state.account_command_table import OpenCommand
from tui.engine.state.engine_state import EngineState
from tui.interface import catalogue
from tui.interface.endpoint import CLIENT_ORDER_ID, Endpoint
from tui.interface.wording import how_many
from tui.protocols import JournalUnwritable

ASK_EVERY_S = 3.0
"""Time between two queries about commands that are not settled, s."""
ASKED_NOW = "being asked about"
DISMISS_AFTER = 3
"""How often an UNKNOWN command must not have been found before it can be dismissed."""


class AccountCommands:
    """The account commands of one run."""

    def __init__(
        self, state: EngineState, gate: AccountCommandGate, rest: Rest, kinds: Mapping[str, AccountCommandKind]
    ) -> None:
        """Prepare.

        Args:
            state: State of the engine.
            gate: Judges every command.
            rest: Where commands are sent.
            kinds: What each row may do, by its name.
        """
        self._state = state
        self._gate = gate
        self._rest = rest
        self._kinds = kinds
        self._table = state.commands

    async def submit(self, intent: AccountCommand) -> Outcome:
        """Send one command through the gate; ends with the first answer."""
        refusal = self._gate.check(intent)
        if refusal is not None:
            return self._deny(intent, refusal)
        state = self._state
        try:
            made = state.services.ids.client_order_id()
        except OSError as error:
            return self._deny(
                intent, Refusal("JOURNAL", f"cannot record: no id can be stored ({error.strerror or error})")
            )
        endpoint = catalogue.BY_NAME[intent.endpoint]
        self._gate.record(intent)
        command = self._table.add(
            AccountCommandRow(
                id=made, endpoint=intent.endpoint, title=intent.title, args=intent.args, state=CommandState.SENDING,
                sent_ms=state.server_ms(), changed_ms=state.server_ms(),
            ),
            state.clock.mono(),
        )  # fmt: skip
        try:
            return await self._send(command, intent, endpoint)
        except BaseException:
            # The call may have been sent: the command is UNKNOWN, not unsent.
            self._enter(command, CommandState.UNKNOWN, proven_from=state.call_expires_at())
            raise

    async def _send(self, command: OpenCommand, intent: AccountCommand, endpoint: Endpoint) -> Outcome:
        args = self._args(command, endpoint)
        refusal = await self._journal(command, intent, args)
        if refusal is not None:
            return self._report_not_sent(command, refusal)
        self._state.write_journal("sent", endpoint.name, intent_id=command.row.id)
        try:
            reply = await self._rest.call(endpoint, args)
        except CallFailed as failure:
            return self._handle_failure(command, failure)
        kind = self._kinds[endpoint.name]
        goes_on = kind.goes_on
        self._journal_reply(command, reply.code, reply.text, Verdict.ACCEPTED, goes_on=goes_on)
        left = None if kind.judge_answer is None else kind.judge_answer(reply.data)
        if left is not None:
            self._end(command, left)
        elif goes_on:
            self._enter(command, CommandState.RUNNING)
            self._state.notify(Level.INFO, f"{command.row.title}: accepted; it runs")
        else:
            self._enter(command, CommandState.DONE)
            self._state.notify(Level.GOOD, f"{command.row.title}: done")
        return Outcome(verdict=Verdict.ACCEPTED, key=command.row.id, code=reply.code, answer=reply.data)

    def _args(self, command: OpenCommand, endpoint: Endpoint) -> dict[str, str]:
        args = dict(command.row.args)
        if endpoint.takes_client_id:
            args[CLIENT_ORDER_ID] = command.row.id
        return args

    async def _journal(self, command: OpenCommand, intent: AccountCommand, args: dict[str, str]) -> Refusal | None:
        """Journal a command durably and check again; returns why it must not be sent, or None."""
        state, row = self._state, command.row
        epoch = state.epoch
        whole: dict[str, object] = {
            "kind": type(intent).__name__,
            "intent": intent,
            "args": args,
            "sent_ms": row.sent_ms,
        }
        kind = self._kinds[intent.endpoint]
        whole |= {"subject": kind.subject_text(dict(intent.args)), "waits_for": kind.waits_for}
        try:
            async with asyncio.timeout(JOURNAL_TIMEOUT_S):
                await state.journal.record("intent", msgspec.json.encode(whole).decode(), intent_id=row.id, epoch=epoch)
        except JournalUnwritable as error:
            return Refusal("JOURNAL", f"cannot record: {error}")
        except TimeoutError:
            return Refusal("JOURNAL", f"cannot record: the disk took longer than {JOURNAL_TIMEOUT_S:g} s")
        return self._gate.recheck(intent, epoch)

    def _handle_failure(self, command: OpenCommand, failure: CallFailed) -> Outcome:
        state, row, text = self._state, command.row, str(failure)
        self._journal_reply(command, failure.code, text, Verdict.UNKNOWN if failure.unsure else Verdict.REJECTED)
        if failure.unsure:
            asked = self._asked_words(row)
            shown = text if asked == ASKED_NOW else f"{text}; {asked}"
            self._enter(command, CommandState.UNKNOWN, shown, proven_from=state.call_expires_at(failure.nonce))
            state.notify(Level.ALERT, f"{row.title}: UNKNOWN whether it was carried out: {text}; it is {asked}")
            text = f"{text}; {asked}, never sent again"
            return Outcome(verdict=Verdict.UNKNOWN, key=row.id, code=failure.code, text=text)
        refusal = refuse_unsent(failure)
        if refusal is not None:
            return self._report_not_sent(command, refusal)
        self._enter(command, CommandState.REJECTED, text)
        state.notify(Level.WARN, f"{row.title}: REJECTED {text}", away=False)
        return Outcome(verdict=Verdict.REJECTED, key=row.id, code=failure.code, text=text)

    def _journal_reply(
        self, command: OpenCommand, code: int, text: str, verdict: Verdict, *, goes_on: bool = False
    ) -> None:
        """Journal an answer with its verdict, and without its data: it may hold a secret."""
        payload = {"code": code, "text": text, "verdict": verdict, "goes_on": goes_on}
        self._state.write_journal("reply", payload, intent_id=command.row.id)

    # -- asking the service -------------------------------------------------------------------------------------

    def waits(self, passed: float) -> bool:
        """Whether anything is to be asked about, this long after the last query."""
        return passed >= ASK_EVERY_S and bool(self._due())

    async def settle(self) -> None:
        """Ask about the command that was asked about longest ago; one that cannot be asked about stays open.

        What was read also serves the others that would read the same: of many open commands none waits for its turn.
        """
        waiting = self._due()
        if not waiting or not self._state.logged_in:
            return
        command, proof = min(waiting, key=lambda one: one[0].asked)
        asked = command.asked = self._state.clock.mono()
        try:
            data = await self._read(proof, command.row)
        except CallFailed as failure:
            if failure.code not in proof.not_found:
                self._report_unread(command, str(failure))
            else:
                self._take_finding(command, None, asked)
            return
        for one, its in _served_by(waiting, command, proof):
            if self._table.open.get(one.row.id) is one:
                one.asked = asked
                self._take_finding(one, its.judge(one.row, data), asked)

    def _take_finding(self, command: OpenCommand, finding: Finding | None, asked: float) -> None:
        """Judge a command by what a reading that began at a time (monotonic s) shows of it; None: nothing."""
        if finding is None or finding.state is not CommandState.UNKNOWN:
            command.unread = ""
        if finding is None:
            self._judge_not_found(command, asked)
        elif finding.state is CommandState.UNKNOWN:
            self._report_unread(command, finding.text)
        elif finding.state is CommandState.RUNNING:
            if command.row.state is CommandState.UNKNOWN:
                self._enter(command, CommandState.RUNNING, finding.text)
                self._state.notify(Level.INFO, f"{command.row.title}: it was accepted and runs")
        else:
            self._end(command, finding)

    async def _read(self, proof: Proof | TwoStepProof, row: AccountCommandRow) -> object:
        if isinstance(proof, Proof):
            return await self._read_row(proof.read, proof.params(row))
        listed = await self._read_row(proof.listed, {})
        return listed, await self._read_row(proof.read, proof.params(row, listed))

    async def _read_row(self, name: str, params: Mapping[str, str]) -> object:
        endpoint = catalogue.BY_NAME[name]
        if endpoint.paged:
            return (await self._rest.read_all_pages(endpoint, dict(params), reserved=True))[0]
        return (await self._rest.call(endpoint, dict(params), reserved=True)).data

    def _due(self) -> list[tuple[OpenCommand, Proof | TwoStepProof]]:
        """Commands that can be asked about, with their proofs; those that are old are asked about less often."""
        now = self._state.clock.mono()
        asked = [
            (one, self._proof_of(one.row))
            for one in self._table.open.values()
            if one.row.state is not CommandState.SENDING
            and (now - one.since < OLD_AFTER or now - one.asked >= OLD_WAIT)
        ]
        server_ms = self._state.server_ms()
        return [(one, proof) for one, proof in asked if proof is not None and server_ms >= proof.shown_from(one.row)]

    def _proof_of(self, row: AccountCommandRow) -> Proof | TwoStepProof | None:
        kind = self._kinds.get(row.endpoint)
        return None if kind is None else kind.proof

    def _asked_words(self, row: AccountCommandRow) -> str:
        """When the service is asked about an UNKNOWN command."""
        proof = self._proof_of(row)
        if proof is None:
            return "not shown by any reading"
        at = proof.shown_from(row)
        if self._state.server_ms() >= at:
            return ASKED_NOW
        return f"read back from {datetime.fromtimestamp(at / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC on, when it is in force"

    def _report_unread(self, command: OpenCommand, why: str) -> None:
        """Notify once per reason why a command stays open."""
        if why != command.unread:
            command.unread = why
            self._state.notify(Level.WARN, f"{command.row.title}: cannot be asked about yet: {why}")

    def _judge_not_found(self, command: OpenCommand, asked: float) -> None:
        """The service does not show it; that proves something only once its call cannot arrive any more."""
        row = command.row
        if row.state is not CommandState.UNKNOWN or asked < row.proven_from:
            return
        if not self._kinds[row.endpoint].moves_money:
            self._end(command, Finding(CommandState.NOT_DONE))
            return
        command.not_found += 1
        times = how_many(command.not_found, "time")
        self._enter(command, CommandState.UNKNOWN, f"not found {times} since its call expired; Del ends the search")

    def dismiss(self, key: str) -> None:
        """End the search for an UNKNOWN command by the trader's decision; refused until it was searched for enough."""
        command = self._table.open.get(key)
        if command is None or command.row.state is not CommandState.UNKNOWN:
            return
        proof = self._proof_of(command.row)
        readable = proof is not None and self._state.server_ms() >= proof.shown_from(command.row)
        if readable and command.not_found < DISMISS_AFTER:
            text = f"it was not found {how_many(command.not_found, 'time')} yet; {DISMISS_AFTER} are needed"
            self._state.notify(Level.WARN, f"not dismissed: {command.row.title}: {text}", away=False)
            return
        self._state.write_journal("dismiss", {"not_found": command.not_found}, intent_id=key)
        self._enter(command, CommandState.DISMISSED)
        self._state.notify(Level.WARN, f"dismissed: {command.row.title}; it may still arrive", away=False)

    # -- outcomes -----------------------------------------------------------------------------------------------

    def _enter(
        self, command: OpenCommand, state: CommandState, text: str = "", *, proven_from: float | None = None
    ) -> None:
        now, server_ms = self._state.clock.mono(), self._state.server_ms()
        self._table.enter(command, state, now, server_ms, text=text, proven_from=proven_from)

    def _end(self, command: OpenCommand, finding: Finding) -> None:
        """End a command by what the service shows of it."""
        lost = command.row.state is CommandState.UNKNOWN
        done = finding.state is CommandState.DONE
        self._enter(command, finding.state, finding.text)
        self._state.write_journal("command_settled", {"state": finding.state}, intent_id=command.row.id)
        words = {
            CommandState.DONE: "it was carried out" if lost else "done",
            CommandState.NOT_DONE: "was not carried out",
        }
        said = words.get(finding.state, finding.state.value)
        text = f": {finding.text}" if finding.text else ""
        self._state.notify(Level.INFO if done else Level.ALERT, f"{command.row.title}: {said}{text}")

    def _report_not_sent(self, command: OpenCommand, refusal: Refusal) -> Outcome:
        self._enter(command, CommandState.NOT_SENT, refusal.text)
        self._state.write_journal("not_sent", refusal.text, intent_id=command.row.id)
        self._state.notify(Level.WARN, f"NOT SENT: {command.row.title}: {refusal.text}", away=False)
        return Outcome(verdict=Verdict.DENIED, key=command.row.id, guard=refusal.guard, text=refusal.text)

    def _deny(self, intent: AccountCommand, refusal: Refusal) -> Outcome:
        verdict = Verdict.ASK if refusal.ask else Verdict.DENIED
        if verdict is Verdict.DENIED:
            self._state.deny(refusal.guard, refusal.text, intent)
        return Outcome(verdict=verdict, guard=refusal.guard, text=refusal.text)


def _served_by(
    waiting: Sequence[tuple[OpenCommand, Proof | TwoStepProof]], command: OpenCommand, proof: Proof | TwoStepProof
) -> list[tuple[OpenCommand, Proof | TwoStepProof]]:
    """The commands that one reading tells of: those whose own reading has the same row and parameters."""
    if not isinstance(proof, Proof):
        return [(command, proof)]
    params = proof.params(command.row)
    return [
        (one, its)
        for one, its in waiting
        if isinstance(its, Proof) and its.read == proof.read and its.params(one.row) == params
    ]
