"""Parts of a running engine: connections, synchronization, audits, execution; all are built before any is started."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

from tui.client.connection_status import ConnectionStatus
from tui.client.private_stream import NotWritten
from tui.client.rate_limiter import RateLimiter
from tui.client.signer import Signer
from tui.engine.commands.account_kind import ACCOUNT_PACE, AccountKind
from tui.engine.commands.algo_cancels import AlgoCancels
from tui.engine.commands.algo_kinds import ALGO_PACE, algo_kinds
from tui.engine.commands.all_kinds import KINDS
from tui.engine.commands.gate import CommandGate
from tui.engine.commands.sender import CommandSender
from tui.engine.commands.setting_kinds import SETTING_PACE, setting_kinds
from tui.engine.event_line import Level
from tui.engine.intents import (
    AccountCommand,
    Cancel,
    CommandIntent,
    Intent,
    IntentHandlers,
    Outcome,
    Place,
    Replace,
    Verdict,
)
from tui.engine.life.task_supervisor import TaskSupervisor
from tui.engine.orders.algo_orders import AlgoOrders
from tui.engine.orders.execution.cancel_algos import CancelAlgosExecutor
from tui.engine.orders.execution.executor import OrderExecutor
from tui.engine.orders.gate import Gate
from tui.engine.orders.risk_controls import RiskControls
from tui.engine.service_reading.reader import ServiceReader
from tui.engine.state.downtime import DowntimeWindows
from tui.engine.state.engine_state import EngineState
from tui.engine.sync.algo_link import AlgoLinkHandler
from tui.engine.sync.audits import AuditSchedule
from tui.engine.sync.connections import Connections, HttpSessions
from tui.engine.sync.link_handlers import PrivateLinkHandler, PublicLinkHandler
from tui.engine.sync.scheduler import NEVER, Job, Scheduler
from tui.engine.sync.status_publisher import StatusPublisher
from tui.engine.sync.synchronization import Synchronization
from tui.interface.envelope import StreamReply
from tui.interface.streams import PrivateChannel


class NoKeyWire:
    """Stand-in for the private stream when there is no API key: nothing is sent."""

    async def send_action(self, *_frame: object, **_named: object) -> StreamReply:
        raise NotWritten("read-only: no key")


class TradingSession:
    """Trading session: builds the parts of a running engine and passes events of the private stream to them."""

    def __init__(
        self, state: EngineState, risk: RiskControls, tasks: TaskSupervisor, publisher: StatusPublisher,
        *, signer: Signer | None, http: HttpSessions, rate_limiter: RateLimiter, downtime: DowntimeWindows,
        in_step: Callable[[], None], logged_in: Callable[[], None],
    ) -> None:  # fmt: skip
        """Build all parts; nothing runs before `start`.

        Args:
            state: State of the engine.
            risk: Gate for intents, and arming, disarming and kill.
            tasks: Supervisor of repeated work.
            publisher: Publisher of the status of connections and engine.
            signer: Signer; None: only the public stream is used.
            http: Sessions for REST and the public stream.
            rate_limiter: Limiter for the published rate limits.
            downtime: Maintenance windows announced by the service.
            in_step: Callback for a complete snapshot.
            logged_in: Callback for a login, from which on orders can be cancelled.
        """
        self._state, self._tasks, self._publisher, self._when_in_step = state, tasks, publisher, in_step
        self.connections = Connections(
            state, signer=signer, rate_limiter=rate_limiter, http=http, private_handler=self,
            algo_handler=self._algo_link(), public_handler=PublicLinkHandler(state, publisher),
        )  # fmt: skip
        self.synchronization = Synchronization(
            state, self.connections.rest, tasks, position_changed=self._handle_changed_position,
            status_changed=publisher.publish, in_step=self._in_step, reads_algos=lambda: self.algos.offered,
        )  # fmt: skip
        self.algos = AlgoOrders(state, self.connections.rest)
        self._cancel_algos = CancelAlgosExecutor(state, self.connections.rest, self.algos, self._handle_changing_algos)
        self.audits = AuditSchedule(state, self.connections, self.synchronization, self.algos, downtime)
        self._private = PrivateLinkHandler(state, tasks, publisher, self.synchronization, logged_in)
        self.executor = OrderExecutor(
            state, risk.gate, self.connections.private or NoKeyWire(), self._cancel_algos,
            query_now=self.synchronization.query_now, on_kill=risk.control.kill, on_rejection=self.audits.on_order_refused,
            read_rules=self.audits.renew_rules,
        )  # fmt: skip
        self.commands, cancels = self._build_commands(risk.gate)
        self.handlers: IntentHandlers = {**self.executor.handlers(), **self.commands.handlers(), **cancels.handlers()}
        self.scheduler = Scheduler([] if self.connections.private is None else self._jobs(), tasks.spawn)

    def _handle_changed_position(self) -> None:
        self.algos.note_positions()
        self.audits.on_position_changed()

    def _handle_changing_algos(self) -> None:
        self.audits.on_algos_changing()

    def _build_commands(self, gate: Gate) -> tuple[CommandSender, AlgoCancels]:
        state, rest = self._state, self.connections.rest
        read_accounts = self.synchronization.reconciler.read_accounts
        kinds = {
            AccountCommand: AccountKind(state, rest, KINDS),
            **setting_kinds(state, rest, self.audits.reference_data, read_accounts),
            **algo_kinds(state, rest, self.algos, gate),
        }
        self._gate, self._command_gate = gate, CommandGate(gate, kinds)
        sender = CommandSender(state, self._command_gate, rest, kinds)
        return sender, AlgoCancels(state, gate, self._command_gate, rest, sender, self._cancel_algos)

    @cached_property
    def service(self) -> ServiceReader:
        """Reader of service lists for screens."""
        return ServiceReader(self._state, self.connections.rest, self._tasks)

    def _algo_link(self) -> AlgoLinkHandler:
        return AlgoLinkHandler(self._state, self._tasks, lambda: self.algos, self._handle_changing_algos)

    def _jobs(self) -> list[Job]:
        ask = [
            Job(pace.name, lambda: NEVER, partial(self.commands.settle, pace), early=partial(self.commands.waits, pace))
            for pace in (SETTING_PACE, ALGO_PACE, ACCOUNT_PACE)
        ]
        return [*self.audits.jobs(), *ask]

    def start(self) -> None:
        """Start the streams and the queries for UNKNOWN orders."""
        self._tasks.keep_running("public stream", self.connections.public.run)
        for name, work in self.connections.view.jobs().items():
            self._tasks.keep_running(name, work)
        if self.connections.private is not None:
            self._tasks.keep_running("equity", self.connections.equity_bars.run)
            self._tasks.keep_running("private stream", self.connections.private.run)
            if self.connections.algo is not None:
                self._tasks.keep_running("algo stream", self.connections.algo.run)
            self._tasks.keep_running("inquiry", self.synchronization.resolver.run)

    def _in_step(self) -> None:
        self.audits.on_synced()
        self._when_in_step()

    def foresee(self, intent: Intent) -> Outcome:
        """Return what the gate would answer to an intent now; accepted if it would pass."""
        if isinstance(intent, Place | Replace | Cancel):
            refusal = self._gate.foresee(intent)
        elif isinstance(intent, CommandIntent):
            refusal = self._command_gate.check(intent)
        else:
            refusal = None
        return Outcome(verdict=Verdict.ACCEPTED) if refusal is None else refusal.outcome()

    # Handler of the private stream

    def private_changed(self, status: ConnectionStatus) -> None:
        self._private.on_status(status)

    def private_ready(self, epoch: int) -> None:
        self._private.on_login(epoch)

    def private_push(self, epoch: int, channel: PrivateChannel, records: list[Any], received: float) -> None:
        self.synchronization.fold_pushes(epoch, channel, records, received)

    def tier_changed(self) -> None:
        timings = self._state.settings.timings
        tried = f"{timings.tier_attempts} attempts failed, or none succeeded for {timings.tier_patience:g} s"
        self._state.notify(Level.ALERT, f"{tried}; trying tier {self.connections.failover.current.name}")
        self._publisher.publish_links()

    def action_written(self) -> None:
        self._state.links.action_written()

    def late_reply(self, token: object, reply: StreamReply) -> None:
        try:
            self.executor.handle_late_reply(token, reply)
        except Exception as error:
            # The stream reader must continue: it also carries the replies to other orders.
            self._tasks.report_failure("late reply", error)
