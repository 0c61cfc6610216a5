"""The result of a day with thousands of fills, and what a restart in the middle leaves of it."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal

import msgspec
import pytest

from tests.simulation.floor import SYM, Floor
from tests.simulation.steps import in_step, play
from tui.engine.intents import Verdict
from tui.engine.modes import RiskMode, TradingState
from tui.engine.settings import EngineSettings
from tui.engine.sync.fill_reader import FillReader
from tui.interface.families import orders
from tui.interface.families.orders import Side
from tui.rules.day_result import DAY_MS
from tui.workstation.model.realised_pnl import RealisedPnl

pytestmark = pytest.mark.simulation


class Crowd:
    """Another client of the same portfolio that trades much, against a portfolio that is not ours."""

    def __init__(self, floor: Floor) -> None:
        self.floor = floor
        self.made = 0

    def trade(self, count: int) -> None:
        """At least so many fills more, at prices one tick apart."""
        floor = self.floor
        touch = floor.exchange.queries.quote(SYM)
        assert touch is not None
        bid, ask = Decimal(touch.bid), Decimal(touch.ask)
        target = self.fills + count
        while self.fills < target:
            self.made += 1
            buys = self.made % 2 == 0
            price = str(ask - Decimal("0.1") if buys else bid + Decimal("0.1"))
            self._place(floor.keys[1].portfolio, "SELL" if buys else "BUY", "GTC", price)
            self._place(floor.portfolio, "BUY" if buys else "SELL", "IOC", price)

    @property
    def fills(self) -> int:
        """Fills of the portfolio so far."""
        return len(self.floor.exchange.queries.executions(self.floor.portfolio))

    def _place(self, portfolio: str, side: str, time_in_force: str, price: str) -> None:
        qty = f"0.00{1 + self.made % 7}"
        place = orders.PlaceOrder(
            portfolio=portfolio,
            sym=SYM,
            side=side,
            order_type="LIMIT",
            time_in_force=time_in_force,
            order_qty=qty,
            limit_price=price,
        )
        self.floor._carry_out(place, lambda _reply: None)


def venue_sum(floor: Floor) -> Decimal:
    """What the venue's own rows of today add up to; fees are in quote."""
    today = int(floor.venue_clock.wall() * 1000) // DAY_MS * DAY_MS
    rows = [one for one in floor.exchange.queries.executions(floor.portfolio) if int(one.create_at) >= today]
    assert all(one.fee_coin in ("", "USDT") and one.rebate_coin in ("", "USDT") for one in rows)
    return sum((Decimal(one.rpnl) - Decimal(one.fee) + Decimal(one.rebate) for one in rows), Decimal(0))


def pane_sum(floor: Floor) -> Decimal:
    """What the P&L pane adds up to."""
    booked = RealisedPnl(floor.mirror)
    today = booked.today()
    return RealisedPnl.sum_bookings(one for group, one in booked.groups().items() if group.day == today).net


def journal_fills(floor: Floor) -> list[str]:
    """Transaction ids of the journal's fills."""
    return [json.loads(one.payload)["transactionId"] for one in floor.journal.lines if one.kind == "fill"]


async def killed(floor: Floor) -> None:
    """The process is killed after its journal had its moment to write notes down."""
    floor.journal.durable = len(floor.journal.lines)
    await floor.crash()


async def whole(floor: Floor) -> None:
    await floor.until(
        lambda: floor.mirror.engine_status is not None and floor.mirror.engine_status.day_is_whole, within=120
    )


class Losing(Floor):
    """A desk with a limit on the loss of a day."""

    def settings(self) -> EngineSettings:
        settings = super().settings()
        return msgspec.structs.replace(settings, limits=msgspec.structs.replace(settings.limits, max_loss="10"))


