"""A desk that holds an account, desks that are attached to it, and programs that speak the lines themselves."""

from __future__ import annotations

import asyncio
import itertools
import json
import sqlite3
import uuid
from collections.abc import Callable
from contextlib import closing
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from tests.client.fakes import until
from tests.engine.conftest import Screen
from tests.engine.on_sockets import Traded, real_engine
from tests.venue.shell.conftest import Venue
from tui.desk_protocol import unix_socket
from tui.desk_protocol.carrier import Carrier
from tui.desk_protocol.desk_socket import serve_socket
from tui.desk_protocol.remote_engine import RemoteEngine
from tui.engine.engine import Engine
from tui.engine.event_line import Level
from tui.engine.intents import Decision, Intent, Outcome, Place, Replace, ShownTerms
from tui.engine.life.engine_core import EngineCore
from tui.engine.life.table_hub import TableHub
from tui.engine.life.thread import EngineThread
from tui.engine.limits import Limits
from tui.engine.modes import Environment, TradingState
from tui.engine.rows import OrderRow, Table
from tui.engine.settings import EngineSettings
from tui.engine.status_rows import ENGINE, EngineStatusRow
from tui.host import HostClock
from tui.interface.families.orders import OrderType, Side, TimeInForce

BTC = "BINANCE_PERP_BTC_USDT"
STARTING = EngineStatusRow(
    environment=Environment.PAPER, portfolio="", portfolio_name="", trading_state=TradingState.VIEW, synced=False
)
LIMITS = EngineSettings(pulse=0.05, limits=Limits(first_of_day=False))
_PRICES = itertools.count(60_000)


def new_price() -> str:
    """A price at which no order of this process was placed before."""
    return str(next(_PRICES))


def new_id() -> str:
    return uuid.uuid4().hex


class DeskOf:
    """An engine's thread and what its screen is told."""

    def __init__(self, thread: EngineThread) -> None:
        self.thread = thread
        self.screen = Screen(thread.updates)
        thread.watch((BTC,))
        thread.start()

    def status(self) -> EngineStatusRow:
        row = self.screen.look().tables[Table.ENGINE_STATUS][ENGINE]
        assert isinstance(row, EngineStatusRow)
        return row

    def orders(self) -> dict[str, OrderRow]:
        rows = self.screen.look().tables.get(Table.ORDERS, {})
        return {key: row for key, row in rows.items() if isinstance(row, OrderRow)}

    def texts(self) -> list[str]:
        return [line.text for line in self.screen.look().events]

    def is_back(self) -> bool:
        """Whether it is in step and may send."""
        status = self.status()
        return status.synced and not status.read_only

    def make_up(self, first: int, last: int) -> list[str]:
        """Let the engine tell event lines with these numbers; return their texts."""
        texts = [f"made up {number}" for number in range(first, last)]

        def notify(core: EngineCore) -> None:
            assert isinstance(core, Engine)
            for text in texts:
                core.state.notify(Level.INFO, text)

        self.thread._call(notify)
        return texts

    def made_up(self) -> list[str]:
        """The made up lines that it shows."""
        return [text for text in self.texts() if text.startswith("made up")]

    async def in_step(self) -> None:
        await until(lambda: self.status().synced and self.screen.tables.get(Table.QUOTES, {}).get(BTC), 30)

    async def arm(self) -> None:
        self.thread.set_trading_state(TradingState.ARMED)
        await until(lambda: self.status().trading_state is TradingState.ARMED, 10)

    async def submit(self, intent: Intent) -> Outcome:
        return await asyncio.wrap_future(self.thread.submit(intent))

    def buy(self, price: str, qty: str = "0.01") -> Place:
        status = self.status()
        decision = Decision(
            environment=status.environment, portfolio=status.portfolio, state=status.trading_state, source="key b"
        )
        return Place(
            decision=decision, sym=BTC, side=Side.BUY, order_type=OrderType.LIMIT, qty=qty, price=price,
            time_in_force=TimeInForce.GTX, confirmed=frozenset(["STALE"]),
        )  # fmt: skip

    async def end(self) -> None:
        self.thread.close()
        assert await asyncio.to_thread(self.thread.join, 10)


A = TypeVar("A", Place, Replace)


def accept(intent: A, number: str, *, age_s: float = 0.5, touch: str = "") -> A:
    """What a window sends of a proposal that stood in its ticket for a time, at a best price on the other side."""
    shown = ShownTerms(at=HostClock().mono() - age_s, touch=touch)
    return msgspec.structs.replace(intent, proposal=number, shown=shown)


