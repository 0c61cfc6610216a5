"""A trading day with faults: the stack, a way to break it at chosen moments, and an oracle that must hold at the end."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any

from tests.simulation.harness.frames import cut_frames
from tests.simulation.harness.network import Wire
from tests.simulation.harness.proxy import PRIVATE
from tests.simulation.harness.stack import Stack
from tui.engine.intents import Intent, Outcome, Verdict
from tui.engine.modes import TradingState
from tui.engine.rows import OrderRow
from tui.engine.state.order_fold import is_same_end
from tui.engine.status_rows import EngineStatusRow, LinkState
from tui.interface.families import orders
from tui.interface.families.orders import OrderRecord, Side, is_final
from tui.venue.core import commands
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.commands import Command, Reply

SYM = "BINANCE_PERP_BTC_USDT"
STILL = (("latency", "test"), ("agents", "still"))
CUTS = ("reset", "fin", "black_hole")
"""RST, FIN, and packets that vanish."""


class Day(Stack):
    """A desk in step, armed, with a quote; what happened is checked when the day is over."""

    def __init__(self, *switches: tuple[str, str], seed: int = 1) -> None:
        super().__init__(seed, *STILL, *switches)
        self.commands: list[Command] = []
        """Everything the venue was asked to do, by whatever road."""
        self.before: dict[type, Callable[[], object]] = {}
        self.after: dict[type, Callable[[], object]] = {}
        """What happens once, just before or after the venue carries out a command of a kind."""
        self.painted: dict[str, list[OrderRow]] = {}
        """Every row of each order as it was painted."""
        self.outcomes: dict[str, Outcome] = {}
        self.unrecorded: list[str] = []
        """Orders that reached the venue before their intent was durable."""
        self._carry_out = self.runtime.execute
        self.runtime.execute = self._execute  # type: ignore[method-assign]

    def play(self, day: Callable[[Day], Awaitable[None]]) -> None:
        """Get in step, live the day, and look back."""

        async def scenario() -> None:
            self.engine.watch((SYM,))
            await self.in_step()
            await self.until(lambda: self.mirror.engine_status is not None and self.mirror.engine_status.day_is_whole)
            await self.quote(SYM)
            self.engine.set_trading_state(TradingState.ARMED)
            await day(self)

        self.run(scenario)
        self._look_back()

    def _look_back(self) -> None:
        """What must be true of every day: nothing twice, nothing unrecorded, no end that the venue does not know."""
        ours = [one for one in self.commands if isinstance(one, orders.PlaceOrder) and one.portfolio == self.portfolio]
        counts = Counter(one.client_order_id for one in ours)
        assert all(count == 1 for count in counts.values()), counts
        assert not self.unrecorded
        for key in counts:
            assert self.outcomes[key].verdict is not Verdict.DENIED, f"{key} was called not sent"
        for key, rows in self.painted.items():
            for state in [row.state for row in rows if is_final(row.state)]:
                assert is_same_end(state, self.at_venue(key).order_state), (key, self.states(key))
        assert self.engine.tasks.failures == 0, self.engine.tasks.error

    # -- faults ----------------------------------------------------------------------------------------------------

    def cut(self, kind: str) -> Callable[[], None]:
        """The order link ends in one of `CUTS`."""

        def now() -> None:
            for wire in self.network.wires:
                if b"/v1/private" in wire.target and not wire.hole:
                    getattr(wire, kind)()

        return now

    def swallow(self, direction: str, *words: bytes) -> Callable[[], None]:
        """Frames that hold all the words do not arrive, until what this returns is called."""
        return self.divert(direction, lambda wire, data: None, *words)

    def divert(self, direction: str, to: Callable[[Wire, bytes], None], *words: bytes) -> Callable[[], None]:
        """Frames that hold all the words go somewhere else, until what this returns is called."""

        def keep(wire: Wire, way: str, data: bytes) -> bool:
            if way != direction or not all(word in data or word in wire.target for word in words):
                return False
            to(wire, data)
            return True

        if self._filter_frames not in self.network.filters:
            self.network.filters.insert(0, self._filter_frames)
        self.network.filters.append(keep)
        return lambda: self.network.filters.remove(keep)

    def _filter_frames(self, wire: Wire, way: str, data: bytes) -> bool:
        """Pass each frame of a write by itself: the venue writes several at once."""
        frames = cut_frames(data) if way == "in" and PRIVATE in wire.target else [data]
        if len(frames) == 1:
            return False
        others = [keep for keep in self.network.filters if keep != self._filter_frames]
        for frame in frames:
            if not any(keep(wire, way, frame) for keep in others) and not wire.hole:
                wire.client.receive(frame)
        return True

    def somebody_sells(self, qty: str, price: str) -> None:
        """Another portfolio hits what rests at the price."""
        other = self.keys[1].portfolio
        place = orders.PlaceOrder(
            portfolio=other,
            sym=SYM,
            side="SELL",
            order_type="LIMIT",
            time_in_force="IOC",
            order_qty=qty,
            limit_price=price,
        )
        self._carry_out(place, _must)

    def somebody_cancels(self, key: str) -> None:
        """The same portfolio cancels from another machine."""
        self._carry_out(orders.CancelOrder(portfolio=self.portfolio, client_order_id=key), _must)

    def elsewhere(self, command: Command) -> None:
        """Another client does something."""
        self._carry_out(command, _must)

    def _execute(self, command: Command, answer: Callable[[Reply], None]) -> None:
        self.commands.append(command)
        if isinstance(command, orders.PlaceOrder):
            durable = self.journal.lines[: self.journal.durable]
            if not any(line.kind == "intent" and line.client_order_id == command.client_order_id for line in durable):
                self.unrecorded.append(command.client_order_id)
        self.before.pop(type(command), _nothing)()
        self._carry_out(command, answer)
        self.after.pop(type(command), _nothing)()

    # -- what the trader does --------------------------------------------------------------------------------------

    async def submit(self, intent: Intent) -> Outcome:
        outcome = await super().submit(intent)
        self.outcomes.setdefault(outcome.key, outcome)
        return outcome

    async def rest(self, below: str = "100", qty: str = "0.010") -> Outcome:
        """Buy far enough below the bid that the order rests."""
        bid = self.mirror.quotes[SYM].bid
        return await self.place(SYM, Side.BUY, qty, str(Decimal(bid) - Decimal(below)))

    async def take_and_rest(self) -> Outcome:
        """Buy 0.005 more than is offered: a partial fill, and the rest stands alone at the top of the book."""
        touch = self.exchange.queries.quote(SYM)
        assert touch is not None
        return await self.place(SYM, Side.BUY, str(Decimal(touch.ask_qty) + Decimal("0.005")), touch.ask)

    async def rest_on_its_way(self) -> tuple[str, Callable[[], None]]:
        """Place an order that does not arrive and is UNKNOWN; its key, and what lets it arrive."""
        held: list[tuple[Wire, bytes]] = []
        heal = self.divert("out", lambda wire, data: held.append((wire, data)), b"/v1/private")
        place = await started(self.rest())
        await asyncio.sleep(0.2)
        heal()
        wire, data = held[0]
        assert (await place).verdict is Verdict.UNKNOWN
        return next(iter(self.mirror.orders)), lambda: wire.server.receive(data)

    # -- what the trader sees --------------------------------------------------------------------------------------

    async def in_step(self) -> None:
        await self.until(lambda: self.mirror.engine_status is not None and self.mirror.engine_status.synced)

    async def link(self, state: LinkState) -> None:
        await self.until(lambda: self.mirror.links["private"].state is state)

    async def clear(self, key: str) -> OrderRow:
        """Wait until no replace or cancel of an order is in question."""

        def found() -> OrderRow | None:
            row = self.order(key)
            return row if row is not None and not row.overlay.value else None

        return await self.until(found)

    def said(self, words: str) -> int:
        """How many lines of the event list hold the words."""
        return sum(words in line.text for _, line in self.mirror.event_log.events)

    def never(self, key: str, *states: str) -> bool:
        """Whether an order was painted in none of the states."""
        return not set(states) & set(self.states(key))

    def states(self, key: str) -> list[str]:
        """The states an order was painted in, one after the other."""
        rows = self.painted.get(key, [])
        return [row.state for at, row in enumerate(rows) if not at or rows[at - 1].state != row.state]

    def changing(self, key: str) -> list[OrderRow]:
        """The rows of an order as painted while a replace or cancel of it had not ended."""
        return [row for row in self.painted[key] if row.overlay.value]

    def row(self, key: str) -> OrderRow:
        """An order on the screen."""
        found = self.order(key)
        assert found is not None, f"{key} is not on the screen"
        return found

    @property
    def desk_row(self) -> EngineStatusRow:
        found = self.mirror.engine_status
        assert found is not None
        return found

    # -- what the wire and the venue say ---------------------------------------------------------------------------

    def asked(self, kind: type) -> int:
        """How many commands of a kind reached the venue."""
        return sum(isinstance(command, kind) for command in self.commands)

    def at_venue(self, key: str) -> OrderRecord:
        try:
            return self.exchange.queries.order(self.portfolio, client_order_id=key)
        except CheckFailed:
            return self.exchange.queries.order(self.portfolio, order_id=key)

    def _paint(self) -> None:
        super()._paint()
        for key, row in self.mirror.orders.items():
            rows = self.painted.setdefault(key, [])
            if not rows or rows[-1] is not row:
                rows.append(row)


def _nothing() -> None: ...


def _must(reply: Reply) -> None:
    assert not isinstance(reply, commands.Rejected), reply


async def started(work: Awaitable[Any]) -> asyncio.Future[Any]:
    """Begin something and go on."""
    task = asyncio.ensure_future(work)
    await asyncio.sleep(0.01)
    return task
