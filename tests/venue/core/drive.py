"""A venue for tests: a still or empty market, short words for commands, and events by kind."""

from __future__ import annotations

from typing import TypeVar

from tests import edition
from tests.venue.core.seeded import Seeded
from tui.interface.envelope import PlaceReply
from tui.interface.families.orders import CancelAllOrders, CancelOrder, OrderRecord, PlaceOrder, ReplaceOrder
from tui.interface.families.positions import AccountRecord
from tui.venue.core.commands import Advance, Command, MoveMarket, Rejected, Reply, SetSwitch
from tui.venue.core.events import Durable, Event, OrderChanged, OrderFilled
from tui.venue.core.exchange import Exchange
from tui.venue.core.participants.agents import Driver
from tui.venue.core.participants.replay import RecordedMarket
from tui.venue.core.state.exchange_state import State
from tui.venue.core.switches import Switches

START = 1_723_161_254_000
PERP = "BINANCE_PERP_BTC_USDT"
SPOT = "BINANCE_SPOT_BTC_USDT"
OKX = "OKX_PERP_BTC_USDT"

E = TypeVar("E", bound=Event)


class Desk:
    """Drives one exchange; `main` and `sub` are the ids of its portfolios."""

    def __init__(self, market: RecordedMarket | None = None, seed: str = "1", **switches: str) -> None:
        values = {"agents": "off", **edition.switches(), **switches}
        if market is not None:
            del values["agents"]
        self.now = START
        self.exchange = Exchange(random_source=Seeded(seed), start_ms=START, switches=Switches(values), market=market)
        self.durable: dict[tuple[str, str], Durable] = {}
        self.main, self.sub = self.exchange.queries.portfolios
        self.events: list[Event] = []
        self.log: list[Event] = []

    @property
    def state(self) -> State:
        """The tables of the exchange, for set-ups and assertions that no command and no query offers."""
        return self.exchange._state

    @property
    def driver(self) -> Driver | None:
        """What moves the market."""
        return self.exchange._driver

    def do(self, command: Command, after_ms: int = 0) -> Reply | None:
        """Apply a command; its events are in `events`, all so far in `log`."""
        self.now += after_ms
        reply, self.events = self.exchange.apply(command, self.now)
        self.log += self.events
        for row in self.exchange.drain_durable():
            self.durable[(row.table, row.key)] = row
        self.exchange.check()
        return reply

    def wait(self, ms: int = 10) -> None:
        self.do(Advance(), ms)

    def switch(self, name: str, value: str) -> None:
        self.do(SetSwitch(name=name, value=value))

    def steer(self, coin: str, price: str) -> None:
        self.do(MoveMarket(coin=coin, price=price))

    def try_place(self, side: str, qty: str, price: str = "", sym: str = PERP, **more: str | bool) -> Reply | None:
        """A placement of the main portfolio (or `portfolio=`); a price makes it a LIMIT order."""
        words: dict[str, str | bool] = {
            "portfolio": self.main,
            "order_type": "LIMIT" if price else "MARKET",
            "limit_price": price,
            **more,
        }
        return self.do(PlaceOrder(sym=sym, side=side, order_qty=qty, **words))  # type: ignore[arg-type]

    def place(self, side: str, qty: str, price: str = "", sym: str = PERP, **more: str | bool) -> str:
        """The same, accepted; returns the order id."""
        reply = self.try_place(side, qty, price, sym, **more)
        assert isinstance(reply, PlaceReply), reply
        return reply.order_id

    def sub_place(self, side: str, qty: str, price: str = "", sym: str = PERP, **more: str | bool) -> str:
        return self.place(side, qty, price, sym, portfolio=self.sub, **more)

    def replace(self, order_id: str, qty: str = "", price: str = "") -> Reply | None:
        command = ReplaceOrder(portfolio=self.main, order_id=order_id, replace_qty=qty, replace_price=price)
        return self.do(command)

    def cancel(self, order_id: str) -> Reply | None:
        return self.do(CancelOrder(portfolio=self.main, order_id=order_id))

    def cancel_all(self, *, exchange: str = "", sym: str = "") -> Reply | None:
        return self.do(CancelAllOrders(portfolio=self.main, exchange_type=exchange, sym=sym))

    def order(self, order_id: str, portfolio: str = "") -> OrderRecord:
        return self.exchange.queries.order(portfolio or self.main, order_id=order_id)

    def account(self) -> AccountRecord:
        """The account of the main portfolio on BINANCE."""
        return next(row for row in self.exchange.queries.accounts(self.main) if row.exchange_type == "BINANCE")

    def story(self, order_id: str) -> list[tuple[str, str]]:
        """(state, action) of every push of an order so far."""
        return [
            (event.record.order_state, event.record.action)
            for event in self.log
            if isinstance(event, OrderChanged) and event.record.order_id == order_id
        ]

    def fills(self, order_id: str) -> list[tuple[str, str]]:
        """(quantity, price) of every fill of an order so far."""
        return [
            (event.record.quantity, event.record.price)
            for event in self.log
            if isinstance(event, OrderFilled) and event.record.order_id == order_id
        ]

    def restarted(self, market: RecordedMarket | None = None, **switches: str) -> Exchange:
        """A second venue from the durable rows alone."""
        return Exchange.restore(
            self.durable.values(),
            random_source=Seeded("after"),
            now_ms=self.now + 1000,
            switches=Switches({"agents": "off", **edition.switches(), **switches}),
            market=market,
        )


def code(reply: Reply | None) -> int:
    """The code of a refusal, 0 when accepted."""
    return reply.code if isinstance(reply, Rejected) else 0
