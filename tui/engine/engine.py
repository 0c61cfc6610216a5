"""Engine: lifecycle from lock and journal to the final flush, and the trader's commands, on one asyncio loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from tui.client.rate_limiter import RateLimiter
from tui.client.signer import Signer
from tui.engine.conflating_queue import TableSink
from tui.engine.event_line import Level
from tui.engine.intents import Cancel, Decision, Intent, Outcome, Place, Replace, Verdict
from tui.engine.journal.sent_commands import OUTCOME, write_outcome
from tui.engine.journal.session_replay import ReplayedSession
from tui.engine.journal.unreached_entry import KEEPABLE
from tui.engine.life.task_supervisor import TaskSupervisor
from tui.engine.limits import Limits
from tui.engine.market.market_watch import MarketWatch
from tui.engine.market.peer_views import PeerViews
from tui.engine.modes import BY_YOU, RiskMode, TradingState
from tui.engine.orders.dismissal import dismissal_block_reason
from tui.engine.orders.recent_sends import list_rates
from tui.engine.orders.risk_controls import RiskControls
from tui.engine.orders.trading_control import TradingControl
from tui.engine.peers.mandates import Mandates
from tui.engine.peers.proposals import Proposals
from tui.engine.rows import LocalOrderState, OrderRow, Table
from tui.engine.service_query import ListRead, ReadState, ServiceQuery, ServiceRequest
from tui.engine.settings import EngineSettings
from tui.engine.state.downtime import DowntimeWindows
from tui.engine.state.engine_state import EngineState, HostServices, Identity
from tui.engine.state.market_detail import MOST_BOOKS
from tui.engine.status_rows import ALGOS_UNREAD
from tui.engine.symbol_rules import acknowledge_rules
from tui.engine.sync.connections import open_http
from tui.engine.sync.monitors import LagProbe, Monitors
from tui.engine.sync.session_recovery import SessionRecovery
from tui.engine.sync.status_publisher import EngineReport, Links, StatusPublisher
from tui.engine.trading_session import TradingSession
from tui.interface.streams import Detail
from tui.protocols import JournalEntry

TAKE_BACK_S = 2.0
"""Longest time at the end for the cancels of what programs placed under mandates, s."""
TAKE_BACK_STEP_S = 0.02


class Engine:
    """Engine of one account on one service; all methods must be called on the loop that runs `run`."""

    session: TradingSession | None = None
    """None before `run` has built it."""
    _attended: frozenset[str] | None = None
    """Pairs that somebody looks at; None: all count."""

    def __init__(
        self,
        services: HostServices,
        identity: Identity,
        *,
        signer: Signer | None,
        updates: TableSink,
        settings: EngineSettings | None = None,
        read_only: str = "",
    ) -> None:
        """Initialize the engine; nothing is opened before `run`.

        Args:
            services: Clocks, random source, ids, connections, journal, lock.
            identity: Environment, service and portfolio.
            signer: Signer of reads and logins; None: only the public stream is used.
            updates: Queue for rows and events.
            settings: Settings; None: defaults.
            read_only: Why nothing may be sent; empty allows trading.
        """
        self.settings = settings or EngineSettings()
        self.updates = updates
        self.state = EngineState(services, identity, self.settings, updates, query=self._query_now)
        self.state.trading.read_only = read_only or ("" if signer is not None else "read-only: no key")
        self._signer = signer
        self._stopping = asyncio.Event()
        self._market = MarketWatch(self.state, has_login=signer is not None, watch=self._subscribe)
        self._looked_at: tuple[Detail | None, tuple[str, ...]] = (None, ())
        self._rate_limiter = RateLimiter(self.settings.timings, services.clock)
        self._publisher = StatusPublisher(self.state, self)
        self.tasks = TaskSupervisor(self.state, self._publisher.publish_status)
        self._peer_views = PeerViews(self.tasks, services.clock)
        self._risk = RiskControls(self.state, self._rate_limiter, self._publisher.publish_status)
        self._recovery = SessionRecovery(self.state, self._restore)
        self._downtime = DowntimeWindows(self.state)
        self.state.on_fill, self.mandates.when_ended = self.mandates.add_fill, self._take_back_soon
        self.monitors = Monitors(self.state, self._reconnect, knows_algos=self._knows_algos)
        self._lag = LagProbe(services.clock)

    # Life cycle

    async def run(self) -> None:
        """Run until `stop`, then close everything and flush the journal."""
        state, services = self.state, self.state.services
        locked = self._take_lock()
        try:
            await self._recovery.run()
            async with self._open_session():
                await self._stopping.wait()
                await self._end_mandates()
        finally:
            state.logged_in = state.synced = False
            self.proposals.withdraw_all()
            self.mandates.end_requests()
            await services.journal.close()
            if locked:
                services.lock.release()

    @asynccontextmanager
    async def _open_session(self) -> AsyncIterator[None]:
        """Build and start a trading session; its tasks are cancelled at the end of the block."""
        async with open_http(self.state.services.connector) as http:
            self.session = TradingSession(
                self.state,
                self._risk,
                self.tasks,
                self._publisher,
                signer=self._signer,
                http=http,
                rate_limiter=self._rate_limiter,
                downtime=self._downtime,
                in_step=self.tick,
                logged_in=self._take_back,
            )
            try:
                self.session.connections.view.follow(*self._looked_at)
                self._peer_views.begin(self.session.connections.open_view)
                if self._attended is not None:
                    self.attend(self._attended)
                if self._market.chosen:
                    self._subscribe(self._market.chosen)
                self.session.start()
                self.tasks.keep_running("pulse", self._tick_forever)
                self._publisher.publish_status()
                yield
            finally:
                await self.tasks.end()

    async def _end_mandates(self) -> None:
        """Disarm all programs with a mandate and cancel their orders, waiting at most `TAKE_BACK_S` for the ends."""
        clock, mandates = self.state.clock, self.mandates
        for peer in mandates.list_holders():
            self.control.disarm("the desk ends", peer)
        ends = clock.mono() + TAKE_BACK_S
        while mandates.waits_for_cancels() and self.state.logged_in and clock.mono() < ends:
            self._take_back()
            await asyncio.sleep(TAKE_BACK_STEP_S)

    def when_written(self, callback: Callable[[], None]) -> None:
        """Register a callback for whenever the bytes of an action were passed to the transport."""
        self.state.links.action_written = callback

    def stop(self) -> None:
        """Request that `run` ends soon."""
        self._stopping.set()

    def _take_lock(self) -> bool:
        """Acquire the portfolio's lock and return whether it was free; without it the desk is read-only."""
        why = "read-only: another instance trades this portfolio"
        try:
            locked = self.state.services.lock.acquire()
        except OSError as error:
            locked, why = False, f"read-only: the lock cannot be taken ({error.strerror})"
        if not locked:
            self.state.trading.read_only = self.state.trading.read_only or why
        return locked

    # Commands of the trader

    async def submit(self, intent: Intent) -> Outcome:
        """Send an intent through the gate and return the first reply."""
        if self.session is None or self._stopping.is_set():
            return Outcome(verdict=Verdict.DENIED, guard="LINK", text="the engine is not running")
        asked_ms = self.state.server_ms()
        outcome = await self._carry_out(intent, self.session.handlers[type(intent)])
        self.monitors.unreached.note(intent, outcome, asked_ms)
        if intent.decision.command and outcome.verdict not in (Verdict.ASK, Verdict.DENIED):
            self.state.write_journal(OUTCOME, write_outcome(intent.decision, outcome))
            self._recovery.note_outcome(intent, outcome)
        return outcome

    async def _carry_out(self, intent: Intent, handler: Callable[[Any], Awaitable[Outcome]]) -> Outcome:
        try:
            if isinstance(intent, Place | Replace | Cancel) and intent.proposal:
                return await self.proposals.send(intent, handler)
            return await handler(intent)
        except Exception as error:
            self.tasks.report_failure("submit", error)
            return Outcome(verdict=Verdict.UNKNOWN, text="internal error; the order list shows what is known")
        finally:
            self._publisher.publish_status()

    def recall(self, sender: str, command: str) -> Outcome | None:
        """Return the outcome of a peer's earlier command of this or an earlier session; None if it is unknown."""
        return self._recovery.recall(sender, command)

    async def read_notes(self, after: int, since_ms: int, most: int) -> Sequence[JournalEntry]:
        """Read journaled event lines, oldest first.

        Args:
            after: Number of the entry behind which they begin.
            since_ms: Wall time of the earliest one, ms.
            most: Most lines to return.

        Raises:
            JournalUnwritable: The journal cannot be read.
        """
        return await self.state.journal.notes(after, since_ms, most)

    async def foresee(self, intents: Sequence[Intent]) -> tuple[Outcome, ...]:
        """Call `foresee_now` on the engine's loop, for callers on another thread or in another process."""
        return self.foresee_now(intents)

    def foresee_now(self, intents: Sequence[Intent]) -> tuple[Outcome, ...]:
        """Return what the gate would answer to each intent now; nothing is sent, journaled or counted."""
        if self.session is None or self._stopping.is_set():
            return ()
        with self._risk.gate.rehearse():
            return tuple(self.session.foresee(intent) for intent in intents)

    @property
    def proposals(self) -> Proposals:
        """Proposals of programs that wait for the trader's answer."""
        return self._risk.proposals

    @property
    def mandates(self) -> Mandates:
        """Mandates of programs, and their requests for mandates."""
        return self._risk.mandates

    @property
    def control(self) -> TradingControl:
        """Switch of the trading states of all senders and of the risk mode."""
        return self._risk.control

    def set_trading_state(self, state: TradingState, why: str = BY_YOU) -> None:
        """Arm or disarm the screen of this process."""
        self.control.set_trading_state(state, why)

    def enter_hot(self, seconds: float) -> None:
        """Enter HOT for a time, from ARMED only."""
        self.control.enter_hot(seconds)

    def end_hot(self, why: str) -> None:
        """Return from HOT to ARMED."""
        self.control.end_hot(why)

    def set_risk_mode(self, mode: RiskMode, why: str = BY_YOU) -> None:
        """Enter a stricter risk mode, or return to NORMAL unless a limit is still breached."""
        self.control.set_risk_mode(mode, why)

    def set_limits(self, limits: Limits, what: str) -> None:
        """Replace the limits, in VIEW only."""
        self.control.set_limits(limits, what)

    def watch(self, syms: tuple[str, ...]) -> None:
        """Set the symbols whose quotes are streamed, in order of priority."""
        self._market.want(syms)

    def _subscribe(self, syms: tuple[str, ...]) -> None:
        if self.session is not None:
            self.session.connections.public.watch(syms)

    def attend(self, syms: frozenset[str]) -> None:
        """Set the pairs that somebody looks at; while quotes come fast, those of others come a few times a second."""
        self._attended = syms
        if self.session is not None:
            self.session.connections.public.attend(syms)

    def look_at(self, detail: Detail | None, books: tuple[str, ...] = ()) -> None:
        """Subscribe to order book, trades and bars of one pair, and to the books of others; None unsubscribes."""
        self._looked_at = detail, books[:MOST_BOOKS]
        if self.session is not None:
            self.session.connections.view.follow(*self._looked_at)
        elif detail is None:
            self.state.detail.forget()

    def look_for(self, peer: str, sink: TableSink, detail: Detail | None, books: tuple[str, ...] = ()) -> None:
        """Subscribe to order book, trades and bars for a peer, whose reader alone gets the rows; None unsubscribes."""
        self._peer_views.look(peer, sink, detail, books[:MOST_BOOKS])

    def read(self, request: ServiceRequest) -> None:
        """Start, continue or stop reading a list or record of the service; the rows appear in the table ANSWERS."""
        if self.session is not None and not self._stopping.is_set():
            self.session.service.handle(request)
        elif isinstance(request, ServiceQuery):
            read = ListRead(query=request, state=ReadState.FAILED, text="the engine is not running")
            self.updates.put(Table.ANSWERS, request.key, read)

    def decline(self, key: str) -> None:
        """Decline the proposal or mandate request with this number."""
        self.proposals.decline(key)
        self.mandates.decline(key)

    def grant(self, key: str) -> None:
        """Grant the mandate request with this number and arm its program, which may then send limit orders within it."""
        self.control.grant(key)

    def revoke(self, key: str = "") -> None:
        """End the mandate with this number, or all mandates if the number is empty."""
        self.control.revoke(key)

    def _take_back(self) -> None:
        """Start one task per order of an ended mandate that cancels it, so that no cancel waits for another's answer."""
        for key in self.mandates.take_leaving():
            self.tasks.spawn(f"take back {key}", self._cancel_left(key))

    def _take_back_soon(self) -> None:
        """Schedule `_take_back` after the current call: a kill has then marked the orders that it cancels itself."""
        asyncio.get_running_loop().call_soon(self._take_back)

    async def _cancel_left(self, key: str) -> None:
        """Cancel an order of an ended mandate, unless it is still being sent or already being cancelled."""
        identity, portfolio = self.state.identity, self.state.portfolio
        decision = Decision(
            environment=identity.environment, portfolio=portfolio, state=TradingState.VIEW, source="end of a mandate"
        )
        if self.session is not None and self.mandates.can_cancel(key):
            await self.session.handlers[Cancel](Cancel(decision=decision, key=key, kill=True))

    def dismiss(self, key: str) -> None:
        """Dismiss an UNKNOWN order or command once it was searched for long enough, or a warning by its cause."""
        if key in KEEPABLE:
            self.monitors.unreached.keep(key)
            return
        if self.session is not None:
            self.session.commands.dismiss(key)
        row = self.state.orders.rows.get(key)
        if row is not None and row.state == LocalOrderState.UNKNOWN:
            self._dismiss_order(row)
            self._publisher.publish_status()

    def _dismiss_order(self, row: OrderRow) -> None:
        """Dismiss an UNKNOWN order, or say why it is too early."""
        state, now, key = self.state, self.state.clock.mono(), row.key
        early = dismissal_block_reason(row, state.settings.limits, now)
        if early:
            state.notify(Level.WARN, f"not dismissed: {state.orders.text_of(row)}: {early}", key, away=False)
        elif state.orders.dismiss(key, now):
            state.write_journal("dismiss", row.reason, intent_id=key, client_order_id=row.client_order_id)
            state.notify(Level.WARN, f"dismissed: {state.orders.text_of(row)}; it may still arrive", key, away=False)

    def acknowledge_rules(self, changes: Mapping[str, str]) -> None:
        """Accept changed trading rules of these pairs, so that opening orders on them are allowed again."""
        acknowledge_rules(self.state, changes)
        self._publisher.publish_status()

    # Tick

    async def _tick_forever(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self.tick()
            due = loop.time() + self.settings.pulse
            await asyncio.sleep(self.settings.pulse)
            self._lag.record_delay(loop.time() - due)

    def tick(self) -> None:
        """Run everything that depends on time: monitors, due jobs, removal of ended rows, risk limits, status rows."""
        now = self.state.clock.mono()
        self.monitors.check()
        if self._recovery.is_due:
            self.tasks.spawn("journal", self._recovery.run())
        self.state.orders.sweep(now, self.settings.finished_rows)
        self._market.follow()
        self.state.facts.bookings.turn_hour(self.state.server_ms(), now)
        if self.session is not None:
            self.session.scheduler.tick(now)
            self.session.algos.news.tell()
        self._risk.modes.check_limits()
        self.control.check_hot()
        self.control.check_mandates()
        self._take_back()
        self.proposals.expire()
        self.state.record_suppressed_denials()
        self._publisher.publish()

    def _restore(self, replayed: ReplayedSession) -> None:
        """Restore from earlier sessions: risk mode, traded pairs, orders of ended mandates, warnings of what was missed."""
        self._risk.restore(replayed.traded, replayed.left, replayed.risk)
        self.monitors.unreached.restore(replayed.unreached)

    def _knows_algos(self) -> bool:
        return self.session is not None and not self.session.algos.error

    def _reconnect(self) -> None:
        if self.session is not None:
            self.session.connections.drop("the machine slept")

    def _query_now(self, key: str) -> None:
        if self.session is not None:
            self.session.synchronization.query_now(key)

    # Status

    def links(self) -> Links:
        """Return the status of the connections; empty without a session."""
        return Links() if self.session is None else self.session.connections.links()

    def report(self) -> EngineReport:
        """Return the status of the engine's parts."""
        session = self.session
        return EngineReport(
            in_flight=0 if session is None else session.connections.in_flight,
            sync_error="" if session is None else session.synchronization.error,
            engine_error=self.tasks.error,
            watchdog_error=self.monitors.watchdog.error,
            algo_error=ALGOS_UNREAD if session is None else session.algos.error,
            downtime=self._downtime.windows,
            lag_ms=self._lag.lag_ms,
            rates=list_rates(self._rate_limiter),
            orders_checked_ms=0 if session is None else session.synchronization.reconciler.orders_checked_ms,
            positions_checked_ms=0 if session is None else session.synchronization.reconciler.positions_checked_ms,
        )
