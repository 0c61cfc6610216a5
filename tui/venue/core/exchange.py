"""The façade: commands and time in, answers and events out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from tui.interface.decimals import ZERO, plain
from tui.interface.families.assets import AssetRecord
from tui.interface.families.fees import FeeSchedule
from tui.interface.families.history import StatementRecord, TradeRecord
from tui.interface.families.market import Bracket, FundingRow, SymbolInfo
from tui.interface.families.orders import OrderRecord
from tui.interface.families.positions import AccountRecord, AdlRank, LeverageRow, PositionHistoryRecord, PositionRecord
from tui.seams import Randoms
from tui.venue.core import accounts, checks, durable, invariants, matching, ranks, settings
from tui.venue.core.actions import Actions, find
from tui.venue.core.agents import Agents, Driver
from tui.venue.core.closing import Closing
from tui.venue.core.commands import (
    Accepted,
    Advance,
    Cancel,
    CancelAll,
    ClosePosition,
    ClosePositions,
    Command,
    Place,
    Refused,
    Replace,
    Reply,
    Setting,
    Steer,
    Switch,
)
from tui.venue.core.events import Durable, Event, IndexChanged, MarkChanged, QuoteChanged
from tui.venue.core.funding import SAMPLE_MS, Funding
from tui.venue.core.ledger import HOUSE, ISSUE, PostingLeg
from tui.venue.core.marks import PERIOD_MS
from tui.venue.core.positions import LEGS, ONE_WAY
from tui.venue.core.refusal import Refusal
from tui.venue.core.replay import Market, Replay
from tui.venue.core.state import Portfolio, State
from tui.venue.core.switches import BadSwitch, Switches
from tui.venue.core.symbols import FEE_LEVEL, FEES_SINCE, SHIPPED, VENUES

START_MONEY: dict[str, dict[tuple[str, str], str]] = {
    "main": {
        ("BINANCE", "USDT"): "100000",
        ("BINANCE", "BTC"): "1",
        ("BINANCE", "ETH"): "10",
        ("OKX", "USDT"): "50000",
        ("OKX", "BTC"): "0.5",
        ("EDX", "USDT"): "20000",
    },
    "sub": {("BINANCE", "USDT"): "20000", ("OKX", "USDT"): "10000"},
}
NAMES = {"main": "MainPortfolio", "sub": "SubPortfolio"}

MAX_LAG_MS = 10_000
"""A market that is farther behind than this (a machine that slept) goes on from now instead of catching up."""

_PRICE_EVERY = 5
"""Marks between two durable rows of where the market stands."""


class Exchange:
    """One venue with its portfolios. Times are ms of Unix time, handed in by the caller; they never go back."""

    def __init__(self, *, randoms: Randoms, start_ms: int, switches: Switches, market: Market | None = None) -> None:
        """A fresh venue: a main and a sub portfolio with their first money, and a market."""
        self._assemble(randoms, start_ms, switches, market)
        self._found(randoms)
        self._open_market()

    @classmethod
    def restore(
        cls,
        rows: Iterable[Durable],
        *,
        randoms: Randoms,
        now_ms: int,
        switches: Switches,
        market: Market | None = None,
    ) -> Exchange:
        """The venue as its durable rows say; the market starts anew around its last prices."""
        exchange = cls.__new__(cls)
        exchange._assemble(randoms, now_ms, switches, market)
        durable.load(exchange._state, rows)
        exchange._open_market()
        exchange._requeue()
        return exchange

    def _assemble(self, randoms: Randoms, now_ms: int, switches: Switches, market: Market | None) -> None:
        offered = SHIPPED if market is None else market.symbols
        self._state = State(SHIPPED, offered, switches)
        self._state.now = now_ms
        self._randoms = randoms
        self._market = market
        self._driver: Driver | None = None
        self._openings = 0
        self._actions = Actions(self._state)
        self._funding = Funding(self._state)
        self._closing = Closing(self._state, self._actions)
        self._mark_due = 0
        self._ticks = 0

    def _found(self, randoms: Randoms) -> None:
        """The first rows: ids, portfolios, money, synthetic holders."""
        state, ids = self._state, randoms.stream("ids")
        state.counters.order = 2_000_000_000_000_000 + ids.randrange(10**14)
        state.counters.trade = 30_000_000_000_000_000 + ids.randrange(10**15)
        state.counters.position = 20_000_000_000_000_000 + ids.randrange(10**15)
        state.dirty("counters", "")
        first = 2_100_000_000_000_000 + ids.randrange(10**14)
        for level, portfolio in (("main", str(first)), ("sub", str(first + 1 + ids.randrange(10**12)))):
            state.portfolios[portfolio] = Portfolio(portfolio, NAMES[level], level)
            state.dirty("portfolio", portfolio)
            for (venue, coin), amount in START_MONEY[level].items():
                self._issue(portfolio, venue, coin, Decimal(amount))
        for venue, coin in {key: None for money in START_MONEY.values() for key in money}:
            self._issue(HOUSE, venue, coin, Decimal(1_000_000_000 if coin == "USDT" else 100_000))
        ranks.seed_bots(state, randoms)
        state.funded = state.now
        state.dirty("funded", "")

    def _issue(self, owner: str, venue: str, coin: str, amount: Decimal) -> None:
        legs = [PostingLeg(ISSUE, venue, coin, -amount), PostingLeg(owner, venue, coin, amount)]
        self._state.post("issue", "", legs)

    def _open_market(self) -> None:
        """Start the market, fill in the rows that are shown, and tell nobody: who connects reads the views."""
        self._start_driver()
        state = self._state
        self._mark_due = state.now + PERIOD_MS
        for order in state.orders.values():
            if order.amend is not None or order.cancelling:
                self._actions.schedule(order)
        state.marks.tick(state.touches)
        for portfolio in state.portfolios:
            for venue in state.venues(portfolio):
                accounts.show(state, portfolio, venue, quiet=True)
        state.take_events()

    def _start_driver(self) -> None:
        state = self._state
        self._openings += 1
        if self._market is not None:
            self._driver = Replay(state, self._market)
        elif state.switches["agents"] == "off":
            self._driver = None
        else:
            source = self._randoms.stream(f"agents:{self._openings}")
            self._driver = Agents(state, source, moving=state.switches["agents"] == "on")
        state.moved.update(dict.fromkeys(state.offered))
        state.tell_touches()

    def _requeue(self) -> None:
        """After a restart own resting orders stand behind everything that is at their price."""
        state = self._state
        for order_id, resting in list(state.resting.items()):
            book = state.books[state.orders[order_id].sym]
            book.remove(resting)
            state.resting[order_id] = book.add(
                resting.owner, order_id, resting.is_buy, resting.ticks, state.orders[order_id].left
            )

    # -- commands --------------------------------------------------------------------------------------------------

    def apply(self, command: Command, now_ms: int) -> tuple[Reply | None, list[Event]]:
        """Let time pass up to `now_ms`, then do the command; events come in the order in which they happened."""
        self._run_until(now_ms)
        reply: Reply | None
        try:
            reply = self._do(command)
        except Refusal as refusal:
            reply = Refused(code=refusal.code, message=refusal.message)
        except BadSwitch as problem:
            reply = Refused(code=400000, message=str(problem))
        self._settle()
        return reply, self._state.take_events()

    def _do(self, command: Command) -> Reply | None:
        if isinstance(command, Advance):
            return None
        if isinstance(command, Place):
            return self._place(command)
        if isinstance(command, Replace):
            return self._actions.replace(command)
        if isinstance(command, Cancel):
            return self._actions.cancel(command)
        if isinstance(command, CancelAll):
            return self._actions.cancel_all(command)
        if isinstance(command, Setting):
            return settings.carry_out(self._state, command)
        if isinstance(command, ClosePosition):
            return self._closing.close(command)
        if isinstance(command, ClosePositions):
            return self._closing.close_several(command)
        if isinstance(command, Steer):
            self._steer(command)
        else:
            self._switch(command)
        return None

    def _place(self, command: Place) -> Accepted:
        state = self._state
        order = checks.placement(state, command)
        matching.start(state, order)
        return Accepted(order_id=order.id, client_order_id=order.client_id)

    def _switch(self, command: Switch) -> None:
        if command.name == "agents" and self._market is not None:
            raise BadSwitch("agents has no effect on a recorded market")
        self._state.switches.set(command.name, command.value)
        if command.name == "agents":
            for book in self._state.books.values():
                book.clear_house()
            self._start_driver()

    def _steer(self, command: Steer) -> None:
        state = self._state
        if self._market is not None or command.coin not in state.marks.index:
            raise Refusal(400000, f"coin {command.coin[:20]!r} cannot be moved here")
        price = checks.decimal_of("price", command.price, 400000)
        state.marks.jump(command.coin, price)
        if self._driver is not None:
            self._driver.jump(command.coin, price)
        state.tell_touches()
        self._tell_marks()

    # -- time ------------------------------------------------------------------------------------------------------

    def next_due(self) -> int | None:
        """When `Advance` has something to do, ms."""
        return min(due for due, _ in self._dues())

    def _dues(self) -> list[tuple[int, int]]:
        """(ms, priority) of what comes next: pending actions, market, marks, funding."""
        dues = [(self._mark_due, 2), (self._funding.next_due(), 3)]
        action = self._actions.next_due()
        if action is not None:
            dues.append((action, 0))
        market = self._driver.next_due() if self._driver is not None else None
        if market is not None:
            dues.append((-(-market // 1000), 1))
        return dues

    def _run_until(self, now_ms: int) -> None:
        state = self._state
        now_ms = max(now_ms, state.now)
        self._skip_lag(now_ms)
        while True:
            due, kind = min(self._dues())
            if due > now_ms:
                break
            state.now = max(state.now, due)
            if kind == 0:
                self._actions.run_due()
            elif kind == 1 and self._driver is not None:
                self._driver.run_next()
            elif kind == 2:
                self._mark()
            else:
                self._funding.pay()
            self._settle()
        state.now = now_ms

    def _skip_lag(self, now_ms: int) -> None:
        if self._driver is not None:
            due = self._driver.next_due()
            if due is not None and now_ms - due // 1000 > MAX_LAG_MS:
                self._driver.skip_to(now_ms * 1000)
        if now_ms - self._mark_due > MAX_LAG_MS:
            self._mark_due = now_ms

    def _settle(self) -> None:
        """After each step: rows whose holds or margins changed, touches, makers that come back."""
        state = self._state
        if state.stale:
            for portfolio, venue in list(state.stale):
                accounts.show(state, portfolio, venue)
        if state.moved:
            state.tell_touches()
        if state.taken:
            if self._driver is not None:
                for sym in state.taken:
                    self._driver.refill_later(sym)
            state.taken.clear()

    def _mark(self) -> None:
        """Once per second: marks, and the figures that follow them."""
        state = self._state
        self._mark_due += PERIOD_MS
        self._ticks += 1
        state.marks.tick(state.touches)
        if self._ticks % (SAMPLE_MS // PERIOD_MS) == 0:
            self._funding.sample()
        if self._ticks % _PRICE_EVERY == 0:
            for coin in state.marks.index:
                state.dirty("price", coin)
        self._tell_marks()

    def _tell_marks(self) -> None:
        state = self._state
        for sym, mark in state.marks.mark.items():
            if sym in state.offered:
                state.tell(MarkChanged(sym, format(mark, "f"), state.now))
                state.tell(IndexChanged(sym, plain(state.marks.index[state.pairs[sym].base]), state.now))
        for portfolio in state.portfolios:
            for venue in state.venues(portfolio):
                accounts.show(state, portfolio, venue)

    # -- durability ------------------------------------------------------------------------------------------------

    def drain_durable(self) -> list[Durable]:
        """The rows that changed since the last call; to be on disk before the answer leaves."""
        return durable.changed(self._state)

    def state_hash(self) -> str:
        """Over everything durable; equal before and after a restart."""
        return durable.state_hash(self._state)

    def check(self) -> None:
        """Assert the invariants of money, positions, books and life cycles."""
        invariants.check(self._state)

    # -- views -----------------------------------------------------------------------------------------------------

    @property
    def portfolios(self) -> Mapping[str, Portfolio]:
        return self._state.portfolios

    @property
    def switches(self) -> Switches:
        return self._state.switches

    def open_orders(self, portfolio: str) -> list[OrderRecord]:
        """Orders that have not ended, newest first."""
        return [self._record(order.id) for order in reversed(self._state.open.get(portfolio, {}).values())]

    def orders(self, portfolio: str) -> list[OrderRecord]:
        """Every order, newest first."""
        mine = [order.id for order in self._state.orders.values() if order.portfolio == portfolio]
        return [self._record(order_id) for order_id in reversed(mine)]

    def order(self, portfolio: str, *, order_id: str = "", client_order_id: str = "") -> OrderRecord | Refused:
        """One order by either id; the order id decides when both are given."""
        try:
            return self._record(find(self._state, portfolio, order_id, client_order_id).id)
        except Refusal as refusal:
            return Refused(code=refusal.code, message=refusal.message)

    def _record(self, order_id: str) -> OrderRecord:
        order = self._state.orders[order_id]
        return order.record(self._state.pairs[order.sym], self._state.portfolios[order.portfolio].name)

    def executions(self, portfolio: str) -> list[TradeRecord]:
        """Fills, newest first."""
        return self._state.fills.get(portfolio, [])[::-1]

    def positions(self, portfolio: str) -> list[PositionRecord]:
        """Positions that are not flat, as last pushed."""
        return [row for key, row in self._state.shown_positions.items() if key[0] == portfolio]

    def closed_positions(self, portfolio: str) -> list[PositionHistoryRecord]:
        """Positions that ended, newest first."""
        return [row for row in reversed(self._state.closed) if row.portfolio_id == portfolio]

    def assets(self, portfolio: str) -> list[AssetRecord]:
        """Coins, as last pushed, venue by venue."""
        state = self._state
        return [
            state.shown_assets[(portfolio, venue, coin)]
            for venue in state.venues(portfolio)
            for coin in state.coins(portfolio, venue)
        ]

    def accounts(self, portfolio: str) -> list[AccountRecord]:
        """One row per venue, as last pushed."""
        return [self._state.shown_accounts[(portfolio, venue)] for venue in self._state.venues(portfolio)]

    def adl_ranks(self, portfolio: str, sym: str = "") -> list[AdlRank] | Refused:
        """Deleveraging rank of the positions; 401011 for a pair that has none."""
        if sym and (sym not in self._state.offered or not self._state.pairs[sym].is_perp):
            return Refused(code=401011, message=f"sym {sym[:64]!r} is no perpetual of this venue")
        return ranks.of_portfolio(self._state, portfolio, sym)

    def symbol_infos(self) -> dict[str, SymbolInfo]:
        """The rules of every offered pair."""
        return {sym: self._state.pairs[sym].info() for sym in self._state.offered}

    def brackets(self, sym: str) -> list[Bracket]:
        """The tiers of a perpetual, rising."""
        return [
            Bracket(
                sym=sym,
                min_notional_value=plain(tier.floor),
                max_notional_value=plain(tier.cap),
                max_leverage=str(tier.max_leverage),
                mm_rate=plain(tier.mmr),
                risk_level=str(level),
            )
            for level, tier in enumerate(self._state.pairs[sym].tiers, start=1)
        ]

    def leverages(self, portfolio: str, sym: str = "") -> list[LeverageRow]:
        """Leverage of every offered perpetual, or of one."""
        state = self._state
        perps = [state.pairs[name] for name in sorted(state.offered) if state.pairs[name].is_perp]
        return [
            LeverageRow(sym=pair.sym, leverage=str(state.leverage(portfolio, pair)))
            for pair in perps
            if sym in ("", pair.sym)
        ]

    def funding_rate(self, sym: str) -> FundingRow:
        """The next funding payment of an offered perpetual."""
        return self._funding.row(sym, self._mark_due - PERIOD_MS)

    def statements(self, portfolio: str) -> list[StatementRecord]:
        """Bookings of a portfolio, newest first."""
        return [row for row in reversed(self._state.statements) if str(row.portfolio_id) == portfolio]

    def fee_schedules(self, portfolio: str) -> list[FeeSchedule]:
        """Rates of a portfolio, one row per venue and kind of pair."""
        state = self._state
        found: dict[tuple[int, bool], FeeSchedule] = {}
        places = {venue: number for number, venue in enumerate(VENUES) if venue in state.venues(portfolio)}
        for sym in sorted(state.offered):
            pair = state.pairs[sym]
            if pair.exchange in places:
                maker, taker = plain(pair.maker), plain(pair.taker)
                found[(places[pair.exchange], pair.is_perp)] = FeeSchedule(
                    portfolio_id=portfolio,
                    exchange=pair.exchange,
                    inst_type=pair.business_type,
                    eff_date=FEES_SINCE,
                    maker=maker,
                    taker=taker,
                    exchange_type=pair.exchange,
                    business_type=pair.business_type,
                    taker_fee_rate=taker,
                    maker_fee_rate=maker,
                    level=FEE_LEVEL,
                )
        return [found[key] for key in sorted(found)]

    def quote(self, sym: str) -> QuoteChanged | None:
        """The touch as last published."""
        return self._state.quote_event(sym) if sym in self._state.touches and sym in self._state.offered else None

    def mark(self, sym: str) -> MarkChanged | None:
        """The mark of a perpetual."""
        mark = self._state.marks.mark.get(sym)
        if mark is None or sym not in self._state.offered:
            return None
        return MarkChanged(sym, format(mark, "f"), self._mark_due - PERIOD_MS)

    def index(self, sym: str) -> IndexChanged | None:
        """The index under a perpetual."""
        mark = self.mark(sym)
        if mark is None:
            return None
        return IndexChanged(sym, plain(self._state.marks.index[self._state.pairs[sym].base]), mark.ts)

    def last_price(self, sym: str) -> Decimal:
        """The last trade of a pair; before any trade what the pair is valued at."""
        state = self._state
        pair, last = state.pairs[sym], state.marks.last.get(sym)
        return state.valuation(pair) if last is None else pair.price(last)

    def book(self, sym: str, depth: int) -> tuple[dict[str, str], dict[str, str]]:
        """Quantity by price of the best bids and the best asks, best first."""
        pair, book = self._state.pairs[sym], self._state.books[sym]
        bids, asks = (
            {pair.price_text(ticks): pair.qty_text(lots) for ticks, lots in book.levels(is_buy, depth)}
            for is_buy in (True, False)
        )
        return bids, asks

    def open_interest(self, sym: str) -> str:
        """Sum of the long sides of a perpetual, in contracts: portfolios, synthetic holders and the house."""
        state = self._state
        held = [position.lots for position in state.positions.values() if position.sym == sym]
        held += [bot.lots for bot in state.bots.get(sym, [])]
        held.append(state.house.get(sym, 0))
        return state.pairs[sym].qty_text(sum(lots for lots in held if lots > 0))

    def position_lots(self, portfolio: str, sym: str) -> int:
        """Signed lots of a pair, the legs netted; 0 when flat."""
        return sum(self._state.held(portfolio, sym, leg) for leg in (ONE_WAY, *LEGS))

    def balance(self, portfolio: str, venue: str, coin: str) -> Decimal:
        """Ledger balance of a coin."""
        return self._state.ledger.balances.get((portfolio, venue, coin), ZERO)
