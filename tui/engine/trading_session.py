"""The parts of an engine that runs: connections, sync, execution, resolver, audits. Built whole, then started."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tui.client.connection_status import ConnectionStatus
from tui.client.private_stream import NotWritten
from tui.client.rate_limiter import RateLimiter
from tui.client.signer import Signer
from tui.engine.orders.algo_orders import AlgoOrders
from tui.engine.orders.executor import OrderExecutor
from tui.engine.orders.gate import Gate
from tui.engine.orders.trading_control import TradingControl
from tui.engine.orders.unknown_resolver import UnknownOrderResolver
from tui.engine.rows import Level, Source
from tui.engine.state.engine_state import EngineState
from tui.engine.state.maintenance import Maintenance
from tui.engine.state.reference_data import ReferenceDataPoller
from tui.engine.sync.audits import AuditSchedule
from tui.engine.sync.connections import Connections
from tui.engine.sync.link_handlers import PrivateLinkHandler, PublicLinkHandler
from tui.engine.sync.push_handler import PushHandler
from tui.engine.sync.reconciliation import Reconciler
from tui.engine.sync.resync import Resync
from tui.engine.sync.scheduler import Job, Scheduler
from tui.engine.sync.status_publisher import StatusPublisher
from tui.engine.task_supervisor import TaskSupervisor
from tui.interface import requests
from tui.interface.envelope import StreamReply
from tui.interface.families.orders import ORDER_DETAIL
from tui.interface.streams import PrivateChannel
from tui.interface.wording import how_many


class NoKeyWire:
    """Stands where the private stream would be; without a key nothing leaves."""

    async def send_action(self, *_frame: object, **_named: object) -> StreamReply:
        raise NotWritten("read-only: no key")


class TradingSession:
    """Hears the private stream, for which it is the handler, and passes each call on to the part that it is about."""

    def __init__(
        self,
        state: EngineState,
        *,
        signer: Signer | None,
        session: Any,
        market_session: Any,
        rate_limiter: RateLimiter,
        gate: Gate,
        control: TradingControl,
        maintenance: Maintenance,
        tasks: TaskSupervisor,
        publisher: StatusPublisher,
        in_step: Callable[[], None],
    ) -> None:
        """Build every part; nothing runs before `start`.

        Args:
            state: What is known.
            signer: None: only the public stream is served.
            session: HTTP session of REST.
            market_session: HTTP session of the public stream.
            rate_limiter: Keeps inside the published limits.
            gate: Judges intents.
            control: Arms, disarms, kills.
            maintenance: Windows the service tells of.
            tasks: Runs what repeats.
            publisher: Shows how links and engine stand.
            in_step: Called when the snapshot is complete.
        """
        self._state = state
        self._when_in_step = in_step
        self._tasks = tasks
        self._publisher = publisher
        self.pushes = PushHandler(
            state,
            expedite=self.expedite,
            look_up=self._look_up,
            position_changed=lambda: self.audits.position_changed(),
        )
        self._private = PrivateLinkHandler(state, tasks, publisher, self.pushes, self._start_sync)
        self.connections = Connections(
            state,
            signer=signer,
            rate_limiter=rate_limiter,
            session=session,
            market_session=market_session,
            private_handler=self,
            public_handler=PublicLinkHandler(state, publisher, self._market_health),
        )
        rest = self.connections.rest
        self._reconciler = Reconciler(state, rest, self.expedite)
        self.resync = Resync(
            state, rest, self.pushes, self._reconciler, expedite=self.expedite, spawn=tasks.spawn,
            changed=publisher.publish, failed=tasks.failed, done=self._in_step,
        )  # fmt: skip
        self.resolver = UnknownOrderResolver(state, rest, self.resync.look_at_fills, tasks.spawn)
        self.reference_data = ReferenceDataPoller(state, rest)
        self.algos = AlgoOrders(state, rest, changing=lambda: self.audits.algos_changing())
        self.audits = AuditSchedule(
            state, rest, in_flight=lambda: self.connections.in_flight, reconciler=self._reconciler, resync=self.resync,
            reference_data=self.reference_data, algos=self.algos, maintenance=maintenance,
            jitter=state.services.random_source.stream("audits"),
        )  # fmt: skip
        self.executor = OrderExecutor(
            state, gate, self.connections.private or NoKeyWire(), self.algos,
            expedite=self.expedite, killed=control.kill, refused=self.audits.order_refused,
        )  # fmt: skip
        go_back = Job("tier", lambda: 0.0, self.connections.go_back, self.connections.may_go_back, due=0.0)
        jobs = [] if self.connections.private is None else self.audits.jobs(go_back)
        self.scheduler = Scheduler(jobs, tasks.spawn)
        self._connect_state()

    def _connect_state(self) -> None:
        """Let the state ask the connections how they stand."""
        state, public, private = self._state, self.connections.public, self.connections.private
        state.market = public.status
        state.skew_ms = lambda: public.skew.ms
        if private is not None:
            state.proven = lambda: private.proven

    def start(self) -> None:
        """Run the streams, and the questions about UNKNOWN orders."""
        self._tasks.keep_running("public stream", self.connections.public.run)
        if self.connections.private is not None:
            self._tasks.keep_running("private stream", self.connections.private.run)
            self._tasks.keep_running("inquiry", self.resolver.run)

    def expedite(self, key: str) -> None:
        """The truth about this order is wanted now."""
        self.resolver.expedite(key)

    @property
    def sync_trouble(self) -> str:
        """Why what is shown may be older than it should be, or empty."""
        resync = self.resync
        said = [resync.trouble, self._tasks.read_trouble, resync.fill_trouble, self._reconciler.partial]
        return next((one for one in said if one), "")

    @property
    def orders_checked_ms(self) -> int:
        return self._reconciler.orders_checked_ms

    @property
    def positions_checked_ms(self) -> int:
        return self._reconciler.positions_checked_ms

    # -- the private stream's handler ---------------------------------------------------------------------------

    def private_changed(self, status: ConnectionStatus) -> None:
        self._private.changed(status)

    def private_ready(self, epoch: int) -> None:
        self._private.ready(epoch)

    def private_push(self, epoch: int, channel: PrivateChannel, records: list[Any], received: float) -> None:
        self._private.push(epoch, channel, records, received)

    def tier_changed(self) -> None:
        self._state.say(Level.ALERT, f"no link for a while; trying tier {self.connections.failover.current.name}")
        self._publisher.publish_links()

    def late_reply(self, token: object, reply: StreamReply) -> None:
        try:
            self.executor.late(token, reply)
        except Exception as error:
            # The reader that called must live: other orders' answers come through it.
            self._tasks.failed("late reply", error)

    # -- what the parts ask for ---------------------------------------------------------------------------------

    def _market_health(self) -> ConnectionStatus:
        return self.connections.public.status()

    def _start_sync(self) -> None:
        self._tasks.spawn("sync", self.resync.run())

    def _in_step(self) -> None:
        self.resolver.restart_unasked()
        count = len(self._state.orders.working())
        self._state.say(Level.INFO, f"in step with the venue: {how_many(count, 'working order')}")
        self.audits.synced()
        self._when_in_step()

    def _look_up(self, order_id: str) -> None:
        self._tasks.spawn(f"look up {order_id}", self._read_order(order_id))

    async def _read_order(self, order_id: str) -> None:
        """A fill of an order nobody told us about: ask for it."""
        record = (await self.connections.rest.call(ORDER_DETAIL, requests.order_ref(order_id, ""), reserved=True)).data
        self._state.fold_order(record, Source.QUERY)
