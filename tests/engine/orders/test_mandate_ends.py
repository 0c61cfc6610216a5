"""Ends of mandates on virtual time: all cancels leave at once, and what was on its way is said to have ended with it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from decimal import Decimal

import msgspec
import pytest

from tests.simulation.harness.day import SYM, Day, started
from tests.simulation.harness.network import Wire
from tui.engine.intents import CancelAll, Decision, Place, Replace, Verdict
from tui.engine.limits import Limits
from tui.engine.rows import LocalOrderState
from tui.engine.settings import EngineSettings
from tui.engine.status_rows import MandateRow
from tui.interface.families import orders
from tui.interface.families.orders import OrderType, Side, TimeInForce

MAKER = "maker"
MOST_S = 0.02
"""Longest time from an end to the last cancel on the wire, s: no pulse of the engine and no answer is waited for."""
PULSE_S = 0.25
ANSWER_S = 0.5
"""Time that each answer of the venue takes, s."""


class MakerDay(Day):
    """A day with a program under a mandate; its mandates are granted at once."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[float] = []
        """When actions were passed to the transport."""
        self.engine.when_written(lambda: self.sent.append(self.now))

    def settings(self) -> EngineSettings:
        limits = Limits(
            soft_notional="900000", hard_notional="900000", first_of_day=False, max_open_sym=100, runaway_count=90
        )
        return EngineSettings(limits=limits, pulse=PULSE_S)

    @property
    def now(self) -> float:
        return self.clock.mono()

    async def grant(self, seconds: float = 600.0) -> None:
        """Attach the program, and grant it a mandate."""
        if MAKER not in self.engine.state.trading.senders:
            self.engine.control.attach_peer(MAKER, "propose")
        wanted = MandateRow(
            peer=MAKER, reason="quotes", pairs=(SYM,), side="BOTH", order_value="5000", position_value="500000",
            traded_value="500000", loss="5000", orders_per_minute=500, seconds=seconds, expires=self.now + 60,
        )  # fmt: skip
        asking = asyncio.ensure_future(self.engine.mandates.ask(wanted))
        await self.until(lambda: self.mirror.mandates)
        self.engine.grant(next(iter(self.mirror.mandates)))
        await asking

    def of_maker(self) -> Decision:
        return msgspec.structs.replace(self.decision(), peer=MAKER)

    def quote_at(self, below: int) -> Place:
        price = str(Decimal(self.mirror.quotes[SYM].bid) - 100 - below)
        return Place(
            decision=self.of_maker(), sym=SYM, side=Side.BUY, order_type=OrderType.LIMIT, qty="0.010", price=price,
            time_in_force=TimeInForce.GTX,
        )  # fmt: skip

    async def place_of(self, count: int) -> list[str]:
        """Orders of the program that rest; their keys."""
        keys = []
        for number in range(count):
            outcome = await self.submit(self.quote_at(number))
            assert outcome.verdict is Verdict.ACCEPTED, outcome
            keys.append(outcome.key)
        for key in keys:
            await self.shows(key, "OPEN")
        await asyncio.sleep(0.3)
        return keys

    def answer_slowly(self) -> None:
        """Let every frame of the order link to the desk come later."""

        def keep(wire: Wire, way: str, data: bytes) -> bool:
            if way != "in" or b"/v1/private" not in wire.target:
                return False
            wire.client._loop.call_later(ANSWER_S, wire.client.receive, data)
            return True

        self.network.filters.append(keep)

    async def all_gone(self, keys: list[str]) -> None:
        await self.until(lambda: all(self.row(key).final for key in keys), within=10)


async def revoke(day: MakerDay) -> None:
    day.engine.revoke()


async def leave(day: MakerDay) -> None:
    day.engine.control.detach_peer(MAKER)


async def run_away(day: MakerDay) -> None:
    day.engine.control.disarm("more than 10 sends in 2 s", MAKER)


async def kill(day: MakerDay) -> None:
    intent = CancelAll(decision=day.decision(), kill=True)
    asyncio.ensure_future(day.submit(intent))  # noqa: RUF006


async def always(day: MakerDay) -> None:
    """Quit with the setting `always`, where a closing order is spared: the others are cancelled one by one."""
    intent = CancelAll(decision=day.decision(), kill=True, spare_closing=True)
    asyncio.ensure_future(day.submit(intent)).add_done_callback(lambda _: day.engine.stop())


async def end_desk(day: MakerDay) -> None:
    day.engine.stop()


ENDS: dict[str, Callable[[MakerDay], Awaitable[None]]] = {
    "revoke": revoke, "leave": leave, "disarm": run_away, "kill": kill, "always": always, "quit": end_desk,
}  # fmt: skip


