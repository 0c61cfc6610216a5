"""Orders that a desk draws in a campaign of kills, and a trader whose window lives through all of them."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

import msgspec

from tests.desk_protocol.desks import BTC, DeskOf
from tui.desk_protocol.messages import COMMAND_S
from tui.engine.intents import GUARD_JOINT, Cancel, Outcome, Place, Verdict
from tui.engine.limits import Limits
from tui.engine.modes import RiskMode, TradingState
from tui.engine.orders.dismissal import dismissal_block_reason
from tui.engine.rows import LocalOrderState, QuoteRow, Table
from tui.engine.settings import EngineSettings
from tui.interface.families.orders import Side, TimeInForce

TICK = Decimal("0.1")
MOST_OPEN = 30
"""Limit on working orders, which traders that keep every third order reach again and again."""
WIDE = EngineSettings(
    pulse=0.05,
    fill_rows=10_000,
    limits=Limits(
        first_of_day=False, max_open=MOST_OPEN, max_open_sym=5_000, runaway_count=10_000,
        new_attempt_rounds=2, new_attempt_age=0.5,
    ),
)  # fmt: skip
"""Limits of which a campaign reaches that on open orders alone; what never arrived may be dismissed soon."""
TAKES_EVERY = 4
"""Orders of which one takes at the touch."""
PAUSE_S = 0.05
"""Pause of a trader between two orders, so that the budget of requests lasts, s."""
LEVELS = 200
"""Prices through the touch on which a desk takes; it goes through them again with other sizes."""


class Mark(NamedTuple):
    """Price and size of an order, which no other order of a campaign has."""

    price: Decimal
    qty: Decimal

    def __str__(self) -> str:
        return f"{self.price} {self.qty}"


def mark_of(row: Mapping[str, Any]) -> Mark:
    """Read the mark of an order of the venue's record."""
    return Mark(Decimal(row["limitPrice"]), Decimal(row["orderQty"]))


def expires_ms() -> int:
    """Wall time after which an order that is sent now must not be made at the venue, ms."""
    return round((time.time() + COMMAND_S) * 1000)


class OrderSeries:
    """Series of orders, each with a mark of its own: most rest far from the market, some take at the touch."""

    def __init__(self, window: DeskOf, first_price: Decimal, share: int) -> None:
        """Initialize it with the lowest price of orders that rest; no other desk has the same `share` of the touch."""
        self._window = window
        self._first_price = first_price
        self._share = share
        quote = window.screen.look().tables[Table.QUOTES][BTC]
        assert isinstance(quote, QuoteRow)
        self._bid, self._ask = Decimal(quote.bid), Decimal(quote.ask)

    def draw(self, number: int) -> Place:
        """Return the order of a number, under the present decision of the window."""
        if number % TAKES_EVERY:
            return self._window.buy(str(self._first_price + number * TICK))
        turn, is_sale = divmod(number // TAKES_EVERY, 2)
        through = (self._share * LEVELS + turn % LEVELS + 1) * TICK
        qty = Decimal("0.010") + turn // LEVELS * Decimal("0.001")
        price = self._bid - through if is_sale else self._ask + through
        return msgspec.structs.replace(
            self._window.buy(str(price), str(qty)),
            side=Side.SELL if is_sale else Side.BUY,
            time_in_force=TimeInForce.IOC,
        )


def mark_of_intent(place: Place) -> Mark:
    """Return the mark of an order to be sent."""
    return Mark(Decimal(place.price), Decimal(place.qty))


def confirm(place: Place, asked: Outcome) -> Place:
    """Return the order with a `y` to everything that was asked."""
    return msgspec.structs.replace(place, confirmed=place.confirmed | set(asked.guard.split(GUARD_JOINT)))


class SteadyTrader:
    """Trader who sends orders all the time: answers questions, dismisses what never arrived, makes room at a limit."""

    def __init__(self, window: DeskOf, first_price: Decimal, share: int = 0) -> None:
        self.window = window
        self._first_price, self._share = first_price, share
        self.outcomes: dict[Mark, Outcome] = {}
        self.expires: dict[Mark, int] = {}
        """Wall time after which an order must not be made, ms."""
        self.begun = self.accepted = self.asked = self.dismissed = 0
        self.guards: Counter[str] = Counter()
        """Denials by guard."""
        self.seen: set[str] = set()
        """Fills that its window showed."""
        self._stopping = False

    async def trade(self) -> None:
        """Send orders until `stop`."""
        series = OrderSeries(self.window, self._first_price, self._share)
        for number in itertools.count():
            while not (self._stopping or self.is_back()):
                await asyncio.sleep(0.05)
            if self._stopping:
                return
            if self.window.status().trading_state is TradingState.VIEW:
                self.window.thread.set_trading_state(TradingState.ARMED)
            self._dismiss_lost()
            outcome = await self._send(series.draw(number))
            if outcome.guard in ("LIMIT", "MODE"):
                await self._make_room()
            elif outcome.verdict is Verdict.ACCEPTED and number % TAKES_EVERY and number % 3:
                await self.window.submit(Cancel(decision=self.window.buy("1").decision, key=outcome.key))
            await asyncio.sleep(outcome.retry_after or PAUSE_S)

    async def _send(self, place: Place) -> Outcome:
        mark = mark_of_intent(place)
        self.expires[mark] = expires_ms()
        self.begun += 1
        outcome = await self.window.submit(place)
        if outcome.verdict is Verdict.ASK:
            self.asked += 1
            self.expires[mark] = expires_ms()
            outcome = await self.window.submit(confirm(place, outcome))
        self.outcomes[mark] = outcome
        self.accepted += outcome.verdict is Verdict.ACCEPTED
        self.guards.update([outcome.guard] if outcome.verdict is Verdict.DENIED else [])
        return outcome

    def _dismiss_lost(self) -> None:
        """Dismiss orders that were searched for long enough: they never reached the venue."""
        status, clock = self.window.status(), time.monotonic()
        for key, row in self.window.orders().items():
            if row.state == LocalOrderState.UNKNOWN and not dismissal_block_reason(row, status.limits, clock):
                self.window.thread.dismiss(key)
                self.dismissed += 1

    async def _make_room(self) -> None:
        """Cancel every order that works, whoever sent it, and go on."""
        decision = self.window.buy("1").decision
        working = [row.key for row in self.window.orders().values() if row.order_id and not row.final]
        await asyncio.gather(*(self.window.submit(Cancel(decision=decision, key=key)) for key in working))
        self.window.thread.set_risk_mode(RiskMode.NORMAL)

    def see_fills(self) -> set[str]:
        """Note the fills that the window shows now; return all that it ever showed."""
        self.seen |= self.window.screen.look().tables.get(Table.FILLS, {}).keys()
        return self.seen

    def stop(self) -> None:
        self._stopping = True

    def is_back(self) -> bool:
        """Whether its window is in step and may send."""
        return self.window.is_back()
