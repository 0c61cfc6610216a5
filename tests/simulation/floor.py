"""A desk that can be killed and started again, on a venue and a network that can fail, with everything written down."""

from __future__ import annotations

import asyncio
import contextvars
import errno
import random
import socket
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import msgspec
from aiohttp import web

from tests.simulation.answers import HA_HOST, Answers
from tests.simulation.desks.attached import LIMITS, AttachedDesks, VirtualHost
from tests.simulation.disk import Disk
from tests.simulation.guard import Guard
from tests.simulation.harness.network import Wire
from tests.simulation.harness.proxy import PRIVATE, PUBLIC, Proxy
from tests.simulation.harness.stack import HOST, PATH, Stack
from tests.simulation.harness.world import OWNED
from tests.simulation.history import History, text_of
from tests.simulation.rates import ACCOUNT_COMMANDS, Rates
from tui.client.failover import PRIMARY
from tui.client.settings import Service, Timings
from tui.engine.conflating_queue import TableSink
from tui.engine.intents import Intent, Outcome
from tui.engine.limits import Limits
from tui.engine.rows import OrderRow, PendingAction, Table
from tui.engine.settings import AuditIntervals, EngineSettings
from tui.host import OrderIds, SeededRandomSource
from tui.interface.families import orders
from tui.interface.families.positions import SetLeverage, SetMarginLeverage, SetPositionMode
from tui.interface.request import arguments_of
from tui.protocols import RandomSource
from tui.venue.core import commands
from tui.venue.core.commands import Command, Rejected, Reply
from tui.venue.core.events import Event, OrderChanged, OrderFilled
from tui.venue.shell import actions
from tui.venue.shell.control import set_switch
from tui.venue.shell.keys import ErrorReply
from tui.workstation.model.mirror import Mirror

SYM = "BINANCE_PERP_BTC_USDT"
OTHER = "BINANCE_PERP_ETH_USDT"
"""A second pair that is watched where quotes are disturbed."""
ABROAD = "OKX_PERP_BTC_USDT"
"""The pair of a second venue."""
KINDS: dict[type, str] = {
    orders.PlaceOrder: "place",
    orders.ReplaceOrder: "replace",
    orders.CancelOrder: "cancel",
    orders.CancelAllOrders: "cancel_all",
}
ACCEPTED_POINTS = {
    "place": ("F05", "F06", "F13", "F17", "F75"),
    "replace": ("F09", "F75"),
    "cancel": ("F10", "F75"),
    "cancel_all": ("F12", "F75"),
}
SETTINGS = (SetLeverage, SetMarginLeverage, SetPositionMode)


