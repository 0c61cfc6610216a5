"""Booking of the invented history on a separate state with the venue's normal code, and its rows for the archive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import NamedTuple

import msgspec

from tui.interface.decimals import ZERO, half_up, plain
from tui.interface.families.algo import AlgoState, Condition
from tui.interface.families.history import LIQ_COMPENSATION, LIQUIDATION_FEE, StatementRecord
from tui.interface.families.orders import CancelType, OrderState, Origin, TimeInForce
from tui.interface.families.portfolio_loans import Borrow, LoanType, Repay
from tui.protocols import RandomSource
from tui.rules import fees
from tui.venue.core.accounts import dividends, lending, portfolio_loans, statements
from tui.venue.core.accounts.funding import Funding
from tui.venue.core.market.symbols import SETTLEMENT, SHIPPED
from tui.venue.core.past.loans import PlannedLoan, plan_loans
from tui.venue.core.past.money import BalanceChange, plan_movements
from tui.venue.core.past.planning import DAY_MS, HOUR_MS, PlannedFill, PlannedOrder, Planner
from tui.venue.core.past.prices import PastPrices
from tui.venue.core.past.stable_random import StableRandom
from tui.venue.core.state import aging
from tui.venue.core.state.algo_orders import AlgoOrder, Trigger
from tui.venue.core.state.archive_reader import ArchivedRow
from tui.venue.core.state.durable import encode
from tui.venue.core.state.exchange_state import FirstStart, State
from tui.venue.core.state.ledger import FEE_ACCOUNT, ISSUE_ACCOUNT, NETWORK_ACCOUNT, BalanceKey, PostingLeg
from tui.venue.core.state.loans import LoanBooking, LoanOrder
from tui.venue.core.state.orders import Order
from tui.venue.core.state.portfolios import Portfolio
from tui.venue.core.switches import Switches
from tui.venue.core.trading import matching

DAYS = 90
"""Days that the past reaches back from the day of the first start."""
RESERVED_IDS = 100_000
"""Number of ids of each kind below the first ones of the venue, for the past."""
CLIENT_PREFIX = "past"
"""Prefix of the client order ids of the past."""
_DIVIDEND_DAYS = (75, 45, 15)
"""Days before the first start on which a dividend was paid."""
_DIVIDEND = ("ETH", Decimal("0.0003"))
_COMPENSATED = Decimal("0.4")
"""Share of the fee of a forced close that is paid back."""
_ARCHIVED = ("order", "algo", "fill", "statement", "closed", "loan_order", "loan_booking")
_ALGOS: tuple[tuple[int, str, int, bool], ...] = (
    (40, "BINANCE_PERP_BTC_USDT", 20, False),
    (5, "BINANCE_PERP_ETH_USDT", 300, True),
    (2, "OKX_PERP_BTC_USDT", 2, False),
)
"""Algo orders that were cancelled after an hour: days before the end of the past, pair, lots, whether it buys."""


def begin_of(first_ms: int) -> int:
    """Return when the invented history begins, from the first start of the venue; both in ms."""
    return first_ms // DAY_MS * DAY_MS - DAYS * DAY_MS


class _Step(NamedTuple):
    """Step of the invented history at a time in ms."""

    at: int
    number: int
    """Order of steps at the same time."""
    order: int = -1
    """Index of the planned order; -1 for a full hour."""
    fill: PlannedFill | None = None
    ends: bool = False
    loan: PlannedLoan | None = None
    movement: BalanceChange | None = None


class Past:
    """Invented history of one venue; it is computed only when `rows` is called."""

    def __init__(
        self,
        first: FirstStart,
        portfolios: dict[str, Portfolio],
        balances: dict[BalanceKey, Decimal],
        random_source: RandomSource,
    ) -> None:
        """Store the inputs; nothing is computed yet.

        Args:
            first: First start of the venue, and its first ids.
            portfolios: Portfolios by id.
            balances: Their balances at the first start.
            random_source: Source of the past; the same numbers give the same past.
        """
        self.before = first.ms // DAY_MS * DAY_MS
        """End of the past, ms: the UTC day of the first start has none of it."""
        self._first = first
        self._portfolios = portfolios
        self._balances = balances
        self._random_source = random_source

    def may_hold(self, table: str, key: str) -> bool:
        """Report whether a row with this id can belong to the invented history."""
        first = {"order": self._first.order, "algo": self._first.order, "fill": self._first.trade}.get(table)
        return first is not None and key.isdecimal() and first - RESERVED_IDS < int(key) <= first

    def may_hold_client(self, client_id: str) -> bool:
        """Report whether an order with this client order id can belong to the invented history."""
        return client_id.startswith(CLIENT_PREFIX)

    def rows(self) -> list[ArchivedRow]:
        """List every row of the invented history as it is archived."""
        state = self.book()
        gap = self._gap(state)
        return [
            _SHIFTS[row.table](row, gap) if row.table in _SHIFTS else row
            for row in aging.archivable_rows(state, self.before, encode)
            if row.table in _ARCHIVED
        ]

    def book(self) -> State:
        """Book the whole invented history, starting from the balances of the first start, and return the resulting state."""
        begin = begin_of(self.before)
        prices = PastPrices(StableRandom(self._first.order).stream("prices"), begin, self.before)
        orders = Planner(self._random_source.stream("orders"), prices, begin, self.before - HOUR_MS).orders()
        loans = plan_loans(self._random_source.stream("loans"), begin, self.before - HOUR_MS)
        state = self._open_state(begin)
        movements = list(plan_movements(self._first.ms))
        _Booking(state, prices, orders, loans, movements, begin, self.before).run()
        return state

    def _open_state(self, begin: int) -> State:
        state = State(SHIPPED, tuple(SHIPPED), Switches())
        state.now = begin
        state.portfolios = self._portfolios
        state.counters.order = self._first.order - RESERVED_IDS
        state.counters.trade = self._first.trade - RESERVED_IDS
        state.counters.position = self._first.position - RESERVED_IDS
        # Rows of the past have numbers up to 0; the first row of the venue has number 1.
        state.counters.loan -= RESERVED_IDS
        state.dropped = dict.fromkeys(("statement", "closed", "loan_order", "loan_booking"), -RESERVED_IDS)
        for (owner, venue, coin), amount in self._balances.items():
            legs = [PostingLeg(ISSUE_ACCOUNT, venue, coin, -amount), PostingLeg(owner, venue, coin, amount)]
            state.post("issue", "", legs)
        return state

    def _gap(self, state: State) -> dict[BalanceKey, Decimal]:
        """Return, by balance, the difference to add so that the invented history ends at the balances of the first start."""
        return {
            key: self._balances.get(key, ZERO) - balance
            for key, balance in state.ledger.balances.items()
            if key[0] in self._portfolios
        }


def _shift_row(row: ArchivedRow, gap: dict[BalanceKey, Decimal]) -> ArchivedRow:
    """Shift the amounts of a statement row, so that the history ends at the balances of the first start."""
    record = msgspec.json.decode(row.value, type=StatementRecord)
    more = gap[(str(record.portfolio_id), record.exchange_type, record.coin)]
    shifted = msgspec.structs.replace(
        record,
        before_available=plain(Decimal(record.before_available) + more),
        after_available=plain(Decimal(record.after_available) + more),
    )
    return msgspec.structs.replace(row, value=encode(shifted))


def _shift_loan_order(row: ArchivedRow, gap: dict[BalanceKey, Decimal]) -> ArchivedRow:
    order = msgspec.json.decode(row.value, type=LoanOrder)
    more = gap[(order.portfolio, order.exchange, order.coin)]
    return msgspec.structs.replace(
        row, value=encode(msgspec.structs.replace(order, available_balance=order.available_balance + more))
    )


def _shift_booking(row: ArchivedRow, gap: dict[BalanceKey, Decimal]) -> ArchivedRow:
    booking = msgspec.json.decode(row.value, type=LoanBooking)
    more = gap[(booking.portfolio, booking.exchange, booking.coin)]
    return msgspec.structs.replace(row, value=encode(msgspec.structs.replace(booking, balance=booking.balance + more)))


_SHIFTS: Mapping[str, Callable[[ArchivedRow, dict[BalanceKey, Decimal]], ArchivedRow]] = {
    "statement": _shift_row, "loan_order": _shift_loan_order, "loan_booking": _shift_booking,
}  # fmt: skip
"""Shift of the rows that name balances, by table."""


class _Booking:
    """Booking, in time order, of planned orders, loans, movements of money, funding, interest, dividends, a liquidation."""

    def __init__(
        self,
        state: State,
        prices: PastPrices,
        planned: list[PlannedOrder],
        loans: list[PlannedLoan],
        movements: list[BalanceChange],
        begin: int,
        end: int,
    ) -> None:
        self._state = state
        self._prices = prices
        self._planned, self._loans, self._movements = planned, loans, movements
        self._begin, self._end = begin, end
        self._funding = Funding(state)
        self._owners = {portfolio.level: portfolio.id for portfolio in state.portfolios.values()}
        self._orders: dict[int, Order] = {}
        self._compensations: list[tuple[int, str, Decimal]] = []
        """Time, order and amount of the compensations due."""

    def run(self) -> None:
        for step in self._steps():
            self._state.now = step.at
            if step.loan is not None:
                self._loan(step.loan)
            elif step.movement is not None:
                self._move(step.movement)
            elif step.order < 0:
                self._book_hour(step.at)
            elif step.fill is not None:
                self._fill(step.order, step.fill)
            elif step.ends:
                self._cancel(step.order)
            else:
                self._place(step.order)
        self._add_algos()

    def _add_algos(self) -> None:
        """Add conditional orders 10 % away from the price, which have never fired."""
        state = self._state
        for days, sym, lots, is_buy in _ALGOS:
            pair, at = state.pairs[sym], self._end - days * DAY_MS
            algo_id = state.next_id("order")
            state.algos.add(
                AlgoOrder(
                    id=algo_id,
                    client_id=f"{CLIENT_PREFIX}{algo_id:0>18}",
                    portfolio=self._owners["main"],
                    sym=sym,
                    is_buy=is_buy,
                    condition=Condition.CONDITIONAL,
                    lots=lots,
                    conditional=Trigger(ticks=self._prices.ticks(pair, at, 100_000 if is_buy else -100_000)),
                    rises=is_buy,
                    state=AlgoState.CANCELLED,
                    created=at,
                    updated=at + HOUR_MS,
                )
            )

    def _steps(self) -> list[_Step]:
        hours = range(self._begin + HOUR_MS, self._end - HOUR_MS, HOUR_MS)
        steps = [_Step(at, number - len(hours)) for number, at in enumerate(hours)]
        for at, order in enumerate(self._planned):
            steps.append(_Step(order.placed, len(steps), at))
            for fill in order.fills:
                steps.append(_Step(fill.at, len(steps), at, fill))
            if order.cancelled:
                steps.append(_Step(order.cancelled, len(steps), at, ends=True))
        steps += [_Step(loan.at, len(steps) + number, loan=loan) for number, loan in enumerate(self._loans)]
        steps += [_Step(move.at, len(steps) + number, movement=move) for number, move in enumerate(self._movements)]
        return sorted(steps, key=lambda step: step[:2])

    def _place(self, number: int) -> None:
        state, planned = self._state, self._planned[number]
        pair = state.pairs[planned.sym]
        order_id = state.next_id("order")
        order = Order(
            id=order_id,
            client_id=order_id if planned.origin != Origin.DMA else f"{CLIENT_PREFIX}{order_id:0>18}",
            portfolio=self._owners[planned.level],
            sym=pair.sym,
            is_buy=planned.is_buy,
            is_market=planned.is_market,
            tif=TimeInForce.IOC if planned.is_market else TimeInForce.GTC,
            lots=planned.lots,
            ticks=0 if planned.is_market else self._prices.ticks(pair, planned.placed, planned.away_ppm),
            reduce_only=planned.reduce_only,
            leverage=state.leverage(self._owners[planned.level], pair) if pair.is_perp else None,
            origin=planned.origin,
            created=planned.placed,
            hold_coin="" if pair.is_perp else (pair.quote if planned.is_buy else pair.base),
        )
        self._orders[number] = order
        state.add_order(order)
        if not order.is_market:
            order.state = OrderState.OPEN

    def _fill(self, number: int, fill: PlannedFill) -> None:
        order, planned = self._orders[number], self._planned[number]
        pair = self._state.pairs[order.sym]
        ticks = self._prices.ticks(pair, fill.at, planned.away_ppm) if order.is_market else order.ticks
        matching.book_fill(self._state, pair, order, fill.lots, ticks, "TAKER" if order.is_market else "MAKER")
        if order.origin == Origin.SYSTEM_LIQ and not order.left:
            self._charge_liquidation(order)

    def _loan(self, planned: PlannedLoan) -> None:
        state, owner = self._state, self._owners[planned.level]
        key = (owner, planned.exchange, planned.coin)
        if planned.repays:
            portfolio_loans.repay(state, key, planned.amount)
        else:
            portfolio_loans.borrow(state, key, planned.amount)
        kind, word = (Repay, LoanType.REPAY) if planned.repays else (Borrow, LoanType.BORROW)
        command = kind(
            portfolio=owner, exchange=planned.exchange, coin=planned.coin, amount=plain(planned.amount),
            client_order_id=f"{CLIENT_PREFIX}{state.counters.loan + 1}",
        )  # fmt: skip
        portfolio_loans.record_order(state, command, word, planned.amount)

    def _move(self, planned: BalanceChange) -> None:
        """Book a movement of money; its row is in the bills, not in the statement."""
        legs = [
            PostingLeg(self._owners["main"], planned.venue, planned.coin, planned.amount),
            PostingLeg(NETWORK_ACCOUNT, planned.venue, planned.coin, -planned.amount),
        ]
        self._state.post("movement", "", legs)

    def _cancel(self, number: int) -> None:
        matching.end_order(self._state, self._orders[number], OrderState.CANCELLED, CancelType.USER, "")

    def _charge_liquidation(self, order: Order) -> None:
        pair = self._state.pairs[order.sym]
        fee = fees.split(order.amount, pair.liquidation_fee).fee
        self._book(LIQUIDATION_FEE, order, -fee)
        self._compensations.append((self._state.now + 2 * DAY_MS, order.id, half_up(fee * _COMPENSATED, fees.PLACES)))

    def _book(self, kind: str, order: Order, amount: Decimal) -> None:
        """Book an amount other than a fill (funding, fee, compensation) and add its statement row."""
        state, pair = self._state, self._state.pairs[order.sym]
        portfolio, venue = order.portfolio, pair.exchange
        before = statements.holding_of(state, portfolio, venue, SETTLEMENT)
        legs = [PostingLeg(portfolio, venue, SETTLEMENT, amount), PostingLeg(FEE_ACCOUNT, venue, SETTLEMENT, -amount)]
        state.post(kind, order.id, legs)
        statements.add_row(
            state, kind, portfolio, venue, SETTLEMENT, before,
            business_type=pair.business_type, sym=pair.sym if kind == LIQUIDATION_FEE else "",
            request_id=order.id if kind == LIQUIDATION_FEE else "",
        )  # fmt: skip

    def _book_hour(self, at: int) -> None:
        """Book the interest of an hour, the funding due in it, and the payments of the day."""
        state = self._state
        if state.debts:
            state.accrued = at - HOUR_MS
            lending.accrue(state)
        portfolio_loans.charge_interest(state, at)
        if state.positions:
            self._pay_funding(at)
        if at % DAY_MS == 0 and (self._end - at) // DAY_MS in _DIVIDEND_DAYS:
            dividends.pay(state, *_DIVIDEND)
        while self._compensations and self._compensations[0][0] <= at:
            _, order_id, amount = self._compensations.pop(0)
            self._book(LIQ_COMPENSATION, state.orders[order_id], amount)

    def _pay_funding(self, at: int) -> None:
        state, funding = self._state, self._funding
        state.funded = at - 1
        if funding.next_due() != at:
            return
        for coin in state.marks.index:
            state.marks.index[coin] = self._prices.index(coin, at)
        for pair in state.pairs.values():
            if pair.is_perp:
                # A premium that differs by pair and day, so that rates differ and some are negative.
                gap = (at // DAY_MS * 7 + len(pair.sym) * 13) % 23 - 9
                index = state.marks.index[pair.base]
                state.marks.mark[pair.sym] = half_up(index + index * gap / 10_000, pair.price_digits)
        funding.sample()
        funding.pay()