@pytest.mark.parametrize("count", [2, 10, 50])
@pytest.mark.parametrize("end", ENDS)
def test_b21_all_cancels_of_an_ended_mandate_leave_at_once(end: str, count: int) -> None:
    day = MakerDay()

    async def ends() -> None:
        await day.grant()
        if end == "always":
            touch = day.mirror.quotes[SYM]
            bought = await day.place(SYM, Side.BUY, "0.010", touch.ask)
            await day.shows(bought.key, "FILLED")
            high = str(Decimal(touch.ask) + 500)
            await day.place(SYM, Side.SELL, "0.010", high, reduce_only=True)
        keys = await day.place_of(count)
        day.answer_slowly()
        day.sent.clear()
        began, asked = day.now, day.asked(orders.CancelOrder)
        await ENDS[end](day)
        await asyncio.sleep(0.2)
        last = max(day.sent) - began
        print(f"{end}, {count} orders: {len(day.sent)} frames, the last after {last * 1000:.1f} ms")
        assert last <= MOST_S
        if end not in ("kill", "always"):
            assert (len(day.sent), day.asked(orders.CancelOrder) - asked) == (count, count)
        assert {day.at_venue(key).order_state for key in keys} == {"CANCELLED"}
        assert not day.said("DENIED")

    day.play(lambda _: ends())


def test_b22_orders_of_an_expired_mandate_are_cancelled_at_once() -> None:
    day = MakerDay()

    async def ends(_: Day) -> None:
        await day.grant(seconds=10)
        over = day.now + 10
        keys = await day.place_of(10)
        day.answer_slowly()
        day.sent.clear()
        await day.until(lambda: len(day.sent) == len(keys), within=20)
        assert 0 <= day.sent[0] - over <= PULSE_S + MOST_S and day.sent[-1] - day.sent[0] <= MOST_S

    day.play(ends)


def test_b21_a_mandate_ended_offline_is_cancelled_at_the_login() -> None:
    day = MakerDay()

    async def ends(_: Day) -> None:
        await day.grant()
        keys = await day.place_of(10)
        day.sent.clear()
        day.network.refuse = True
        day.cut("reset")()
        await asyncio.sleep(1)
        day.engine.revoke()
        await asyncio.sleep(1)
        assert not day.sent
        day.network.refuse = False
        await day.until(lambda: day.engine.state.logged_in)
        back = day.now
        await asyncio.sleep(0.2)
        # The first frame is the login.
        assert (len(day.sent) - 1, day.sent[-1] - back <= MOST_S) == (len(keys), True)
        await day.all_gone(keys)

    day.play(ends)


def test_an_order_of_an_ended_mandate_on_its_way_is_cancelled() -> None:
    """The place was passed to the network when the mandate ended, and its answer is not there yet."""
    day = MakerDay()

    async def ends(_: Day) -> None:
        await day.grant()
        day.answer_slowly()
        day.sent.clear()
        placing = await started(day.submit(day.quote_at(0)))
        assert len(day.sent) == 1
        day.engine.revoke()
        key = (await placing).key
        await day.all_gone([key])
        assert day.at_venue(key).order_state == "CANCELLED" and not day.said("DENIED")

    day.play(ends)


@pytest.mark.parametrize("again", [False, True])
def test_an_order_unsent_when_its_mandate_ends_is_denied(*, again: bool) -> None:
    """Neither a place nor a replace leaves, also where the program has another mandate by then."""
    day = MakerDay()

    async def ends(_: Day) -> None:
        await day.grant()
        [resting] = await day.place_of(1)
        changed = Replace(decision=day.of_maker(), key=resting, price=day.quote_at(7).price, qty="0.010")
        day.sent.clear()
        day.journal.latency = 0.2
        placing, changing = [await started(day.submit(intent)) for intent in (day.quote_at(3), changed)]
        day.engine.revoke()
        if again:
            await day.grant()
        placed, replaced = await placing, await changing
        for outcome, what in ((placed, "order"), (replaced, "replace")):
            assert (outcome.verdict, outcome.guard) == (Verdict.DENIED, "MANDATE"), outcome
            assert outcome.text == f"the mandate ended before the {what} left: nothing was sent"
        row = day.row(placed.key)
        assert (row.state, row.working) == (LocalOrderState.NOT_SENT, False)
        assert day.asked(orders.ReplaceOrder) == 0 and day.asked(orders.PlaceOrder) == 1
        await day.all_gone([resting])

    day.play(ends)


def test_too_many_sends_of_a_program_end_its_mandate() -> None:
    day = MakerDay()

    async def ends(_: Day) -> None:
        await day.grant()
        [resting] = await day.place_of(1)
        limits = msgspec.structs.replace(day.engine.state.settings.limits, runaway_count=1)
        day.engine.state.settings = msgspec.structs.replace(day.engine.state.settings, limits=limits)
        denied = await day.submit(day.quote_at(4))
        assert (denied.guard, denied.text) == (
            "RUNAWAY", "more than 1 sends in 2 s; the mandate has ended, its orders are cancelled"
        )  # fmt: skip
        await day.all_gone([resting])

    day.play(ends)
