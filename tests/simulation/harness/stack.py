"""The whole stack in one world: the venue's server and the engine on one loop, the screen's mirror on another."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import msgspec
from aiohttp import web, web_app

from tests.simulation.harness.network import Network, Wire
from tests.simulation.harness.simulated_host import LONG_IDLE_S, FreeLock, MemoryConnector, VirtualClock
from tests.simulation.harness.world import World
from tui.client.settings import Service
from tui.client.signer import Secret, Signer
from tui.engine.conflating_queue import ConflatingQueue, TableSink
from tui.engine.engine import Engine
from tui.engine.intents import Cancel, Decision, Intent, Outcome, Place, Replace
from tui.engine.journal.memory_journal import MemoryJournal
from tui.engine.limits import Limits
from tui.engine.modes import Environment, TradingState
from tui.engine.rows import OrderRow, QuoteRow
from tui.engine.settings import EngineSettings
from tui.engine.state.engine_state import HostServices, Identity
from tui.host import OrderIds, SeededRandomSource
from tui.interface import decimals
from tui.interface.families.orders import OrderType, Side, TimeInForce
from tui.protocols import RandomSource
from tui.venue.core.events import Event
from tui.venue.core.exchange import Exchange
from tui.venue.core.switches import Switches
from tui.venue.shell.key_secrets import KeySecrets
from tui.venue.shell.keys import Key
from tui.venue.shell.runtime import Runtime
from tui.venue.shell.server import Server, make_keys
from tui.venue.shell.storage.archive import Archive
from tui.venue.shell.storage.store import MemoryStore
from tui.venue.shell.switches import split_settings
from tui.workstation.model.mirror import Mirror
from tui.workstation.render.repaint import RepaintScheduler

PATH = "venue"
HOST = "venue.test"

T = TypeVar("T")


class Trace:
    """A running hash over (virtual time to the microsecond, actor, event)."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._hash = hashlib.sha256()
        self.lines: list[str] = []

    def add(self, actor: str, event: str) -> None:
        line = f"{self._world.now_us} {actor} {event}"
        self.lines.append(line)
        self._hash.update(line.encode() + b"\n")

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()


