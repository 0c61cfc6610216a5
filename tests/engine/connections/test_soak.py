"""The real engine against a real venue process for two minutes of cuts, silence, lost answers and lost pushes.

Run by hand: `pytest -m real -n 0`.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest

from tests.engine.conftest import Screen
from tests.engine.services import host_services
from tests.venue.shell.conftest import Venue
from tui.client.settings import Service, Timings
from tui.client.signer import Secret, Signer
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.engine import Engine
from tui.engine.intents import Cancel, CancelAll, Decision, Intent, Place, Replace, Verdict
from tui.engine.limits import Limits
from tui.engine.modes import Environment, TradingState
from tui.engine.rows import Fact, LocalOrderState, Table
from tui.engine.settings import AuditIntervals, EngineSettings
from tui.engine.state.engine_state import Identity
from tui.host import HostClock, HostConnector
from tui.interface import decimals
from tui.interface.decimals import plain
from tui.interface.families.history import TradeRecord
from tui.interface.families.orders import OrderType, Side, is_final

SYM = "BINANCE_PERP_BTC_USDT"
TICK = Decimal("0.1")
STORM_S = 100.0
HEAL_S = 60.0
AUDIT_S = 10.0
SOUND = {"network": "up", "lose_reply": "off", "push_fault": "off", "reply_delay": "off", "rest_fault": "off"}
FAULTS = (
    ("network", "cut"),
    ("network", "black_hole"),
    ("lose_reply", "on"),
    ("push_fault", "drop:*:0.4"),
    ("push_fault", "duplicate:*:0.5:2"),
    ("push_fault", "reorder:Orders:0.4"),
    ("reply_delay", "*:0.3:1500"),
    ("rest_fault", "502:*:0.3"),
)
WIDE = Limits(
    soft_notional="900000000",
    hard_notional="900000000",
    first_of_day=False,
    duplicate=0,
    runaway_count=10_000,
    max_open_sym=150,
)


@pytest.fixture
def venue() -> Iterator[Venue]:
    decimals.setup()
    running = Venue(
        "--seed", "7", "--set", "latency=normal", "--set", "rate_profile=off", "--set", "past=off", "--control"
    )
    yield running
    running.stop()


class Soak:
    """An engine, a hand that trades at random, and weather."""

    def __init__(self, venue: Venue) -> None:
        line, clock = venue.ready, HostClock()
        key = line["keys"][0]
        urls = (line["rest_url"], line["private_ws_url"], line["public_ws_url"])
        service = Service(rest_url=urls[0], private_ws_url=urls[1], public_ws_url=urls[2])
        self.venue = venue
        self.random = random.Random(11)
        self.placed: list[str] = []
        self.verdicts: Counter[Verdict] = Counter()
        self.guards: Counter[str] = Counter()
        self._working: set[asyncio.Task[None]] = set()
        self._portfolio = key["portfolioId"]
        self.engine = Engine(
            host_services(clock, HostConnector(urls, loopback_only=True)),
            Identity(environment=Environment.PAPER, service=service, portfolio=self._portfolio),
            signer=Signer(key["api_key"], Secret(key["api_secret"]), clock),
            updates=ConflatingQueue(),
            settings=EngineSettings(
                timings=Timings(reply_timeout=1.0, reconnect_first=0.05, reconnect_cap=0.5, connect_timeout=1.0),
                limits=WIDE,
                audits=AuditIntervals(orders=AUDIT_S, positions=AUDIT_S),
                finished_rows=600.0,
                fill_rows=50_000,
            ),
        )
        self.screen = Screen(self.engine.updates)

    async def until(self, what: Callable[[], bool], within: float) -> None:
        try:
            async with asyncio.timeout(within):
                while not what():
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise AssertionError(f"after {within:g} s still: {self._left()}") from None

    def _left(self) -> list[str]:
        rows = self.engine.state.orders.rows.values()
        odd = [
            row for row in rows if row.state == LocalOrderState.UNKNOWN or row.overlay.value or not is_final(row.state)
        ]
        return [
            f"synced {self.engine.state.synced}",
            *(f"{row.key} {row.state} {row.overlay} {row.reason}" for row in odd),
        ]

    async def storm(self, seconds: float) -> None:
        """Trade at random while one fault after the other comes and goes."""
        loop = asyncio.get_running_loop()
        end, turn, fault = loop.time() + seconds, loop.time() + 2.0, ""
        while loop.time() < end:
            self._act()
            await asyncio.sleep(self.random.uniform(0.01, 0.08))
            self.screen.look()
            if loop.time() >= turn:
                if fault:
                    self.venue.set(fault, SOUND[fault])
                    fault, turn = "", loop.time() + self.random.uniform(0.5, 2.0)
                else:
                    fault, value = self.random.choice(FAULTS)
                    self.venue.set(fault, value)
                    turn = loop.time() + self.random.uniform(0.5, 3.0)

    async def peace(self) -> None:
        """Everything is sound; wait until nothing is in question and nothing works any more."""
        for name, value in SOUND.items():
            self.venue.set(name, value)
        await asyncio.gather(*self._working)
        await self.until(lambda: self.engine.state.synced and not self._in_question(), HEAL_S)
        self.engine.set_trading_state(TradingState.ARMED)
        await self.engine.submit(CancelAll(decision=self._decision()))
        await self.until(lambda: not self._working_rows() and not self._in_question(), HEAL_S)

    def _decision(self) -> Decision:
        return Decision(
            environment=Environment.PAPER, portfolio=self._portfolio, state=TradingState.ARMED, source="soak"
        )

    def _working_rows(self) -> list[str]:
        rows = self.engine.state.orders.visible_rows()
        return [row.key for row in rows if not is_final(row.state) and row.state != LocalOrderState.UNKNOWN]

    def _in_question(self) -> bool:
        """Whether an order that the venue knows is UNKNOWN or under change; one that never arrived stays UNKNOWN."""
        self.screen.look()
        at_venue = set(self.orders())
        rows = self.engine.state.orders.rows.values()
        return any(row.key in at_venue and (row.state == LocalOrderState.UNKNOWN or row.overlay.value) for row in rows)

    def orders(self) -> dict[str, dict[str, Any]]:
        """Every order of the venue by client id; fails when one id stands for two."""
        found: dict[str, dict[str, Any]] = {}
        page = 1
        while True:
            data = self.venue.data(
                "GET", "/api/v1/trading/history/orders", {"page": str(page), "pageSize": "1000", "pageNum": str(page)}
            )
            for row in data["list"]:
                assert found.get(row["clientOrderId"], row)["orderId"] == row["orderId"], "sent twice"
                found[row["clientOrderId"]] = row
            if len(found) >= int(data["totalSize"]) or not data["list"]:
                return found
            page += 1

    def fills(self) -> dict[str, Decimal]:
        """Executed quantity by client id, summed over what the screen was told fill by fill."""
        total: defaultdict[str, Decimal] = defaultdict(Decimal)
        for row in self.screen.look().tables.get(Table.FILLS, {}).values():
            assert isinstance(row, Fact) and isinstance(row.record, TradeRecord)
            total[row.record.client_order_id] += Decimal(row.record.quantity)
        return total

    def _act(self) -> None:
        desk = self.engine.state
        if desk.trading.own.state is not TradingState.ARMED:
            self.engine.set_trading_state(TradingState.ARMED)
        decision, open_keys = self._decision(), self._working_rows()
        quote = desk.quotes.rows[SYM]
        if not quote.bid:
            return
        dice = self.random.random()
        price = Decimal(quote.bid) + TICK * self.random.randint(-30, 8)
        intent: Intent
        if dice < 0.5 and len(open_keys) < 100:
            side = self.random.choice((Side.BUY, Side.SELL))
            if side is Side.SELL:
                price = Decimal(quote.ask) + TICK * self.random.randint(-8, 30)
            qty = plain(Decimal(self.random.randint(1, 30)) / 1000)
            kind = OrderType.LIMIT
            intent = Place(
                decision=decision,
                sym=SYM,
                side=side,
                order_type=kind,
                qty=qty,
                price=plain(price),
                confirmed=ALL_GUARDS,
            )
        elif not open_keys:
            return
        elif dice < 0.65:
            row = desk.orders.rows[self.random.choice(open_keys)]
            total = plain(Decimal(row.qty) + Decimal("0.001"))
            intent = Replace(decision=decision, key=row.key, price=row.price, qty=total, confirmed=ALL_GUARDS)
        else:
            intent = Cancel(decision=decision, key=self.random.choice(open_keys))
        task = asyncio.create_task(self._submit(intent))
        self._working.add(task)
        task.add_done_callback(self._working.discard)

    async def _submit(self, intent: Intent) -> None:
        outcome = await self.engine.submit(intent)
        self.verdicts[outcome.verdict] += 1
        self.guards[outcome.guard] += 1
        if isinstance(intent, Place) and outcome.verdict not in (Verdict.DENIED, Verdict.ASK):
            self.placed.append(outcome.key)


ALL_GUARDS = frozenset(["DUPLICATE", "STALE", "BAND", "NOTIONAL", "FIRST", "FILLED", "SELF", "WIDE"])


@pytest.mark.real
@pytest.mark.timeout(300)
async def test_two_minutes_of_faults_lose_and_repeat_no_order(venue: Venue) -> None:
    soak = Soak(venue)
    soak.engine.watch((SYM,))
    running = asyncio.create_task(soak.engine.run())
    try:
        desk = soak.engine.state
        await soak.until(lambda: desk.synced and SYM in desk.quotes.rows and bool(desk.quotes.rows[SYM].bid), 20)
        await soak.storm(STORM_S)
        await soak.peace()
        at_venue, rows = soak.orders(), desk.orders.rows
        assert len(at_venue) >= 200, soak.verdicts
        assert set(at_venue) <= set(soak.placed), "an order nobody sent"
        wrong = [
            (key, rows[key].state, row["orderState"], rows[key].executed, row["executedQty"])
            for key, row in at_venue.items()
            if (rows[key].state, Decimal(rows[key].executed or 0)) != (row["orderState"], Decimal(row["executedQty"]))
        ]
        assert wrong == [], "what is shown is what the venue holds"
        executed = {key: Decimal(row["executedQty"]) for key, row in at_venue.items() if Decimal(row["executedQty"])}
        # A fill whose push was lost on a link that stayed up is found by the next audit.
        await soak.until(lambda: sum(soak.fills().values()) >= sum(executed.values()), 2 * AUDIT_S + 5)
        assert {key: qty for key, qty in soak.fills().items() if qty} == executed, "every fill was told, and told once"
        assert soak.engine.tasks.failures == 0
        print(f"{len(at_venue)} orders, {len(executed)} with fills, {dict(soak.verdicts)}, {dict(soak.guards)}")
    finally:
        soak.engine.stop()
        await running
