"""Everything the exchange knows, and the lists of what changed: events to tell, rows to make durable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cached_property

import msgspec

from tui.interface.decimals import ZERO
from tui.interface.families.algo import AlgoRecord
from tui.interface.families.assets import AssetRecord
from tui.interface.families.history import StatementRecord, TradeRecord
from tui.interface.families.market import SymbolInfo
from tui.interface.families.orders import OrderRecord
from tui.interface.families.positions import (
    AccountRecord,
    ClosedType,
    PositionHistoryRecord,
    PositionMode,
    PositionRecord,
)
from tui.venue.core.accounts.ledger import Ledger, Posting, PostingLeg
from tui.venue.core.accounts.positions import ONE_WAY, Bot, Position, PositionKey, closed_row
from tui.venue.core.events import AlgoChanged, Event, OrderChanged, QuoteChanged
from tui.venue.core.market.marks import Marks
from tui.venue.core.market.symbols import Pair
from tui.venue.core.reports.past import NoPast, Past
from tui.venue.core.switches import Switches
from tui.venue.core.trading.algo_orders import AlgoOrder, AlgoTable
from tui.venue.core.trading.book import Book, Resting, Touch
from tui.venue.core.trading.orders import Order


class Portfolio(msgspec.Struct, frozen=True):
    """A main or sub portfolio."""

    id: str
    name: str
    level: str
    """`main` or `sub`."""


class Debt(msgspec.Struct, kw_only=True):
    """What a portfolio owes of one coin on a venue, in coins."""

    portfolio: str
    venue: str
    coin: str
    principal: Decimal = ZERO
    interest: Decimal = ZERO

    @property
    def total(self) -> Decimal:
        return self.principal + self.interest

    def of(self, venue: str, coin: str) -> bool:
        """Whether it is of this coin of this venue."""
        return self.venue == venue and self.coin == coin


class Counters(msgspec.Struct):
    """The last id given out of each kind; ids only rise."""

    order: int = 0
    trade: int = 0
    position: int = 0


class Changes:
    """What happened since the last step and was not told, shown or kept yet; the rows as shown last; what left memory."""

    def __init__(self) -> None:
        self.new_fills: dict[str, TradeRecord] = {}
        """Fills that were not made durable yet."""
        self.shown_orders: dict[str, OrderRecord] = {}
        self.shown_positions: dict[PositionKey, PositionRecord] = {}
        self.shown_assets: dict[tuple[str, str, str], AssetRecord] = {}
        self.shown_accounts: dict[tuple[str, str], AccountRecord] = {}
        self.asset_figures: dict[tuple[str, str, str], tuple[object, ...]] = {}
        self.account_figures: dict[tuple[str, str], tuple[object, ...]] = {}
        """What the shown rows were printed from: with the same figures the row is the same."""
        self.stale: dict[tuple[str, str], None] = {}
        """Rows (portfolio, venue) whose figures changed and were not shown yet."""
        self.risky: dict[tuple[str, str], bool] = {}
        """Rows (portfolio, venue) on a rung where the venue cancels orders, and that were not looked at yet."""
        self.taken: dict[str, None] = {}
        """Pairs where a trader took synthetic liquidity since the last step."""
        self.moved: dict[str, None] = {}
        """Pairs whose book changed and whose touch was not compared yet."""
        self.past: Past = NoPast()
        """Where rows are that left memory."""
        self.dropped: dict[str, int] = {}
        """How many rows of a numbered table have left memory."""
        self._events: list[Event] = []
        self._dirty: dict[tuple[str, str], None] = {}

    def tell(self, event: Event) -> None:
        self._events.append(event)

    def take_events(self) -> list[Event]:
        events, self._events = self._events, []
        return events

    def dirty(self, table: str, key: str) -> None:
        self._dirty[(table, key)] = None

    def take_dirty(self) -> list[tuple[str, str]]:
        dirty, self._dirty = list(self._dirty), {}
        return dirty


class State(Changes):
    """The tables. Whoever changes a durable one says so with `dirty`."""

    def __init__(self, pairs: Mapping[str, Pair], offered: Iterable[str], switches: Switches) -> None:
        super().__init__()
        self.pairs = pairs
        """Every pair that orders and positions may name."""
        self.offered = tuple(offered)
        """The pairs that trade now."""
        self.switches = switches
        self.now = 0
        self.at_us = 0
        """When the market acted last, µs: agents act between two ms."""
        self.counters = Counters()
        self.portfolios: dict[str, Portfolio] = {}
        self.books: dict[str, Book] = {sym: Book() for sym in pairs}
        self.touches: dict[str, Touch] = {}
        self.touch_ms: dict[str, int] = {}
        self.touch_us: dict[str, int] = {}
        self.quotes_from_book = True
        self.marks = Marks(pairs)
        self.ledger = Ledger()
        self.postings: list[Posting] = []
        self.frozen: dict[tuple[str, str, str], Decimal] = {}
        self.orders: dict[str, Order] = {}
        self.open: dict[str, dict[str, Order]] = {}
        self.resting: dict[str, Resting] = {}
        self.clients: dict[tuple[str, str], str] = {}
        self.algos = AlgoTable()
        self.halted: dict[str, str] = {}
        """Pairs that do not trade now, and the word for it in symbol info."""
        self.fills: dict[str, list[TradeRecord]] = {}
        self.prints = 0
        """Public trades so far; their ids are not durable."""
        self.positions: dict[PositionKey, Position] = {}
        self.closed: list[PositionHistoryRecord] = []
        """Positions that ended, oldest first."""
        self.funded = 0
        """Boundary of the last funding payment, ms; at first the start of the venue."""
        self.statements: list[StatementRecord] = []
        """Bookings that no other list has, oldest first."""
        self.modes: dict[tuple[str, str], str] = {}
        """Position mode by portfolio and venue, where it was ever set; NET elsewhere."""
        self.leverages: dict[tuple[str, str], int] = {}
        """Leverage by portfolio and pair, where it was ever set."""
        self.debts: dict[tuple[str, str, str], Debt] = {}
        """By portfolio, venue and coin; only what is owed."""
        self.margin_leverages: dict[tuple[str, str, str], int] = {}
        """Margin leverage by portfolio, venue and coin, where it was ever set."""
        self.accrued = 0
        """The last full hour that interest was charged for, ms; at first the start of the venue."""
        self.bots: dict[str, list[Bot]] = {}
        self.house: dict[str, int] = {}

    @cached_property
    def infos(self) -> dict[str, SymbolInfo]:
        """Rules of the offered pairs, as they are while nothing is halted."""
        return {sym: self.pairs[sym].info() for sym in self.offered}

    # -- telling ---------------------------------------------------------------------------------------------------

    def tell_order(self, order: Order) -> None:
        """One change of an order: stamp it, keep it, push it."""
        order.touch(self.now)
        self.dirty("order", order.id)
        record = self.shown_orders[order.id] = self._record(order)
        self.tell(OrderChanged(order.portfolio, record))

    def order_record(self, order: Order) -> OrderRecord:
        """An order as it is printed: as it was told last, because every change is told."""
        record = self.shown_orders.get(order.id)
        if record is None:
            record = self._record(order)
            if order.id in self.orders:
                self.shown_orders[order.id] = record
        return record

    def _record(self, order: Order) -> OrderRecord:
        return order.record(self.pairs[order.sym], self.portfolios[order.portfolio].name)

    def tell_algo(self, algo: AlgoOrder) -> None:
        """One change of an algo order: stamp it, keep it, push it."""
        algo.updated = max(self.now, algo.updated + 1)
        self.dirty("algo", algo.id)
        self.tell(AlgoChanged(algo.portfolio, algo.record(self.pairs[algo.sym])))
        if algo.protects:
            self.stale[(algo.portfolio, self.pairs[algo.sym].exchange)] = None

    def tell_touches(self) -> None:
        """Publish the touches that changed since the last call."""
        if self.quotes_from_book:
            for sym in self.moved:
                self.publish_touch(sym, self.books[sym].touch())
        self.moved.clear()

    def publish_touch(self, sym: str, touch: Touch) -> None:
        """Push a touch if it differs from the one shown."""
        if touch == self.touches.get(sym):
            return
        self.touches[sym] = touch
        self.touch_ms[sym] = self.now
        self.touch_us[sym] = self.moment(sym)
        self.tell(self.quote_event(sym))

    def quote_event(self, sym: str) -> QuoteChanged:
        pair, touch = self.pairs[sym], self.touches[sym]
        return QuoteChanged(
            sym,
            pair.price_text(touch.bid),
            pair.qty_text(touch.bid_lots),
            pair.price_text(touch.ask),
            pair.qty_text(touch.ask_lots),
            self.touch_ms[sym],
            self.touch_us[sym],
        )

    def moment(self, sym: str) -> int:
        """Time of what a pair shows now, µs; it never goes back."""
        return max(self.at_us, self.now * 1000 - 999, self.touch_us.get(sym, 0))

    # -- ids -------------------------------------------------------------------------------------------------------

    def next_id(self, kind: str) -> str:
        """A fresh id: `order` (16 digits), `trade` and `position` (17 digits)."""
        value = int(getattr(self.counters, kind)) + 1
        setattr(self.counters, kind, value)
        self.dirty("counters", "")
        return str(value)

    # -- reading ---------------------------------------------------------------------------------------------------

    def valuation(self, pair: Pair) -> Decimal:
        return self.marks.valuation(pair, self.touches)

    def mode(self, portfolio: str, venue: str) -> str:
        """Position mode of a portfolio on a venue."""
        return self.modes.get((portfolio, venue), PositionMode.NET)

    def leverage(self, portfolio: str, pair: Pair) -> int:
        """Leverage of a portfolio on a pair."""
        return self.leverages.get((portfolio, pair.sym), pair.default_leverage)

    def held(self, portfolio: str, sym: str, leg: str = ONE_WAY) -> int:
        """Signed lots of a position."""
        position = self.positions.get((portfolio, sym, leg))
        return position.lots if position is not None else 0

    def venues(self, portfolio: str) -> list[str]:
        """Venues where a portfolio has an account, in their fixed order."""
        return list(self.ledger.coins().get(portfolio, {}))

    def coins(self, portfolio: str, venue: str) -> list[str]:
        """Coins with a row, the settlement coin first."""
        return list(self.ledger.coins().get(portfolio, {}).get(venue, ()))

    def available(self, portfolio: str, venue: str, coin: str) -> Decimal:
        """Balance that no open order holds."""
        key = (portfolio, venue, coin)
        return self.ledger.balances.get(key, ZERO) - self.frozen.get(key, ZERO)

    def open_on(self, portfolio: str, venue: str) -> Iterator[Order]:
        """Open orders on a venue, oldest first."""
        for order in self.open.get(portfolio, {}).values():
            if self.pairs[order.sym].exchange == venue:
                yield order

    def reducible(self, order: Order) -> int:
        """Lots of the position that the order would reduce; an order that opens a leg reduces nothing."""
        held = self.held(order.portfolio, order.sym, order.leg)
        return abs(held) if held and (held > 0) != order.is_buy else 0

    def protections(self, portfolio: str, sym: str, leg: str) -> list[AlgoRecord]:
        """Open algo orders that protect a position, oldest first."""
        return [
            algo.record(self.pairs[sym])
            for algo in self.algos.on(portfolio, sym)
            if algo.leg == leg and algo.protects and not algo.sleeps
        ]

    # -- changing --------------------------------------------------------------------------------------------------

    def post(self, reason: str, reference: str, legs: Iterable[PostingLeg]) -> None:
        """Book in the ledger and keep what was booked."""
        posting = self.ledger.post(self.now, reason, reference, legs)
        self.postings.append(posting)
        self.dirty("posting", str(posting.id))
        for leg in posting.legs:
            self.dirty("balance", f"{leg.owner}|{leg.venue}|{leg.coin}")

    def keep_closed(self, pair: Pair, ended: Position, closed_type: ClosedType = ClosedType.COMPLETE_CLOSED) -> None:
        """A position ended by its owner's own fills, or by an order of the venue."""
        owner = ended.portfolio
        row = closed_row(
            ended,
            pair,
            now_ms=self.now,
            name=self.portfolios[owner].name,
            leverage=self.leverage(owner, pair),
            mode=self.mode(owner, pair.exchange),
            closed_type=closed_type,
        )
        self.closed.append(row)
        self.dirty("closed", str(self.dropped.get("closed", 0) + len(self.closed)))

    def set_hold(self, order: Order, amount: Decimal) -> None:
        """Freeze exactly this much for the order."""
        if amount == order.hold:
            return
        key = (order.portfolio, self.pairs[order.sym].exchange, order.hold_coin)
        self.frozen[key] = self.frozen.get(key, ZERO) + amount - order.hold
        order.hold = amount
        self.dirty("order", order.id)

    def add_order(self, order: Order) -> None:
        """Register an open order."""
        self.orders[order.id] = order
        self.open.setdefault(order.portfolio, {})[order.id] = order
        self.clients[(order.portfolio, order.client_id)] = order.id

    def position(self, portfolio: str, sym: str, leg: str) -> Position:
        """The position of a pair or leg, opened with a fresh id when there is none."""
        key = (portfolio, sym, leg)
        found = self.positions.get(key)
        if found is None:
            found = Position(id=self.next_id("position"), portfolio=portfolio, sym=sym, leg=leg, created=self.now)
            self.positions[key] = found
        return found