class Stack:
    """One venue, one engine, one screen."""

    has_past = False
    """Whether the account traded before the start, as that of a new paper venue did."""
    pool_idle_s = LONG_IDLE_S
    """Seconds for which an unused connection is kept for the next request."""

    def __init__(self, seed: int, *switches: tuple[str, str]) -> None:
        decimals.setup()
        # It remembers handlers by their application, and would keep every world of a campaign alive.
        web_app._cached_build_middleware.cache_clear()
        self.world = World()
        self.engine_loop, self.screen_loop = self.world.loop("engine"), self.world.loop("screen")
        self.network = Network()
        self.engine_loop.network = self.network
        self.trace = Trace(self.world)
        self.clock = VirtualClock(self.world)
        """The trader's clock; it can be set wrong (`skew`)."""
        self.venue_clock = VirtualClock(self.world)
        random_source = SeededRandomSource(seed)
        shell, core = split_settings(list(switches))
        self._make_venue(random_source, shell, core)
        self.journal = MemoryJournal(self.clock)
        self._make_desk(random_source)
        self.network.taps.append(self._tap)

    def _make_desk(self, random_source: RandomSource) -> None:
        """What is one process: an engine and its screen."""
        self._make_engine(random_source)
        self.mirror = Mirror(self.clock)
        self.frame = RepaintScheduler(self.screen_loop, self._paint)
        self.updates.attach(self.frame.wake_from_thread)

    def _make_venue(self, random_source: SeededRandomSource, shell: Switches, core: Switches) -> None:
        start_ms = int(self.venue_clock.wall() * 1000)
        past = Archive(None) if self.has_past else None
        self.exchange = Exchange(
            random_source=random_source.stream("venue"), start_ms=start_ms, switches=core, past=past
        )
        if past is not None:
            self.exchange.add_past_movements()
            past.owe(self.exchange.build_past())
        self.runtime = Runtime(
            self.exchange,
            store=MemoryStore(),
            archive=past,
            clock=self.venue_clock,
            random_source=random_source.stream("shell"),
            switches=shell,
        )
        secrets = random_source.stream("keys")
        self.keys: list[Key] = make_keys(self.exchange, lambda: f"{secrets.randrange(2**128):032x}")
        self.server = Server(self.runtime, self.keys, KeySecrets("master"))
        self.runtime.listen(self._happened)

    def _make_engine(self, random_source: RandomSource) -> None:
        key = self.keys[0]
        self.portfolio = key.portfolio
        sink = self.make_sink()
        services = HostServices(
            clock=self.clock,
            random_source=random_source.stream("engine"),
            ids=self._ids(),
            connector=MemoryConnector(PATH, idle_s=self.pool_idle_s),
            journal=self.journal,
            lock=FreeLock(),
        )
        identity = Identity(
            environment=Environment.PAPER, service=self.service(), portfolio=self.portfolio, portfolio_name="main"
        )
        signer = Signer(key.api_key, Secret(key.api_secret), self.clock)
        self.engine = Engine(services, identity, signer=signer, updates=sink, settings=self.settings())

    def make_sink(self) -> TableSink:
        """Make what takes the engine's rows, and the queue `updates` of the screen."""
        self.updates = ConflatingQueue()
        return self.updates

    def _ids(self) -> OrderIds:
        return OrderIds(self.clock, "simula", 0, lambda _bound: None)

    def service(self) -> Service:
        """Where the venue is."""
        return Service(
            rest_url=f"http://{HOST}",
            private_ws_url=f"ws://{HOST}/v1/private",
            public_ws_url=f"ws://{HOST}/marketdata/v2/public",
        )

    def settings(self) -> EngineSettings:
        """Settings of the engine."""
        return EngineSettings(limits=Limits(soft_notional="500000", hard_notional="500000", first_of_day=False))

    def run(self, scenario: Callable[[], Awaitable[T]], *, within: float = 600.0) -> T:
        """Serve the venue, run the engine, and play the scenario on the engine's loop."""

        async def whole() -> T:
            await self.server.runner.setup()
            await web.UnixSite(self.server.runner, PATH).start()
            self.server.accept_hosts([HOST])
            self.runtime.start()
            running = asyncio.ensure_future(self.engine.run())
            try:
                return await scenario()
            finally:
                self.engine.stop()
                await running
                self.server.drop_connections()
                self.runtime.stop()
                await self.server.runner.cleanup()

        return self.world.run(self.engine_loop, whole(), within=within)

    # -- what the trader does --------------------------------------------------------------------------------------

    def decision(self) -> Decision:
        return Decision(
            environment=Environment.PAPER, portfolio=self.portfolio, state=TradingState.ARMED, source="scenario"
        )

    async def submit(self, intent: Intent) -> Outcome:
        self.trace.add("trader", repr(intent))
        outcome = await self.engine.submit(intent)
        self.trace.add("outcome", repr(outcome))
        return outcome

    async def place(self, sym: str, side: Side, qty: str, price: str, **more: Any) -> Outcome:
        more.setdefault("time_in_force", TimeInForce.GTC)
        more.setdefault("confirmed", frozenset(["UNKNOWN_BESIDE"]))
        return await self.submit(
            Place(
                decision=self.decision(), sym=sym, side=side, order_type=OrderType.LIMIT, qty=qty, price=price, **more
            )
        )

    async def replace(self, key: str, price: str, qty: str) -> Outcome:
        return await self.submit(Replace(decision=self.decision(), key=key, price=price, qty=qty))

    async def cancel(self, key: str) -> Outcome:
        return await self.submit(Cancel(decision=self.decision(), key=key))

    # -- what the trader sees --------------------------------------------------------------------------------------

    async def quote(self, sym: str) -> QuoteRow:
        """Wait until the screen shows a quote of a symbol."""

        def found() -> QuoteRow | None:
            row = self.mirror.quotes.get(sym)
            return row if row is not None and row.ask else None

        return await self.until(found)

    async def until(self, what: Callable[[], T | None], within: float = 30.0) -> T:
        """Wait until something is true of what the screen shows."""
        async with asyncio.timeout(within):
            while not (hit := what()):
                await asyncio.sleep(0.001)
            return hit

    def order(self, key: str) -> OrderRow | None:
        return self.mirror.orders.get(key)

    async def shows(self, key: str, state: str) -> OrderRow:
        """Wait until the screen shows an order in a state."""

        def found() -> OrderRow | None:
            row = self.order(key)
            return row if row is not None and row.state == state else None

        return await self.until(found)

    def _happened(self, events: Sequence[Event]) -> None:
        for event in events:
            self.trace.add("venue", repr(event))

    def _paint(self) -> None:
        changed = self.mirror.apply(self.updates.take())
        for table, keys in changed.items():
            for key in keys:
                shown = self.mirror.row(table, key)
                text = msgspec.json.encode(shown).decode() if shown is not None else "gone"
                self.trace.add(f"screen {table.value}", f"{key} {text}")

    def _tap(self, wire: Wire, direction: str, data: bytes) -> None:
        if direction == "in":
            self.trace.add(f"wire {wire.number}", hashlib.sha256(_repeatable(data)).hexdigest())


def _repeatable(data: bytes) -> bytes:
    """Without what no run repeats: the machine's date, and the handshake key of a WebSocket."""
    head, split, body = data.partition(b"\r\n\r\n")
    lines = [line for line in head.split(b"\r\n") if not line.startswith((b"Date:", b"Sec-WebSocket-Accept:"))]
    return b"\r\n".join(lines) + split + body
