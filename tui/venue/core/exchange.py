"""Exchange: commands and time in, replies and events out."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from decimal import Decimal
from enum import IntEnum
from functools import partial
from typing import Any

from tui.interface.decimals import half_up, plain
from tui.interface.envelope import PlaceReply
from tui.interface.families.market import Interval
from tui.interface.families.orders import PlaceOrder
from tui.protocols import RandomSource
from tui.venue.core import invariants, new_venue
from tui.venue.core.accounts import (
    account_figures,
    account_settings,
    adl_ranks,
    api_keys,
    dividends,
    fee_schedules,
    lending,
    portfolio_loans,
    portfolios,
)
from tui.venue.core.accounts.funding import SAMPLE_MS, Funding
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.commands import Advance, Command, Handlers, MoveMarket, PayDividend, Rejected, Reply, SetSwitch
from tui.venue.core.events import Durable, Event, IndexChanged, MarkChanged
from tui.venue.core.funds import accounts as fund_accounts
from tui.venue.core.funds import pending_movements
from tui.venue.core.funds.asset_overview import AssetOverview
from tui.venue.core.funds.queries import FundQueries
from tui.venue.core.liquidation import insurance
from tui.venue.core.liquidation.ladder import RiskLadder
from tui.venue.core.liquidation.loan_liquidation import LoanLiquidation
from tui.venue.core.market.candles import Bar, Candles
from tui.venue.core.market.marks import PERIOD_MS, PLACES
from tui.venue.core.market.symbols import SHIPPED
from tui.venue.core.participants.agents import Agents, Driver
from tui.venue.core.participants.replay import RecordedMarket, Replay
from tui.venue.core.past.bars import BarHistory
from tui.venue.core.past.booking import Past
from tui.venue.core.past.money import add_movements
from tui.venue.core.queries import Queries
from tui.venue.core.state import aging, durable
from tui.venue.core.state.archive_reader import ArchivedRow, ArchiveReader, EmptyArchive
from tui.venue.core.state.exchange_state import State
from tui.venue.core.switches import BadSwitch, Switches
from tui.venue.core.trading import delisting, field_checks, matching, order_checks, protection
from tui.venue.core.trading.algos import Algos
from tui.venue.core.trading.closing import PositionCloser
from tui.venue.core.trading.pending_changes import PendingChanges

MAX_LAG_MS = 10_000
"""Lag (after the machine slept) beyond which a market continues from now instead of catching up."""

_HALTING = ("suspended", "delisted")
"""Switches that stop the trading of pairs."""

_SHARE = re.compile(r"[+-][0-9]{1,2}(\.[0-9]{1,4})?%")
"""Change of the index by less than 100 %."""

_STORED_EVERY = 5
"""Mark periods between two durable rows of the market: last prices, minutes of the last day."""


_HANDLERS: tuple[Handlers, ...] = (
    account_settings.HANDLERS,
    fee_schedules.HANDLERS,
    pending_movements.HANDLERS,
    portfolio_loans.HANDLERS,
    portfolios.HANDLERS,
    api_keys.HANDLERS,
)


class Due(IntEnum):
    """Kinds of work that time brings; of several that are due at the same time, the first comes first."""

    CHANGE = 0
    """Pending change of an order."""
    ALGO = 1
    """Activation or cancel of an algo order."""
    MARKET = 2
    MARKS = 3
    FUNDING = 4
    INTEREST = 5
    MOVEMENT = 6
    """Movement of money between accounts or networks."""


class Exchange:
    """Simulated venue with its portfolios. Times are Unix ms given by the caller and never decrease."""

    def __init__(
        self,
        *,
        random_source: RandomSource,
        start_ms: int,
        switches: Switches,
        market: RecordedMarket | None = None,
        past: ArchiveReader | None = None,
    ) -> None:
        """Create a new venue with a main and a sub portfolio, their initial balances, and a market."""
        self._assemble(random_source, start_ms, switches, market, past)
        new_venue.create_rows(self._state, random_source)
        self._open_market()

    @classmethod
    def restore(
        cls,
        rows: Iterable[Durable],
        *,
        random_source: RandomSource,
        now_ms: int,
        switches: Switches,
        market: RecordedMarket | None = None,
        past: ArchiveReader | None = None,
    ) -> Exchange:
        """Restore a venue from its stored rows; the market restarts around its last prices."""
        exchange = cls.__new__(cls)
        exchange._assemble(random_source, now_ms, switches, market, past)
        durable.load(exchange._state, rows)
        if market is not None:
            exchange._state.candles = Candles()  # a recording has its own price history
        adl_ranks.seed_bots(exchange._state, random_source)
        insurance.open_funds(exchange._state)
        fund_accounts.open_accounts(exchange._state, random_source)
        exchange._open_market()
        exchange._requeue_own_orders()
        return exchange

    def _assemble(
        self,
        random_source: RandomSource,
        now_ms: int,
        switches: Switches,
        market: RecordedMarket | None,
        past: ArchiveReader | None,
    ) -> None:
        offered = SHIPPED if market is None else market.symbols
        self._state = State(SHIPPED, tuple(offered), switches)
        self._state.past = past or EmptyArchive()
        self._state.now = now_ms
        self._random_source = random_source
        self._market = market
        self._driver: Driver | None = None
        self._openings = 0
        self._pending_changes = PendingChanges(self._state)
        self._funding = Funding(self._state)
        self.queries = Queries(self._state, self._funding)
        self.funds = FundQueries(self._state)
        self.asset_overview = AssetOverview(self._state)
        self._closing = PositionCloser(self._state, self._pending_changes)
        self._algos = Algos(self._state, self._pending_changes)
        self._risk_ladder = RiskLadder(self._state, self._pending_changes)
        self._loan_liquidation = LoanLiquidation(self._state, self._pending_changes)
        self._handlers = self._bind_handlers()
        self._work: dict[Due, Callable[[], None]] = {
            Due.CHANGE: self._pending_changes.run_due,
            Due.ALGO: self._algos.run_due,
            Due.MARKET: self._run_market,
            Due.MARKS: self._compute_marks,
            Due.FUNDING: self._funding.pay,
            Due.INTEREST: self._charge_interest,
            Due.MOVEMENT: partial(pending_movements.run_due, self._state),
        }
        self._sound: invariants.SoundOrders = {}
        self._ticks = 0
        self._bar_history: BarHistory | None = None

    def add_past_movements(self) -> None:
        """Create the historical transfers, deposits and withdrawals of a new venue that is configured with a history."""
        if self._state.first_start is not None and self._state.switches["past"] == "on":
            add_movements(self._state)

    def build_past(self) -> Past | None:
        """Build the invented activity before the first start, for the archive; None for a venue without a history."""
        state = self._state
        if state.first_start is None or state.switches["past"] == "off":
            return None
        return new_venue.build_past(state, state.first_start, self._random_source.stream("past"))

    def _open_market(self) -> None:
        """Start the market and compute all published records without sending events; clients query them after connecting."""
        if self._market is None:
            delisting.apply_switches(self._state, self._pending_changes)
        self._start_driver()
        state = self._state
        state.marks.due = state.now + PERIOD_MS
        for order in state.orders.values():
            if order.amend is not None or order.cancelling:
                self._pending_changes.schedule(order)
        for algo in state.algos.by_id.values():
            if algo.due:
                self._algos.schedule(algo)
        state.marks.tick(state.touches, state.touch_ms, state.now)
        for portfolio in state.portfolios:
            for venue in state.venues(portfolio):
                account_figures.publish_rows(state, portfolio, venue, quiet=True)
        state.changes.take_events()

    def _start_driver(self) -> None:
        state = self._state
        self._openings += 1
        if self._market is not None:
            self._driver = Replay(state, self._market)
        elif state.switches["agents"] == "off":
            self._driver = None
        else:
            source = self._random_source.stream(f"agents:{self._openings}")
            self._driver = Agents(state, source, moving=state.switches["agents"] == "on")
        state.changes.moved.update(dict.fromkeys(state.offered))
        state.publish_touches()

    def _requeue_own_orders(self) -> None:
        """Put the portfolios' resting orders at the back of the queue at their price after a restart."""
        state = self._state
        for order_id, resting in list(state.resting.items()):
            book = state.books[state.orders[order_id].sym]
            book.remove(resting)
            state.resting[order_id] = book.add(
                resting.owner, order_id, resting.ticks, state.orders[order_id].left, is_buy=resting.is_buy
            )

    def bars(self, sym: str, interval: Interval, begin: int, end: int) -> Iterator[Bar]:
        """Yield the price bars of a pair that begin in a time span, oldest first; minutes or hours."""
        state = self._state
        if self._bar_history is None:
            first = state.first_start if state.switches["past"] == "on" else None
            self._bar_history = BarHistory(first, state.candles)
        return self._bar_history.bars(state.pairs[sym], interval, begin, end)

    @property
    def candles(self) -> Candles:
        """Candles and 24-hour figures of every pair."""
        return self._state.candles

    # -- commands --------------------------------------------------------------------------------------------------

    def apply(self, command: Command, now_ms: int) -> tuple[Reply | None, list[Event]]:
        """Advance to `now_ms`, then execute the command; return its reply and all events in order."""
        self._run_until(now_ms)
        reply: Reply | None
        try:
            reply = self._handlers[type(command)](command)
        except CheckFailed as failure:
            reply = Rejected(code=failure.code, message=failure.message)
        except BadSwitch as error:
            reply = Rejected(code=400000, message=str(error))
        self._settle()
        events = self._state.changes.take_events()
        self.candles.add_events(events)
        return reply, events

    def _bind_handlers(self) -> dict[type[Command], Callable[[Any], Reply | None]]:
        """Map each command class to its handler; each module lists its own."""
        state = self._state
        own: dict[type[Command], Callable[[Any], Reply | None]] = {
            Advance: lambda _command: None,
            PlaceOrder: self._place,
            SetSwitch: self._switch,
            MoveMarket: self._move_market,
            PayDividend: self._pay_dividend,
        }
        for handlers in _HANDLERS:
            own |= {kind: partial(handler, state) for kind, handler in handlers.items()}
        for holder in (self._pending_changes, self._closing, self._algos):
            own |= holder.handlers()
        return own

    def _place(self, command: PlaceOrder) -> PlaceReply:
        state = self._state
        order = order_checks.check_placement(state, command)
        self._closing.make_room(order)
        matching.start_order(state, order)
        return PlaceReply(order_id=order.id, client_order_id=order.client_id)

    def _pay_dividend(self, command: PayDividend) -> None:
        dividends.pay(self._state, command.coin, field_checks.decimal_of("share", command.share, 400000))

    def _switch(self, command: SetSwitch) -> None:
        if command.name in ("agents", *_HALTING) and self._market is not None:
            raise BadSwitch(f"{command.name} has no effect on a recorded market")
        self._state.switches.set(command.name, command.value)
        if command.name in _HALTING:
            for sym in delisting.apply_switches(self._state, self._pending_changes):
                self._reopen(sym)
        if command.name == "agents":
            for book in self._state.books.values():
                book.clear_house()
            self._start_driver()

    def _reopen(self, sym: str) -> None:
        if isinstance(self._driver, Agents):
            self._driver.reopen(sym)

    def _move_market(self, command: MoveMarket) -> None:
        state = self._state
        if self._market is not None or command.coin not in state.marks.index:
            raise CheckFailed(400000, f"coin {command.coin[:20]!r} has no market to move")
        price = _parse_move(state.marks.index[command.coin], command.price)
        state.marks.jump(command.coin, price)
        if self._driver is not None:
            self._driver.jump(command.coin, price)
        state.publish_touches()
        self._publish_marks(command.coin)

    # -- time ------------------------------------------------------------------------------------------------------

    def next_due(self) -> int:
        """Return when the next `Advance` has work to do, ms."""
        return min(due for due, _ in self._due_times())

    def _due_times(self) -> list[tuple[int, Due]]:
        """List when work of each kind is due next, ms."""
        state = self._state
        market = self._driver.next_due() if self._driver is not None else None
        dues = (
            (self._pending_changes.next_due(), Due.CHANGE),
            (self._algos.next_due(), Due.ALGO),
            (None if market is None else -(-market // 1000), Due.MARKET),
            (state.marks.due, Due.MARKS),
            (self._funding.next_due(), Due.FUNDING),
            (lending.next_due(state), Due.INTEREST),
            (pending_movements.next_due(state), Due.MOVEMENT),
        )
        return [(due, kind) for due, kind in dues if due is not None]

    def _run_until(self, now_ms: int) -> None:
        state = self._state
        now_ms = max(now_ms, state.now)
        self._skip_lag(now_ms)
        while True:
            due, kind = min(self._due_times())
            if due > now_ms:
                break
            state.now = max(state.now, due)
            self._work[kind]()
            self._settle()
        state.now = now_ms

    def _run_market(self) -> None:
        if self._driver is not None:
            self._driver.run_next()

    def _charge_interest(self) -> None:
        lending.accrue(self._state)
        portfolio_loans.charge_interest(self._state, self._state.accrued)

    def _skip_lag(self, now_ms: int) -> None:
        if self._driver is not None:
            due = self._driver.next_due()
            if due is not None and now_ms - due // 1000 > MAX_LAG_MS:
                self._driver.skip_to(now_ms * 1000)
        if now_ms - self._state.marks.due > MAX_LAG_MS:
            self._state.marks.due = now_ms

    def _settle(self) -> None:
        """Finish a step: fire triggers, publish changed records and quotes, enforce liquidation, schedule book refills."""
        state = self._state
        self._algos.fire()
        for portfolio, venue in list(state.changes.stale):
            account_figures.publish_rows(state, portfolio, venue)
        self._risk_ladder.enforce()
        if self._loan_liquidation.enforce():
            self._risk_ladder.enforce()
        if state.changes.moved:
            state.publish_touches()
        if state.changes.taken:
            if self._driver is not None:
                for sym in state.changes.taken:
                    self._driver.refill_later(sym)
            state.changes.taken.clear()

    def _compute_marks(self) -> None:
        """Compute the mark prices, once per second, and the account figures that depend on them."""
        state = self._state
        state.marks.due += PERIOD_MS
        self._ticks += 1
        state.marks.tick(state.touches, state.touch_ms, state.now)
        if self._ticks % (SAMPLE_MS // PERIOD_MS) == 0:
            self._funding.sample()
        if self._ticks % _STORED_EVERY == 0:
            self.store_market()
        self._publish_marks()

    def store_market(self) -> None:
        """Mark the market rows that a restart needs as changed, so that they are stored."""
        state = self._state
        for coin in state.marks.index:
            state.changes.dirty("price", coin)
        for sym, start in state.candles.take_changed():
            if self._market is None:
                state.changes.dirty("bars", f"{sym}|{start}")

    def _publish_marks(self, coin: str = "") -> None:
        """Publish the mark prices of one coin or of all, then every venue account, after mark-price triggers have fired."""
        state = self._state
        protection.on_marks(state)
        for sym, mark in state.marks.mark.items():
            if sym in state.offered and (not coin or state.pairs[sym].base == coin):
                state.changes.publish(MarkChanged(sym, format(mark, "f"), state.now))
                state.changes.publish(IndexChanged(sym, plain(state.marks.index[state.pairs[sym].base]), state.now))
        for portfolio in state.portfolios:
            for venue in state.venues(portfolio):
                account_figures.publish_rows(state, portfolio, venue)

    # -- durability ------------------------------------------------------------------------------------------------

    def archivable_rows(self, before_ms: int) -> Iterator[ArchivedRow]:
        """List orders and bookings that ended before a time and can be moved from memory to the archive."""
        return aging.archivable_rows(self._state, before_ms, durable.encode)

    def forget(self, rows: Collection[ArchivedRow]) -> None:
        """Remove archived rows from memory; later lookups read them from the archive `past`."""
        aging.forget(self._state, rows)

    def drain_durable(self) -> list[Durable]:
        """Return the rows that changed since the last call; they must be on disk before the reply is sent."""
        return durable.take_changed(self._state)

    def state_hash(self) -> str:
        """Hash the whole stored state; the hash is equal before and after a restart."""
        return durable.state_hash(self._state)

    def check(self) -> None:
        """Assert the invariants of ledger, positions, books and order states."""
        invariants.check(self._state, self._sound)


def _parse_move(index: Decimal, text: str) -> Decimal:
    """Parse the target of a market move: a price, or a change of the index in per cent such as `-2%`."""
    if _SHARE.fullmatch(text):
        return half_up(index * (100 + Decimal(text[:-1])) / 100, PLACES)
    return field_checks.decimal_of("price", text, 400000)
