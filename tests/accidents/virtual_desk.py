"""The whole program in virtual time: venue, engine and the application itself, each on a loop of one clock."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from decimal import Decimal
from typing import Any, TypeVar

import msgspec
import textual._time
from textual import events
from textual._compositor import Compositor
from textual.keys import _character_to_key

from tests.accidents.hands import close_pair
from tests.accidents.kinds import BTC, ETH
from tests.accidents.record import ELSEWHERE, VenueOrder, VenueRecord
from tests.accidents.runner import MARKETS
from tests.simulation.harness.stack import HOST, Stack
from tests.undrawn import draw_what_sends
from tests.workstation.driver import shipped_themes
from tui.client.settings import Service
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.engine import Engine
from tui.engine.intents import Intent, Outcome, Place, Verdict
from tui.engine.limits import Limits
from tui.engine.modes import RiskMode, TradingState
from tui.engine.service_query import ServiceRequest
from tui.engine.settings import EngineSettings
from tui.host import POOL_IDLE_S
from tui.interface.families.algo import OPEN_ALGO_STATES, CancelAllAlgos
from tui.interface.families.deposits import ApplyWithdrawal
from tui.interface.families.orders import CancelAllOrders, CancelOrder, OrderRecord, OrderType, PlaceOrder, Side
from tui.interface.families.portfolio_loans import Borrow, Repay
from tui.interface.families.positions import SetLeverage, SetMarginLeverage, SetPositionMode
from tui.interface.families.transfers import ApplyTransfer
from tui.interface.streams import Detail
from tui.venue.core.commands import Command, MoveMarket, Reply
from tui.workstation.app.app import CrossdeskApp
from tui.workstation.input.fresh_press import Rule
from tui.workstation.settings import WorkstationSettings

FPS = 12
"""Frames of market data a second: what the account does is painted at once whatever it is, and a run costs less."""
START_S = 1000.0
"""Virtual time at which the application's clock begins: textual takes a time of 0 for none."""


class LoopPort:
    """`EnginePort` to an engine on another loop of the same world."""

    def __init__(self, engine: Engine, loop: asyncio.AbstractEventLoop, updates: ConflatingQueue) -> None:
        self._engine, self._loop, self._updates = engine, loop, updates
        self.intents: list[Intent] = []
        """Everything the application submitted, in order."""

    @property
    def updates(self) -> ConflatingQueue:
        return self._updates

    def submit(self, intent: Intent) -> Future[Outcome]:
        self.intents.append(intent)
        future: Future[Outcome] = Future()

        def begin() -> None:
            task = asyncio.ensure_future(self._engine.submit(intent), loop=self._loop)
            task.add_done_callback(lambda done: future.set_result(done.result()))

        self._loop.call_soon_threadsafe(begin)
        return future

    def foresee(self, intents: Sequence[Intent]) -> Future[tuple[Outcome, ...]]:
        future: Future[tuple[Outcome, ...]] = Future()
        future.set_result(self._engine.foresee_now(intents))
        return future

    def _call(self, call: Callable[..., Any], *args: Any) -> None:
        self._loop.call_soon_threadsafe(call, *args)

    def set_trading_state(self, state: TradingState) -> None:
        self._call(self._engine.set_trading_state, state)

    def enter_hot(self, seconds: float) -> None:
        self._call(self._engine.enter_hot, seconds)

    def end_hot(self, why: str) -> None:
        self._call(self._engine.end_hot, why)

    def set_risk_mode(self, mode: RiskMode) -> None:
        self._call(self._engine.set_risk_mode, mode)

    def set_limits(self, limits: Limits, what: str) -> None:
        self._call(self._engine.set_limits, limits, what)

    def watch(self, syms: tuple[str, ...]) -> None:
        self._call(self._engine.watch, syms)

    def attend(self, syms: frozenset[str]) -> None:
        self._call(self._engine.attend, syms)

    def look_at(self, detail: Detail | None, books: tuple[str, ...] = ()) -> None:
        self._call(self._engine.look_at, detail, books)

    def read(self, request: ServiceRequest) -> None:
        self._call(self._engine.read, request)

    def decline(self, key: str) -> None:
        self._call(self._engine.decline, key)

    def grant(self, key: str) -> None:
        self._call(self._engine.grant, key)

    def revoke(self, key: str = "") -> None:
        self._call(self._engine.revoke, key)

    def dismiss(self, key: str) -> None:
        self._call(self._engine.dismiss, key)

    def acknowledge_rules(self, changes: Mapping[str, str]) -> None:
        self._call(self._engine.acknowledge_rules, changes)

    def close(self) -> None: ...

    def join(self, timeout: float) -> bool:
        return True


T = TypeVar("T")

POSITIONS = {BTC: "0.05", ETH: "-0.3"}
"""Positions of the scene `held`, below 0 when short."""
TO_FIRST_ROWS = ("3", "escape", "g", "g", "1", "escape", "g", "g", "j")
"""Keys that lead to the first position and, last, to the first pair."""
RESTING = {"A": ("260", "0.03"), "B": ("200", "0.02"), "C": ("150", "0.01")}
"""Resting bids of the scene `working`: how far below the touch, and how large. C is the newest."""
MONEY = (Borrow, Repay, ApplyTransfer, ApplyWithdrawal, SetLeverage, SetMarginLeverage, SetPositionMode)


