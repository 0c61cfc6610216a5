"""A desk that can be killed and started again, on a venue and a network that can fail, with everything written down."""

from __future__ import annotations

import asyncio
import contextvars
import errno
import json
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any

from aiohttp import web

from tests.simulation.harness.network import Wire
from tests.simulation.harness.proxy import PRIVATE, Proxy
from tests.simulation.harness.stack import HOST, PATH, Stack
from tests.simulation.harness.world import OWNED
from tests.simulation.history import History
from tests.simulation.rates import Rates
from tui.client.settings import Timings
from tui.engine.intents import Intent, Outcome, TradingState
from tui.engine.limits import Limits
from tui.engine.memory_journal import MemoryJournal
from tui.engine.rows import OrderRow, Table
from tui.engine.settings import EngineSettings
from tui.host import OrderIds, SeededRandoms
from tui.interface.families.history import TradeRecord
from tui.interface.families.orders import Side
from tui.seams import JournalUnwritable, Randoms
from tui.venue.core import commands
from tui.venue.core.commands import Command, Refused, Reply
from tui.venue.core.events import Event, OrderChanged, Traded
from tui.venue.shell import actions
from tui.venue.shell.keys import Denial

SYM = "BINANCE_PERP_BTC_USDT"
REPLICA_LAG = 5.0
"""How old an answer of a lagging replica can be, s."""
KINDS: dict[type, str] = {
    commands.Place: "place",
    commands.Replace: "replace",
    commands.Cancel: "cancel",
    commands.CancelAll: "cancel_all",
}
ACCEPTED_POINTS = {
    "place": ("F05", "F06", "F13", "F17"),
    "replace": ("F09",),
    "cancel": ("F10",),
    "cancel_all": ("F12",),
}


class Disk(MemoryJournal):
    """A journal whose disk can be slow or full, and whose lines are written down once they are durable."""

    floor: Floor
    dead = False

    async def record(self, kind: str, payload: str, **ids: Any) -> int:
        floor = self.floor
        rates = floor.proxy.rates
        meant = json.loads(payload)
        command = {"CancelAll": "cancel_all"}.get(meant["kind"], meant["kind"].lower())
        if floor.chance(rates.full_disk):
            floor.journal_fault("F93")
            raise JournalUnwritable("No space left on device")
        if floor.chance(rates.slow_disk):
            floor.proxy.fault("F95")
            await asyncio.sleep(floor.source.choice((0.05, 0.5, 1.0, 1.5)))
        number = await super().record(kind, payload, **ids)
        if self.dead:
            return number
        intent = meant["intent"].get("preview", "")
        text = json.dumps(meant["args"], sort_keys=True)
        floor.history.add(
            "journal", kind, life=floor.life, cid=ids.get("client_order_id", ""), intent=intent, text=text
        )
        if floor.reached("F02", command, floor.private_wire()):
            await asyncio.sleep(0.005)
        return number

    def note(self, kind: str, payload: str, **ids: Any) -> None:
        if self.dead:
            return
        if self.floor.chance(self.floor.proxy.rates.full_disk / 10):
            self.floor.journal_fault("F94")
            return
        super().note(kind, payload, **ids)
        cid = ids.get("client_order_id", "") or ids.get("intent_id", "")
        if cid:
            self.floor.history.add("journal", kind, life=self.floor.life, cid=cid)