def idle_host() -> EngineThread:
    """The host of an engine that was never started."""

    def build(updates: TableHub) -> EngineCore:
        raise AssertionError("it is never started")

    host = EngineThread(build, STARTING, HostClock())
    host.hub.put(Table.ENGINE_STATUS, ENGINE, STARTING)
    return host


def start_owner(venue: Traded, home: Path, settings: EngineSettings = LIMITS, *, has_screen: bool = False) -> DeskOf:
    """A desk that trades a venue, and serves others at `home/desk.sock`."""
    home.chmod(0o700)

    async def serve(host: EngineThread) -> None:
        await serve_socket(home / "desk.sock", host, HostClock(), new_id(), has_screen=has_screen)

    def build(updates: TableHub) -> EngineCore:
        return real_engine(venue, home, updates, settings)

    return DeskOf(EngineThread(build, STARTING, HostClock(), serve))


def attach(home: Path, socket: str = "desk.sock", **more: Any) -> DeskOf:
    """A second desk, on the first one's socket or on another one that leads to it."""
    connect = partial(unix_socket.connect, home / socket)

    def build(updates: TableHub) -> RemoteEngine:
        return RemoteEngine(connect, "desk", updates, HostClock(), new_id, **more)

    return DeskOf(EngineThread(build, STARTING, HostClock()))


def orders_of(venue: Venue) -> list[dict[str, Any]]:
    """Every order that a venue ever got, with its newest state."""
    by_id: dict[str, dict[str, Any]] = {}
    for path in ("/api/v1/trading/history/orders", "/api/v1/trading/orders"):
        page = 1
        while True:
            rows = venue.data("GET", path, {"page": str(page), "pageSize": "1000"})["list"]
            for row in rows:
                by_id.setdefault(row["orderId"], row)
            if len(rows) < 1000:
                break
            page += 1
    return list(by_id.values())


def sent_at(venue: Venue, price: str) -> list[dict[str, Any]]:
    """The orders at a price that a venue ever got."""
    return [row for row in orders_of(venue) if Decimal(row["limitPrice"]) == Decimal(price)]


def journaled(home: Path) -> list[dict[str, Any]]:
    """The entries of an owner's journal, oldest first; their payloads are JSON."""
    with closing(sqlite3.connect(home / "journal.db")) as file:
        file.row_factory = sqlite3.Row
        return [dict(row) for row in file.execute("SELECT * FROM journal ORDER BY seq")]


class Program:
    """A program of a stranger: it knows the socket and JSON."""

    def __init__(self, carrier: Carrier) -> None:
        self.carrier = carrier
        self.seen: list[dict[str, Any]] = []
        self._id = 0

    @classmethod
    async def attach(
        cls, home: Path, name: str = "bot", role: str = "propose", path: Path | None = None, **more: Any
    ) -> Program:
        place = path or home / "desk.sock"
        await until(place.exists, 20)
        program = cls(await unix_socket.connect(place))
        program.welcome = await program.call("hello", {"versions": [1], "name": name, "role": role, **more})
        return program

    welcome: dict[str, Any]

    async def send(self, line: bytes) -> None:
        await self.carrier.send(line + b"\n")

    @property
    def name(self) -> str:
        return str(self.welcome["result"]["name"])

    async def begin(self, method: str, params: Any) -> int:
        """Send a call without waiting for the answer, and return its number."""
        self._id += 1
        await self.send(json.dumps({"id": self._id, "method": method, "params": params}).encode())
        return self._id

    async def answer(self, number: int) -> dict[str, Any]:
        """The answer or refusal of a call that was sent."""
        return await self.wait_for(lambda message: message.get("id") == number)

    async def call(self, method: str, params: Any) -> dict[str, Any]:
        """The answer or refusal of a call."""
        return await self.answer(await self.begin(method, params))

    async def wait_for(self, fits: Callable[[dict[str, Any]], object], seconds: float = 20) -> dict[str, Any]:
        """The first message from now on, or seen before, that fits."""
        for message in self.seen:
            if fits(message):
                return message
        async with asyncio.timeout(seconds):
            while True:
                self.seen.append(json.loads(await self.carrier.receive()))
                if fits(self.seen[-1]):
                    return self.seen[-1]

    def close(self) -> None:
        self.carrier.close()
