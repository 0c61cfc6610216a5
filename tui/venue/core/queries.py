"""Read access to the exchange; no method changes its state."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import msgspec

from tui.interface.decimals import ZERO, plain
from tui.interface.families.algo import AlgoRecord
from tui.interface.families.assets import AssetRecord
from tui.interface.families.fees import BrokerFeeSchedule, FeeSchedule
from tui.interface.families.history import StatementRecord, TradeRecord
from tui.interface.families.liquidation import LiquidationEventRecord
from tui.interface.families.market import Bracket, FundingRow, SymbolInfo, SymbolState
from tui.interface.families.orders import OrderRecord
from tui.interface.families.portfolio_loans import LoanAccount, MaxLoan
from tui.interface.families.positions import AccountRecord, AdlRank, LeverageRow, PositionHistoryRecord, PositionRecord
from tui.venue.core.accounts import adl_ranks, fee_schedules, lending, loan_records, portfolio_loans
from tui.venue.core.accounts.funding import Funding
from tui.venue.core.accounts.loan_terms import LOANS, CoinLoan
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.events import IndexChanged, MarkChanged, QuoteChanged
from tui.venue.core.market.marks import PERIOD_MS
from tui.venue.core.market.symbols import DISCOUNTS, Pair
from tui.venue.core.state.algo_orders import AlgoOrder
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.loans import LoanBooking, LoanOrder
from tui.venue.core.state.markups import MarkupFill
from tui.venue.core.state.orders import Order
from tui.venue.core.state.portfolios import ApiKey, Portfolio
from tui.venue.core.state.positions import LEGS, ONE_WAY
from tui.venue.core.switches import Switches
from tui.venue.core.trading.named_order import ALGO, ORDER, find_named

Listed = (
    OrderRecord
    | AlgoRecord
    | TradeRecord
    | StatementRecord
    | PositionHistoryRecord
    | LoanOrder
    | LoanBooking
    | MarkupFill
)
"""Records of history lists."""


class Queries:
    """Read-only queries of one exchange."""

    def __init__(self, state: State, funding: Funding) -> None:
        self._state = state
        self._funding = funding

    @property
    def portfolios(self) -> Mapping[str, Portfolio]:
        return self._state.portfolios

    @property
    def main_portfolio(self) -> Portfolio:
        return self._state.main_portfolio

    @property
    def api_keys(self) -> Mapping[str, ApiKey]:
        """Keys created for portfolios, by access key."""
        return self._state.api_keys

    @property
    def opened_ms(self) -> int:
        """First start of the venue, ms; 0 when unknown."""
        first = self._state.first_start
        return 0 if first is None else first.ms

    @property
    def switches(self) -> Switches:
        return self._state.switches

    def open_orders(self, portfolio: str) -> list[OrderRecord]:
        """List the orders of a portfolio that have not ended, newest first."""
        state = self._state
        return [state.order_record(order) for order in reversed(state.open.get(portfolio, {}).values())]

    def orders(self, portfolio: str) -> list[OrderRecord]:
        """List all orders of a portfolio in memory, newest first."""
        state = self._state
        return [state.order_record(order) for order in reversed(state.orders.values()) if order.portfolio == portfolio]

    def order(self, portfolio: str, *, order_id: str = "", client_order_id: str = "") -> OrderRecord:
        """Return an order by order id or client order id; the order id is used when both are given.

        Raises:
            CheckFailed: There is no such order, or no id is given.
        """
        return self._state.order_record(find_named(ORDER, self._state, portfolio, order_id, client_order_id))

    def algos(self, portfolio: str) -> list[AlgoRecord]:
        """List all algo orders of a portfolio in memory, newest first."""
        state = self._state
        return [
            algo.record(state.pairs[algo.sym])
            for algo in reversed(state.algos.by_id.values())
            if algo.portfolio == portfolio
        ]

    def algo(self, portfolio: str, *, algo_order_id: str = "", client_order_id: str = "") -> AlgoRecord:
        """Return an algo order by its id or client order id; its own id is used when both are given.

        Raises:
            CheckFailed: There is no such algo order, or no id is given.
        """
        algo = find_named(ALGO, self._state, portfolio, algo_order_id, client_order_id)
        return algo.record(self._state.pairs[algo.sym])

    def decode_row(self, table: str, value: bytes) -> Listed:
        """Decode an archived row to the record that list endpoints return."""
        state = self._state
        match table:
            case "order":
                order = msgspec.json.decode(value, type=Order)
                return state.order_record(order)
            case "algo":
                algo = msgspec.json.decode(value, type=AlgoOrder)
                return algo.record(state.pairs[algo.sym])
            case "fill":
                return msgspec.json.decode(value, type=TradeRecord)
            case "statement":
                return msgspec.json.decode(value, type=StatementRecord)
            case "loan_order":
                return msgspec.json.decode(value, type=LoanOrder)
            case "loan_booking":
                return msgspec.json.decode(value, type=LoanBooking)
            case "markup_fill":
                return msgspec.json.decode(value, type=MarkupFill)
            case _:
                return msgspec.json.decode(value, type=PositionHistoryRecord)

    def executions(self, portfolio: str) -> list[TradeRecord]:
        """List the fills of a portfolio in memory, newest first."""
        return self._state.fills.get(portfolio, [])[::-1]

    def positions(self, portfolio: str) -> list[PositionRecord]:
        """List the positions as last pushed; flat pairs only with the switch `zero_positions`."""
        rows = [row for key, row in self._state.published.positions.items() if key[0] == portfolio]
        return rows + self._empty_positions(portfolio) if self.switches["zero_positions"] == "true" else rows

    def _empty_positions(self, portfolio: str) -> list[PositionRecord]:
        """List position records of pairs without a position that have a leverage setting."""
        state = self._state
        held = {sym for owner, sym, _ in state.positions if owner == portfolio}
        names = sorted(sym for owner, sym in state.leverages if owner == portfolio and sym not in held)
        return [self._empty_position(portfolio, state.pairs[sym]) for sym in names]

    def _empty_position(self, portfolio: str, pair: Pair) -> PositionRecord:
        return PositionRecord(
            portfolio_id=portfolio,
            exchange_type=pair.exchange,
            sym=pair.sym,
            position_qty="0",
            avg_price="0",
            mark_price=plain(self._state.marks.mark[pair.sym]),
            position_value="0",
            position_margin="0",
            position_mm="0",
            unrealized_pnl="0",
            unrealized_pnl_rate="0",
            leverage=str(self._state.leverage(portfolio, pair)),
            max_leverage=str(pair.tiers[0].max_leverage),
            risk_level="1",
        )

    def list_closed_positions(self, portfolio: str) -> list[PositionHistoryRecord]:
        """List the closed positions of a portfolio, newest first."""
        return [row for row in reversed(self._state.closed) if row.portfolio_id == portfolio]

    def assets(self, portfolio: str) -> list[AssetRecord]:
        """List the asset records (coins) as last pushed, venue by venue."""
        state = self._state
        return [
            state.published.assets[(portfolio, venue, coin)]
            for venue in state.venues(portfolio)
            for coin in state.coins(portfolio, venue)
        ]

    def accounts(self, portfolio: str) -> list[AccountRecord]:
        """List the account records as last pushed, one per venue."""
        return [self._state.published.accounts[(portfolio, venue)] for venue in self._state.venues(portfolio)]

    def adl_ranks(self, portfolio: str, sym: str = "") -> list[AdlRank]:
        """List the ADL ranks of a portfolio's positions.

        Raises:
            CheckFailed: The symbol is no offered perpetual.
        """
        if sym and (sym not in self._state.offered or not self._state.pairs[sym].is_perp):
            raise CheckFailed(401011, f"sym {sym[:64]!r} is not a perpetual of this venue")
        if self.is_delisted(sym) and self._state.switches["adl_delisted"] == "401011":
            raise CheckFailed(401011, f"sym {sym} is delisted and has no deleveraging rank")
        return adl_ranks.ranks_of_portfolio(self._state, portfolio, sym)

    def liquidation_event(self, portfolio: str, event_id: str = "") -> LiquidationEventRecord | None:
        """Return a liquidation event of a portfolio by its id, or the latest one when no id is given."""
        event = self._state.liquidations.find(portfolio, event_id, self._state.now)
        return None if event is None else event.record()

    def contract_size(self, sym: str) -> Decimal:
        """Return the contract size of a known pair in coins, also when the pair is no longer offered."""
        return self._state.pairs[sym].contract_size

    def symbol_infos(self) -> dict[str, SymbolInfo]:
        """Return the trading rules of every offered pair."""
        state = self._state
        halted = {
            sym: msgspec.structs.replace(state.infos[sym], state=word)
            for sym, word in state.halted.items()
            if sym in state.infos
        }
        return {**state.infos, **halted}

    def is_delisted(self, sym: str) -> bool:
        """Report whether a pair was delisted."""
        return self._state.halted.get(sym) == SymbolState.DELISTED

    def brackets(self, sym: str) -> list[Bracket]:
        """List the margin tiers of a perpetual, lowest first."""
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
        """List the leverage of every offered perpetual, or of one."""
        state = self._state
        perps = [state.pairs[name] for name in sorted(state.offered) if state.pairs[name].is_perp]
        return [
            LeverageRow(sym=pair.sym, leverage=str(state.leverage(portfolio, pair)))
            for pair in perps
            if sym in ("", pair.sym)
        ]

    def funding_rate(self, sym: str) -> FundingRow:
        """Return the estimated rate and the time of the next funding payment of a perpetual that is offered."""
        return self._funding.row(sym, self._state.marks.due - PERIOD_MS)

    def statements(self, portfolio: str) -> list[StatementRecord]:
        """List the statement rows of a portfolio, newest first."""
        return [row for row in reversed(self._state.statements) if str(row.portfolio_id) == portfolio]

    def fee_schedules(self, portfolio: str) -> list[FeeSchedule]:
        """List the fee rates of a portfolio, one row per venue and instrument type."""
        return fee_schedules.schedules(self._state, portfolio)

    def broker_schedules(self, portfolio: str) -> list[BrokerFeeSchedule]:
        """List the fee rates of a portfolio as the broker endpoints return them."""
        return fee_schedules.broker_schedules(self._state, portfolio)

    def markup_fills(self) -> list[MarkupFill]:
        """List the broker markup settlements in memory, newest first."""
        return list(reversed(self._state.markups.fills))

    def loans(self) -> list[CoinLoan]:
        """List all coins that can be borrowed, with their terms, by venue."""
        return list(LOANS.values())

    def remaining_pool(self, loan: CoinLoan) -> Decimal:
        """Return the coins that the venue can still lend."""
        return lending.remaining_pool(self._state, loan)

    def loan_accounts(self, portfolio: str) -> list[LoanAccount]:
        """List the loan figures of every venue account of a portfolio."""
        return [loan_records.account_of(self._state, portfolio, venue) for venue in self._state.venues(portfolio)]

    def max_loans(self, portfolio: str) -> list[MaxLoan]:
        """List the largest loans of a portfolio now, by venue and coin."""
        return loan_records.max_loans(self._state, portfolio)

    def loan_orders(self, portfolio: str) -> list[LoanOrder]:
        """List the loan orders (borrows and repayments) in memory, newest first."""
        return [order for order in reversed(self._state.loans.orders) if order.portfolio == portfolio]

    def loan_order(self, portfolio: str, client_order_id: str) -> LoanOrder | None:
        """Return the loan order with a client order id."""
        return portfolio_loans.find_by_client(self._state, portfolio, client_order_id)

    def loan_bookings(self, portfolio: str) -> list[LoanBooking]:
        """List the loan statement rows in memory, newest first."""
        return [booking for booking in reversed(self._state.loans.bookings) if booking.portfolio == portfolio]

    def margin_leverage(self, portfolio: str, loan: CoinLoan) -> int:
        """Return the leverage of a portfolio's margin debt in a coin."""
        return lending.leverage(self._state, portfolio, loan)

    def discounts(self) -> dict[str, Decimal]:
        """Return, by coin, the share of the coin's value that counts as collateral."""
        return dict(DISCOUNTS)

    def quote(self, sym: str) -> QuoteChanged | None:
        """Return best bid and ask as last published."""
        return self._state.quote_event(sym) if sym in self._state.touches and sym in self._state.offered else None

    def mark(self, sym: str) -> MarkChanged | None:
        """Return the mark price of a perpetual."""
        mark = self._state.marks.mark.get(sym)
        if mark is None or sym not in self._state.offered:
            return None
        return MarkChanged(sym, format(mark, "f"), self._state.marks.due - PERIOD_MS)

    def index(self, sym: str) -> IndexChanged | None:
        """Return the index price of a perpetual."""
        mark = self.mark(sym)
        if mark is None:
            return None
        return IndexChanged(sym, plain(self._state.marks.index[self._state.pairs[sym].base]), mark.ts)

    def last_price(self, sym: str) -> Decimal:
        """Return the last trade price of a pair; before any trade, the price at which it is valued."""
        state = self._state
        pair, last = state.pairs[sym], state.marks.last.get(sym)
        return state.valuation(pair) if last is None else pair.price(last)

    def book(self, sym: str, depth: int) -> tuple[dict[str, str], dict[str, str]]:
        """Return the best bids and asks as quantity by price, best first."""
        pair, book = self._state.pairs[sym], self._state.books[sym]
        bids, asks = (
            {pair.price_text(ticks): pair.qty_text(lots) for ticks, lots in book.levels(depth, is_buy=is_buy)}
            for is_buy in (True, False)
        )
        return bids, asks

    def open_interest(self, sym: str) -> str:
        """Sum the long positions of a perpetual in contracts: portfolios, simulated holders and house account."""
        state = self._state
        held = [position.lots for position in state.positions.values() if position.sym == sym]
        held += [bot.lots for bot in state.bots.get(sym, [])]
        held.append(state.house.get(sym, 0))
        return state.pairs[sym].qty_text(sum(lots for lots in held if lots > 0))

    def position_lots(self, portfolio: str, sym: str) -> int:
        """Return the net position of a pair in lots, both legs added, short negative; 0 when flat."""
        return sum(self._state.position_lots(portfolio, sym, leg) for leg in (ONE_WAY, *LEGS))

    def balance(self, portfolio: str, venue: str, coin: str) -> Decimal:
        """Return the balance of a coin in the ledger."""
        return self._state.ledger.balances.get((portfolio, venue, coin), ZERO)
