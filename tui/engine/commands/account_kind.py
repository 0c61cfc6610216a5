"""Account commands: REST endpoints that move or borrow money, or change portfolios and API keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from tui.client.rest import CallFailed, Rest
from tui.engine.commands.command_kind import CommandKind, QueryPace
from tui.engine.commands.proofs import AccountCommandKind, Finding, Proof, TwoStepProof
from tui.engine.intents import AccountCommand
from tui.engine.modes import Environment
from tui.engine.orders.pre_trade_checks import Refusal
from tui.engine.rows import CommandState
from tui.engine.state.command_table import AnyCommand, OpenCommand, command_row
from tui.engine.state.engine_state import EngineState
from tui.interface import catalogue
from tui.interface.endpoint import Endpoint, Permission
from tui.interface.request import CLIENT_ORDER_ID
from tui.interface.text import how_many

ACCOUNT_PACE = QueryPace("account commands", every_s=3.0, most=1, is_ready=lambda state: state.logged_in)
DISMISS_AFTER = 3
"""Number of not-found answers needed to dismiss an UNKNOWN command."""

_Open = OpenCommand[AccountCommand]


class AccountKind(CommandKind[AccountCommand]):
    """Command kind shared by all account commands; a table holds the properties of each endpoint."""

    pace = ACCOUNT_PACE
    can_be_dismissed = True
    tells_result_first = True
    reports_done = True

    def __init__(self, state: EngineState, rest: Rest, rows: Mapping[str, AccountCommandKind]) -> None:
        """Initialize the kind; `rows` maps endpoint names to endpoint properties."""
        super().__init__(state, rest)
        self._rows = rows

    # Before sending

    def key(self, _intent: AccountCommand) -> str:
        return ""

    def name(self, command: _Open) -> str:
        return command.intent.title

    def call(self, command: _Open) -> tuple[Endpoint, dict[str, str]]:
        endpoint, args = catalogue.BY_NAME[command.intent.endpoint], dict(command.intent.args)
        if endpoint.takes_client_id:
            args[CLIENT_ORDER_ID] = command.key
        return endpoint, args

    def check_request(self, intent: AccountCommand) -> Refusal | None:
        row = catalogue.BY_NAME.get(intent.endpoint)
        if row is None or intent.endpoint not in self._rows:
            return Refusal("COMMAND", f"{intent.endpoint[:40]!r} is no command about the account")
        missing = [param.name for param in row.params if param.required and not dict(intent.args).get(param.name)]
        missing = [name for name in missing if name != CLIENT_ORDER_ID]
        if missing:
            return Refusal("COMMAND", f"{intent.endpoint} needs {', '.join(missing)}")
        live = self._state.identity.environment is Environment.LIVE
        if row.permission is Permission.WITHDRAW and live and not self._state.settings.withdrawals:
            text = "withdrawals are off in a live profile; `withdrawals = true` below [engine] allows them"
            return Refusal("WITHDRAW", text)
        return None

    def raises_risk(self, intent: AccountCommand) -> bool:
        return self._rows[intent.endpoint].raises_risk(dict(intent.args), self._state.portfolio)

    def checks(self, intent: AccountCommand) -> Iterator[Refusal | None]:
        same = next(
            (command for command in self._open() if self.identity(command.intent) == self.identity(intent)), None
        )
        if same is not None and same.state is not CommandState.RUNNING:
            yield Refusal("IN_FLIGHT", f"the same command is {same.state.value}; it is not sent again")
        elif (other := self._find_conflict(intent)) is not None:
            text = f"{other.intent.title} is {other.state.value}; wait until it is settled"
            yield Refusal("IN_FLIGHT", text)
        if self._rows[intent.endpoint].moves_money:
            yield self.check_repeated(intent)

    def identity(self, intent: AccountCommand) -> object:
        return intent.endpoint, frozenset(intent.args)

    def _open(self) -> list[_Open]:
        return [command for command in self._state.commands.open.values() if isinstance(command.intent, AccountCommand)]

    def _find_conflict(self, intent: AccountCommand) -> _Open | None:
        """Return an open command that blocks a new one: same subject, or their outcomes could not be told apart."""
        kind = self._rows[intent.endpoint]
        conflict = next((command for command in self._open() if command.intent.endpoint in kind.waits_for), None)
        if conflict is not None or kind.subject is None:
            return conflict
        subject = kind.subject(dict(intent.args))
        alike = (command for command in self._open() if command.intent.endpoint == intent.endpoint)
        return next((command for command in alike if kind.subject(dict(command.intent.args)) == subject), None)

    def journal_fields(self, command: _Open) -> dict[str, object]:
        kind = self._rows[command.intent.endpoint]
        subject = kind.subject_text(dict(command.intent.args))
        return {"sent_ms": command.sent_ms, "subject": subject, "waits_for": kind.waits_for}

    # Answer

    def goes_on(self, command: _Open) -> bool:
        return self._rows[command.intent.endpoint].goes_on

    def take_answer(self, command: _Open, data: object) -> Finding | None:
        judge = self._rows[command.intent.endpoint].judge_answer
        return None if judge is None else judge(data)

    def describe_acceptance(self, _command: _Open) -> str:
        return ": accepted; it runs"

    def describe_asking(self, command: _Open) -> str:
        proof = self._proof_of(command)
        if proof is None:
            return "no list shows whether it was done"
        if self.is_shown(command):
            return super().describe_asking(command)
        at = datetime.fromtimestamp(proof.shown_from(command_row(command)) / 1000, UTC)
        return f"read back from {at:%Y-%m-%d %H:%M:%S} UTC on, when it is in force"

    # Queries

    def _proof_of(self, command: _Open) -> Proof | TwoStepProof | None:
        kind = self._rows.get(command.intent.endpoint)
        return None if kind is None else kind.proof

    def is_shown(self, command: _Open) -> bool:
        proof = self._proof_of(command)
        return proof is not None and self._state.server_ms() >= proof.shown_from(command_row(command))

    async def read(self, command: _Open, waiting: Sequence[AnyCommand]) -> list[tuple[_Open, Finding]]:
        """Query the outcome of a command, and use the same reply for all other waiting commands with an identical query."""
        proof, asked = self._proof_of(command), command.asked
        assert proof is not None, "it would not be due"
        try:
            data = await self._read(proof, command)
        except CallFailed as failure:
            if failure.code not in proof.not_found:
                raise
            shown: list[tuple[_Open, Finding | None]] = [(command, None)]
        else:
            served = [other for other in waiting if other is command or self._reads_the_same(other, command)]
            shown = [
                (other, other_proof.judge(command_row(other), data))
                for other in served
                if (other_proof := self._proof_of(other))
            ]
        judged = [(other, finding or self._judge_not_found(other, asked)) for other, finding in shown]
        return [(other, finding) for other, finding in judged if finding is not None]

    def _reads_the_same(self, other: _Open, command: _Open) -> bool:
        """Return whether the same query with the same parameters shows the outcome of both commands."""
        proof, own = self._proof_of(other), self._proof_of(command)
        if not isinstance(proof, Proof) or not isinstance(own, Proof) or proof.read != own.read:
            return False
        return proof.params(command_row(other)) == own.params(command_row(command))

    async def _read(self, proof: Proof | TwoStepProof, command: _Open) -> object:
        if isinstance(proof, Proof):
            return await self._read_row(proof.read, proof.params(command_row(command)))
        listed = await self._read_row(proof.listed, {})
        return listed, await self._read_row(proof.read, proof.params(command_row(command), listed))

    async def _read_row(self, name: str, params: Mapping[str, str]) -> object:
        endpoint = catalogue.BY_NAME[name]
        if endpoint.paged:
            return (await self._rest.read_all_pages(endpoint, dict(params), reserved=True))[0]
        return (await self._rest.call(endpoint, dict(params), reserved=True)).data

    def _judge_not_found(self, command: _Open, asked: float) -> Finding | None:
        """Judge a lost command that the service does not list: NOT_DONE, but a money movement stays UNKNOWN."""
        command.asked, command.unread = asked, ""
        if not command.is_lost:
            return None
        if not self._rows[command.intent.endpoint].moves_money:
            return Finding(CommandState.NOT_DONE)
        if asked >= command.proven_from:
            command.not_found += 1
            times = how_many(command.not_found, "time")
            text = f"not found {times} since its call expired; dismissing it ends the search"
            self._state.commands.enter(command, CommandState.UNKNOWN, text)
        return None

    def settlement_entry(self, finding: Finding) -> tuple[str, dict[str, object]]:
        return "command_settled", {"state": finding.state}

    def dismissal_block(self, command: _Open) -> str:
        if not self.is_shown(command) or command.not_found >= DISMISS_AFTER:
            return ""
        return f"it was not found {how_many(command.not_found, 'time')} yet; {DISMISS_AFTER} are needed"