class Floor(Stack):
    """One seed's world."""

    def __init__(self, seed: int, rates: Rates) -> None:
        self.source = random.Random(f"{seed}/faults")
        self.elsewhere = random.Random(f"{seed}/abroad")
        """What the trader does beyond the first venue; drawn apart, so that other seeds stay as they were."""
        self.of_settings = random.Random(f"{seed}/settings")
        """What the trader does with leverages and position modes, and what becomes of the answers; drawn apart as well."""
        self.of_algos = random.Random(f"{seed}/algos")
        """The same of algo orders."""
        self.of_account = {kind: random.Random(f"{seed}/{kind}") for kind in ACCOUNT_COMMANDS}
        """The same of account commands, by their field of the rates."""
        self.life = 0
        self.alive = False
        """Whether the client's process runs."""
        self._stored = 0
        """Upper bound of the ids used so far, as the disk keeps it."""
        self._owned: dict[asyncio.Task[Any], None] = {}
        self.context = contextvars.copy_context()
        """Context of the client's process."""
        self.host: VirtualHost | None = None
        self.desks: AttachedDesks | None = None
        """Windows and programs that are attached; None: there are none."""
        self.armed: tuple[str, str, str] | None = None
        """Point, cut and command at which the connection is to go next."""
        self.tried: tuple[str, str] | None = None
        """Point and cut of an outage during which every attempt fills a cell."""
        self.matrix: Counter[str] = Counter()
        self.sometimes: Counter[str] = Counter()
        self.synced: list[tuple[float, bool]] = []
        """What the screen said of being in step, each time it was told; by the clock of the history, s."""
        self.race = False
        """The market moves at the next command."""
        self.rates = rates
        self.stood_still = 0.0
        """Seconds that passed while nothing could run; nobody can be late in them."""
        self.broken = 0
        """Errors that this life of the engine was made to raise."""
        self.answers = Answers(self)
        self.guard: Guard | None = None
        self._guards: list[Guard] = []
        quiet = [("latency", "test"), ("agents", "still"), ("rate_profile", "official")]
        super().__init__(seed, *{**dict(quiet), **dict(rates.switches)}.items())
        self._seed_randoms: RandomSource = SeededRandomSource(seed)
        self.history = History(lambda: self.world.now - self.stood_still)
        self.network.taps.clear()
        self.proxy = Proxy(self.network, self.engine_loop, self.history, random.Random(f"{seed}/proxy"))
        self.proxy.vary, self.proxy.spelling = rates.vary, random.Random(f"{seed}/spelling")
        self.proxy.reached = self.reached
        self.proxy.too_late = self._arrives_late
        self.proxy.strangers.add(Guard.PATH)
        self.server.runner.app.middlewares.append(self.answers.around)
        if rates.windows:
            self.desks = AttachedDesks(self, rates.windows, random.Random(f"{seed}/program"))
        self._carry_out = self.runtime.execute
        self.runtime.execute = self._execute  # type: ignore[method-assign]

    def happens(self, share: float) -> bool:
        return share > 0 and self.source.random() < share

    def service(self) -> Service:
        service = super().service()
        if self.rates.tier_gap:
            ha = {"ha_rest_url": f"http://{HA_HOST}", "ha_private_ws_url": f"ws://{HA_HOST}/v1/private"}
            service = msgspec.structs.replace(service, **ha)
        return service

    def watched(self) -> tuple[str, ...]:
        """The pairs of the desk."""
        other = (OTHER,) if self.rates.quote_gap else ()
        return (SYM, *other, *((ABROAD,) if self.rates.abroad else ()))

    def settings(self) -> EngineSettings:
        limits = Limits(
            soft_notional="900000", hard_notional="900000", first_of_day=False, duplicate=0.0, max_open_sym=80,
            runaway_count=40, trader=LIMITS if self.rates.windows else {},
        )  # fmt: skip
        # Funding and ADL ranks are shown and nothing is decided by them: read after each login, seldom between.
        audits = AuditIntervals(funding=60.0, adl=60.0, adl_gap=60.0)
        return EngineSettings(limits=limits, audits=audits, timings=Timings(market_ping_idle=2.0), pulse=0.5)

    def _ids(self) -> OrderIds:
        def reserve(bound: int) -> None:
            self._stored = bound

        return OrderIds(self.clock, "simula", self._stored, reserve)

    # -- the client's process --------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Start the client, on whatever its disk holds."""
        self.life += 1
        self.alive = True
        self.proxy.life = self.life
        kept = self.journal.after_crash()
        self.journal = Disk(self.clock, kept=kept.lines)
        self.journal.floor = self
        self.history.add("host", "start", life=self.life)
        self._owned = {}
        self.context = contextvars.copy_context()
        self.context.run(OWNED.set, self._owned)
        self._make_desk(self._seed_randoms.stream(f"life {self.life}"))
        if self.desks is not None:
            self.desks.observe(self.engine)
        self.broken = 0
        if self.rates.watchdog:
            self.guard = Guard(self)
            self._guards.append(self.guard)
            self.engine.monitors.watchdog.heartbeat = self.guard.beat
        self._own(self.engine.run() if self.host is None else self.host.live())

    def make_sink(self) -> TableSink:
        if self.desks is None:
            return super().make_sink()
        self.host = self.desks.host()
        self.updates = self.host.updates
        return self.host.hub

    def _own(self, work: Any) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = self.context.run(asyncio.ensure_future, work)
        return task

    async def crash(self) -> None:
        """The client's process is killed: what was not durable is gone, and nobody says goodbye."""
        self.proxy.fault("F85")
        self.alive = False
        self.history.add("host", "crash", life=self.life)
        self.frame.close()
        if self.desks is not None:
            self.desks.owner_dies()
        assert isinstance(self.journal, Disk)
        self.journal.lines = self.journal.lines[: self.journal.durable]
        self.journal.dead = True
        for wire in self.network.wires:
            if not wire.ended and wire.path == PATH:
                wire.die()
        if self.guard is not None:
            self.guard.pipe_ends()
        await self._end()

    async def _end(self) -> None:
        owned = list(self._owned)
        for task in owned:
            task.cancel()
        await asyncio.gather(*owned, return_exceptions=True)

    async def live(self, day: Callable[[], Any]) -> None:
        """Serve the venue, start the client, live the day, and stop everything."""
        await self.server.runner.setup()
        for path in (PATH, Guard.PATH):
            await web.UnixSite(self.server.runner, path).start()
        self.server.accept_hosts([HOST], [HA_HOST])
        self.runtime.start()
        self.begin()
        try:
            await day()
        finally:
            if self.desks is not None:
                await self.desks.end()
            self.frame.close()
            self.engine.stop()
            await self._end()
            for guard in self._guards:
                guard.work.cancel()
            self.server.drop_connections()
            self.runtime.stop()
            await self.server.runner.cleanup()

    async def submit(self, intent: Intent) -> Outcome:
        """One intent; an outcome that died with its process says nothing."""
        task = self._own(self.engine.submit(intent))
        await asyncio.wait([task])
        if task.cancelled():
            raise ConnectionAbortedError("the process died")
        outcome: Outcome = task.result()
        return outcome

    # -- connections -----------------------------------------------------------------------------------------------

    def private_wire(self) -> Wire | None:
        """The private connection of now."""
        for wire in reversed(self.network.wires):
            if PRIVATE in wire.target and not wire.hole and not wire.ended:
                return wire
        return None

    def public_wire(self) -> Wire | None:
        """The public connection of now."""
        for wire in reversed(self.network.wires):
            if PUBLIC in wire.target and not wire.hole and not wire.ended:
                return wire
        return None

    def cut(self, kind: str, wire: Wire | None = None) -> bool:
        """The order link goes; False when there is none."""
        wire = wire or self.private_wire()
        if wire is None or wire.hole:
            return False
        getattr(wire, kind)()
        return True

    def reached(self, point: str, command: str, wire: Wire | None) -> bool:
        """A named point: whether the connection goes here, as it was armed."""
        if self.armed is None or wire is None:
            return False
        name, kind, wanted = self.armed
        if name != point or (command and command != wanted):
            return False
        self.armed = None
        if not self.cut(kind, wire):
            return False
        self.proxy.fault(point)
        if point == "F75":
            self.set_switch("tier_down", self.tier)
        elif command:
            self.matrix[f"{point}/{kind}/{command}"] += 1
        else:
            self.tried = (point, kind)
        return True

    # -- the venue -------------------------------------------------------------------------------------------------

    @property
    def tier(self) -> str:
        """The address that the client uses."""
        return PRIMARY if (session := self.engine.session) is None else session.connections.failover.current.name

    def set_switch(self, name: str, value: str) -> None:
        """Change what the venue does, as over its control line."""
        set_switch(self.server, name, value)

    def _execute(self, command: Command, answer: Callable[[Reply], None]) -> None:
        kind = KINDS.get(type(command), "")
        self._setting_arrives(command)
        mine = kind and getattr(command, "portfolio", "") == self.portfolio
        if mine and self.race:
            self.race = False
            self.proxy.fault({"place": "F24", "replace": "F27", "cancel": "F29", "cancel_all": "F30"}[kind])
            self.move_market()
        said: list[Reply] = []

        def both(reply: Reply) -> None:
            said.append(reply)
            answer(reply)

        self._carry_out(command, both)
        if mine and said and not isinstance(said[0], Rejected):
            self._accepted(kind, command)
        elif mine and said:
            self._refused(kind, said[0])

    def _setting_arrives(self, command: Command) -> None:
        """Write down a change of a setting under the parameters that it was asked for with."""
        if isinstance(command, SETTINGS) and command.portfolio == self.portfolio:
            self.history.add("venue", "setting", text=text_of(arguments_of(command)))

    def _accepted(self, kind: str, command: Any) -> None:
        for point in ACCEPTED_POINTS[kind] if self.armed is not None else ():
            if point == "F13" and not command.reduce_only:
                continue
            if point == "F17" and not (command.tp_trigger_price or command.sl_trigger_price):
                continue
            if self.reached(point, kind, self.private_wire()) and point == "F06":
                self.move_market(through=command.limit_price)

    def _refused(self, kind: str, reply: Reply) -> None:
        if isinstance(reply, Rejected) and reply.code in (401117, 401058):
            self.sometimes["cancel_too_late" if kind == "cancel" else "replace_lost_to_fill"] += 1

    def _arrives_late(self, action: str, args: dict[str, str]) -> None:
        command = actions.build_command(actions.BY_ACTION[action], self.portfolio, args)
        if not isinstance(command, ErrorReply):
            self.runtime.execute(command, lambda _reply: None)

    def move_market(self, through: str = "", coin: str = "BTC") -> None:
        """The price goes somewhere else, or past a price."""
        touch = self.exchange.queries.quote(SYM if coin == "BTC" else OTHER)
        if touch is None:
            return
        middle = Decimal(touch.bid) or Decimal(touch.ask)
        step = Decimal(self.source.randrange(-12, 13)) / 10_000
        price = middle * (1 + step)
        if through:
            price = Decimal(through) * (Decimal("0.999") if Decimal(through) <= middle else Decimal("1.001"))
        self._carry_out(commands.MoveMarket(coin=coin, price=str(round(price, 1))), lambda _reply: None)

    def another_client(self) -> None:
        """The same portfolio trades from elsewhere: an order of its own, or one under an id of ours where that is taken."""
        touch = self.exchange.queries.quote(SYM)
        working = self.exchange.queries.open_orders(self.portfolio)
        ours = [one for one in working if one.client_order_id.startswith("cdsimula")]
        if touch is None:
            return
        if ours and self.source.random() < 0.3:
            self.proxy.fault("F26")
            gone = orders.CancelOrder(portfolio=self.portfolio, order_id=self.source.choice(ours).order_id)
            self._carry_out(gone, lambda _reply: None)
            return
        again = (
            self.exchange.queries.switches["duplicate_client_id"] == "accept"
            and bool(ours)
            and self.source.random() < 0.5
        )
        self.proxy.fault("F31" if again else "F26")
        if again:
            self.sometimes["duplicate_in_lax_mode"] += 1
            self.sometimes["two_order_ids_one_client_id"] += 1
        place = orders.PlaceOrder(
            portfolio=self.portfolio,
            sym=SYM,
            side="BUY",
            order_type="LIMIT",
            time_in_force="GTC",
            order_qty="0.002",
            limit_price=str(round(Decimal(touch.bid) * Decimal("0.99"), 1)),
            client_order_id=self.source.choice(ours).client_order_id if again else "",
        )
        self._carry_out(place, lambda _reply: None)

    def _happened(self, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, OrderChanged) and event.portfolio == self.portfolio:
                self._order_at_venue(event.record.order_id, event.record)
            elif isinstance(event, OrderFilled) and event.portfolio == self.portfolio:
                record = event.record
                self.history.add(
                    "venue", "fill", tx=record.transaction_id, oid=record.order_id, cid=record.client_order_id
                )
                self.reached("F08", "place", self.private_wire())

    def _order_at_venue(self, oid: str, record: Any) -> None:
        self.history.add(
            "venue",
            "order",
            oid=oid,
            cid=record.client_order_id,
            state=record.order_state,
            executed=record.executed_qty,
            update=int(record.update_at or 0),
        )

    def journal_fault(self, name: str, tx: str = "") -> None:
        self.proxy.fault(name)
        self.sometimes["disk_full_refusal"] += name == "F93"
        self.history.add("fault", "journal", life=self.life, text=name, tx=tx)

    def stand_still(self, for_s: float) -> None:
        """Time passes and nothing runs."""
        self.stood_still += for_s
        self.world.now_us += round(for_s * 1_000_000)

    def break_engine(self) -> None:
        """A part of the engine raises, once, when it is called next."""
        part, name = self.source.choice(self._parts())

        def raises(*_: object, **__: object) -> None:
            del vars(part)[name]
            self.broken += 1
            self.proxy.fault("F87")
            self.proxy.pushes_lost |= name == "push"
            raise RuntimeError("broken on purpose")

        vars(part)[name] = raises

    def mend_engine(self) -> None:
        """What has not been called yet does not raise any more."""
        for part, name in self._parts():
            vars(part).pop(name, None)

    def _parts(self) -> tuple[tuple[object, str], ...]:
        pushes = [] if self.engine.session is None else [(self.engine.session.synchronization.pushes, "push")]
        return ((self.engine, "tick"), *pushes)

    def no_names(self) -> None:
        """No name can be resolved for a while."""
        self.proxy.fault("F60")
        self.network.failure = socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    def descriptors_used_up(self) -> None:
        """Nothing can be opened for a while."""
        self.proxy.fault("F92")
        self.network.failure = OSError(errno.EMFILE, "Too many open files")

    # -- the screen ------------------------------------------------------------------------------------------------

    def _paint(self) -> None:
        batch = self.updates.take()
        for event in batch.events:
            if event.key and event.text.startswith("FILL "):
                self.history.add("display", "told", life=self.life, cid=event.key)
            elif event.text.startswith("dismissed order is back"):
                self.sometimes["unknown_dismissed_then_found"] += 1
            elif "filled before amend" in event.text:
                self.sometimes["replace_lost_to_fill"] += 1
        shown = self.mirror.orders
        before = {key: shown[key] for key in batch.changed.get(Table.ORDERS, ()) if key in shown}
        tier = _tier(self.mirror) if Table.LINKS in batch.changed else ""
        changed = self.mirror.apply(batch)
        if tier and tier != _tier(self.mirror):
            self.sometimes["failover_in_flight"] += any(_unanswered(row) for row in self.mirror.orders.values())
        if Table.ENGINE_STATUS in changed and (desk := self.mirror.engine_status) is not None:
            self.synced.append((self.world.now - self.stood_still, desk.synced))
        for key in changed.get(Table.ORDERS, ()):
            self._painted(key, before.get(key), self.mirror.orders.get(key))
        for tx in changed.get(Table.FILLS, ()):
            if (fact := self.mirror.fills.get(tx)) is not None:
                self.history.add("display", "fill", life=self.life, tx=tx, oid=fact.record.order_id)

    def _painted(self, key: str, before: OrderRow | None, row: OrderRow | None) -> None:
        if row is None:
            if before is not None:
                cid = cid_of(before)
                # A row of somebody else goes on under the id of the order that replaced the one it is called by.
                self.history.add("display", "gone", life=self.life, cid=cid, oid="" if cid else before.order_id)
            return
        if before is not None and before.state == "UNKNOWN" and row.state not in ("UNKNOWN", "NOT SENT"):
            self.sometimes["late_arrival_after_unknown"] += 1
        if before is not None and before.state in ("SENDING", "SENT") and row.executed != "0":
            self.sometimes["fill_before_ack"] += row.reply_ms is None
        self.history.add(
            "display",
            "shown",
            life=self.life,
            cid=cid_of(row),
            oid=row.order_id,
            state=row.state,
            qty=row.qty,
            executed=row.executed,
            update=row.stamp.update_at,
            source=row.stamp.source.value,
            conflict=row.conflict,
            overlay=row.overlay.value,
        )

    async def out_of_step(self) -> None:
        """Wait until the desk knows that it is not in step."""
        await self.until(lambda: self.mirror.engine_status is not None and not self.mirror.engine_status.synced)

    def said(self, words: str) -> int:
        """How many lines of the event list hold the words."""
        return sum(words in line.text for _, line in self.mirror.event_log.events)


def cid_of(row: OrderRow) -> str:
    """The client order id of a row that goes by it; a second order under one id goes by its own."""
    return row.client_order_id if row.key == row.client_order_id else ""


def _tier(mirror: Mirror) -> str:
    rest = mirror.links.get("rest")
    return "" if rest is None else rest.tier


def _unanswered(row: OrderRow) -> bool:
    return row.state in ("SENT", "UNKNOWN") or row.overlay in (PendingAction.AMEND_LOST, PendingAction.CANCEL_LOST)
