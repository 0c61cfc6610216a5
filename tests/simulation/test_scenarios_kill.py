"""Kill and cancel-all reach every venue and algo orders too, and say how many."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import msgspec
import pytest

from tests.simulation.harness.day import SYM, Day
from tui.engine.intents import CancelAll, Place, PlaceAlgo, Protection, Verdict
from tui.engine.modes import RiskMode, TradingState
from tui.interface.families.algo import CANCEL_ALGO, OPEN_ALGO_STATES, Condition
from tui.interface.families.orders import OrderType, Side

pytestmark = pytest.mark.simulation

ETH = "BINANCE_PERP_ETH_USDT"
PAIRS = ("BINANCE_PERP_BTC_USDT", "OKX_PERP_BTC_USDT", "EDX_PERP_BTC_USDT")


async def on_every_venue(desk: Day) -> None:
    """An order that rests on each venue."""
    desk.engine.watch(PAIRS)
    for sym in PAIRS:
        quote = await desk.quote(sym)
        qty = "1" if sym.startswith("OKX") else "0.010"
        tick = Decimal(desk.engine.state.symbols[sym].tick_size)
        price = Decimal(quote.bid) * Decimal("0.99") // tick * tick
        placed = await desk.place(sym, Side.BUY, qty, str(price))
        assert placed.verdict is Verdict.ACCEPTED, placed
        await desk.shows(placed.key, "OPEN")


async def protected(desk: Day) -> None:
    """A position with a take-profit and a stop-loss, which are one algo order, on two venues."""
    for sym in PAIRS[:2]:
        quote = await desk.quote(sym)
        ask = Decimal(quote.ask)
        tick = Decimal(desk.engine.state.symbols[sym].tick_size)
        placed = await desk.place(
            sym,
            Side.BUY,
            "1" if sym.startswith("OKX") else "0.010",
            str(ask),
            take_profit=Protection(trigger=str(ask * Decimal("1.02") // tick * tick), source="LAST_PRICE"),
            stop_loss=Protection(trigger=str(ask * Decimal("0.98") // tick * tick), source="LAST_PRICE"),
        )
        await desk.shows(placed.key, "FILLED")


def algos(desk: Day) -> list[str]:
    """Open algo orders at the venue, by pair."""
    rows = desk.exchange.queries.algos(desk.portfolio)
    return sorted(one.sym for one in rows if one.order_state in OPEN_ALGO_STATES)


@pytest.mark.parametrize("kill", [True, False])
def test_kill_cancels_all_orders_and_algo_orders_on_every_venue(kill: bool) -> None:
    async def day(desk: Day) -> None:
        await on_every_venue(desk)
        await protected(desk)
        assert len(desk.exchange.queries.open_orders(desk.portfolio)) == len(PAIRS)
        assert algos(desk) == sorted(PAIRS[:2])
        await desk.until(lambda: len(desk.mirror.algos) == 2, within=40)
        outcome = await desk.submit(CancelAll(decision=desk.decision(), kill=kill))
        assert outcome.verdict is Verdict.ACCEPTED
        assert "3 accepted" in outcome.text and "2 algo orders cancelled" in outcome.text
        await asyncio.sleep(3)
        told = [event.text for _, event in desk.mirror.event_log.events if event.text.startswith("cancel-all")]
        assert len(told) == 1 and told[0].endswith(": 3 accepted; 2 algo orders cancelled"), "it was told twice"
        assert desk.exchange.queries.open_orders(desk.portfolio) == []
        assert algos(desk) == []
        await desk.until(lambda: not desk.mirror.algos)
        kinds = [line.payload for line in desk.journal.lines if line.kind == "intent"]
        assert all('"kind":"CancelAll"' in one for one in kinds[-2 * len(PAIRS) :])
        assert sum('"endpoint":"cancel_all_algos"' in one for one in kinds) == len(PAIRS)

    Day().play(day)


def test_cancel_all_by_venue_applies_to_algo_orders_too() -> None:
    async def day(desk: Day) -> None:
        desk.engine.watch(PAIRS)
        await protected(desk)
        await desk.submit(CancelAll(decision=desk.decision(), exchange="OKX"))
        await asyncio.sleep(3)
        assert algos(desk) == [SYM]
        await desk.submit(CancelAll(decision=desk.decision(), sym=SYM))
        await asyncio.sleep(3)
        assert algos(desk) == []

    Day().play(day)


def test_kill_without_the_order_link_still_cancels_algo_orders() -> None:
    async def day(desk: Day) -> None:
        desk.engine.watch(PAIRS)
        await protected(desk)
        desk.network.filters.append(lambda wire, way, data: b"/v1/private" in wire.target)
        desk.cut("reset")()
        await desk.until(lambda: desk.mirror.engine_status is not None and not desk.mirror.engine_status.synced)
        outcome = await desk.submit(CancelAll(decision=desk.decision(), kill=True))
        assert outcome.guard == "LINK" and "2 algo orders cancelled" in outcome.text
        await desk.until(lambda: desk.said(f"kill did not arrive: {outcome.text}"))
        assert not desk.said("DENIED"), "one line has it all"
        assert algos(desk) == []

    Day().play(day)


def test_kill_that_keeps_stops_cancels_only_opening_orders() -> None:
    """What can only reduce an open leg stays; entries, also on the same pair, and conditional openings end."""

    async def day(desk: Day) -> None:
        await on_every_venue(desk)
        await protected(desk)
        quote = await desk.quote(SYM)
        ask = Decimal(quote.ask)
        reducing = await desk.place(SYM, Side.SELL, "0.004", str(ask + 500), reduce_only=True)
        larger = await desk.place(SYM, Side.SELL, "0.011", str(ask + 600), reduce_only=True)
        conditional = await desk.submit(
            PlaceAlgo(
                decision=desk.decision(),
                sym=SYM,
                side=Side.BUY,
                condition=Condition.CONDITIONAL,
                qty="0.010",
                conditional=Protection(trigger=str(ask + 1000), source="LAST_PRICE"),
            )
        )
        assert conditional.verdict is Verdict.ACCEPTED, conditional
        # Its stop ends with it: a cancel of its own was refused, and the kill told that it might stay.
        desk.engine.watch((*PAIRS, ETH))
        eth = await desk.quote(ETH)
        trigger = str(Decimal(eth.bid) * Decimal("0.9") // 1)
        stop = Protection(trigger=trigger, source="LAST_PRICE")
        entry = await desk.place(ETH, Side.BUY, "0.1", str(Decimal(eth.bid) * Decimal("0.99") // 1), stop_loss=stop)
        await desk.until(lambda: len(desk.mirror.algos) == 4, within=40)
        outcome = await desk.submit(CancelAll(decision=desk.decision(), kill=True, spare_closing=True))
        assert outcome.verdict is Verdict.ACCEPTED, outcome
        await asyncio.sleep(3)
        left = [order.client_order_id for order in desk.exchange.queries.open_orders(desk.portfolio)]
        assert left == [reducing.key] and larger.key not in left and entry.key not in left
        calls = [entry for entry in desk.journal.lines if f'"endpoint":"{CANCEL_ALGO.name}"' in entry.payload]
        assert len(calls) == 1, "the stop of the entry is cancelled with it alone"
        assert algos(desk) == sorted(PAIRS[:2]), "both stops stay, the conditional order is gone"
        assert desk.mirror.engine_status is not None
        assert desk.mirror.engine_status.trading_state is TradingState.VIEW
        assert desk.mirror.engine_status.risk_mode is RiskMode.HALT

    Day().play(day)


def test_kill_that_keeps_stops_cancels_unknown_opening_orders() -> None:
    """An order whose answer is lost is an entry too: it is cancelled by its own id beside an order that is kept."""

    async def day(desk: Day) -> None:
        desk.engine.watch(PAIRS)
        await protected(desk)
        quote = await desk.quote(SYM)
        await desk.place(SYM, Side.SELL, "0.004", str(Decimal(quote.ask) + 500), reduce_only=True)
        restore = desk.swallow("in", b"/v1/private")
        lost = await desk.rest()
        assert lost.verdict is Verdict.UNKNOWN
        await desk.submit(CancelAll(decision=desk.decision(), kill=True, spare_closing=True))
        restore()
        await asyncio.sleep(3)
        assert lost.key not in [order.client_order_id for order in desk.exchange.queries.open_orders(desk.portfolio)]

    Day().play(day)


def test_kill_closes_positions_in_view_mode_and_opens_none() -> None:
    async def day(desk: Day) -> None:
        desk.engine.watch(PAIRS)
        await protected(desk)
        await desk.submit(CancelAll(decision=desk.decision(), kill=True))
        close = Place(
            decision=desk.decision(),
            sym=SYM,
            side=Side.SELL,
            order_type=OrderType.MARKET,
            qty="0.010",
            reduce_only=True,
            kill=True,
            confirmed=frozenset(["DUPLICATE", "FIRST_OF_DAY", "STALE"]),
        )
        opening = await desk.submit(msgspec.structs.replace(close, reduce_only=False))
        assert (opening.verdict, opening.guard) == (Verdict.DENIED, "STATE")
        assert (await desk.submit(close)).verdict is Verdict.ACCEPTED
        await desk.until(lambda: SYM not in [fact.record.sym for fact in desk.mirror.positions.values()])

    Day().play(day)
