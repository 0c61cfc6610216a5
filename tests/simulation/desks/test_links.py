"""Links of windows and programs on virtual time: what a fault of one costs it, and that it costs nobody else anything."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from decimal import Decimal
from functools import partial

import pytest

from tests.simulation.desks.attached import AttachedDesks
from tests.simulation.desks.program import NAME
from tests.simulation.desks.roads import Go, Road
from tests.simulation.desks.window import Window
from tests.simulation.floor import SYM, Floor
from tests.simulation.rates import FIRST_WITH_WINDOWS, Rates, drawn
from tests.simulation.steps import ANY_AGE, play
from tui.desk_protocol.carrier import WRITE_BUFFER
from tui.engine.intents import CancelAll, Outcome, Place, Verdict
from tui.engine.modes import TradingState
from tui.engine.rows import QuoteRow, Table
from tui.interface.families.orders import OrderType, Side, TimeInForce

pytestmark = pytest.mark.simulation

BUS, SOCKET = 0, 1
"""The two windows, by the way they are attached."""
BOTH = pytest.mark.parametrize("which", [BUS, SOCKET], ids=["bus", "socket"])
Day = Callable[[Floor, AttachedDesks], Awaitable[None]]


def attached(day: Day) -> None:
    """Live a day with two windows, both in step and armed, and a program."""

    async def whole(floor: Floor) -> None:
        assert floor.desks is not None
        floor.desks.begin()
        await floor.until(lambda: floor.desks is not None and floor.desks.in_step)
        for window in floor.desks.windows:
            await arm(floor, window)
        await day(floor, floor.desks)

    play(whole, Rates(windows=2))


async def arm(floor: Floor, window: Window) -> None:
    window.call(window.engine.set_trading_state, TradingState.ARMED)
    await floor.until(lambda: state_of(window) is TradingState.ARMED)


def state_of(window: Window) -> TradingState | None:
    status = window.mirror.engine_status
    return None if status is None else status.trading_state


def test_a_window_killed_and_restarted_at_once_is_in_sync_again() -> None:
    async def day(floor: Floor, desks: AttachedDesks) -> None:
        window = desks.windows[SOCKET]
        window.kill()
        window.begin_again()
        await floor.until(lambda: window.in_step)

    attached(day)


def told(window: Window, text: str) -> bool:
    return any(text in event.text for _, event in window.mirror.event_log.events)


def order(floor: Floor, below: str = "100") -> Place:
    price = str(Decimal(floor.mirror.quotes[SYM].bid) - Decimal(below))
    return Place(
        decision=floor.decision(), sym=SYM, side=Side.BUY, order_type=OrderType.LIMIT, qty="0.010", price=price,
        time_in_force=TimeInForce.GTC, confirmed=ANY_AGE,
    )  # fmt: skip


def send(floor: Floor, window: Window) -> asyncio.Future[Outcome]:
    """Send an order from a window; the outcome comes later."""
    return asyncio.ensure_future(window.get(partial(window.submit, order(floor))))


def at_venue(floor: Floor) -> int:
    return len(floor.exchange.queries.orders(floor.portfolio))


def meet(road: Road, word: bytes, act: Callable[[Go], None]) -> None:
    """Do something with the next call with a word in place of passing it on."""

    def rule(up: bool, data: bytes, go: Go) -> bool:
        if not up or word not in data:
            return False
        road.rules.remove(rule)
        act(go)
        return True

    road.rules.append(rule)


def count_bytes(road: Road) -> list[int]:
    """Sizes of what the desk sends on a road from now on."""
    sizes: list[int] = []

    def count(up: bool, data: bytes, _go: Go) -> bool:
        sizes.append(0 if up else len(data))
        return False

    road.rules.append(count)
    return sizes


def bid_in(window: Window) -> str:
    row = window.mirror.quotes.get("BINANCE_PERP_C59_USDT")
    return "" if row is None else row.bid


@BOTH
def test_b18_a_stopped_window_learns_the_end_of_its_order(which: int) -> None:
    async def day(floor: Floor, desks: AttachedDesks) -> None:
        window = desks.windows[which]

        def stop(go: Go) -> None:
            go(0.0)
            window.loop.hold()

        meet(window.road, b'"submit"', stop)
        sent = send(floor, window)
        await asyncio.sleep(6)
        assert at_venue(floor) == 1 and not sent.done()
        window.loop.go_on()
        assert (await sent).verdict is Verdict.ACCEPTED
        await floor.until(lambda: window.in_step, within=2)
        assert at_venue(floor) == 1

    attached(day)


@BOTH
def test_b01_b18_an_order_delayed_on_a_stopped_link_is_denied(which: int) -> None:
    async def day(floor: Floor, desks: AttachedDesks) -> None:
        window = desks.windows[which]
        meet(window.road, b'"submit"', lambda go: go(2.5))
        outcome = await send(floor, window)
        assert outcome.verdict is Verdict.DENIED and outcome.guard in ("LATE", "LINK"), outcome
        await floor.until(lambda: window.in_step, within=2)
        assert at_venue(floor) == 0

    attached(day)


@BOTH
def test_b08_a_window_that_paused_reading_gets_the_newest_rows(which: int) -> None:
    async def day(floor: Floor, desks: AttachedDesks) -> None:
        deaf, other = desks.windows[which], desks.windows[1 - which]
        carried = [count_bytes(window.road) for window in (deaf, other)]
        deaf.ear.deaf = True
        assert floor.host is not None
        for number in range(1, 101):
            for pair in range(60):
                row = QuoteRow(sym=f"BINANCE_PERP_C{pair}_USDT", bid=str(number), ask="2", ts=number, received=1.0)
                floor.host.hub.put(Table.QUOTES, row.sym, row)
            await floor.until(lambda: bid_in(other) == str(number), within=0.1)  # noqa: B023
        assert sum(carried[0]) < WRITE_BUFFER * 3 / 2 < sum(carried[1]), "what nobody reads is not sent"
        deaf.ear.deaf = False
        await floor.until(lambda: bid_in(deaf) == "100", within=2)
        assert deaf.in_step and not desks.differences()

    attached(day)


@BOTH
def test_b02_doubled_event_lines_are_shown_once(which: int) -> None:
    async def day(floor: Floor, desks: AttachedDesks) -> None:
        window = desks.windows[which]

        def double(_up: bool, _data: bytes, go: Go) -> bool:
            go(0.0)
            go(0.0)
            return True

        window.road.rules.append(double)
        placed = await floor.submit(order(floor))
        await floor.shows(placed.key, "OPEN")
        await floor.until(lambda: not desks.differences(), within=2)
        told = [event.text for _, event in window.mirror.event_log.events if event.key == placed.key]
        assert told and len(told) == len(set(told)), told

    attached(day)


def test_b24_a_window_recovers_an_order_row_lost_on_the_bus() -> None:
    async def day(floor: Floor, desks: AttachedDesks) -> None:
        window = desks.windows[BUS]

        def lose(up: bool, data: bytes, _go: Go) -> bool:
            if up or b'"table":"orders"' not in data:
                return False
            window.road.rules.remove(lose)
            return True

        window.road.rules.append(lose)
        await floor.shows((await floor.submit(order(floor))).key, "OPEN")
        await floor.until(lambda: lose not in window.road.rules and not desks.differences(), within=2)
        assert window.in_step

    attached(day)


def test_b12_orders_are_denied_while_the_clock_offset_is_unsure() -> None:
    async def day(floor: Floor, desks: AttachedDesks) -> None:
        window = desks.windows[BUS]
        window.road.latency = 0.6
        window.road.cut(True)
        await asyncio.sleep(1)
        await floor.until(lambda: window.in_step)
        window.call(window.engine.set_trading_state, TradingState.ARMED)
        await floor.until(lambda: told(window, "set_trading_state: the clocks of this process and the desk"))
        outcome = await send(floor, window)
        assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "CLOCK"), outcome
        await asyncio.sleep(10)
        assert state_of(window) is TradingState.VIEW and at_venue(floor) == 0
        window.road.latency = 0.0
        await asyncio.sleep(3)
        await arm(floor, window)
        assert (await send(floor, window)).verdict is Verdict.ACCEPTED
        assert at_venue(floor) == 1

    attached(day)


def test_b12_a_kill_works_while_the_clock_offset_is_unsure() -> None:
    async def day(floor: Floor, desks: AttachedDesks) -> None:
        window = desks.windows[BUS]
        placed = await floor.submit(order(floor))
        await floor.shows(placed.key, "OPEN")
        window.road.latency = 0.6
        window.road.cut(True)
        await asyncio.sleep(1)
        await floor.until(lambda: window.in_step)
        kill = CancelAll(decision=floor.decision(), kill=True)
        outcome = await window.get(partial(window.submit, kill))
        assert outcome.verdict is Verdict.ACCEPTED, outcome
        await floor.shows(placed.key, "CANCELLED")

    attached(day)


@BOTH
def test_b20_a_kill_stops_a_command_that_is_on_its_way(which: int) -> None:
    async def day(floor: Floor, desks: AttachedDesks) -> None:
        window, other = desks.windows[which], desks.windows[1 - which]
        kill = CancelAll(decision=floor.decision(), kill=True)
        held: list[Go] = []
        meet(window.road, b'"submit"', held.append)
        sent = send(floor, window)
        await floor.until(lambda: held)
        assert (await other.get(partial(other.submit, kill))).verdict is Verdict.ACCEPTED
        held[0](0.0)
        outcome = await sent
        assert outcome.verdict is Verdict.DENIED, outcome
        assert at_venue(floor) == 0

    attached(day)


async def granted(floor: Floor) -> str:
    """Grant what the program asks for, and return the number of the mandate."""
    key = await floor.until(lambda: next(iter(floor.mirror.mandates), ""))
    floor.engine.grant(key)
    return key


def of_program(floor: Floor) -> list[str]:
    """States of the program's orders at the desk."""
    return [row.state for row in floor.mirror.orders.values() if row.peer == NAME]


