"""A login for order actions alone: nothing is pushed, and what happens is shown all the same, read from lists."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from tests.client.fakes import until
from tests.engine.conftest import DECISION, Screen
from tests.engine.on_sockets import Life
from tests.venue.shell.conftest import STILL, Venue
from tui.engine.intents import CancelAll, Place, Verdict
from tui.engine.modes import TradingState
from tui.engine.rows import Fact, Table
from tui.engine.settings import AuditIntervals, EngineSettings
from tui.engine.sync.push_handler import PushHandler
from tui.interface.families.history import TradeRecord
from tui.interface.families.orders import OrderState, OrderType, Side, TimeInForce

BTC = "BINANCE_PERP_BTC_USDT"
SELDOM = EngineSettings(pulse=0.05, audits=AuditIntervals(orders=600, busy=600, positions=600))
"""Audits do not help: what is shown was polled."""


@pytest.fixture
def venue() -> Iterator[Venue]:
    running = Venue(*STILL, "--control")
    yield running
    running.stop()


@pytest.fixture
def pushed(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What was pushed."""
    seen: list[object] = []
    monkeypatch.setattr(PushHandler, "push", lambda _, *what: seen.append(what))
    return seen


@pytest.fixture
async def life(venue: Venue, tmp_path: Path, pushed: list[object]) -> AsyncIterator[Life]:
    begun = Life(venue, tmp_path, SELDOM, only_trade=True)
    await begun.in_step()
    begun.engine.watch((BTC,))
    begun.engine.set_trading_state(TradingState.ARMED)
    yield begun
    await begun.end()


def _orders_filled(screen: Screen) -> set[str]:
    rows = screen.look().tables.get(Table.FILLS, {}).values()
    return {row.record.order_id for row in rows if isinstance(row, Fact) and isinstance(row.record, TradeRecord)}


async def test_a_trade_only_login_reads_orders_and_fills_from_lists(
    venue: Venue, life: Life, pushed: list[object]
) -> None:
    """An order of this desk, one of somebody else, a fill and its position, and the end of all; limits are kept."""
    state, screen = life.engine.state, Screen(life.engine.updates)
    assert screen.said("nothing is pushed; lists are read every 2 s")
    decision = msgspec.structs.replace(DECISION, portfolio=state.portfolio)
    await until(lambda: BTC in state.quotes.rows and bool(state.quotes.rows[BTC].bid), 30)
    placed = await life.engine.submit(
        Place(
            decision=decision, sym=BTC, side=Side.BUY, order_type=OrderType.LIMIT, qty="0.01", price="60000",
            time_in_force=TimeInForce.GTC, confirmed=frozenset(["FIRST_OF_DAY", "BAND"]),
        )
    )  # fmt: skip
    assert placed.verdict is Verdict.ACCEPTED, placed.text
    await until(lambda: state.orders.rows[placed.key].state == OrderState.OPEN, 30)

    order = {"sym": BTC, "side": "BUY", "orderType": "MARKET", "orderQty": "0.02"}
    foreign = str(venue.data("POST", "/api/v1/trading/order", order)["orderId"])
    await until(lambda: any(Decimal(one.record.position_qty) for one in state.facts.positions.rows.values()), 30)
    await until(lambda: foreign in _orders_filled(screen), 30)

    await life.engine.submit(CancelAll(decision=decision))
    await until(lambda: state.orders.rows[placed.key].state == OrderState.CANCELLED, 30)
    assert pushed == []