def position_of(scene: str, sym: str) -> Decimal:
    """The position that a scene begins with."""
    begins = scene == "held" or (scene, sym) == ("long", BTC)
    return Decimal(POSITIONS.get(sym, "0") if begins else "0")


class VirtualDesk(Stack):
    """A workstation of a size on the paper venue, driven key by key at chosen moments."""

    unfit: frozenset[str] = frozenset()
    pool_idle_s = POOL_IDLE_S

    def __init__(
        self, seed: int, size: tuple[int, int], *, market: str = "lively", without: frozenset[str] = frozenset()
    ) -> None:
        """
        Args:
            seed: Of the venue and its market.
            size: Columns and lines of the terminal.
            market: A key of `MARKETS`.
            without: Rules of the fresh press that are left out, to show which accident each keeps away.
        """
        self.size = size
        self.without, self.market = without, market
        self.names: Mapping[str, str] = {}
        self._money: list[str] = []
        super().__init__(seed, ("latency", "test"), *MARKETS[market])
        self._carry_out = self.runtime.execute
        self.runtime.execute = self._count_money  # type: ignore[method-assign]
        self.screen_loop.set_exception_handler(self._screen_failed)

    def _screen_failed(self, _loop: asyncio.AbstractEventLoop, failure: dict[str, Any]) -> None:
        """Note what went wrong on the screen's loop."""
        self.world.errors.append(f"screen: {failure.get('message')} {failure.get('exception')!r}")

    def settings(self) -> EngineSettings:
        """The limits of a new home, without the question of the first order of the day."""
        limits = Limits(first_of_day=False)
        return EngineSettings(
            limits=msgspec.structs.replace(limits, stale=3600, red_after=3600) if self.market == "still" else limits
        )

    def workstation_settings(self) -> WorkstationSettings:
        """Settings of the application."""
        return WorkstationSettings(bell=False, fps=FPS)

    def service(self) -> Service:
        """With the algo stream, as a paper venue has it."""
        return msgspec.structs.replace(super().service(), algo_ws_url=f"ws://{HOST}/v1/private-algo")

    def _make_desk(self, random_source: Any) -> None:
        self._make_engine(random_source)
        self.port = LoopPort(self.engine, self.engine_loop, self.updates)
        self.app = CrossdeskApp(self.port, self.clock, self.workstation_settings(), shipped_themes, lambda: None)
        self.mirror = self.app.mirror
        if self.without:
            self.app.guard.use_rules(frozenset(rule for rule in Rule if rule not in self.without))

    def play(self, scenario: Callable[[], Awaitable[None]]) -> None:
        """Start venue, engine and application, wait until they are in step, and run the scenario on the screen's loop."""
        time, update = textual._time.get_time, Compositor.render_update
        textual._time.get_time = lambda: START_S + self.world.now
        Compositor.render_update = draw_what_sends  # type: ignore[assignment, method-assign]
        try:
            self.run(lambda: self._play(scenario))
        finally:
            textual._time.get_time = time
            Compositor.render_update = update  # type: ignore[method-assign]

    async def _play(self, scenario: Callable[[], Awaitable[None]]) -> None:
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def begin() -> None:
            task = asyncio.ensure_future(self._on_screen(scenario), loop=self.screen_loop)
            task.add_done_callback(lambda done: self.engine_loop.call_soon_threadsafe(finish, done))

        def finish(done: asyncio.Task[None]) -> None:
            if (error := done.exception()) is not None:
                ended.set_exception(error)
            else:
                ended.set_result(None)

        self.screen_loop.call_soon_threadsafe(begin)
        await ended

    async def _on_screen(self, scenario: Callable[[], Awaitable[None]]) -> None:
        running = asyncio.ensure_future(self.app.run_async(headless=True, size=self.size))
        try:
            await self.until(lambda: self.mirror.engine_status is not None and self.mirror.engine_status.synced)
            await scenario()
        finally:
            self.app.exit()
            await running

    # -- what the person does --------------------------------------------------------------------------------------

    async def press(self, key: str) -> None:
        """Hand over one key as the terminal's reader would."""
        name = _character_to_key(key) if len(key) == 1 else key
        self._deliver(events.Key(name, key if len(key) == 1 else None))

    async def paste(self, text: str, *, bracketed: bool) -> None:
        if bracketed:
            self._deliver(events.Paste(text))
            return
        for char in text:
            await self.press({"\n": "enter", "\r": "enter", "\t": "tab"}.get(char, char))

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def _deliver(self, event: events.Event) -> None:
        event.set_sender(self.app)
        driver = self.app._driver
        assert driver is not None
        driver.send_message(event)

    def text(self) -> str:
        with self.app._context():
            strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip) for strip in strips)

    # -- the venue around it ---------------------------------------------------------------------------------------

    async def at_venue(self, work: Callable[[], T]) -> T:
        """Run a call on the loop of venue and engine."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()

        def call() -> None:
            result = work()
            loop.call_soon_threadsafe(answer.set_result, result)

        self.engine_loop.call_soon_threadsafe(call)
        return await answer

    async def _execute(self, command: Command) -> None:
        """Another client of the account carries something out."""
        await self.at_venue(lambda: self.runtime.execute(command, lambda _: None))

    async def record(self) -> VenueRecord:
        return await self.at_venue(self._read_record)

    def _read_record(self) -> VenueRecord:
        queries, portfolio = self.exchange.queries, self.portfolio
        return VenueRecord(
            orders={order.order_id: describe_order(order) for order in queries.orders(portfolio)},
            algos={
                algo.algo_order_id: f"{algo.sl_trigger_price} {algo.tp_trigger_price} {algo.order_qty}"
                for algo in queries.algos(portfolio)
                if algo.order_state in OPEN_ALGO_STATES
            },
            money=tuple(self._money),
        )

    def _count_money(self, command: Command, answer: Callable[[Reply], None]) -> None:
        if isinstance(command, MONEY) and command.portfolio == self.portfolio:
            self._money.append(repr(command))
        self._carry_out(command, answer)

    async def prepare(self, scene: str) -> None:
        for _ in range(4):
            await self.press("escape")
            await self.pause(0.12)
        if self.app.repaint_scheduler is not None and self.app.repaint_scheduler.frozen:
            await self.press("z")
        await self._execute(CancelAllOrders(portfolio=self.portfolio))
        await self._execute(CancelAllAlgos(portfolio=self.portfolio))
        for _ in range(2):  # an order of the attempt before may have been filled while it was cancelled
            rows = await self.at_venue(lambda: self.exchange.queries.positions(self.portfolio))
            for sym in {**POSITIONS, **{row.sym: "0" for row in rows}}:
                await self._hold(sym, position_of(scene, sym))
            await self.pause(0.15)
        self.port.set_risk_mode(RiskMode.NORMAL)
        self.port.set_trading_state(TradingState.ARMED)
        await self.pause(0.3)
        await self._rest(RESTING if scene == "working" else {})
        await close_pair(self)
        for key in TO_FIRST_ROWS:
            await self.press(key)
            await self.pause(0.25)
        await self.until(lambda: len(self.mirror.working()) == len(self.names))
        await self.pause(1.0)

    async def _hold(self, sym: str, size: Decimal) -> None:
        """Bring a position to a size by a market order of another client."""
        rows = await self.at_venue(lambda: self.exchange.queries.positions(self.portfolio))
        held = sum(Decimal(row.position_qty) for row in rows if row.sym == sym)
        if size != held:
            side, qty = ("BUY", size - held) if size > held else ("SELL", held - size)
            await self._execute(
                PlaceOrder(portfolio=self.portfolio, sym=sym, side=side, order_type="MARKET", order_qty=str(qty))
            )

    async def _rest(self, orders: Mapping[str, tuple[str, str]]) -> None:
        """Place resting bids of the desk's own, the newest last."""
        names: dict[str, str] = {}
        quote = self.mirror.quotes[BTC]
        for name, (below, qty) in orders.items():
            intent = Place(
                decision=self.decision(),
                sym=BTC,
                side=Side.BUY,
                order_type=OrderType.LIMIT,
                qty=qty,
                price=str(Decimal(quote.bid) - Decimal(below)),
            )
            done = self.port.submit(intent)
            await self.until(done.done)
            assert done.result().verdict is Verdict.ACCEPTED, done.result()
            names[name] = (await self.shows(done.result().key, "OPEN")).order_id
        self.names = names

    async def happen(self, what: str, argument: str) -> None:
        if what == "move":
            await self._execute(MoveMarket(coin="BTC", price=argument if argument[0] == "-" else f"+{argument}"))
        elif what == "end":
            await self._execute(CancelOrder(portfolio=self.portfolio, order_id=self.names[argument]))
        elif what == "arrive":
            price = str(Decimal(self.mirror.quotes[BTC].bid) - 10)
            await self._execute(
                PlaceOrder(
                    portfolio=self.portfolio,
                    sym=BTC,
                    side="BUY",
                    order_type="LIMIT",
                    time_in_force="GTC",
                    order_qty="0.001",
                    limit_price=price,
                    client_order_id=f"{ELSEWHERE}{self.world.now_us}",
                )
            )

    async def touch(self, sym: str) -> tuple[str, ...]:
        quote = self.mirror.quotes[sym]
        return quote.bid, quote.ask


def describe_order(order: OrderRecord) -> VenueOrder:
    """The part of an order that the oracle compares."""
    return VenueOrder(
        order_id=order.order_id,
        sym=order.sym,
        side=order.side,
        order_type=order.exchange_order_type,
        qty=order.order_qty,
        price=order.limit_price,
        state=order.order_state,
        cancel_type=order.cancel_type,
        client_id=order.client_order_id,
    )