def test_b21_an_order_that_arrives_after_its_mandate_is_denied() -> None:
    async def day(floor: Floor, desks: AttachedDesks) -> None:
        assert desks.program is not None
        held: list[Go] = []
        meet(desks.program.road, b'"method":"place"', held.append)
        key = await granted(floor)
        await floor.until(lambda: held)
        floor.engine.revoke(key)
        held[0](0.0)
        await asyncio.sleep(1)
        assert of_program(floor) == [] and at_venue(floor) == 0

    attached(day)


def test_b22_an_order_of_a_program_that_left_is_cancelled() -> None:
    async def day(floor: Floor, desks: AttachedDesks) -> None:
        program = desks.program
        assert program is not None

        def leave(go: Go) -> None:
            go(0.0)
            floor.world.deliver(floor.engine_loop, 0.001, program.leave, context=floor.context)

        meet(program.road, b'"method":"place"', leave)
        await granted(floor)
        await floor.until(lambda: of_program(floor))
        await floor.until(lambda: of_program(floor)[0] in ("CANCELLED", "FILLED"))
        assert at_venue(floor) == 1
        assert not floor.exchange.queries.open_orders(floor.portfolio)

    attached(day)


def test_an_eighth_of_new_simulation_seeds_attach_windows() -> None:
    days = [seed for seed in range(60_000, 62_000) if drawn(seed).windows]
    assert 200 < len(days) < 350
    assert all(drawn(seed).link_gap for seed in days) and not any(seed % 2 for seed in days)
    kept = [seed for seed in range(FIRST_WITH_WINDOWS, FIRST_WITH_WINDOWS + 400) if drawn(seed).windows]
    assert any(seed % 2 for seed in kept), "days that were lived stay as they were"
    assert not any(drawn(seed).windows for seed in range(1, 400))
