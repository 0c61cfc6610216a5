"""The engine: ties streams, tables, gate and journal together and keeps itself going. A pure asyncio object."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from tui.client.aiohttp_adapter import open_session
from tui.client.connection_status import ConnectionStatus, Phase
from tui.client.failover import FailoverSelector
from tui.client.private_stream import PrivateStream
from tui.client.public_stream import PublicStream
from tui.client.rate_limiter import RateLimiter
from tui.client.rest import CallFailed, Rest
from tui.client.signer import Signer
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.orders.algo_orders import AlgoOrders
from tui.engine.orders.dismissal import dismissal_block_reason
from tui.engine.orders.executor import OrderExecutor
from tui.engine.orders.gate import Gate
from tui.engine.orders.intents import Intent, Outcome, RiskMode, TradingState, Verdict
from tui.engine.orders.order_table import brief
from tui.engine.orders.risk_mode import RiskModes
from tui.engine.orders.unknown_resolver import UnknownOrderResolver
from tui.engine.rows import Level, LocalOrderState, Source, Table
from tui.engine.settings import EngineSettings
from tui.engine.state.engine_state import EngineState, HostServices, Identity
from tui.engine.state.maintenance import Maintenance
from tui.engine.state.reference_data import ReferenceDataPoller
from tui.engine.sync.push_handler import PushHandler
from tui.engine.sync.reconciliation import Reconciler
from tui.engine.sync.resync import Resync
from tui.engine.sync.scheduler import Pulse
from tui.engine.sync.session_recovery import SessionRecovery
from tui.interface import requests
from tui.interface.envelope import StreamReply
from tui.interface.families.market import SYMBOL_INFO
from tui.interface.families.orders import ORDER_DETAIL
from tui.interface.families.system import SYSTEM_STATUS
from tui.interface.streams import PrivateChannel
from tui.interface.wording import how_many

log = logging.getLogger("tui.engine")

STALE_RULES = frozenset([401011, 401013, 401015, 401912])
"""Refusals that say our symbol rules are out of date."""
PAUSED = frozenset([400011, 601903])
"""Orders are paused."""


class Engine:
    """One desk on one service. Everything is called on the loop that runs `run`."""

    def __init__(
        self,
        services: HostServices,
        identity: Identity,
        *,
        signer: Signer | None,
        handover: ConflatingQueue,
        settings: EngineSettings | None = None,
        read_only: str = "",
    ) -> None:
        """Prepare; nothing is opened before `run`.

        Args:
            services: Clocks, random source, ids, connections, journal, lock.
            identity: Environment, service and portfolio.
            signer: Signs reads and logins; None: only the public stream is served.
            handover: Where rows and events go.
            settings: Defaults when None.
            read_only: Why nothing may be sent; empty allows trading.
        """
        self.settings = settings or EngineSettings()
        self.handover = handover
        self.desk = EngineState(services, identity, self.settings, handover, ask=self._expedite)
        self.desk.read_only = read_only or ("" if signer is not None else "read-only: no key")
        self.heartbeat: Callable[[], str | None] = _nothing
        """Called by every pulse: somebody wants to know that the engine lives. A text says why he does not listen."""
        self.troubles = 0
        """Internal errors so far."""
        self.trouble = ""
        self._signer = signer
        self._stopping = asyncio.Event()
        self._watched: tuple[str, ...] = ()
        self._jobs: dict[str, asyncio.Task[None]] = {}
        self._rate_limiter = RateLimiter(self.settings.timings, services.clock)
        self.modes = RiskModes(self.desk)
        self._gate = Gate(self.desk, self._rate_limiter, self._disarm, self.modes.enter)
        self._recall = SessionRecovery(self.desk, self._gate.traded)
        self._inquiry: UnknownOrderResolver | None = None
        self._commands: OrderExecutor | None = None
        self._reconciler: Reconciler | None = None
        self._resync: Resync | None = None
        self.terms: ReferenceDataPoller | None = None
        self.algos: AlgoOrders | None = None
        self._inbound = PushHandler(
            self.desk, expedite=self._expedite, look_up=self._look_up, position_changed=self._position_changed
        )
        self.private: PrivateStream | None = None
        self.public: PublicStream | None = None
        self.rest: Rest | None = None
        self.failover: FailoverSelector | None = None
        self._job_troubles: dict[str, str] = {}
        self._told: dict[str, str] = {}
        """Link -> why it is down, channel -> why it cannot be read: what the trader was told."""
        self.maintenance = Maintenance(self.desk)
        self._pulse = Pulse(self)

    # -- life ---------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Run until `stop`; then everything is closed and the journal is flushed."""
        desk, services = self.desk, self.desk.services
        locked = self._take_lock()
        try:
            await self._recall.run()
            session = open_session(services.connector)
            market_session = open_session(services.connector)
            try:
                self._build(session, market_session)
                await self._serve()
            finally:
                await self._end_jobs()
                await market_session.close()
                await session.close()
        finally:
            desk.logged_in = desk.synced = False
            await services.journal.close()
            if locked:
                services.lock.release()

    def stop(self) -> None:
        """End `run` soon."""
        self._stopping.set()

    async def submit(self, intent: Intent) -> Outcome:
        """Send an intent through the gate; ends with the first answer."""
        if self._commands is None or self._stopping.is_set():
            return Outcome(verdict=Verdict.DENIED, guard="LINK", text="the engine is not running")
        try:
            return await self._commands.submit(intent)
        except Exception as error:
            self._failed("submit", error)
            return Outcome(verdict=Verdict.UNKNOWN, text="internal error; the order list shows what is known")
        finally:
            self._pulse.show_desk()

    def set_state(self, state: TradingState, why: str = "asked by the trader") -> None:
        """Arm or disarm."""
        if state is TradingState.ARMED and self.desk.read_only:
            self.desk.say(Level.WARN, f"cannot arm: {self.desk.read_only}")
            return
        if state is not self.desk.state:
            self.desk.state = state
            self.desk.keep("state", {"state": state.value, "why": why})
            self.desk.say(Level.INFO, f"trading state {state.value}: {why}")
        self._pulse.show_desk()

    def set_mode(self, mode: RiskMode, why: str = "asked by the trader") -> None:
        """A stricter risk mode at once; NORMAL where no limit stands against it."""
        if mode is RiskMode.NORMAL:
            self.modes.resume()
        else:
            self.modes.enter(mode, why)
        self._pulse.show_desk()

    def watch(self, syms: tuple[str, ...]) -> None:
        """Which symbols' quotes are wanted."""
        self._watched = syms
        self.desk.quotes.keep(syms)
        self.desk.tickers.keep(syms)
        if self.public is not None:
            self.public.watch(syms)

    def dismiss(self, key: str) -> None:
        """The trader ends an UNKNOWN row; refused with the reason while it was not looked for long enough."""
        desk, now = self.desk, self.desk.clock.mono()
        row = desk.orders.rows.get(key)
        if row is None or row.state != LocalOrderState.UNKNOWN:
            return
        early = dismissal_block_reason(row, desk.settings.limits, now)
        if early:
            desk.say(Level.WARN, f"not dismissed: {brief(row)}: {early}", key, away=False)
        elif desk.orders.dismiss(key, now):
            desk.keep("dismiss", row.reason, intent_id=key, client_order_id=row.client_order_id)
            desk.say(Level.WARN, f"dismissed: {brief(row)}; it may still arrive", key, away=False)
        self._pulse.show_desk()

    # -- starting -----------------------------------------------------------------------------------------------

    def _take_lock(self) -> bool:
        try:
            locked = self.desk.services.lock.acquire()
        except OSError as error:
            self.desk.read_only = self.desk.read_only or f"read-only: the lock cannot be taken ({error.strerror})"
            return False
        if not locked:
            self.desk.read_only = self.desk.read_only or "read-only: another instance trades this portfolio"
        return locked

    def recall_again(self) -> None:
        """Take the journal up that could not be read at the start, once it can."""
        if self._recall.is_due:
            self.spawn("journal", self._recall.run())

    def _build(self, session: Any, market_session: Any) -> None:
        services, service, timings = self.desk.services, self.desk.identity.service, self.settings.timings
        self.failover = FailoverSelector(service, timings, services.clock)
        self.rest = Rest(
            service,
            failover=self.failover,
            session=session,
            signer=self._signer,
            rate_limiter=self._rate_limiter,
            clock=services.clock,
            random_source=services.random_source,
            timings=timings,
        )
        self._reconciler = Reconciler(self.desk, self.rest, self._expedite)
        self._resync = Resync(
            self.desk, self.rest, self._inbound, self._reconciler,
            expedite=self._expedite, spawn=self.spawn, changed=self._changed, failed=self._failed, done=self._in_step,
        )  # fmt: skip
        self.terms = ReferenceDataPoller(self.desk, self.rest)
        self._inquiry = UnknownOrderResolver(self.desk, self.rest, self._resync.look_at_fills, self.spawn)
        self.public = PublicStream(
            service.public_ws_url,
            session=market_session,
            signer=self._signer,
            clock=services.clock,
            random_source=services.random_source,
            timings=timings,
            quotes=self.desk.quotes,
            tickers=self.desk.tickers,
            handler=self,
        )
        self.desk.market = self.public.status
        skew = self.public.skew
        self.desk.skew_ms = lambda: skew.ms
        self.rest.skew = skew
        if self._watched:
            self.public.watch(self._watched)
        if self._signer is None:
            return
        self._signer.skew = skew
        self.private = PrivateStream(
            self.failover,
            connector=services.connector,
            signer=self._signer,
            clock=services.clock,
            random_source=services.random_source,
            ids=services.ids,
            timings=timings,
            handler=self,
        )
        stream = self.private
        self.desk.proven = lambda: stream.proven
        self.algos = AlgoOrders(self.desk, self.rest)
        self._commands = OrderExecutor(
            self.desk,
            self._gate,
            stream,
            self.algos,
            expedite=self._expedite,
            killed=self._killed,
            refused=self._rules_doubted,
        )

    async def _serve(self) -> None:
        assert self.public is not None and self._inquiry is not None
        self.spawn("public stream", self._forever("public stream", self.public.run))
        self.spawn("pulse", self._forever("pulse", self._pulse.run))
        if self.private is not None:
            self.spawn("private stream", self._forever("private stream", self.private.run))
            self.spawn("inquiry", self._forever("inquiry", self._inquiry.run))
        if self.settings.lag_probe:
            self.spawn("lag probe", self._forever("lag probe", self._pulse.probe))
        self._pulse.show_desk()
        await self._stopping.wait()

    async def _forever(self, name: str, work: Any) -> None:
        """Keep a part of the engine going; what breaks is shown and begun again."""
        while True:
            try:
                await work()
            except Exception as error:
                self._failed(name, error)
            await asyncio.sleep(1.0)

    def spawn(self, name: str, work: Coroutine[Any, Any, None]) -> bool:
        """Start a job unless one of that name is still running; returns whether it was started."""
        running = self._jobs.get(name)
        if running is not None and not running.done():
            work.close()
            return False
        task = asyncio.create_task(work, name=name)
        self._jobs[name] = task
        task.add_done_callback(lambda done: self._ended(name, done))
        return True

    def _ended(self, name: str, task: asyncio.Task[None]) -> None:
        if self._jobs.get(name) is task:
            del self._jobs[name]
        if task.cancelled():
            return
        error = task.exception()
        before = self._job_troubles.pop(name, None)
        if isinstance(error, CallFailed):
            self._job_troubles[name] = f"{name}: {error}"
            if self._job_troubles[name] != before:
                self.desk.say(Level.WARN, f"{self._job_troubles[name]}; what is shown is older")
        elif isinstance(error, Exception):
            self._failed(name, error)

    async def _end_jobs(self) -> None:
        jobs = list(self._jobs.values())
        for task in jobs:
            task.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)

    def _failed(self, where: str, error: Exception) -> None:
        """An internal error: shown, journaled, survived."""
        self.troubles += 1
        self.trouble = f"internal error in {where}: {type(error).__name__}"
        log.error("internal error in %s", where, exc_info=error)
        with suppress(Exception):
            self.desk.keep("trouble", self.trouble)
            self.desk.say(Level.ALERT, self.trouble)
            self._pulse.show_desk()

    # -- private stream -----------------------------------------------------------------------------------------

    def private_changed(self, status: ConnectionStatus) -> None:
        desk = self.desk
        if status.phase is not Phase.READY:
            was = desk.logged_in
            desk.logged_in = desk.synced = desk.fills.caught_up = False
            for name in ("sync", "fills"):
                if name in self._jobs:
                    self._jobs[name].cancel()
            if was:
                self._told["order link"] = status.last_error
                desk.say(Level.ALERT, f"order link lost: {status.last_error}; orders stay live at the venue")
            else:
                self._tell_down("order link", status)
        desk.epoch = status.epoch
        self._pulse.show_links()
        self._pulse.show_desk()

    def private_ready(self, epoch: int) -> None:
        self.desk.logged_in, self.desk.logged_in_at = True, self.desk.clock.mono()
        self.desk.fills.caught_up = False
        self.desk.epoch = epoch
        self._told.pop("order link", None)
        self._inbound.hold()
        for name in ("sync", "fills"):
            running = self._jobs.pop(name, None)
            if running is not None:
                running.cancel()
        assert self._resync is not None
        self.spawn("sync", self._resync.run())
        self._pulse.show_links()

    def private_push(self, epoch: int, channel: PrivateChannel, records: list[Any], received: float) -> None:
        try:
            self._inbound.push(epoch, channel, records, received)
        except Exception as error:
            self._failed(f"push {channel.value}", error)

    def tier_changed(self) -> None:
        assert self.failover is not None
        self.desk.say(Level.ALERT, f"no link for a while; trying tier {self.failover.current.name}")
        self._pulse.show_links()

    async def look_back(self) -> None:
        """Ask the preferred tier whether it answers again; go back while nothing waits for an answer."""
        failover, rest, private = self.failover, self.rest, self.private
        assert failover is not None and rest is not None
        first = failover.all[0]
        if not await rest.answers(first):
            failover.stay()
            return
        if private is not None and not failover.may_return(private.in_flight):
            return
        failover.go_back()
        self.desk.say(Level.INFO, f"tier {first.name} answers again; going back to it")
        if private is not None:
            private.drop(f"back to tier {first.name}")

    def late_reply(self, token: object, reply: StreamReply) -> None:
        try:
            if self._commands is not None:
                self._commands.late(token, reply)
        except Exception as error:
            # The reader that called must live: other orders' answers come through it.
            self._failed("late reply", error)

    def _tell_down(self, link: str, status: ConnectionStatus) -> None:
        """Say why a link is down, once for each reason; forgotten when it is up again."""
        if status.phase is Phase.READY:
            self._told.pop(link, None)
        elif status.phase is Phase.DOWN and status.last_error and status.last_error != self._told.get(link):
            self._told[link] = status.last_error
            self.desk.say(Level.ALERT, f"{link} is down: {status.last_error}")

    def _in_step(self) -> None:
        assert self._inquiry is not None
        self._inquiry.restart_unasked()
        count = len(self.desk.orders.working())
        self.desk.say(Level.INFO, f"in step with the venue: {how_many(count, 'working order')}")
        self._pulse.synced()

    # -- public stream ------------------------------------------------------------------------------------------

    def subscribed(self, sym: str, ok: bool, reason: str) -> None:
        before = self.desk.quotes.rows.get(sym)
        self.desk.quotes.subscribed(sym, ok)
        if not ok and (before is None or before.subscribed):
            self.desk.say(Level.WARN, f"{sym} is not subscribed: {reason}")

    def unreadable(self, channel: str, reason: str) -> None:
        if channel not in self._told:
            self._told[channel] = reason
            self.desk.say(Level.WARN, f"{channel} pushes cannot be read ({reason}) and are left out; quotes go on")

    def public_changed(self) -> None:
        if self.public is not None:
            self._tell_down("market link", self.public.status())
        self._pulse.show_links()

    # -- what others ask for ------------------------------------------------------------------------------------

    def _expedite(self, key: str) -> None:
        if self._inquiry is not None:
            self._inquiry.expedite(key)

    def _look_up(self, order_id: str) -> None:
        self.spawn(f"look up {order_id}", self._detail(order_id))

    async def _detail(self, order_id: str) -> None:
        """A fill of an order nobody told us about: ask for it."""
        assert self.rest is not None
        record = (await self.rest.call(ORDER_DETAIL, requests.order_ref(order_id, ""), reserved=True)).data
        self.desk.fold_order(record, Source.QUERY)

    def _changed(self) -> None:
        self._pulse.show_links()
        self._pulse.show_desk()

    def _position_changed(self) -> None:
        self._pulse.position_changed()

    def _killed(self) -> None:
        """The kill switch: nothing is sent any more, and what runs by itself stands still."""
        self.set_state(TradingState.VIEW, "kill switch")
        self.set_mode(RiskMode.HALT, "kill switch")

    def _disarm(self, why: str) -> None:
        self.set_state(TradingState.VIEW, why)

    def _rules_doubted(self, code: int) -> None:
        if code in STALE_RULES:
            self._pulse.symbols_doubted()
        elif code in PAUSED:
            self._pulse.status_doubted()

    # -- jobs of the pulse --------------------------------------------------------------------------------------

    async def read_symbols(self) -> None:
        """Symbol rules of all pairs."""
        assert self.rest is not None
        found = (await self.rest.call(SYMBOL_INFO)).data
        for sym in [sym for sym in self.desk.symbols if sym not in found]:
            self.handover.put(Table.SYMBOLS, sym, None)
        for sym, info in found.items():
            if self.desk.symbols.get(sym) != info:
                self.handover.put(Table.SYMBOLS, sym, info)
        self.desk.symbols = dict(found)
        self._pulse.symbols_read()

    async def read_status(self) -> None:
        """Windows of maintenance; what was told last stays while nobody answers."""
        assert self.rest is not None
        with suppress(CallFailed):
            self.maintenance.told((await self.rest.call(SYSTEM_STATUS, attempts=1)).data)

    async def audit_orders(self) -> None:
        assert self._reconciler is not None
        await self._reconciler.orders(audit=True)

    async def audit_positions(self) -> None:
        assert self._reconciler is not None and self._resync is not None
        await self._reconciler.positions(audit=True)
        await self._reconciler.assets(audit=True)
        await self._reconciler.accounts(audit=True)
        await self._resync.fills.catch_up()

    async def read_adl(self) -> None:
        assert self._reconciler is not None
        await self._reconciler.adl()

    @property
    def sync_trouble(self) -> str:
        """Why what is shown may be older than it should be, or empty."""
        if self._resync is None or self._reconciler is None:
            return ""
        said = [self._resync.trouble, *self._job_troubles.values(), self._resync.fill_trouble, self._reconciler.partial]
        return next((one for one in said if one), "")

    @property
    def orders_checked_ms(self) -> int:
        return 0 if self._reconciler is None else self._reconciler.orders_checked_ms

    @property
    def positions_checked_ms(self) -> int:
        return 0 if self._reconciler is None else self._reconciler.positions_checked_ms

    @property
    def adl_at(self) -> float:
        """Monotonic time of the last ADL query, s."""
        return float("-inf") if self._reconciler is None else self._reconciler.adl_at

    @property
    def busy(self) -> bool:
        """Whether anything waits for an answer or is UNKNOWN."""
        orders = self.desk.orders
        flying = self.private is not None and self.private.in_flight > 0
        return flying or any(row.state == LocalOrderState.UNKNOWN or row.overlay.value for row in orders.shown())


def _nothing() -> None: ...
