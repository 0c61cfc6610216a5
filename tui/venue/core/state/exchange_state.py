"""State of the exchange: tables, last pushed records, and the changes of the current step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
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
from tui.venue.core.events import AlgoChanged, Event, OrderChanged, QuoteChanged
from tui.venue.core.market.book import Book, BookTouch, Resting
from tui.venue.core.market.candles import Candles
from tui.venue.core.market.marks import Marks
from tui.venue.core.market.symbols import VENUES, Pair
from tui.venue.core.state.algo_orders import AlgoOrder, AlgoTable
from tui.venue.core.state.archive_reader import ArchiveReader, EmptyArchive
from tui.venue.core.state.funds.deposits import Deposit, Withdrawal
from tui.venue.core.state.funds.fund_accounts import FundAccount, Side
from tui.venue.core.state.funds.movements import MovementTable
from tui.venue.core.state.funds.transfers import Bill, TransferTable
from tui.venue.core.state.ledger import Ledger, Posting, PostingLeg
from tui.venue.core.state.liquidations import LiquidationTable
from tui.venue.core.state.loans import LoanTable
from tui.venue.core.state.markups import MarkupTable
from tui.venue.core.state.orders import Order
from tui.venue.core.state.portfolios import ApiKey, Portfolio
from tui.venue.core.state.positions import ONE_WAY, Bot, Position, PositionKey, history_record, reducible_lots
from tui.venue.core.switches import Switches


class Debt(msgspec.Struct, kw_only=True):
    """Debt of a portfolio in one coin on a venue, in coins."""

    portfolio: str
    venue: str
    coin: str
    principal: Decimal = ZERO
    interest: Decimal = ZERO

    @property
    def total(self) -> Decimal:
        return self.principal + self.interest

    def matches(self, venue: str, coin: str) -> bool:
        """Report whether the debt is in this coin and on this venue."""
        return self.venue == venue and self.coin == coin


class Counters(msgspec.Struct):
    """Last id used of each kind; ids only increase."""

    order: int = 0
    trade: int = 0
    position: int = 0
    liquidation: int = 2_176_000_000_000_000
    api_key: int = 0
    transfer: int = 2_520_000_000_000_000
    bill: int = 2_620_000_000_000_000
    withdrawal: int = 2_720_000_000_000_000
    deposit: int = 2_820_000_000_000_000
    loan: int = 185_647_807_523_192_000


class FirstStart(msgspec.Struct, frozen=True, kw_only=True):
    """First start of a venue, and the last ids before it; rows with earlier ids belong to the invented history."""

    ms: int
    order: int
    trade: int
    position: int


class PublishedRows:
    """Records as last pushed; queries return these."""

    def __init__(self) -> None:
        self.orders: dict[str, OrderRecord] = {}
        self.positions: dict[PositionKey, PositionRecord] = {}
        self.closed: dict[PositionKey, PositionRecord] = {}
        """Last records of closed positions, until the next position of the key: its update times are later."""
        self.assets: dict[tuple[str, str, str], AssetRecord] = {}
        self.accounts: dict[tuple[str, str], AccountRecord] = {}
        self.asset_figures: dict[tuple[str, str, str], tuple[object, ...]] = {}
        self.account_figures: dict[tuple[str, str], tuple[object, ...]] = {}
        """Figures from which the rows were made: equal figures give an equal row."""


class Changes:
    """Changes since the last step: events to publish, rows to store, figures to recompute."""

    def __init__(self) -> None:
        self.new_fills: dict[str, TradeRecord] = {}
        """Fills that are not durable yet."""
        self.stale: dict[tuple[str, str], None] = {}
        """Rows (portfolio, venue) whose figures changed and are not published yet."""
        self.risky: dict[tuple[str, str], bool] = {}
        """Rows (portfolio, venue) at risk, or just out of it, not enforced yet; True when the status got worse."""
        self.overlent: dict[tuple[str, str], None] = {}
        """Rows (portfolio, venue) whose portfolio loans must be repaid by liquidation, not enforced yet."""
        self.taken: dict[str, None] = {}
        """Pairs where a trader took synthetic liquidity since the last step."""
        self.moved: dict[str, None] = {}
        """Pairs whose book changed and whose touch is not published yet."""
        self._events: list[Event] = []
        self._dirty: dict[tuple[str, str], None] = {}

    def publish(self, event: Event) -> None:
        self._events.append(event)

    def take_events(self) -> list[Event]:
        """Return the events since the last call, in order, and forget them."""
        events, self._events = self._events, []
        return events

    def dirty(self, table: str, key: str) -> None:
        """Mark a stored row as changed, by its table and its key in it."""
        self._dirty[(table, key)] = None

    def take_dirty(self) -> list[tuple[str, str]]:
        """Return (table, key) of the rows that changed since the last call, and forget them."""
        dirty, self._dirty = list(self._dirty), {}
        return dirty


@dataclass(eq=False)
class State:
    """Tables of the exchange. Code that changes a stored row must mark it with `changes.dirty`."""

    pairs: Mapping[str, Pair]
    """All pairs that orders and positions may name."""
    offered: tuple[str, ...]
    """Pairs that trade now."""
    switches: Switches
    changes: Changes = field(default_factory=Changes)
    published: PublishedRows = field(default_factory=PublishedRows)
    past: ArchiveReader = field(default_factory=EmptyArchive)
    """Rows that left memory."""
    dropped: dict[str, int] = field(default_factory=dict)
    """Number of rows of a numbered table that have left memory."""
    now: int = 0
    at_us: int = 0
    """Time of the last market event, µs: agents act between two ms."""
    counters: Counters = field(default_factory=Counters)
    first_start: FirstStart | None = None
    """None when the venue has no past."""
    portfolios: dict[str, Portfolio] = field(default_factory=dict)
    api_keys: dict[str, ApiKey] = field(default_factory=dict)
    """Keys created for portfolios, by access key."""
    books: dict[str, Book] = field(init=False)
    touches: dict[str, BookTouch] = field(default_factory=dict)
    touch_ms: dict[str, int] = field(default_factory=dict)
    touch_us: dict[str, int] = field(default_factory=dict)
    quotes_from_book: bool = True
    marks: Marks = field(init=False)
    candles: Candles = field(default_factory=Candles)
    ledger: Ledger = field(default_factory=Ledger)
    postings: list[Posting] = field(default_factory=list)
    frozen: dict[tuple[str, str, str], Decimal] = field(default_factory=dict)
    orders: dict[str, Order] = field(default_factory=dict)
    open: dict[str, dict[str, Order]] = field(default_factory=dict)
    resting: dict[str, Resting] = field(default_factory=dict)
    clients: dict[tuple[str, str], str] = field(default_factory=dict)
    algos: AlgoTable = field(default_factory=AlgoTable)
    liquidations: LiquidationTable = field(default_factory=LiquidationTable)
    fund_accounts: dict[str, FundAccount] = field(default_factory=dict)
    """Accounts other than portfolios, by id."""
    transfers: TransferTable = field(default_factory=TransferTable)
    withdrawals: MovementTable[Withdrawal] = field(default_factory=MovementTable)
    deposits: MovementTable[Deposit] = field(default_factory=MovementTable)
    deposit_venues: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """Venue of deposits by portfolio, currency and network when it was set; BINANCE otherwise."""
    bills: dict[str, Bill] = field(default_factory=dict)
    """By id, oldest first."""
    halted: dict[str, str] = field(default_factory=dict)
    """Pairs that do not trade now, with their state in symbol info."""
    fills: dict[str, list[TradeRecord]] = field(default_factory=dict)
    prints: int = 0
    """Public trades so far; their ids are not durable."""
    positions: dict[PositionKey, Position] = field(default_factory=dict)
    closed: list[PositionHistoryRecord] = field(default_factory=list)
    """Closed positions, oldest first."""
    funded: int = 0
    """Boundary of the last funding payment, ms; at first the start of the venue."""
    statements: list[StatementRecord] = field(default_factory=list)
    """Rows of the statement, oldest first."""
    modes: dict[tuple[str, str], str] = field(default_factory=dict)
    """Position mode by portfolio and venue when it was set; NET otherwise."""
    leverages: dict[tuple[str, str], int] = field(default_factory=dict)
    """Leverage by portfolio and pair when it was set."""
    debts: dict[tuple[str, str, str], Debt] = field(default_factory=dict)
    """Margin debts by portfolio, venue and coin; none of 0."""
    loans: LoanTable = field(default_factory=LoanTable)
    markups: MarkupTable = field(default_factory=MarkupTable)
    margin_leverages: dict[tuple[str, str, str], int] = field(default_factory=dict)
    """Margin leverage by portfolio, venue and coin when it was set."""
    accrued: int = 0
    """Last full hour for which interest was charged, ms; at first the start of the venue."""
    bots: dict[str, list[Bot]] = field(default_factory=dict)
    house: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.books = {sym: Book() for sym in self.pairs}
        self.marks = Marks(self.pairs)

    @cached_property
    def infos(self) -> dict[str, SymbolInfo]:
        """Trading rules of the offered pairs, as they are while no pair is halted."""
        return {sym: self.pairs[sym].info() for sym in self.offered}

    # -- publishing ------------------------------------------------------------------------------------------------

    def publish_order(self, order: Order) -> None:
        """Publish a change of an order: set its update time, mark its row for storage, push its record."""
        order.touch(self.now)
        self.changes.dirty("order", order.id)
        record = self.published.orders[order.id] = self._record(order)
        self.changes.publish(OrderChanged(order.portfolio, record))

    def order_record(self, order: Order) -> OrderRecord:
        """Return the record of an order as last pushed; every change is pushed."""
        record = self.published.orders.get(order.id)
        if record is None:
            record = self._record(order)
            if order.id in self.orders:
                self.published.orders[order.id] = record
        return record

    def _record(self, order: Order) -> OrderRecord:
        return order.record(self.pairs[order.sym], self.portfolios[order.portfolio].name)

    def publish_algo(self, algo: AlgoOrder) -> None:
        """Publish a change of an algo order: set its update time, mark its row for storage, push its record."""
        algo.updated = max(self.now, algo.updated + 1)
        self.changes.dirty("algo", algo.id)
        self.changes.publish(AlgoChanged(algo.portfolio, algo.record(self.pairs[algo.sym])))
        if algo.is_protection:
            self.changes.stale[(algo.portfolio, self.pairs[algo.sym].exchange)] = None

    def publish_touches(self) -> None:
        """Publish the best bids and asks that changed since the last call."""
        if self.quotes_from_book:
            for sym in self.changes.moved:
                self.publish_touch(sym, self.books[sym].touch())
        self.changes.moved.clear()

    def publish_touch(self, sym: str, touch: BookTouch) -> None:
        """Publish the best bid and ask of a pair if they differ from the last published ones."""
        if touch == self.touches.get(sym):
            return
        self.touches[sym] = touch
        self.touch_ms[sym] = self.now
        self.touch_us[sym] = self.moment(sym)
        self.changes.publish(self.quote_event(sym))

    def quote_event(self, sym: str) -> QuoteChanged:
        """Build the event of the present quote of a pair, with its times."""
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
        """Return the time of a pair's current quote, µs; it never decreases."""
        return max(self.at_us, self.now * 1000 - 999, self.touch_us.get(sym, 0))

    # -- ids -------------------------------------------------------------------------------------------------------

    def next_id(self, kind: str) -> str:
        """Return a new id: 16 digits (orders, liquidations, money), 17 (trades, positions), 18 (loans), or a count."""
        value = int(getattr(self.counters, kind)) + 1
        setattr(self.counters, kind, value)
        self.changes.dirty("counters", "")
        return str(value)

    # -- reading ---------------------------------------------------------------------------------------------------

    @property
    def main_portfolio(self) -> Portfolio:
        """Main portfolio of the user; there is always one."""
        return next(portfolio for portfolio in self.portfolios.values() if portfolio.is_main)

    def valuation(self, pair: Pair) -> Decimal:
        return self.marks.valuation(pair, self.touches)

    def mode(self, portfolio: str, venue: str) -> str:
        """Return the position mode of a portfolio on a venue."""
        return self.modes.get((portfolio, venue), PositionMode.NET)

    def leverage(self, portfolio: str, pair: Pair) -> int:
        """Return the leverage of a portfolio on a pair."""
        return self.leverages.get((portfolio, pair.sym), pair.default_leverage)

    def position_lots(self, portfolio: str, sym: str, leg: str = ONE_WAY) -> int:
        """Return the signed lots of a position; 0 without one."""
        position = self.positions.get((portfolio, sym, leg))
        return position.lots if position is not None else 0

    def venues(self, portfolio: str) -> list[str]:
        """List the venues where a portfolio has an account, in their fixed order."""
        held = self.ledger.coins().get(portfolio, {})
        owner = self.portfolios.get(portfolio)
        if owner is None or not owner.venues:
            return list(held)
        return [venue for venue in VENUES if venue in held or venue in owner.venues]

    def coins(self, portfolio: str, venue: str) -> list[str]:
        """List the coins in which a portfolio has a ledger balance on a venue, also one of 0; the settlement coin first."""
        return list(self.ledger.coins().get(portfolio, {}).get(venue, ()))

    def available(self, portfolio: str, venue: str, coin: str) -> Decimal:
        """Return the balance that is not held by open orders."""
        key = (portfolio, venue, coin)
        return self.ledger.balances.get(key, ZERO) - self.frozen.get(key, ZERO)

    def open_on(self, portfolio: str, venue: str) -> Iterator[Order]:
        """Iterate over a portfolio's open orders on a venue, oldest first."""
        for order in self.open.get(portfolio, {}).values():
            if self.pairs[order.sym].exchange == venue:
                yield order

    def reducible(self, order: Order) -> int:
        """Return the lots of the position that an order would reduce; 0 for an order that opens a leg."""
        return reducible_lots(self.position_lots(order.portfolio, order.sym, order.leg), is_buy=order.is_buy)

    def protections(self, portfolio: str, sym: str, leg: str) -> list[AlgoRecord]:
        """List the open algo orders that protect a position, oldest first."""
        return [
            algo.record(self.pairs[sym])
            for algo in self.algos.on(portfolio, sym)
            if algo.leg == leg and algo.is_protection and not algo.is_dormant
        ]

    # -- changing --------------------------------------------------------------------------------------------------

    def post(self, reason: str, reference: str, legs: Iterable[PostingLeg]) -> None:
        """Book a posting in the ledger and mark it for storage."""
        posting = self.ledger.post(self.now, reason, reference, legs)
        self.postings.append(posting)
        self.changes.dirty("posting", str(posting.id))
        for leg in posting.legs:
            self.changes.dirty("balance", f"{leg.owner}|{leg.venue}|{leg.coin}")

    def record_closed(self, pair: Pair, ended: Position, closed_type: ClosedType = ClosedType.COMPLETE_CLOSED) -> None:
        """Record a position closed by its owner's fills or by a liquidation order."""
        owner = ended.portfolio
        row = history_record(
            ended,
            pair,
            now_ms=self.now,
            name=self.portfolios[owner].name,
            leverage=self.leverage(owner, pair),
            mode=self.mode(owner, pair.exchange),
            closed_type=closed_type,
        )
        self.closed.append(row)
        self.changes.dirty("closed", str(self.dropped.get("closed", 0) + len(self.closed)))

    def set_hold(self, order: Order, amount: Decimal) -> None:
        """Set the amount held for an order."""
        if amount == order.hold:
            return
        key = (order.portfolio, self.pairs[order.sym].exchange, order.hold_coin)
        self.frozen[key] = self.frozen.get(key, ZERO) + amount - order.hold
        order.hold = amount
        self.changes.dirty("order", order.id)

    def freeze(self, side: Side, coin: str, amount: Decimal) -> None:
        """Freeze an amount of an account or portfolio; a negative amount is released."""
        key = (*side, coin)
        self.frozen[key] = self.frozen.get(key, ZERO) + amount
        self.mark_stale(side)

    def mark_stale(self, side: Side) -> None:
        """Mark a portfolio's account for recomputing and pushing; other accounts are ignored."""
        if side.owner in self.portfolios:
            self.changes.stale[(side.owner, side.venue)] = None

    def add_order(self, order: Order) -> None:
        """Register an open order."""
        self.orders[order.id] = order
        self.open.setdefault(order.portfolio, {})[order.id] = order
        self.clients[(order.portfolio, order.client_id)] = order.id

    def position(self, portfolio: str, sym: str, leg: str) -> Position:
        """Return the position of a pair and leg; create one with a new id when there is none."""
        key = (portfolio, sym, leg)
        position = self.positions.get(key)
        if position is None:
            position = Position(id=self.next_id("position"), portfolio=portfolio, sym=sym, leg=leg, created=self.now)
            self.positions[key] = position
        return position
