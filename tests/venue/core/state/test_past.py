"""The past of a new venue: it leads to the balances of the first start, and nothing of it is left open."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from itertools import pairwise
from typing import Any, TypeVar

import msgspec
import pytest

from tests.venue.core.seeded import Seeded
from tui.interface import decimals
from tui.interface.decimals import ZERO
from tui.interface.families.history import (
    DEDUCT_INTEREST,
    DIVIDEND,
    FUNDING_FEE,
    LIQ_COMPENSATION,
    LIQUIDATION_FEE,
    TRADE,
    StatementRecord,
    TradeRecord,
)
from tui.interface.families.positions import PositionHistoryRecord
from tui.venue.core.commands import Advance, PayDividend, Rejected
from tui.venue.core.exchange import Exchange
from tui.venue.core.market.symbols import SHIPPED
from tui.venue.core.new_venue import START_MONEY
from tui.venue.core.past.booking import Past
from tui.venue.core.state.funds.transfers import Bill
from tui.venue.core.state.loans import LoanBooking, LoanOrder
from tui.venue.core.state.orders import Order
from tui.venue.core.switches import Switches

DAY = 86_400_000
HOUR = DAY // 24
START = 1_760_000_000_000 + 61_234_567
"""In the middle of a day."""
S = TypeVar("S")


class Told:
    """The past of a venue of one seed, read as its rows are stored."""

    def __init__(self, seed: str) -> None:
        decimals.setup()
        self.exchange = Exchange(random_source=Seeded(seed), start_ms=START, switches=Switches({"agents": "off"}))
        past = self.exchange.build_past()
        assert past is not None
        self.past: Past = past
        self.exchange.add_past_movements()
        self.bills = list(self.exchange._state.bills.values())
        self.rows = past.rows()
        self.orders = self._read("order", Order)
        self.fills = self._read("fill", TradeRecord)
        self.closed = self._read("closed", PositionHistoryRecord)
        self.statements = self._read("statement", StatementRecord)
        self.loan_orders = self._read("loan_order", LoanOrder)
        self.bookings = self._read("loan_booking", LoanBooking)

    def _read(self, table: str, kind: type[S]) -> list[S]:
        found = sorted((row for row in self.rows if row.table == table), key=lambda row: int(row.key))
        return [msgspec.json.decode(row.value, type=kind) for row in found]

    def by_other_lists(self, key: tuple[str, str, str], after: int = 0, until: int = START) -> Decimal:
        """What loans and bills changed of a coin, which the statement does not tell of; ms, the second time included."""
        loans = [(row.at, row.delta) for row in self.bookings if (row.portfolio, row.exchange, row.coin) == key]
        bills = [(bill.created, self._billed(bill, key)) for bill in self.bills]
        return sum((delta for at, delta in loans + bills if after < at <= until), ZERO)

    def _billed(self, bill: Bill, key: tuple[str, str, str]) -> Decimal:
        """Return what a bill brought to the balance, or took from it."""
        source = (bill.source, bill.source_type, bill.currency)
        target = (bill.target, bill.target_type, bill.currency)
        return (bill.received if target == key else ZERO) - (bill.amount if source == key else ZERO)

    def chains(self) -> dict[tuple[str, str, str], list[StatementRecord]]:
        """Statement rows by portfolio, venue and coin, oldest first."""
        found: dict[tuple[str, str, str], list[StatementRecord]] = defaultdict(list)
        for row in self.statements:
            found[(str(row.portfolio_id), row.exchange_type, row.coin)].append(row)
        return found


@pytest.fixture(scope="module", params=["1", "seven", "42"])
def told(request: pytest.FixtureRequest) -> Told:
    return Told(request.param)


def number(text: str) -> Decimal:
    return Decimal(text)


def test_generated_history_ends_at_the_initial_balances(told: Told) -> None:
    chains = told.chains()
    for portfolio in told.exchange.queries.portfolios.values():
        for (venue, coin), amount in START_MONEY[portfolio.level].items():
            rows = chains.pop((portfolio.id, venue, coin), [])
            if rows:
                later = told.by_other_lists((portfolio.id, venue, coin), int(rows[-1].create_at))
                assert number(rows[-1].after_available) + later == Decimal(amount)
                assert number(rows[0].before_available) > 0
    # A coin that nobody has at the start was borrowed and paid back whole.
    for key, rows in chains.items():
        last = rows[-1]
        assert (last.after_available, last.after_borrow, rows[0].before_available) == ("0", "0", "0"), key


def test_generated_statements_have_continuous_balances(told: Told) -> None:
    for key, rows in told.chains().items():
        for older, newer in pairwise(rows):
            assert int(older.create_at) <= int(newer.create_at)
            between = told.by_other_lists(key, int(older.create_at), int(newer.create_at))
            assert number(older.after_available) + between == number(newer.before_available), key
            assert older.after_borrow == newer.before_borrow, key
            assert (newer.before_overdraw, newer.after_overdraw) == ("0", "0")
            assert number(newer.after_available) - number(newer.before_available) == number(newer.delta_amount)
            assert number(newer.before_available) >= 0 <= number(newer.after_available)


def test_generated_history_rows_explain_every_balance_change(told: Told) -> None:
    """The opening balance and everything the lists say sum to the balances of today, coin by coin."""
    moved: dict[tuple[str, str, str], Decimal] = defaultdict(lambda: ZERO)
    for fill in told.fills:
        pair = SHIPPED[fill.sym]
        base, cost = number(fill.quantity) * pair.contract_size, number(fill.quantity) * number(fill.price)
        sign = 1 if fill.side == "BUY" else -1
        if pair.is_perp:
            moved[(fill.portfolio_id, pair.exchange, "USDT")] += number(fill.rpnl)
        else:
            moved[(fill.portfolio_id, pair.exchange, pair.base)] += sign * base
            moved[(fill.portfolio_id, pair.exchange, "USDT")] -= sign * cost
        for charged, coin, way in ((fill.fee, fill.fee_coin, -1), (fill.rebate, fill.rebate_coin, 1)):
            if coin:
                moved[(fill.portfolio_id, pair.exchange, coin)] += way * number(charged)
    for row in told.statements:
        key = (str(row.portfolio_id), row.exchange_type, row.coin)
        if row.statement_type == DEDUCT_INTEREST:
            moved[key] -= number(row.after_borrow) - number(row.before_borrow)
        elif row.statement_type != TRADE:
            moved[key] += number(row.delta_amount)
    for booking in told.bookings:
        moved[(booking.portfolio, booking.exchange, booking.coin)] += booking.delta
    for key in told.past._balances:
        moved[key] += sum((told._billed(bill, key) for bill in told.bills), ZERO)
    gap = told.past._gap(told.past.book())
    for key, amount in moved.items():
        assert amount == -gap[key], key


def test_generated_loans_are_all_repaid(told: Told) -> None:
    kinds = {booking.type for booking in told.bookings}
    assert kinds == {"loan_borrow", "loan_repay", "loan_interest"}
    assert {order.type for order in told.loan_orders} == {"borrow", "repay"}
    assert len(told.loan_orders) == sum(booking.type != "loan_interest" for booking in told.bookings)
    owed: dict[tuple[str, str, str], Decimal] = defaultdict(lambda: ZERO)
    for order in told.loan_orders:
        key = (order.portfolio, order.exchange, order.coin)
        owed[key] += order.amount if order.type == "borrow" else -order.amount
        assert order.loan_balance == owed[key] >= 0 <= order.available_balance
        assert order.amount == round(order.amount, 2) and told.past.may_hold_client(order.client_id)
    assert not any(owed.values()) and not told.past.book().loans.owed
    levels = {portfolio.id: portfolio.level for portfolio in told.exchange.queries.portfolios.values()}
    moves = {(one.portfolio, one.exchange, one.coin): one for one in told.bookings}
    for key, last in moves.items():
        later = [row for row in told.chains()[key] if int(row.create_at) > last.at]
        start = Decimal(START_MONEY[levels[key[0]]][key[1:]])
        until, balance = (int(later[0].create_at), number(later[0].before_available)) if later else (START, start)
        assert last.balance + told.by_other_lists(key, last.at, until) == balance, key
    assert len({one.id for one in told.bookings}) == len(told.bookings) and {len(one.id) for one in told.bookings} == {
        17
    }
    assert {len(order.id) for order in told.loan_orders} == {18}
    assert max(int(order.id) for order in told.loan_orders) < told.exchange._state.counters.loan


def test_generated_loans_have_interest_for_every_full_hour(told: Told) -> None:
    owed: dict[tuple[str, str, str], Decimal] = defaultdict(lambda: ZERO)
    expected: dict[tuple[str, str, str], int] = defaultdict(int)
    begun: dict[tuple[str, str, str], int] = {}
    for order in told.loan_orders:
        key = (order.portfolio, order.exchange, order.coin)
        if owed[key]:
            expected[key] += order.at // HOUR - begun[key] // HOUR
        owed[key] += order.amount if order.type == "borrow" else -order.amount
        begun[key] = order.at
    charged: dict[tuple[str, str, str], int] = defaultdict(int)
    for booking in told.bookings:
        charged[(booking.portfolio, booking.exchange, booking.coin)] += booking.type == "loan_interest"
    assert charged == expected and sum(expected.values()) > 100


def test_generated_positions_are_closed_and_orders_have_fills(told: Told) -> None:
    state = told.past.book()
    assert not state.positions
    assert not state.debts
    assert not any(state.frozen.values())
    state.ledger.check()
    fills: dict[str, list[TradeRecord]] = defaultdict(list)
    for fill in told.fills:
        fills[fill.order_id].append(fill)
    for order in told.orders:
        assert order.is_final
        executed = sum((number(fill.quantity) for fill in fills.pop(order.id, [])), ZERO)
        assert executed == SHIPPED[order.sym].qty(order.executed), order.id
    assert not fills
    assert {order.state for order in told.orders} == {"FILLED", "CANCELLED"}
    assert all(record.closed_type in ("COMPLETE_CLOSED", "LIQUIDATION") for record in told.closed)
    assert any(record.closed_type == "LIQUIDATION" for record in told.closed)


def test_generated_position_pnl_equals_the_pnl_of_its_fills(told: Told) -> None:
    by_pair: dict[tuple[str, str], Decimal] = defaultdict(lambda: ZERO)
    for fill in told.fills:
        by_pair[(fill.portfolio_id, fill.sym)] += number(fill.rpnl)
    ended: dict[tuple[str, str], Decimal] = defaultdict(lambda: ZERO)
    funding = fees = ZERO
    for record in told.closed:
        ended[(record.portfolio_id, record.sym)] += number(record.closed_pnl)
        funding, fees = funding + number(record.funding_fee), fees + number(record.fee)
    for key, amount in ended.items():
        assert abs(amount - by_pair[key]) < Decimal("1e-9"), key
    paid = [number(row.delta_amount) for row in told.statements if row.statement_type == FUNDING_FEE]
    assert funding == sum(paid)
    assert {amount > 0 for amount in paid} == {True, False}
    perps = [fill for fill in told.fills if SHIPPED[fill.sym].is_perp]
    assert fees == sum(number(fill.fee) - number(fill.rebate) for fill in perps)


def test_generated_history_covers_the_ninety_days_before_start(told: Told) -> None:
    today = START // DAY * DAY
    times = [row.at for row in told.rows]
    assert today - 90 * DAY <= min(times)
    assert today - 8 * DAY < max(times) < today
    assert sum(row.at > today - 7 * DAY for row in told.rows if row.table == "order") > 5
    first = told.exchange._state.counters
    assert max(int(order.id) for order in told.orders) < first.order
    assert max(int(fill.transaction_id) for fill in told.fills) < first.trade
    assert max(int(row.key) for row in told.rows if row.table in ("statement", "closed")) <= 0
    assert {len(row.statement_id) for row in told.statements} == {17}
    assert len({(row.table, row.key) for row in told.rows}) == len(told.rows)
    assert all(told.past.may_hold("order", order.id) for order in told.orders)
    own = [order for order in told.orders if order.origin == "DMA"]
    assert all(told.past.may_hold_client(order.client_id) for order in own)
    assert len({order.client_id for order in told.orders}) == len(told.orders)


def test_generated_history_has_every_statement_type(told: Told) -> None:
    kinds = {row.statement_type for row in told.statements}
    assert kinds == {TRADE, FUNDING_FEE, DEDUCT_INTEREST, DIVIDEND, LIQUIDATION_FEE, LIQ_COMPENSATION}


def test_the_same_seed_generates_the_same_history() -> None:
    first, other = Told("5"), Told("6")
    assert first.past.rows() == first.rows
    assert Told("5").rows == first.rows != other.rows


def test_generated_history_does_not_change_the_initial_state() -> None:
    decimals.setup()

    def opened(past: str) -> dict[str, Any]:
        switches = Switches({"agents": "off", "past": past})
        exchange = Exchange(random_source=Seeded("3"), start_ms=START, switches=switches)
        if past == "on":
            told = exchange.build_past()
            assert told is not None
            told.rows()
        else:
            assert exchange.build_past() is None
        state = exchange._state
        return {"balances": state.ledger.balances, "counters": state.counters, "statements": state.statements}

    assert opened("on") == opened("off")


def test_a_dividend_pays_a_share_of_the_balance_with_a_statement() -> None:
    decimals.setup()
    exchange = Exchange(random_source=Seeded("1"), start_ms=START, switches=Switches({"agents": "off"}))
    exchange.apply(PayDividend(coin="ETH", share="0.001"), START + 1)
    main = exchange.queries.main_portfolio.id
    [row] = [row for row in exchange.queries.statements(main) if row.statement_type == DIVIDEND]
    assert (row.coin, row.delta_amount, row.before_available, row.after_available) == ("ETH", "0.01", "10", "10.01")
    assert exchange.queries.balance(main, "BINANCE", "ETH") == Decimal("10.01")
    exchange.check()
    reply, _ = exchange.apply(PayDividend(coin="ETH", share="-1"), START + 2)
    assert isinstance(reply, Rejected)
    assert exchange.apply(Advance(), START + 3)[0] is None
