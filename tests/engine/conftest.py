"""A desk for unit tests, and an engine on the scripted service."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from tests.client.fakes import PORTFOLIO, FakeClock, FakeService, FreeLock, serving, until
from tests.engine.services import host_services
from tests.hurried import clock_of_the_loop
from tui.client.private_stream import PrivateStream
from tui.client.settings import Service, Timings
from tui.client.signer import Secret, Signer
from tui.engine.conflating_queue import ConflatingQueue, TableSink
from tui.engine.engine import Engine
from tui.engine.event_line import EventLine
from tui.engine.intents import Decision, Place
from tui.engine.journal.memory_journal import MemoryJournal
from tui.engine.limits import Limits
from tui.engine.modes import Environment, TradingState
from tui.engine.rows import Fact, OrderRow, Source, Table
from tui.engine.settings import AuditIntervals, EngineSettings
from tui.engine.state.engine_state import EngineState, Identity
from tui.engine.trading_session import TradingSession
from tui.host import HostConnector, OrderIds
from tui.interface.families.orders import OrderType, Side
from tui.interface.families.positions import PositionRecord

SYM = "BINANCE_PERP_BTC_USDT"
QUICK = Timings(reply_timeout=0.25, reconnect_first=0.02, reconnect_cap=0.1, login_gap=0.02)
DECISION = Decision(environment=Environment.PAPER, portfolio=PORTFOLIO, state=TradingState.ARMED, source="test")


@pytest.fixture(autouse=True)
def _exact(exact: None) -> None:
    """Every test here computes as the program does."""


def buy(price: str = "60000", qty: str = "0.01", **changes: object) -> Place:
    """A small order inside every limit."""
    values: dict[str, object] = {
        "decision": DECISION,
        "sym": SYM,
        "side": Side.BUY,
        "order_type": OrderType.LIMIT,
        "qty": qty,
        "price": price,
        **changes,
    }
    return Place(**values)  # type: ignore[arg-type]


def queue_of(sink: TableSink) -> ConflatingQueue:
    """The queue that an engine of a test writes to."""
    assert isinstance(sink, ConflatingQueue)
    return sink


class Screen:
    """Reads the rows and events as the workstation does."""

    def __init__(self, updates: TableSink) -> None:
        self.updates = queue_of(updates)
        self.tables: dict[Table, dict[str, object]] = {}
        self.events: list[EventLine] = []
        self.states: dict[str, list[str]] = {}

    def look(self) -> Screen:
        batch = self.updates.take()
        for table, rows in batch.changed.items():
            shown = self.tables.setdefault(table, {})
            for key, row in rows.items():
                if row is None:
                    shown.pop(key, None)
                else:
                    shown[key] = row
                if isinstance(row, OrderRow):
                    self.states.setdefault(key, []).append(row.state)
        self.events.extend(batch.events)
        return self

    def order(self, key: str) -> OrderRow:
        row = self.look().tables[Table.ORDERS][key]
        assert isinstance(row, OrderRow)
        return row

    def said(self, words: str) -> bool:
        return any(words in event.text for event in self.look().events)


class Rig:
    """An engine on the fake service."""

    def __init__(self, fake: FakeService, service: Service, journal: MemoryJournal | None = None) -> None:
        clock = clock_of_the_loop()
        self.fake = fake
        self.service = service
        self.journal = journal or MemoryJournal(clock)
        self.lock = FreeLock()
        self.ids = OrderIds(clock, "abc123", 0, lambda bound: None)
        self.settings = EngineSettings(
            timings=QUICK,
            audits=AuditIntervals(orders=0.5, busy=0.4, positions=5.0),
            pulse=0.05,
            finished_rows=30.0,
            limits=Limits(first_of_day=False),
        )
        self.clock = clock
        self.engine = self._engine()
        self.screen = Screen(self.engine.updates)
        self.task: asyncio.Task[None] | None = None

    def _engine(self, signer: Signer | None = None) -> Engine:
        connector = HostConnector(
            (self.service.rest_url, self.service.private_ws_url, self.service.public_ws_url), loopback_only=True
        )
        return Engine(
            host_services(self.clock, connector, ids=self.ids, journal=self.journal, lock=self.lock),
            Identity(environment=Environment.PAPER, service=self.service, portfolio=PORTFOLIO),
            signer=Signer("key", Secret("secret"), self.clock),
            updates=ConflatingQueue(),
            settings=self.settings,
        )

    async def start(self) -> None:
        self.engine.watch((SYM,))
        self.task = asyncio.create_task(self.engine.run())

    @property
    def session(self) -> TradingSession:
        """What runs."""
        assert self.engine.session is not None, "not started"
        return self.engine.session

    @property
    def private(self) -> PrivateStream:
        """Its private stream."""
        assert self.session.connections.private is not None
        return self.session.connections.private

    async def ready(self) -> None:
        """Armed, in step, with a quote."""
        await self.start()
        await until(lambda: self.engine.state.synced and self.engine.state.symbols and self.fake.publics)
        await until(lambda: self.session.connections.public.status().phase.value == "ready")
        await self.fake.quote()
        await until(lambda: self.engine.state.quotes.rows[SYM].received)
        self.engine.set_trading_state(TradingState.ARMED)

    async def stop(self) -> None:
        self.engine.stop()
        if self.task is not None:
            with suppress(asyncio.CancelledError):
                await self.task

    async def shows(self, key: str, state: str, limit: float = 5.0) -> OrderRow:
        """Wait until the row of an order shows a state."""
        await until(lambda: self.engine.state.orders.rows[key].state == state, limit)
        return self.screen.order(key)


@pytest.fixture
async def rig() -> AsyncIterator[Rig]:
    async with serving() as (fake, service):
        made = Rig(fake, service)
        yield made
        await made.stop()
        assert made.engine.tasks.failures == 0, made.engine.tasks.error


class StateRig:
    """Engine state without network."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.journal = MemoryJournal(self.clock)
        self.asked: list[str] = []
        self.ids = OrderIds(self.clock, "abc123", 0, lambda bound: None)
        service = Service(rest_url="", private_ws_url="", public_ws_url="")
        self.state = EngineState(
            host_services(self.clock, None, ids=self.ids, journal=self.journal),  # type: ignore[arg-type]
            Identity(environment=Environment.PAPER, service=service, portfolio=PORTFOLIO),
            EngineSettings(limits=Limits(first_of_day=False)),
            ConflatingQueue(),
            query=self.asked.append,
        )
        self.screen = Screen(self.state.updates)

    def held(self) -> list[str]:
        """The sizes of the positions."""
        return [fact.record.position_qty for fact in self.state.facts.positions.rows.values()]

    def hold(self, qty: str) -> None:
        """Hold a position in one-way mode, short if negative."""
        record = PositionRecord(sym=SYM, position_side="NONE", position_qty=qty)
        self.state.facts.positions.rows[f"{SYM}/NONE"] = Fact(record, self.state.stamp(Source.PUSH, 1))


@pytest.fixture
def bare() -> StateRig:
    return StateRig()