class Floor(Stack):
    """One seed's world."""

    def __init__(self, seed: int, rates: Rates) -> None:
        self.source = random.Random(f"{seed}/faults")
        self.life = 0
        self.alive = False
        """Whether the client's process runs."""
        self._stored = 0
        """Upper bound of the ids used so far, as the disk keeps it."""
        self._owned: dict[asyncio.Task[Any], None] = {}
        self._context = contextvars.copy_context()
        self.armed: tuple[str, str, str] | None = None
        """Point, cut and command at which the connection is to go next."""
        self.tried: tuple[str, str] | None = None
        """Point and cut of an outage during which every attempt fills a cell."""
        self.matrix: Counter[str] = Counter()
        self.sometimes: Counter[str] = Counter()
        self.race = False
        """The market moves at the next command."""
        self.rest_down = False
        self._answers: dict[str, tuple[float, web.Response]] = {}
        quiet = [("latency", "test"), ("agents", "still"), ("rate_profile", "official")]
        super().__init__(seed, *{**dict(quiet), **dict(rates.switches)}.items())
        self._seed_randoms: Randoms = SeededRandoms(seed)
        self.history = History(lambda: self.world.now)
        self.network.taps.clear()
        self.proxy = Proxy(self.network, self.engine_loop, self.history, random.Random(f"{seed}/proxy"))
        self.proxy.reached = self.reached
        self.proxy.too_late = self._arrives_late
        self.server.runner.app.middlewares.append(self._rest_faults)
        self._carry_out = self.runtime.execute
        self.runtime.execute = self._execute  # type: ignore[method-assign]

    def chance(self, share: float) -> bool:
        return share > 0 and self.source.random() < share

    def settings(self) -> EngineSettings:
        limits = Limits(
            soft_notional="900000",
            hard_notional="900000",
            first_of_day=False,
            duplicate=0.0,
            max_open_sym=80,
            runaway_count=40,
        )
        return EngineSettings(limits=limits, lag_probe=10.0, pulse=0.5, timings=Timings(market_ping_idle=2.0))

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
        self._context = contextvars.copy_context()
        self._context.run(OWNED.set, self._owned)
        self._make_desk(self._seed_randoms.stream(f"life {self.life}"))
        self._own(self.engine.run())

    def _own(self, work: Any) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = self._context.run(asyncio.ensure_future, work)
        return task

    async def crash(self) -> None:
        """The client's process is killed: what was not durable is gone, and nobody says goodbye."""
        self.proxy.fault("F85")
        self.alive = False
        self.history.add("host", "crash", life=self.life)
        self.frame.close()
        assert isinstance(self.journal, Disk)
        self.journal.lines = self.journal.lines[: self.journal.durable]
        self.journal.dead = True
        for wire in self.network.wires:
            if not wire.ended:
                wire.die()
        await self._end()

    async def _end(self) -> None:
        owned = list(self._owned)
        for task in owned:
            task.cancel()
        await asyncio.gather(*owned, return_exceptions=True)

    async def live(self, day: Callable[[], Any]) -> None:
        """Serve the venue, start the client, live the day, and stop everything."""
        await self.server.runner.setup()
        await web.UnixSite(self.server.runner, PATH).start()
        self.server.open_to([HOST])
        self.runtime.start()
        self.begin()
        try:
            await day()
        finally:
            self.frame.close()
            self.engine.stop()
            await self._end()
            self.server.cut()
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
        if command:
            self.matrix[f"{point}/{kind}/{command}"] += 1
        else:
            self.tried = (point, kind)
        return True

    # -- the venue -------------------------------------------------------------------------------------------------

    def _execute(self, command: Command, answer: Callable[[Reply], None]) -> None:
        kind = KINDS.get(type(command), "")
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
        if mine and said and not isinstance(said[0], Refused):
            self._accepted(kind, command)
        elif mine and said:
            self._refused(kind, said[0])

    def _accepted(self, kind: str, command: Any) -> None:
        for point in ACCEPTED_POINTS[kind]:
            if point == "F13" and not command.reduce_only:
                continue
            if point == "F17" and not (command.tp_trigger_price or command.sl_trigger_price):
                continue
            if self.reached(point, kind, self.private_wire()) and point == "F06":
                self.move_market(through=command.limit_price)

    def _refused(self, kind: str, reply: Reply) -> None:
        if isinstance(reply, Refused) and reply.code in (401117, 401058):
            self.sometimes["cancel_too_late" if kind == "cancel" else "replace_lost_to_fill"] += 1

    def _arrives_late(self, action: str, args: dict[str, str]) -> None:
        command = actions.command(action, self.portfolio, args)
        if not isinstance(command, Denial):
            self.runtime.execute(command, lambda _reply: None)

    def move_market(self, through: str = "") -> None:
        """The price goes somewhere else, or past a price."""
        touch = self.exchange.quote(SYM)
        if touch is None:
            return
        middle = Decimal(touch.bid) or Decimal(touch.ask)
        step = Decimal(self.source.randrange(-12, 13)) / 10_000
        price = middle * (1 + step)
        if through:
            price = Decimal(through) * (Decimal("0.999") if Decimal(through) <= middle else Decimal("1.001"))
        self._carry_out(commands.Steer(coin="BTC", price=str(round(price, 1))), lambda _reply: None)

    def another_client(self) -> None:
        """The same portfolio trades from elsewhere: an order of its own, or one under an id of ours where that is taken."""
        touch = self.exchange.quote(SYM)
        ours = [one for one in self.exchange.open_orders(self.portfolio) if one.client_order_id.startswith("cdsimula")]
        if touch is None:
            return
        if ours and self.source.random() < 0.3:
            self.proxy.fault("F26")
            gone = commands.Cancel(portfolio=self.portfolio, order_id=self.source.choice(ours).order_id)
            self._carry_out(gone, lambda _reply: None)
            return
        again = self.exchange.switches["duplicate_client_id"] == "accept" and bool(ours) and self.source.random() < 0.5
        self.proxy.fault("F31" if again else "F26")
        if again:
            self.sometimes["duplicate_in_lax_mode"] += 1
            self.sometimes["two_order_ids_one_client_id"] += 1
        place = commands.Place(
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
            elif isinstance(event, Traded) and event.portfolio == self.portfolio:
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

    @web.middleware
    async def _rest_faults(self, request: web.Request, handler: Any) -> web.StreamResponse:
        rates = self.proxy.rates
        if self.rest_down and "/trading/" in request.path and request.transport is not None:
            request.transport.abort()
            return web.Response(status=503)
        if "/trading/" not in request.path or request.method != "GET":
            response: web.StreamResponse = await handler(request)
            return response
        if self.chance(rates.rest_error):
            return self._rest_error()
        response = await handler(request)
        if not isinstance(response, web.Response):
            return response
        url = f"{request.path} {request.query_string}"
        at, old = self._answers.get(url, (0.0, response))
        if self.world.now - at <= REPLICA_LAG and self.chance(rates.stale_read):
            self.proxy.fault("F76")
            return web.Response(body=old.body, status=old.status, content_type="application/json")
        if rates.stale_read:
            self._answers[url] = (self.world.now, response)
        if self.chance(rates.page_race) and request.path.endswith("/orders"):
            response = self._moved(response)
        if self.chance(rates.rest_slow):
            self.proxy.fault("F35")
            await asyncio.sleep(self.source.choice((0.2, 1.0, 3.0)))
        return response

    def _rest_error(self) -> web.Response:
        name, status, body = self.source.choice(
            [
                ("F37", 200, {"code": 50001, "message": "internal", "data": {}}),
                ("F61", 429, {"code": 100429, "message": "Too many requests", "data": {}}),
                ("F61", 429, None),
                ("F63", 418, None),
                ("F65", 502, None),
                ("F58", 302, None),
                ("F64", 200, {"code": 400013, "message": "timeout", "data": {}}),
                ("F39", 500, {"code": 200000, "message": "Success", "data": {"list": [], "totalSize": "0"}}),
                ("F37", 200, {"code": 200000, "message": "Success", "data": None}),
            ]
        )
        self.proxy.fault(name)
        text = "<html>please log in</html>" if body is None else json.dumps(body)
        return web.Response(text=text, status=status, content_type="text/html" if body is None else "application/json")

    def _moved(self, response: web.Response) -> web.Response:
        """A page that changed while it was read: a row is missing, or there twice."""
        answer = json.loads(response.body or b"{}")  # type: ignore[arg-type]
        rows = answer.get("data", {}).get("list") if isinstance(answer.get("data"), dict) else None
        if not rows:
            return response
        self.sometimes["paging_race"] += 1
        if self.source.random() < 0.5:
            self.proxy.fault("F34")
            rows.pop(self.source.randrange(len(rows)))
        else:
            self.proxy.fault("F36")
            rows.append(rows[0])
        return web.Response(text=json.dumps(answer), content_type="application/json")

    def journal_fault(self, name: str) -> None:
        self.proxy.fault(name)
        self.sometimes["disk_full_refusal"] += name == "F93"
        self.history.add("fault", "journal", life=self.life, text=name)

    def descriptors_used_up(self) -> None:
        """Nothing can be opened for a while."""
        self.proxy.fault("F92")
        self.network.failure = OSError(errno.EMFILE, "Too many open files")

    # -- the screen ------------------------------------------------------------------------------------------------

    def _paint(self) -> None:
        batch = self.handover.take()
        for event in batch.events:
            if event.key and event.text.startswith("FILL "):
                self.history.add("display", "told", life=self.life, cid=event.key)
            elif event.text.startswith("dismissed order is back"):
                self.sometimes["unknown_dismissed_then_found"] += 1
            elif "filled before amend" in event.text:
                self.sometimes["replace_lost_to_fill"] += 1
        before = dict(self.mirror.orders) if Table.ORDERS in batch.changed else {}
        changed = self.mirror.apply(batch)
        for key in changed.get(Table.ORDERS, ()):
            self._painted(key, before.get(key), self.mirror.orders.get(key))
        for tx in changed.get(Table.FILLS, ()):
            if (fact := self.mirror.fills.get(tx)) is not None:
                self.history.add("display", "fill", life=self.life, tx=tx, oid=fact.record.order_id)

    def _painted(self, key: str, before: OrderRow | None, row: OrderRow | None) -> None:
        if row is None:
            if before is not None:
                cid = _cid(before)
                self.history.add("display", "gone", life=self.life, cid=cid, oid="" if cid else key)
            return
        if before is not None and before.state == "UNKNOWN" and row.state not in ("UNKNOWN", "NOT SENT"):
            self.sometimes["late_arrival_after_unknown"] += 1
        if before is not None and before.state in ("SENDING", "SENT") and row.executed != "0":
            self.sometimes["fill_before_ack"] += row.reply_ms is None
        self.history.add(
            "display",
            "shown",
            life=self.life,
            cid=_cid(row),
            oid=row.order_id,
            state=row.state,
            qty=row.qty,
            executed=row.executed,
            update=row.stamp.update_at,
            source=row.stamp.source.value,
            conflict=row.conflict,
            overlay=row.overlay.value,
        )

    # -- the end ---------------------------------------------------------------------------------------------------

    def differences(self) -> list[str]:
        """What the screen says otherwise than the venue, orders that never arrived aside."""
        found: list[str] = []
        for row in self.mirror.orders.values():
            record = self.exchange.order(self.portfolio, order_id=row.order_id, client_order_id=row.client_order_id)
            if isinstance(record, Refused):
                found += [] if row.state in ("UNKNOWN", "NOT SENT", "REJECT") else [f"{row.key} {row.state}"]
            elif (record.order_state, Decimal(record.executed_qty)) != (row.state, Decimal(row.executed)):
                found.append(f"{row.key}: {row.state} {row.executed} / {record.order_state} {record.executed_qty}")
        shown = {row.order_id for row in self.mirror.orders.values()}
        found += [one.order_id for one in self.exchange.open_orders(self.portfolio) if one.order_id not in shown]
        if _texts(self.client_positions()) != _texts(self.venue_positions()):
            found.append("positions")
        if _texts(self.client_assets()) != _texts(self.venue_assets()):
            found.append("assets")
        if self.client_fills() != self.venue_fills():
            found.append("fills")
        return found

    def client_fills(self) -> dict[str, Decimal]:
        """Order id -> sum of its fills on the screen."""
        return _sums(fact.record for fact in self.mirror.fills.values())

    def venue_fills(self) -> dict[str, Decimal]:
        return _sums(self.exchange.executions(self.portfolio))

    def client_positions(self) -> dict[str, Any]:
        return {key: fact.record for key, fact in self.mirror.positions.items()}

    def venue_positions(self) -> dict[str, Any]:
        rows = self.exchange.positions(self.portfolio)
        return {f"{one.sym}/{one.position_side}": one for one in rows if Decimal(one.position_qty)}

    def client_assets(self) -> dict[str, Any]:
        return {key: fact.record for key, fact in self.mirror.assets.items()}

    def venue_assets(self) -> dict[str, Any]:
        return {f"{one.exchange_type}/{one.coin}": one for one in self.exchange.assets(self.portfolio)}

    def write_end(self) -> None:
        """The two full states side by side, for the checker."""
        theirs = {one.order_id: one for one in reversed(self.exchange.orders(self.portfolio))}
        owner: dict[str, str] = {}
        for oid, one in theirs.items():
            owner.setdefault(one.client_order_id, oid)
        owner.update({_cid(row): row.order_id for row in self.mirror.orders.values() if row.order_id})
        for row in self.mirror.orders.values():
            known = row.order_id in theirs or row.client_order_id in owner
            if row.state == "NOT SENT" or (not known and row.state in ("REJECT", "REJECTED")):
                continue
            self._end_line("client", "end order", _cid(row), row.order_id, row.state, row.executed)
        for oid, one in theirs.items():
            cid = one.client_order_id if owner.get(one.client_order_id) == oid else ""
            self._end_line("venue", "end order", cid, oid, one.order_state, one.executed_qty)
        for who, positions, assets in (
            ("client", self.client_positions(), self.client_assets()),
            ("venue", self.venue_positions(), self.venue_assets()),
        ):
            for key, value in _texts(positions).items():
                self._end_line(who, "end position", "", key, value, "")
            for key, value in _texts(assets).items():
                self._end_line(who, "end asset", "", key, value, "")
        for who, sums in (("client", self.client_fills()), ("venue", self.venue_fills())):
            for oid, total in sums.items():
                self._end_line(who, "end fill", "", oid, "", str(total))

    def _end_line(self, who: str, kind: str, cid: str, oid: str, state: str, executed: str) -> None:
        life = -1 if who == "venue" else self.life
        self.history.add(who, kind, life=life, cid=cid, oid=oid, state=state, executed=executed)


def _cid(row: OrderRow) -> str:
    """The client order id of a row that goes by it; a second order under one id goes by its own."""
    return row.client_order_id if row.key == row.client_order_id else ""


def play(day: Callable[[Floor], Awaitable[None]]) -> None:
    """Live a scripted day on a floor without weather, in step and armed at its beginning."""
    floor = Floor(1, Rates())

    async def whole() -> None:
        floor.engine.watch((SYM,))
        await in_step(floor)
        await floor.quote(SYM)
        floor.engine.set_state(TradingState.ARMED)
        await day(floor)

    floor.world.run(floor.engine_loop, floor.live(whole))


async def in_step(floor: Floor) -> None:
    """Wait until the desk says that it is in step."""
    await floor.until(lambda: floor.mirror.desk is not None and floor.mirror.desk.synced)


async def resting(floor: Floor, below: str = "100") -> OrderRow:
    """An order that rests."""
    price = str(Decimal(floor.mirror.quotes[SYM].bid) - Decimal(below))
    placed = await floor.place(SYM, Side.BUY, "0.010", price)
    return await floor.shows(placed.key, "OPEN")


def _sums(records: Iterable[TradeRecord]) -> dict[str, Decimal]:
    found: dict[str, Decimal] = {}
    for record in records:
        found[record.order_id] = found.get(record.order_id, Decimal(0)) + Decimal(record.quantity)
    return found


_POSITION = ("position_qty", "avg_price")
_ASSET = ("balance", "frozen")


def _texts(rows: dict[str, Any]) -> dict[str, str]:
    """What must be equal to the last digit."""
    found = {}
    for key, row in rows.items():
        names = _POSITION if hasattr(row, "position_qty") else _ASSET
        found[key] = " ".join(str(Decimal(getattr(row, name) or "0").normalize()) for name in names)
    return found