@pytest.mark.parametrize("fills", [1000, pytest.param(5000, marks=pytest.mark.nightly)])
def test_thousands_of_fills_over_a_restart_count_once(fills: int) -> None:
    async def day(floor: Floor) -> None:
        await whole(floor)
        crowd = Crowd(floor)
        for _ in range(fills // 250):
            crowd.trade(100)
            await asyncio.sleep(0.2)
        await floor.until(lambda: floor.engine.state.fills.day.net == venue_sum(floor))
        await killed(floor)
        crowd.trade(fills * 2 // 5)
        floor.begin()
        await in_step(floor)
        assert floor.mirror.engine_status is not None and not floor.mirror.engine_status.day_is_whole
        for _ in range(fills // 500):
            crowd.trade(100)
            await asyncio.sleep(1.0)
        await whole(floor)
        await floor.until(lambda: floor.engine.state.fills.day.net == venue_sum(floor))
        await asyncio.sleep(1)
        assert floor.engine.state.fills.day.total.fills == crowd.fills >= fills
        assert pane_sum(floor) == floor.engine.state.fills.day.net == venue_sum(floor)
        assert len(floor.mirror.fills) == 1000
        journaled = journal_fills(floor)
        assert len(journaled) == len(set(journaled)) == crowd.fills
        assert sum("while away" in line.text for line in floor.mirror.event_log.away) > 0

    play(day)


def test_daily_pnl_counts_fills_before_a_new_journal() -> None:
    async def day(floor: Floor) -> None:
        await whole(floor)
        crowd = Crowd(floor)
        crowd.trade(1200)
        await asyncio.sleep(1)
        await killed(floor)
        floor.journal.lines.clear()
        floor.journal.durable = 0
        await asyncio.sleep(90)
        floor.begin()
        at = floor.world.now
        await in_step(floor)
        assert floor.world.now - at < 2.0, "being in step does not wait for the fills"
        assert floor.mirror.engine_status is not None and not floor.mirror.engine_status.day_is_whole
        before = crowd.fills
        await floor.until(lambda: floor.engine.state.fills.caught_up)
        crowd.trade(10)
        await whole(floor)
        await asyncio.sleep(1)
        assert pane_sum(floor) == floor.engine.state.fills.day.net == venue_sum(floor)
        assert floor.engine.state.fills.day.total.fills == crowd.fills
        assert len(journal_fills(floor)) == crowd.fills - before, "what was before the journal is history"
        assert not any("while away" in line.text for line in floor.mirror.event_log.away)

    play(day)


@pytest.mark.parametrize("slow", [pytest.param(False, marks=pytest.mark.nightly), True])
def test_the_loss_limit_applies_again_after_a_restart(monkeypatch: pytest.MonkeyPatch, *, slow: bool) -> None:
    """No order that opens passes before the day's fills are read, however long that takes."""
    read = FillReader.catch_up

    async def read_late(reader: FillReader) -> None:
        await asyncio.sleep(2)
        await read(reader)

    if slow:
        monkeypatch.setattr(FillReader, "catch_up", read_late)

    async def day(floor: Floor) -> None:
        await whole(floor)
        crowd = Crowd(floor)
        crowd.trade(1200)
        assert venue_sum(floor) < -10
        await killed(floor)
        floor.begin()
        await in_step(floor)
        floor.engine.watch((SYM,))
        await floor.quote(SYM)
        floor.engine.set_trading_state(TradingState.ARMED)
        bid = Decimal(floor.mirror.quotes[SYM].bid)
        refused = await floor.place(SYM, Side.BUY, "0.010", str(bid - 100))
        assert (refused.verdict, refused.guard) == (Verdict.DENIED, "DAY" if slow else "MODE")
        await whole(floor)
        assert floor.engine.state.fills.day.net == venue_sum(floor)
        await floor.until(lambda: floor.engine.state.trading.risk_mode is RiskMode.REDUCING)
        refused = await floor.place(SYM, Side.BUY, "0.010", str(bid - 100))
        assert (refused.verdict, refused.guard) == (Verdict.DENIED, "MODE")

    play(day, make=Losing)


def test_fills_made_while_down_are_reported_and_journaled() -> None:
    async def day(floor: Floor) -> None:
        crowd = Crowd(floor)
        crowd.trade(3)
        await asyncio.sleep(1)
        await killed(floor)
        before = crowd.fills
        crowd.trade(4)
        await asyncio.sleep(5)
        floor.begin()
        await in_step(floor)
        told = crowd.fills - before
        await floor.until(lambda: sum("while away" in line.text for line in floor.mirror.event_log.away) == told)
        await asyncio.sleep(1)
        assert sorted(journal_fills(floor)) == sorted(
            one.transaction_id for one in floor.exchange.queries.executions(floor.portfolio)
        )

    play(day)
